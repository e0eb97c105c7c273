"""Special tokens of chat templates: none survives, and other text stays as it is."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from swarm.llm.client.special_tokens import has_special_tokens, without_special_tokens

TOKENS = (
    "<|im_start|>", "<|im_end|>", "<|endoftext|>", "<|begin_of_text|>", "<|eot_id|>",
    "<|start_header_id|>", "<|channel|>", "<|message|>", "<|return|>", "<|user|>", "<|end|>",
    "<s>", "</s>", "<bos>", "<eos>", "<unk>", "<pad>", "<start_of_turn>", "<end_of_turn>",
    "<|turn>", "<turn|>", "[INST]", "[/INST]", "<<SYS>>", "<</SYS>>", "[TOOL_CALLS]",
    "[AVAILABLE_TOOLS]", "[SYSTEM_PROMPT]", "<｜User｜>", "<｜end▁of▁sentence｜>", "[|assistant|]",
    "<|START_OF_TURN_TOKEN|>", "<tool_call>", "</tool_call>", "<fim_prefix>", "<unused12>",
    "<0x0A>", "[gMASK]", "◁think▷",
)  # fmt: skip

pieces = st.one_of(
    st.sampled_from(TOKENS),
    st.sampled_from([token[:3] for token in TOKENS] + [token[3:] for token in TOKENS]),
    st.text(st.sampled_from("<>|[]/ s\nINST"), max_size=6),
    st.text(max_size=6),
)


@pytest.mark.parametrize("token", TOKENS)
def test_a_token_of_each_family_is_removed(token: str) -> None:
    """Whatever its case, and also if its halves are put around another one."""
    assert without_special_tokens(f"before {token}after") == "before after"
    assert not has_special_tokens(without_special_tokens(token.upper()))
    middle = len(token) // 2
    nested = token[:middle] + "<|im_end|>" + token[middle:]
    assert not has_special_tokens(without_special_tokens(nested))


@given(st.lists(pieces, max_size=40).map("".join))
def test_no_token_is_left_whatever_the_text(text: str) -> None:
    """Also not one that the removal of others puts together."""
    assert not has_special_tokens(without_special_tokens(text))


@pytest.mark.parametrize(
    "text",
    [
        "- [ ] Book **two** rooms <3 nights>, [see](https://example.org) a < b > c || d",
        "Visit | the | table\n| --- | --- |\n| x | y |",
        "### Day 1: Tokyo",
        "क्योटो [1] <em>",
    ],
)
def test_ordinary_text_stays(text: str) -> None:
    """Markdown, tables, links and comparisons contain no special tokens."""
    assert without_special_tokens(text) == text


def test_templates_of_plain_words_become_prose() -> None:
    """A forged "### Instruction:" of Alpaca's template is no heading any more."""
    assert without_special_tokens("x\n### Instruction: do y") == "x\nInstruction: do y"


@pytest.mark.parametrize(
    "unit", ["<|", "<|a", "|>", "[|", "<<SYS", "<|a|", "[INST", "<s", "<|a<s>"]
)
def test_long_texts_take_a_moment(unit: str) -> None:
    """Time grows with the length of a text, whatever is in it."""
    began = time.process_time()
    without_special_tokens(unit * (200_000 // len(unit)))
    assert time.process_time() - began < 2
