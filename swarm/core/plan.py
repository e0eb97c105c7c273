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
from collections.abc import Callable, Iterator
from typing import Literal

from swarm.core.clock import Stamp, end_of
from swarm.core.digest import node_digest
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
    Result,
    Subgoal,
    child_id,
)
from swarm.core.voting import Decision, Vote
from swarm.core.work import Outcome, Work

State = Literal[
    "open", "voting", "executing", "assembling", "done", "partial", "failed", "cancelled"
]
MAX_NOTICES = 100
"""Notices, and foreign records, that a plan remembers: the newest. They change nothing."""

FINAL: frozenset[State] = frozenset(("done", "partial", "failed", "cancelled"))


class Node:
    """One node of the plan. Everything here is derived; read it, never write it."""

    __slots__ = (
        "_digest",
        "budget",
        "children",
        "decision",
        "depth",
        "id",
        "index",
        "opened",
        "outcome",
        "parent",
        "part",
        "ready",
        "reason",
        "settled",
        "settled_as",
        "vote",
        "work",
    )

    def __init__(
        self,
        node_id: bytes,
        part: Subgoal,
        *,
        parent: Node | None,
        index: int,
        opened: Stamp,
        budget: int,
        vote: Vote | None,
        work: Work,
    ) -> None:
        self.id = node_id
        self.part = part
        self.parent = parent
        self.index = index
        self.depth: int = parent.depth + 1 if parent else 0
        self.opened = opened
        self.budget = budget
        """Nodes that may still be made below this one."""
        self.vote = vote
        """The vote on how to split it; None: it is a task from the start."""
        self.work = work
        self.decision: Decision | None = None
        self.children: tuple[Node, ...] = ()
        self.ready: Stamp | None = None
        """Since when it can be claimed, as a task or to be put together."""
        self.outcome = Outcome()
        self.settled: Stamp | None = None
        self.settled_as: State | None = None
        self.reason = ""
        self._digest: bytes | None = None

    @property
    def title(self) -> str:
        """What it is about, one line."""
        return self.part.title

    @property
    def is_task(self) -> bool:
        """Whether it is, or became, something to do rather than to split."""
        if self.vote is None:
            return True
        return self.decision is not None and self.decision.how != "failed" and not self.children

    @property
    def result(self) -> Record | None:
        """The result that settled it."""
        return self.outcome.result if self.settled else None

    @property
    def text(self) -> str:
        """The settled result's Markdown; empty when there is none."""
        result = self.result
        return result.body.text if result and isinstance(result.body, Result) else ""

    @property
    def earlier(self) -> tuple[Node, ...]:
        """The siblings that it comes after."""
        if self.parent is None:
            return ()
        return tuple(self.parent.children[i] for i in self.part.after)

    @property
    def waits_for(self) -> tuple[Node, ...]:
        """All nodes whose settling this one waits for before it can be done as a task.

        A part that comes after another holds back everything below it too.
        """
        found: list[Node] = []
        node: Node | None = self
        while node is not None:
            found.extend(node.earlier)
            node = node.parent
        return tuple(found)

    def walk(self) -> Iterator[Node]:
        """Yield this node and all below it, parents first, siblings in order."""
        yield self
        for child in self.children:
            yield from child.walk()


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
        if record.id in self._seen or record.goal_id != self.id:
            return False
        self._seen.add(record.id)
        if self._allows is not None and not self._allows(record):
            insort(self.foreign, record, key=lambda other: other.key)
            del self.foreign[:-MAX_NOTICES]
            return True
        # A record is a witness of time: whatever was due before its stamp has come to pass.
        self.advance(record.stamp.ms)
        match record.body:
            case Proposal(node=node_id) | Ballot(node=node_id):
                self._votes.setdefault(node_id, []).append(record)
                node = self._nodes.get(node_id)
                if node is not None and node.vote is not None:
                    node.vote.add(record)
            case Claim(node=node_id) | Progress(node=node_id) | Result(node=node_id):
                self._work(node_id).add(record)
                node = self._nodes.get(node_id)
            case Cancel():
                self._cancelled(record)
                node = None
            case Notice():
                insort(self.notices, record, key=lambda notice: notice.key)
                del self.notices[:-MAX_NOTICES]
                node = None
            case _:
                node = None
        if node is not None:
            self._refresh(node)
        return True

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

    def _timer(self, at_ms: int | None, node_id: bytes) -> None:
        if at_ms is None or at_ms <= self.now_ms or (at_ms, node_id) in self._armed:
            return
        self._armed.add((at_ms, node_id))
        heapq.heappush(self._timers, (at_ms, node_id))

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
            vote = Vote(
                self.policy,
                attester=self.goal.author,
                opened=opened,
                depth=depth,
                budget=budget,
            )
            for record in self._votes.get(node_id, ()):
                vote.add(record)
        node = Node(
            node_id,
            part,
            parent=parent,
            index=index,
            opened=opened,
            budget=budget,
            vote=vote,
            work=self._work(node_id),
        )
        self._nodes[node_id] = node
        return node

    def _detach(self, node: Node) -> None:
        for child in node.children:
            self._detach(child)
            self._nodes.pop(child.id, None)
        node.children = ()

    def _refresh(self, node: Node) -> None:
        """Derive one node again, and what hangs on it if it came out otherwise."""
        before = (node.settled, node.settled_as)
        if node.vote is not None:
            self._decide(node, node.vote)
        self._derive(node)
        self._dirty(node)
        if (node.settled, node.settled_as) != before and node.parent is not None:
            for sibling in node.parent.children:
                if node.index in sibling.part.after:
                    self._refresh_all(sibling)
            self._refresh(node.parent)

    def _decide(self, node: Node, vote: Vote) -> None:
        decision = vote.decide(self.now_ms, self.cutoff)
        self._timer(vote.next_change_ms(), node.id)
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
        out = node.work.outcome(node.ready, self.policy, self.now_ms, self.cutoff, self.deadline_ms)
        node.outcome = out
        self._timer(out.next_change_ms, node.id)
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
