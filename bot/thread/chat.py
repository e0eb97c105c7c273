"""The chat as a goal's writer needs it, and the ways in which a chat fails.

Failures are of a few kinds, each of which the writer can handle::

    ChatError             the chat refused what was asked
    ├── MessageGone       somebody deleted the message
    ├── MessageTooOld     the message is too old to be edited: send a new one
    ├── ThreadGone        the thread or channel was deleted
    ├── ThreadLocked      a moderator locked the thread
    ├── NotAllowed        the bot lacks a permission
    └── Unavailable       the chat or the connection is down: try again later

`bot.discord_api.discord_chat` is the one real chat; tests have another.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from bot.swarm_link.swarm_peer import Verdict
from bot.views.posts import Post


class ChatError(Exception):
    """The chat refused a request. The message states its answer."""


class MessageGone(ChatError):
    """Somebody deleted the message."""


class MessageTooOld(ChatError):
    """The message can no longer be edited."""


class ThreadGone(ChatError):
    """The thread or channel no longer exists."""


class ThreadLocked(ChatError):
    """A moderator locked the thread."""


class NotAllowed(ChatError):
    """The bot lacks a permission."""


class Unavailable(ChatError):
    """The chat does not work at the moment."""

    def __init__(self, text: str, again_seconds: float = 0.0) -> None:
        """Say what happened.

        Args:
            text: what happened, in words shown to the user.
            again_seconds: how long to wait before trying again; 0: not known.
        """
        super().__init__(text)
        self.again_seconds = again_seconds


class Chat(Protocol):
    """What a writer can do in the chat. All methods raise `ChatError`."""

    async def send(self, channel: int, post: Post, nonce: str) -> int:
        """Send a message and return its id; a nonce sent again within minutes sends nothing."""

    async def edit(self, channel: int, message: int, post: Post) -> None:
        """Replace a message's content."""

    async def seed(self, channel: int, message: int, emoji: Sequence[str]) -> None:
        """Add reactions."""

    async def open_thread(self, channel: int, message: int, name: str) -> int:
        """Open a thread from a message, if it has none, and return the thread's id."""

    async def direct(self, user: int) -> int:
        """Return the channel for direct messages to a person."""

    async def find(self, channel: int, digest: bytes, known: set[int]) -> int | None:
        """Return the bot's newest message with this content that is not among the known ones."""

    async def reactions(self, guild: int, channel: int, message: int) -> list[tuple[Verdict, int]]:
        """Return the reactions that are votes, by people who may vote: verdict and user."""
