"""Discord's HTTP API and gateway, as far as discord.py uses them, over SimCord's backend.

`rest` answers requests (`forms` reads their bodies, `rules` adds what Discord does and SimCord
does not, `limits` its rate limits), `gateway` holds the WebSocket connections, `session` what can
be resumed, `shaping` what a bot may see of an event. The facts about the protocol are those of
Discord's API version 10; the tests run the real discord.py against them.
"""
