"""Presence costs the swarm the same however large it is, and nobody present is taken for gone."""

from __future__ import annotations

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given, settings
from hypothesis import strategies as st

from swarm.core.clock import Stamp
from swarm.core.records import (
    Presence,
    Record,
    sign,
)
from swarm.core.store.limits import Limits
from swarm.core.store.presences import EVERY_MS, MOST_PER_SECOND, gone_after_ms, presence_every_ms
from swarm.core.store.store import AddResult, Store
from tests.core.store.samples import NOW
from tests.core.worlds import SCORERS


@settings(deadline=None)
@given(st.integers(0, 100_000))
def test_all_peers_together_stay_under_the_rate(present: int) -> None:
    """However many peers there are, the swarm's presences per second stay within the limit."""
    rate = present * 1000 / presence_every_ms(present)
    assert rate <= max(MOST_PER_SECOND, 80 * 1000 / EVERY_MS)


@settings(deadline=None)
@given(st.integers(0, 10_000))
def test_two_beats_may_be_lost(present: int) -> None:
    """A peer whose last two presences were lost is still present when the third arrives."""
    assert gone_after_ms(present, 0) > 3 * presence_every_ms(present)


def beat(key: Ed25519PrivateKey, ms: int) -> Record:
    return sign(Presence(stamp=Stamp(ms), swarm="test", role="executor"), key)


def test_a_large_swarm_keeps_peers_that_speak_seldom() -> None:
    """A peer heard 200 s ago is still present in a swarm of 400, but not in a small one."""
    keys = [Ed25519PrivateKey.generate() for _ in range(400)]
    for count, still in ((400, 400), (40, 0)):
        store = Store("test", limits=Limits())
        for key in keys[:count]:
            store.add_record(beat(key, NOW), NOW)
        store.advance(NOW + 200_000)
        assert len(store.presences()) == still == store.present


def test_presence_is_the_newest_and_runs_out() -> None:
    """Only an author's newest presence counts, and it expires."""
    store = Store("test")

    def beat(ms: int, load: int) -> Record:
        body = Presence(stamp=Stamp(ms), swarm="test", role="scorer", load=load)
        return sign(body, SCORERS[0])

    assert store.add(beat(NOW, 1).raw, NOW) is AddResult.NEW
    assert store.add(beat(NOW - 10, 2).raw, NOW) is AddResult.STALE
    assert [getattr(r.body, "load", None) for r in store.presences()] == [1]
    assert list(store.goals()) == []
    store.advance(NOW + store.limits.presence_ms + 1)
    assert store.presences() == []
