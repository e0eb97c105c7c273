"""The part of a scorer that reviews results: code finds what is wrong, at no model call.

Every scorer checks a result against the brief as soon as it hears of it, and says at once what the
checks find. So a result without faults is settled one gossip delay after it was written. Scorers
with the same brief find the same: their quorum guards against a liar, not against a blind spot.
"""

from __future__ import annotations

from collections.abc import Iterator

from swarm.agents.base import STAMP, View
from swarm.agents.briefs import brief_of
from swarm.brief.checks import Check, check_part, check_plan, share_kept
from swarm.brief.part import Part
from swarm.core.bounded import BoundedDict
from swarm.core.fold.node import Node
from swarm.core.fold.plan import Plan
from swarm.core.fold.reviews import Panel, Version
from swarm.core.records import MAX_DETAIL, Result, Review

MOST_REMEMBERED = 4_096
"""How many results a scorer remembers to have reviewed."""


class Reviewer:
    """Decides which results to review, and how."""

    def __init__(self) -> None:
        """Start with nothing reviewed."""
        self._done: BoundedDict[bytes, None] = BoundedDict(MOST_REMEMBERED)
        """Results reviewed before: a review that did not count must not be repeated forever."""

    def reviews(self, plan: Plan, view: View) -> Iterator[Review]:
        """Yield the reviews that are due in a goal, each once."""
        panel = Panel.of(plan.body)
        if panel is None:
            return
        for node in plan.nodes():
            version = node.outcome.reviewed
            if version is None or version.result.id in self._done:
                continue
            if view.me in version.reviews or not panel.admits(view.me, version.result):
                continue
            self._done[version.result.id] = None
            yield review_of(plan, node, version)


def review_of(plan: Plan, node: Node, version: Version) -> Review:
    """Return what the checks in code say about a version of a task's result."""
    found = checks_of(plan, node, version)
    wrong = [check for check in found if check.standing == "not met"]
    critique = " ".join(dict.fromkeys(check.text for check in wrong))
    return Review(
        stamp=STAMP,
        goal=plan.id,
        node=node.id,
        result=version.result.id,
        verdict="wrong" if wrong else "fine",
        rating=round(share_kept(found), 4),
        points=sorted({check.demand for check in wrong if check.demand is not None}),
        critique=critique[:MAX_DETAIL],
    )


def checks_of(plan: Plan, node: Node, version: Version) -> tuple[Check, ...]:
    """Return how a version stands to what its task has to keep, as far as code can tell."""
    body = version.result.body
    assert isinstance(body, Result)
    brief = brief_of(plan)
    if node.parent is None:
        return check_plan(brief, body.text, body.costs or ())
    return check_part(brief, Part.of(node.part), body.text)
