"""The report says of each demand how it stands, and by whom it was checked."""

from __future__ import annotations

from dataclasses import fields

import pytest

from swarm.brief.check import Check, met, not_checked, not_met
from swarm.brief.phrases import ENGLISH, LANGUAGES, phrases
from swarm.brief.report import REPORT_HEADING, heading, report
from swarm.core.brief import Brief, Demand

BRIEF = Brief(
    demands=[
        Demand(kind="budget", text="budget 600 euro", value=600, unit="EUR"),
        Demand(kind="must", text="a quiet evening", name="quiet evening"),
        Demand(kind="mood", text="relaxed"),
    ]
)
CHECKS: tuple[Check, ...] = (
    not_met("budget", "The costs are 700 EUR.", 0),
    met("must", "It is there.", 1),
    not_checked("mood", "Unknown.", 2),
    not_met("cut", "The text stops in the middle."),
    met("repeats", "None."),
)


def test_each_demand_has_a_line() -> None:
    """Met, in the plan, not met and not checked are said, an unmet budget with its reason."""
    assert report(BRIEF, CHECKS) == (
        f"{REPORT_HEADING}\n\n"
        "- ❌ budget 600 euro — Not met (code): The costs are 700 EUR.\n"
        "- ✅ a quiet evening — In the plan (code)\n"
        "- ❔ relaxed — Not checked\n"
        "- ❌ No sentence is cut off — Not met (code): The text stops in the middle."
    )


def test_reviewers_decide_where_code_cannot() -> None:
    """Their yes counts only where code is not certain; their no always."""
    lines = report(BRIEF, CHECKS, reviewed=(0, 2), denied=(1,)).splitlines()[2:]
    assert lines[0].startswith("- ❌ budget")
    assert lines[1] == "- ❌ a quiet evening — Not met (reviewers)"
    assert lines[2] == "- ✅ relaxed — Met (reviewers)"


def test_nothing_to_report_is_no_report() -> None:
    """A goal without demands, with nothing wrong, gets no section."""
    assert report(Brief(), (met("cut", "Whole."),)) == ""


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_is_complete(language: str) -> None:
    """Each phrase is there, with the same places to fill, and none is left in English."""
    own = phrases(language)
    assert heading(language) == f"## {own.report}"
    assert own.points.keys() == ENGLISH.points.keys()
    for field in fields(ENGLISH):
        text, english = getattr(own, field.name), getattr(ENGLISH, field.name)
        if isinstance(text, str):
            assert text
            assert text.count("{") == english.count("{")
            assert language == "en" or text != english or text == "."
    if language != "en":
        assert "The costs" not in report(BRIEF, CHECKS, language=language)
