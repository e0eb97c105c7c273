"""Plans as people write them, in many layouts: none of them is found at fault.

A sample's name is the seed and language of its goal. All were written by hand.
"""

from pathlib import Path

import pytest

from benchmarks.quality.checks import check
from benchmarks.quality.checks.places import legs_in
from benchmarks.quality.goals import generate
from benchmarks.quality.reading import read

SAMPLES = sorted((Path(__file__).parent / "samples").glob("*.md"))


@pytest.mark.parametrize("file", SAMPLES, ids=lambda file: file.stem)
def test_a_good_plan_passes(file: Path) -> None:
    """Prose, tables, ranges, countdowns, dates, native digits: a good plan keeps everything."""
    seed, language, _ = file.stem.split("-")
    goal = generate(int(seed), language)
    verdicts = check(file.read_text(encoding="utf-8"), goal)
    assert [one for one in verdicts if one.outcome == "broken"] == []


def test_the_trip_of_the_issue_is_found_out() -> None:
    """Osaka on days 7-9, then a train from Tokyo to Fukuoka: the leg starts where nobody is."""
    goal = next(
        goal
        for seed in range(30_000, 31_000, 8)
        if (goal := generate(seed, "en")).country and goal.country.names["en"] == "Japan"
    )
    text = (
        "## Days 1-6: Kyoto\n\n- Walk to the temples in the hills.\n\n"
        "## Days 7-9: Osaka\n\n- Eat at the market, see the castle.\n\n"
        "## Day 10\n\n- Train from Tokyo to Fukuoka.\n"
    )
    legs = [one for one in check(text, goal) if one.check == "legs"]
    assert [one.outcome for one in legs] == ["broken"]
    assert "Tokyo to Fukuoka while in Osaka" in legs[0].reason


@pytest.mark.parametrize(
    "leg",
    ["Train from {a} to {b}.", "## {a} → {b}", "## {a} - {b}", "**{a} – {b}**", "| {a}→{b} |"],
)
def test_legs_are_read_in_every_form(leg: str) -> None:
    """A journey may be said, drawn with an arrow, or written with a dash between two towns."""
    goal = generate(1000, "en")
    (found,) = legs_in(read(leg.format(a="Ipoh", b="Melaka"), goal).lines[0].text, goal)
    assert [place.name("en") for place in found[1:]] == ["Ipoh", "Melaka"]


FOUND = {
    "1000-en-swarm": {
        "covered once": "no day 9",
        "dates": "no day has its date",
        "end place": "George Town is not in the last day",
        "legs": "a leg from Ipoh to Penang while in Kuala Lumpur",
        "counts": "4 × restaurant: found none",
        "demands": "“rest day” is missing",
    },
    "1000-en-one": {
        "covered once": "day 12, 13, 14, 15, 16, 17, ... of 11",
        "counts": "2 × museum: found none",
        "demands": "“rest day” is missing",
        "repetition": "26 of 34 long lines are repeated",
    },
}
"""What is wrong with some plans of the embedded model, looked at by hand."""


@pytest.mark.parametrize("name", FOUND)
def test_what_is_wrong_with_a_plan_is_found(name: str) -> None:
    """Real plans of a small model are judged as a reader would: the last finding of each check."""
    seed, language, _ = name.split("-")
    goal = generate(int(seed), language)
    text = (Path(__file__).parent / "found" / f"{name}.md").read_text(encoding="utf-8")
    broken = {one.check: one.reason for one in check(text, goal) if one.outcome == "broken"}
    assert broken == FOUND[name]
