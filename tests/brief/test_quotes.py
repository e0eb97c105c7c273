"""Demands that a model quotes from a goal."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from swarm.brief.gate import refuse_brief
from swarm.brief.quotes import MOST_QUOTES, with_quotes
from swarm.brief.read import read_brief
from swarm.core.brief import MAX_DEMANDS, Brief, Demand

GOAL = (
    "Plan five days in Kyoto, budget 900 euro. My mother gets carsick easily. "
    "We love small bookshops and hate crowds."
)
WORDS = GOAL.replace(".", "").replace(",", "").split()


def test_what_the_goal_says_and_code_did_not_read_is_added() -> None:
    """A wish without a word that code knows becomes a demand in the goal's words."""
    brief = with_quotes(GOAL, read_brief(GOAL), ["My mother gets carsick easily."])
    assert brief.demands[-1].text == "My mother gets carsick easily"


def test_what_is_known_or_invented_is_not_added() -> None:
    """The budget is read by code; flights are not in the goal; one word is no demand."""
    own = read_brief(GOAL)
    quotes = ["budget 900 euro", "Book first class flights", "Kyoto", "", "carsick my mother"]
    assert with_quotes(GOAL, own, quotes) == own


@given(
    st.lists(
        st.one_of(
            st.text(max_size=60),
            st.tuples(st.integers(0, len(WORDS)), st.integers(0, 9)).map(
                lambda span: " ".join(WORDS[span[0] : span[0] + span[1]])
            ),
        ),
        max_size=50,
    )
)
def test_scorers_accept_whatever_a_model_quotes(quotes: list[str]) -> None:
    """What passes here passes the gate of every scorer, and a brief stays small."""
    own = read_brief(GOAL)
    brief = with_quotes(GOAL, own, quotes)
    assert brief.demands[: len(own.demands)] == own.demands
    assert len(brief.demands) <= min(MAX_DEMANDS, len(own.demands) + MOST_QUOTES)
    assert refuse_brief(GOAL, own, brief) == ""


def test_a_full_brief_stays_valid() -> None:
    """A brief with the most demands that a record holds gets no more."""
    full = Brief(demands=[Demand(kind="must", text=f"wish {n}") for n in range(MAX_DEMANDS)])
    assert with_quotes(GOAL, full, ["gets carsick easily"]) == full
