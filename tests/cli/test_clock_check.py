"""Comparing clocks: what presences reveal, and which peers can make this clock look wrong."""

from __future__ import annotations

import pytest
import trio
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given
from hypothesis import strategies as st
from trio.testing import MockClock

from swarm.cli.clock_check import (
    LISTEN_SECONDS,
    REPEATED_MS,
    SILENCE_SECONDS,
    Clocks,
    Whose,
    duration_text,
)
from swarm.core.clock import MAX_DRIFT_MS, Stamp
from swarm.core.records import Claim, KnownBody, Presence, sign

NOW = 1_800_000_000_000
SEVEN: list[Whose] = ["others"] * 7
OLDEST_MS = 100_000
"""Age of a presence that is still repeated, in ms."""

KEYS = [Ed25519PrivateKey.from_private_bytes(bytes([seed]) * 32) for seed in range(1, 8)]


def clocks(*whose: Whose | None) -> Clocks:
    """Return clocks that compare this machine with a number of peers."""
    of = {key.public_key().public_bytes_raw(): who for key, who in zip(KEYS, whose, strict=False)}
    return Clocks(lambda: NOW, of.get)


def hear(heard: Clocks, peer: int, offset: int) -> None:
    body = Presence(stamp=Stamp(NOW + offset), swarm="school", role="scorer")
    heard.heard(sign(body, KEYS[peer]).raw)


offsets = st.integers(MAX_DRIFT_MS + 1_000, 10**9)
ages = st.lists(st.integers(MAX_DRIFT_MS + 1, OLDEST_MS), max_size=6)


@given(offsets, st.booleans(), ages)
def test_a_clock_that_is_off_is_told_by_how_much(off: int, ahead: bool, old: list[int]) -> None:
    """Ahead or behind, one fresh presence among any number of old ones is enough."""
    peers = clocks(*SEVEN)
    behind = -off if ahead else off
    for peer, age in enumerate(old):
        hear(peers, peer, behind - age)
    for peer in range(3):
        hear(peers, peer, behind)
    told = peers.behind_ms()
    if ahead:
        assert told == (behind if off > REPEATED_MS else 0)
    else:
        assert behind - OLDEST_MS <= told <= behind


@given(ages, st.integers(-MAX_DRIFT_MS, MAX_DRIFT_MS))
def test_a_right_clock_is_never_called_wrong(old: list[int], off: int) -> None:
    """Old presences that were repeated or late do not count beside a fresh one."""
    peers = clocks(*SEVEN)
    for peer, age in enumerate(old):
        hear(peers, peer, -age)
    hear(peers, 6, off)
    assert peers.behind_ms() == 0


@given(st.lists(st.integers(MAX_DRIFT_MS + 1, REPEATED_MS), min_size=1, max_size=7))
def test_signs_that_come_late_are_no_clock_that_is_ahead(late: list[int]) -> None:
    """Late presences of a busy or departed peer do not make the clock look wrong."""
    peers = clocks(*SEVEN)
    for peer, age in enumerate(late):
        hear(peers, peer, -age)
    assert peers.behind_ms() == 0


def test_a_peer_that_shares_the_clock_counts_only_if_it_disagrees() -> None:
    """Peers on this machine, strangers, and one liar of two cannot show that the clock is wrong."""
    peers = clocks("here", "others", "others", "subject", None)
    hear(peers, 0, 0)
    assert peers.behind_ms() == 0
    hear(peers, 3, -3_600_000)
    assert peers.behind_ms() == -3_600_000, "where nobody else is, the last one is asked"
    hear(peers, 4, 0)
    assert peers.behind_ms() == -3_600_000, "a stranger vouches for nothing"
    hear(peers, 1, -1_800_000)
    assert peers.behind_ms() == -1_800_000
    hear(peers, 2, 0)
    assert peers.behind_ms() == 0
    hear(peers, 1, 7_200_000)
    assert peers.behind_ms() == 0, "one of two is not the greater number"
    assert clocks().behind_ms() == 0


def test_a_changed_clock_shows_at_peers_that_run_here() -> None:
    """After the clock jumps, peers on this machine still stamp by the time before."""
    peers = clocks("here")
    hear(peers, 0, 600_000)
    assert peers.behind_ms() == 600_000


def test_nothing_but_genuine_signs_of_life_counts() -> None:
    """Forged presences, other records and junk are ignored."""
    peers = clocks("others")
    said: KnownBody = Claim(stamp=Stamp(NOW + 10**9), goal=b"g" * 32, node=b"n" * 32, attempt=1)
    genuine = sign(Presence(stamp=Stamp(NOW + 10**9), swarm="s", role="scorer"), KEYS[0]).raw
    for raw in (b"", b"x" * 200, sign(said, KEYS[0]).raw, genuine[:-1] + b" "):
        peers.heard(raw)
    assert peers.behind_ms() == 0


@pytest.mark.trio
@pytest.mark.parametrize(
    ("heard", "seconds"),
    [([(1, 0)], 0.0), ([(1, 10**6)], 0.0), ([(1, -(10**6))], LISTEN_SECONDS),
     ([(0, 0)], SILENCE_SECONDS), ([(2, -(10**6))], LISTEN_SECONDS), ([], LISTEN_SECONDS)],
)  # fmt: skip
async def test_listening_ends(
    heard: list[tuple[int, int]], seconds: float, autojump_clock: MockClock
) -> None:
    """Waiting ends at once when a clock is known, and otherwise after the limit."""
    peers = clocks("here", "others", "subject")
    for peer, offset in heard:
        hear(peers, peer, offset)
    await peers.listen()
    assert trio.current_time() == pytest.approx(seconds, abs=0.2)


def test_lengths_of_time_are_in_usual_words() -> None:
    """Texts for lengths of time from seconds to days."""
    told = [duration_text(ms) for ms in (-7_000, 120_000, 7_200_000, 400 * 86_400_000)]
    assert told == ["7 s", "2 min", "2 h", "400 days"]
