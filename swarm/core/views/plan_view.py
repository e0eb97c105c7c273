"""The plan for programs: the `--json` interface, and the text of the answer.

`docs/protocol.md` documents these fields, and other implementations test against them. Ids and keys
are lowercase hex, times are ms since the epoch, stamps are [ms, counter], ratings are in [0, 1].
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from swarm.core.fold.node import Node, State
from swarm.core.fold.plan import Plan
from swarm.core.fold.voting import Tally
from swarm.core.records import Ballot, Claim, Notice, Record, Result, Review
from swarm.core.views.english import demands_of, lack_text, reason_text, result_text, standing_text
from swarm.core.views.explain import standing
from swarm.core.views.waiting import Heard, lack_of


class _View(BaseModel):
    model_config = ConfigDict(frozen=True)


class BallotView(_View):
    """One scorer's latest ballot on a proposal."""

    voter: str
    concrete: float
    distinct: float
    complete: float
    approves: bool
    """Whether the scorer's approval at the node stands on this proposal."""
    critique: str


class PeopleView(_View):
    """People's votes on a proposal."""

    approve: int
    reject: int


class SubgoalView(_View):
    """One part of a proposal."""

    title: str
    detail: str
    kind: Literal["task", "goal"]
    after: list[int]
    capability: str


class ProposalView(_View):
    """A proposed split; without subgoals, the advice to do the node as one task."""

    id: str
    author: str
    stamp: tuple[int, int]
    lens: str
    rationale: str
    refines: str | None
    subgoals: list[SubgoalView]
    score: float
    """Mean rating."""
    approvals: int
    """Approvals that count towards the quorum: scorers', and people's as the policy allows."""
    quorum: int
    ballots: list[BallotView]
    people: PeopleView
    accepted: bool
    why: str
    """Why it was accepted, lost, waits, or does not count."""


class ClaimView(_View):
    """The claim that holds, or last held, the task."""

    id: str
    holder: str
    attempt: int
    stamp: tuple[int, int]
    lease_ends_ms: int
    percent: int | None
    note: str
    active: bool


class ResultView(_View):
    """The result that settled a node."""

    id: str
    author: str
    stamp: tuple[int, int]
    text: str
    draft: bool


class ReviewView(_View):
    """One scorer's review of a version."""

    reviewer: str
    verdict: Literal["fine", "wrong"]
    rating: float
    points: list[int]
    """Indexes of the brief's demands that it does not keep."""
    critique: str


class VersionView(_View):
    """A result that is or was reviewed."""

    result: ResultView
    verdict: Literal["", "fine", "wrong", "late"]
    """What its review came to; late: no quorum in time; empty: it is under review."""
    rating: float
    """Mean rating so far."""
    reviews: list[ReviewView]


class ReplanView(_View):
    """A replan that counted: it opened the node's vote again."""

    id: str
    stamp: tuple[int, int]
    reason: str
    replaced: str | None
    """The accepted proposal that was set aside; None: the node was being done as one task."""


class NodeView(_View):
    """A node and all below it."""

    id: str
    title: str
    detail: str
    kind: Literal["task", "goal"]
    depth: int
    state: State
    reason: str
    waits_because: str = Field("", exclude_if=lambda because: not because)
    """Who is missing for what it waits for; absent: nobody, or not known."""
    after: list[str]
    """Ids of the siblings that it comes after."""
    proposals: list[ProposalView]
    """The proposals of the latest round."""
    replans: list[ReplanView]
    """The replans that opened each round after the first."""
    claim: ClaimView | None
    result: ResultView | None
    versions: list[VersionView] = Field([], exclude_if=lambda versions: not versions)
    """Its results in order, where the goal has results reviewed; absent: it has none."""
    children: list[NodeView]


class NoticeView(_View):
    """A notice in which an agent states why it cannot help."""

    author: str
    stamp: tuple[int, int]
    node: str | None
    code: str
    text: str


class ForeignView(_View):
    """A record whose author lacks the role it needs: it does not count."""

    author: str
    stamp: tuple[int, int]
    kind: str


class CountsView(_View):
    """Progress of the plan."""

    nodes: int
    done: int
    records: int


class PlanView(_View):
    """A whole plan."""

    goal: str
    text: str
    language: str
    author: str
    created_ms: int
    deadline_ms: int
    state: State
    reason: str
    demands: list[str] = Field([], exclude_if=lambda demands: not demands)
    """What the brief demands, in the goal's words: the accepted one, or until then that of the
    best-rated proposal; absent: nothing, or none yet."""
    digest: str
    """Fingerprint of the folded state; it is equal at peers that agree."""
    answer: str
    """The plan in Markdown, as far as it is done."""
    draft: bool
    """Whether a small model wrote any of it, so that it must be verified."""
    counts: CountsView
    notices: list[NoticeView]
    foreign: list[ForeignView]
    tree: NodeView


