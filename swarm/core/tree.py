"""A plan's tree: what its records come to, node by node, derived again only where need be.

`plan.Plan` files records here and lets time pass; this derives votes, claims and results from
them. Every node is a pure function of its own records, the moment it opened, and the nodes it waits
for. The policy's budget of nodes is handed down: an accepted split of k parts leaves
`(budget - k) // n` to each of its n parts that may be split again, so that the total never exceeds
the policy's and no node depends on what happens in another branch.
"""

from __future__ import annotations

import heapq

from swarm.core.clock import Stamp, end_of
from swarm.core.node import Node, State
from swarm.core.policy import Policy
from swarm.core.records import Proposal, Record, Subgoal, child_id
from swarm.core.rounds import Replans, Round
from swarm.core.voting import Vote
from swarm.core.work import Outcome, Work


class Tree:
    """All nodes of one plan."""

    def __init__(self, goal: Record, title: str, policy: Policy) -> None:
        """Start with the root alone, as of the goal's stamp.

        Args:
            goal: the record.
            title: of the root, one line.
            policy: the goal's.
        """
        self.policy = policy
        self.now_ms = goal.stamp.ms
        self.deadline_ms = goal.stamp.ms + policy.deadline_ms
        self.cutoff = end_of(self.deadline_ms)
        """What is stamped later does not count: the deadline, or an earlier cancel."""
        self._attester = goal.author
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
            Subgoal(title=title, detail="", kind="goal"),
            parent=None,
            index=0,
            opened=goal.stamp,
            budget=policy.max_nodes - 1,
        )
        self._timer(self.deadline_ms + 1, goal.id)
        self.refresh(self.root)

    def node(self, node_id: bytes) -> Node | None:
        """Return a node of the present tree; None for one that is not in it."""
        return self._nodes.get(node_id)

    def next_change_ms(self) -> int | None:
        """Return when time alone may change the tree next, in ms; None: never."""
        return self._timers[0][0] if self._timers else None

    # Filing records.

    def vote(self, node_id: bytes, record: Record) -> None:
        """Take in a proposal or a ballot."""
        self._votes.setdefault(node_id, []).append(record)
        node = self._nodes.get(node_id)
        if node is not None:
            node.hear(record)

    def work(self, node_id: bytes) -> Work:
        """Return what claims, progress and results of a node are put into."""
        work = self._works.get(node_id)
        if work is None:
            work = self._works[node_id] = Work(node_id)
        return work

    def replan(self, node_id: bytes, record: Record) -> None:
        """Take in that whoever asked wants another split."""
        self._replans.add(node_id, record)

    # Deriving.

    def advance(self, now_ms: int) -> bool:
        """Let time pass up to `now_ms`, later than now; return whether anything was due."""
        self.now_ms = now_ms
        due = False
        while self._timers and self._timers[0][0] <= now_ms:
            timer = heapq.heappop(self._timers)
            self._armed.discard(timer)
            node = self._nodes.get(timer[1])
            if node is not None:
                due = True
                self.refresh(node)
        return due

    def touch(self, node_id: bytes, earliest: Record) -> None:
        """Derive again what records filed at a node concern; the earliest of them in the replay."""
        node = self._nodes.get(node_id)
        if node is not None:
            self.refresh(node)
        if self._replans:
            self._look_back(earliest)

    def refresh_all(self, node: Node) -> None:
        """Derive a node and all below it again."""
        self.refresh(node)
        for child in node.children:
            self.refresh_all(child)

    def refresh(self, node: Node) -> None:
        """Derive one node again, and what hangs on it if it came out otherwise."""
        before = (node.settled, node.settled_as)
        if node.vote is not None:
            self._decide(node, node.vote)
        self._derive(node)
        if node.shadow:
            return
        _dirty(node)
        if (node.settled, node.settled_as) != before and node.parent is not None:
            for sibling in node.parent.children:
                if node.index in sibling.part.after:
                    self.refresh_all(sibling)
            self.refresh(node.parent)

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
            self.refresh(child)

    def _derive(self, node: Node) -> None:
        node.settled, node.settled_as, node.reason = None, None, ""
        node.ready = _ready_since(node)
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
        """Return a vote with the records it has so far; opened again, without those of before."""
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

    def _look_back(self, record: Record) -> None:
        """Derive again the nodes whose earlier rounds a late record may have changed."""
        node_id: bytes | None = getattr(record.body, "node", None)
        while node_id is not None:
            node = self._nodes.get(node_id)
            if node is not None and self._replans.may_concern(node_id, record.stamp):
                self.refresh(node)
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
            self.refresh(then)
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


def _ready_since(node: Node) -> Stamp | None:
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


def _dirty(node: Node | None) -> None:
    while node is not None:
        node._digest = None
        node = node.parent
