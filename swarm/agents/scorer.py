"""The scorer: rates every proposal, approves the one it finds best, and criticises the others.

It rates proposals as they arrive. It approves its favourite once every decomposer that is present
has proposed, or after a limited wait. If the known ratings predict no winner (`forecast`), it waits
for the scorers that are still rating and then approves the leading proposal. If scorers still
approved different proposals and none won, each moves its approval to the leading one after the
revote time. All of them see the same ratings, so they agree. It also reviews results (`reviewer`).
"""

from __future__ import annotations

from typing import Literal

from swarm.agents.base import (
    MEET_MS,
    NO_ROOM,
    STAMP,
    Decision,
    Failures,
    Job,
    JobKey,
    Mentioned,
    View,
    notice,
    shuffled,
    undecided,
)
from swarm.agents.briefs import brief_of, own_brief
from swarm.agents.changed_goals import ChangedGoals
from swarm.agents.decomposer import request_detail
from swarm.agents.fair_turns import Waiting
from swarm.agents.forecast import Forecast
from swarm.agents.reviewer import JUDGED, Reviewer
from swarm.brief.part import Part
from swarm.core.clock import Stamp
from swarm.core.fold.node import Node
from swarm.core.fold.plan import Plan
from swarm.core.fold.voting import Tally, Vote
from swarm.core.records import MAX_DETAIL, Ballot, KnownBody, Notice, Review
from swarm.llm.client.code_rating import rate_by_code
from swarm.llm.requests import Answer, RateAnswer, RateRequest
from swarm.llm.viewpoints import Viewpoint, viewpoint_of

GATHER_SHARE = 3
"""A scorer waits at most this part (1/3) of the vote's patience for more proposals to compare."""

CONTEST_SHARE = 2
"""A scorer waits in a contested vote for at most this many such parts (2/3): at the end of the
patience the fallback decides."""

RATING_FAILED = "rating-failed"
"""Code of the notice that a scorer's model gave up rating a proposal."""


