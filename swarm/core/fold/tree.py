"""A plan's tree, derived from its records node by node, and only where something changed.

`plan.Plan` files records here and lets time pass; this module derives votes, claims and results
from them. Every node is a pure function of its own records, the moment it opened, and the nodes it
waits for. The policy's budget of nodes is handed down: an accepted split of k parts leaves
`(budget - k) // n` to each of its n parts that may be split again. So the total never exceeds the
policy's, and no node depends on what happens in another branch.

Due nodes are derived in one walk, parts before wholes and earlier parts before later ones, so that
no node is derived before the nodes it waits for. Strangers write the records: neither a long chain
of parts nor a deep tree may cost more than its size.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Literal

from swarm.core.clock import Stamp, end_of
from swarm.core.fold.claims import Outcome, TaskRecords
from swarm.core.fold.node import Node, State
from swarm.core.fold.reasons import (
    AllPartsFailed,
    BestVersion,
    Done,
    Ended,
    NoQuorum,
    NotAssembled,
    PartsMissing,
)
from swarm.core.fold.replans import Replans, Round
from swarm.core.fold.reviews import Panel, best_of
from swarm.core.fold.voting import Vote
from swarm.core.policy import HARD_MAX_CHILDREN, Policy
from swarm.core.records import Goal, Proposal, Record, Subgoal, child_id

_Found = Round | Literal["open", "settled"]
"""The state of a node at a replan: the round that the replan ended, or why it did not count."""


class Tree:
    """All nodes of one plan."""

    def __init__(self, goal: Record, title: str, policy: Policy) -> None:
        """Start with only the root, as of the goal's stamp.

        Args:
            goal: the record.
            title: the root's, on one line.
            policy: the goal's.
        """
        self.policy = policy
        self.now_ms = goal.stamp.ms
        self.deadline_ms = goal.stamp.ms + policy.deadline_ms
        self.cutoff = end_of(self.deadline_ms)
        """The deadline, or an earlier cancel: records stamped later do not count."""
        self._attester = goal.author
        self._panel = Panel.of(goal.body) if isinstance(goal.body, Goal) else None
        self._votes: dict[bytes, list[Record]] = {}
        self._works: dict[bytes, TaskRecords] = {}
        self._replans = Replans()
        self._looks: dict[tuple[object, ...], _Found] = {}
        self._above: dict[bytes, bytes] = {}
        """The parent's id of every node that was ever in the tree, including earlier rounds."""
        self._nodes: dict[bytes, Node] = {}
        self._timers: list[tuple[int, bytes]] = []
        self._armed: set[tuple[int, bytes]] = set()
        self.root = self._attach(
            goal.id,
            Subgoal(title=title, detail="", kind="goal"),
            parent=None,
            index=0,
            opened=goal.stamp,
            budget=policy.max_nodes - 1,
        )
        self._timer(self.deadline_ms + 1, goal.id)
        self.refresh_all()

    def node(self, node_id: bytes) -> Node | None:
        """Return a node of the current tree; None if it is not in it."""
        return self._nodes.get(node_id)

    def next_change_ms(self) -> int | None:
        """Return when the tree may next change without new records, in ms; None: never."""
        return self._timers[0][0] if self._timers else None

    # Filing records.

    def vote(self, node_id: bytes, record: Record) -> None:
        """File a proposal or a ballot."""
        self._votes.setdefault(node_id, []).append(record)
        node = self._nodes.get(node_id)
        if node is not None:
            node.add_to_vote(record)

    def work(self, node_id: bytes) -> TaskRecords:
        """Return where claims, progress, results and reviews of a node are filed."""
        work = self._works.get(node_id)
        if work is None:
            work = self._works[node_id] = TaskRecords(node_id)
        return work

    def replan(self, node_id: bytes, record: Record) -> None:
        """File a replan by the goal's author."""
        self._replans.add(node_id, record)

    # Deriving.

    def advance(self, now_ms: int) -> bool:
        """Let time pass up to `now_ms`, later than now; return whether anything was due."""
        self.now_ms = now_ms
        due = []
        while self._timers and self._timers[0][0] <= now_ms:
            timer = heapq.heappop(self._timers)
            self._armed.discard(timer)
            node = self._nodes.get(timer[1])
            if node is not None:
                due.append(node)
        self._looks.clear()
        self._refresh(due)
        return bool(due)

    def touch(self, touched: Mapping[bytes, Record]) -> None:
        """Derive the nodes again that new records concern.

        Args:
            touched: for each node, the earliest of its new records in replay order.
        """
        self._looks.clear()
        nodes = (node for node_id in touched if (node := self._nodes.get(node_id)) is not None)
        self._refresh(chain(nodes, self._looked_back_at(touched)))

    def refresh_all(self) -> None:
        """Derive everything again."""
        self._looks.clear()
        self._refresh(self.root.walk())

    def _refresh(self, nodes: Iterable[Node]) -> None:
        """Derive nodes again, and the nodes that depend on those that changed.

        A node waits for its parts, for its earlier siblings, and for those of the nodes above it,
        all of which come before it in the walk. So nodes that become due meanwhile are still ahead,
        except for the parts of a new split; each node is derived once, or twice if it is split.
        """
        due = _Due()
        for node in nodes:
            due.add(node)
        while due:
            node, with_vote = due.pop()
            if not _in_tree(node):
                continue
            if (
                with_vote
                and node.vote is not None
                and self._decide(node, node.vote)
                and node.children
            ):
                for child in node.children:
                    due.add(child)
                due.add(node, with_vote=False)
                continue
            before = (node.settled, node.settled_as)
            self._derive(node)
            if node.shadow:
                continue
            node.forget_digest()
            if (node.settled, node.settled_as) == before or node.parent is None:
                continue
            for sibling in node.parent.children:
                if node.index in sibling.part.after:
                    for below in sibling.walk():
                        due.add(below)
            # Only its parts changed; its vote and its earlier rounds do not depend on them.
            due.add(node.parent, with_vote=False)

    def _decide(self, node: Node, vote: Vote) -> bool:
        """Derive how a node is split; return whether that changed, so that its parts are new."""
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
                return False
        self._detach(node)
        if decision is None or decision.proposal is None:
            return True
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
        return True

    def _derive(self, node: Node) -> None:
        node.settled, node.settled_as, node.reason = None, None, None
        node.ready = _ready_since(node)
        decision = node.decision
        if node.vote is not None and decision and isinstance(decision.reason, NoQuorum):
            node.settled, node.settled_as = decision.stamp, "failed"
            node.reason = decision.reason
            node.outcome = Outcome()
            return
        if node.ready is None:
            node.outcome = Outcome()
            return
        if node.children and all(child.settled_as == "failed" for child in node.children):
            node.outcome = Outcome()
            node.settled, node.settled_as = node.ready, "failed"
            node.reason = AllPartsFailed()
            return
        now_ms, cutoff = self._bounds(node)
        # What is put together of parts is not reviewed: another try would put the same together.
        panel = None if node.children else self._panel
        out = node.work.outcome(node.ready, self.policy, now_ms, cutoff, self.deadline_ms, panel)
        node.outcome = out
        self._arm(out.next_change_ms, node)
        if out.settled is None:
            return
        node.settled = out.settled
        node.settled_as, node.reason = _verdict(node, out)

    def _arm(self, at_ms: int | None, node: Node) -> None:
        if node.until is None:
            self._timer(at_ms, node.id)

    def _timer(self, at_ms: int | None, node_id: bytes) -> None:
        if at_ms is None or at_ms <= self.now_ms or (at_ms, node_id) in self._armed:
            return
        self._armed.add((at_ms, node_id))
        heapq.heappush(self._timers, (at_ms, node_id))

    def _bounds(self, node: Node) -> tuple[int, Stamp]:
        """Return the time to derive a node at, in ms, and the last stamp that counts there."""
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
            work=self.work(node_id),
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
        """Return a vote with its records so far; `again`: without those of earlier rounds."""
        vote = Vote(self.policy, attester=self._attester, opened=opened, depth=depth, budget=budget)
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

    def _looked_back_at(self, touched: Mapping[bytes, Record]) -> Iterator[Node]:
        """Yield the nodes whose earlier rounds may have been changed by late records."""
        if not self._replans:
            return
        for start, record in touched.items():
            node_id: bytes | None = start
            while node_id is not None:
                node = self._nodes.get(node_id)
                if node is not None and self._replans.may_concern(node_id, record.stamp):
                    yield node
                node_id = self._above.get(node_id)

    def _reopen(self, node: Node, vote: Vote) -> Vote:
        """Derive which replans of a node count; return the vote of its latest round."""
        _, cutoff = self._bounds(node)
        rounds: list[Round] = []
        opened = node.opened
        for replan in self._replans.of(node.id):
            if len(rounds) == self.policy.max_replans:
                break
            if not opened < replan.stamp <= cutoff:
                continue
            found = self._look_at(node, opened, replan, again=bool(rounds))
            if found == "settled":
                # A settled node stays settled, so no later replan counts either.
                break
            if isinstance(found, Round):
                rounds.append(found)
                opened = replan.stamp
        node.rounds = tuple(rounds)
        if vote.opened != opened:
            vote = self._open(node.id, opened, node.depth, node.budget, again=bool(rounds))
            node.vote = vote
        return vote

    def _look_at(self, node: Node, opened: Stamp, replan: Record, *, again: bool) -> _Found:
        """Return the state of a node at a replan, in the round that opened at a stamp.

        It depends only on records stamped by then, so it is cached while one set of records is
        being derived: such looks back are nested, a node's within those of each node above it.
        """
        waits = tuple(
            None if other.settled is None or other.settled > replan.stamp else other.settled
            for other in node.waits_for
        )
        key = (replan.id, opened, node.opened, node.budget, waits)
        found = self._looks.get(key)
        if found is None:
            found = self._looks[key] = self._as_of(node, opened, replan, again=again)
        return found

    def _as_of(self, node: Node, opened: Stamp, replan: Record, *, again: bool) -> _Found:
        vote = self._open(node.id, opened, node.depth, node.budget, again=again)
        then = Node(
            node.id,
            node.part,
            parent=node.parent,
            index=node.index,
            opened=node.opened,
            budget=node.budget,
            vote=vote,
            work=node.work,
            until=replan.stamp,
            shadow=True,
        )
        decision = vote.decide(*self._bounds(then))
        if decision is None or decision.stamp >= replan.stamp:
            return "open"
        self._refresh((then,))
        return "settled" if then.settled is not None else Round(vote, decision, replan)


