"""The checks of texts: what keeps everything is met, and each single damage is found."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from swarm.brief.checks import Check, check_part, check_plan, share_kept
from swarm.brief.part import Part
from swarm.core.brief import Brief, Cost, Demand
from tests.brief.texts import MEAT, PLACES, STOP, Perfect, perfect

NOTHING = Brief()


def faults(checks: tuple[Check, ...]) -> set[str]:
    return {check.point for check in checks if check.standing == "not met"}


def plan_faults(plan: Perfect, text: str) -> set[str]:
    return faults(check_plan(plan.brief, text, plan.costs))


@settings(max_examples=15, deadline=None)
@given(perfect())
def test_a_plan_that_keeps_everything_meets_every_demand(plan: Perfect) -> None:
    """No check complains about a constructed perfect plan, and each demand counts as met."""
    checks = check_plan(plan.brief, plan.text, plan.costs)
    assert not [check for check in checks if check.standing == "not met"]
    assert {check.demand for check in checks if check.standing == "met"} >= set(
        range(len(plan.brief.demands))
    )
    assert share_kept(checks) == 1.0


@settings(max_examples=15, deadline=None)
@given(perfect(st.integers(3, 7)), st.data())
def test_each_single_damage_of_a_plan_is_found(plan: Perfect, data: st.DataObject) -> None:
    """A day lost, doubled, moved or too late, and a broken demand, are each found by their name."""
    days = len(plan.lines)
    at = data.draw(st.integers(1, days - 2))
    lines = list(plan.lines)
    assert "days" in plan_faults(plan, "\n".join(lines[:at] + lines[at + 1 :]))
    assert "days" in plan_faults(plan, "\n".join([*lines[: at + 1], *lines[at:]]))
    swapped = [*lines[:at], lines[at + 1], lines[at], *lines[at + 2 :]]
    assert "days" in plan_faults(plan, "\n".join(swapped))
    late = [*lines[:-1], lines[-1].replace(f" {days} ", f" {days + 1} ", 1)]
    assert "days" in plan_faults(plan, "\n".join(late))
    assert "dates" in plan_faults(plan, plan.text.replace("2027-04-06", "2027-04-16"))
    end = plan.places[-1]
    elsewhere = [line.replace(end, "Zzyzx") for line in lines]
    assert "end_place" in plan_faults(plan, "\n".join(elsewhere))
    stop = STOP.get(plan.language, ".")
    eaten = f"{plan.text}\n\n{MEAT[plan.language].capitalize()}{stop}"
    assert "must_not" in plan_faults(plan, eaten)
    dear = (*plan.costs, Cost(what="yacht", amount=10_000))
    assert "budget" in faults(check_plan(plan.brief, plan.text, dear))
    assert "costs" in faults(check_plan(plan.brief, plan.text))


@settings(max_examples=15, deadline=None)
@given(perfect(st.integers(3, 7)), st.data())
def test_damage_to_the_wording_is_found(plan: Perfect, data: st.DataObject) -> None:
    """Repeats, a cut end, special tokens, remains of prompts and other languages are found."""
    text = plan.text
    assert "repeats" in plan_faults(plan, f"{text}\n{text}\n{text}")
    assert "repeats" in plan_faults(plan, f"{text}\n{', '.join([PLACES[plan.language][0]] * 8)}.")
    assert "cut" in plan_faults(plan, f"{text}\n\n(and then **the")
    assert "cut" in plan_faults(plan, f"{text}\n\n```\nopen")
    for remains in ("<|im_end|>", "</think>"):
        at = data.draw(st.integers(0, len(text)))
        assert "remains" in plan_faults(plan, text[:at] + remains + text[at:])
    for line in ('"parts": [', "Your part: an advertisement", "### Response:", "assistant: yes"):
        assert "remains" in plan_faults(plan, f"{line}\n{text}")
    assert "empty" in plan_faults(plan, "I'm sorry, but I can't assist with that request.")
    other = "hi" if plan.language != "hi" else "ur"
    foreign = plan.brief.model_copy(
        update={"demands": [Demand(kind="language", text="language", unit=other)]}
    )
    assert "language" in faults(check_plan(foreign, text))


@settings(max_examples=15, deadline=None)
@given(perfect(st.integers(4, 7)), st.data())
def test_a_part_has_its_own_days_and_no_others(plan: Perfect, data: st.DataObject) -> None:
    """The text of some days is right for a part of these days and wrong for any other."""
    days = len(plan.lines)
    first = data.draw(st.integers(1, days - 2))
    last = data.draw(st.integers(first + 1, days - 1))
    text = plan.text_of(first, last)
    assert not faults(check_part(plan.brief, plan.part(first, last), text))
    assert "days" in faults(check_part(plan.brief, plan.part(first + 1, last + 1), text))
    assert "days" in faults(check_part(plan.brief, plan.part(first, last + 1), text))


def test_a_mention_of_another_day_is_no_day_of_its_own() -> None:
    """A sentence may speak of other days; a heading of the whole range is not counted twice."""
    part = Part(title="Kyoto", detail="", first=4, last=5)
    text = (
        "## Days 4-5: Kyoto\n\n**Day 4:** As on day 2, walk early.\n\n"
        "**Day 5:** Pack for day 6 and rest."
    )
    assert not faults(check_part(NOTHING, part, text))


def test_an_overview_before_the_days_is_not_counted_twice() -> None:
    """A list of all days followed by the days themselves is in order."""
    brief = Brief(demands=[Demand(kind="duration", text="3 days", value=3, unit="day")])
    overview = "- Day 1: Rome\n- Day 2: Siena\n- Day 3: Pisa\n\n"
    text = overview + "## Day 1\n\nWalk.\n\n## Day 2\n\nRide.\n\n## Day 3\n\nRest."
    assert "days" not in faults(check_plan(brief, text))


def test_weeks_and_days_are_counted_alike() -> None:
    """Two weeks may be 14 days, two weeks, or two weeks with days 1 to 7 in each."""
    brief = Brief(demands=[Demand(kind="duration", text="14 days", value=14, unit="day")])
    week = "\n".join(f"- Day {day}: walk {'uphill' * day}." for day in range(1, 8))
    assert "days" not in faults(check_plan(brief, f"## Week 1\n\n{week}\n\n## Week 2\n\n{week}"))
    assert "days" not in faults(check_plan(brief, "## Week 1\n\nWalk.\n\n## Week 2\n\nRest."))
    assert "days" in faults(check_plan(brief, "## Week 1\n\nWalk.\n\n## Week 3\n\nRest."))


@pytest.mark.parametrize(
    "text",
    [
        "Dinner without meat.",
        "All meals are meat-free.",
        "No meat is served on any day.",
        "We avoid meat and fish.",
        "A menu of vegetables, beans and rice.",
    ],
)
def test_what_is_denied_is_not_there(text: str) -> None:
    """A forbidden thing may be named where it is ruled out."""
    brief = Brief(demands=[Demand(kind="must_not", text="no meat", name="meat")])
    assert "must_not" not in faults(check_plan(brief, text))


def test_journeys_connect() -> None:
    """A journey that starts where nobody is was not thought through; a day trip is fine."""
    good = "Day 1: Train from Tokyo to Kyoto.\nDay 2: Bus from Kyoto to Nara.\n"
    assert "legs" not in faults(check_plan(NOTHING, good + "Day 3: Train from Kyoto to Osaka."))
    assert "legs" in faults(check_plan(NOTHING, good + "Day 3: Train from Sapporo to Osaka."))


def test_a_count_is_found_as_word_or_digit() -> None:
    """Three prizes may be written, or listed; two are too few."""
    brief = Brief(demands=[Demand(kind="count", text="three prizes", value=3, name="prizes")])
    for text in ("There are three prizes.", "We give 3 prizes.", "Prize 1.\nPrize 2.\nPrize 3."):
        assert "count" not in faults(check_plan(brief, text)), text
    assert "count" in faults(check_plan(brief, "There are two prizes."))
    assert "count" in faults(check_plan(brief, "Everybody is happy."))


@pytest.mark.parametrize("spelling", ["Varanasi", "Varanashi", "VARANASI", "Varanasi's"])
def test_names_may_be_spelt_otherwise(spelling: str) -> None:
    """A place is found in other spellings, and not in other places."""
    names = ("Varanasi", "Agra")
    brief = Brief(demands=[Demand(kind="place", text=name, name=name) for name in names])
    assert "place" not in faults(check_plan(brief, f"We see {spelling} at dawn, Agra at noon."))
    assert "place" in faults(check_plan(brief, "We see Vadodara at dawn, Agra at noon."))


def test_what_code_does_not_know_is_not_checked() -> None:
    """A kind of a later version, and a name in another script, are never called unmet."""
    brief = Brief(
        demands=[
            Demand(kind="mood", text="relaxed"),
            Demand(kind="place", text="Kyoto", name="Kyoto"),
            Demand(kind="must", text="dinner", name="dinner"),
        ],
        language="hi",
    )
    text = "पहले दिन मंदिर देखें, फिर बाग़ में आराम करें और शाम को संगीत सुनें।"
    assert {c.standing for c in check_plan(brief, text) if c.demand is not None} == {"not checked"}


@given(st.text(max_size=300), st.text(max_size=40))
def test_no_text_breaks_the_checks(text: str, name: str) -> None:
    """Any text and any name can be checked."""
    brief = Brief(
        demands=[
            Demand(kind=kind, text="x", name=name[:200], value=3, unit="day", date="2027-01-31")
            for kind in ("duration", "end_place", "count", "must", "must_not", "budget", "people")
        ]
    )
    part = Part(title="x", detail="", first=2, last=3, place=name, keeps=(0, 1, 2, 3, 40))
    assert check_plan(brief, text)
    assert check_part(brief, part, text)
