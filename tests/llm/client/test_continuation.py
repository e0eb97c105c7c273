"""Two halves of an answer become one text, and what is not whole says so."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from swarm.llm.client.continuation import CUT_MARK, go_on_prompt, has_enough_points, joined, marked
from swarm.llm.client.parsing import whole_part
from swarm.llm.client.part_prompts import part_prompt
from tests.llm.conftest import DO

SENTENCES = (
    "The tower opens early.",
    "Take the train to Nara!",
    "क्योटो में तीन दिन रहें।",
    "لاہور کا قلعہ دیکھیں۔",
    "Eat soup; sleep well?",
)


@given(
    st.lists(st.sampled_from(SENTENCES), min_size=2, max_size=5, unique=True),
    st.sampled_from([" ", "\n", "\n\n", "\n- "]),
    st.integers(1, 400),
    st.sampled_from(["", "Sure, here is the rest:\n", "\n", " "]),
)
def test_a_text_cut_anywhere_joins_to_the_same_text(
    sentences: list[str], between: str, at: int, preamble: str
) -> None:
    """If the model goes on where it was told to, no seam is left, whatever it says first."""
    text = between.join(sentences)
    raw = text[: min(at, len(text) - 1)]
    kept = whole_part(raw)
    more = preamble + text[len(kept) :].lstrip()
    if kept:
        assert " ".join(joined(raw, kept, more).split()) == " ".join(text.split())


def test_what_the_model_repeats_is_not_repeated() -> None:
    """A model that begins with its last sentence again is heard once."""
    kept = "- Take the early train to Nara."
    more = "- Take the early train to Nara.\n- Feed the deer."
    assert joined(kept + "\n- Fee", kept, more) == f"{kept}\n- Feed the deer."


def test_nothing_more_leaves_what_was_kept() -> None:
    """An empty continuation adds nothing, not even a line break."""
    assert joined("One. Tw", "One.", " \n") == "One."


@pytest.mark.parametrize("text", ["One.", "One…", "One. "])
def test_the_mark_stands_at_the_end_once(text: str) -> None:
    """Also where the cut had left an ellipsis."""
    assert marked(text).endswith(f" {CUT_MARK}")
    assert marked(text).count("…") == 1


def test_the_question_is_asked_after_the_answer_so_far() -> None:
    """The prompt is the same up to its end, so that the server evaluates it once."""
    prompt = part_prompt(DO, small=True)
    more = go_on_prompt(prompt, "- One.")
    assert more.messages[: len(prompt.messages)] == prompt.messages
    assert more.messages[-2] == {"role": "assistant", "content": "- One."}
    assert more.max_tokens == prompt.max_tokens


def test_four_points_are_what_a_small_model_was_asked_for() -> None:
    """With four whole points a task is whole; with three it goes on."""
    assert has_enough_points("- a b\n- c d\n  - e\n- f g\n- h i")
    assert not has_enough_points("- a b\n- c d\n  - e\n- f g")
