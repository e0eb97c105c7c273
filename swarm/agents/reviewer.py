"""The part of a scorer that reviews results: code first, then its model, then the whole plan.

Every scorer checks a result against the brief as soon as it hears of it. What code finds wrong goes
back at once, at no model call. Only about demands that code cannot check is the model asked, and
only a larger one answers. A result that is fine is settled one gossip delay later if other tasks
wait for it. If none does, nothing is lost by waiting until all parts are there: then code checks
the whole (`whole_review`), and a part that is still under review can go back for a fault that only
shows in the whole. Scorers with the same brief find the same by code: their quorum guards against a
liar, not against a blind spot.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from swarm.agents.base import STAMP, Decision, Job, JobKey, View
from swarm.agents.briefs import brief_of, outline_of
from swarm.agents.whole_review import awaited, faults, is_there
from swarm.brief.checks import Check, check_part, check_plan
from swarm.brief.part import Part
from swarm.brief.report import without_report
from swarm.core.bounded import BoundedDict
from swarm.core.brief import DEMAND_KINDS, Brief
from swarm.core.fold.node import Node
from swarm.core.fold.plan import Plan
from swarm.core.fold.reviews import Panel, Version
from swarm.core.records import MAX_DETAIL, Result, Review
from swarm.llm.requests import Answer, ReviewAnswer, ReviewRequest

MOST_REMEMBERED = 4_096
"""How many results a scorer remembers to have reviewed."""

MOST_CALLS = 2
"""Reviews by a scorer's model at a time, beside its ratings: a vote must not wait for them."""

END_MS = 3_000
"""By how much a scorer that waits for the whole plan answers before a review ends, in ms: so that
its answer arrives in time. At most a quarter of the review."""

ASKED = frozenset(("must", "must_not", "count", "place", "start_place", "end_place"))
"""Kinds of demands that a reader can judge by a part's text alone, where code cannot. Demands of
later versions are asked about, too."""

JUDGED = "review"
"""First part of the key of a model call for a review."""


@dataclass(frozen=True, slots=True)
class _Found:
    """A version with what code says about it."""

    node: Node
    version: Version
    checks: tuple[Check, ...]

    @property
    def id(self) -> bytes:
        """The id of the result."""
        return self.version.result.id

    @property
    def wrong(self) -> list[Check]:
        """The points that it does not meet."""
        return [check for check in self.checks if check.standing == "not met"]


class Reviewer:
    """Decides which results to review, and how."""

    def __init__(self) -> None:
        """Start with nothing reviewed."""
        self._done = BoundedDict[bytes, bool](MOST_REMEMBERED)
        """Results reviewed before, and whether they were found wrong: a review that did not count
        must not be repeated forever."""
        self._checks = BoundedDict[bytes, tuple[Check, ...]](MOST_REMEMBERED)
        self._answers = BoundedDict[bytes, ReviewAnswer](MOST_REMEMBERED)
        """What its model said of a result."""
        self._waiting: dict[JobKey, Job] = {}
        """Calls to make as soon as one of those running ends."""
        self._running: dict[JobKey, Job] = {}

    def decide(
        self, goal_id: bytes, plan: Plan | None, view: View, decision: Decision
    ) -> int | None:
        """Publish the reviews that are due in a goal, each once, and start the calls they need.

        Returns:
            When to look at the goal again even if nothing happens, in ms; None: never.
        """
        due = [] if plan is None else self._due(plan, view)
        self._forget(goal_id, {found.id for found in due}, decision)
        wake_ms: int | None = None
        if plan is not None and due:
            brief = brief_of(plan)
            fine: list[_Found] = []
            for found in due:
                if found.wrong:
                    self._publish(plan, found, found.wrong, decision)
                elif self._judged(plan, brief, found, view):
                    fine.append(found)
                else:
                    wake_ms = _earlier(wake_ms, _hold_until_ms(found.version))
            if fine:
                at = self._accept(plan, brief, fine, view, decision)
                wake_ms = _earlier(wake_ms, at)
        self._start(view, decision)
        return wake_ms

    def finished(self, job: Job, answer: Answer) -> None:
        """Remember what the model says; the next `decide` publishes the review."""
        self._running.pop(job.key, None)
        self._answers[job.subject] = answer if isinstance(answer, ReviewAnswer) else ReviewAnswer()

    def failed(self, job: Job) -> None:
        """Review by code alone: a result must not wait for a model that is away."""
        self.finished(job, ReviewAnswer())

    def _due(self, plan: Plan, view: View) -> list[_Found]:
        panel = Panel.of(plan.body)
        if panel is None:
            return []
        due = []
        for node in plan.nodes():
            version = node.outcome.reviewed
            if version is None or version.result.id in self._done:
                continue
            if view.me in version.reviews or not panel.admits(view.me, version.result):
                continue
            checks = self._checks.get(version.result.id)
            if checks is None:
                checks = self._checks[version.result.id] = checks_of(plan, node, version)
            due.append(_Found(node, version, checks))
        return due

    def _forget(self, goal_id: bytes, due: set[bytes], decision: Decision) -> None:
        """Stop the calls about results of a goal that are no longer under review."""
        for calls in (self._waiting, self._running):
            for key, job in list(calls.items()):
                if job.goal == goal_id and job.subject not in due:
                    del calls[key]
                    if calls is self._running:
                        decision.stop.append(key)

    def _judged(self, plan: Plan, brief: Brief, found: _Found, view: View) -> bool:
        """Return whether the model has said all it has to say; ask it if not."""
        points = unclear(brief, found.checks)
        if not points or found.id in self._answers:
            return True
        key = (JUDGED, found.id)
        if not view.able or view.now_ms >= _hold_until_ms(found.version):
            return True  # Better reviewed by code alone than too late.
        if key not in self._running:
            node = found.node
            request = ReviewRequest(
                goal=plan.body.text,
                title=node.title,
                language=plan.body.language,
                text=text_to_check(plan, found.version),
                points=points,
                brief=brief,
                outline=() if node.parent is None else outline_of(node.parent),
            )
            self._waiting[key] = Job(key, request, plan.id, node.id, found.id)
        return False

    def _start(self, view: View, decision: Decision) -> None:
        """Start calls while there is room, those about goals of known askers first."""
        jobs = list(self._waiting.values()) if view.able else []
        for job in sorted(jobs, key=lambda job: not self._known(job, view)):
            if len(self._running) >= MOST_CALLS:
                return
            self._running[job.key] = self._waiting.pop(job.key)
            decision.start.append(job)

    @staticmethod
    def _known(job: Job, view: View) -> bool:
        asker = view.asker_of(job.goal)
        return asker is not None and view.is_known(asker)

    def _accept(
        self, plan: Plan, brief: Brief, fine: Sequence[_Found], view: View, decision: Decision
    ) -> int | None:
        """Publish the reviews of versions in which code sees no fault of their own.

        Those that no task waits for are held back until the whole can be checked.
        """
        lost = {found.id for found in fine if self._lost(found)}

        def rejected(result: bytes) -> bool:
            return result in lost or self._done.get(result, False)

        whole = faults(plan, brief) if is_there(plan, rejected) else None
        needed = awaited(plan) if whole is None else frozenset[bytes]()
        wake_ms: int | None = None
        for found in fine:
            if whole is not None:
                self._publish(plan, found, _as_whole(whole.get(found.node.id, ())), decision)
                continue
            until_ms = _hold_until_ms(found.version)
            alone = found.node.parent is None or found.node.id in needed or found.id in lost
            if alone or view.now_ms >= until_ms:
                self._publish(plan, found, (), decision)
            else:
                wake_ms = _earlier(wake_ms, until_ms)
        return wake_ms

    def _lost(self, found: _Found) -> bool:
        return bool(self._answers.get(found.id, ReviewAnswer()).lost)

    def _publish(
        self, plan: Plan, found: _Found, wrong: Sequence[Check], decision: Decision
    ) -> None:
        answer = self._answers.get(found.id, ReviewAnswer())
        review = review_of(plan, found, wrong, answer)
        self._done[found.id] = review.verdict == "wrong"
        decision.publish.append(review)


