"""Rules of Discord that SimCord does not implement and a bot that works in threads depends on.

- A thread opened from a message gets the message's id, can be created only once, needs a name of 1
  to 100 characters, sets a flag on its message and adds no system message to the channel.
- A message to an archived thread reopens it, unless it is locked. Messages in an archived thread
  cannot be edited or reacted to.
- A repeated `nonce` with `enforce_nonce` returns the first message instead of sending a second one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from simcord.backend import serializers
from simcord.backend.errors import BackendError
from simcord.http import routes as _routes  # noqa: F401  # registers SimCord's handlers
from simcord.http.router import dispatch as simcord_dispatch

from bot.playground.wire.bodies import Upload
from swarm.core.bounded import BoundedDict

HAS_THREAD_FLAG = 1 << 5
THREAD_NAME_MAX = 100
DEFAULT_ARCHIVE_MINUTES = 1440

NONCES_KEPT = 1000
"""Most nonces kept; Discord keeps them for a few minutes."""

_THREAD_FROM_MESSAGE = re.compile(r"/channels/(\d+)/messages/(\d+)/threads\Z")
_SEND = re.compile(r"/channels/(\d+)/messages\Z")
_TOUCH = re.compile(r"/channels/(\d+)/messages/\d+(?:/reactions/.*)?\Z")


class Rules:
    """SimCord's router, extended by the rules above."""

    def __init__(self, backend: Any, bot_id: int) -> None:
        self._backend = backend
        self._bot_id = bot_id
        self._nonces: BoundedDict[tuple[int, str], int] = BoundedDict(NONCES_KEPT)

    def dispatch(
        self,
        method: str,
        path: str,
        *,
        body: Any,
        params: dict[str, str],
        files: Sequence[Upload],
        reason: str | None,
    ) -> Any:
        """Answer one request.

        Returns:
            Discord's response as JSON data; None for an empty response.

        Raises:
            BackendError: Discord would refuse the request, with this status and code.
        """
        match = _THREAD_FROM_MESSAGE.match(path)
        if method == "POST" and match is not None:
            return self._open_thread(int(match[1]), int(match[2]), body)
        match = _SEND.match(path)
        nonce = None
        if method == "POST" and match is not None:
            channel_id = int(match[1])
            nonce = self._nonce(channel_id, body)
            if nonce is not None and nonce in self._nonces:
                known = self._backend.messages.get(channel_id, {}).get(self._nonces[nonce])
                if known is not None:
                    return dict(serializers.message_payload(self._backend, known))
            self._reopen(channel_id)
        match = _TOUCH.match(path)
        if method in ("PATCH", "PUT") and match is not None:
            self._require_open(int(match[1]))
        answer = simcord_dispatch(
            self._backend, method, path, json=body, params=params, files=list(files), reason=reason
        )
        if nonce is not None and isinstance(answer, dict):
            self._nonces[nonce] = int(answer["id"])
        if isinstance(answer, dict) and isinstance(body, dict) and "nonce" in body:
            answer = {**answer, "nonce": body["nonce"]}
        return answer

    @staticmethod
    def _nonce(channel_id: int, body: Any) -> tuple[int, str] | None:
        if isinstance(body, dict) and body.get("enforce_nonce") and body.get("nonce") is not None:
            return channel_id, str(body["nonce"])
        return None

    def _open_thread(self, channel_id: int, message_id: int, body: Any) -> dict[str, Any]:
        backend = self._backend
        channel = backend.get_channel(channel_id)
        backend.require_permissions(
            channel.guild_id,
            self._bot_id,
            channel_id,
            "create_public_threads",
            "read_message_history",
        )
        message = backend.get_message(channel_id, message_id)
        if message.is_ephemeral or message.channel_id != channel_id:
            raise BackendError(404, 10008, "Unknown Message")
        if channel.is_thread:
            raise BackendError(400, 50024, "Cannot execute action on this channel type")
        if message_id in backend.channels:
            raise BackendError(400, 160004, "A thread has already been created for this message")
        name = body.get("name") if isinstance(body, dict) else None
        if not isinstance(name, str) or not 1 <= len(name.strip()) <= THREAD_NAME_MAX:
            raise BackendError(
                400, 50035, f"Invalid Form Body: name must be 1 to {THREAD_NAME_MAX} characters"
            )
        thread = backend.create_thread(
            channel_id,
            name,
            self._bot_id,
            message_id=message_id,
            auto_archive_duration=int(body.get("auto_archive_duration") or DEFAULT_ARCHIVE_MINUTES),
            broadcast=False,
        )
        backend.announce_thread_create(thread)
        message.flags |= HAS_THREAD_FLAG
        backend.emit("MESSAGE_UPDATE", dict(serializers.message_payload(backend, message)))
        return dict(serializers.thread_payload(backend, thread))

    def _thread_state(self, channel_id: int) -> Any:
        channel = self._backend.channels.get(channel_id)
        return None if channel is None else channel.thread_metadata

    def _reopen(self, channel_id: int) -> None:
        state = self._thread_state(channel_id)
        if state is None or not state.archived:
            return
        if state.locked:
            raise BackendError(400, 50083, "Thread is archived")
        self._backend.edit_channel(channel_id, {}, thread_metadata={"archived": False})

    def _require_open(self, channel_id: int) -> None:
        state = self._thread_state(channel_id)
        if state is not None and state.archived:
            raise BackendError(400, 50083, "Thread is archived")
