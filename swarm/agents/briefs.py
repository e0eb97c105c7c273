"""What agents know of a goal's brief, and of a node's place in the whole plan."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import lru_cache

from swarm.brief.part import Part
from swarm.brief.read import read_brief
from swarm.core.brief import Brief, Cost
from swarm.core.fold.node import Node
from swarm.core.fold.plan import Plan
from swarm.core.fold.reviews import Version
from swarm.core.records import Proposal, Result, Review

_read = lru_cache(maxsize=256)(read_brief)
"""Agents look at a goal many times a second; its text does not change."""


def own_brief(plan: Plan) -> Brief:
    """Return what this peer itself reads from the goal's text."""
    return _read(plan.body.text, plan.body.language, today_of(plan))


def brief_of(plan: Plan) -> Brief:
    """Return the brief that was accepted with the goal's split; before that, this peer's own."""
    accepted = _accepted(plan.root)
    if accepted is not None and accepted.brief is not None:
        return accepted.brief
    return own_brief(plan)


def today_of(plan: Plan) -> str:
    """Return the date on which a goal was asked (ISO 8601, UTC), the same at every peer."""
    return datetime.fromtimestamp(plan.goal.stamp.ms / 1000, UTC).date().isoformat()


def outline_of(node: Node) -> tuple[Part, ...]:
    """Return the parts of a node's split, in order."""
    return tuple(Part.of(child.part) for child in node.children)


def place_before(node: Node) -> str:
    """Return where the plan is when a node begins; empty: not known."""
    at: Node | None = node
    while at is not None and at.parent is not None:
        for other in reversed(at.parent.children[: at.index]):
            if other.part.place:
                return other.part.place
        at = at.parent
    return ""


def wishes_of(node: Node) -> tuple[str, ...]:
    """Return what replans of a node, and of those above it, asked for, the oldest first."""
    wishes: list[str] = []
    at: Node | None = node
    while at is not None:
        wishes = [past.reason for past in at.rounds if past.reason] + wishes
        at = at.parent
    return tuple(wishes)


def costs_of(node: Node) -> tuple[Cost, ...]:
    """Return what a node costs by its result or, if that names nothing, by its parts' results."""
    result = node.result.body if node.result is not None else None
    if isinstance(result, Result) and result.costs:
        return tuple(result.costs)
    return tuple(cost for child in node.children for cost in costs_of(child))


def drafts_of(node: Node) -> tuple[str, ...]:
    """Return the whole plans that competed with a node's split, in the order of the vote."""
    if node.vote is None:
        return ()
    return tuple(tally.body.draft for tally in node.vote.valid() if tally.body.draft)


def draft_of(node: Node) -> str:
    """Return the whole plan that was accepted instead of a split of a node; empty: none."""
    accepted = _accepted(node)
    return (accepted.draft or "") if accepted is not None else ""


def sent_back_text(node: Node) -> str:
    """Return the version of a task's result that is to be revised now; empty: none is."""
    version = node.outcome.sent_back
    body = version.result.body if version is not None else None
    return body.text if isinstance(body, Result) else ""


def sent_back_costs(node: Node) -> tuple[Cost, ...]:
    """Return the items of cost of the version that is to be revised now."""
    version = node.outcome.sent_back
    body = version.result.body if version is not None else None
    return tuple(body.costs or ()) if isinstance(body, Result) else ()


def critiques_of(node: Node) -> tuple[str, ...]:
    """Return what reviewers found wrong in the version that is to be revised now."""
    version = node.outcome.sent_back
    return version.critiques if version is not None else ()


def unkept_of(node: Node) -> tuple[int, ...]:
    """Return the demands that reviewers found not kept in the version that is to be revised now."""
    version = node.outcome.sent_back
    if version is None:
        return ()
    points = (review.points for review in _reviews(version))
    return tuple(sorted({index for found in points for index in found}))


def judged(root: Node) -> tuple[frozenset[int], frozenset[int]]:
    """Return which of the brief's demands reviewers found kept, and which not, in what settled.

    In each result the majority of the reviewers that judge a demand decides; that no reviewer
    found a result wrong says nothing about what nobody judged. A demand that one part does not
    keep is not kept.
    """
    kept: set[int] = set()
    lost: set[int] = set()
    for node in root.walk():
        settled = node.result
        for version in node.outcome.versions:
            if settled is not None and version.result.id == settled.id:
                balance = Counter[int]()
                for review in _reviews(version):
                    balance.update(review.kept or ())
                    balance.subtract(review.points)
                kept.update(index for index, votes in balance.items() if votes > 0)
                lost.update(index for index, votes in balance.items() if votes < 0)
    return frozenset(kept - lost), frozenset(lost)


def _reviews(version: Version) -> Iterator[Review]:
    """Yield what the reviews of a version say that count."""
    for record in version.reviews.values():
        assert isinstance(record.body, Review)
        yield record.body


def _accepted(node: Node) -> Proposal | None:
    """Return the proposal that a node's vote accepted."""
    decided = node.decision.proposal if node.decision is not None else None
    if decided is None or not isinstance(decided.body, Proposal):
        return None
    return decided.body
