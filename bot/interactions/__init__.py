"""What people do with the bot in Discord: commands, buttons, forms and mentions, and the answers.

Each command answers at once or defers its answer. Every failure gives the person a message and the
operator a log entry. `slash_commands` registers the commands; `actions` and `queries` perform them.
"""
