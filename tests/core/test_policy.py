"""The rules that a goal carries: what is refused, and what follows from them."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from swarm.core.policy import Policy

KEYS = [bytes([number]) * 32 for number in range(5)]


@pytest.mark.parametrize(
    "wrong",
    [
        {"electorate": [KEYS[0], KEYS[0]], "quorum": 2},
        {"electorate": KEYS, "quorum": 2},
        {"electorate": KEYS, "quorum": 6},
        {"patience_ms": 1_000, "vote_window_ms": [0, 2_000]},
    ],
)
def test_rules_that_contradict_each_other_are_refused(wrong: dict[str, Any]) -> None:
    """A quorum below a majority, a scorer named twice, a window longer than the patience."""
    with pytest.raises(ValidationError):
        Policy(**wrong)


def test_an_electorate_takes_any_majority_up_to_all() -> None:
    """Of five scorers three, four or five may be the quorum."""
    for quorum in (3, 4, 5):
        assert Policy(electorate=KEYS, quorum=quorum).quorum == quorum


def test_the_last_window_serves_all_deeper_nodes() -> None:
    """A policy states a window for each depth, or for the first few."""
    policy = Policy(vote_window_ms=[10, 20])
    assert [policy.window_ms(depth) for depth in range(4)] == [10, 20, 20, 20]


def test_the_bar_is_the_higher_of_minimum_and_floor() -> None:
    """A scorer approves of nothing that could not be accepted."""
    assert Policy(min_score=0.2, floor=0.5).bar == 0.5
    assert Policy(min_score=0.7, floor=0.5).bar == 0.7
