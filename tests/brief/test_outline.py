"""The outline that code makes where a model cannot write."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from swarm.brief.outline import outline_text, outline_titles
from swarm.brief.part import Part
from swarm.brief.phrases import LANGUAGES, phrases
from swarm.brief.read import read_brief
from swarm.brief.scripts import check_language
from swarm.brief.steps import steps_in
from swarm.core.brief import Brief


@given(
    st.sampled_from(LANGUAGES),
    st.integers(2, 12),
    st.integers(0, 8),
    st.lists(st.sampled_from(("A", "B", "C", "D")), max_size=6, unique=True),
)
def test_an_outline_has_every_day_and_every_demand_once(
    language: str, days: int, skipped: int, demands: list[str]
) -> None:
    """Each day of the part has its line, whatever the language, and no demand is lost."""
    brief = read_brief(f"Plan a trip of {days + skipped} days", language)
    part = Part(title="x", detail="", first=1 + skipped, last=days + skipped, place="Agra")
    marked = [f"[{demand}]" for demand in demands]
    text = outline_text(brief, part, language, demands=marked)
    named = [step.first for step in steps_in(text, "day") if step.heads]
    assert named == list(range(1 + skipped, days + skipped + 1))
    assert all(text.count(demand) == 1 for demand in marked)


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_outline_is_in_its_language(language: str) -> None:
    """Every word that code adds is of the plan's language."""
    brief = Brief(language=language)
    text = "\n".join(
        outline_text(brief, Part(title="x", detail=""), language, demands=(), number=number)
        for number in range(3)
    )
    word = phrases(language)
    titles = " ".join(outline_titles(brief, 5))
    whole = "\n".join((text, word.skeleton_note, word.outline_note, titles))
    assert check_language(language, whole).standing == "met"


def test_an_outline_follows_the_route() -> None:
    """Where the goal names places, they are the parts; else there are general stages."""
    brief = read_brief("Plan a trip of 9 days, starting in Agra, via Delhi, ending in Mumbai")
    assert outline_titles(brief, 3)[0] == "Agra"
    assert outline_titles(brief, 3)[-1] == "Mumbai"
    assert outline_titles(Brief(language="en"), 3) == ("Preparation", "First steps", "Completion")
