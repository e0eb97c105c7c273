"""Handoff: a listener that may be the only holder of a record passes it to a neighbour.

A peer that only listens never repeats anything on the topic. But it may be the only peer that
received a record, for example if the author was killed after the frame had reached this listener
alone. The digests of other peers tell it what they hold. A *witness* of a goal is a peer that
publishes, that was heard from lately, and whose digest confirmed everything we hold of the goal. A
listener hands a goal that has had no witness for a while to a neighbour over a sync stream, which
publishes nothing; the neighbour spreads it. Usually a digest confirms everything within seconds and
no stream is opened.

A witness may lie about what it holds. But then some speaker goes on lacking the record, whereas a
true holder would have published it within seconds. So a goal of which a speaker lacks a part for a
while is handed off no matter who confirmed it.

Sans-I/O: time is passed in, in milliseconds on any clock that only goes forward.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from swarm.core.bounded import BoundedDict
from swarm.gossip.comparison import IN_FLIGHT_MS, Comparison
from swarm.gossip.frames import GoalDigest
from swarm.gossip.record_set import RecordSet

CHECK_MS = 2_000
"""Milliseconds between checks while something is not confirmed yet."""

IDLE_CHECK_MS = 30_000
"""Milliseconds between checks that witnesses are still heard, while everything is confirmed."""

WITNESS_MS = 75_000
"""Milliseconds of silence after which a peer stops being a witness: it would have published its
presence at least twice."""

MAX_WITNESSES = 4
"""Witnesses of a goal that are remembered; those with the oldest confirmation go first."""

MAX_ORIGINS = 1_024
"""How many peers' last-heard times are kept."""

MAX_CHANGES = 8
"""Unconfirmed changes of a goal that are tracked separately; later ones count as one."""

LASTING_MS = 10_000
"""Milliseconds that a goal must lack a witness before it is handed off. A speaker's digest follows
a change within 2 s; after a burst or on a busy machine, within 8 s."""

LACKING_MS = 15_000
"""Milliseconds between two digests of a peer that lacks part of a goal, after which no other holder
is believed to exist. A speaker that holds the part would have published it within 8 s, and a
newcomer catches up within seconds."""

MAX_LACKING = 8
"""Peers tracked for lacking part of a goal; one is enough to act on."""

PAUSE_FIRST_MS = 10_000
PAUSE_MOST_MS = 120_000
"""Milliseconds between two attempts, doubling from the first to the second value while nothing new
arrives. An attempt that finds nothing to hand off costs a neighbour some 20 ms."""


@dataclass(slots=True)
class _Goal:
    """What is known about who holds a goal.

    Attributes:
        noted: its summary at the last check.
        changed_ms: when a change was last noted.
        unsure: when changes without a witness were noted, oldest first.
        witnesses: for each peer that confirmed it, the time up to which it holds all that arrived.
        lacking: for each peer that lacks part of it, when its digests first and last showed that.
    """

    noted: tuple[int, bytes] = (0, b"")
    changed_ms: int = 0
    unsure: list[int] = field(default_factory=list)
    witnesses: dict[str, int] = field(default_factory=dict)
    lacking: dict[str, tuple[int, int]] = field(default_factory=dict)

    def confirm(self, witness: str, until_ms: int) -> None:
        """Note that a peer holds everything that had arrived by a time."""
        self.witnesses[witness] = max(until_ms, self.witnesses.get(witness, until_ms))
        if len(self.witnesses) > MAX_WITNESSES:
            del self.witnesses[min(self.witnesses, key=self.witnesses.__getitem__)]
        self.unsure = [at for at in self.unsure if at > until_ms]

    def doubt(self, now_ms: int) -> None:
        """Note that we may be the only holder of something."""
        if len(self.unsure) == MAX_CHANGES:
            self.unsure.pop()
        self.unsure.append(now_ms)

    def lacks(self, origin: str, now_ms: int) -> None:
        """Note that a peer lacks part of it."""
        if origin in self.lacking or len(self.lacking) < MAX_LACKING:
            self.lacking[origin] = (self.lacking.get(origin, (now_ms, now_ms))[0], now_ms)


