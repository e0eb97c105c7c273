"""Ids as people type them: any prefix that fits one goal or node."""

from __future__ import annotations

import pytest

from swarm.cli.id_prefix import find_goal, find_node
from swarm.console.errors import CommandError
from swarm.core.fold.plan import Plan
from tests.cli.plans import Story, whole_story


def plans(count: int) -> list[Plan]:
    """Return a number of plans."""
    return [Story(f"Plan number {number}").plan for number in range(count)]


def test_an_unambiguous_prefix_finds_its_goal() -> None:
    """A prefix that only one goal has finds it, in upper or lower case."""
    known = plans(3)
    for plan in known:
        assert find_goal(known, plan.id.hex()[:16].upper()) is plan
    with pytest.raises(CommandError, match="known here") as caught:
        find_goal(known, "0" * 64)
    assert caught.value.exit_code == 2


def test_an_ambiguous_prefix_lists_the_goals() -> None:
    """Of seventeen goals two share a first digit; the message lists them by id and title."""
    known = plans(17)
    digits = [plan.id.hex()[0] for plan in known]
    twice = next(digit for digit in digits if digits.count(digit) > 1)
    with pytest.raises(CommandError, match="type more digits") as caught:
        find_goal(known, twice)
    assert str(caught.value).count("Plan number") == digits.count(twice)


def test_a_node_is_found_below_its_goal() -> None:
    """The prefix of any node's id finds the node and its plan."""
    story = Story()
    list(whole_story(story, "Food", "Music"))
    for node in story.plan.nodes():
        assert find_node([story.plan], node.id.hex()[:20]) == (story.plan, node)
