"""The set of records that one peer holds, and the plans folded from it.

The store is all that peers have to agree on: equal sets give equal plans. It takes bytes from
anywhere (gossip, a sync stream, the disk, the peer's own agents), keeps those that are genuine and
within the limits, and never raises because of their contents.

Which records are within the limits (`limits`) depends on the records, not on their order of
arrival: of each author's records for a goal those that replay first are kept, and authors share the
room for a goal in turns (`fair_share`). So peers that are flooded in different orders still end
with the same set.

Only when the whole store is full are whole goals dropped, permanently: foreign ones first, then
those that have ended, the earliest first, then the newest goal of the author whose goals hold the
most records.
"""

from __future__ import annotations

import enum
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from functools import partial

from swarm.core.bounded import BoundedSet
from swarm.core.clock import MAX_DRIFT_MS, MAX_MS, HybridClock
from swarm.core.fold.plan import Plan
from swarm.core.records import (
    Ballot,
    Goal,
    Grant,
    Presence,
    Record,
    RecordError,
    decode,
    record_id,
    roster_id,
)
from swarm.core.roster import Roster
from swarm.core.store.fair_share import FairShare
from swarm.core.store.first_seen import quorum_for
from swarm.core.store.goal_log import GoalLog, Standing
from swarm.core.store.latency import Latency
from swarm.core.store.limits import LARGE, Limits
from swarm.core.store.pending import Pending
from swarm.core.store.presences import Presences


class AddResult(enum.Enum):
    """What the store did with bytes it was given."""

    NEW = "new"
    DUPLICATE = "duplicate"
    HELD = "held"
    """Stamped in the near future: folded when its time comes."""
    STALE = "stale"
    """Genuine, but too old, superseded or above a limit: not kept."""
    REJECTED = "rejected"
    """Not a valid record of this swarm."""


