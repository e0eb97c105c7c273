"""Another split of a decided node: which replans count, whatever the order of arrival."""

from __future__ import annotations

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from swarm.core.clock import Stamp
from swarm.core.fold.plan import Plan
from swarm.core.records import (
    Claim,
    Result,
    child_id,
)
from swarm.core.views.english import why
from swarm.core.views.plan_view import plan_view
from tests.core.splits import POLICY, Story, rounds_of
from tests.core.worlds import (
    EXECUTORS,
    SCORERS,
    SPAN,
    START,
    World,
    random_world,
)


def test_a_replan_opens_a_new_vote_and_sets_the_old_split_aside() -> None:
    """The node is open again; old proposals and ballots do not count in the new round."""
    story = Story()
    old = story.split(story.goal.id, "a", "b")
    assert story.titles() == ["a", "b"]
    story.replan(story.goal.id)
    root = story.plan.root
    assert story.titles() == []
    assert story.plan.state == "open"
    assert [one.decision.proposal for one in root.rounds] == [old]
    story.approve(old)
    assert story.plan.state == "open"
    story.split(story.goal.id, "c", "d", "e")
    assert story.titles() == ["c", "d", "e"]
    story.check_orders()


def test_results_for_the_old_split_are_kept_but_not_used() -> None:
    """Results of the old parts no longer settle anything; the new parts are done from scratch."""
    story = Story()
    old = story.split(story.goal.id, "a", "b")
    story.finish(child_id(old.id, 0))
    story.replan(story.goal.id)
    story.finish(child_id(old.id, 1))
    new = story.split(story.goal.id, "c", "d")
    for index in (0, 1):
        story.finish(child_id(new.id, index))
    story.finish(story.goal.id)
    assert story.plan.state == "done"
    story.check_orders()


def test_only_the_goals_author_may_replan_and_only_so_often() -> None:
    """A stranger's replan changes nothing; there are no more rounds than the policy allows."""
    story = Story()
    story.split(story.goal.id, "a", "b")
    story.replan(story.goal.id, SCORERS[0])
    assert story.titles() == ["a", "b"]
    for letters in ("cd", "ef"):
        story.replan(story.goal.id)
        assert story.titles() == []
        story.split(story.goal.id, *letters)
    story.replan(story.goal.id)
    assert story.titles() == ["e", "f"]
    story.check_orders()


def test_no_undecided_or_settled_node_is_opened_again() -> None:
    """A replan before the decision, or after the result, changes nothing."""
    story = Story()
    story.replan(story.goal.id)
    split = story.split(story.goal.id, "a", "b", kind="goal")
    part = child_id(split.id, 0)
    inner = story.split(part, "x", "y")
    for index in (0, 1):
        story.finish(child_id(inner.id, index))
    story.finish(part)
    story.replan(part)
    node = story.plan.node(part)
    assert node is not None
    assert node.settled_as == "done"
    assert node.rounds == ()
    story.check_orders()


def test_a_part_is_replanned_without_touching_the_others() -> None:
    """A replan of one part leaves its siblings and their results as they are."""
    story = Story()
    split = story.split(story.goal.id, "a", "b", kind="goal")
    one, two = child_id(split.id, 0), child_id(split.id, 1)
    inner = story.split(two, "x", "y")
    story.finish(child_id(inner.id, 0))
    story.split(one, "p", "q")
    story.replan(one)
    kept = story.plan.node(child_id(inner.id, 0))
    assert kept is not None
    assert kept.settled_as == "done"
    node = story.plan.node(one)
    assert node is not None
    assert node.children == ()
    story.check_orders()


def test_a_late_result_from_before_the_replan_makes_it_void() -> None:
    """A node settled by then stays settled, even if its result arrives only afterwards."""
    story = Story(POLICY.model_copy(update={"max_depth": 1}))
    old = story.split(story.goal.id, "a", "b")
    for index in (0, 1):
        story.finish(child_id(old.id, index))
    claim = story.say(
        Claim(stamp=Stamp(0), goal=story.goal.id, node=story.goal.id, attempt=1), EXECUTORS[0]
    )
    at = story.ms + 5
    story.replan(story.goal.id, at=at)
    assert story.titles() == []
    story.say(
        Result(
            stamp=Stamp(0), goal=story.goal.id, node=story.goal.id, claim=claim.id, outcome="done",
            text="text",
        ),
        EXECUTORS[0],
        at - 1,
    )  # fmt: skip
    assert story.plan.state == "done"
    assert story.titles() == ["a", "b"]
    story.check_orders()


def test_a_replan_is_shown_to_people_and_programs() -> None:
    """`why` and the JSON view state that another split was asked for, and why."""
    story = Story()
    story.split(story.goal.id, "a", "b")
    story.replan(story.goal.id)
    assert any("shorter" in line and "aside" in line for line in why(story.plan, story.plan.root))
    (seen,) = plan_view(story.plan).tree.replans
    assert seen.reason == "shorter"


eager_worlds = st.builds(
    random_world, st.integers(0, 2**32), st.integers(0, 120), eager=st.just(True)
)


@settings(max_examples=60, deadline=None)
@given(eager_worlds, st.randoms(use_true_random=False))
def test_no_order_changes_which_replans_count(world: World, rng: random.Random) -> None:
    """Shuffled, duplicated, and with time passing in between: the same digest and rounds."""
    end = START + 20 * SPAN
    expected = Plan(world.goal)
    for record in sorted(world.records, key=lambda r: r.key):
        expected.apply(record)
    expected.advance(end)
    records = world.records + world.records[: len(world.records) // 2]
    rng.shuffle(records)
    plan, now = Plan(world.goal), START
    for record in records:
        if rng.random() < 0.2:
            now = min(end, now + rng.randrange(30))
            plan.advance(now)
        plan.apply(record)
    plan.advance(end)
    assert plan.digest == expected.digest
    assert rounds_of(plan) == rounds_of(expected)


@settings(max_examples=50, deadline=None)
@given(eager_worlds)
def test_a_replan_counts_by_what_replays_before_it(world: World) -> None:
    """A replan counts exactly if the fold of earlier records has its node decided and unsettled."""
    goal, records = world.goal, sorted(world.records, key=lambda r: r.key)
    plan = Plan(goal)
    for record in records:
        plan.apply(record)
    for node in plan.nodes():
        for past in node.rounds:
            before = Plan(goal)
            for record in records:
                if record.key < past.replan.key:
                    before.apply(record)
            before.advance(past.replan.stamp.ms)
            then = before.node(node.id)
            assert then is not None
            assert then.decision is not None
            assert then.settled is None
            assert (then.decision.proposal, then.decision.stamp) == (
                past.decision.proposal,
                past.decision.stamp,
            )
        assert len(node.rounds) <= plan.policy.max_replans


def test_random_histories_have_replans_that_count() -> None:
    """The property tests of the fold do meet nodes whose vote was opened again."""
    counted = 0
    for seed in range(60):
        world = random_world(seed, 120, eager=True)
        plan = Plan(world.goal)
        for record in world.records:
            plan.apply(record)
        counted += sum(len(node.rounds) for node in plan.nodes())
    assert counted >= 10
