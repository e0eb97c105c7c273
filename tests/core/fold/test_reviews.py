"""The rules of reviews, one by one: who may review, what settles a task, and how long it takes."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from swarm.core.clock import MAX_COUNTER, Stamp
from swarm.core.fold.node import State
from swarm.core.fold.plan import Plan
from swarm.core.fold.reasons import (
    BeingRevised,
    BestVersion,
    Done,
    HolderSilent,
    NotRevised,
    Reason,
    SentBack,
    WaitsForReview,
    WaitsForRevision,
)
from swarm.core.policy import REVIEW_MS, Policy
from swarm.core.records import Cancel, Goal, Record, Review, UnknownBody, sign
from swarm.core.views.plan_view import answer
from tests.core.fold.test_plan import END, fold
from tests.core.story import T0, Story
from tests.core.worlds import BOT, EXECUTORS, SCORERS, World, public, random_world

LEFT = 100_000
"""The time that a `Story` has, in ms."""


def reviewed(**policy: Any) -> Story:
    """Return the story of a goal that is one task and has its results reviewed."""
    return Story(**({"max_depth": 0, "reviews": 1, "review_ms": 500} | policy))


def written(story: Story, at: int, by: int = 0, attempt: int = 1, text: str = "text") -> Record:
    """Claim the task at a time and write its result 5 ms later."""
    claim = story.claim(at, story.goal.id, by=by, attempt=attempt)
    return story.result(at + 5, claim, by=by, text=text)


def stands(story: Story) -> tuple[State, Reason]:
    """Return the goal's state and why it is so."""
    return story.plan.state, story.plan.reason


def claim_holder(story: Story) -> Record | None:
    """Return the claim that holds the only task."""
    return story.plan.root.outcome.holder


def review_ends(story: Story) -> int:
    """Return when the review of the only task's result ends, in ms after the goal."""
    version = story.plan.root.outcome.reviewed
    assert version is not None
    return version.ends_ms - T0


def sent_back(story: Story, at: int = 10) -> Record:
    """Write a version and have a quorum of two find it wrong, 10 and 11 ms later."""
    result = written(story, at, text="first")
    story.review(at + 15, result, SCORERS[0], "wrong", 0.5, critique="No costs.")
    story.review(at + 16, result, SCORERS[1], "wrong", 0.3, critique="No costs.")
    return result


def test_a_quorum_that_finds_it_fine_settles_at_once() -> None:
    """At the stamp of the second of two; until then the task is neither free nor done."""
    story = reviewed()
    result = written(story, 10)
    story.review(16, result)
    root = story.plan.root
    assert stands(story) == ("executing", WaitsForReview(2))
    assert (root.outcome.holder, root.outcome.free, root.settled) == (None, None, None)
    story.review(17, result, SCORERS[1])
    assert stands(story) == ("done", Done())
    assert (root.result, root.settled) == (result, Stamp(T0 + 17))


def test_without_reviews_in_time_it_counts_as_it_is() -> None:
    """When `review_ms` have passed; a review stamped later changes nothing."""
    story = reviewed()
    result = written(story, 10)
    assert review_ends(story) == 515
    story.until(515)
    assert story.plan.root.settled is None
    assert story.until(516).root.settled == Stamp(T0 + 515, MAX_COUNTER)
    assert story.plan.root.result == result
    assert stands(story) == ("done", Done())
    story.review(516, result, SCORERS[0], "wrong")
    story.review(517, result, SCORERS[1], "wrong")
    assert story.plan.root.settled == Stamp(T0 + 515, MAX_COUNTER)


def test_a_disputed_result_counts_as_it_is() -> None:
    """One finds it wrong, one fine, and the quorum is two: nobody holds it back."""
    story = reviewed()
    result = written(story, 10)
    story.review(16, result, SCORERS[0], "wrong")
    story.review(17, result, SCORERS[1], "fine")
    story.until(1_000)
    assert (story.plan.root.result, story.plan.reason) == (result, Done())


def test_a_wrong_result_is_revised_and_the_revision_counts() -> None:
    """It opens the next attempt, which is no failure; a fine revision settles the task."""
    story = reviewed(max_attempts=1)
    first = sent_back(story)
    root = story.plan.root
    assert stands(story) == ("open", WaitsForRevision("No costs."))
    assert root.outcome.sent_back is not None
    assert root.outcome.sent_back.result == first
    assert root.outcome.attempts[0].reason == SentBack("No costs.")
    assert answer(story.plan) == "first"
    claim = story.claim(40, story.goal.id, by=1, attempt=2)
    assert stands(story) == ("executing", BeingRevised("No costs."))
    second = story.result(50, claim, by=1, text="second")
    story.review(60, second)
    story.review(61, second, SCORERS[1])
    assert root.result == second
    assert stands(story) == ("done", Done())