class Store:
    """The records of one swarm, as one peer holds them."""

    def __init__(
        self,
        swarm: str,
        *,
        owner: bytes | None = None,
        limits: Limits | None = None,
        clock: HybridClock | None = None,
        on_new: Callable[[Record], None] | None = None,
        on_gone: Callable[[bytes], None] | None = None,
        on_fault: Callable[[bytes, Exception], None] | None = None,
    ) -> None:
        """Start empty.

        Args:
            swarm: its name; goals and presences of other swarms are rejected.
            owner: public key of the owner, who grants roles; None: an open swarm.
            limits: the most it keeps.
            clock: observes every stamp within drift, so that this peer's own records are later.
            on_new: called with each record that is kept, including presences.
            on_gone: called with the id of each record that is no longer kept.
            on_fault: called with a goal's id and the error when folding it raises, a defect in this
                code: that goal then has no plan for a while, and all others carry on.
                None: the error is raised.
        """
        self.swarm = swarm
        self.roster = Roster(owner)
        self._roster_id = roster_id(owner, swarm) if owner is not None else None
        self.limits = limits or Limits()
        self.clock = clock or HybridClock()
        self.on_new = on_new
        self.on_gone = on_gone
        self.on_fault = on_fault
        self._logs: dict[bytes, GoalLog] = {}
        self._goal_of: dict[bytes, bytes] = {}
        self._bytes = 0
        self._goals: dict[bool, FairShare] = {}
        """Known goals; those of foreign authors (True) have a share of their own."""
        self._orphans: dict[bytes, None] = {}
        self._orphan_records = {False: 0, True: 0}
        """How many orphan records there are: small (False) and large (True)."""
        self._pending = Pending(self.limits)
        self._presences = Presences(self.limits, self.roster)
        self.latency = Latency()
        """How long other peers' records took to arrive."""
        self._forgotten: BoundedSet[bytes] = BoundedSet(self.limits.goals)
        self._now_ms = 0

    # Adding records.

    def add(self, raw: bytes, now_ms: int) -> AddResult:
        """Check a record's bytes and keep it. Never raises because of its contents.

        Args:
            raw: the bytes as received.
            now_ms: this peer's wall clock, in ms.
        """
        rid = record_id(raw)
        known = self.raw(rid) or self._pending.raw(rid)
        if known == raw:
            return AddResult.DUPLICATE
        try:
            # An id does not cover the signature: a copy of a known record may still be a forgery.
            record = decode(raw)
        except RecordError:
            return AddResult.REJECTED
        return self.hear(record, now_ms)

    def hear(self, record: Record, now_ms: int) -> AddResult:
        """Keep another peer's record whose signature is known to be good (see `add`)."""
        result = self.add_record(record, now_ms)
        if result is AddResult.NEW:
            self.latency.note(record.stamp.ms, now_ms)
        return result

    def add_record(self, record: Record, now_ms: int) -> AddResult:
        """Keep a record whose signature is known to be good (see `add`)."""
        if record.id in self._goal_of or record.id in self._pending:
            return AddResult.DUPLICATE
        ahead = record.stamp.ms - now_ms
        if ahead > MAX_DRIFT_MS:
            return self._hold(record, ahead)
        if isinstance(record.body, Presence):
            result = self._meet(record, record.body, now_ms)
        else:
            result = self._keep(record)
        if result is AddResult.NEW:
            self.clock.observe(record.stamp, now_ms)
            if self.on_new is not None:
                self.on_new(record)
        return result

    def advance(self, now_ms: int) -> None:
        """Let time pass: release held records, run the plans' timers, drop what is too old.

        Args:
            now_ms: this peer's wall clock, in ms.
        """
        for record in self._pending.release(now_ms + MAX_DRIFT_MS):
            self.add_record(record, now_ms)
        self._now_ms = max(self._now_ms, self.clock.now(now_ms))
        self._presences.expire(now_ms)
        for goal_id, log in list(self._logs.items()):
            ended_ms = self._ended_ms(log)
            if ended_ms is not None and self._now_ms > ended_ms + self.limits.retention_ms:
                self._forget(goal_id)

    # Reading.

    def __contains__(self, rid: object) -> bool:
        """Return whether a record with this id is kept."""
        return rid in self._goal_of

    def __len__(self) -> int:
        return len(self._goal_of)

    def record(self, rid: bytes) -> Record | None:
        """Return a record by its id."""
        goal_id = self._goal_of.get(rid)
        return None if goal_id is None else self._logs[goal_id].records.get(rid)

    def raw(self, rid: bytes) -> bytes | None:
        """Return a record's exact bytes by its id."""
        record = self.record(rid)
        return None if record is None else record.raw

    def goals(self) -> Collection[bytes]:
        """Return the ids of all goals of which any record is kept."""
        return self._logs.keys()

    def live_goals(self) -> Collection[bytes]:
        """Return the ids of goals that have not ended, or whose goal record is not known yet."""
        return [
            goal_id
            for goal_id in self._logs
            if (plan := self.plan(goal_id)) is None or not plan.final
        ]

    def ids(self, goal_id: bytes) -> Collection[bytes]:
        """Return the ids of a goal's records, including the goal's own."""
        log = self._logs.get(goal_id)
        return () if log is None else log.records.keys()

    def summary(self, goal_id: bytes) -> tuple[int, bytes]:
        """Return how many records of a goal are kept, and the XOR of their ids (32 bytes)."""
        log = self._logs.get(goal_id)
        return (0, bytes(32)) if log is None else (log.digest.count, log.digest.xor)

    def records(self, goal_id: bytes) -> Iterator[Record]:
        """Yield a goal's records in no particular order."""
        log = self._logs.get(goal_id)
        if log is not None:
            yield from log.records.values()

    def plan(self, goal_id: bytes) -> Plan | None:
        """Return a goal's plan as of the last `advance`.

        None while the goal is not known, or if its author may not submit goals here.
        """
        log = self._logs.get(goal_id)
        if log is None or log.goal is None or not self.roster.allows(log.goal):
            return None
        allows = None if self.roster.owner is None else self.roster.allows
        try:
            return log.plan(self._now_ms, allows)
        except Exception as fault:
            # Strangers write the records: a defect that they bring to light must not end the peer.
            if self.on_fault is None:
                raise
            self.on_fault(goal_id, fault)
            return None

    def plans(self) -> list[Plan]:
        """Return the plans of all known goals, the oldest goal first."""
        found = [plan for goal_id in list(self._logs) if (plan := self.plan(goal_id)) is not None]
        return sorted(found, key=lambda plan: plan.goal.key)

    def presences(self) -> list[Record]:
        """Return the newest presence of each author that was heard lately, ordered by author.

        Those of foreign authors are included; `roster.allows` tells them apart.
        """
        return self._presences.all()

    def expired(self, goal_id: bytes) -> bool:
        """Return whether a goal's plan still contains a record that was dropped since.

        It is folded again within `Limits.refold_ms`, or somewhat later if the goal is large.
        """
        log = self._logs.get(goal_id)
        return log is not None and log.expired

    @property
    def present(self) -> int:
        """How many authors were heard lately."""
        return len(self._presences)

    def known_longest(self, now_ms: int) -> list[bytes]:
        """Return the authors to name as known in a goal submitted now (see `first_seen`).

        There are none in an owned swarm, where grants tell peers from strangers.

        Args:
            now_ms: this peer's wall clock, in ms.
        """
        if self.roster.owner is not None:
            return []
        return self._presences.known_longest(now_ms)

    def majority(self) -> int:
        """Return the quorum for a goal in which any scorer may vote (`first_seen.quorum_for`)."""
        scorers = self._presences.scorers()
        rated = {
            record.author
            for log in self._logs.values()
            for record in log.records.values()
            if record.author in scorers and isinstance(record.body, Ballot)
        }
        proven = 0 if self.roster.owner is not None else len(rated)
        return quorum_for(len(scorers), proven)

    def miss(self, author: bytes) -> None:
        """Treat a peer as gone until it is heard again."""
        self._presences.miss(author)

    # Limits.

    def _hold(self, record: Record, ahead_ms: int) -> AddResult:
        if ahead_ms > self.limits.hold_ms:
            return AddResult.STALE
        return AddResult.HELD if self._pending.put(record) else AddResult.STALE

    def _meet(self, record: Record, body: Presence, now_ms: int) -> AddResult:
        if body.swarm != self.swarm:
            return AddResult.REJECTED
        heard = self._presences.hear(record, now_ms)
        if heard is record:
            return AddResult.NEW
        same = heard is not None and heard.id == record.id
        return AddResult.DUPLICATE if same else AddResult.STALE

    def _keep(self, record: Record) -> AddResult:
        goal_id = record.goal_id
        assert goal_id is not None
        if goal_id in self._forgotten:
            return AddResult.STALE
        if isinstance(record.body, Grant):
            return self._grant(record, goal_id)
        if goal_id == self._roster_id:
            # With a stranger's record in the roster's set, the grants could be dropped.
            return AddResult.REJECTED
        if isinstance(record.body, Goal):
            kept = self._open(record, record.body)
        elif goal_id in self._logs and self._logs[goal_id].goal is not None:
            kept = self._insert(self._logs[goal_id], goal_id, record)
        else:
            kept = self._keep_orphan(record, goal_id)
        if kept is AddResult.NEW and self._over():
            self._make_room()
            return AddResult.NEW if record.id in self._goal_of else AddResult.STALE
        return kept

    def _grant(self, record: Record, goal_id: bytes) -> AddResult:
        """Keep a grant, and judge everything again under it."""
        if goal_id != self._roster_id:
            return AddResult.REJECTED
        log = self._logs.setdefault(goal_id, GoalLog(self.limits))
        outcome = self._insert(log, goal_id, record)
        if outcome is AddResult.NEW:
            self.roster.apply(record)
            self._judge_again()
        return outcome

    def _judge_again(self) -> None:
        """Hand room out again, because an author may now have a grant, and fold all goals again."""
        self._goals.clear()
        for log in list(self._logs.values()):
            goal = log.goal
            if goal is None:
                continue
            self._reallocate(log)
            log.refold()
            gone = self._room_for(goal).put(goal.author, goal.key, goal.id)
            if gone is not None:
                self._drop(gone)

    def _reallocate(self, log: GoalLog) -> None:
        before = log.size
        for rid in log.reallocate(lambda record: self._standing(record, log)):
            self._gone(rid)
        self._bytes += log.size - before

    def _standing(self, record: Record, log: GoalLog) -> Standing:
        if isinstance(record.body, Grant):
            return "submitter"  # of the roster's set, which is the owner's alone
        if self._is_foreign(record.author):
            return "foreign"
        if log.goal is not None and record.author == log.goal.author:
            return "submitter"
        return "newcomer" if log.known and record.author not in log.known else "member"

    def _is_foreign(self, author: bytes) -> bool:
        """Return whether an author has no grant in an owned swarm; in an open swarm nobody is."""
        owner = self.roster.owner
        if owner is None or author == owner:
            return False
        return self.roster.grant_of(author, MAX_MS) is None

    def _open(self, goal: Record, body: Goal) -> AddResult:
        """Keep a goal's own record, and adopt the orphans that came before it."""
        if body.swarm != self.swarm:
            return AddResult.REJECTED
        gone = self._room_for(goal).put(goal.author, goal.key, goal.id)
        if gone == goal.id:
            return AddResult.STALE
        if gone is not None:
            self._drop(gone)
        if goal.id in self._orphans:
            self._adopt(goal.id)
        log = self._logs.setdefault(goal.id, GoalLog(self.limits))
        log.open(goal)
        self._goal_of[goal.id] = goal.id
        self._bytes += len(goal.raw)
        self._reallocate(log)
        return AddResult.NEW

    def _room_for(self, goal: Record) -> FairShare:
        foreign = self._is_foreign(goal.author)
        share = self._goals.get(foreign)
        if share is None:
            most = self.limits.foreign_goals if foreign else self.limits.goals
            share = self._goals[foreign] = FairShare(most, self.limits.goals_per_author)
        return share

    def _keep_orphan(self, record: Record, goal_id: bytes) -> AddResult:
        """Keep a record whose goal is not known yet, if there is room; else it comes again."""
        large = len(record.raw) >= LARGE
        log = self._logs.get(goal_id)
        if self._orphan_records[large] >= (
            self.limits.large_orphans if large else self.limits.orphans
        ) or (log is not None and len(log.records) >= self.limits.orphan_records):
            return AddResult.STALE
        if log is None:
            log = self._logs[goal_id] = GoalLog(self.limits)
            self._orphans[goal_id] = None
            if len(self._orphans) > self.limits.orphan_goals:
                self._drop(next(iter(self._orphans)))
        before = len(log.records)
        outcome = self._insert(log, goal_id, record)
        self._orphan_records[large] += len(log.records) - before
        return outcome

    def _adopt(self, goal_id: bytes) -> None:
        """Stop counting a goal's records as orphans."""
        del self._orphans[goal_id]
        for record in self._logs[goal_id].records.values():
            self._orphan_records[len(record.raw) >= LARGE] -= 1

    def _insert(self, log: GoalLog, goal_id: bytes, record: Record) -> AddResult:
        self._goal_of[record.id] = goal_id
        before = log.size
        gone = log.put(record, self._standing(record, log))
        self._bytes += log.size - before
        if gone is None:
            return AddResult.NEW
        if log.folded is not None and log.folded.has(gone):
            # A fold cannot be undone: fold again, but not for every record of a flood.
            log.expire(self._now_ms)
        self._gone(gone)
        return AddResult.STALE if gone == record.id else AddResult.NEW

    def _gone(self, rid: bytes) -> None:
        """Note that a record is no longer kept."""
        if self._goal_of.pop(rid) == self._roster_id:
            self.roster.forget(rid)
        if self.on_gone is not None:
            self.on_gone(rid)

    # The whole store.

    def _over(self) -> bool:
        return len(self._goal_of) > self.limits.records or self._bytes > self.limits.bytes

    def _make_room(self) -> None:
        """Drop whole goals until everything fits again."""
        while self._over():
            known = [log.goal for log in self._logs.values() if log.goal is not None]
            if not known:
                return
            held = Counter[bytes]()
            for goal in known:
                held[goal.author] += len(self._logs[goal.id].records)
            self._forget(min(known, key=partial(self._leaves_before, held)).id)

    def _leaves_before(self, held: Counter[bytes], goal: Record) -> tuple[int, ...]:
        """Return a goal's rank for dropping: the lowest is dropped first."""
        newest = (-goal.stamp.ms, -goal.stamp.counter, int.from_bytes(goal.id))
        if not self.roster.allows(goal):
            return 0, 0, *newest
        ended_ms = self._ended_ms(self._logs[goal.id])
        if ended_ms is not None:
            return 1, ended_ms, *newest
        return 2, -held[goal.author], *newest

    def _ended_ms(self, log: GoalLog) -> int | None:
        """Return when a goal ended, in ms; None while it is live or not known."""
        goal = log.goal
        if goal is None:
            return None
        plan = self.plan(goal.id)
        if plan is None:
            assert isinstance(goal.body, Goal)
            return goal.stamp.ms + goal.body.policy.deadline_ms
        if not plan.final:
            return None
        return plan.root.settled.ms if plan.root.settled else plan.cutoff.ms

    def _drop(self, goal_id: bytes) -> None:
        if goal_id in self._orphans:
            self._adopt(goal_id)
        log = self._logs.pop(goal_id)
        self._bytes -= log.size
        for rid in log.records:
            self._gone(rid)
        if log.goal is not None:
            self._room_for(log.goal).take(log.goal.author, log.goal.key, log.goal.id)

    def _forget(self, goal_id: bytes) -> None:
        self._drop(goal_id)
        self._forgotten.add(goal_id)