def review_of(plan: Plan, found: _Found, wrong: Sequence[Check], answer: ReviewAnswer) -> Review:
    """Return a scorer's review of a version.

    Args:
        plan: the goal's plan.
        found: the version, with what code says about it.
        wrong: the points that it does not meet, by itself or as a part of the whole.
        answer: what the model says.
    """
    demands = brief_of(plan).demands
    said = [check.text for check in wrong]
    said += [f"This is not kept: {demands[index].text}." for index in answer.lost]
    lost = {check.demand for check in wrong if check.demand is not None} | {*answer.lost}
    met = sum(check.standing == "met" for check in found.checks) + len(answer.kept)
    counted = met + len(wrong) + len(answer.lost)
    return Review(
        stamp=STAMP,
        goal=plan.id,
        node=found.node.id,
        result=found.id,
        verdict="wrong" if said else "fine",
        rating=round(met / counted, 4) if counted else 1.0,
        points=sorted(lost),
        kept=sorted({*answer.kept} - lost) or None,
        critique=" ".join(dict.fromkeys(said))[:MAX_DETAIL],
    )


def checks_of(plan: Plan, node: Node, version: Version) -> tuple[Check, ...]:
    """Return how a version stands to what its task has to keep, as far as code can tell."""
    brief = brief_of(plan)
    text = text_to_check(plan, version)
    body = version.result.body
    assert isinstance(body, Result)
    if node.parent is None:
        return check_plan(brief, text, body.costs or ())
    return check_part(brief, Part.of(node.part), text)


def text_to_check(plan: Plan, version: Version) -> str:
    """Return a version's text without the report, which repeats every demand."""
    body = version.result.body
    assert isinstance(body, Result)
    return without_report(body.text, plan.body.language or brief_of(plan).language)


def unclear(brief: Brief, checks: Sequence[Check]) -> tuple[int, ...]:
    """Return the demands that a reader can judge and of which no check knows whether they are kept.

    Indexes of the brief's demands, ascending.
    """
    asked = {check.demand for check in checks if check.demand is not None}
    told = {check.demand for check in checks if check.standing != "not checked"}
    return tuple(
        index
        for index in sorted(asked - told)
        if (kind := brief.demands[index].kind) in ASKED or kind not in DEMAND_KINDS
    )


def _as_whole(found: Sequence[Check]) -> Sequence[Check]:
    """Return faults of the whole plan in words that say so."""
    return [
        Check(
            point=check.point,
            standing=check.standing,
            text=f"In the whole plan: {check.text}",
            demand=check.demand,
            steps=check.steps,
        )
        for check in found
    ]


def _earlier(one: int | None, other: int | None) -> int | None:
    return min((at for at in (one, other) if at is not None), default=None)


def _hold_until_ms(version: Version) -> int:
    """Return until when a review may wait for the rest of the plan, in ms."""
    lasts_ms = version.ends_ms - version.result.stamp.ms
    return version.ends_ms - min(END_MS, lasts_ms // 4)
