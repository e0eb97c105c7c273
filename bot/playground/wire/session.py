"""Gateway sessions, which keep the events that a bot missed while disconnected, for RESUME.

A session outlives its socket for a while. Events keep their sequence numbers, and a bounded buffer
holds the newest of them. If a bot needs more than the buffer holds, resuming fails and the bot
starts a new session, as on Discord.
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
"""Events kept for a resume. A busy plan causes a few a second, so these cover several minutes."""

DETACHED_SECONDS = 120.0
"""How long a session waits for its bot to reconnect, about as long as on Discord."""

MAX_SESSIONS = 16
"""Most sessions kept; the oldest detached ones are dropped first. A crashing bot leaves many."""


class Socket(Protocol):
    """The receiver of a session's events while the bot is connected."""

    def send_text(self, text: str) -> None:
        """Queue one frame; never blocks and never raises."""


class Session:
    """One bot's position in the stream of events."""

    def __init__(self, backend: Any, intents: discord.Intents) -> None:
        self.id = secrets.token_hex(16)
        self.intents = intents
        self.socket: Socket | None = None
        self.detached_at: float | None = None
        self.sequence = 0
        self._backend = backend
        self._replay: deque[tuple[int, str]] = deque(maxlen=REPLAY_EVENTS)

    def dispatch(self, event: str, payload: Mapping[str, Any]) -> None:
        """Number an event, keep it for resuming, and send it if the bot is connected."""
        seen = filter_event(self._backend, event, payload, self.intents)
        if seen is None:
            return
        self.sequence += 1
        text = json.dumps({"op": 0, "t": event, "s": self.sequence, "d": seen})
        self._replay.append((self.sequence, text))
        if self.socket is not None:
            self.socket.send_text(text)

    def can_resume(self, after: int) -> bool:
        """Return whether all events after this sequence number are still in the buffer."""
        oldest = self._replay[0][0] if self._replay else self.sequence + 1
        return oldest - 1 <= after <= self.sequence

    def replay(self, after: int) -> list[str]:
        """Return the frames after this sequence number, oldest first."""
        return [text for sequence, text in self._replay if sequence > after]


class SessionStore:
    """All sessions, attached or waiting. `now` returns monotonic seconds."""

    def __init__(self, backend: Any, now: Callable[[], float]) -> None:
        self._backend = backend
        self._now = now
        self._sessions: OrderedDict[str, Session] = OrderedDict()

    @property
    def connected(self) -> int:
        """How many sessions have a socket."""
        return sum(session.socket is not None for session in self._sessions.values())

    def open(self, intents: discord.Intents, socket: Socket) -> Session:
        """Open a session for a bot that has just identified."""
        self._expire()
        session = Session(self._backend, intents)
        session.socket = socket
        self._sessions[session.id] = session
        return session

    def resume(self, session_id: str, after: int, socket: Socket) -> Session | None:
        """Attach a new socket to a session and replay missed events; None if that is impossible."""
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
        """Record that a socket has closed, unless the session has been resumed on another one."""
        if session.socket is socket:
            session.socket = None
            session.detached_at = self._now()

    def close(self, session: Session) -> None:
        """End a session whose bot has logged out."""
        self._sessions.pop(session.id, None)

    def forget(self) -> None:
        """Drop all sessions, so that the next resume of each bot is refused."""
        self._sessions.clear()

    def dispatch(self, event: str, payload: Mapping[str, Any]) -> None:
        """Dispatch an event of the backend to every session."""
        for session in list(self._sessions.values()):
            session.dispatch(event, payload)

    def _expire(self) -> None:
        deadline = self._now() - DETACHED_SECONDS
        waiting = [s for s in self._sessions.values() if s.detached_at is not None]
        surplus = max(0, len(self._sessions) - MAX_SESSIONS + 1)
        for index, session in enumerate(waiting):
            if index < surplus or (session.detached_at or 0.0) <= deadline:
                del self._sessions[session.id]
