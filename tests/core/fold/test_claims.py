"""The rules of claims, leases and results, one by one."""

from __future__ import annotations

from swarm.core.clock import Stamp
from swarm.core.fold.claims import claim_rank
from swarm.core.fold.reasons import AllPartsFailed, PartsMissing
from swarm.core.records import (
    Claim,
    Subgoal,
)
from tests.core.story import T0, Story
from tests.core.worlds import EXECUTORS


def test_a_claim_backdated_to_before_the_acceptance_is_invalid() -> None:
    """By seconds or by a day: a claim stamped at or before the acceptance holds nothing."""
    story = Story()
    story.accept(10)
    task = story.first_task().id
    for at in (-86_400_000, 5, 12):
        body = Claim(stamp=Stamp(max(0, T0 + at)), goal=story.goal.id, node=task, attempt=1)
        story.tell(body, EXECUTORS[1])
    assert story.first_task().outcome.holder is None
    honest = story.claim(20, task)
    assert story.first_task().outcome.holder == honest


def test_an_honest_result_counts_even_if_a_backdated_claim_holds() -> None:
    """A backdated claim takes the lease, but the honest result still settles the task."""
    story = Story()
    story.accept(10)
    honest = story.claim(20, story.first_task().id)
    story.claim(13, story.first_task().id, by=1)
    result = story.result(30, honest)
    assert story.first_task().result == result


def test_equal_stamps_are_decided_by_the_hash() -> None:
    """Of two claims with equal stamps, the one with the lower hash holds the task."""
    story = Story()
    story.accept(1)
    task = story.first_task().id
    claims = [story.claim(20, task, by=i) for i in range(3)]
    lowest = min(claims, key=lambda c: claim_rank(task, 1, c.author))
    assert story.first_task().outcome.holder == lowest


def test_a_lease_runs_out_and_the_next_attempt_takes_over() -> None:
    """A claim without renewal ends; a claim for attempt 2 is valid only after that."""
    story = Story()
    story.accept(1)
    task = story.first_task().id
    story.claim(20, task)
    story.claim(60, task, by=1, attempt=2)
    assert story.first_task().outcome.holder is not None
    story.until(121)
    assert story.first_task().outcome.holder is None
    second = story.claim(122, task, by=1, attempt=2)
    assert story.first_task().outcome.holder == second


def test_renewals_keep_a_lease_and_only_the_holders_count() -> None:
    """Progress by the holder extends the lease; a stranger's does not."""
    story = Story()
    story.accept(1)
    claim = story.claim(20, story.first_task().id)
    story.renew(100, claim)
    story.until(199)
    assert story.first_task().outcome.holder == claim
    story.renew(190, claim, by=1)
    story.until(201)
    assert story.first_task().outcome.holder is None


def test_a_former_holder_lets_others_go_first() -> None:
    """A holder that went silent cannot take the next attempt by being the first to claim it."""
    story = Story(lease_ms=100)
    story.accept(1)
    task = story.first_task().id
    story.claim(20, task)
    story.until(121)
    story.claim(121, task, attempt=2)
    assert story.first_task().outcome.holder is None
    honest = story.claim(150, task, by=1, attempt=2)
    assert story.first_task().outcome.holder == honest


def test_a_former_holder_may_claim_a_task_again_after_half_a_lease() -> None:
    """An executor that is alone gets its next attempt after half a lease."""
    story = Story(lease_ms=100)
    story.accept(1)
    task = story.first_task().id
    story.claim(20, task)
    story.until(171)
    again = story.claim(171, task, attempt=2)
    assert story.first_task().outcome.holder == again


def test_no_renewal_holds_a_task_for_more_than_half_of_the_time_left() -> None:
    """A holder that only renews cannot hold a task until the goal's deadline."""
    story = Story(lease_ms=100, deadline_ms=10_000)
    story.accept(1)
    task = story.first_task().id
    claim = story.claim(20, task)
    for at in range(90, 5_000, 90):
        story.renew(at, claim)
    assert story.first_task().outcome.holder == claim
    story.renew(5_005, claim)
    story.until(20 + (10_000 - 20) // 2 + 1)
    assert story.first_task().outcome.holder is None
    honest = story.claim(5_100, task, by=1, attempt=2)
    assert story.first_task().outcome.holder == honest


def test_an_executor_that_finishes_after_its_lease_still_counts() -> None:
    """The first result by an author of a valid claim settles the task; later ones do not."""
    story = Story()
    story.accept(1)
    task = story.first_task().id
    slow = story.claim(20, task)
    story.until(150)
    quick = story.claim(151, task, by=1, attempt=2)
    late = story.result(160, slow, text="late")
    story.result(170, quick, by=1, text="second")
    assert story.first_task().result == late
    assert len(story.first_task().work.results) == 2


def test_results_without_a_claim_or_by_others_are_ignored() -> None:
    """A result needs a valid claim of its own author."""
    story = Story()
    story.accept(1)
    claim = story.claim(20, story.first_task().id)
    story.result(30, claim, by=1)
    assert story.first_task().settled is None


def test_failed_attempts_are_counted_and_the_parent_goes_on() -> None:
    """A task fails after the last attempt; the plan ends partial and names it."""
    story = Story(max_attempts=2)
    story.accept(1)
    first, second = story.plan.root.children
    for attempt, by in ((1, 0), (2, 1)):
        claim = story.claim(20 * attempt, first.id, by=by, attempt=attempt)
        story.result(20 * attempt + 5, claim, by=by, outcome="failed")
    story.result(60, story.claim(50, second.id))
    assert story.first_task().settled_as == "failed"
    root = story.claim(70, story.goal.id)
    story.result(80, root)
    assert story.plan.state == "partial"
    assert story.plan.reason == PartsMissing((first.title,))


def test_all_parts_failed_fails_the_goal() -> None:
    """With nothing to put together the goal fails at once, with a reason."""
    story = Story(max_attempts=1)
    story.accept(1)
    for i, child in enumerate(story.plan.root.children):
        story.result(30 + i, story.claim(20 + i, child.id), outcome="failed")
    assert (story.plan.state, story.plan.reason) == ("failed", AllPartsFailed())


def test_a_task_waits_for_what_it_comes_after() -> None:
    """A claim is valid only once the earlier sibling is settled, even if that failed."""
    story = Story(max_attempts=1)
    parts = [Subgoal(title="a"), Subgoal(title="b", after=[0])]
    story.accept(1, subgoals=parts)
    first, second = story.plan.root.children
    story.claim(20, second.id)
    assert second.outcome.holder is None
    story.result(40, story.claim(30, first.id), outcome="failed")
    claim = story.claim(50, second.id)
    assert second.outcome.holder == claim
