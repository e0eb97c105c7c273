"""The people of the server: everything that a person can do in Discord.

Every action passes the checks of Discord's own client and server, so a command that works here
works there too. `writing` covers messages, reactions and threads, `interacting` covers what a bot
has to answer, and `access` checks permissions.
"""

from __future__ import annotations

from bot.playground.access import Refused
from bot.playground.interacting import Interacting
from bot.playground.writing import Writing

__all__ = ["Members", "Refused"]


class Members(Writing, Interacting):
    """The actions of all members, performed on a guild and shown in a feed."""
