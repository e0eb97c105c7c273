"""The English of reasons and of a node's history."""

from __future__ import annotations

import pytest

from swarm.core.clock import Stamp
from swarm.core.fold.reasons import REASONS, Cancelled, NotAssembled, Reason, Reported
from swarm.core.views.english import reason_text, time_of_day, why
from tests.core.fold.reason_examples import EXAMPLES
from tests.core.worlds import folded, random_world


def test_every_reason_has_an_example() -> None:
    """A reason that is added to the fold has to be added to the tests of its words."""
    assert {type(reason) for reason in EXAMPLES} == REASONS


@pytest.mark.parametrize("reason", EXAMPLES, ids=lambda reason: type(reason).__name__)
def test_programs_read_the_same_words_as_before(reason: Reason) -> None:
    """The English of a reason is part of the `--json` interface: it does not change."""
    assert reason_text(reason) == EXAMPLES[reason]


def test_text_by_people_and_peers_is_unchanged() -> None:
    """An agent's or a person's own reason is not reworded, wherever it stands."""
    assert reason_text(Cancelled("enough")) == "enough"
    assert reason_text(Reported("the oven *broke*")) == "the oven *broke*"
    because = NotAssembled(Reported("the oven broke"))
    assert reason_text(because) == "putting the parts together failed: the oven broke"


def test_times_are_utc_to_the_millisecond() -> None:
    """What happened within a second can be told apart."""
    assert time_of_day(Stamp(86_400_000 + 3_723_004)) == "01:02:03.004"


@pytest.mark.parametrize("seed", range(30))
def test_every_history_can_be_told(seed: int) -> None:
    """Each node of a made-up plan has a headline; details are indented, and nothing else is."""
    plan = folded(random_world(seed, 60, eager=bool(seed % 2)))
    for node in plan.nodes():
        headline, second, *_ = why(plan, node)
        assert headline.startswith(f"{node.title}: {plan.state_of(node)} (")
        assert second.startswith("Asked at" if node.parent is None else "Part ")
