"""Watches which outcomes of votes a simulated peer sees, and whether a decided one changes.

This only looks. It exists to check the promise that an accepted split that was acted on changes
only where a delay exceeded the revote time.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Literal, Protocol

from swarm.agents.base import Job
from swarm.agents.executor import CROSSED_MS, SURE_AFTER_MS
from swarm.core.clock import Stamp
from swarm.core.fold.node import Node
from swarm.core.records import Ballot, Proposal, Record
from swarm.core.store.store import Store
from swarm.sim.world.timeline import Timeline


@dataclass(frozen=True, slots=True)
class Change:
    """A peer saw the outcome of a vote change.

    Attributes:
        peer: name of the peer that saw it.
        node: the node that the vote is about.
        before: how it had been decided.
        crossable: whether a ballot under way could have undone it (see `Decision`).
        after: how it is decided now; empty: it no longer is.
        delay_ms: how long the record that changed it took, in ms; None: time alone changed it.
        revote_ms: the goal's revote time, in ms.
        acted: whether any peer had started a model call on the earlier outcome.
    """

    peer: str
    node: bytes
    before: str
    crossable: bool
    after: str
    delay_ms: int | None
    revote_ms: int
    acted: bool

    @property
    def cause(self) -> Literal["late", "early", "time"]:
        """The cause: a record that took longer than allowed, one that did not, or time alone.

        A record may take the revote time, or the time that executors wait where ballots can cross
        or where time decided.
        """
        if self.delay_ms is None:
            return "time"
        allowed_ms = SURE_AFTER_MS.get(self.before, self.revote_ms)
        if self.crossable:
            allowed_ms = min(allowed_ms, CROSSED_MS)
        return "late" if self.delay_ms > allowed_ms else "early"

    def words(self, title: str) -> str:
        """Return it in words, given the node's title."""
        cause = "time" if self.delay_ms is None else f"a record {self.delay_ms / 1000:.1f} s late"
        acted = ", after work on it had begun" if self.acted else ""
        return (
            f"sees the decision on “{title}” change from {self.before} to {self.after or 'open'}, "
            f"because of {cause}{acted}"
        )


@dataclass(slots=True)
class Tallies:
    """What is counted over all peers of a world."""

    changes: list[Change] = field(default_factory=list)
    acted: set[tuple[bytes, bytes]] = field(default_factory=set)
    """(node, accepted proposal or the node itself) on which a model call was started."""
    calls: dict[tuple[bytes, int], list[int]] = field(default_factory=dict)
    """Indexes of the executors that started a model call, by (node, attempt)."""
    tries: Counter[tuple[int, int, bytes]] = field(default_factory=Counter)
    """Model calls that executors started, by (index, life of its process, claim)."""


class Watched(Protocol):
    """What watching needs of a peer."""

    index: int
    life: int
    name: str

    @property
    def store(self) -> Store:
        """What it holds."""

    def wall(self) -> int:
        """Return what its wall clock shows, in ms."""


Outcome = tuple[bytes, str, bool]
"""(the accepted proposal's id or the node's own, how, whether ballots could cross)."""


def _outcome(node: Node) -> Outcome | None:
    decision = node.decision
    if decision is None:
        return None
    proposal = decision.proposal
    return proposal.id if proposal else node.id, decision.how, decision.crossable


class VoteWatch:
    """Watches one life of a peer."""

    def __init__(self, peer: Watched, tallies: Tallies, timeline: Timeline) -> None:
        """Start without having seen anything.

        Args:
            peer: whose votes to watch.
            tallies: where changes and calls are counted.
            timeline: where changes are noted.
        """
        self._peer = peer
        self._tallies = tallies
        self._timeline = timeline
        self._outcomes: dict[tuple[bytes, Stamp], Outcome] = {}
        """By node and round: a replan begins another round and takes nothing back."""
        self._took: dict[bytes, int] = {}
        """The longest delay, in ms, of the votes on each node that arrived since the last look.
        While a later round counts, their effect on an earlier one does not show."""

    def acts_on(self, job: Job) -> None:
        """Note that a call was started, which acts on all decisions above its node."""
        plan = self._peer.store.plan(job.goal)
        node = plan.node(job.node) if plan else None
        if node is not None and (attempt := node.outcome.attempt) is not None:
            calls = self._tallies.calls.setdefault((node.id, attempt.number), [])
            calls.append(self._peer.index)
        self._tallies.tries[self._peer.index, self._peer.life, job.subject] += 1
        while node is not None:
            if node.decision is not None:
                proposal = node.decision.proposal
                self._tallies.acted.add((node.id, proposal.id if proposal else node.id))
            node = node.parent

    def time_passed(self) -> None:
        """Notice what time alone decided."""
        for plan in self._peer.store.plans():
            for node in plan.nodes():
                if node.vote is None or (now := _outcome(node)) is None:
                    continue
                if self._outcomes.get((node.id, node.vote.opened)) != now:
                    self._changed(plan.policy.revote_ms, node, now, self._took.get(node.id))
        self._took.clear()

    def voted(self, record: Record, body: Proposal | Ballot) -> None:
        """Notice what a record that was just folded changed at its node."""
        plan = self._peer.store.plan(body.goal)
        node = plan.node(body.node) if plan else None
        if plan is None or node is None or node.vote is None:
            return
        now = _outcome(node)
        delay = self._peer.wall() - record.stamp.ms
        self._took[node.id] = max(delay, self._took.get(node.id, 0))
        if now != self._outcomes.get((node.id, node.vote.opened)):
            self._changed(plan.policy.revote_ms, node, now, delay)

    def _changed(
        self, revote_ms: int, node: Node, now: Outcome | None, delay_ms: int | None
    ) -> None:
        assert node.vote is not None
        vote = (node.id, node.vote.opened)
        before = self._outcomes.get(vote)
        if now is None:
            self._outcomes.pop(vote, None)
        else:
            self._outcomes[vote] = now
        if before is None or (now is not None and now[0] == before[0]):
            return
        change = Change(
            peer=self._peer.name,
            node=node.id,
            before=before[1],
            crossable=before[2],
            after=now[1] if now else "",
            delay_ms=delay_ms,
            revote_ms=revote_ms,
            acted=(node.id, before[0]) in self._tallies.acted,
        )
        self._tallies.changes.append(change)
        self._timeline.add(change.peer, "plan", change.words(self._timeline.title(node.id)))
