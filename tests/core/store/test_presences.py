"""Presence costs the swarm the same however large it is, and nobody present is taken for gone."""

from __future__ import annotations

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given, settings
from hypothesis import strategies as st

from swarm.core.clock import Stamp
from swarm.core.records import Presence, Record, sign
from swarm.core.store.limits import Limits
from swarm.core.store.presences import EVERY_MS, MOST_PER_SECOND, gone_after_ms, presence_every_ms
from swarm.core.store.store import Store

NOW = 10_000_000


@settings(deadline=None)
@given(st.integers(0, 100_000))
def test_all_peers_together_stay_under_the_rate(present: int) -> None:
    """However many there are, their presences a second stay within the bound of a small swarm."""
    rate = present * 1000 / presence_every_ms(present)
    assert rate <= max(MOST_PER_SECOND, 80 * 1000 / EVERY_MS)


@settings(deadline=None)
@given(st.integers(0, 10_000))
def test_two_beats_may_be_lost(present: int) -> None:
    """A peer of which two presences in a row were lost is still there when the third comes."""
    assert gone_after_ms(present, 0) > 3 * presence_every_ms(present)


def beat(key: Ed25519PrivateKey, ms: int) -> Record:
    return sign(Presence(stamp=Stamp(ms), swarm="test", role="executor"), key)


def test_a_large_swarm_keeps_peers_that_speak_seldom() -> None:
    """Among 400 peers that speak every 100 s, one heard 200 s ago is there, in a small one not."""
    keys = [Ed25519PrivateKey.generate() for _ in range(400)]
    for count, still in ((400, 400), (40, 0)):
        store = Store("test", limits=Limits())
        for key in keys[:count]:
            store.add_record(beat(key, NOW), NOW)
        store.advance(NOW + 200_000)
        assert len(store.presences()) == still == store.present
