"""The set of records one peer holds, and the plans folded from it.

A store is the only thing a peer has to agree on with others: equal sets give equal plans. It takes
bytes from anywhere (gossip, a sync stream, the disk, its own agents), keeps what is genuine and
within bounds, and never raises because of what they contain.

What bounds it is decided by the records, not by their order of arrival: of each author's records
for a goal the ones that replay first are kept, so that peers flooded in different orders still end
with the same set.
"""

from __future__ import annotations

import enum
import heapq
from bisect import insort
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field

from swarm.core.clock import MAX_DRIFT_MS, MAX_MS, HybridClock
from swarm.core.digest import SetDigest
from swarm.core.plan import Plan
from swarm.core.policy import DAY, MINUTE, SECOND
from swarm.core.presence import gone_after_ms
from swarm.core.records import (
    Goal,
    Grant,
    Presence,
    Record,
    RecordError,
    SortKey,
    decode,
    record_id,
    roster_id,
)
from swarm.core.roster import Roster


class AddResult(enum.Enum):
    """What became of bytes handed to a store."""

    NEW = "new"
    DUPLICATE = "duplicate"
    HELD = "held"
    """Stamped in the near future: folded when its time comes."""
    STALE = "stale"
    """Genuine, but too old, outdone or over a bound: not kept."""
    REJECTED = "rejected"
    """No valid record of this swarm."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What strangers can make a store keep."""

    goals: int = 5_000
    """Goals with their records; a new one over this bound is not kept."""
    goals_per_author: int = 1_000
    """Of each author the ones that replay first are kept."""
    records_per_author: int = 2_000
    """Per goal and author; an honest agent makes some hundreds in a large plan."""
    records_of_submitter: int = 20_000
    """Per goal, for its author, who attests people's votes too."""
    orphan_goals: int = 200
    """Goals of which records came before the goal itself; the oldest is given up."""
    orphan_records: int = 2_000
    """Records kept for each of those."""
    held: int = 1_000
    """Records from the near future."""
    hold_ms: int = 10 * MINUTE
    """A stamp further ahead than this is not even held."""
    presences: int = 1_024
    presence_ms: int = 75 * SECOND
    """A peer unheard for this long is gone, in a swarm of up to 80 (see `presence`): more than
    two of the slowest beats (30 s)."""
    retention_ms: int = 7 * DAY
    """How long a finished goal is kept."""
    refold_ms: int = 1 * SECOND
    """Least time between two folds from scratch of one goal: what bounds the work that an author
    over its bound can cause. Until then its plan may show records that were dropped."""


