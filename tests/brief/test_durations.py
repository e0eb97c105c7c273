"""Durations: the plan's length, and the amounts of time that are none."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from swarm.brief.durations import duration_days


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("Plan a two week trip to Japan", 14),
        ("a 10-day hike", 10),
        ("three days in Rome", 3),
        ("one month in Peru", 30),
        ("a weekend in Lisbon", 2),
        ("a long weekend away", 3),
        ("a fortnight by train", 14),
        ("organise a science fair", None),
        ("999 weeks", None),
        ("2 days in Rome, 3 in Florence and 4 in Venice", 9),
        ("10 days in Italy: 4 days in Rome, 3 in Florence and 3 in Naples", 10),
        ("weekend in Rome in 3 weeks", 2),
        ("a timeline of the 6 weeks before our wedding", None),
        ("organise a six-week course in pottery", 42),
        ("a holiday with a child of six", None),
        ("a party in 3 weeks", None),
        ("learn Spanish, 2 hours a day", None),
        ("learn the guitar in 30 days", 30),
        ("3 days 2 nights in Langkawi", 3),
        ("4 nights in Bali", 4),
        ("run 3 times a week", None),
        ("a talk for my 8 week old puppy", None),
        ("Rancang percutian 5 hari 4 malam di Sabah", 5),
        ("Rancang percutian dua minggu ke Jepun", 14),
        ("जापान की दो हफ़्ते की यात्रा", 14),
        ("लाहौर की 10 दिन की यात्रा", 10),
        ("جاپان کا دو ہفتے کا سفر", 14),
        ("১০ দিনের ভ্রমণ", 10),
        ("Plane eine zweiwöchige Reise", None),
        ("Plane zwei Wochen in Irland", 14),
    ],
)
def test_durations_are_read(text: str, days: int | None) -> None:
    """The plan's length is found in the forms that people use, and nothing else is taken for it."""
    assert duration_days(text) == days


@given(st.text(max_size=200))
def test_any_text_can_be_asked(text: str) -> None:
    """No text breaks the reader of durations."""
    days = duration_days(text)
    assert days is None or days > 0
