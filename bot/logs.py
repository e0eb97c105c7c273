"""The bot's logs: the swarm command's, made safe for a process that holds a token."""

from __future__ import annotations

import logging
from typing import Literal

import structlog

from swarm.cli import logs


def log_to_stderr(level: logs.Level, style: Literal["auto", "text", "json"] = "auto") -> None:
    """Send what is at least of a level to stderr; tracebacks come without local variables.

    discord.py's frames have the token and people's messages in theirs.
    """
    logs.log_to_stderr(level, style)
    plain = structlog.processors.ExceptionRenderer(
        structlog.tracebacks.ExceptionDictTransformer(show_locals=False)
    )
    processors = [
        plain if isinstance(one, structlog.processors.ExceptionRenderer) else one
        for one in structlog.get_config()["processors"]
    ]
    structlog.configure(processors=processors)
    # discord.py's own debug log quotes what it sends and receives.
    logging.getLogger("discord").setLevel(logging.WARNING)
    # Voice is never used: nobody needs to hear that its libraries are missing.
    logging.getLogger("discord.client").setLevel(logging.ERROR)
    # The playground makes a discord.py state without a client: its intents mean nothing.
    logging.getLogger("discord.state").setLevel(logging.ERROR)
