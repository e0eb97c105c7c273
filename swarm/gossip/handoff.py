"""Noticing that this listener may be the only one who holds something, and handing it on.

A peer that only listens never repeats anything on the topic. Yet what it heard may be what nobody
else has: its author was killed when the frame had reached the listener alone. Digests of others say
what they hold, so a listener knows which of its goals a peer that speaks, and is still heard, holds
just as well. What has no such witness for a while it hands to a neighbour over a sync stream, which
publishes nothing; the neighbour then sees to the rest. In ordinary times a digest confirms
everything within seconds and no stream is opened.

A witness may lie, and say that it holds what it has never seen. But then somebody who speaks goes
on lacking it: whoever truly holds it would have given it within seconds. So a goal that a speaker
lacks a part of for a while is handed on whoever confirms it.

Sans-I/O: time is passed in, in milliseconds on any clock that only goes forward.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from swarm.core.bounded import BoundedDict
from swarm.gossip.comparison import IN_FLIGHT_MS, Comparison
from swarm.gossip.frames import GoalDigest
from swarm.gossip.record_set import RecordSet

LOOK_MS = 2_000
"""Milliseconds between looks at what changed and is not confirmed yet."""

IDLE_LOOK_MS = 30_000
"""Milliseconds between looks at whether witnesses are still heard, while all is confirmed."""

WITNESS_MS = 75_000
"""Milliseconds of silence after which a peer is no witness any more: it would have shown its
presence at least twice."""

MAX_WITNESSES = 4
"""Witnesses of a goal that are remembered, those who knew most lately."""

MAX_ORIGINS = 1_024
"""Peers of which is remembered when they were heard."""

MAX_CHANGES = 8
"""Unconfirmed changes of a goal told apart; later ones count as one."""

LASTING_MS = 10_000
"""Milliseconds for which nobody must have confirmed a goal. A speaker's digest follows a change
within 2 s, within 8 s of a burst or on a busy machine."""

LACKING_MS = 15_000
"""Milliseconds between two digests of a peer that show that it lacks something of a goal, after
which nobody is believed to hold it who could have given it. Who speaks and holds it does so within
8 s; a newcomer is brought level within seconds."""

MAX_LACKING = 8
"""Peers of which is remembered since when they lack something of a goal; one is enough."""

PAUSE_FIRST_MS = 10_000
PAUSE_MOST_MS = 120_000
"""Milliseconds between two attempts: doubling between these while nothing new comes. An attempt
that finds nothing to hand on costs a neighbour some 20 ms."""


@dataclass(slots=True)
class _Goal:
    """What is known of who holds a goal.

    Attributes:
        noted: its summary when it was last looked at.
        changed: when it last changed, as far as was noted.
        unsure: when changes without a witness were noted, oldest first.
        witnesses: until when each peer that confirmed it holds everything.
        lacking: when each peer that lacks something of it first and last showed that, in a row.
    """

    noted: tuple[int, bytes] = (0, b"")
    changed: int = 0
    unsure: list[int] = field(default_factory=list)
    witnesses: dict[str, int] = field(default_factory=dict)
    lacking: dict[str, tuple[int, int]] = field(default_factory=dict)

    def confirm(self, witness: str, until: int) -> None:
        """A peer holds what had arrived by then."""
        self.witnesses[witness] = max(until, self.witnesses.get(witness, until))
        if len(self.witnesses) > MAX_WITNESSES:
            del self.witnesses[min(self.witnesses, key=self.witnesses.__getitem__)]
        self.unsure = [at for at in self.unsure if at > until]

    def doubt(self, now: int) -> None:
        """There is something that nobody else may hold."""
        if len(self.unsure) == MAX_CHANGES:
            self.unsure.pop()
        self.unsure.append(now)

    def lacks(self, origin: str, now: int) -> None:
        """A peer shows that it lacks something of it."""
        if origin in self.lacking or len(self.lacking) < MAX_LACKING:
            self.lacking[origin] = (self.lacking.get(origin, (now, now))[0], now)


class Handoff:
    """Watches which goals of a listener somebody who speaks holds as well.

    Args:
        records: what the listener holds.
        now: the time it begins; what it holds then is unconfirmed.
    """

    def __init__(self, records: RecordSet, now: int) -> None:
        self._records = records
        self._goals: dict[bytes, _Goal] = {}
        self._spoke: BoundedDict[str, int] = BoundedDict(MAX_ORIGINS)
        self._look_at: int | None = now + LOOK_MS if records.goals() else None
        self._acted_at: int | None = None
        self._pause = PAUSE_FIRST_MS
        self._overheard = False

    def arrived(self, now: int, *, overheard: bool) -> None:
        """A record is new here; on the topic, or from a neighbour who thus holds it."""
        self._overheard = self._overheard or overheard
        self._pause = PAUSE_FIRST_MS
        self._look_soon(now)

    def met(self, now: int) -> None:
        """A neighbour is new: there may at last be somebody to hand things to."""
        self._pause = PAUSE_FIRST_MS
        if self._look_at is not None:
            self._look_soon(now)

    def heard_from(self, origin: str, now: int) -> None:
        """A peer said something on the topic, whatever it was."""
        self._spoke[origin] = now

    def left(self, origin: str, now: int) -> None:
        """A neighbour's connection is gone, and maybe what it held with it."""
        if self._spoke.pop(origin, None) is not None:
            self._look_soon(now)

    def compared(self, theirs: GoalDigest, result: Comparison, origin: str, now: int) -> None:
        """A peer said what it holds of a goal, which may be more than we hold."""
        summary = self._records.summary(theirs.goal)
        if summary[0] == 0:
            return
        goal = self._goals.setdefault(theirs.goal, _Goal())
        if result.they_lack and (result.certain or theirs.count < summary[0]):
            goal.lacks(origin, now)
            self._look_soon(now)
        elif not result.flux:
            goal.lacking.pop(origin, None)
        if summary == (theirs.count, theirs.xor):
            if goal.noted != summary:
                goal.noted, goal.changed = summary, now
            goal.confirm(origin, now)
        elif result.they_lack:
            if result.certain:
                goal.witnesses.pop(origin, None)
                self._look_soon(now)
        elif not result.flux:
            # What came later may be explained as being on its way to them.
            goal.confirm(origin, now - IN_FLIGHT_MS)

    def handed_off(self, peer: str) -> None:
        """A neighbour has just exchanged everything with us over a stream."""
        if self._acted_at is None:
            return
        self.heard_from(peer, max(self._acted_at, self._spoke.get(peer, 0)))
        for identity, goal in self._goals.items():
            summary = self._records.summary(identity)
            if goal.noted != summary and not self._overheard:
                # What the neighbour gave us it holds.
                goal.noted, goal.changed = summary, self._acted_at
            goal.confirm(peer, self._acted_at)
            goal.lacking.pop(peer, None)

    def due(self) -> int | None:
        """When to call `poll` next, or None while nothing is held."""
        return self._look_at

    def poll(self, now: int) -> bool:
        """Whether to hand on now."""
        if self._look_at is None or self._look_at > now:
            return False
        self._look(now)
        unsure = [goal.unsure[0] for goal in self._goals.values() if goal.unsure]
        is_lacked = any(self._is_lacked(goal, now) for goal in self._goals.values())
        if not unsure and not is_lacked:
            self._look_at = now + IDLE_LOOK_MS if self._goals else None
            self._acted_at, self._pause = None, PAUSE_FIRST_MS
            return False
        self._look_at = now + LOOK_MS
        if not is_lacked and now - min(unsure) < LASTING_MS:
            return False
        if self._acted_at is not None:
            if now - self._acted_at < self._pause:
                return False
            self._pause = min(2 * self._pause, PAUSE_MOST_MS)
        self._acted_at = now
        self._overheard = False
        return True

    def _look_soon(self, now: int) -> None:
        soon = now + LOOK_MS
        self._look_at = soon if self._look_at is None else min(self._look_at, soon)

    def _look(self, now: int) -> None:
        """Note which goals changed, and which have nobody any more who confirmed them."""
        current = self._records.goals()
        self._goals = {identity: self._goals.get(identity, _Goal()) for identity in current}
        for identity, goal in self._goals.items():
            summary = self._records.summary(identity)
            if goal.noted != summary:
                goal.noted, goal.changed = summary, now
                goal.doubt(now)
            elif not goal.unsure and not self._has_witness(goal, now):
                goal.doubt(now)

    def _has_witness(self, goal: _Goal, now: int) -> bool:
        return any(
            until >= goal.changed and self._is_heard(origin, now)
            for origin, until in goal.witnesses.items()
        )

    def _is_lacked(self, goal: _Goal, now: int) -> bool:
        """Whether somebody who is still heard goes on lacking something of it."""
        # Who has caught up need not say so: others have said the same digest, and it rests.
        goal.lacking = {
            origin: (first, last)
            for origin, (first, last) in goal.lacking.items()
            if self._is_heard(origin, now) and now - last < WITNESS_MS
        }
        return any(last - first >= LACKING_MS for first, last in goal.lacking.values())

    def _is_heard(self, origin: str, now: int) -> bool:
        return now - self._spoke.get(origin, -WITNESS_MS) < WITNESS_MS