class Handoff:
    """Watches which of a listener's goals some speaker holds as well.

    Args:
        records: what the listener holds.
        now_ms: the time; what it holds now is unconfirmed.
    """

    def __init__(self, records: RecordSet, now_ms: int) -> None:
        self._records = records
        self._goals: dict[bytes, _Goal] = {}
        self._last_heard_ms: BoundedDict[str, int] = BoundedDict(MAX_ORIGINS)
        self._check_ms: int | None = now_ms + CHECK_MS if records.goals() else None
        self._acted_ms: int | None = None
        self._pause_ms = PAUSE_FIRST_MS
        self._overheard = False

    def arrived(self, now_ms: int, *, overheard: bool) -> None:
        """Note a new record, overheard on the topic or given by a neighbour that thus holds it."""
        self._overheard = self._overheard or overheard
        self._pause_ms = PAUSE_FIRST_MS
        self._check_soon(now_ms)

    def met(self, now_ms: int) -> None:
        """Note a new neighbour, which may be the first one to hand something to."""
        self._pause_ms = PAUSE_FIRST_MS
        if self._check_ms is not None:
            self._check_soon(now_ms)

    def heard_from(self, origin: str, now_ms: int) -> None:
        """Note that a peer published something."""
        self._last_heard_ms[origin] = now_ms

    def left(self, origin: str, now_ms: int) -> None:
        """Note that a neighbour is gone, perhaps together with what it held."""
        if self._last_heard_ms.pop(origin, None) is not None:
            self._check_soon(now_ms)

    def compared(self, theirs: GoalDigest, result: Comparison, origin: str, now_ms: int) -> None:
        """Note what a peer's digest shows about a goal; it may hold more than we do."""
        summary = self._records.summary(theirs.goal)
        if summary[0] == 0:
            return
        goal = self._goals.setdefault(theirs.goal, _Goal())
        if result.they_lack and (result.certain or theirs.count < summary[0]):
            goal.lacks(origin, now_ms)
            self._check_soon(now_ms)
        elif not result.flux:
            goal.lacking.pop(origin, None)
        if summary == (theirs.count, theirs.xor):
            if goal.noted != summary:
                goal.noted, goal.changed_ms = summary, now_ms
            goal.confirm(origin, now_ms)
        elif result.they_lack:
            if result.certain:
                goal.witnesses.pop(origin, None)
                self._check_soon(now_ms)
        elif not result.flux:
            # Later records may have been on their way to it.
            goal.confirm(origin, now_ms - IN_FLIGHT_MS)

    def handed_off(self, peer: str) -> None:
        """Note that a neighbour and we have just exchanged everything over a stream."""
        if self._acted_ms is None:
            return
        self.heard_from(peer, max(self._acted_ms, self._last_heard_ms.get(peer, 0)))
        for identity, goal in self._goals.items():
            summary = self._records.summary(identity)
            if goal.noted != summary and not self._overheard:
                # The neighbour holds what it gave us.
                goal.noted, goal.changed_ms = summary, self._acted_ms
            goal.confirm(peer, self._acted_ms)
            goal.lacking.pop(peer, None)

    def due(self) -> int | None:
        """Return when to call `poll` next, or None while nothing is held."""
        return self._check_ms

    def poll(self, now_ms: int) -> bool:
        """Return whether to hand off now."""
        if self._check_ms is None or self._check_ms > now_ms:
            return False
        self._check(now_ms)
        unsure = [goal.unsure[0] for goal in self._goals.values() if goal.unsure]
        is_lacked = any(self._is_lacked(goal, now_ms) for goal in self._goals.values())
        if not unsure and not is_lacked:
            self._check_ms = now_ms + IDLE_CHECK_MS if self._goals else None
            self._acted_ms, self._pause_ms = None, PAUSE_FIRST_MS
            return False
        self._check_ms = now_ms + CHECK_MS
        if not is_lacked and now_ms - min(unsure) < LASTING_MS:
            return False
        if self._acted_ms is not None:
            if now_ms - self._acted_ms < self._pause_ms:
                return False
            self._pause_ms = min(2 * self._pause_ms, PAUSE_MOST_MS)
        self._acted_ms = now_ms
        self._overheard = False
        return True

    def _check_soon(self, now_ms: int) -> None:
        soon_ms = now_ms + CHECK_MS
        self._check_ms = soon_ms if self._check_ms is None else min(self._check_ms, soon_ms)

    def _check(self, now_ms: int) -> None:
        """Note which goals changed, and which have lost their last witness."""
        current = self._records.goals()
        self._goals = {identity: self._goals.get(identity, _Goal()) for identity in current}
        for identity, goal in self._goals.items():
            summary = self._records.summary(identity)
            if goal.noted != summary:
                goal.noted, goal.changed_ms = summary, now_ms
                goal.doubt(now_ms)
            elif not goal.unsure and not self._has_witness(goal, now_ms):
                goal.doubt(now_ms)

    def _has_witness(self, goal: _Goal, now_ms: int) -> bool:
        return any(
            until >= goal.changed_ms and self._is_heard(origin, now_ms)
            for origin, until in goal.witnesses.items()
        )

    def _is_lacked(self, goal: _Goal, now_ms: int) -> bool:
        """Return whether a peer that is still heard has lacked part of a goal for a while."""
        # A peer that has caught up may stay silent: trickle suppresses digests others have sent.
        goal.lacking = {
            origin: (first, last)
            for origin, (first, last) in goal.lacking.items()
            if self._is_heard(origin, now_ms) and now_ms - last < WITNESS_MS
        }
        return any(last - first >= LACKING_MS for first, last in goal.lacking.values())

    def _is_heard(self, origin: str, now_ms: int) -> bool:
        return now_ms - self._last_heard_ms.get(origin, -WITNESS_MS) < WITNESS_MS
