"""The bot's logs: the swarm command's, without what libraries say of people's messages."""

from __future__ import annotations

import logging
from typing import Literal

from swarm.console import logs


def log_to_stderr(level: logs.Level, style: Literal["auto", "text", "json"] = "auto") -> None:
    """Send what is at least of a level to stderr, and keep what quotes people out of it."""
    logs.log_to_stderr(level, style)
    # discord.py's own debug log quotes what it sends and receives.
    logging.getLogger("discord").setLevel(logging.WARNING)
    # Voice is never used: nobody needs to hear that its libraries are missing.
    logging.getLogger("discord.client").setLevel(logging.ERROR)
    # The playground makes a discord.py state without a client: its intents mean nothing.
    logging.getLogger("discord.state").setLevel(logging.ERROR)
