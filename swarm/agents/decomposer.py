"""The decomposer: proposes a split of every open node, and polishes what scorers criticised.

The decomposers that are present use different lenses: each ranks itself by a hash of the node and
takes the lens of its rank. At the root the last of several writes the whole plan in one go instead,
which competes with the splits. A criticised proposal is polished by a decomposer other than its
author if there is one; the next in rank steps in if the first does not begin.
"""

from __future__ import annotations

from dataclasses import dataclass

from swarm.agents.base import (
    NO_ROOM,
    STAMP,
    Decision,
    Failures,
    Job,
    JobKey,
    Mentioned,
    View,
    notice,
    path_of,
    shuffled,
    undecided,
)
from swarm.agents.briefs import brief_of, today_of
from swarm.agents.changed_goals import ChangedGoals
from swarm.agents.fair_turns import Waiting
from swarm.brief.part import Part
from swarm.brief.quotes import with_quotes
from swarm.brief.skeleton import fit
from swarm.core.fold.node import Node
from swarm.core.fold.plan import Plan
from swarm.core.fold.voting import Tally, Vote
from swarm.core.records import MAX_DETAIL, Ballot, KnownBody, Proposal
from swarm.llm.lenses import WHOLE, lenses_for
from swarm.llm.requests import Answer, Critiqued, SplitAnswer, SplitRequest

POLISH_TURN_MS = 20_000
"""How long the first in rank may take to begin polishing before the next steps in, in ms."""


@dataclass(frozen=True, slots=True)
class _Wish:
    """A call to make as soon as a slot is free."""

    key: JobKey
    node: Node
    polish: Tally | None = None
    """The proposal to polish; None: split the node."""