def plan_view(plan: Plan, *, records: int = 0, heard: Sequence[Heard] | None = None) -> PlanView:
    """Return a plan as the `--json` interface gives it.

    Args:
        plan: what to show.
        records: how many records of the goal the store keeps.
        heard: the peers that were heard lately; None: not known.
    """
    nodes = list(plan.nodes())
    return PlanView(
        goal=plan.id.hex(),
        text=plan.body.text,
        language=plan.body.language,
        author=plan.goal.author.hex(),
        created_ms=plan.goal.stamp.ms,
        deadline_ms=plan.deadline_ms,
        state=plan.state,
        reason=reason_text(plan.reason),
        demands=demands_of(plan, plan.root),
        digest=plan.digest.hex(),
        answer=answer(plan),
        draft=is_draft(plan),
        counts=CountsView(
            nodes=len(nodes),
            done=sum(node.settled_as in ("done", "partial") for node in nodes),
            records=records,
        ),
        notices=[_notice_view(record) for record in plan.notices],
        foreign=[
            ForeignView(
                author=record.author.hex(), stamp=tuple(record.stamp), kind=record.body.kind
            )
            for record in plan.foreign
        ],
        tree=_node_view(plan, plan.root, heard),
    )


def answer(plan: Plan) -> str:
    """Return the plan in Markdown: the root's result, or what its parts have so far."""
    return result_text(plan.root)


def is_draft(plan: Plan) -> bool:
    """Return whether a small model wrote any settled text, so that it must be verified."""
    return any(
        isinstance(node.result.body, Result) and node.result.body.draft
        for node in plan.nodes()
        if node.result is not None
    )


def _notice_view(record: Record) -> NoticeView:
    body = record.body
    assert isinstance(body, Notice)
    return NoticeView(
        author=record.author.hex(),
        stamp=tuple(record.stamp),
        node=body.node.hex() if body.node else None,
        code=body.code,
        text=body.text,
    )


def _node_view(plan: Plan, node: Node, heard: Sequence[Heard] | None) -> NodeView:
    lack = None if heard is None or plan.final else lack_of(plan, node, heard)
    return NodeView(
        id=node.id.hex(),
        title=node.title,
        detail=node.part.detail,
        kind="task" if node.is_task else "goal",
        depth=node.depth,
        state=plan.state_of(node),
        reason=reason_text(plan.reason_of(node)),
        waits_because="" if lack is None else lack_text(lack),
        after=[other.id.hex() for other in node.earlier],
        proposals=[
            _proposal_view(plan, node, tally)
            for tally in (node.vote.tallies.values() if node.vote else ())
        ],
        replans=[
            ReplanView(
                id=past.replan.id.hex(),
                stamp=tuple(past.replan.stamp),
                reason=past.reason,
                replaced=past.decision.proposal.id.hex() if past.decision.proposal else None,
            )
            for past in node.rounds
        ],
        claim=_claim_view(node),
        result=_result_view(node.result),
        versions=[
            VersionView(
                result=result,
                verdict=version.verdict,
                rating=round(version.rating(), 4),
                reviews=[_review_view(record) for record in version.reviews.values()],
            )
            for version in node.outcome.versions
            if (result := _result_view(version.result)) is not None
        ],
        children=[_node_view(plan, child, heard) for child in node.children],
    )


def _proposal_view(plan: Plan, node: Node, tally: Tally) -> ProposalView:
    decision = node.decision
    accepted = bool(
        decision and decision.proposal is not None and decision.proposal.id == tally.record.id
    )
    return ProposalView(
        id=tally.record.id.hex(),
        author=tally.record.author.hex(),
        stamp=tuple(tally.record.stamp),
        lens=tally.body.lens,
        rationale=tally.body.rationale,
        refines=tally.body.refines.hex() if tally.body.refines else None,
        subgoals=[SubgoalView(**part.model_dump()) for part in tally.body.parts],
        score=round(tally.score, 4),
        approvals=tally.total(plan.policy),
        quorum=plan.policy.quorum,
        ballots=[
            _ballot_view(record, approves=record.author in tally.approvals)
            for _, record in sorted(tally.ballots.items())
        ],
        people=PeopleView(approve=tally.people_for, reject=tally.people_against),
        accepted=accepted,
        why=standing_text(standing(plan, node, tally)),
    )


def _ballot_view(record: Record, *, approves: bool) -> BallotView:
    body = record.body
    assert isinstance(body, Ballot)
    return BallotView(
        voter=record.author.hex(),
        concrete=body.concrete or 0.0,
        distinct=body.distinct or 0.0,
        complete=body.complete or 0.0,
        approves=approves,
        critique=body.critique,
    )


def _review_view(record: Record) -> ReviewView:
    body = record.body
    assert isinstance(body, Review)
    return ReviewView(
        reviewer=record.author.hex(),
        verdict=body.verdict,
        rating=body.score,
        points=list(body.points),
        critique=body.critique,
    )


def _claim_view(node: Node) -> ClaimView | None:
    held = [attempt for attempt in node.outcome.attempts if attempt.holder is not None]
    if not held:
        return None
    attempt = held[-1]
    claim = attempt.holder
    assert claim is not None
    assert isinstance(claim.body, Claim)
    progress = attempt.progress.body if attempt.progress else None
    return ClaimView(
        id=claim.id.hex(),
        holder=claim.author.hex(),
        attempt=attempt.number,
        stamp=tuple(claim.stamp),
        lease_ends_ms=attempt.lease_ms,
        percent=getattr(progress, "percent", None),
        note=getattr(progress, "note", ""),
        active=node.outcome.holder is claim,
    )


def _result_view(record: Record | None) -> ResultView | None:
    if record is None or not isinstance(record.body, Result):
        return None
    return ResultView(
        id=record.id.hex(),
        author=record.author.hex(),
        stamp=tuple(record.stamp),
        text=record.body.text,
        draft=record.body.draft,
    )