class Scorer:
    """Decides how to vote."""

    role = "scorer"
    capabilities: frozenset[str] = frozenset()

    def __init__(self, slots: int = 1) -> None:
        """Start with nothing rated.

        Args:
            slots: model calls at a time.
        """
        self._slots = slots
        self._running: dict[JobKey, Job] = {}
        self._ratings: dict[bytes, RateAnswer] = {}
        self._approved: dict[bytes, tuple[bytes, int]] = {}
        """Per node: the proposal approved last, and when, in ms. The ballot is not published again
        before the revote time even if it did not count: otherwise it would be repeated forever."""
        self._contested: dict[tuple[bytes, Stamp], int] = {}
        """Per node and vote: since when the known ratings have predicted no winner, in ms."""
        self._viewpoints: dict[tuple[bytes, Stamp], Viewpoint] = {}
        """What it asks in each vote: the same about all splits, or ratings could not be compared,
        even if scorers come and go meanwhile."""
        self._began_ms: int | None = None
        self._refused: set[bytes] = set()
        """Proposals refused in its latest ballot because nobody here can do a part; those ballots
        are not ratings."""
        self._unkept: set[tuple[bytes, str]] = set()
        """Ballots that its own store did not keep, by proposal and verdict."""
        self._failures = Failures()
        self._mentioned = Mentioned()
        self._reviewer = Reviewer()
        self._goals = ChangedGoals()
        self._waiting = Waiting[tuple[Node, Tally]]()
        """The proposals to rate as soon as a slot is free."""
        self._known: dict[bytes, tuple[set[bytes], set[tuple[bytes, Stamp]]]] = {}
        """Of each live goal: its proposals and votes at the last look."""

    def decide(self, view: View) -> Decision:
        """Publish ballots that are due; start the next rating."""
        decision = Decision()
        if self._began_ms is None:
            self._began_ms = view.now_ms
        for goal_id, changed in self._goals.take(view):
            self._look(goal_id, changed, view, decision)
        if view.able and self._waiting:
            for plan, (node, tally) in view.to_start(self._waiting, self._running, self._slots):
                self._start(plan, node, tally, view, decision)
        if (at := self._goals.next_ms()) is not None:
            decision.wake_at(at)
        return decision

    def finished(self, job: Job, answer: Answer, view: View) -> Decision:
        """Remember the rating; the next `decide` publishes the ballot."""
        self._ended(job)
        if job.key[0] == JUDGED:
            self._reviewer.finished(job, answer)
        elif isinstance(answer, RateAnswer):
            self._ratings[job.subject] = answer
        return Decision()

    def failed(
        self, job: Job, message: str, view: View, *, retryable: bool, away: bool = False
    ) -> Decision:
        """Try again later, or publish that the model gives up; then checks in code rate instead.

        A vote that all models gave up on would last until its patience ends.
        """
        self._ended(job)
        if job.key[0] == JUDGED:
            self._reviewer.failed(job)
            return Decision(wake_ms=view.now_ms)
        decision = Decision()
        plan = view.store.plan(job.goal)
        if self._failures.note(job.key, view.now_ms, retryable=retryable):
            if isinstance(job.request, RateRequest):
                self._ratings[job.subject] = rate_by_code(job.request)
                decision.wake_at(view.now_ms)
            if plan is not None:
                text = f"A scorer rates by checks in code, because its model cannot: {message}"
                decision.publish.append(notice(plan, job.node, RATING_FAILED, text))
        else:
            decision.wake_at(self._failures.retry_ms(job.key) or view.now_ms)
        return decision

    def unkept(self, body: KnownBody, view: View) -> Decision:
        """Never publish a ballot again that was not kept; a review is published only once."""
        if not isinstance(body, Ballot | Review):
            return Decision()
        if isinstance(body, Ballot):
            self._unkept.add((body.proposal, body.verdict))
            self._goals.look_again(body.goal)
        text = "A scorer is not heard: its ballots are not kept, its room in this goal is full."
        plan = view.store.plan(body.goal)
        return Decision(publish=self._mentioned.once(plan, body.node, NO_ROOM, text))

    def wrote(self, job: Job, characters: int) -> None:
        """Ignore it: answers are used whole."""

    def recovered(self) -> None:
        """Try at once what failed before: the model answers again."""
        self._failures.clear()
        self._goals.look_at_all()

    def _ended(self, job: Job) -> None:
        """Note that a call has ended."""
        self._running.pop(job.key, None)
        self._goals.look_again(job.goal)

    def _look(self, goal_id: bytes, plan: Plan | None, view: View, decision: Decision) -> None:
        """Publish a goal's ballots and reviews that are due, and note the proposals to rate."""
        nodes = [] if plan is None else list(undecided(plan))
        votes = [(node, node.vote) for node in nodes if node.vote is not None]
        proposals = {tally.record.id for _, vote in votes for tally in vote.valid()}
        for key, job in list(self._running.items()):
            if job.goal == goal_id and job.subject not in proposals:
                decision.stop.append(key)
                del self._running[key]
        self._forget(goal_id, proposals, {(node.id, vote.opened) for node, vote in votes})
        waiting: list[tuple[Node, Tally]] = []
        for node, vote in votes:
            assert plan is not None
            if plan.policy.electorate and view.me not in plan.policy.electorate:
                continue
            self._recall(vote, view)
            waiting += [(node, tally) for tally in self._to_rate(plan, vote, view)]
            self._vote(plan, node, vote, view, decision)
        self._waiting.put(goal_id, plan, waiting)
        if (at := self._reviewer.decide(goal_id, plan, view, decision)) is not None:
            self._goals.wake_at(goal_id, at)

    def _forget(
        self, goal_id: bytes, proposals: set[bytes], votes: set[tuple[bytes, Stamp]]
    ) -> None:
        """Forget a goal's other proposals and votes; one that opens again is recalled."""
        old_proposals, old_votes = self._known.pop(goal_id, (set(), set()))
        for rid in old_proposals - proposals:
            self._ratings.pop(rid, None)
            self._refused.discard(rid)
        for vote in old_votes - votes:
            self._contested.pop(vote, None)
            self._viewpoints.pop(vote, None)
        if votes:
            self._known[goal_id] = proposals, votes

    def _recall(self, vote: Vote, view: View) -> None:
        """Recall ratings and refusals from its own ballots: it may have been restarted."""
        for tally in vote.valid():
            rid = tally.record.id
            ballot = tally.ballots.get(view.me)
            if ballot is None or rid in self._ratings or rid in self._refused:
                continue
            body = ballot.body
            assert isinstance(body, Ballot)
            rating = RateAnswer(
                concrete=body.concrete or 0.0,
                distinct=body.distinct or 0.0,
                complete=body.complete or 0.0,
                critique=body.critique,
            )
            if _mean(rating) == 0.0 and any(part.capability for part in tally.body.parts):
                self._refused.add(rid)
            else:
                self._ratings[rid] = rating

    def _to_rate(self, plan: Plan, vote: Vote, view: View) -> list[Tally]:
        """Return the proposals of a vote that this scorer may rate now."""
        found = []
        for tally in vote.valid():
            rid = tally.record.id
            if tally.record.author == view.me or _missing(plan, tally, view):
                continue
            if view.me in tally.ballots and rid not in self._refused:
                continue
            key = ("rate", rid)
            if rid in self._ratings or key in self._running:
                continue
            if not self._failures.may_try(key, view.now_ms):
                if (at := self._failures.retry_ms(key)) is not None:
                    self._goals.wake_at(plan.id, at)
                continue
            found.append(tally)
        return found

    def _viewpoint(self, plan: Plan, node: Node, view: View) -> Viewpoint:
        """Return what this scorer asks about the splits of a node: others ask other questions."""
        assert node.vote is not None
        key = node.id, node.vote.opened
        if key in self._viewpoints:
            return self._viewpoints[key]
        voters = view.with_me(plan, self.role)
        if plan.policy.electorate:
            voters = [author for author in voters if author in plan.policy.electorate]
        ranked = shuffled(voters, node.id)
        self._viewpoints[key] = viewpoint_of(ranked.index(view.me), len(ranked))
        return self._viewpoints[key]

    def _start(self, plan: Plan, node: Node, tally: Tally, view: View, decision: Decision) -> None:
        request = RateRequest(
            goal=plan.body.text,
            title=node.title,
            detail=request_detail(node),
            language=plan.body.language,
            parts=tuple(Part.of(subgoal) for subgoal in tally.body.parts),
            atomic=not tally.body.parts,
            draft=tally.body.draft or "",
            brief=own_brief(plan) if node.parent is None else brief_of(plan),
            proposed=tally.body.brief if node.parent is None else None,
            part=None if node.parent is None else Part.of(node.part),
            viewpoint=self._viewpoint(plan, node, view),
        )
        key = ("rate", tally.record.id)
        job = Job(key, request, plan.id, node.id, tally.record.id)
        self._running[key] = job
        decision.start.append(job)

    def _vote(self, plan: Plan, node: Node, vote: Vote, view: View, decision: Decision) -> None:
        chosen = self._choose(plan, node, vote, view)
        for tally in vote.valid():
            rid = tally.record.id
            missing = _missing(plan, tally, view)
            rating = _refusal(missing) if missing else self._ratings.get(rid)
            if rating is None or tally.record.author == view.me:
                continue
            approve = tally is chosen and self._may_approve(plan, node, tally, view)
            # Repeated only to approve, or once a newcomer can do what nobody could before.
            told = view.me in tally.ballots and (missing or rid not in self._refused)
            if told and (not approve or view.me in tally.approvals):
                continue
            verdict: Literal["approve", "abstain"] = "approve" if approve else "abstain"
            if (rid, verdict) in self._unkept:
                continue
            self._refused.add(rid) if missing else self._refused.discard(rid)
            if approve:
                self._approved[node.id] = (tally.record.id, view.now_ms)
            decision.publish.append(
                Ballot(
                    stamp=STAMP,
                    goal=plan.id,
                    node=node.id,
                    proposal=tally.record.id,
                    verdict=verdict,
                    concrete=rating.concrete,
                    distinct=rating.distinct,
                    complete=rating.complete,
                    critique=rating.critique[:MAX_DETAIL],
                )
            )

    def _may_approve(self, plan: Plan, node: Node, tally: Tally, view: View) -> bool:
        proposal, at_ms = self._approved.get(node.id, (b"", 0))
        again_ms = at_ms + plan.policy.revote_ms
        if proposal != tally.record.id or view.now_ms >= again_ms:
            return True
        if view.me not in tally.approvals:
            self._goals.wake_at(plan.id, again_ms)
        return False

    def _choose(self, plan: Plan, node: Node, vote: Vote, view: View) -> Tally | None:
        """Return the proposal that this scorer should approve now; None if it should wait."""
        possible = [tally for tally in vote.valid() if not _missing(plan, tally, view)]
        refused = len(vote.valid()) - len(possible)
        ids = [tally.record.id for tally in possible]
        mine = {rid: _mean(r) for rid in ids if (r := self._ratings.get(rid))}
        candidates = [t for t in possible if mine.get(t.record.id, -1.0) >= plan.policy.bar]
        current = next((t for t in vote.valid() if view.me in t.approvals), None)
        if current is not None:
            moves_ms = current.approvals[view.me].ms + plan.policy.revote_ms
            if view.now_ms < moves_ms:
                self._goals.wake_at(plan.id, moves_ms)
                return current
            # The quorum is nearest where others have approved already.
            forecast = Forecast(plan, vote, me=view.me, mine=mine)
            return min(candidates, key=forecast.rank, default=current)
        if not candidates:
            return None
        gathered_ms = vote.opened.ms + plan.policy.patience_ms // GATHER_SHARE
        all_in = self._all_in(plan, node, vote, view, len(mine) + refused)
        if not all_in and view.now_ms < gathered_ms:
            self._goals.wake_at(plan.id, gathered_ms)
            return None
        forecast = Forecast(plan, vote, me=view.me, mine=mine)
        if not forecast.is_contested:
            # Its own favourite, even if another leads: people's votes may still decide.
            return min(candidates, key=lambda tally: (-mine[tally.record.id], tally.record.id))
        wait_until_ms = self._wait_until_ms(plan, node, vote, forecast, view)
        if view.now_ms < wait_until_ms:
            self._goals.wake_at(plan.id, wait_until_ms)
            return None
        return min(candidates, key=forecast.rank)

    def _wait_until_ms(
        self, plan: Plan, node: Node, vote: Vote, forecast: Forecast, view: View
    ) -> int:
        """Return until when to wait in a contested vote for scorers that are still rating, in ms.

        Their ratings decide it. If honest scorers yielded at once, one quick dishonest scorer could
        sway them.
        """
        assert self._began_ms is not None
        gave_up = {
            record.author
            for record in plan.notices
            if isinstance(record.body, Notice)
            and record.body.node == node.id
            and record.body.code == RATING_FAILED
        }
        rating = forecast.voters.union(view.regulars(plan, self.role)).difference(gave_up)
        since_ms = self._contested.setdefault((node.id, vote.opened), view.now_ms)
        if not forecast.awaits_any(rating):
            return self._began_ms + MEET_MS
        most_ms = vote.opened.ms + plan.policy.patience_ms * CONTEST_SHARE // GATHER_SHARE
        return min(since_ms + plan.policy.revote_ms, most_ms)

    def _all_in(self, plan: Plan, node: Node, vote: Vote, view: View, rated: int) -> bool:
        """Return whether every decomposer present has answered and this scorer has rated it all."""
        valid = vote.valid()
        proposed = {tally.record.author for tally in vote.tallies.values()}
        proposed.update(
            record.author
            for record in plan.notices
            if isinstance(record.body, Notice) and record.body.node == node.id
        )
        hopeless = sum(
            self._failures.gave_up(("rate", tally.record.id))
            for tally in valid
            if tally.record.id not in self._ratings
        )
        return rated + hopeless >= len(valid) and proposed.issuperset(
            view.regulars(plan, "decomposer")
        )


def _missing(plan: Plan, tally: Tally, view: View) -> list[str]:
    """Return the capabilities that a proposal's parts require and no executor here offers."""
    asked = {part.capability for part in tally.body.parts} - {""}
    return view.missing_capabilities(plan, asked) if asked else []


def _refusal(missing: list[str]) -> RateAnswer:
    """Return the rating of a split that cannot be done; every scorer gives the same."""
    names = ", ".join(f"“{name}”" for name in missing)
    critique = f"No executor here offers {names}: nobody could do those parts."
    return RateAnswer(concrete=0.0, distinct=0.0, complete=0.0, critique=critique)


def _mean(rating: RateAnswer) -> float:
    return (rating.concrete + rating.distinct + rating.complete) / 3
