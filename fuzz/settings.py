"""What people hand in: configuration files and invites."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from bot.config import BotConfig
from fuzz.choices import Choices
from fuzz.records import brief
from swarm.config import ConfigError, load
from swarm.invite import InviteError
from swarm.invite import read as read_invite

_FOLDER = Path(tempfile.mkdtemp(prefix="leaderless-fuzz-"))


def config(data: bytes) -> None:
    """Any file is a configuration, or a `ConfigError` that does not repeat it all."""
    file = _FOLDER / f"{os.getpid()}.toml"
    file.write_bytes(data)
    try:
        read = load(BotConfig, file=file)
        read.goal_policy()
    except ConfigError as error:
        brief(error, 20_000)


def invite(data: bytes) -> None:
    """Any text is an invite, or an `InviteError` that repeats none of it."""
    choices = Choices(data)
    text = choices.rest().decode("utf-8", "replace")
    for word in (text, f"leaderless-invite-1-{text}"):
        try:
            read_invite(word)
        except InviteError as error:
            brief(error, 1_000)
