"""What code mends in texts: the days come right, damage goes, and a sound text stays as it is."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from swarm.brief.checks import check_part
from swarm.brief.mend import mend_plan, mend_text
from swarm.brief.part import Part
from swarm.core.brief import Brief, Demand
from tests.brief.texts import Perfect, perfect

NOTHING = Brief()
PART = Part(title="Kyoto", detail="", first=4, last=6)
PIECES = [
    "- Day 4: Walk along the canal and see the silver temple.",
    "**Day 5:** Rent bicycles and ride to the bamboo grove.",
    "Day 6 - Tea house in the morning, train after lunch.",
    "## Day 4",
    "Day 9: a day of somebody else.",
    "Day 5: Again.",
    "**Days 4-6: Kyoto**",
    "Sure, here is the plan:",
    "<|im_end|>",
    "```",
    "- sub point",
    "| Day 4 | table |",
    "Your part: nothing",
    "and then the",
    "## Section",
    "",
    "* **Day 6: Kyoto** at night (and",
]


@settings(max_examples=40, deadline=None)
@given(perfect())
def test_a_perfect_text_stays_as_it_is(plan: Perfect) -> None:
    """Nothing is changed where nothing is wrong."""
    days = len(plan.lines)
    assert mend_text(plan.brief, plan.part(1, days), plan.text) == plan.text
    assert mend_plan(plan.brief, plan.text) == plan.text


@settings(max_examples=40, deadline=None)
@given(perfect(st.integers(4, 7)), st.data())
def test_days_out_of_order_twice_or_of_others_come_right(
    plan: Perfect, data: st.DataObject
) -> None:
    """However the days are shuffled, doubled and mixed with others', the part's own remain."""
    days = len(plan.lines)
    first = data.draw(st.integers(2, days - 2))
    own = list(plan.lines[first - 1 : days])
    extra = [plan.lines[0], own[0].split(":**")[0] + ":** x."]
    lines = data.draw(st.permutations([*own, *extra]))
    part = plan.part(first, days)
    mended = mend_text(plan.brief, part, "\n".join(lines))
    assert mended == "\n".join(own)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=9), st.sampled_from(["", "en", "hi", "bn"]))
def test_mending_twice_changes_nothing_more(pieces: list[str], language: str) -> None:
    """Mending is idempotent for any mixture of sound lines and damage."""
    brief = Brief(
        demands=[Demand(kind="start_date", text="x", date="2027-04-05")], language=language
    )
    for of in (NOTHING, brief):
        once = mend_text(of, PART, "\n".join(pieces))
        assert mend_text(of, PART, once) == once


@given(st.text(max_size=200))
def test_any_text_can_be_mended(text: str) -> None:
    """No text breaks the repair, and it is idempotent for it."""
    once = mend_text(NOTHING, PART, text)
    assert mend_text(NOTHING, PART, once) == once


@pytest.mark.parametrize(
    "written",
    [
        "Day 4: Walk.\nDay 5: Ride.\nDay 6: Rest.",
        "1. Day 6 - Rest.\n2. Day 4 - Walk.\n3. Day 5 - Ride.",
        "**Day 4**: Walk.\n**Day 5**: Ride.\n**Day 6**: Rest.",
        "* **Day 4:** Walk.\n* **Day 4:** W.\n* **Day 5:** Ride.\n* **Day 6:** Rest.",
        "Day 1: Walk.\nDay 2: Ride.\nDay 3: Rest.",
        "Here is the plan for your trip:\n\nDay 4: Walk.\nDay 5: Ride.\nDay 6: Rest.<|im_end|>",
    ],
)
def test_labels_get_one_form(written: str) -> None:
    """However a model writes the days, they come out alike, with their dates."""
    brief = Brief(demands=[Demand(kind="start_date", text="x", date="2027-04-05")], language="ms")
    assert mend_text(brief, PART, written) == (
        "- **Hari 4 (2027-04-08):** Walk.\n"
        "- **Hari 5 (2027-04-09):** Ride.\n"
        "- **Hari 6 (2027-04-10):** Rest."
    )


def test_lines_below_a_day_move_with_it() -> None:
    """The points of a day stay with their day."""
    text = "**Day 5**\n- Ride.\n- Eat.\n\n**Day 4**\n- Walk.\n\n**Day 6**\n- Rest."
    assert mend_text(NOTHING, PART, text) == (
        "**Day 4:**\n- Walk.\n\n**Day 5:**\n- Ride.\n- Eat.\n\n**Day 6:**\n- Rest."
    )


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Buy paint and brushes. Paint the", "Buy paint and brushes."),
        ("- Buy paint and brushes.\n- Paint the wall and", "- Buy paint and brushes."),
        ("Buy paint and brushes.\n\n## Next", "Buy paint and brushes."),
        ("Run:\n\n```\nmake", "Run:\n\n```\nmake\n```"),
        ("Buy paint.\nI hope this helps!", "Buy paint."),
        ('Buy paint and brushes.\n{"parts": [\n]}', "Buy paint and brushes."),
    ],
)
def test_a_broken_end_and_remains_are_dropped(text: str, left: str) -> None:
    """What stops in the middle, and what is not the plan, goes."""
    assert mend_text(NOTHING, Part(title="x", detail=""), text) == left


def test_a_text_that_is_mostly_damage_stays() -> None:
    """Code does not throw a text away: a review decides on it."""
    text = "Day 9: All of this belongs to another part of the plan, every word of it.\nDay 4: Go."
    assert mend_text(NOTHING, PART, text) == text


def test_mending_never_makes_a_text_worse() -> None:
    """The checks find no new fault in a mended text."""
    text = "\n".join(PIECES[:3] + PIECES[4:6])
    before = {c.point for c in check_part(NOTHING, PART, text) if c.standing == "not met"}
    mended = mend_text(NOTHING, PART, text)
    after = {c.point for c in check_part(NOTHING, PART, mended) if c.standing == "not met"}
    assert after < before
