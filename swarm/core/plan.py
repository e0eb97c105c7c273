"""The fold: a goal's records to its plan tree, the same at every peer that holds the same records.

`Plan.apply` takes records in any order, any number of times; `Plan.advance` lets time pass (vote
windows, leases, the deadline). Both touch only the node concerned and what hangs on it: every
node is a pure function of its own records, the moment it opened, and the nodes it waits for.

One principle settles every conflict: replay in (stamp, author, id) order; the first that is valid
wins, and stays.

Limits bind here, in every peer. The policy's budget of nodes is handed down the tree: an accepted
split of k parts leaves `(budget - k) // n` to each of its n parts that may be split again, so that
the total never exceeds the policy's and no node depends on what happens in another branch.
"""

from __future__ import annotations

import heapq
from bisect import insort
from collections.abc import Callable, Iterable, Iterator

from swarm.core.clock import Stamp, end_of
from swarm.core.digest import node_digest
from swarm.core.node import FINAL as FINAL
from swarm.core.node import Node as Node
from swarm.core.node import State as State
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
    Subgoal,
    child_id,
)
from swarm.core.rounds import Replans, Round
from swarm.core.voting import Vote
from swarm.core.work import Outcome, Work

MAX_NOTICES = 100
"""Notices, and foreign records, that a plan remembers: the newest. They change nothing."""


