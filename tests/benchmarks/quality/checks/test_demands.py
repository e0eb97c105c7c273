"""Demands by their words, and bans by what is planned rather than what is named."""

import pytest

from benchmarks.quality.checks import demands
from benchmarks.quality.goals import Goal, generate
from benchmarks.quality.reading import read
from benchmarks.quality.wording import WORDINGS
from benchmarks.quality.wording.record import Ban


def _meals(language: str) -> tuple[Goal, Ban]:
    """Return a goal of meals without meat."""
    ban = WORDINGS[language].families["meals"].bans[0]
    goals = (generate(seed, language) for seed in range(30_006, 32_000, 8))
    return next(goal for goal in goals if goal.bans[0] == ban), ban


def _kept(line: str, language: str) -> bool:
    goal, ban = _meals(language)
    document = read(f"## 1\n\n- {line}", goal)
    return next(
        one.kept
        for one in demands.check(document, goal)
        if one.check == "bans" and one.about == ban.words
    )


@pytest.mark.parametrize(
    ("language", "line"),
    [
        ("en", "Lasagne without meat"),
        ("en", "A stew of beans instead of beef"),
        ("en", "Meat-free burgers"),
        ("en", "Chicken is not allowed at any time"),
        ("en", "No chicken, no ham and no bacon"),
        ("en", "Soup in a champagne-coloured bowl with hamster decoration"),
        ("ms", "Nasi goreng tanpa ayam"),
        ("ms", "Daging tidak dibenarkan"),
        ("hi", "मांस के बिना पुलाव"),
        ("hi", "चिकन नहीं बनेगा"),
        ("ur", "گوشت کے بغیر پلاؤ"),
        ("bn", "মাংস ছাড়া পোলাও"),
    ],
)
def test_what_is_ruled_out_may_be_named(language: str, line: str) -> None:
    """A line that says it is avoided plans nothing forbidden."""
    assert _kept(line, language)


@pytest.mark.parametrize(
    ("language", "line"),
    [
        ("en", "Grilled chicken with no salt"),
        ("en", "Ham sandwiches. No sugar."),
        ("ms", "Ayam bakar dengan nasi"),
        ("hi", "चिकन और चावल"),
        ("hi", "Chicken curry"),
        ("ur", "چکن اور چاول"),
        ("bn", "মুরগির ঝোল আর ভাত"),
    ],
)
def test_what_is_planned_is_found(language: str, line: str) -> None:
    """A forbidden thing is found, in the goal's language or in English."""
    assert not _kept(line, language)
