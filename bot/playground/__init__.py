"""A local Discord server in which the real bot runs without a Discord account.

`server.Playground` listens on loopback and offers three interfaces:

- **wire/**: Discord's HTTP API and gateway, complete enough that an unpatched discord.py in another
  process logs in and works. SimCord's in-memory backend plays Discord behind it.
- **control** (with `origin_guard`, `members`, `feed`, `views`): the interface for people and
  programs. They act as a named member and watch everything that happens as a stream of events.
- **static/**: the web page, which uses only the control interface.

`client.PlaygroundClient` is the control interface for Python programs; it needs neither SimCord nor
discord.py. Nothing here knows the swarm or Leaderless' bot: any discord.py bot with a configurable
API address works in it. This file imports nothing, so that importing the client stays cheap.
"""
