"""Numbered days and weeks in texts of every language."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from swarm.brief.steps import step_label, steps_in

LANGUAGES = ("en", "ms", "id", "hi", "ur", "bn", "de", "fr", "es", "pt", "it")


@pytest.mark.parametrize(
    ("text", "ranges"),
    [
        ("## Day 1: Rome", [(1, 1)]),
        ("**Days 2-3: Florence**", [(2, 3)]),
        ("Day 4 to Day 6, then Day 7", [(4, 6), (7, 7)]),
        ("Days 1, 2 and 3", [(1, 3)]),
        ("Day One and the third day", [(1, 1), (3, 3)]),
        ("Hari 3 hingga 4; Hari ke-5; Hari ketiga", [(3, 4), (5, 5), (3, 3)]),
        ("दिन 3: दिल्ली\nदिन ४ से ५\nपहला दिन", [(3, 3), (4, 5), (1, 1)]),
        ("دن ۳: لاہور\nدن 4 تا 5\nدوسرا دن", [(3, 3), (4, 5), (2, 2)]),
        ("দিন ৩: ঢাকা\nদিন ৪-৫\nতৃতীয় দিন", [(3, 3), (4, 5), (3, 3)]),
        ("Tag 3, Día 4, Jour 5", [(3, 3), (4, 4), (5, 5)]),
        ("2 days 3 nights", []),
        ("train every day 2 hours", []),
        ("हर दिन 2 घंटे", []),
        ("week 3 is not a day", []),
    ],
)
def test_finds_days(text: str, ranges: list[tuple[int, int]]) -> None:
    """Labels, ranges and ordinals count; amounts of time do not."""
    assert [(step.first, step.last) for step in steps_in(text)] == ranges


def test_tells_headings_from_mentions() -> None:
    """A step heads its line after Markdown's marks, not in the middle of a sentence."""
    text = "### Day 1\n- **Day 2**: rest\n3. Day 3\n| Day 4 | x |\nAs on day 2, rest."
    assert [step.heads for step in steps_in(text)] == [True, True, True, True, False]


@pytest.mark.parametrize("unit", ["day", "week", "month"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_reads_its_own_labels(language: str, unit: str) -> None:
    """A label that code writes is found again, with its numbers."""
    single, several = step_label(unit, language, 3), step_label(unit, language, 4, 6)
    found = steps_in(f"## {single}: a\n{several}: b", unit)
    assert [(step.first, step.last) for step in found] == [(3, 3), (4, 6)]


@given(st.text(max_size=200))
def test_never_raises_and_stays_within(text: str) -> None:
    """Any text can be searched; what is found lies in it, with numbers in order."""
    for unit in ("hour", "day", "week", "month"):
        for step in steps_in(text, unit):
            assert 0 <= step.start < step.end <= len(text)
            assert 1 <= step.first <= step.last
