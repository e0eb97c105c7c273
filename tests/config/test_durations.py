"""Lengths of time as people write them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from swarm.config import (
    format_seconds,
    parse_seconds,
)


@given(st.integers(0, 10**7))
def test_times_are_read_back_as_they_are_written(seconds: int) -> None:
    """A whole number of seconds survives formatting and parsing."""
    assert parse_seconds(format_seconds(seconds)) == seconds


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("90", 90), (90, 90), ("1.5m", 90), ("1h 30m", 5400), ("500ms", 0.5), ("2D", 172_800)],
)
def test_times_as_people_write_them(text: object, seconds: float) -> None:
    """Numbers are seconds; units add up; case and spaces do not matter."""
    assert parse_seconds(text) == pytest.approx(seconds)


@pytest.mark.parametrize(
    "text", ["", "s", "5 parsecs", "-1", "1h30", True, None, float("nan"), -2, 10**400]
)
def test_what_is_not_a_length_of_time_is_refused(text: object) -> None:
    """A doubtful text is an error, not a guess."""
    with pytest.raises(ValueError, match="not a length of time"):
        parse_seconds(text)
