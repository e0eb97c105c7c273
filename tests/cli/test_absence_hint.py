"""What a plan waits for is told while it is followed."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from swarm.cli.absence_hint import GRACE_MS, AbsenceHint

DOWN = "executor-1: the model server does not answer"


def test_an_outage_is_told_once_and_again_when_it_comes_back() -> None:
    """A trouble that lasts is told after a moment; one that ended and returns is news."""
    said: list[str] = []
    hint = AbsenceHint(said.append)
    for now in (0, GRACE_MS - 1):
        hint.check([DOWN], now)
    assert not said
    for now in (GRACE_MS, 2 * GRACE_MS):
        hint.check([DOWN], now)
    assert said == [DOWN]
    hint.check([], 3 * GRACE_MS)
    for now in (4 * GRACE_MS, 5 * GRACE_MS):
        hint.check([DOWN], now)
    assert said == [DOWN, DOWN]


def test_what_was_shown_at_the_start_is_not_repeated() -> None:
    """A role that is missing from the beginning is told by the first lines."""
    said: list[str] = []
    hint = AbsenceHint(said.append)
    hint.told([DOWN])
    for now in (0, GRACE_MS, 9 * GRACE_MS):
        hint.check([DOWN], now)
    assert not said


@given(st.lists(st.tuples(st.booleans(), st.integers(1, GRACE_MS - 1)), max_size=30))
def test_a_flicker_is_never_told(steps: list[tuple[bool, int]]) -> None:
    """Peers that come and go within a moment say nothing to anybody."""
    said: list[str] = []
    hint = AbsenceHint(said.append)
    now = 0
    for wrong, passed in steps:
        hint.check([DOWN] if wrong else [], now)
        hint.check([], now + passed)
        now += passed
    assert not said
