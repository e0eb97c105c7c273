"""The generator: the same goal for the same seed, every kind of it, and its facts in its text."""

import itertools
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.quality.goals import (
    FAMILIES,
    LANGUAGES,
    REPORT,
    TUNE,
    generate,
    language_of,
    money_text,
)
from benchmarks.quality.wording import WORDINGS

SEEDS = st.integers(20_000, 60_000)


def test_goals_to_tune_on_are_none_to_report_on() -> None:
    """Nobody can tune on a goal that is reported."""
    assert not set(TUNE) & set(REPORT)


@given(SEEDS, st.sampled_from(LANGUAGES))
def test_a_seed_is_a_goal(seed: int, language: str) -> None:
    """The same seed and language give the same goal, in the same words."""
    assert generate(seed, language) == generate(seed, language)


@pytest.mark.parametrize("seeds", [TUNE, REPORT])
def test_forty_seeds_have_every_family_in_every_language(seeds: range) -> None:
    """A benchmark of forty goals has each pair of family and language once."""
    pairs = Counter((FAMILIES[seed % len(FAMILIES)], language_of(seed)) for seed in seeds[:40])
    assert pairs == Counter(dict.fromkeys(itertools.product(FAMILIES, LANGUAGES), 1))


@given(SEEDS, st.sampled_from(LANGUAGES))
def test_the_text_says_what_the_truth_says(seed: int, language: str) -> None:
    """Places, budget and demands stand in the goal's text, and no slot stays unfilled."""
    goal = generate(seed, language)
    assert "{" not in goal.text
    for place in (goal.start_place, goal.end_place, *goal.visits):
        assert place is None or place.name(language) in goal.text
    asks = [demand.ask for demand in goal.demands] + [ban.ask for ban in goal.bans]
    assert all(ask[1:] in goal.text for ask in asks)
    if goal.budget is not None:
        forms = {money_text(goal.budget, goal.wording, form) for form in range(3)}
        assert any(form in goal.text for form in forms)


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_language_has_every_family_in_words_of_its_own(language: str) -> None:
    """Eight families, each with demands and bans; no opening is another language's."""
    families = WORDINGS[language].families
    assert tuple(families) == FAMILIES
    assert all(len(kind.musts) >= 3 and len(kind.bans) >= 2 for kind in families.values())
    assert all(kind.counts for kind in families.values())
