"""The Discord bot in front of the swarm: one more peer, which acts for the people of a server.

A goal passes through these modules::

    interactions/slash_commands   /plan: submits the goal to the swarm, notes it in the journal
    goals/queue                   keeps goals for which there is no room yet
    swarm_link/swarm_guest        runs the swarm peer (trio) on discord.py's event loop (asyncio)
    thread/relay                  hears what changed, and wakes the goal's writer
    thread/story                  plan -> the messages that should be there       (pure)
    thread/reconciler             these and the messages that are there -> next step  (pure)
    thread/writer                 takes the steps in the chat, notes them in the journal
    thread/vote_counter           people's reactions and buttons -> votes that the peer attests

The rooms, from lower to higher; each imports only rooms above it in this list, which
`make lint` checks::

    clock, metrics   time for tests to own; what is counted
    rendering        Markdown and texts of others -> what Discord shows
    texts            everything the bot says, in each of its languages
    storage          the journal in SQLite, people's hashes, servers' settings
    views            plan -> messages, documents, pictures   (pure)
    swarm_link       the swarm peer, and how it runs in here
    thread           one goal's thread: story, reconciler, writer, votes
    discord_api      Discord, as the chat that `thread` writes to
    goals            quotas, options, the queue, and how a goal starts
    config           `[bot]` and the token
    context          all parts put together
    interactions     commands, buttons, mentions: they use the context
    app              running it: halves, restarts, signals, metrics server
    playground       a local Discord for newcomers; it needs no other room
    cli              the `swarm-bot` command

`bot` imports `swarm`, never the other way round.
"""
