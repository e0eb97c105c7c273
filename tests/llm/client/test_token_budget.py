"""Token limits follow the script of the answer's language."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from swarm.llm.client.token_budget import FACTORS, room, script_of, token_factor


@pytest.mark.parametrize(
    ("goal", "script"),
    [
        ("Plan a two week trip to Japan", "latin"),
        ("जापान की दो सप्ताह की यात्रा", "devanagari"),
        ("লাহোরে তিন দিনের ভ্রমণ", "bengali"),
        ("لاہور کا تین دن کا سفر", "arabic"),
        ("Поездка в Токио", "cyrillic"),
        ("日本へ二週間の旅行", "cjk"),
        ("12 + 30 = 42", "latin"),
    ],
)
def test_the_script_is_that_of_most_letters(goal: str, script: str) -> None:
    """A foreign name in a goal does not change it."""
    assert script_of(f"{goal} (JR)" if script != "latin" else goal) == script


def test_the_language_asked_for_counts_more_than_the_goal() -> None:
    """An English goal to be answered in Bengali gets Bengali's room, and the other way round."""
    assert token_factor("bn", "Plan a trip") == FACTORS["bengali"]
    assert token_factor("en-GB", "जापान यात्रा") == FACTORS["english"] == 1
    assert token_factor("ur_PK", "x") == FACTORS["arabic"]
    assert token_factor("hi-Latn", "x") == token_factor("ms", "x")


@given(st.integers(1, 3_000), st.text(max_size=20), st.text(max_size=60))
def test_no_language_gets_less_room_than_english(tokens: int, language: str, goal: str) -> None:
    """Whatever the tag and the goal, the limit is finite and at least that of English."""
    assert tokens <= room(tokens, language, goal) <= 6 * tokens
