"""The slash commands: what people can ask of the bot, and its answers.

Each command answers at once or defers; whatever goes wrong ends in a sentence for the person, and
in the log for whoever runs the bot. `tree` registers them; `acting` and `looking` do them.
"""
