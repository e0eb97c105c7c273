"""Any valid split, in whatever shape a model writes it, is read back the same."""

from __future__ import annotations

import contextlib
import json
import random
import time
from collections.abc import Callable, Sequence

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from swarm.llm.client.parsing import Unusable, read_split

Pair = tuple[str, str]

WORD = st.text(
    st.one_of(
        st.characters(categories=["Ll"], max_codepoint=0x24F),
        st.characters(categories=["Lo"], min_codepoint=0x904, max_codepoint=0x939),
        st.characters(categories=["Lo"], min_codepoint=0x985, max_codepoint=0x9B9),
        st.characters(categories=["Lo"], min_codepoint=0x620, max_codepoint=0x64A),
    ),
    min_size=2,
    max_size=9,
)
WORD = WORD.filter(lambda word: word not in ("none", "null"))  # those mean "nothing" in YAML
TITLE = st.lists(WORD, min_size=1, max_size=4).map(" ".join)
MARKS = (" ", ", ", "; ", " (", ") ", ": ", " - ", "'s ", " & ", ". ", " 12 ", " / ")
DETAIL = st.tuples(WORD, st.lists(st.tuples(st.sampled_from(MARKS), WORD), max_size=6)).map(
    lambda made: made[0] + "".join(mark + word for mark, word in made[1]) + "."
)
SPLITS = st.lists(
    st.tuples(TITLE, DETAIL), min_size=2, max_size=6, unique_by=lambda pair: pair[0].casefold()
)


def rows(pairs: Sequence[Pair]) -> list[dict[str, object]]:
    return [{"title": title, "detail": detail, "after": []} for title, detail in pairs]


def as_json(pairs: Sequence[Pair]) -> str:
    return json.dumps({"parts": rows(pairs), "rationale": "because"}, ensure_ascii=False)


def quoted_inside(pairs: Sequence[Pair]) -> str:
    """JSON whose details have one word in bare quotes."""
    return as_json(pairs).replace("\u0001", '"')


def single_quotes(pairs: Sequence[Pair]) -> str:
    """A Python dictionary, with literals of Python."""
    made = [{"title": t, "detail": d, "after": None, "kind": True} for t, d in pairs]
    return repr({"parts": made})


def yaml(pairs: Sequence[Pair]) -> str:
    return "parts:\n" + "\n".join(
        f"  - title: {title}\n    detail: {detail}\n    after: []" for title, detail in pairs
    )


def table(pairs: Sequence[Pair]) -> str:
    lines = [f"| {n} | {t} | {d} |" for n, (t, d) in enumerate(pairs, start=1)]
    return "\n".join(["| # | Title | Detail |", "| --- | --- | --- |", *lines])


SHAPES: dict[str, Callable[[Sequence[Pair]], str]] = {
    "JSON": as_json,
    "in prose": lambda pairs: f"Sure! Here it is:\n{as_json(pairs)}\nIt isn't long; enjoy.",
    "in a fence": lambda pairs: f"As [1] says {{so}}:\n```json\n{as_json(pairs)}\n```\nEnjoy!",
    "after thinking": lambda pairs: f'<think>{{"parts": [</think>{as_json(pairs)}',
    "after half a thought": lambda pairs: f"so {{it}} is\n</think>\n{as_json(pairs)}",
    "harmony": lambda pairs: (
        "<|channel|>analysis<|message|>We split.<|end|><|start|>assistant<|channel|>final"
        f"<|message|>{as_json(pairs)}<|return|>"
    ),
    "special token at the end": lambda pairs: f"{as_json(pairs)}<|im_end|>",
    "raw line breaks": lambda pairs: as_json([(t, d.replace(" ", "\u0002", 1)) for t, d in pairs])
    .replace("\\u0002", "\n"),
    "trailing commas": lambda pairs: as_json(pairs).replace("}]", "},],").replace(",]", ",]"),
    "single quotes": single_quotes,
    "bare keys": lambda pairs: as_json(pairs)
    .replace('"title":', "title:")
    .replace('"detail":', "detail:"),
    "other names": lambda pairs: as_json(pairs)
    .replace('"parts"', '"Tasks"')
    .replace('"title"', '"name"')
    .replace('"detail"', '"description"'),
    "a bare list": lambda pairs: json.dumps(rows(pairs)),
    "one object a line": lambda pairs: "\n".join(map(json.dumps, rows(pairs))),
    "by keys": lambda pairs: json.dumps({"parts": dict(pairs)}),
    "by numbers": lambda pairs: json.dumps(
        {"parts": {str(n): row for n, row in enumerate(rows(pairs), start=1)}}
    ),
    "a tool call": lambda pairs: (
        f'<tool_call>\n{{"name": "split", "arguments": {as_json(pairs)}}}\n</tool_call>'
    ),
    "a tool call with a text": lambda pairs: json.dumps(
        [{"type": "function", "function": {"name": "f", "arguments": as_json(pairs)}}]
    ),
    "a call of Mistral": lambda pairs: (
        f'[TOOL_CALLS][{{"name": "split", "arguments": {as_json(pairs)}}}]'
    ),
    "YAML": yaml,
    "YAML in a fence": lambda pairs: f"Here:\n```yaml\n{yaml(pairs)}\n```",
    "TOML": lambda pairs: "\n".join(
        f"[[parts]]\ntitle = {json.dumps(t)}\ndetail = {json.dumps(d, ensure_ascii=False)}"
        for t, d in [(t, d) for t, d in pairs]
    ).replace("\\u", "u") if all(t.isascii() for t, _ in pairs) else yaml(pairs),
    "a table": table,
    "a table in prose": lambda pairs: f"My plan:\n\n{table(pairs)}\n\nDone.",
    "named lines": lambda pairs: "\n\n".join(
        f"{n}. **Title:** {t}\n   **Detail:** {d}" for n, (t, d) in enumerate(pairs, start=1)
    ),
}  # fmt: skip


