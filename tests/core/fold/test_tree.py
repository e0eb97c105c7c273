"""The cost of a fold that strangers can cause: it grows only with the number of records."""

from __future__ import annotations

import inspect
import random
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from swarm.core.fold.node import Node
from swarm.core.fold.plan import Plan
from swarm.core.fold.tree import Tree
from swarm.core.fold.voting import Vote
from swarm.core.policy import Policy
from swarm.core.records import Ballot, child_id
from tests.core.splits import Story, rounds_of
from tests.core.worlds import SCORERS, SPAN, START, random_world

DEEP = Policy(quorum=1, max_depth=6, max_nodes=2_000, deadline_ms=3_600_000, max_replans=8)
WIDE = Policy(quorum=1, max_depth=2, max_nodes=2_000, max_children=32, deadline_ms=3_600_000)


class Work:
    """Counts the steps of folds."""

    def __init__(self) -> None:
        self.derived = 0
        self.replayed = 0


@pytest.fixture
def work(monkeypatch: pytest.MonkeyPatch) -> Work:
    """Count how often nodes are derived, and records replayed by votes."""
    counted = Work()
    derive, step = Tree._derive, Vote._step

    def deriving(tree: Tree, node: Node) -> None:
        counted.derived += 1
        derive(tree, node)

    def stepping(vote: Vote, record: object) -> None:
        counted.replayed += 1
        step(vote, record)  # type: ignore[arg-type]

    monkeypatch.setattr(Tree, "_derive", deriving)
    monkeypatch.setattr(Vote, "_step", stepping)
    return counted


def deep_and_done(replans: int, ballots: int = 0) -> Story:
    """Return a chain of six splits, all done, with replans at each that come too late."""
    story = Story(DEEP)
    nodes, tasks = [story.goal.id], []
    for _ in range(DEEP.max_depth):
        split = story.split(nodes[-1], "down", "beside", kinds=("goal", "task"))
        nodes.append(child_id(split.id, 0))
        tasks.append(child_id(split.id, 1))
    for scorer in range(ballots):
        story.say(
            Ballot(
                stamp=split.stamp, goal=story.goal.id, node=nodes[-2], proposal=split.id,
                verdict="abstain", concrete=1, distinct=1, complete=1,
            ),
            SCORERS[scorer % len(SCORERS)],
        )  # fmt: skip
    for task in tasks:
        story.finish(task)
    for node in reversed(nodes):
        story.finish(node)
        for _ in range(replans):
            story.replan(node)
    return story


def refolded(story: Story) -> Plan:
    """Fold all its records at once."""
    plan = Plan(story.goal)
    plan.apply_all(story.records)
    assert plan.digest == story.plan.digest
    return plan


@pytest.mark.parametrize("replans", [0, 1, 16])
def test_replans_that_come_too_late_cost_what_they_are(work: Work, replans: int) -> None:
    """A node is derived a few times for each level above it, not once for each path."""
    story = deep_and_done(replans, ballots=50)
    assert story.plan.state == "done"
    nodes = len(list(story.plan.nodes()))
    work.derived = work.replayed = 0
    refolded(story)
    assert work.derived <= 3 * nodes * DEEP.max_depth
    votes = sum(isinstance(record.body, Ballot) for record in story.records)
    assert work.replayed <= 3 * 2 * votes * DEEP.max_depth


def test_one_more_late_record_costs_no_more_than_all(work: Work) -> None:
    """A record from before all replans invalidates every look back, but no path is walked twice."""
    story = deep_and_done(16, ballots=50)
    nodes = len(list(story.plan.nodes()))
    plan = refolded(story)
    deepest = story.records[2 * DEEP.max_depth - 2]
    late = story.approve(deepest)
    work.derived = work.replayed = 0
    plan.apply(late)
    assert work.derived <= 3 * nodes * DEEP.max_depth
    assert plan.digest == story.plan.digest


def test_a_long_chain_of_parts_needs_no_deep_stack(work: Work) -> None:
    """A thousand nodes that wait for each other are folded in one walk, a few derivations each."""
    story = Story(WIDE)
    top = story.chain(story.goal.id, 31, "goal")
    below = [(node, story.chain(node, 31, "task")) for node in top]
    for node, tasks in below:
        for task in tasks:
            story.finish(task)
        story.finish(node)
    story.finish(story.goal.id)
    assert story.plan.state == "done"
    nodes = len(list(story.plan.nodes()))
    held = sys.getrecursionlimit()
    depth = len(inspect.stack(0))
    work.derived = 0
    sys.setrecursionlimit(depth + 90)
    try:
        refolded(story)
    finally:
        sys.setrecursionlimit(held)
    assert work.derived <= 3 * nodes


def test_the_first_of_a_chain_may_come_last(work: Work) -> None:
    """When the first task's result arrives last, each node is derived once."""
    story = Story(WIDE)
    tasks = story.chain(story.goal.id, 32, "task")
    for task in tasks:
        story.finish(task)
    first = story.records[3]
    plan = Plan(story.goal)
    plan.apply_all(record for record in story.records if record is not first)
    work.derived = 0
    plan.apply(first)
    assert work.derived <= len(tasks) + 1
    assert plan.digest == story.plan.digest


@given(st.integers(0, 2**32), st.randoms(use_true_random=False))
@settings(max_examples=60, deadline=None)
def test_all_at_once_is_one_by_one(seed: int, rng: random.Random) -> None:
    """Folding in batches of any size and order gives the same plan as one record at a time."""
    world = random_world(seed, 80, eager=seed % 4 != 0)
    one = Plan(world.goal)
    for record in world.records:
        one.apply(record)
    one.advance(START + 2 * SPAN)
    many = Plan(world.goal)
    left = list(world.records)
    rng.shuffle(left)
    while left:
        size = rng.choice([1, 2, 7, 40])
        many.apply_all(left[:size])
        left = left[size:]
    many.advance(START + 2 * SPAN)
    assert many.digest == one.digest
    assert rounds_of(many) == rounds_of(one)
