"""A rewritten text has to keep the numbers, names and days of what it was made from."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from swarm.brief.facts import lost_facts
from tests.brief.texts import Perfect, perfect

PART = "- **Day 4:** Train to Kyoto at 9:40, 25 euro.\n- **Day 5:** Walk from Gion to the river."


@settings(max_examples=30, deadline=None)
@given(perfect())
def test_a_copy_loses_nothing(plan: Perfect) -> None:
    """A text keeps its own facts, inside a longer one too."""
    assert lost_facts(plan.text, f"Hello.\n\n{plan.text}\n\nBye.") == ()


def test_other_words_may_keep_all() -> None:
    """The words may change if the facts stay."""
    again = "**Day 4** brings you to Kyoto: leave at 9:40 for 25 EUR. **Day 5**: Gion, riverside."
    assert lost_facts(PART, again) == ()


@pytest.mark.parametrize(
    ("change", "lost"),
    [(("25", "30"), "25"), (("Kyoto", "Nara"), "Kyoto"), (("Day 5", "Then"), "Day 5")],
)
def test_each_lost_fact_is_named(change: tuple[str, str], lost: str) -> None:
    """A changed number, a lost name and a lost day are found."""
    assert lost in lost_facts(PART, PART.replace(*change))
