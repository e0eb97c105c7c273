"""Messages as they should be: what a story consists of and the chat posts."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum, unique
from typing import Literal

Place = Literal["channel", "thread"]


@unique
class Press(Enum):
    """What a button does. The value is its fixed id in Discord: never change one."""

    APPROVE = "leaderless:approve"
    REJECT = "leaderless:reject"
    SAID = "leaderless:said"
    WHY = "leaderless:why"
    REPLAN = "leaderless:replan"
    PICTURE = "leaderless:picture"
    EXPORT = "leaderless:export"
    CANCEL = "leaderless:cancel"
    SURE = "leaderless:sure"


OURS = "leaderless:"
"""Prefix of the ids of all our buttons, in every version."""


LEAVE = "leaderless:leave:"
"""Prefix of the id of a button that takes a goal out of the queue; the goal's id follows."""


def fingerprint(content: str, buttons: Iterable[str] = ()) -> bytes:
    """Return a digest of a message as Discord stores it: without whitespace around its content.

    Args:
        content: the text.
        buttons: the ids of its buttons, in order.
    """
    ids = ",".join(buttons)
    text = content.strip() + (f"\0{ids}" if ids else "")
    return hashlib.sha256(text.encode()).digest()


@dataclass(frozen=True, slots=True)
class File:
    """An attachment."""

    name: str
    data: bytes
    about: str = ""
    """Description for people who cannot see it."""


@dataclass(frozen=True, slots=True)
class Post:
    """A message as it should be."""

    key: str
    content: str
    place: Place = "thread"
    seeds: tuple[str, ...] = ()
    """Reactions that the bot adds as an invitation to vote."""
    files: tuple[File, ...] = ()
    """Attachments of the first sending."""
    buttons: tuple[Press, ...] = ()
    quiet: bool = True
    """Whether it is sent without a notification."""
    picture: bool = False
    """Whether a picture of the tree is attached when it is first sent."""

    @property
    def digest(self) -> bytes:
        """Fingerprint of what is shown, to detect a change."""
        return fingerprint(self.content, (press.value for press in self.buttons))
