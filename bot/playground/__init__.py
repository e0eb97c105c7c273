"""A Discord server of one's own, on this machine: the real bot without a Discord account.

`server.Playground` listens on loopback and speaks three languages:

- **wire/**: Discord's HTTP API and gateway, well enough that an unpatched discord.py in another
  process logs in and works. SimCord's in-memory backend is the Discord behind it.
- **control** (with `guard`, `acting`, `feed`, `views`): what people and programs do here: act as a
  named member, and watch everything that happens as a stream of events.
- **static/**: the web page, which uses nothing but the control interface.

`client.PlaygroundClient` is the control interface for Python programs and needs neither SimCord
nor discord.py. Nothing here knows of the swarm or of Leaderless' bot: any discord.py bot that lets
its API address be set can be tried in it. This file stays empty of imports, so that importing the
client stays cheap.
"""
