"""Presence without I/O: when a peer shows itself, greets newcomers and misses neighbours."""

from __future__ import annotations

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from swarm.core.clock import Stamp
from swarm.core.records import LEFT, Presence, Record, sign
from swarm.core.store.presences import EVERY_MS
from swarm.core.store.store import Store
from swarm.gossip.presence import GONE_MS, GREETING_MS, SOON_MS, WATCH_MS, PresenceTracker

NOW = 1_000_000
"""The wall time at which other peers' presences are stamped, in ms since the epoch."""

ME = b"me" * 16


def presence(ms: int, *, number: int = 5, peer: str = "transport", trouble: str = "") -> Record:
    """Return a presence of a peer made up from a number."""
    key = Ed25519PrivateKey.from_private_bytes(bytes([number]) * 32)
    body = Presence(stamp=Stamp(ms), swarm="test", role="decomposer", peer=peer, trouble=trouble)
    return sign(body, key)


def tracked() -> tuple[Store, PresenceTracker]:
    """Return a store and the tracker that hears what is new in it."""
    store = Store("test")
    tracker = PresenceTracker(store, ME)
    store.on_new = tracker.heard
    return store, tracker


def test_a_peer_shows_itself_at_once_and_then_at_the_interval() -> None:
    """Nothing is published in between."""
    _, tracker = tracked()
    assert tracker.poll(0).own
    assert tracker.due_ms() == EVERY_MS
    assert not tracker.poll(EVERY_MS - 1).own
    assert tracker.poll(EVERY_MS).own


def test_a_change_is_shown_soon_but_not_more_often_than_allowed() -> None:
    """Many changes at once bring one presence, `SOON_MS` after the last."""
    _, tracker = tracked()
    tracker.poll(0)
    for _ in range(3):
        tracker.hurry()
    assert not tracker.poll(SOON_MS - 1).own
    assert tracker.poll(SOON_MS).own
    assert not tracker.poll(2 * SOON_MS).own


def test_a_peer_heard_for_the_first_time_is_answered_once() -> None:
    """A second presence of the same author does not hurry anyone."""
    store, tracker = tracked()
    tracker.poll(0)
    store.add(presence(NOW).raw, NOW)
    assert tracker.poll(SOON_MS).own
    store.add(presence(NOW + 20_000).raw, NOW + 20_000)
    assert not tracker.poll(2 * SOON_MS).own


def test_in_a_large_swarm_a_newcomer_does_not_make_every_peer_speak() -> None:
    """Beyond 80 peers, one more first presence changes nothing."""
    store, tracker = tracked()
    for number in range(90):
        store.add(presence(NOW, number=number).raw, NOW)
    tracker.poll(0)
    store.add(presence(NOW, number=91).raw, NOW)
    assert not tracker.poll(SOON_MS).own


def test_others_presences_are_repeated_for_a_newcomer_unless_overheard() -> None:
    """The first peer to repeat a presence keeps the others from repeating it."""
    store, tracker = tracked()
    one, other = presence(NOW, number=1), presence(NOW, number=2)
    for record in (one, other):
        store.add(record.raw, NOW)
    tracker.poll(0)
    tracker.newcomer(0)
    assert tracker.poll(GREETING_MS[0] - 1).repeated == ()
    tracker.overheard(one.id)
    assert tracker.poll(GREETING_MS[1]).repeated == (other.raw,)
    assert tracker.poll(2 * GREETING_MS[1]).repeated == ()


def test_a_presence_that_was_replaced_meanwhile_is_not_repeated() -> None:
    """A newcomer gets only presences that still hold."""
    store, tracker = tracked()
    store.add(presence(NOW).raw, NOW)
    tracker.newcomer(0)
    store.add(presence(NOW + 10).raw, NOW + 10)
    assert tracker.poll(GREETING_MS[1]).repeated == ()


def test_an_old_presence_does_not_bring_back_a_peer_that_is_gone() -> None:
    """After a neighbour was missed, repetitions of its last presence do not count."""
    store, tracker = tracked()
    first, last, back = presence(NOW), presence(NOW + 20_000), presence(NOW + 30_000)
    store.add(first.raw, NOW)
    store.add(last.raw, NOW + 20_000)
    assert tracker.watch(["transport"], 0).peers == ()
    assert tracker.watch([], GONE_MS).peers == ()
    missed = tracker.watch([], GONE_MS + WATCH_MS)
    assert missed.peers == ("transport",)
    assert missed.presences == (last,)
    assert store.present == 0
    store.add(last.raw, NOW + 25_000)
    store.add(first.raw, NOW + 25_000)
    assert store.present == 0
    store.add(back.raw, NOW + 30_000)
    assert store.present == 1


def test_a_neighbour_that_redials_in_time_is_not_missed() -> None:
    """The time without a connection counts from the last look at which there was one."""
    store, tracker = tracked()
    store.add(presence(NOW).raw, NOW)
    for now_ms in (0, GONE_MS, 2 * GONE_MS):
        assert tracker.watch(["transport"], now_ms).peers == ()
    assert store.present == 1


def test_a_peer_that_says_goodbye_is_gone_at_once() -> None:
    """Nobody waits until it is missed; only a later presence of its brings it back."""
    store, tracker = tracked()
    first, last, back = presence(NOW), presence(NOW + 500, trouble=LEFT), presence(NOW + 900)
    store.add(first.raw, NOW)
    assert store.present == 1
    store.add(last.raw, NOW + 500)
    assert store.present == 0
    assert tracker.views(NOW + 500) == []
    for stale in (first, last):
        store.add(stale.raw, NOW + 600)
        assert store.present == 0
    store.add(back.raw, NOW + 900)
    assert store.present == 1


def test_a_goodbye_that_comes_before_any_presence_brings_nobody() -> None:
    """Records arrive in any order."""
    store, _ = tracked()
    store.add(presence(NOW + 500, trouble=LEFT).raw, NOW + 500)
    store.add(presence(NOW).raw, NOW + 500)
    assert store.present == 0


def test_the_goodbye_of_another_process_under_the_own_key_leaves_this_one() -> None:
    """This process goes on, shows itself again, and no longer shares its key."""
    author = presence(NOW).author
    store = Store("test")
    tracker = PresenceTracker(store, author, transport=lambda: "mine")
    store.on_new = tracker.heard
    tracker.poll(0)
    store.add(presence(NOW, peer="mine").raw, NOW)
    store.add(presence(NOW + 60_000, peer="other").raw, NOW + 60_000)
    tracker.watch(["other"], 0)
    assert tracker.sharing == {"other"}
    tracker.poll(SOON_MS)
    store.add(presence(NOW + 61_000, peer="other", trouble=LEFT).raw, NOW + 61_000)
    assert tracker.sharing == frozenset()
    assert tracker.poll(2 * SOON_MS).own