@dataclass(slots=True)
class _GoalLog:
    """All records of one goal."""

    goal: Record | None = None
    records: dict[bytes, Record] = field(default_factory=dict)
    digest: SetDigest = field(default_factory=SetDigest)
    by_author: dict[bytes, list[tuple[SortKey, bytes]]] = field(default_factory=dict)
    plan: Plan | None = None
    """None until the goal is known, and when it must be folded again until it is asked for."""
    refold_ms: int | None = None
    """When to fold again without what was dropped; None: nothing was."""


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
    ) -> None:
        """Start empty.

        Args:
            swarm: its name; goals and presences of others are rejected.
            owner: public key of whoever grants roles in it; None: an open swarm.
            limits: what bounds the store.
            clock: told of every stamp within drift, so that what this peer says is later.
            on_new: called with each record after it was folded, presences included.
        """
        self.swarm = swarm
        self.roster = Roster(owner)
        self._roster_id = roster_id(owner, swarm) if owner is not None else None
        self.limits = limits or Limits()
        self.clock = clock or HybridClock()
        self.on_new = on_new
        self._logs: dict[bytes, _GoalLog] = {}
        self._goal_of: dict[bytes, bytes] = {}
        self._goals_by: dict[bytes, list[tuple[SortKey, bytes]]] = {}
        self._orphans: dict[bytes, None] = {}
        self._held: list[tuple[int, bytes, bytes]] = []
        self._held_ids: set[bytes] = set()
        self._presences: dict[bytes, Record] = {}
        self._oldest_presence_ms = MAX_MS
        """No presence is older than this."""
        self._forgotten: dict[bytes, None] = {}
        self._now_ms = 0

    # Taking records in.

    def add(self, raw: bytes, now_ms: int) -> AddResult:
        """Check a record's bytes and keep it. Never raises because of what they contain.

        Args:
            raw: the bytes as they came.
            now_ms: this peer's wall clock, in ms.
        """
        rid = record_id(raw)
        if rid in self._goal_of or rid in self._held_ids:
            return AddResult.DUPLICATE
        try:
            record = decode(raw)
        except RecordError:
            return AddResult.REJECTED
        return self.add_record(record, now_ms)

    def add_record(self, record: Record, now_ms: int) -> AddResult:
        """Keep a record whose signature is known to be good (see `add`)."""
        if record.id in self._goal_of or record.id in self._held_ids:
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
        """Let time pass: release what was held, run the plans' timers, forget what is old.

        Args:
            now_ms: this peer's wall clock, in ms.
        """
        while self._held and self._held[0][0] <= now_ms + MAX_DRIFT_MS:
            _, rid, raw = heapq.heappop(self._held)
            self._held_ids.discard(rid)
            self.add_record(decode(raw, verify=False), now_ms)
        self._now_ms = max(self._now_ms, self.clock.now(now_ms))
        self._let_presences_go(now_ms)
        for goal_id, log in list(self._logs.items()):
            plan = log.plan
            if plan is None:
                continue
            due = plan.next_change_ms()
            if due is not None and due <= self._now_ms:
                plan.advance(self._now_ms)
            ended = plan.root.settled.ms if plan.root.settled else plan.cutoff.ms
            if plan.final and self._now_ms > ended + self.limits.retention_ms:
                self._forget(goal_id)

    # Reading.

    def __contains__(self, rid: object) -> bool:
        """Return whether a record with this id is held."""
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
        """Return the ids of all goals of which any record is held."""
        return self._logs.keys()

    def live_goals(self) -> Collection[bytes]:
        """Return the ids of goals that have not ended, or are not known yet."""
        return [
            goal_id
            for goal_id in self._logs
            if (plan := self.plan(goal_id)) is None or not plan.final
        ]

    def ids(self, goal_id: bytes) -> Collection[bytes]:
        """Return the ids of a goal's records, its own included."""
        log = self._logs.get(goal_id)
        return () if log is None else log.records.keys()

    def summary(self, goal_id: bytes) -> tuple[int, bytes]:
        """Return how many records of a goal are held, and the XOR of their ids (32 bytes)."""
        log = self._logs.get(goal_id)
        return (0, bytes(32)) if log is None else (log.digest.count, log.digest.xor)

    def records(self, goal_id: bytes) -> Iterator[Record]:
        """Yield a goal's records in no particular order."""
        log = self._logs.get(goal_id)
        if log is not None:
            yield from log.records.values()

    def plan(self, goal_id: bytes) -> Plan | None:
        """Return a goal's plan as of the last `advance`.

        None while the goal is not known, or if its author may not ask anything here.
        """
        log = self._logs.get(goal_id)
        if log is None or log.goal is None or not self.roster.allows(log.goal):
            return None
        if log.refold_ms is not None and log.refold_ms <= self._now_ms:
            log.plan = None
        if log.plan is None:
            log.plan = self._fold(log, log.goal)
            log.refold_ms = None
        if log.plan.now_ms < self._now_ms:
            log.plan.advance(self._now_ms)
        return log.plan

    def plans(self) -> list[Plan]:
        """Return the plans of all known goals, the oldest goal first."""
        found = [plan for goal_id in list(self._logs) if (plan := self.plan(goal_id)) is not None]
        return sorted(found, key=lambda plan: plan.goal.key)

    def presences(self) -> list[Record]:
        """Return the newest presence of each author that was heard lately, by author.

        Foreign authors' are among them; `roster.allows` tells them apart.
        """
        return [self._presences[author] for author in sorted(self._presences)]

    @property
    def present(self) -> int:
        """How many authors were heard lately."""
        return len(self._presences)

    def miss(self, author: bytes) -> None:
        """Take a peer for gone, until it is heard again."""
        self._presences.pop(author, None)

    # Bounds.

    def _hold(self, record: Record, ahead_ms: int) -> AddResult:
        if ahead_ms > self.limits.hold_ms or len(self._held) >= self.limits.held:
            return AddResult.STALE
        self._held_ids.add(record.id)
        heapq.heappush(self._held, (record.stamp.ms, record.id, record.raw))
        return AddResult.HELD

    def _meet(self, record: Record, body: Presence, now_ms: int) -> AddResult:
        if body.swarm != self.swarm:
            return AddResult.REJECTED
        if now_ms - record.stamp.ms > self._gone_after_ms():
            return AddResult.STALE
        known = self._presences.get(record.author)
        if known is not None and known.key >= record.key:
            return AddResult.DUPLICATE if known.id == record.id else AddResult.STALE
        if known is None and len(self._presences) >= self.limits.presences:
            return AddResult.STALE
        self._presences[record.author] = record
        self._oldest_presence_ms = min(self._oldest_presence_ms, record.stamp.ms)
        return AddResult.NEW

    def _gone_after_ms(self) -> int:
        return gone_after_ms(len(self._presences), self.limits.presence_ms)

    def _let_presences_go(self, now_ms: int) -> None:
        """Forget who was not heard for long; looks at all of them only when one may be due."""
        gone_ms = self._gone_after_ms()
        if now_ms - self._oldest_presence_ms <= gone_ms:
            return
        self._presences = {
            author: record
            for author, record in self._presences.items()
            if now_ms - record.stamp.ms <= gone_ms
        }
        self._oldest_presence_ms = min(
            (record.stamp.ms for record in self._presences.values()), default=MAX_MS
        )

    def _keep(self, record: Record) -> AddResult:
        goal_id = record.goal_id
        assert goal_id is not None
        if goal_id in self._forgotten:
            return AddResult.STALE
        if isinstance(record.body, Grant):
            return self._grant(record, goal_id)
        if goal_id == self._roster_id:
            # A stranger's record in the roster's set could have the grants dropped with it.
            return AddResult.REJECTED
        if isinstance(record.body, Goal):
            if record.body.swarm != self.swarm:
                return AddResult.REJECTED
            if not self._make_room(record):
                return AddResult.STALE
        log = self._logs.get(goal_id)
        if log is None:
            log = self._logs[goal_id] = _GoalLog()
            if not isinstance(record.body, Goal):
                self._orphans[goal_id] = None
                if len(self._orphans) > self.limits.orphan_goals:
                    self._drop(next(iter(self._orphans)))
        if isinstance(record.body, Goal):
            insort(self._goals_by.setdefault(record.author, []), (record.key, record.id))
            self._orphans.pop(goal_id, None)
            log.goal = record
            self._insert(log, goal_id, record)
            log.plan = self._fold(log, record)
            for author in list(log.by_author):
                self._bound(log, goal_id, author)
            return AddResult.NEW if record.id in log.records else AddResult.STALE
        if log.goal is None and len(log.records) >= self.limits.orphan_records:
            return AddResult.STALE
        self._insert(log, goal_id, record)
        self._bound(log, goal_id, record.author)
        if record.id not in log.records:
            return AddResult.STALE
        if log.plan is not None:
            log.plan.advance(self._now_ms)
            log.plan.apply(record)
        return AddResult.NEW

    def _grant(self, record: Record, goal_id: bytes) -> AddResult:
        """Keep the owner's word, and fold everything again under it when it is asked for."""
        if goal_id != self._roster_id:
            return AddResult.REJECTED
        log = self._logs.setdefault(goal_id, _GoalLog())
        self._insert(log, goal_id, record)
        self.roster.apply(record)
        for other in self._logs.values():
            other.plan = None
        return AddResult.NEW

    def _insert(self, log: _GoalLog, goal_id: bytes, record: Record) -> None:
        log.records[record.id] = record
        log.digest.add(record.id)
        insort(log.by_author.setdefault(record.author, []), (record.key, record.id))
        self._goal_of[record.id] = goal_id

    def _bound(self, log: _GoalLog, goal_id: bytes, author: bytes) -> None:
        """Keep only the records of an author that replay first."""
        most = self.limits.records_per_author
        if log.goal is not None and author == log.goal.author:
            most = self.limits.records_of_submitter
        kept = log.by_author[author]
        while len(kept) > most:
            _, rid = kept.pop()
            gone = log.records.pop(rid)
            log.digest.remove(rid)
            del self._goal_of[rid]
            if log.refold_ms is None and log.plan is not None and log.plan.has(gone.id):
                # A fold has no way back: it is made again, but not for every record of a flood.
                log.refold_ms = self._now_ms + self.limits.refold_ms

    def _make_room(self, goal: Record) -> bool:
        """Return whether a new goal may be kept; another of its author's may have to go for it."""
        if len(self._logs) - len(self._orphans) >= self.limits.goals:
            return False
        kept = self._goals_by.get(goal.author, [])
        if len(kept) >= self.limits.goals_per_author:
            last_key, last_id = kept[-1]
            if goal.key > last_key:
                return False
            self._drop(last_id)
        return True

    def _fold(self, log: _GoalLog, goal: Record) -> Plan:
        plan = Plan(goal, None if self.roster.owner is None else self.roster.allows)
        plan.advance(self._now_ms)
        # In replay order: a vote starts over for every record that comes before another.
        for record in sorted(log.records.values(), key=lambda record: record.key):
            plan.apply(record)
        return plan

    def _drop(self, goal_id: bytes) -> None:
        log = self._logs.pop(goal_id)
        self._orphans.pop(goal_id, None)
        for rid in log.records:
            del self._goal_of[rid]
        if log.goal is not None:
            self._goals_by[log.goal.author].remove((log.goal.key, log.goal.id))

    def _forget(self, goal_id: bytes) -> None:
        self._drop(goal_id)
        self._forgotten[goal_id] = None
        if len(self._forgotten) > self.limits.goals:
            del self._forgotten[next(iter(self._forgotten))]