class Decomposer:
    """Decides what to propose."""

    role = "decomposer"
    capabilities: frozenset[str] = frozenset()

    def __init__(self, slots: int = 1) -> None:
        """Start with nothing running.

        Args:
            slots: model calls at a time.
        """
        self._slots = slots
        self._running: dict[JobKey, Job] = {}
        self._lens: dict[JobKey, str] = {}
        self._failures = Failures()
        self._mentioned = Mentioned()
        self._goals = ChangedGoals()
        self._waiting = Waiting[_Wish]()

    def decide(self, view: View) -> Decision:
        """Stop calls for decided nodes; start the next split or polish."""
        decision = Decision()
        for goal_id, changed in self._goals.take(view):
            self._look(goal_id, changed, view, decision)
        if view.able and self._waiting:
            for plan, wish in view.to_start(self._waiting, self._running, self._slots):
                self._start(plan, wish, view, decision)
        if (at := self._goals.next_ms()) is not None:
            decision.wake_at(at)
        return decision

    def finished(self, job: Job, answer: Answer, view: View) -> Decision:
        """Publish the proposal."""
        lens = self._lens.get(job.key, "")
        self._forget(job)
        plan = view.store.plan(job.goal)
        if plan is None or not isinstance(answer, SplitAnswer):
            return Decision()
        node = plan.node(job.node)
        brief = brief_of(plan)
        at_root = node is not None and node.parent is None
        if at_root:
            brief = with_quotes(plan.body.text, brief, answer.quotes)
        whole = None if node is None or at_root else Part.of(node.part)
        parts = fit(brief, answer.parts, whole=whole)
        body = Proposal(
            stamp=STAMP,
            goal=job.goal,
            node=job.node,
            parts=[part.subgoal() for part in parts],
            lens=lens,
            rationale=answer.rationale[:MAX_DETAIL],
            refines=job.subject if job.subject != job.node else None,
            brief=brief if at_root and brief.demands else None,
            draft=answer.draft or None,
        )
        return Decision(publish=[body])

    def failed(
        self, job: Job, message: str, view: View, *, retryable: bool, away: bool = False
    ) -> Decision:
        """Try again later, or publish that it gives up."""
        self._forget(job)
        decision = Decision()
        plan = view.store.plan(job.goal)
        if self._failures.note(job.key, view.now_ms, retryable=retryable):
            if plan is not None:
                text = f"A decomposer gave up on a split: {message}"
                decision.publish.append(notice(plan, job.node, "split-failed", text))
        else:
            decision.wake_at(self._failures.retry_ms(job.key) or view.now_ms)
        return decision

    def unkept(self, body: KnownBody, view: View) -> Decision:
        """Stop splitting a node whose proposals are not kept."""
        plan = view.store.plan(body.goal) if isinstance(body, Proposal) else None
        node = plan.node(body.node) if plan is not None and isinstance(body, Proposal) else None
        if plan is None or node is None or not isinstance(body, Proposal):
            return Decision()
        what, done_to = ("polish", body.refines) if body.refines else ("split", node.id)
        self._failures.give_up((what, done_to + _vote_key(node)))
        self._goals.look_again(plan.id)
        text = "A decomposer stops: what it proposes is not kept, its room in this goal is full."
        return Decision(publish=self._mentioned.once(plan, node.id, NO_ROOM, text))

    def wrote(self, job: Job, characters: int) -> None:
        """Ignore it: answers are used whole."""

    def recovered(self) -> None:
        """Try at once what failed before: the model answers again."""
        self._failures.clear()
        self._goals.look_at_all()

    def _forget(self, job: Job) -> None:
        """Note that a call has ended."""
        self._running.pop(job.key, None)
        self._lens.pop(job.key, None)
        self._goals.look_again(job.goal)

    def _look(self, goal_id: bytes, plan: Plan | None, view: View, decision: Decision) -> None:
        """Stop a goal's calls for decided nodes, and note the calls that it needs."""
        nodes = [] if plan is None else list(undecided(plan))
        still = {(node.id, _vote_key(node)) for node in nodes}
        for key, job in list(self._running.items()):
            if job.goal == goal_id and (job.node, key[1][len(job.node) :]) not in still:
                decision.stop.append(key)
                del self._running[key], self._lens[key]
        wishes = []
        if plan is not None:
            found = (self._consider(plan, node, view) for node in nodes)
            wishes = [wish for wish in found if wish is not None]
        self._waiting.put(goal_id, plan, wishes)

    def _consider(self, plan: Plan, node: Node, view: View) -> _Wish | None:
        """Return the call that a node needs from this decomposer now."""
        vote = node.vote
        assert vote is not None
        mine = [t for t in vote.tallies.values() if t.record.author == view.me]
        if not mine:
            return self._try(plan, _Wish(("split", node.id + _vote_key(node)), node), view)
        if len(mine) >= plan.policy.max_proposals:
            return None
        worst = self._to_polish(plan, vote, view)
        if worst is None:
            return None
        since = max(record.stamp.ms for record in worst.ballots.values())
        turn = since + self._rank(plan, worst, view) * POLISH_TURN_MS
        if view.now_ms < turn:
            self._goals.wake_at(plan.id, turn)
            return None
        key = ("polish", worst.record.id + _vote_key(node))
        return self._try(plan, _Wish(key, node, worst), view)

    def _try(self, plan: Plan, wish: _Wish, view: View) -> _Wish | None:
        """Return a call that may be tried now."""
        if wish.key in self._running or self._failures.gave_up(wish.key):
            return None
        if not self._failures.may_try(wish.key, view.now_ms):
            self._goals.wake_at(plan.id, self._failures.retry_ms(wish.key) or view.now_ms)
            return None
        return wish

    def _choose_lens(self, plan: Plan, node: Node, vote: Vote, view: View) -> str:
        lenses = lenses_for(plan.body.text, brief_of(plan))
        ranked = shuffled(view.with_me(plan, self.role), node.id)
        rank = ranked.index(view.me)
        drafted = any(tally.body.draft for tally in vote.valid())
        if node.parent is None and 0 < rank == len(ranked) - 1 and not drafted:
            return WHOLE  # The last in rank writes the plan in one go, to compete with the splits.
        taken = {tally.body.lens for tally in vote.valid()}
        # The person who asked for a replan wants another split than the one set aside.
        taken.update(
            decided.body.lens
            for past in node.rounds
            if (decided := past.decision.proposal) is not None
            and isinstance(decided.body, Proposal)
        )
        order = [lenses[(rank + step) % len(lenses)] for step in range(len(lenses))]
        return next((lens for lens in order if lens not in taken), order[0])

    def _to_polish(self, plan: Plan, vote: Vote, view: View) -> Tally | None:
        """Return the best proposal that all scorers rated and none found good enough, or None."""
        valid = vote.valid()
        scorers = max(len(view.regulars(plan, "scorer")), 1)
        # A scorer that finds a proposal good enough approves it, now or once others have rated it.
        ballots = [ballot.body for tally in valid for ballot in tally.ballots.values()]
        good = any(isinstance(body, Ballot) and body.score >= plan.policy.bar for body in ballots)
        if good or any(tally.approvals for tally in valid):
            return None
        refined = {tally.body.refines for tally in valid}
        rated = [tally for tally in valid if len(tally.ballots) >= min(plan.policy.quorum, scorers)]
        waiting = [
            tally
            for tally in rated
            if tally.record.id not in refined and tally.chain < plan.policy.max_refinements
        ]
        if len(rated) < len(valid) or not waiting:
            return None
        return min(waiting, key=lambda tally: (-tally.score, tally.record.id))

    def _rank(self, plan: Plan, tally: Tally, view: View) -> int:
        others = [a for a in view.with_me(plan, self.role) if a != tally.record.author]
        order = shuffled(others, tally.record.id)
        return order.index(view.me) if view.me in order else len(order)

    def _start(self, plan: Plan, wish: _Wish, view: View, decision: Decision) -> None:
        node, polish = wish.node, wish.polish
        assert node.vote is not None
        lens = polish.body.lens if polish else self._choose_lens(plan, node, node.vote, view)
        request = SplitRequest(
            goal=plan.body.text,
            title=node.title,
            detail=request_detail(node),
            path=path_of(node),
            language=plan.body.language,
            lens=lens,
            max_parts=min(plan.policy.max_children, node.budget),
            may_nest=node.depth + 1 < plan.policy.max_depth,
            brief=brief_of(plan),
            part=None if node.parent is None else Part.of(node.part),
            today=today_of(plan),
            polish=_critiqued(polish) if polish else None,
        )
        subject = polish.record.id if polish else node.id
        job = Job(wish.key, request, plan.id, node.id, subject)
        self._running[wish.key] = job
        self._lens[wish.key] = lens
        decision.start.append(job)


def _vote_key(node: Node) -> bytes:
    """Return what tells one vote at a node from the next, so that failures count per vote."""
    assert node.vote is not None
    ms, counter = node.vote.opened
    return ms.to_bytes(8) + counter.to_bytes(4)


def request_detail(node: Node) -> str:
    """Return a node's detail, followed by the reason given with each replan of it.

    Decomposers and scorers get the same text, so that a split is rated by what was asked for.
    """
    reasons = [past.reason for past in node.rounds if past.reason]
    return "\n".join([node.part.detail, *reasons]).strip()


def _critiqued(tally: Tally) -> Critiqued:
    critiques = [
        ballot.body.critique
        for _, ballot in sorted(tally.ballots.items())
        if isinstance(ballot.body, Ballot) and ballot.body.critique
    ]
    return Critiqued(
        parts=tuple(Part.of(subgoal) for subgoal in tally.body.parts),
        critiques=tuple(dict.fromkeys(critiques)),
    )
