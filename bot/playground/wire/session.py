"""Gateway sessions: what a bot missed while its socket was down, so that RESUME can replay it.

A session outlives its socket for a while. Events keep their sequence numbers, and the newest of
them wait in a bounded buffer. Asking for more than the buffer holds fails, and the bot starts a
new session, as on Discord.
"""

from __future__ import annotations

import json
import secrets
from collections import OrderedDict, deque
from collections.abc import Callable, Mapping
from typing import Any, Protocol

import discord

from bot.playground.wire.intents import filter_event

REPLAY_EVENTS = 1000
"""Events kept for a resume. A busy plan makes a few a second, so this is several minutes."""

DETACHED_SECONDS = 120.0
"""How long a session waits for its bot to come back; about what Discord grants."""

MAX_SESSIONS = 16
"""Sessions kept in all, the oldest detached one going first: a bot in a crash loop leaves many."""


class Socket(Protocol):
    """Where a session's events go while the bot is connected."""

    def send_text(self, text: str) -> None:
        """Queue one frame; never blocks and never raises."""


class Session:
    """One bot's place in the stream of events."""

    def __init__(self, backend: Any, intents: discord.Intents) -> None:
        self.id = secrets.token_hex(16)
        self.intents = intents
        self.socket: Socket | None = None
        self.detached_at: float | None = None
        self.sequence = 0
        self._backend = backend
        self._replay: deque[tuple[int, str]] = deque(maxlen=REPLAY_EVENTS)

    def dispatch(self, event: str, payload: Mapping[str, Any]) -> None:
        """Number an event, keep it for a resume, and send it if the bot is connected."""
        seen = filter_event(self._backend, event, payload, self.intents)
        if seen is None:
            return
        self.sequence += 1
        text = json.dumps({"op": 0, "t": event, "s": self.sequence, "d": seen})
        self._replay.append((self.sequence, text))
        if self.socket is not None:
            self.socket.send_text(text)

    def can_resume(self, after: int) -> bool:
        """Whether everything after this sequence number is still here."""
        oldest = self._replay[0][0] if self._replay else self.sequence + 1
        return oldest - 1 <= after <= self.sequence

    def replay(self, after: int) -> list[str]:
        """Return the frames after this sequence number, oldest first."""
        return [text for sequence, text in self._replay if sequence > after]


class SessionStore:
    """All sessions, attached or waiting. `now` gives monotonic seconds."""

    def __init__(self, backend: Any, now: Callable[[], float]) -> None:
        self._backend = backend
        self._now = now
        self._sessions: OrderedDict[str, Session] = OrderedDict()

    @property
    def connected(self) -> int:
        """How many sessions have a socket."""
        return sum(session.socket is not None for session in self._sessions.values())

    def open(self, intents: discord.Intents, socket: Socket) -> Session:
        """Start a session for a bot that has just identified."""
        self._expire()
        session = Session(self._backend, intents)
        session.socket = socket
        self._sessions[session.id] = session
        return session

    def resume(self, session_id: str, after: int, socket: Socket) -> Session | None:
        """Give a session its new socket and replay what it missed; nothing if it cannot be."""
        self._expire()
        session = self._sessions.get(session_id)
        if session is None or not session.can_resume(after):
            return None
        session.socket = socket
        session.detached_at = None
        for text in session.replay(after):
            socket.send_text(text)
        return session

    def detach(self, session: Session, socket: Socket) -> None:
        """Note that a socket is gone, unless the session has been resumed elsewhere meanwhile."""
        if session.socket is socket:
            session.socket = None
            session.detached_at = self._now()

    def close(self, session: Session) -> None:
        """End a session for good: its bot said goodbye."""
        self._sessions.pop(session.id, None)

    def forget(self) -> None:
        """Drop every session, so that the next resume of each bot is refused."""
        self._sessions.clear()

    def dispatch(self, event: str, payload: Mapping[str, Any]) -> None:
        """Give one event of the backend to every session."""
        for session in list(self._sessions.values()):
            session.dispatch(event, payload)

    def _expire(self) -> None:
        deadline = self._now() - DETACHED_SECONDS
        waiting = [s for s in self._sessions.values() if s.detached_at is not None]
        surplus = max(0, len(self._sessions) - MAX_SESSIONS + 1)
        for index, session in enumerate(waiting):
            if index < surplus or (session.detached_at or 0.0) <= deadline:
                del self._sessions[session.id]
