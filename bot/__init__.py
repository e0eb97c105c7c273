"""The chat front end of the swarm: one more peer, which speaks for the people of a Discord server.

The way of a goal through this package::

    commands  /plan: submits the goal to the swarm, notes it in the journal
    queue     goals for which there is no room yet; settings: what each server decided
    guest     runs the swarm peer (trio) on discord.py's event loop (asyncio), restarts it
    relay     hears what changed in the swarm and in the chat, and wakes the goal's writer
    story     plan -> the messages that should be there        (pure; tree, splits, rendering)
    ledger    messages that are there + should be -> next step  (pure)
    writer    takes the steps through `chat`, which is Discord, and notes them in the journal
    troubles  what the chat refuses, told where people can still read it
    votes     people's reactions -> ballots that the bot attests

`bot` imports `swarm`, never the other way round. `playground` is a local Discord for newcomers.
"""
