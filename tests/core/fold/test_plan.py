"""The fold gives one plan from any order, and the policy's limits hold in it."""

from __future__ import annotations

import random
from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from swarm.core.clock import Stamp
from swarm.core.fold.node import FINAL
from swarm.core.fold.plan import Plan
from swarm.core.fold.reasons import Cancelled, DeadlinePassed
from swarm.core.records import (
    Ballot,
    Cancel,
    Proposal,
    Record,
)
from swarm.core.views.english import reason_text
from swarm.core.views.plan_view import answer
from tests.core.story import T0, Story
from tests.core.worlds import BOT, EXECUTORS, SPAN, START, World, random_world

END = START + 20 * SPAN
worlds = st.builds(
    random_world,
    st.integers(0, 2**32),
    st.integers(0, 120),
    eager=st.booleans(),
    with_reviews=st.booleans(),
)
"""Half of them accept splits often, so that changes far below the root are met; half of them have
results reviewed."""


def fold(world: World, records: list[Record], end: int = END) -> Plan:
    """Fold records in the order given, then let time pass."""
    plan = Plan(world.goal)
    for record in records:
        plan.apply(record)
    plan.advance(end)
    return plan


def replayed(world: World, end: int = END) -> Plan:
    """Fold in the canonical order, which every other order must equal."""
    return fold(world, sorted(world.records, key=lambda r: r.key), end)


@settings(max_examples=300, deadline=None)
@given(worlds, st.randoms(use_true_random=False), st.integers(0, 3 * SPAN))
def test_any_order_duplication_and_batching_give_the_same_digest(
    world: World, rng: random.Random, until: int
) -> None:
    """The same records give the same digest: shuffled, duplicated, with time passing in between."""
    end = START + until
    expected = replayed(world, end).digest
    records = world.records + world.records[: len(world.records) // 2]
    rng.shuffle(records)
    plan = Plan(world.goal)
    now = START
    for record in records:
        if rng.random() < 0.3:
            now = min(end, now + rng.randrange(30))
            plan.advance(now)
            assert plan.digest
        plan.apply(record)
    plan.advance(end)
    assert expected == plan.digest


@settings(max_examples=200, deadline=None)
@given(worlds)
def test_digest_kept_up_to_date_equals_digest_from_scratch(world: World) -> None:
    """A digest updated record by record equals that of a fold from scratch."""
    plan = Plan(world.goal)
    seen: list[Record] = []
    now = START
    for record in sorted(world.records, key=lambda r: r.key):
        now = max(now, record.stamp.ms)
        plan.advance(now)
        plan.apply(record)
        seen.append(record)
        if len(seen) % 7 == 0:
            fresh = Plan(world.goal)
            fresh.advance(now)
            for old in seen:
                fresh.apply(old)
            assert fresh.digest == plan.digest


@settings(max_examples=200, deadline=None)
@given(worlds)
def test_limits_of_the_policy_hold(world: World) -> None:
    """Depth, children, nodes, proposals, refinements and attempts stay within the policy."""
    plan, policy = replayed(world), world.policy
    nodes = list(plan.nodes())
    assert len(nodes) <= policy.max_nodes
    assert len({node.id for node in nodes}) == len(nodes)
    for node in nodes:
        assert node.depth <= policy.max_depth
        assert len(node.children) <= policy.max_children
        assert len(node.outcome.attempts) <= policy.max_attempts + (policy.reviews or 0)
        assert len(node.outcome.versions) <= (policy.reviews + 1 if policy.reviews else 0)
        if node.vote is not None:
            authors = Counter(tally.record.author for tally in node.vote.valid())
            assert all(count <= policy.max_proposals for count in authors.values())
            assert all(tally.chain <= policy.max_refinements for tally in node.vote.valid())


@settings(max_examples=200, deadline=None)
@given(worlds)
def test_every_goal_ends_with_a_reason_within_its_deadline(world: World) -> None:
    """Whatever was published, after the deadline the goal has ended, with a reason."""
    plan = fold(world, world.records, START + world.policy.deadline_ms + 1)
    assert plan.state in FINAL
    assert reason_text(plan.reason)


@settings(max_examples=200, deadline=None)
@given(worlds)
def test_one_accepted_split_and_one_settled_result(world: World) -> None:
    """A node's children all come from its one accepted proposal; a task's result is its own."""
    for node in replayed(world).nodes():
        if node.children:
            assert node.decision is not None
            assert node.decision.proposal is not None
            assert isinstance(node.decision.proposal.body, Proposal)
            assert len(node.decision.proposal.body.parts) == len(node.children)
        if node.result is not None:
            assert node.result in node.work.results


@settings(max_examples=200, deadline=None)
@given(worlds)
def test_acceptance_needs_the_quorum_and_a_scorer(world: World) -> None:
    """A split that won by votes had the quorum then, with at least one scorer's approval."""
    policy = world.policy
    for node in replayed(world).nodes():
        decision = node.decision
        if decision is None or decision.how not in ("quorum", "window"):
            continue
        assert decision.proposal is not None
        by_then = [
            r
            for r in world.records
            if isinstance(r.body, Ballot)
            and r.body.proposal == decision.proposal.id
            and r.stamp <= decision.stamp
        ]
        scorers = {
            r.author
            for r in by_then
            if isinstance(r.body, Ballot) and not r.body.person and r.body.verdict == "approve"
        }
        people = {
            r.body.person
            for r in by_then
            if isinstance(r.body, Ballot) and r.body.person and r.body.verdict == "approve"
        }
        assert scorers
        assert len(scorers) + min(len(people), policy.quorum - 1) >= policy.quorum


def test_the_deadline_ends_a_goal_with_what_there_is() -> None:
    """After the deadline the goal is partial if any part is done, and the answer has that part."""
    story = Story(deadline_ms=500)
    story.accept(1)
    story.result(30, story.claim(20, story.first_task().id), text="the first part")
    plan = story.until(501)
    assert (plan.state, plan.reason) == ("partial", DeadlinePassed())
    assert "the first part" in answer(plan)


def test_cancel_is_the_authors_and_loses_nothing() -> None:
    """Only the author's cancel counts; earlier results are kept, later ones do not count."""
    story = Story()
    story.accept(1)
    first, second = story.plan.root.children
    story.result(30, story.claim(20, first.id), text="kept")
    held = story.claim(40, second.id)
    story.tell(Cancel(stamp=Stamp(T0 + 50), goal=story.goal.id), EXECUTORS[0])
    assert story.plan.state == "executing"
    story.tell(Cancel(stamp=Stamp(T0 + 60), goal=story.goal.id, reason="enough"), BOT)
    story.result(70, held)
    assert (story.plan.state, story.plan.reason) == ("cancelled", Cancelled("enough"))
    assert "kept" in answer(story.plan)
    assert story.plan.state_of(second) == "cancelled"


def test_a_cancel_after_the_end_changes_nothing() -> None:
    """A goal that has ended stays as it is."""
    story = Story(max_depth=0)
    story.result(30, story.claim(20, story.goal.id))
    digest = story.plan.digest
    story.tell(Cancel(stamp=Stamp(T0 + 60), goal=story.goal.id), BOT)
    assert story.plan.state == "done"
    assert digest == story.plan.digest
