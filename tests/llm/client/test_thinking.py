"""Thinking is told from the answer, in every form in which models write it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from swarm.llm.client.thinking import answer_in, has_thinking, is_only_thinking

WORDS = st.text(st.characters(categories=("Ll", "Lo", "Nd", "Zs")), min_size=1, max_size=40).map(
    str.strip
)

FORMS = {
    "tags": "<think>{}</think>\n{}",
    "other tags": "<reasoning>{}</reasoning>{}",
    "Mistral": "[THINK]{}[/THINK]{}",
    "Kimi": "◁think▷{}◁/think▷{}",
    "no opening": "{}</think>\n\n{}",
    "harmony": (
        "<|channel|>analysis<|message|>{}<|end|><|start|>assistant<|channel|>final<|message|>{}"
        "<|return|>"
    ),
    "harmony to a tool": (
        "<|channel|>analysis<|message|>{}<|end|><|start|>assistant<|channel|>commentary "
        "to=functions.split <|constrain|>json<|message|>{}<|call|>"
    ),
    "harmony without markers": "analysis We think: {}assistantfinal{}",
    "Gemma": "<|channel>thought\n{}<channel|><|channel>final\n{}",
}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS.keys())
@given(thought=WORDS, answer=WORDS)
def test_the_answer_is_what_is_not_thinking(form: str, thought: str, answer: str) -> None:
    """In each form the answer comes out whole, without a word of the thinking."""
    first, _, second = form.partition("{}")
    middle, _, end = second.partition("{}")
    raw = f"{first}{thought}{middle}{answer}{end}"
    assert answer_in(raw) == answer
    assert has_thinking(raw)


@pytest.mark.parametrize(
    "raw",
    [
        "<think>We need to",
        "a long thought</think>",
        "<|channel|>analysis<|message|>We need to say",
        "<think>one</think>\n<think>two",
    ],
)
def test_thinking_alone_is_no_answer(raw: str) -> None:
    """An answer that ended within the thinking, or right after it, is empty."""
    assert answer_in(raw) == ""
    assert is_only_thinking(raw)


@given(st.text(max_size=200))
def test_any_text_is_read(text: str) -> None:
    """Nothing raises, and text without marks is only stripped."""
    answer = answer_in(text)
    if not has_thinking(text):
        assert answer == text.strip()


def test_plain_answers_are_not_taken_for_thinking() -> None:
    """The words "analysis" and "final" are words."""
    text = "Analysis of the market, then the final report by assistant Kim."
    assert answer_in(text) == text
    assert not has_thinking(text)
