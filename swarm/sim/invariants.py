"""What must hold in every world: the promises of the project, as checks.

`Auditor.audit` is called throughout a run, and `Auditor.verdict` when everything has come to rest.
Both only look; neither lets time pass at a peer.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from swarm.agents.executor import MOST_LOSSES
from swarm.core.fold.node import FINAL, Node
from swarm.core.fold.plan import Plan
from swarm.core.records import Ballot, Proposal, Result
from swarm.core.store.limits import LARGE
from swarm.core.views.english import reason_text
from swarm.gossip.outbox import MESSAGE_BURST, MESSAGES_PER_SECOND
from swarm.sim.scenarios.scenarios import Scenario
from swarm.sim.scenarios.stage import Stage
from swarm.sim.world.peer import IDLE_MS, SimPeer

MAX_VIOLATIONS = 20
"""How many violations of a run are reported: the first ones show what is wrong."""

COUNT_EVERY = 16
"""How many audits there are to one count of all records, which takes the longest."""


@dataclass(frozen=True, slots=True)
class Violation:
    """A promise that was broken.

    Attributes:
        rule: its short name.
        at_ms: when it was noticed, in ms since the world began.
        what: what happened, in words.
    """

    rule: str
    at_ms: int
    what: str


class Auditor:
    """Checks one world."""

    def __init__(self, stage: Stage, scenario: Scenario) -> None:
        """Watch a stage."""
        self.stage = stage
        self.world = stage.world
        self.scenario = scenario
        self.violations: list[Violation] = []
        self._said: set[tuple[str, str]] = set()
        self._audits = 0
        self._seen: dict[tuple[int, bytes], tuple[bytes, int]] = {}
        self._sent: dict[int, int] = {}

    def fail(self, rule: str, what: str) -> None:
        """Note a broken promise, once."""
        if (rule, what) not in self._said and len(self.violations) < MAX_VIOLATIONS:
            self._said.add((rule, what))
            self.violations.append(Violation(rule, self.world.clock.elapsed_ms, what))
            self.world.timeline.add("check", "check", f"{rule}: {what}")

    def honest(self) -> list[SimPeer]:
        """Return the honest peers that are alive."""
        return [peer for peer in self.world.peers if peer.alive and peer.honest]

    # Throughout a run.

    def audit(self) -> None:
        """Check what must hold at any time."""
        self._audits += 1
        for peer in self.honest():
            if peer.frozen:
                continue
            self._paced(peer)
            if self._audits % COUNT_EVERY == 0:
                self._within_limits(peer)
            for plan in peer.store.plans():
                seen = (plan.digest, len(peer.store))
                if self._seen.get((peer.index, plan.id)) != seen:
                    self._seen[peer.index, plan.id] = seen
                    self._bounded(peer, plan)
                self._ends_in_time(peer, plan)

    def _paced(self, peer: SimPeer) -> None:
        if not peer.asks and peer.traffic.frames_out:
            self.fail("silence", f"{peer.name} only listens, but has sent a frame")
        frames = peer.traffic.frames_out
        if peer.life > 1 or self._sent.get(peer.index) == frames:
            return  # Each process has a budget of its own.
        self._sent[peer.index] = frames
        sent = peer.sent_ms
        for count, at_ms in enumerate(reversed(sent), start=1):
            allowed = MESSAGE_BURST + MESSAGES_PER_SECOND * (sent[-1] - at_ms) / 1000 + 1
            if count > allowed:
                self.fail("pace", f"{peer.name} sent {count} frames; {allowed:.0f} are allowed")
                return

    def _bounded(self, peer: SimPeer, plan: Plan) -> None:
        policy = plan.policy
        nodes = list(plan.nodes())
        if len(nodes) > policy.max_nodes:
            self.fail("budget", f"{len(nodes)} nodes at {peer.name}; {policy.max_nodes} allowed")
        for node in nodes:
            if node.depth > policy.max_depth and node.parent is not None and node.depth > 1:
                self.fail("budget", f"a node at depth {node.depth} at {peer.name}")
            if len(node.children) > policy.max_children:
                self.fail("budget", f"{len(node.children)} parts at {peer.name}")
            if len(node.outcome.attempts) > policy.max_attempts + (policy.reviews or 0):
                self.fail("budget", f"{len(node.outcome.attempts)} attempts at {peer.name}")
            if len(node.outcome.versions) > (policy.reviews + 1 if policy.reviews else 0):
                self.fail("budget", f"{len(node.outcome.versions)} versions at {peer.name}")
            version = node.outcome.reviewed
            if version is not None and plan.now_ms > version.ends_ms and not plan.over:
                self.fail("reviews end", f"a result waits longer than it may at {peer.name}")
            for problem in _overspent(plan, node):
                self.fail("budget", f"{problem} at {peer.name}")

    def _within_limits(self, peer: SimPeer) -> None:
        most = peer.store.limits.records_per_author
        for plan in peer.store.plans():
            said = Counter(
                record.author for record in peer.store.records(plan.id) if len(record.raw) < LARGE
            )
            for author, count in said.items():
                if author != plan.goal.author and count > most:
                    self.fail("budget", f"{count} records of one author at {peer.name}")

    def _ends_in_time(self, peer: SimPeer, plan: Plan) -> None:
        if peer.now() > plan.deadline_ms + IDLE_MS and not plan.final:
            self.fail("deadline", f"a goal lives past its deadline at {peer.name}")
        if plan.final and not reason_text(plan.reason):
            self.fail("reason", f"a goal ended without a reason at {peer.name}")

    # At the end.

    def at_rest(self) -> bool:
        """Return whether all honest peers hold and see the same, and everything has ended."""
        peers = self.honest()
        first = peers[0]
        goals = sorted(first.store.goals())
        for peer in peers:
            if sorted(peer.store.goals()) != goals:
                return False
            for goal in goals:
                same = peer.store.summary(goal) == first.store.summary(goal)
                if not same or peer.store.expired(goal):
                    return False
        if not self.ended():
            return False
        # Record sets without a plan hold grants, or records of goals that nobody knows.
        digests = {peer.index: _digests(peer) for peer in peers}
        return all(digests[peer.index] == digests[first.index] for peer in peers)

    def ended(self) -> bool:
        """Return whether every goal asked for has ended at every honest peer."""
        return all(
            plan is not None and plan.final
            for peer in self.honest()
            for goal in self.stage.goals
            for plan in [peer.store.plan(goal)]
        )

    def verdict(self) -> None:
        """Check what must hold when everything has come to rest."""
        self.audit()
        self._converged()
        self._kept()
        self._finished()
        self._folds_again()
        self._honestly()
        self._steadily()
        self._patiently()

    def _patiently(self) -> None:
        """Check that no model was called again and again for one claim."""
        for (index, _, _), calls in self.world.tallies.tries.items():
            if calls > MOST_LOSSES:
                self.fail("budget", f"{calls} calls for a claim of {self.world.peers[index].name}")

    def _steadily(self) -> None:
        """Check that what was acted on stays accepted, as far as the scenario's delays allow."""
        for change in self.world.tallies.changes:
            if not change.acted:
                continue
            if self.scenario.steady:
                self.fail("steady", f"{change.peer} saw a split change after work had begun")
            elif self.scenario.dated and change.cause != "late":
                took = "time alone" if change.delay_ms is None else f"{change.delay_ms} ms"
                self.fail("revote time", f"{change.peer} saw a split change through {took}")

    def _converged(self) -> None:
        peers = self.honest()
        first = peers[0]
        for peer in peers[1:]:
            for goal in sorted({*first.store.goals(), *peer.store.goals()}):
                title = self.world.timeline.title(goal)
                mine, theirs = set(first.store.ids(goal)), set(peer.store.ids(goal))
                if mine != theirs:
                    self.fail(
                        "one record set",
                        f"of “{title}”, {peer.name} lacks {len(mine - theirs)} records that "
                        f"{first.name} has, and {first.name} lacks {len(theirs - mine)} of its",
                    )
                    continue
                one, other = first.store.plan(goal), peer.store.plan(goal)
                if one is not None and other is not None and one.digest != other.digest:
                    self.fail(
                        "one digest", f"{first.name} and {peer.name} see “{title}” differently"
                    )

    def _kept(self) -> None:
        """Check that no result of an honest peer that any living peer had kept is lost."""
        honest = {peer.author for peer in self.world.peers if peer.honest}
        heard = {rid for peer in self.honest() for rid, by in peer.held.items() if by in honest}
        for peer in self.honest():
            for rid in sorted(heard):
                if rid not in peer.store:
                    self.fail("nothing lost", f"{peer.name} lacks the result {rid.hex()[:8]}")
            for plan in peer.store.plans():
                for node in plan.nodes():
                    result = node.result
                    if node.settled_as == "done" and result is None:
                        self.fail("one result", f"a done task has no result at {peer.name}")
                    if result is not None and isinstance(result.body, Result):
                        claims = {c.id for a in node.outcome.attempts for c in a.claims}
                        if result.body.claim not in claims:
                            self.fail("one result", f"a result without a claim at {peer.name}")
                        if result.author not in honest:
                            self.fail("honest work", f"an adversary's result counts at {peer.name}")

    def _finished(self) -> None:
        for peer in self.honest():
            for goal in self.stage.goals:
                plan = peer.store.plan(goal)
                if plan is None:
                    self.fail("ends", f"{peer.name} never heard of a goal")
                elif plan.state not in FINAL:
                    self.fail(
                        "ends", f"a goal is {plan.state} at {peer.name}: {reason_text(plan.reason)}"
                    )
                elif plan.state not in self.scenario.ends:
                    self.fail("ends well", f"a goal is {plan.state}: {reason_text(plan.reason)}")

    def _folds_again(self) -> None:
        """Check that folding record by record and folding all in any order give the same plan."""
        peer = self.honest()[0]
        for plan in peer.store.plans():
            records = list(peer.store.records(plan.id))
            random.Random(len(records)).shuffle(records)
            roster = peer.store.roster
            fresh = Plan(plan.goal, roster.allows if roster.owner is not None else None)
            for record in records:
                fresh.apply(record)
            fresh.advance(plan.now_ms)
            if fresh.digest != plan.digest:
                self.fail("same fold", f"{peer.name}'s plan is not what its records fold to")

    def _honestly(self) -> None:
        """Check that adversaries alone decided no split, and that nobody works for strangers."""
        honest = {peer.author for peer in self.world.peers if peer.honest}
        store = self.honest()[0].store
        if store.roster.owner is not None:
            for peer in self.honest():
                about = {record.goal_id for record in peer.published} - {*self.stage.goals}
                if about:
                    self.fail("own goals", f"{peer.name} works on {len(about)} foreign goals")
        for goal in self.stage.goals:
            plan = store.plan(goal)
            approved = {
                record.body.proposal
                for record in store.records(goal)
                if isinstance(record.body, Ballot)
                and record.body.verdict == "approve"
                and record.author in honest
            }
            for node in plan.nodes() if plan else ():
                decision = node.decision
                if plan and any(past.replan.author != plan.goal.author for past in node.rounds):
                    self.fail("own goals", "a stranger's replan counted")
                if self.scenario.voted and decision and decision.how not in ("quorum", "window"):
                    self.fail(
                        "votes",
                        f"a split was decided by {decision.how}: {reason_text(decision.reason)}",
                    )
                if decision is None or decision.how not in ("quorum", "window"):
                    continue
                assert decision.proposal is not None
                if decision.proposal.id not in approved:
                    self.fail("honest votes", "a split won that only adversaries had approved")


