"""The bot's logs: the swarm command's, without what libraries log of people's messages."""

from __future__ import annotations

import logging
from typing import Literal

from swarm.console import logs


def log_to_stderr(level: logs.Level, style: Literal["auto", "text", "json"] = "auto") -> None:
    """Log to stderr from a level on, and leave out what quotes people."""
    logs.log_to_stderr(level, style)
    # discord.py's own debug log quotes what it sends and receives.
    logging.getLogger("discord").setLevel(logging.WARNING)
    # Voice is never used: a warning that its libraries are missing helps nobody.
    logging.getLogger("discord.client").setLevel(logging.ERROR)
    # The playground makes a discord.py state without a client: its intents mean nothing.
    logging.getLogger("discord.state").setLevel(logging.ERROR)
