"""Discord's HTTP API and gateway, as far as discord.py uses them, on top of SimCord's backend.

`rest` answers requests: `bodies` reads their bodies, `rules` adds behaviour of Discord that SimCord
lacks, and `limits` applies rate limits. `gateway` holds the WebSocket connections, `session` the
sessions that can be resumed, and `intents` limits what a bot sees of an event. The protocol is that
of Discord's API version 10; the tests run the real discord.py against it.
"""