Outline = tuple[str, str, str, tuple[Any, ...]]
"""(title, state, text, outlines of the children)."""


def outlines(auditor: Auditor) -> list[Outline]:
    """Return how the goals' plans came out, leaving out which peer did what and when."""
    store = auditor.honest()[0].store
    plans = [store.plan(goal) for goal in auditor.stage.goals]
    return [_outline(plan, plan.root) for plan in plans if plan is not None]


def _outline(plan: Plan, node: Node) -> Outline:
    children = tuple(_outline(plan, child) for child in node.children)
    return node.title, plan.state_of(node), node.text, children


def _digests(peer: SimPeer) -> dict[bytes, bytes]:
    return {plan.id: plan.digest for plan in peer.store.plans()}


def _overspent(plan: Plan, node: Node) -> Iterator[str]:
    if node.vote is None:
        return
    proposals: Counter[bytes] = Counter()
    for tally in node.vote.valid():
        assert isinstance(tally.record.body, Proposal)
        proposals[tally.record.author] += 1
        if tally.chain > plan.policy.max_refinements:
            yield f"a proposal refined {tally.chain} times"
        if len(tally.body.parts) > plan.policy.max_children:
            yield f"a valid proposal of {len(tally.body.parts)} parts"
        if any(not isinstance(ballot.body, Ballot) for ballot in tally.ballots.values()):
            yield "a record that is not a ballot"
    if proposals and max(proposals.values()) > plan.policy.max_proposals:
        yield f"{max(proposals.values())} proposals of one author count"
    standing = [voter for tally in node.vote.valid() for voter in tally.approvals]
    if len(standing) != len(set(standing)):
        yield "a scorer that approves two proposals"
