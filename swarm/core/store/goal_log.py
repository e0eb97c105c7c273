"""All records of one goal that a store keeps, and the plan folded from them.

The plan is folded lazily: records wait until the plan is asked for and are then folded in together,
so that a flood costs one fold for each request and not one for each record.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Literal

from swarm.core.digest import SetDigest
from swarm.core.fold.plan import Plan
from swarm.core.records import Ballot, Goal, Record
from swarm.core.store.fair_share import FairShare
from swarm.core.store.limits import LARGE, Limits
from swarm.core.store.sealed_goal import SealedGoal

Standing = Literal["submitter", "member", "newcomer", "foreign"]
"""An author's relation to a goal: its submitter; an author that may publish and that the goal names
as known, if it names any; any other author that may publish; one that may not."""

FOLDED_PER_MS = 10
"""Records for each millisecond of pause between two folds from scratch. Folding takes about 0.03 ms
a record, so such folds take less than a third of one core, however large the goal."""

FAULT_REST_MS = 60_000
"""How long a goal is not folded after folding it raised an error, in ms."""


class GoalLog:
    """One goal's records within their bounds."""

    def __init__(self, limits: Limits) -> None:
        """Start empty."""
        self.goal: Record | None = None
        self.known: frozenset[bytes] = frozenset()
        """Authors that the goal names as known; empty: all are treated alike."""
        self._records: dict[bytes, Record] = {}
        self._sealed: SealedGoal | None = None
        self.sorted = True
        """Whether each record's share of the room is known; it is not after `seal`."""
        self.digest = SetDigest()
        self.size = 0
        """Bytes of all records, as sent."""
        self._limits = limits
        self._shares: dict[tuple[Standing, bool], FairShare] = {}
        self._plan: Plan | None = None
        self._waiting: list[Record] = []
        self._refold_ms: int | None = None
        self._rests_until_ms = 0

    @property
    def records(self) -> dict[bytes, Record]:
        """All records, by id. A sealed goal is unpacked for it, and stays so until `seal`."""
        if self._sealed is not None:
            self._records = {record.id: record for record in self._sealed.records()}
            if self.goal is not None:
                self._records[self.goal.id] = self.goal
            self._sealed = None
        return self._records

    @property
    def ids(self) -> Collection[bytes]:
        """The ids of all records."""
        return self._records.keys() if self._sealed is None else self._sealed.ids

    @property
    def sealed(self) -> bool:
        """Whether the records are packed, and nothing is folded."""
        return self._sealed is not None

    @property
    def raters(self) -> frozenset[bytes]:
        """The authors of all ballots."""
        if self._sealed is not None:
            return self._sealed.raters
        ballots = (record for record in self._records.values() if isinstance(record.body, Ballot))
        return frozenset(record.author for record in ballots)

    def raw(self, rid: bytes) -> bytes | None:
        """Return a record's exact bytes by its id; a sealed goal stays sealed."""
        if self._sealed is not None:
            return self._sealed.raws().get(rid)
        record = self._records.get(rid)
        return None if record is None else record.raw

    def is_copy(self, rid: bytes, raw: bytes) -> bool:
        """Return whether these are the bytes of the record that is kept under this id."""
        if self._sealed is not None:
            return self._sealed.is_copy(rid, raw)
        record = self._records.get(rid)
        return record is not None and record.raw == raw

    @property
    def packed(self) -> SealedGoal | None:
        """The records as `seal` packed them; None: they are not packed."""
        return self._sealed

    def seal(self) -> bool:
        """Pack the records of a goal that has ended, and forget the plan; reading undoes it.

        Returns:
            Whether they were not packed before.
        """
        unpacked = self._sealed is None
        if unpacked:
            self._sealed = SealedGoal(self._records.values())
            self._records = {}
        self._plan, self._waiting, self._refold_ms = None, [], None
        self._shares.clear()
        self.sorted = False
        return unpacked

    def open_sealed(self, goal: Record, sealed: SealedGoal) -> None:
        """Take the records of an ended goal, its own included, as they were packed earlier."""
        self.goal = goal
        if isinstance(goal.body, Goal):
            self.known = frozenset(goal.body.known)
        for rid in sealed.ids:
            self.digest.add(rid)
        self.size = sealed.size
        self._sealed = sealed
        self.sorted = False

    def open(self, goal: Record) -> None:
        """Keep the goal's own record, which takes up no room; call `reallocate` next."""
        self.goal = goal
        if isinstance(goal.body, Goal):
            self.known = frozenset(goal.body.known)
        self.records[goal.id] = goal
        self.digest.add(goal.id)
        self.size += len(goal.raw)

    def put(self, record: Record, standing: Standing) -> bytes | None:
        """Keep a new record; return the id of the record dropped for it, which may be itself."""
        self.records[record.id] = record
        self.digest.add(record.id)
        self.size += len(record.raw)
        gone = self._share(standing, record).put(record.author, record.key, record.id)
        if gone is not None:
            self._drop(gone)
        if gone != record.id and self._plan is not None:
            self._waiting.append(record)
        return gone

    def reallocate(self, standing_of: Callable[[Record], Standing]) -> list[bytes]:
        """Hand the room out again after standings changed; return the ids of dropped records."""
        kept = sorted(self.records.values(), key=lambda record: record.key)
        self._shares.clear()
        self.sorted = True
        gone = []
        for record in kept:
            if record is self.goal:
                continue
            share = self._share(standing_of(record), record)
            dropped = share.put(record.author, record.key, record.id)
            if dropped is not None:
                self._drop(dropped)
                gone.append(dropped)
        return gone

    def plan(self, now_ms: int, allows: Callable[[Record], bool] | None) -> Plan | None:
        """Return the plan as of `now_ms`; None while the goal is not known, or after a fault.

        An error in folding is raised once; then the goal is not folded for `FAULT_REST_MS`. A
        defect that one goal's records bring to light must not cost more than that goal.

        Args:
            now_ms: the time to fold at, in ms.
            allows: whether an author may publish a record; None: anyone may.
        """
        if self.goal is None or now_ms < self._rests_until_ms:
            return None
        try:
            return self._folded(self.goal, now_ms, allows)
        except Exception:
            # Whatever the error is: a half-folded plan must not be used.
            self._plan = None
            self._rests_until_ms = now_ms + FAULT_REST_MS
            raise

    def _folded(self, goal: Record, now_ms: int, allows: Callable[[Record], bool] | None) -> Plan:
        if self._refold_ms is not None and self._refold_ms <= now_ms:
            self._plan = None
        if self._plan is None:
            self._plan = Plan(goal, allows)
            self._waiting = list(self.records.values())
            self._refold_ms = None
        if self._plan.now_ms < now_ms:
            self._plan.advance(now_ms)
        if self._waiting:
            waiting, self._waiting = self._waiting, []
            # In replay order: a record from the past restarts the replay of its vote.
            waiting.sort(key=lambda record: record.key)
            self._plan.apply_all(record for record in waiting if record.id in self.records)
        return self._plan

    def refold(self) -> None:
        """Fold from scratch when the plan is next asked for."""
        self._plan = None

    def expire(self, now_ms: int) -> None:
        """Note that a folded record was dropped: fold from scratch, but not at once."""
        if self._refold_ms is None:
            pause = max(self._limits.refold_ms, len(self.records) // FOLDED_PER_MS)
            self._refold_ms = now_ms + pause

    @property
    def expired(self) -> bool:
        """Whether the plan contains a dropped record; if so it is folded again soon."""
        return self._refold_ms is not None

    def again_ms(self) -> int | None:
        """Return when to fold again although no record came, in ms; None: never.

        That is when the plan's own time comes, when it contains a dropped record, or when the rest
        after a fault ends.
        """
        plan_ms = self._plan.next_change_ms() if self._plan is not None else self._rests_until_ms
        return min((at for at in (plan_ms, self._refold_ms) if at), default=None)

    @property
    def folded(self) -> Plan | None:
        """The plan as last returned; None: it will be folded from scratch."""
        return self._plan

    def _share(self, standing: Standing, record: Record) -> FairShare:
        large = len(record.raw) >= LARGE
        share = self._shares.get((standing, large))
        if share is None:
            limits = self._limits
            most, most_large, per_author = {
                "submitter": (
                    limits.records_of_submitter,
                    limits.large_per_goal,
                    limits.records_of_submitter,
                ),
                "member": (
                    limits.records_per_goal,
                    limits.large_per_goal,
                    limits.records_per_author,
                ),
                "newcomer": (
                    limits.newcomers_per_goal,
                    limits.large_newcomers_per_goal,
                    limits.records_per_author,
                ),
                "foreign": (
                    limits.foreign_per_goal,
                    limits.large_per_goal,
                    limits.foreign_per_author,
                ),
            }[standing]
            if large:
                most = min(most, most_large)
                per_author = min(per_author, limits.large_per_author)
            share = self._shares[standing, large] = FairShare(most, per_author)
        return share

    def _drop(self, rid: bytes) -> None:
        record = self.records.pop(rid)
        self.digest.remove(rid)
        self.size -= len(record.raw)