class Plan:
    """One goal's plan: `fold(records, now)`, kept up to date record by record."""

    def __init__(self, goal: Record, allows: Callable[[Record], bool] | None = None) -> None:
        """Start from the goal record.

        Args:
            goal: the record.
            allows: whether a record's author may say it (the roster of an owned swarm); what it
                refuses is remembered as foreign and counts for nothing. None: anyone may.

        Raises:
            TypeError: the record is no goal.
        """
        if not isinstance(goal.body, Goal):
            raise TypeError(f"a plan starts from a goal record, not a {goal.body.kind}")
        self.goal = goal
        self.body: Goal = goal.body
        self.policy: Policy = goal.body.policy
        self.known = frozenset(goal.body.known)
        """Authors whom the asker had known longest; empty: nobody is told apart."""
        self.now_ms = goal.stamp.ms
        self.deadline_ms = goal.stamp.ms + self.policy.deadline_ms
        self.cancel: Record | None = None
        self.notices: list[Record] = []
        self.foreign: list[Record] = []
        """Records by authors that may not say such a thing here: shown, never folded."""
        self._allows = allows
        self.cutoff = end_of(self.deadline_ms)
        """What is stamped later does not count: the deadline, or an earlier cancel."""
        self._seen: set[bytes] = {goal.id}
        self._votes: dict[bytes, list[Record]] = {}
        self._works: dict[bytes, Work] = {}
        self._replans = Replans()
        self._above: dict[bytes, bytes] = {}
        """The parent's id of every node that was ever in a tree, of an earlier round too."""
        self._nodes: dict[bytes, Node] = {}
        self._timers: list[tuple[int, bytes]] = []
        self._armed: set[tuple[int, bytes]] = set()
        self.root = self._attach(
            goal.id,
            Subgoal(title=_one_line(self.body.text), detail="", kind="goal"),
            parent=None,
            index=0,
            opened=goal.stamp,
            budget=self.policy.max_nodes - 1,
        )
        self._timer(self.deadline_ms + 1, goal.id)
        self._refresh(self.root)

    # What people and agents read.

    @property
    def id(self) -> bytes:
        """The goal's id, which is the root node's too."""
        return self.goal.id

    @property
    def state(self) -> State:
        """The root's state."""
        return self.state_of(self.root)

    @property
    def final(self) -> bool:
        """Whether the goal has ended."""
        return self.state in FINAL

    @property
    def reason(self) -> str:
        """Why the goal ended as it did, or what it waits for."""
        return self.reason_of(self.root)

    @property
    def over(self) -> bool:
        """Whether the deadline or a cancel has passed: nothing more can count."""
        return self.now_ms > self.cutoff.ms or self.cancel is not None

    def has(self, rid: bytes) -> bool:
        """Return whether a record was folded in."""
        return rid in self._seen

    def node(self, node_id: bytes) -> Node | None:
        """Return a node of the present tree; None for one that is not in it."""
        return self._nodes.get(node_id)

    def nodes(self) -> Iterator[Node]:
        """Yield the nodes of the present tree, parents first."""
        return self.root.walk()

    def state_of(self, node: Node) -> State:
        """Return where a node stands."""
        if node.settled_as is not None:
            return node.settled_as
        if self.over:
            if self.cancel is not None:
                return "cancelled"
            return "partial" if any(n.text for n in node.walk()) else "failed"
        if node.children:
            return "assembling" if node.ready is not None else "executing"
        if node.is_task:
            return "executing" if node.outcome.holder is not None else "open"
        assert node.vote is not None
        return "voting" if node.vote.valid() else "open"

    def reason_of(self, node: Node) -> str:
        """Return, for people, why a node ended so or what it waits for."""
        if node.settled_as is not None:
            return node.reason
        if self.over:
            if self.cancel is not None:
                assert isinstance(self.cancel.body, Cancel)
                return self.cancel.body.reason or "cancelled by whoever asked"
            return "the deadline passed"
        match self.state_of(node):
            case "open" if node.vote is not None and node.decision is None:
                return "waits for proposals"
            case "open" if node.ready is None:
                return "waits for the parts it comes after"
            case "open":
                return "waits for an executor"
            case "voting":
                return f"waits for a quorum of {self.policy.quorum}"
            case "assembling":
                return "its parts are being put together"
            case _:
                return "in the works"

    @property
    def digest(self) -> bytes:
        """Fingerprint of the whole folded state, 32 bytes: equal at peers that agree."""
        return self._digest_of(self.root)

    def next_change_ms(self) -> int | None:
        """Return when time alone may change the plan next, in ms; None: never."""
        return self._timers[0][0] if self._timers else None

    # What changes it.

    def apply(self, record: Record) -> bool:
        """Fold in one record; return whether it was new.

        Records of other goals and of kinds that are not folded change nothing.
        """
        new = record.id not in self._seen and record.goal_id == self.id
        self.apply_all((record,))
        return new

    def apply_all(self, records: Iterable[Record]) -> None:
        """Fold in records together.

        The plan comes out as if they had come one by one, but each node they concern is derived
        once: a flood at one node costs what it holds, not its square.
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
            # A record is a witness of time: what was due before its stamp has come to pass.
            self.advance(max(record.stamp.ms for record in new))
        for node_id, earliest in touched.items():
            node = self._nodes.get(node_id)
            if node is not None:
                self._refresh(node)
            if self._replans:
                self._look_back(earliest)

    def _is_new(self, record: Record) -> bool:
        """Return whether a record is to be folded; foreign ones are only remembered."""
        if record.id in self._seen or record.goal_id != self.id:
            return False
        self._seen.add(record.id)
        if self._allows is not None and not self._allows(record):
            insort(self.foreign, record, key=lambda other: other.key)
            del self.foreign[:-MAX_NOTICES]
            return False
        return True

    def _file(self, record: Record) -> bytes | None:
        """Put a record where it belongs; return the node to derive again."""
        match record.body:
            case Proposal(node=node_id) | Ballot(node=node_id):
                self._votes.setdefault(node_id, []).append(record)
                node = self._nodes.get(node_id)
                if node is not None:
                    node.hear(record)
                return node_id
            case Claim(node=node_id) | Progress(node=node_id) | Result(node=node_id):
                self._work(node_id).add(record)
                return node_id
            case Replan(node=node_id):
                if record.author == self.goal.author:
                    self._replans.add(node_id, record)
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
        self.now_ms = now_ms
        due = False
        while self._timers and self._timers[0][0] <= now_ms:
            timer = heapq.heappop(self._timers)
            self._armed.discard(timer)
            node = self._nodes.get(timer[1])
            if node is not None:
                due = True
                self._refresh(node)
        if due and self.over:
            self._forget_digests()
        return due

    # Derivation.

    def _cancelled(self, record: Record) -> None:
        if record.author != self.goal.author or record.stamp <= self.goal.stamp:
            return
        if self.cancel is not None and self.cancel.key < record.key:
            return
        if record.stamp > end_of(self.deadline_ms):
            return
        self.cancel, self.cutoff = record, record.stamp
        # Rare, and it concerns the whole plan: derive everything again under the new cutoff.
        # A goal that had ended before comes out the same: all that settled it is earlier.
        self._refresh_all(self.root)
        self._forget_digests()

    def _refresh_all(self, node: Node) -> None:
        self._refresh(node)
        for child in node.children:
            self._refresh_all(child)

    def _work(self, node_id: bytes) -> Work:
        work = self._works.get(node_id)
        if work is None:
            work = self._works[node_id] = Work(node_id)
        return work

    def _arm(self, at_ms: int | None, node: Node) -> None:
        if node.until is None:
            self._timer(at_ms, node.id)

    def _timer(self, at_ms: int | None, node_id: bytes) -> None:
        if at_ms is None or at_ms <= self.now_ms or (at_ms, node_id) in self._armed:
            return
        self._armed.add((at_ms, node_id))
        heapq.heappush(self._timers, (at_ms, node_id))

    def _bounds(self, node: Node) -> tuple[int, Stamp]:
        """Return the time to derive a node at, in ms, and what is too late to count there."""
        if node.until is None:
            return self.now_ms, self.cutoff
        return min(self.now_ms, node.until.ms), min(self.cutoff, node.until)

    def _attach(
        self,
        node_id: bytes,
        part: Subgoal,
        *,
        parent: Node | None,
        index: int,
        opened: Stamp,
        budget: int,
    ) -> Node:
        depth = parent.depth + 1 if parent else 0
        vote = None
        if part.kind == "goal" and depth < self.policy.max_depth and budget >= 2:
            vote = self._open(node_id, opened, depth, budget)
        node = Node(
            node_id,
            part,
            parent=parent,
            index=index,
            opened=opened,
            budget=budget,
            vote=vote,
            work=self._work(node_id),
            until=parent.until if parent else None,
        )
        if parent is not None:
            self._above[node_id] = parent.id
        if node.until is None:
            self._nodes[node_id] = node
        return node

    def _open(
        self, node_id: bytes, opened: Stamp, depth: int, budget: int, *, again: bool = False
    ) -> Vote:
        """Return a vote with the records it has so far; opened again, without those of before."""
        vote = Vote(
            self.policy, attester=self.goal.author, opened=opened, depth=depth, budget=budget
        )
        for record in self._votes.get(node_id, ()):
            if not again or record.stamp > opened:
                vote.add(record)
        return vote

    def _detach(self, node: Node) -> None:
        for child in node.children:
            self._detach(child)
            if child.until is None:
                self._nodes.pop(child.id, None)
        node.children = ()

    def _look_back(self, record: Record) -> None:
        """Derive again the nodes whose earlier rounds a late record may have changed."""
        node_id: bytes | None = getattr(record.body, "node", None)
        while node_id is not None:
            node = self._nodes.get(node_id)
            if node is not None and self._replans.may_concern(node_id, record.stamp):
                self._refresh(node)
            node_id = self._above.get(node_id)

    def _reopen(self, node: Node, vote: Vote) -> Vote:
        """Find which replans of a node count; return the vote of its latest round."""
        _, cutoff = self._bounds(node)
        rounds: list[Round] = []
        opened = node.opened
        for replan in self._replans.of(node.id):
            if len(rounds) == self.policy.max_replans:
                break
            if not opened < replan.stamp <= cutoff:
                continue
            then = Node(
                node.id,
                node.part,
                parent=node.parent,
                index=node.index,
                opened=node.opened,
                budget=node.budget,
                vote=self._open(node.id, opened, node.depth, node.budget, again=bool(rounds)),
                work=node.work,
                until=replan.stamp,
                shadow=True,
            )
            self._refresh(then)
            decided = then.decision is not None and then.decision.stamp < replan.stamp
            if not decided or then.settled is not None:
                continue
            assert then.vote is not None
            assert then.decision is not None
            rounds.append(Round(then.vote, then.decision, replan))
            opened = replan.stamp
        node.rounds = tuple(rounds)
        if vote.opened != opened:
            vote = self._open(node.id, opened, node.depth, node.budget, again=bool(rounds))
            node.vote = vote
        return vote

    def _refresh(self, node: Node) -> None:
        """Derive one node again, and what hangs on it if it came out otherwise."""
        before = (node.settled, node.settled_as)
        if node.vote is not None:
            self._decide(node, node.vote)
        self._derive(node)
        if node.shadow:
            return
        self._dirty(node)
        if (node.settled, node.settled_as) != before and node.parent is not None:
            for sibling in node.parent.children:
                if node.index in sibling.part.after:
                    self._refresh_all(sibling)
            self._refresh(node.parent)

    def _decide(self, node: Node, vote: Vote) -> None:
        if node.id in self._replans and not node.shadow:
            vote = self._reopen(node, vote)
        decision = vote.decide(*self._bounds(node))
        self._arm(vote.next_change_ms(), node)
        old = node.decision
        node.decision = decision
        if old is not None and decision is not None:
            same = old.stamp == decision.stamp and (old.proposal and old.proposal.id) == (
                decision.proposal and decision.proposal.id
            )
            if same:
                return
        self._detach(node)
        if decision is None or decision.proposal is None:
            return
        proposal = decision.proposal
        assert isinstance(proposal.body, Proposal)
        parts = proposal.body.parts
        again = sum(part.kind == "goal" for part in parts)
        left = (node.budget - len(parts)) // again if again else 0
        node.children = tuple(
            self._attach(
                child_id(proposal.id, index),
                part,
                parent=node,
                index=index,
                opened=decision.stamp,
                budget=left if part.kind == "goal" else 0,
            )
            for index, part in enumerate(parts)
        )
        for child in node.children:
            self._refresh(child)

    def _derive(self, node: Node) -> None:
        node.settled, node.settled_as, node.reason = None, None, ""
        node.ready = self._ready_since(node)
        if node.vote is not None and node.decision is not None and node.decision.how == "failed":
            node.settled, node.settled_as = node.decision.stamp, "failed"
            node.reason = node.decision.reason
            node.outcome = Outcome()
            return
        if node.ready is None:
            node.outcome = Outcome()
            return
        if node.children and all(child.settled_as == "failed" for child in node.children):
            node.outcome = Outcome()
            node.settled, node.settled_as = node.ready, "failed"
            node.reason = "all its parts failed"
            return
        now_ms, cutoff = self._bounds(node)
        out = node.work.outcome(node.ready, self.policy, now_ms, cutoff, self.deadline_ms)
        node.outcome = out
        self._arm(out.next_change_ms, node)
        if out.settled is None:
            return
        node.settled = out.settled
        node.settled_as, node.reason = self._verdict(node, out)

    def _ready_since(self, node: Node) -> Stamp | None:
        """Return since when a node can be claimed: what it waits for is settled."""
        if node.children:
            waits: tuple[Node, ...] = node.children
            since = node.opened if node.decision is None else node.decision.stamp
        elif node.vote is None:
            waits, since = node.waits_for, node.opened
        elif node.decision is not None and node.decision.how != "failed":
            waits, since = node.waits_for, node.decision.stamp
        else:
            return None
        for other in waits:
            if other.settled is None:
                return None
            since = max(since, other.settled)
        return since

    @staticmethod
    def _verdict(node: Node, out: Outcome) -> tuple[State, str]:
        short = [child for child in node.children if child.settled_as != "done"]
        if out.failed and node.children:
            return "partial", f"putting the parts together failed: {out.reason}"
        if out.failed:
            return "failed", out.reason
        if short:
            names = ", ".join(f"“{child.title}”" for child in short)
            return "partial", f"without what is missing from {names}"
        return "done", "done"

    # Digest.

    def _dirty(self, node: Node | None) -> None:
        while node is not None:
            node._digest = None
            node = node.parent

    def _forget_digests(self) -> None:
        for node in self.root.walk():
            node._digest = None

    def _digest_of(self, node: Node) -> bytes:
        if node._digest is None:
            decision, outcome = node.decision, node.outcome
            node._digest = node_digest(
                node=node.id,
                state=self.state_of(node),
                accepted=decision.proposal.id if decision and decision.proposal else None,
                accepted_at=decision.stamp if decision else None,
                attempt=outcome.attempt.number if outcome.attempt else 0,
                holder=outcome.holder.id if outcome.holder else None,
                result=node.result.id if node.result else None,
                settled=node.settled,
                children=[self._digest_of(child) for child in node.children],
            )
        return node._digest


def _one_line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 200 else line[:199] + "…"
