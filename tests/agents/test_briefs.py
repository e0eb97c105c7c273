"""What agents know of a brief: what reviewers found kept and not."""

from __future__ import annotations

from swarm.agents.briefs import judged
from swarm.core.clock import Stamp
from swarm.core.records import Record, Result, Review, Subgoal
from tests.core.story import T0, Story
from tests.core.worlds import SCORERS


def reviewed(
    story: Story, at: int, result: Record, points: list[int], kept: list[int] | None = None
) -> None:
    """Have a quorum review a result: fine without points, wrong with them."""
    assert isinstance(result.body, Result)
    for number, key in enumerate(SCORERS[:2]):
        body = Review(
            stamp=Stamp(T0 + at + number),
            goal=story.goal.id,
            node=result.body.node,
            result=result.id,
            verdict="wrong" if points else "fine",
            points=points,
            kept=kept,
        )
        story.tell(body, key)


def test_reviews_of_what_settled_count() -> None:
    """What reviewers judged kept is kept, what they found missing is lost, the rest is neither."""
    story = Story(reviews=1, max_attempts=1)
    parts = [Subgoal(title="a", keeps=[0, 2, 3]), Subgoal(title="b", keeps=[1, 2])]
    story.accept(1, subgoals=parts)
    first, second = story.plan.root.children
    reviewed(story, 30, story.result(20, story.claim(10, first.id)), [], [0, 2])
    reviewed(story, 60, story.result(50, story.claim(40, second.id)), [2])
    plan = story.until(90_000)
    assert [node.settled_as for node in plan.root.children] == ["done", "done"]
    assert judged(plan.root) == (frozenset({0}), frozenset({2}))
