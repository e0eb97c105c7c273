"""What people do in Discord, done in their names.

Everything is checked as Discord's own client and server would check it, so a command that goes
through here would have gone through there. `writing` holds messages, reactions and threads,
`interacting` what a bot has to answer, `access` who may do what.
"""

from __future__ import annotations

from bot.playground.access import Refused
from bot.playground.interacting import Interacting
from bot.playground.writing import Writing

__all__ = ["Members", "Refused"]


class Members(Writing, Interacting):
    """The people's side of the server. Made of a world and a feed."""
