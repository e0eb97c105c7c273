"""Perfect plans keep everything, and each damage is found by exactly the check that fits."""

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from benchmarks.quality import perfect
from benchmarks.quality.checks import check, share
from benchmarks.quality.goals import FAMILIES, LANGUAGES, generate
from tests.benchmarks.quality.damage import DAMAGES, Damage

FIRST = 30_000
"""Seeds from here on are neither tuned nor reported on."""


@given(st.integers(FIRST, FIRST + 20_000), st.sampled_from(LANGUAGES))
@settings(max_examples=40, deadline=None)
def test_a_perfect_plan_keeps_everything(seed: int, language: str) -> None:
    """Every generated goal can be kept, and the checks see that it is."""
    goal = generate(seed, language)
    verdicts = check(perfect.write(goal), goal)
    assert [one for one in verdicts if one.outcome == "broken"] == []
    assert share(verdicts) == 1


TRIPS = {"start place", "end place", "visits", "legs"}


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.name)
@given(st.integers(0, 1_000), st.sampled_from(LANGUAGES), st.sampled_from(FAMILIES))
@settings(max_examples=10, deadline=None)
def test_a_damage_is_found_by_its_check_alone(
    damage: Damage, number: int, language: str, family: str
) -> None:
    """The fitting check breaks, and no other one does."""
    family = "trip" if damage.check in TRIPS else family
    goal = generate(FIRST + number * len(FAMILIES) + FAMILIES.index(family), language)
    text = damage.apply(goal)
    assume(text is not None)
    assert text is not None
    broken = {one.check for one in check(text, goal) if one.outcome == "broken"}
    assert broken == {damage.check}


def test_nothing_is_no_plan() -> None:
    """An empty text keeps nothing, not even what it leaves out."""
    goal = generate(FIRST)
    assert share(check("", goal)) == 0
    assert share(check("# Sorry\n\nI cannot help with that.", goal)) == 0


@pytest.mark.parametrize("language", LANGUAGES)
def test_repeating_the_request_earns_nothing(language: str) -> None:
    """The goal itself, its sentences as a list, and a report about it count as no plan."""
    goal = generate(FIRST, language)
    asks = [demand.ask for demand in goal.demands if demand.ask]
    asks += [ban.ask for ban in goal.bans]
    listed = "\n".join(f"- {ask}" for ask in asks)
    damaged = next(one for one in DAMAGES if one.name == "the last demand is dropped").apply(goal)
    assert damaged is not None
    padded = f"# {goal.text}\n\n{goal.text}\n\n{listed}\n\n{damaged}\n\n## Report\n\n{listed}"
    assert share(check(f"{goal.text}\n\n{listed}", goal)) == 0
    expected = [(one.check, one.outcome) for one in check(damaged, goal)]
    assert [(one.check, one.outcome) for one in check(padded, goal, ["## Report"])] == expected
