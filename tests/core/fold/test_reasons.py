"""Every reason can come about: none is left over from an older fold."""

from __future__ import annotations

from swarm.core.fold.plan import Plan
from swarm.core.fold.reasons import REASONS, NotAssembled, PartsMissing, Reason, Reported
from tests.core.story import Story
from tests.core.worlds import START, random_world

WORLDS = 400
"""Made-up histories that are looked at: all reasons but those of assembling come about in them."""


def reasons_in(plan: Plan) -> set[type[Reason]]:
    """Return the types of all reasons that a plan shows anywhere."""
    found: set[type[Reason]] = {type(plan.reason)}
    for node in plan.nodes():
        found.add(type(plan.reason_of(node)))
        found |= {type(attempt.reason) for attempt in node.outcome.attempts if attempt.reason}
        if node.decision is not None:
            found.add(type(node.decision.reason))
        for tally in node.vote.tallies.values() if node.vote else ():
            if tally.invalid is not None:
                found.add(type(tally.invalid))
            found |= {type(reason) for _, reason in tally.ignored}
    return found


def test_every_reason_comes_about() -> None:
    """Random histories, looked at while they go on, give every reason but those of assembling."""
    missing = set(REASONS) - {NotAssembled, PartsMissing}
    for seed in range(WORLDS):
        world = random_world(seed, 60, eager=bool(seed % 3), with_reviews=seed % 4 == 1)
        plan = Plan(world.goal)
        for number, record in enumerate(world.records):
            plan.apply(record)
            if number % 10 == 0:
                missing -= reasons_in(plan)
        plan.advance(START + world.policy.deadline_ms + 1)
        missing -= reasons_in(plan)
        if not missing:
            return
    assert not missing


def test_assembling_has_its_own_reasons() -> None:
    """A plan without a failed part says which; one that was not assembled says why not."""
    story = Story(max_attempts=1)
    story.accept(1)
    first, second = story.plan.root.children
    story.result(20, story.claim(10, first.id), outcome="failed")
    story.result(40, story.claim(30, second.id))
    root = story.claim(50, story.goal.id)
    story.result(60, root)
    assert story.plan.reason == PartsMissing(("part 0",))
    story = Story(max_attempts=1)
    story.accept(1)
    for number, part in enumerate(story.plan.root.children):
        story.result(20 + number, story.claim(10 + number, part.id))
    story.result(60, story.claim(50, story.goal.id), outcome="failed")
    assert story.plan.state == "partial"
    assert story.plan.reason == NotAssembled(Reported("because"))
