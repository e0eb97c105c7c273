"""The fold: a goal's records to its plan tree, the same at every peer that holds the same records.

`Plan.apply` takes records in any order and any number of times; `Plan.advance` lets time pass (vote
windows, leases, the deadline). This module decides which records count and gives the state of
everything; `tree` derives the nodes.

One principle settles every conflict: records are replayed in (stamp, author, id) order, and the
first valid one wins and stays.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable, Iterable, Iterator

from swarm.core.clock import Stamp, end_of
from swarm.core.digest import node_digest
from swarm.core.fold.node import FINAL, Node, State
from swarm.core.fold.reasons import (
    BeingAssembled,
    BeingRevised,
    Cancelled,
    DeadlinePassed,
    InProgress,
    Reason,
    WaitsForExecutor,
    WaitsForParts,
    WaitsForProposals,
    WaitsForQuorum,
    WaitsForReview,
    WaitsForRevision,
)
from swarm.core.fold.tree import Tree
from swarm.core.policy import Policy
from swarm.core.records import (
    Ballot,
    Cancel,
    Claim,
    Goal,
    Notice,
    Progress,
    Proposal,
    Record,
    Replan,
    Result,
    Review,
)

MAX_NOTICES = 100
"""How many of the newest notices, and of the newest foreign records, a plan remembers. They change
nothing."""


class Plan:
    """One goal's plan: `fold(records, now)`, kept up to date record by record."""

    def __init__(self, goal: Record, allows: Callable[[Record], bool] | None = None) -> None:
        """Start from the goal record.

        Args:
            goal: the record.
            allows: whether an author may publish a record (the roster of an owned swarm); records
                it refuses are remembered as foreign and do not count. None: anyone may.

        Raises:
            TypeError: the record is not a goal.
        """
        if not isinstance(goal.body, Goal):
            raise TypeError(f"a plan starts from a goal record, not a {goal.body.kind}")
        self.goal = goal
        self.body: Goal = goal.body
        self.policy: Policy = goal.body.policy
        self.known = frozenset(goal.body.known)
        """Authors that the goal names as known longest; empty: all authors are treated alike."""
        self.cancel: Record | None = None
        self.notices: list[Record] = []
        self.foreign: list[Record] = []
        """Records whose authors lack the role they need: shown, never folded."""
        self._allows = allows
        self._seen: set[bytes] = {goal.id}
        self._tree = Tree(goal, _one_line(self.body.text), self.policy)
        self.root = self._tree.root

    # Reading.

    @property
    def id(self) -> bytes:
        """The goal's id, which is also the root node's."""
        return self.goal.id

    @property
    def now_ms(self) -> int:
        """The time the plan is folded at, in ms."""
        return self._tree.now_ms

    @property
    def deadline_ms(self) -> int:
        """When the goal ends, in ms."""
        return self._tree.deadline_ms

    @property
    def cutoff(self) -> Stamp:
        """The deadline, or an earlier cancel: records stamped later do not count."""
        return self._tree.cutoff

    @property
    def state(self) -> State:
        """The root's state."""
        return self.state_of(self.root)

    @property
    def final(self) -> bool:
        """Whether the goal has ended."""
        return self.state in FINAL

    @property
    def reason(self) -> Reason:
        """Why the goal ended as it did, or what it waits for."""
        return self.reason_of(self.root)

    @property
    def over(self) -> bool:
        """Whether the deadline or a cancel has passed, so that no more records can count."""
        return self.now_ms > self.cutoff.ms or self.cancel is not None

    def has(self, rid: bytes) -> bool:
        """Return whether a record was seen, whether or not it counts."""
        return rid in self._seen

    def node(self, node_id: bytes) -> Node | None:
        """Return a node of the current tree; None if it is not in it."""
        return self._tree.node(node_id)

    def nodes(self) -> Iterator[Node]:
        """Yield the nodes of the current tree, parents first."""
        return self.root.walk()

    def state_of(self, node: Node) -> State:
        """Return the state of a node."""
        if node.settled_as is not None:
            return node.settled_as
        if self.over:
            if self.cancel is not None:
                return "cancelled"
            return "partial" if any(n.text for n in node.walk()) else "failed"
        if node.children:
            return "assembling" if node.ready is not None else "executing"
        if node.is_task:
            outcome = node.outcome
            return "executing" if outcome.holder or outcome.reviewed else "open"
        assert node.vote is not None
        return "voting" if node.vote.valid() else "open"

    def reason_of(self, node: Node) -> Reason:
        """Return why a node ended as it did, or what it waits for."""
        if node.reason is not None:
            return node.reason
        if self.over:
            if self.cancel is not None:
                assert isinstance(self.cancel.body, Cancel)
                return Cancelled(self.cancel.body.reason)
            return DeadlinePassed()
        outcome = node.outcome
        if outcome.reviewed is not None:
            return WaitsForReview(outcome.reviewed.quorum)
        if outcome.sent_back is not None:
            critique = " ".join(outcome.sent_back.critiques)
            return BeingRevised(critique) if outcome.holder else WaitsForRevision(critique)
        match self.state_of(node):
            case "open" if node.vote is not None and node.decision is None:
                return WaitsForProposals()
            case "open" if node.ready is None:
                return WaitsForParts()
            case "open":
                return WaitsForExecutor()
            case "voting":
                return WaitsForQuorum(self.policy.quorum)
            case "assembling":
                return BeingAssembled()
            case _:
                return InProgress()

    @property
    def digest(self) -> bytes:
        """Fingerprint of the whole folded state, 32 bytes; it is equal at peers that agree."""
        return self._digest_of(self.root)

    def next_change_ms(self) -> int | None:
        """Return when the plan may next change without new records, in ms; None: never."""
        return self._tree.next_change_ms()

    # Changing.

    def apply(self, record: Record) -> bool:
        """Fold in one record; return whether it was new to this plan.

        Records of other goals, and of kinds that are not folded, change nothing.
        """
        new = record.id not in self._seen and record.goal_id == self.id
        self.apply_all((record,))
        return new

    def apply_all(self, records: Iterable[Record]) -> None:
        """Fold in records together.

        The plan is the same as if they had come one by one, but each node they concern is derived
        only once: the cost of a flood at one node grows with its size, not with its square.
        """
        new = [record for record in records if self._is_new(record)]
        touched: dict[bytes, Record] = {}
        for record in new:
            node_id = self._file(record)
            if node_id is not None and (
                node_id not in touched or record.key < touched[node_id].key
            ):
                touched[node_id] = record
        if new:
            # A record proves that time has passed: whatever was due before its stamp has happened.
            self.advance(max(record.stamp.ms for record in new))
        self._tree.touch(touched)

    def _is_new(self, record: Record) -> bool:
        """Return whether a record has to be folded; foreign ones are only remembered."""
        if record.id in self._seen or record.goal_id != self.id:
            return False
        self._seen.add(record.id)
        if self._allows is not None and not self._allows(record):
            insort(self.foreign, record, key=lambda other: other.key)
            del self.foreign[:-MAX_NOTICES]
            return False
        return True

    def _file(self, record: Record) -> bytes | None:
        """File a record where it belongs; return the id of the node to derive again, if any."""
        match record.body:
            case Proposal(node=node_id) | Ballot(node=node_id):
                self._tree.vote(node_id, record)
                return node_id
            case (
                Claim(node=node_id)
                | Progress(node=node_id)
                | Result(node=node_id)
                | Review(node=node_id)
            ):
                self._tree.work(node_id).add(record)
                return node_id
            case Replan(node=node_id):
                if record.author == self.goal.author:
                    self._tree.replan(node_id, record)
                return node_id
            case Cancel():
                self._cancelled(record)
            case Notice():
                insort(self.notices, record, key=lambda notice: notice.key)
                del self.notices[:-MAX_NOTICES]
        return None

    def advance(self, now_ms: int) -> bool:
        """Let time pass up to `now_ms`; return whether anything was due. Never runs backwards."""
        if now_ms <= self.now_ms:
            return False
        due = self._tree.advance(now_ms)
        if due and self.over:
            self._forget_digests()
        return due

    def _cancelled(self, record: Record) -> None:
        if record.author != self.goal.author or record.stamp <= self.goal.stamp:
            return
        if self.cancel is not None and self.cancel.key < record.key:
            return
        if record.stamp > end_of(self.deadline_ms):
            return
        self.cancel, self._tree.cutoff = record, record.stamp
        # This is rare and concerns the whole plan: derive everything again under the new cutoff.
        # A goal that had already ended stays the same, because all that settled it is earlier.
        self._tree.refresh_all()
        self._forget_digests()

    def _forget_digests(self) -> None:
        for node in self.root.walk():
            node.digest = None

    def _digest_of(self, node: Node) -> bytes:
        if node.digest is None:
            decision, outcome = node.decision, node.outcome
            result = node.result or (outcome.reviewed.result if outcome.reviewed else None)
            node.digest = node_digest(
                node=node.id,
                state=self.state_of(node),
                accepted=decision.proposal.id if decision and decision.proposal else None,
                accepted_at=decision.stamp if decision else None,
                attempt=outcome.attempt.number if outcome.attempt else 0,
                holder=outcome.holder.id if outcome.holder else None,
                result=result.id if result else None,
                settled=node.settled,
                children=[self._digest_of(child) for child in node.children],
            )
        return node.digest


def _one_line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 200 else line[:199] + "…"
