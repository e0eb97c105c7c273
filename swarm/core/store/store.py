"""The set of records that one peer holds, and the plans folded from it.

The store is all that peers have to agree on: equal sets give equal plans. It takes bytes from
anywhere (gossip, a sync stream, the disk, the peer's own agents), keeps those that are genuine and
within the limits, and never raises because of their contents.

Which records are within the limits (`limits`) depends on the records, not on their order of
arrival: of each author's records for a goal those that replay first are kept, and authors share the
room for a goal in turns (`fair_share`). So peers that are flooded in different orders still end
with the same set.

Goals that have ended take no room from those that live: they are in the `archive`. When the whole
store is full, whole goals are forgotten: foreign ones first, then those that have ended, the
earliest first, then the newest goal of the author whose goals hold the most.
"""

from __future__ import annotations

import enum
from collections import Counter
from collections.abc import Callable, Collection, Iterator

from swarm.core.bounded import BoundedSet
from swarm.core.clock import MAX_DRIFT_MS, MAX_MS, HybridClock
from swarm.core.fold.plan import Plan
from swarm.core.records import (
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
from swarm.core.store.archive import Archive
from swarm.core.store.clock_offsets import ClockOffsets
from swarm.core.store.fair_share import FairShare
from swarm.core.store.first_seen import quorum_for
from swarm.core.store.goal_log import GoalLog, Standing
from swarm.core.store.known_askers import ACTIVE_MS, KnownAskers
from swarm.core.store.latency import Latency
from swarm.core.store.limits import LARGE, Limits
from swarm.core.store.live_plans import LivePlans
from swarm.core.store.pending import Pending
from swarm.core.store.presences import Presences, gone_after_ms
from swarm.core.store.sealed_goal import EndedGoal, Pack
from swarm.core.store.sweep_queue import SweepQueue, deadline_ms, end_by_time_ms, end_ms


class AddResult(enum.Enum):
    """What the store did with bytes it was given."""

    NEW = "new"
    DUPLICATE = "duplicate"
    HELD = "held"
    """Stamped in the near future: folded when its time comes."""
    STALE = "stale"
    """Genuine, but too old, superseded or above a limit: not kept, and not wanted again."""
    FULL = "full"
    """Genuine, but there is no room for it now. It may be kept when it comes again."""
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
        on_sealed: Callable[[bytes], None] | None = None,
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
            on_sealed: called with the id of each ended goal whose records were just packed.
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
        """The goals that have not ended; all goals of foreign authors apart."""
        self._live: dict[bytes, None] = {}
        """All goals but those in the archive, known or not."""
        self._askers = KnownAskers()
        self._known_active_ms = -ACTIVE_MS
        """When a goal of a known author last changed, in ms."""
        self._longest: tuple[int, frozenset[bytes]] = (-1, frozenset())
        """The authors known longest, and the version of the presences that they are from."""
        self._live_plans = LivePlans(self._fold_live)
        self._watchers: list[dict[bytes, None]] = []
        self._archive = Archive(self.limits, self._askers, on_sealed)
        self._sweep_queue = SweepQueue()
        self._orphans: dict[bytes, None] = {}
        self._orphan_records = {False: 0, True: 0}
        """How many orphan records there are: small (False) and large (True)."""
        self._pending = Pending(self.limits)
        self._presences = Presences(self.limits, self.roster)
        self.clocks = ClockOffsets(self.limits.presences, self.roster)
        """How far other peers' clocks are from this one's."""
        self.latency = Latency()
        """How long records of others took to arrive."""
        self._forgotten: BoundedSet[bytes] = BoundedSet(self.limits.goals + self.limits.ended_goals)
        self._now_ms = 0

    # Adding records.

    def add(self, raw: bytes, now_ms: int) -> AddResult:
        """Check a record's bytes and keep it. Never raises because of its contents.

        Args:
            raw: the bytes as received.
            now_ms: this peer's wall clock, in ms.
        """
        rid = record_id(raw)
        goal_id = self._goal_of.get(rid)
        if goal_id is not None and self._logs[goal_id].is_copy(rid, raw):
            return AddResult.DUPLICATE
        if self._pending.raw(rid) == raw:
            return AddResult.DUPLICATE
        try:
            # An id does not cover the signature: a copy of a known record may still be a forgery.
            record = decode(raw)
        except RecordError:
            return AddResult.REJECTED
        return self.hear(record, now_ms)

    def hear(self, record: Record, now_ms: int) -> AddResult:
        """Keep another peer's record whose signature is known to be good (see `add`)."""
        if isinstance(record.body, Presence) and record.body.swarm == self.swarm:
            self.clocks.note(record, now_ms, self._silent_after_ms())
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

    def packed(self, goal_id: bytes) -> EndedGoal | None:
        """Return an ended goal as it is packed; None: it is not packed."""
        return self._archive.packed(goal_id)

    def add_packed(self, ended: EndedGoal, now_ms: int) -> bool:
        """Keep a goal as a store under the same grants packed it; only its own record is decoded.

        Returns whether it is kept. If not, nothing has changed: add its records one by one.
        """
        goal, sealed = ended.goal, ended.sealed
        if goal.id in self._logs or goal.id in self._forgotten:
            return False
        if not isinstance(goal.body, Goal) or goal.body.swarm != self.swarm:
            return False
        if max(sealed.last.ms, ended.ended_ms) > now_ms or self._is_foreign(goal.author):
            return False
        log = self._log(goal.id)
        log.open_sealed(goal, sealed)
        for rid in sealed.ids:
            self._goal_of[rid] = goal.id
        self._bytes += log.size
        self._end(goal, ended.ended_ms)
        if ended.done and goal.id in self._logs:
            self._askers.add(goal.id, goal.author)
        self._changed(goal.id)
        self.clock.observe(sealed.last, now_ms)
        if self.on_new is not None and goal.id in self._logs:
            self.on_new(goal)
        if self._over():
            self._make_room()
        return True

    def advance(self, now_ms: int) -> list[bytes]:
        """Let time pass: release held records, run the plans' timers, drop what is too old.

        Only goals whose own time has come, or that changed, are looked at.

        Args:
            now_ms: this peer's wall clock, in ms.

        Returns:
            The goals whose plans have changed because their time came.
        """
        for record in self._pending.release(now_ms + MAX_DRIFT_MS):
            self.add_record(record, now_ms)
        self._now_ms = max(self._now_ms, self.clock.now(now_ms))
        before = {}
        for goal_id in self._live_plans.due(self._now_ms):
            folded = self._logs[goal_id].folded
            before[goal_id] = None if folded is None else folded.digest
            self._changed(goal_id)
        self._presences.expire(now_ms)
        self.clocks.expire(now_ms, self._silent_after_ms())
        self._sweep()
        changed = [
            goal_id
            for goal_id, digest in before.items()
            if (log := self._logs.get(goal_id)) is not None
            and (plan := log.folded) is not None
            and plan.digest != digest
        ]
        self._archive.seal_due(self._now_ms)
        for goal_id in self._archive.too_old(self._now_ms):
            self._forget(goal_id)
        return changed

    def _changed(self, goal_id: bytes) -> None:
        """Note that a goal's plan may have changed, or is gone."""
        log = self._logs.get(goal_id)
        if log is not None and log.goal is not None and self.is_known_asker(log.goal.author):
            self._known_active_ms = self._now_ms
        self._live_plans.change(goal_id)
        self._sweep_queue.add(goal_id)
        for changes in self._watchers:
            changes[goal_id] = None

    def _fold_live(self, goal_id: bytes) -> tuple[Plan | None, int | None]:
        """Return the plan of a goal that lives, and when to look again, in ms (`LivePlans`)."""
        if goal_id not in self._live:
            return None, None
        log = self._logs[goal_id]
        plan = self.plan(goal_id)
        if plan is not None and not plan.final:
            return plan, log.again_ms()
        self._sweep_queue.add(goal_id)
        if plan is not None or log.goal is None:
            return None, log.again_ms()
        again_ms, ends_ms = log.again_ms() or 0, deadline_ms(log.goal)
        return None, min(again_ms, ends_ms) if again_ms > self._now_ms else ends_ms

    def _sweep(self) -> None:
        """Find out which goals have ended, of those that changed or whose time came."""
        for goal_id in self._sweep_queue.take(self._now_ms):
            goal = self._logs[goal_id].goal if goal_id in self._live else None
            if goal is None:
                continue
            ended_ms = end_ms(goal, self.plan(goal_id), self._now_ms)
            if ended_ms is not None:
                self._end(goal, ended_ms)

    def _end(self, goal: Record, ended_ms: int) -> None:
        """Move a goal to the archive: it no longer takes room from those that live."""
        del self._live[goal.id]
        self._live_plans.change(goal.id)
        foreign = self._is_foreign(goal.author)
        gone = self._archive.put(self._logs[goal.id], ended_ms, self._now_ms, foreign=foreign)
        if not foreign:
            self._room_for(goal).take(goal.author, goal.key, goal.id)
        if gone is not None:
            self._forget(gone)

    def _revive(self, goal_id: bytes) -> None:
        """Take a goal for live again, because a record came for it: the next sweep looks again."""
        if self._archive.take(goal_id):
            self._live[goal_id] = None
            self._changed(goal_id)

    # Reading.

    def __contains__(self, rid: object) -> bool:
        """Return whether a record with this id is kept."""
        return rid in self._goal_of

    def __len__(self) -> int:
        return len(self._goal_of)

    def record(self, rid: bytes) -> Record | None:
        """Return a record by its id."""
        goal_id = self._goal_of.get(rid)
        if goal_id is None:
            return None
        self._archive.touch(goal_id, self._now_ms)
        return self._logs[goal_id].records.get(rid)

    def raw(self, rid: bytes) -> bytes | None:
        """Return a record's exact bytes by its id."""
        goal_id = self._goal_of.get(rid)
        return None if goal_id is None else self._logs[goal_id].raw(rid)

    def pack(self, goal_id: bytes) -> Pack | None:
        """Return all records of a goal as they are packed; None: they are not packed."""
        log = self._logs.get(goal_id)
        return None if log is None or log.packed is None else log.packed.pack

    def goals(self) -> Collection[bytes]:
        """Return the ids of all goals of which any record is held, in the order they came here."""
        return self._logs.keys()

    def goal_of(self, rid: bytes) -> bytes | None:
        """Return the id of the goal that a held record belongs to; None: it is not held."""
        return self._goal_of.get(rid)

    def live_goals(self) -> Collection[bytes]:
        """Return the ids of goals that have not ended, or are not known yet.

        A goal that has just ended may still be among them until the next `advance`.
        """
        return self._live.keys()

    def ids(self, goal_id: bytes) -> Collection[bytes]:
        """Return the ids of a goal's records, including the goal's own."""
        log = self._logs.get(goal_id)
        return () if log is None else log.ids

    def summary(self, goal_id: bytes) -> tuple[int, bytes]:
        """Return how many records of a goal are kept, and the XOR of their ids (32 bytes)."""
        log = self._logs.get(goal_id)
        return (0, bytes(32)) if log is None else (log.digest.count, log.digest.xor)

    def records(self, goal_id: bytes) -> Iterator[Record]:
        """Yield a goal's records in no particular order."""
        log = self._logs.get(goal_id)
        if log is not None:
            self._archive.touch(goal_id, self._now_ms)
            yield from log.records.values()

    def plan(self, goal_id: bytes) -> Plan | None:
        """Return a goal's plan as of the last `advance`.

        None while the goal is not known, or if its author may not submit goals here.
        """
        log = self._logs.get(goal_id)
        if log is None or log.goal is None or not self.roster.allows(log.goal):
            return None
        allows = None if self.roster.owner is None else self.roster.allows
        self._archive.touch(goal_id, self._now_ms)
        try:
            return log.plan(self._now_ms, allows)
        except Exception as fault:
            # Strangers write the records: a defect that they bring to light must not end the peer.
            if self.on_fault is None:
                raise
            self.on_fault(goal_id, fault)
            return None

    def plans(self) -> list[Plan]:
        """Return the plans of all known goals, the oldest goal first.

        Those that ended long ago are folded for this call: frequent callers use `live_plans`.
        """
        found = [plan for goal_id in list(self._logs) if (plan := self.plan(goal_id)) is not None]
        return sorted(found, key=lambda plan: plan.goal.key)

    def live_plans(self) -> list[Plan]:
        """Return the plans that have not ended, the oldest goal first.

        A plan that has not changed since is not advanced for it: its `now_ms` may be earlier.
        """
        return self._live_plans.all()

    def live_plan(self, goal_id: bytes) -> Plan | None:
        """Return a goal's plan as of the last `advance`; None if it has ended or is not known."""
        return self._live_plans.get(goal_id)

    def next_change_ms(self) -> int | None:
        """Return when a plan may next change without new records, in ms; None: never."""
        return self._live_plans.next_change_ms()

    def watch(self) -> dict[bytes, None]:
        """Return a mapping whose keys are the goals that have changed since, or are gone.

        The caller removes what it has looked at; there is no end to watching.
        """
        changes: dict[bytes, None] = {}
        self._watchers.append(changes)
        return changes

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

    def is_known_asker(self, author: bytes) -> bool:
        """Return whether an author's goals come before those of newcomers (`known_askers`).

        In an owned swarm nobody does: grants tell peers from strangers there.
        """
        if self.roster.owner is not None:
            return False
        if self._longest[0] != self._presences.version:
            longest = self._presences.known_longest(self._now_ms)
            self._longest = self._presences.version, frozenset(longest)
        share = self._goals.get(False)
        done, live = self._askers.done(author), 0 if share is None else share.count(author)
        return author in self._longest[1] or done >= max(live, 1)

    def known_are_active(self, now_ms: int) -> bool:
        """Return whether a goal of a known author has changed within the last minute."""
        return now_ms - self._known_active_ms < ACTIVE_MS

    def takes_goal_of(self, author: bytes) -> bool:
        """Return whether there is room for one more goal of an author: ended ones take none."""
        foreign = self._is_foreign(author)
        share = self._goals.get(foreign)
        if share is None or share.would_keep(author):
            return True
        self._sweep()
        return share.would_keep(author)

    def majority(self) -> int:
        """Return the quorum for a goal in which any scorer may vote (`first_seen.quorum_for`)."""
        scorers = self._presences.scorers()
        rated = {author for log in self._logs.values() for author in log.raters & scorers}
        proven = 0 if self.roster.owner is not None else len(rated)
        return quorum_for(len(scorers), proven)

    @property
    def presence_version(self) -> int:
        """A number that changes when peers come or go, or with what one of them can do."""
        return self._presences.version

    def miss(self, author: bytes) -> None:
        """Treat a peer as gone until it is heard again."""
        self._presences.miss(author)

    # Limits.

    def _hold(self, record: Record, ahead_ms: int) -> AddResult:
        if ahead_ms > self.limits.hold_ms:
            return AddResult.STALE
        return AddResult.HELD if self._pending.put(record) else AddResult.FULL

    def _silent_after_ms(self) -> int:
        """Return how long after its last presence any peer is taken for gone, in ms."""
        heard = max(len(self._presences), len(self.clocks))
        return gone_after_ms(heard, self.limits.presence_ms)

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
        log = self._log(goal_id)
        outcome = self._insert(log, goal_id, record)
        if outcome is AddResult.NEW:
            self.roster.apply(record)
            self._judge_again()
        return outcome

    def _judge_again(self) -> None:
        """Hand room out again, because an author may now have a grant, and fold all goals again."""
        self._goals.clear()
        self._presences.version += 1
        for goal_id in list(self._archive):
            self._revive(goal_id)
        for log in self._logs.values():
            if log.goal is not None:
                self._reallocate(log)
                log.refold()
                self._changed(log.goal.id)
        self._sweep()
        for log in list(self._logs.values()):
            goal = log.goal
            if goal is not None and (goal.id in self._live or self._is_foreign(goal.author)):
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
        gone = self._find_room(goal)
        over_ms = None
        if gone is not None and self.roster.allows(goal) and not self._is_foreign(goal.author):
            # Without room among those that live it may still go to the archive.
            over_ms = end_by_time_ms(goal, self._now_ms)
        if gone == goal.id and over_ms is None:
            return AddResult.FULL
        if gone is not None and gone != goal.id:
            self._drop(gone)
        if goal.id in self._orphans:
            self._adopt(goal.id)
        log = self._log(goal.id)
        log.open(goal)
        self._goal_of[goal.id] = goal.id
        self._bytes += len(goal.raw)
        self._reallocate(log)
        self._changed(goal.id)
        if over_ms is not None:
            self._end(goal, over_ms)
        return AddResult.NEW

    def _find_room(self, goal: Record) -> bytes | None:
        """Give a goal room among those that live; return the goal that has to go, maybe itself."""
        self._sweep_queue.opened()
        gone = self._room_for(goal).put(goal.author, goal.key, goal.id)
        if gone is None:
            return None
        if not self._sweep_queue.worthwhile(self._now_ms):
            return gone
        # Some of those that seem to live may have ended since the last look.
        lost = goal if gone == goal.id else self._logs[gone].goal
        assert lost is not None
        self._sweep()
        if gone != goal.id and gone not in self._live:
            return None
        return self._room_for(goal).put(lost.author, lost.key, lost.id)

    def _log(self, goal_id: bytes) -> GoalLog:
        """Return a goal's records, a new and empty log if there is none."""
        log = self._logs.get(goal_id)
        if log is None:
            log = self._logs[goal_id] = GoalLog(self.limits)
            self._live[goal_id] = None
        return log

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
            return AddResult.FULL
        if log is None:
            log = self._log(goal_id)
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
        self._revive(goal_id)
        self._changed(goal_id)
        if not log.sorted:
            self._reallocate(log)
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
            goal_id = self._next_to_go()
            if goal_id is None:
                return
            self._forget(goal_id)

    def _next_to_go(self) -> bytes | None:
        """Return the goal that is forgotten first when the store is full; None: there is none."""
        known = [log.goal for log in self._logs.values() if log.goal is not None]
        foreign = [goal for goal in known if not self.roster.allows(goal)]
        if foreign:
            return max(foreign, key=lambda goal: goal.key).id
        if self._archive:
            return self._archive.first_ended()
        if not known:
            return None
        held = Counter[bytes]()
        for goal in known:
            held[goal.author] += len(self._logs[goal.id].ids)
        return max(known, key=lambda goal: (held[goal.author], goal.key)).id

    def _drop(self, goal_id: bytes) -> None:
        if goal_id in self._orphans:
            self._adopt(goal_id)
        log = self._logs.pop(goal_id)
        self._live.pop(goal_id, None)
        self._changed(goal_id)
        self._archive.take(goal_id)
        self._bytes -= log.size
        for rid in list(log.ids):
            self._gone(rid)
        if log.goal is not None:
            self._room_for(log.goal).take(log.goal.author, log.goal.key, log.goal.id)

    def _forget(self, goal_id: bytes) -> None:
        self._drop(goal_id)
        self._forgotten.add(goal_id)