def test_others_come_before_its_author() -> None:
    """Whoever wrote the version may revise it only after a twelfth of a lease."""
    story = reviewed()
    sent_back(story)
    story.claim(26 + 8, story.goal.id, by=0, attempt=2)
    assert story.plan.root.outcome.holder is None
    late = story.claim(26 + 9, story.goal.id, by=0, attempt=2)
    assert [claim_holder(story)] == [late]
    other = story.claim(26 + 1, story.goal.id, by=1, attempt=2)
    assert [claim_holder(story)] == [other]


def test_when_all_versions_are_wrong_the_best_rated_wins() -> None:
    """Of equals the earliest; and the plan says that its reviewers found fault with it."""
    for better in (False, True):
        story = reviewed()
        first = sent_back(story)
        second = written(story, 40, by=1, attempt=2)
        for number, scorer in enumerate(SCORERS[:2]):
            rating = 0.4 + 0.1 * better
            story.review(50 + number, second, scorer, "wrong", rating)
        assert story.plan.root.result == (second if better else first)
        assert story.plan.root.settled == Stamp(T0 + 51)
        assert story.plan.reason == BestVersion(2, 0.5 if better else 0.4)


def test_a_revision_that_nobody_found_wrong_in_time_counts() -> None:
    """Even if the version that was sent back is rated higher than the doubt of one scorer."""
    story = reviewed()
    sent_back(story)
    second = written(story, 40, by=1, attempt=2)
    story.review(50, second, SCORERS[0], "wrong", 0.0)
    story.until(1_000)
    assert (story.plan.root.result, story.plan.reason) == (second, Done())


@pytest.mark.parametrize("how", ["unclaimed", "silent", "failed"])
def test_a_revision_that_does_not_come_leaves_what_there_is(how: str) -> None:
    """Nobody claims it, its holder goes silent, or fails: one attempt, then the first counts."""
    story = reviewed()
    first = sent_back(story)
    if how != "unclaimed":
        claim = story.claim(40, story.goal.id, by=1, attempt=2)
    if how == "failed":
        story.result(50, claim, by=1, outcome="failed")
    story.until(10_000)
    attempts = story.plan.root.outcome.attempts
    expected = {"unclaimed": (NotRevised(), 226), "silent": (HolderSilent(), 140)}
    if how != "failed":
        assert (attempts[-1].reason, attempts[-1].lease_ms - T0) == expected[how]
    assert story.plan.root.result == first
    assert story.plan.reason == BestVersion(1, 0.4)


def test_as_many_rounds_as_the_policy_allows() -> None:
    """With two, a third version settles the task whatever its reviewers say."""
    story = reviewed(reviews=2)
    sent_back(story)
    for number, by in ((2, 1), (3, 2)):
        at = 40 * number
        result = written(story, at, by=by, attempt=number)
        story.review(at + 6, result, SCORERS[0], "wrong", 0.6)
        assert story.plan.root.settled is None
        story.review(at + 7, result, SCORERS[1], "wrong", 0.6)
    assert story.plan.reason == BestVersion(3, 0.6)
    assert len(story.plan.root.outcome.attempts) == 3


def test_reviews_of_strangers_and_of_the_author_do_not_count() -> None:
    """Only the electorate reviews, or else the known authors; only the first review counts."""
    names = [public(key) for key in SCORERS]
    for story in (reviewed(electorate=names), reviewed(known=[*names, public(EXECUTORS[0])])):
        result = written(story, 10)
        for number, key in enumerate((EXECUTORS[0], EXECUTORS[1], EXECUTORS[2], SCORERS[0])):
            story.review(16 + number, result, key, "wrong")
        story.review(21, result, SCORERS[0], "wrong")
        assert isinstance(story.plan.reason, WaitsForReview)
        story.review(22, result, SCORERS[1], "wrong")
        assert story.plan.root.outcome.sent_back is not None


def test_an_electorate_that_wrote_the_result_needs_fewer() -> None:
    """The quorum is at most the number of those who may review."""
    story = reviewed(electorate=[public(EXECUTORS[0]), public(SCORERS[0])])
    result = written(story, 10)
    story.review(16, result)
    assert story.plan.state == "done"


def test_a_split_is_put_together_without_a_review() -> None:
    """Its parts are reviewed; putting the same together again would change nothing."""
    story = Story(reviews=1)
    story.accept(1)
    for number, part in enumerate(story.plan.root.children):
        result = story.result(20 + number, story.claim(10 + number, part.id))
        story.review(30, result)
        story.review(31, result, SCORERS[1])
    story.result(60, story.claim(50, story.goal.id))
    assert story.plan.state == "done"


