"""The question for which of several goals a split was made."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from swarm.brief.part import Part
from swarm.brief.read import read_brief
from swarm.llm.client import belonging, parsing
from swarm.llm.other_goals import OTHER_GOALS
from swarm.llm.requests import RateRequest
from swarm.llm.viewpoints import Viewpoint

GOALS = {
    "en": "Plan two weeks in Japan, budget 3,000 euro, with two museum visits.",
    "ms": "Rancang perjalanan tujuh hari di Jepun.",
    "hi": "जापान में सात दिन की यात्रा की योजना बनाइए।",
    "ur": "جاپان میں سات دن کے سفر کا منصوبہ بنائیں۔",
    "bn": "জাপানে সাত দিনের ভ্রমণের পরিকল্পনা করুন।",
    "de": "Plane zwei Wochen in Japan.",
}
PARTS = (Part(title="Days 1-3: Kyoto", detail="Temples."), Part(title="Nara", detail="Deer."))


def _request(goal: str, *, turn: int = 0, title: str = "") -> RateRequest:
    return RateRequest(
        goal=goal, title=title or goal, detail="", language="", parts=PARTS, atomic=False,
        brief=read_brief(goal), viewpoint=Viewpoint(questions=("belongs",), turn=turn),
    )  # fmt: skip


def _options(request: RateRequest) -> dict[str, str]:
    asked = belonging.asked(request)[-1]["content"].partition("Goals:\n")[2]
    return dict(re.findall(r"^([A-D])\. (.+)$", asked, re.MULTILINE))


@given(st.sampled_from(sorted(GOALS)), st.integers(0, 30))
def test_the_letter_is_that_of_the_own_goal(language: str, turn: int) -> None:
    """Exactly one of four goals is the split's own, and it has the letter that counts."""
    request = _request(GOALS[language], turn=turn)
    options = _options(request)
    assert [*options] == [*belonging.LETTERS]
    own = {letter for letter, goal in options.items() if goal not in OTHER_GOALS}
    assert own == {belonging.letter_of(request)}


def test_turns_show_other_goals_and_letters() -> None:
    """Two scorers that ask the same question do not show the model the same choice."""
    first, second = _request(GOALS["en"]), _request(GOALS["en"], turn=1)
    assert belonging.letter_of(first) != belonging.letter_of(second)
    assert {*_options(first).values()} != {*_options(second).values()}


def test_no_other_goal_is_of_the_same_kind() -> None:
    """A journey is never compared with another journey: both would be right."""
    for turn in range(8):
        assert (
            "A journey through several cities"
            not in _options(_request(GOALS["en"], turn=turn)).values()
        )


def test_the_goal_is_shown_without_its_demands_and_the_parts_without_days() -> None:
    """Days and demands are the same in a foreign split that code fitted to this goal."""
    asked = belonging.asked(_request(GOALS["en"]))[-1]["content"]
    assert "Days 1-3" not in asked
    assert "3,000" not in asked
    assert "Kyoto: Temples." in asked


def test_a_part_is_named_with_its_goal() -> None:
    """Below the root, parts belong to a part of the goal."""
    request = _request(GOALS["en"], title="Days 1-7: Kyoto")
    assert _options(request)[belonging.letter_of(request)].startswith("Kyoto (")


@pytest.mark.parametrize(
    ("said", "letter"),
    [("B", "B"), (" b.", "B"), ("**C**", "C"), ("(D) the trip", "D"), ("A: x", "A"),
     ("Both", None), ("E", None), ("", None), ("<think>A</think>B", "B")],
)  # fmt: skip
def test_letters_are_read_leniently(said: str, letter: str | None) -> None:
    """Models decorate a letter; a word that begins with one is none."""
    assert parsing.read_letter(said, belonging.LETTERS) == letter


@given(st.lists(st.tuples(st.text(max_size=3), st.floats(-20, 0)), max_size=8))
def test_probabilities_are_shares_of_the_letters(choices: list[tuple[str, float]]) -> None:
    """The shares of all letters add up to one, unless the model says something else."""
    shares = [
        parsing.letter_probability(choices, letter, belonging.LETTERS)
        for letter in belonging.LETTERS
    ]
    known = [share for share in shares if share is not None]
    assert not known or sum(known) == pytest.approx(1)
