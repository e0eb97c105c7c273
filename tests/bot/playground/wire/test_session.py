"""Gateway sessions: what a resume replays, and how long a session waits for its bot."""

from __future__ import annotations

import json

import discord
from hypothesis import given
from hypothesis import strategies as st

from bot.playground.guild import Guild
from bot.playground.wire.session import (
    DETACHED_SECONDS,
    MAX_SESSIONS,
    REPLAY_EVENTS,
    Session,
    SessionStore,
)

GUILD = Guild()


class Collector:
    """A socket that keeps what is sent."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def send_text(self, text: str) -> None:
        """Keep a frame."""
        self.texts.append(text)


@given(total=st.integers(0, REPLAY_EVENTS + 40), seen=st.integers(-2, REPLAY_EVENTS + 45))
def test_a_session_replays_all_or_refuses(total: int, seen: int) -> None:
    """A resume replays exactly the missed events, or is refused if they are no longer kept."""
    session = Session(GUILD.backend, discord.Intents.all())
    for number in range(total):
        session.dispatch("TEST", {"n": number})
    possible = max(0, total - REPLAY_EVENTS) <= seen <= total
    assert session.can_resume(seen) == possible
    if possible:
        replayed = [json.loads(text)["s"] for text in session.replay(seen)]
        assert replayed == list(range(seen + 1, total + 1))


def test_sessions_are_forgotten_after_a_while() -> None:
    """A session waits for its bot for a fixed time, and the number of waiting ones is bounded."""
    now = [0.0]
    store = SessionStore(GUILD.backend, lambda: now[0])
    first = Collector()
    session = store.open(discord.Intents.all(), first)
    store.detach(session, first)
    now[0] = DETACHED_SECONDS - 1
    assert store.resume(session.id, 0, first) is session
    store.detach(session, first)
    now[0] += DETACHED_SECONDS + 1
    assert store.resume(session.id, 0, first) is None
    ids = []
    for _ in range(MAX_SESSIONS + 5):
        socket = Collector()
        opened = store.open(discord.Intents.all(), socket)
        store.detach(opened, socket)
        ids.append(opened.id)
    assert store.resume(ids[0], 0, first) is None
    assert store.resume(ids[-1], 0, first) is not None


def test_a_late_goodbye_of_an_old_socket_changes_nothing() -> None:
    """A session resumed on a new socket stays attached when the old socket closes."""
    store = SessionStore(GUILD.backend, lambda: 0.0)
    old, new = Collector(), Collector()
    session = store.open(discord.Intents.all(), old)
    store.resume(session.id, 0, new)
    store.detach(session, old)
    store.dispatch("TEST", {"hello": True})
    assert store.connected == 1
    assert len(new.texts) == 1