def titled(pairs: Sequence[Pair]) -> list[Pair]:
    return [(title, " ".join(detail.split())) for title, detail in pairs]


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES.keys())
@example(pairs=[("aa", "aa, aa: true aa."), ("if", "aa.")])
@given(pairs=SPLITS)
def test_a_split_is_read_from_every_shape(
    shape: Callable[[Sequence[Pair]], str], pairs: Sequence[Pair]
) -> None:
    """Every part with its own title and detail, in order."""
    answer = read_split(shape(pairs), max_parts=8, may_nest=False, may_be_one=True)
    assert [(part.title, part.detail) for part in answer.parts] == titled(pairs)


@given(
    pairs=st.lists(st.tuples(TITLE, WORD, WORD, WORD), min_size=2, max_size=5).filter(
        lambda made: len({pair[0].casefold() for pair in made}) == len(made)
    ),
    mark=st.sampled_from(['"', "\\", "\t", "\n"]),
)
def test_marks_that_need_an_escape_are_read_without_one(
    pairs: Sequence[tuple[str, str, str, str]], mark: str
) -> None:
    """Inner quotes, lone backslashes, tabs and line breaks leave every part in its place."""
    held = [
        (title, f"{one} {mark}{two}{mark if mark == chr(34) else ''} {three}")
        for title, one, two, three in pairs
    ]
    made = [f'{{"title": "{title}", "detail": "{detail}"}}' for title, detail in held]
    raw = '{"parts": [' + ", ".join(made) + "]}"
    answer = read_split(raw, max_parts=8, may_nest=False, may_be_one=False)
    assert [part.title for part in answer.parts] == [title for title, *_ in pairs]
    for part, (_, one, _, three) in zip(answer.parts, pairs, strict=True):
        assert part.detail.startswith(one)
        assert part.detail.endswith(three)


@pytest.mark.parametrize("title", ["null", '""', "[]", "{}", "false"])
def test_a_part_without_a_title_gets_one_from_its_detail(title: str) -> None:
    """One null title does not cost the other parts, nor the part."""
    raw = (
        '{"parts": [{"title": "Tokyo", "detail": "towers"}, '
        f'{{"title": {title}, "detail": "Temples and moss: three days."}}]}}'
    )
    answer = read_split(raw, max_parts=5, may_nest=False, may_be_one=False)
    assert [part.title for part in answer.parts] == ["Tokyo", "Temples and moss"]


GARBAGE = (
    "{", "}", "[", "]", '"', "'", ":", ",", "\\", "\n", "- ", "| ", "title: ", '"parts": [', "null",
    "<think>", "</think>", "<|channel|>", "```\n", "1. ", "# ", "(", ")", "None", "a", "é", "/*",
    "//", "---|", "“", "”", "{{", "\u0000", "9" * 50, "&", "=", "[[parts]]", "-", "1.",
)  # fmt: skip


@given(st.lists(st.sampled_from(GARBAGE), max_size=60).map("".join), st.booleans())
@example('{"parts": [{"title": 1' + "0" * 5_000 + "}]}", False)
def test_garbage_is_unusable_or_a_split(raw: str, cut: bool) -> None:
    """Nothing else is raised, whatever stands beside what."""
    try:
        answer = read_split(raw, max_parts=5, may_nest=True, may_be_one=True, cut=cut)
    except Unusable:
        return
    assert all(part.title for part in answer.parts)


@pytest.mark.parametrize("seed", range(60))
def test_garbage_of_any_length_takes_a_moment(seed: int) -> None:
    """Long answers, in loops or at random, take far less than the call that made them."""
    rng = random.Random(seed)
    units = rng.sample(GARBAGE, rng.randint(1, 4))
    loop = "".join(units)
    raw = loop * (40_000 // len(loop)) if seed % 2 else "".join(rng.choices(units, k=30_000))
    began = time.process_time()
    with contextlib.suppress(Unusable):
        read_split(raw, max_parts=5, may_nest=True, may_be_one=True)
    assert time.process_time() - began < 5
