"""When a peer that lacks records acts, and when it waits."""

from __future__ import annotations

from itertools import pairwise

from swarm.core.records import record_id
from swarm.gossip.comparison import LocalView
from swarm.gossip.frames import GoalDigest, digest_of
from swarm.gossip.pull import ANNOUNCE_TIMING, FORGET_MS, SYNC_TIMING, Pull
from tests.net.memory import MemoryRecords, history, make

MINUTE = 60_000

RAWS = history(60)
GOAL = record_id(RAWS[0])


class Listener:
    """A record set, the pull that watches it, and a clock."""

    def __init__(self) -> None:
        self.records = MemoryRecords()
        self.view = LocalView(self.records)
        self.pull = Pull(self.view, ANNOUNCE_TIMING)
        self.now = 0

    def hear(self, digest: GoalDigest) -> None:
        self.pull.compared(digest, self.view.compare(digest, self.now), self.now)

    def take(self, raw: bytes) -> None:
        self.records.add(raw, self.now)
        self.view.arrived(record_id(raw), self.now)
        self.pull.arrived()

    def run(self, until: int) -> list[int]:
        """Let time pass; return when there were attempts."""
        acted: list[int] = []
        while True:
            due = self.pull.due()
            if due is None or due > until:
                self.now = until
                return acted
            self.now = max(self.now, due)
            if self.pull.poll(self.now):
                acted.append(self.now)


def goal_of(name: str, count: int) -> tuple[bytes, list[bytes]]:
    """Return a goal's id, and its record with `count` more."""
    goal = make(None, name)
    identity = record_id(goal)
    return identity, [goal, *(make(identity, f"{name} {number}") for number in range(count))]


def digest(goal: bytes, raws: list[bytes]) -> GoalDigest:
    return digest_of(goal, [record_id(raw) for raw in raws])


def test_one_that_was_behind_does_not_delay_a_real_repair() -> None:
    """After a restarted peer's outdated digest, real missing records are still asked for at once.

    Where a bucket differs by several records, nobody can tell who lacks them. Trying for minutes
    to get what does not exist must not make a peer slow when it does miss something.
    """
    listener = Listener()
    first, raws = goal_of("first", 60)
    for raw in raws:
        listener.take(raw)
    for minute in range(1, 20):
        listener.run(minute * MINUTE)
        listener.hear(digest(first, raws[:20]))
    second, others = goal_of("second", 60)
    for raw in others[:20]:
        listener.take(raw)
    listener.run(listener.now + MINUTE)
    listener.take(others[20])
    listener.hear(digest(second, others))
    began = listener.now
    acted = listener.run(began + 5 * MINUTE)
    assert acted
    assert acted[0] - began <= ANNOUNCE_TIMING.lasting_ms + ANNOUNCE_TIMING.first_ms


def test_missing_records_that_no_digest_shows_again_are_forgotten() -> None:
    """One old digest causes a handful of attempts, not one every five minutes for ever."""
    listener = Listener()
    goal, raws = goal_of("goal", 60)
    for raw in raws:
        listener.take(raw)
    listener.run(MINUTE)
    listener.hear(digest(goal, raws[:20]))
    acted = listener.run(60 * MINUTE)
    assert acted
    assert acted[-1] <= MINUTE + FORGET_MS + ANNOUNCE_TIMING.most_ms
    assert listener.pull.due() is None


def test_while_nothing_comes_the_pauses_grow() -> None:
    """While nothing arrives, attempts become rarer and rarer."""
    listener = Listener()
    goal, raws = goal_of("goal", 5)
    acted = []
    for minute in range(1, 61):
        listener.hear(digest(goal, raws))
        acted += listener.run(minute * MINUTE)
    pauses = [b - a for a, b in pairwise(acted)]
    assert pauses == sorted(pauses)
    assert pauses[-1] >= ANNOUNCE_TIMING.most_ms
    assert len(acted) < 20


def test_missing_records_are_asked_for_after_a_while_and_with_growing_pauses() -> None:
    """The first attempt comes after the set time, then pauses double until nothing is missing."""
    records = MemoryRecords(*RAWS[:50])
    view = LocalView(records)
    for timing in (SYNC_TIMING, ANNOUNCE_TIMING):
        pull = Pull(view, timing)
        theirs = digest(GOAL, RAWS)
        acted = []
        for now in range(0, 100_000, 100):
            if now % 1_000 == 0:
                pull.compared(theirs, view.compare(theirs, now), now)
            if pull.poll(now):
                acted.append(now)
        assert acted[0] == timing.lasting_ms
        pauses = [b - a for a, b in pairwise(acted)]
        assert pauses[:3] == [timing.first_ms, 2 * timing.first_ms, 4 * timing.first_ms]
    for raw in RAWS[50:]:
        records.add(raw, 0)
    assert not any(pull.poll(now) for now in range(100_000, 900_000, 1_000))
    assert pull.due() is None


def test_records_that_arrive_in_time_are_not_asked_for() -> None:
    """Records that arrive before the first attempt leave nothing to do."""
    records = MemoryRecords(*RAWS[:50])
    view = LocalView(records)
    pull = Pull(view, SYNC_TIMING)
    theirs = digest(GOAL, RAWS)
    pull.compared(theirs, view.compare(theirs, 0), 0)
    assert pull.due() == SYNC_TIMING.lasting_ms
    for raw in RAWS[50:]:
        records.add(raw, 0)
    assert not pull.poll(SYNC_TIMING.lasting_ms)
    assert pull.due() is None