def test_what_is_reviewed_is_not_lost_at_the_end() -> None:
    """No review lasts until the deadline, even of the last ms's result; a cancel keeps the text."""
    for at in (10, LEFT - 6, LEFT - 5):
        story = reviewed(review_ms=10 * LEFT, lease_ms=2 * LEFT)
        result = written(story, at)
        story.until(LEFT + 1)
        assert (story.plan.state, story.plan.root.result) == ("done", result)
    story = reviewed()
    written(story, 10, text="kept")
    story.tell(Cancel(stamp=Stamp(T0 + 20), goal=story.goal.id), BOT)
    assert (story.plan.state, answer(story.plan)) == ("cancelled", "kept")


def test_how_long_reviews_last_by_default() -> None:
    """Twenty seconds if the policy does not say, and never a quarter of the time left."""
    story = Story(max_depth=0, reviews=1, deadline_ms=3_600_000)
    written(story, 10)
    assert review_ends(story) == 15 + REVIEW_MS
    story = Story(max_depth=0, reviews=1)
    written(story, 90_000)
    assert review_ends(story) == 90_005 + (LEFT - 90_005) // 4


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 2**32), st.integers(0, 120))
def test_without_rounds_reviews_change_nothing(seed: int, size: int) -> None:
    """With 0 rounds or without the fields, a plan is the same with reviews and without them."""
    world = random_world(seed, size, eager=True, with_reviews=True)
    assert isinstance(world.goal.body, Goal)
    plans = []
    for policy in (
        world.policy.model_copy(update={"reviews": 0}),
        world.policy.model_copy(update={"reviews": None, "review_ms": None}),
    ):
        goal = sign(world.goal.body.model_copy(update={"policy": policy}), BOT)
        again = [
            sign(body.model_copy(update={"goal": goal.id}), BOT)
            for body in (record.body for record in world.records)
            if not isinstance(body, Review | UnknownBody)
        ]
        plan = fold(World(goal), again)
        assert not any(node.outcome.versions for node in plan.nodes())
        digest = plan.digest
        for record in world.records:
            if isinstance(record.body, Review):
                plan.apply(sign(record.body.model_copy(update={"goal": goal.id}), BOT))
        assert plan.digest == digest
        plans.append(plan)
    assert plans[0].state == plans[1].state


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 2**32), st.integers(0, 120), st.integers(0, 2**32))
def test_what_is_settled_stays_settled(seed: int, size: int, cut: int) -> None:
    """Records stamped later than a task's settling change neither its result nor when that was."""
    world = random_world(seed, size, eager=True, with_reviews=True)
    records = sorted(world.records, key=lambda record: record.key)
    records = [record for record in records if record.body.kind not in ("replan", "cancel")]
    at = cut % (len(records) + 1)
    plan = Plan(world.goal)
    for record in records[:at]:
        plan.apply(record)
    plan.advance(records[at - 1].stamp.ms if at else 0)
    before = {
        node.id: (node.settled, node.result)
        for node in plan.nodes()
        if node.settled is not None and (at == len(records) or node.settled < records[at].stamp)
    }
    for record in records[at:]:
        plan.apply(record)
    plan.advance(END)
    after = {node.id: (node.settled, node.result) for node in plan.nodes()}
    assert before.items() <= after.items()


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 2**32))
def test_a_reviewed_task_ends_within_the_stated_bound(seed: int) -> None:
    """Whoever reviews and claims: one review more than rounds, and two quarters of the time left.

    That is how long it takes from the first version on, with two quarters for each round.
    """
    rng = random.Random(seed)
    rounds = rng.choice([1, 2, 8])
    policy = Policy(
        max_depth=0, reviews=rounds, review_ms=rng.choice([0, 500, 5_000]), quorum=1,
        lease_ms=rng.choice([100, 1_000]), deadline_ms=LEFT,
    )  # fmt: skip
    story = Story(**policy.model_dump(exclude={"electorate"}))
    result = written(story, 10)
    first_ms = at = 15
    for number in range(2, rounds + 2):
        at += rng.randrange(1, 200)
        story.review(at, result, rng.choice(SCORERS), "wrong")
        if story.plan.root.settled is not None:
            break
        at += rng.randrange(1, 400)
        claim = story.claim(at, story.goal.id, by=number % 3, attempt=number)
        for _ in range(rng.randrange(4)):
            at += rng.randrange(1, 400)
            story.renew(at, claim, by=number % 3)
        at += rng.randrange(1, 400)
        if rng.random() < 0.7:
            result = story.result(at, claim, by=number % 3)
    story.until(LEFT)
    settled = story.plan.root.settled
    assert settled is not None
    left, bound = LEFT - first_ms, 0
    for number in range(2 * rounds + 1):
        most = min(policy.review_wait_ms, left // 4) if number % 2 == 0 else left // 2
        left, bound = left - most, bound + most
    assert settled.ms - T0 - first_ms <= bound
