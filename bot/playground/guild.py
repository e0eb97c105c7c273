"""The server that the playground simulates: one channel, a few people and one bot.

SimCord's `Backend` keeps the state. It is made for tests, so three of its parts are replaced here
to suit a server that runs for hours: the clock shows real time, logs are bounded, and attachments
have URLs on this server.
"""

from __future__ import annotations

import mimetypes
import secrets
from collections import deque
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote

from simcord.backend import Backend

GUILD_NAME = "Leaderless playground"
CHANNEL_NAME = "plans"
CHANNEL_TOPIC = "Ask for a plan with /plan and watch it grow. Nobody is in charge."
BOT_NAME = "Leaderless"
PEOPLE = ("Asha", "Bilal", "Citra")

ROLES = {"Planners": ("Asha", "Bilal"), "Guides": ("Citra",)}
"""Roles and the people who have them: enough to try voting that is limited to a role."""

LOG_ENTRIES = 1000
"""How many requests and events SimCord's own logs keep: enough to debug, not a leak."""


class WallClock:
    """Real time for SimCord, whose own clock stands still until a test moves it."""

    def now(self) -> datetime:
        """Return the current time, in UTC."""
        return datetime.now(UTC)


class AttachmentStore:
    """Uploaded files, in memory, each with a URL on this server.

    The interface is SimCord's `CdnStore`. `base_url` is set once the server knows its port.
    """

    def __init__(self) -> None:
        self.base_url = ""
        self._blobs: dict[str, bytes] = {}

    def store_attachment(
        self,
        attachment_id: int,
        channel_id: int,
        filename: str,
        data: bytes,
        description: str | None,
    ) -> dict[str, Any]:
        """Store a file and return Discord's description of the attachment."""
        path = f"/attachments/{channel_id}/{attachment_id}/{quote(filename, safe='')}"
        self._blobs[path] = data
        return {
            "id": str(attachment_id),
            "filename": filename,
            "description": description,
            "size": len(data),
            "url": self.base_url + path,
            "proxy_url": self.base_url + path,
            "content_type": mimetypes.guess_type(filename)[0] or "application/octet-stream",
        }

    def store_sticker(self, sticker_id: int, format_type: int, data: bytes) -> str:
        """Store a sticker's picture and return its URL."""
        path = f"/stickers/{sticker_id}.{format_type}"
        self._blobs[path] = data
        return self.base_url + path

    def get(self, url: str) -> bytes | None:
        """Return the file at a URL or path of this server, or None."""
        return self._blobs.get(url.removeprefix(self.base_url) if self.base_url else url)


class Guild:
    """The simulated server with its people and its channel.

    Attributes:
        backend: SimCord's state, the only place where anything is stored.
        token: the token that the bot logs in with; it is valid only for this server.
        people: user ids of the people that can be acted as, by name. The first owns the server, so
            Discord lets that person do everything; the others are ordinary members.
    """

    def __init__(
        self, *, people: Sequence[str] = PEOPLE, bot_name: str = BOT_NAME, token: str | None = None
    ) -> None:
        if not people or len(set(people)) != len(people):
            raise ValueError(f"people must be different names, at least one; got {list(people)}")
        self.attachments = AttachmentStore()
        backend = Backend(clock=WallClock())
        backend.cdn = self.attachments
        backend.http_requests = deque(maxlen=LOG_ENTRIES)
        backend.transcript = deque(maxlen=LOG_ENTRIES)
        backend.bot_user.name = bot_name
        self.backend: Any = backend
        self.token = token or f"playground.{secrets.token_urlsafe(24)}"
        self.people: dict[str, int] = {name: backend.make_user(name).id for name in people}
        owner_id = next(iter(self.people.values()))
        self.id: int = backend.create_guild(GUILD_NAME, owner_id=owner_id).id
        for user_id in self.people.values():
            if user_id != owner_id:
                backend.add_member(self.id, user_id)
        self.roles: dict[str, int] = {}
        """Role ids by name."""
        for name, members in ROLES.items():
            self.roles[name] = backend.create_role(self.id, name).id
            for member in members:
                if member in self.people:
                    backend.add_member_role(self.id, self.people[member], self.roles[name])
        self.channel_id: int = backend.create_channel(self.id, CHANNEL_NAME, topic=CHANNEL_TOPIC).id

    @property
    def bot_id(self) -> int:
        """The bot's user id."""
        return int(self.backend.bot_user.id)