class _Due:
    """Nodes to derive, in the order of the walk: parts before wholes, left to right."""

    def __init__(self) -> None:
        self._heap: list[tuple[int, ...]] = []
        self._of: dict[tuple[int, ...], tuple[Node, bool]] = {}

    def __bool__(self) -> bool:
        return bool(self._of)

    def add(self, node: Node, *, with_vote: bool = True) -> None:
        """Add a node; `with_vote`: derive its vote too, not only its state."""
        place = _place(node)
        known = self._of.get(place)
        if known is None:
            heapq.heappush(self._heap, place)
        elif known[0] is node:
            with_vote = with_vote or known[1]
        self._of[place] = (node, with_vote)

    def pop(self) -> tuple[Node, bool]:
        """Remove and return the first node, and whether to derive its vote."""
        return self._of.pop(heapq.heappop(self._heap))


def _in_tree(node: Node) -> bool:
    """Return whether a node is still in the tree; its parent may have other children by now."""
    return node.parent is None or node.shadow or any(node is c for c in node.parent.children)


def _place(node: Node) -> tuple[int, ...]:
    """Return a node's place in the walk: its path from the root, then a number above any index.

    Two nodes share a place only if one of them is no longer in the tree.
    """
    path = [HARD_MAX_CHILDREN]
    at: Node | None = node
    while at is not None and at.parent is not None:
        path.append(at.index)
        at = at.parent
    return tuple(reversed(path))


def _ready_since(node: Node) -> Stamp | None:
    """Return since when a node can be claimed; None: nodes that it waits for are not settled."""
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


def _verdict(node: Node, out: Outcome) -> tuple[State, Ended]:
    missing = tuple(child.title for child in node.children if child.settled_as != "done")
    if out.failed is not None:
        return ("partial", NotAssembled(out.failed)) if node.children else ("failed", out.failed)
    if missing:
        return "partial", PartsMissing(missing)
    if out.versions and out.settled is not None:
        taken = best_of([*out.versions], out.settled)
        if taken.verdict == "wrong":
            return "done", BestVersion(len(out.versions), taken.rating(out.settled))
    return "done", Done()
