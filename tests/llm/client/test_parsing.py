"""Reading model text: anything in, something safe and bounded out, or `Unusable`."""

from __future__ import annotations

import json
import math
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from swarm.llm.client import lenient_json, parsing
from swarm.llm.client.parsing import Unusable, read_split

words = st.text(st.characters(categories=("Lu", "Ll", "Nd")), min_size=2, max_size=30)
part_rows = st.lists(
    st.tuples(words, st.text(max_size=60)),
    min_size=2,
    max_size=9,
    unique_by=lambda r: r[0].casefold(),
)
nasty = st.text(
    st.one_of(
        st.characters(),
        st.sampled_from('\u202e\u2066\u0000\u001b\u200e\u0301\u2028\ufeff{}[]"`*-#:\n'),
    ),
    max_size=300,
)


def split(  # type: ignore[no-untyped-def]
    raw: str,
    *,
    max_parts: int = 5,
    may_nest: bool = False,
    may_be_one: bool = False,
    cut: bool = False,
):
    return read_split(raw, max_parts=max_parts, may_nest=may_nest, may_be_one=may_be_one, cut=cut)


@given(nasty, st.integers(10, 200))
def test_cleaned_text_is_harmless_and_bounded(raw: str, limit: int) -> None:
    """No control characters, no bidirectional overrides, never longer than asked, and stable."""
    text = parsing.clean_text(raw, max_chars=limit)
    assert len(text) <= limit
    for char in text:
        assert char in "\n\t" or unicodedata.category(char) not in ("Cc", "Cs", "Co", "Cn")
        assert not "\u202a" <= char <= "\u202e"
        assert not "\u2066" <= char <= "\u2069"


@given(nasty)
def test_cleaned_line_is_one_line(raw: str) -> None:
    """A title can never smuggle in a second line."""
    line = parsing.clean_line(raw, max_chars=80)
    assert "\n" not in line
    assert len(line) <= 80


def test_scripts_that_need_joiners_survive() -> None:
    """Cleaning keeps Hindi conjuncts, Arabic and family emoji as they were."""
    for text in ("क्ष्म्य यात्रा", "می‌خواهم", "👩‍👩‍👧", "日本へ二週間"):
        assert parsing.clean_text(text) == unicodedata.normalize("NFC", text)


@given(nasty)
def test_any_text_reads_as_a_split_or_is_unusable(raw: str) -> None:
    """No input raises anything but `Unusable`, and what is read has two to five titled parts."""
    try:
        answer = split(raw)
    except Unusable:
        return
    assert 2 <= len(answer.parts) <= 5
    assert all(part.title for part in answer.parts)
    assert len({part.title.casefold() for part in answer.parts}) == len(answer.parts)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=9),
        lambda x: (
            st.lists(x, max_size=4)
            | st.dictionaries(
                st.sampled_from(["parts", "title", "detail", "after", "kind", "tasks"]),
                x,
                max_size=4,
            )
        ),
        max_leaves=12,
    )
)
def test_any_json_reads_as_a_split_or_is_unusable(value: object) -> None:
    """JSON of any shape under the names we look for never breaks the reader."""
    try:
        split(json.dumps(value), may_nest=True, may_be_one=True)
    except Unusable:
        return


@given(
    part_rows, st.sampled_from(["{}", "Sure! Here it is:\n{}\nHope it helps.", "```json\n{}\n```"])
)
def test_json_is_found_wherever_it_is(rows: list[tuple[str, str]], frame: str) -> None:
    """A split is read alike bare, in prose and in a fence, and keeps titles in order."""
    body = json.dumps({"parts": [{"title": t, "detail": d} for t, d in rows]})
    titles = [part.title for part in split(frame.replace("{}", body)).parts]
    expected = [parsing.clean_line(title, max_chars=80) for title, _ in rows]
    assert expected[:5] == titles


@given(st.integers(0, 400), st.booleans())
def test_cut_json_is_never_taken_for_whole(length: int, told: bool) -> None:
    """Cut anywhere, whether the server says so or not, it is no split; with its end it is one."""
    rows = [{"title": f"Part about {name}", "detail": "d" * 40} for name in ("sea", "hill", "town")]
    whole = json.dumps({"parts": rows})
    cut = whole[:length]
    if len(cut) >= len(whole) - 1:
        # The list has its end. A model may loop on white space after it until the limit.
        assert len(split(cut + " " * 50, cut=told).parts) == 3
        return
    with pytest.raises(Unusable):
        split(cut, cut=told)


def test_a_list_cut_at_the_token_limit_is_broken_off() -> None:
    """Markdown has no end of its own, so that only the server knows; feedback says it."""
    with pytest.raises(parsing.BrokenOff, match="broke off"):
        split("1. Tokyo: towers\n2. Kyoto: temp", cut=True)


@pytest.mark.parametrize(
    "raw",
    [
        "1. **Tokyo**: temples and towers\n2. **Kyoto**: gardens\n3. Nara: deer",
        "Here you go:\n\n- Tokyo - temples and towers\n- Kyoto - gardens\n- Nara - deer\n\nEnjoy!",
        "- **Tokyo**\n  - temples and towers\n- **Kyoto**\n  - gardens\n- Nara\n  - deer",
        "## Tokyo\ntemples and towers\n\n## Kyoto\ngardens\n\n## Nara\ndeer",
    ],
)
def test_markdown_is_read_where_json_was_asked(raw: str) -> None:
    """Lists with bold titles, dashes, nested items, and sections, all give the same three parts."""
    parts = split(raw).parts
    assert [part.title for part in parts] == ["Tokyo", "Kyoto", "Nara"]
    assert [part.detail for part in parts] == ["temples and towers", "gardens", "deer"]


def test_after_is_renumbered_to_earlier_kept_parts() -> None:
    """1-based numbers become indexes; those of dropped, later or unknown parts vanish."""
    rows = [
        {"title": "Dig", "after": [2]},
        {"title": "DIG"},
        {"title": "Build", "after": [1, 2, 9, "1", "x"]},
        {"title": "Paint", "after": 3},
    ]
    parts = split(json.dumps({"parts": rows})).parts
    assert [part.after for part in parts] == [(), (0,), (1,)]


def test_an_empty_list_means_one_task_only_where_that_is_allowed() -> None:
    """A larger model may refuse to split; from a small one an empty list is a failure."""
    assert split('{"parts": [], "rationale": "small"}', may_be_one=True).parts == ()
    with pytest.raises(Unusable):
        split('{"parts": []}')


def test_kinds_other_than_task_need_leave() -> None:
    """A part stays a goal only where nesting is allowed, and unknown kinds become tasks."""
    raw = json.dumps({"parts": [{"title": "One", "kind": "goal"}, {"title": "Two", "kind": "zoo"}]})
    assert [part.kind for part in split(raw).parts] == ["task", "task"]
    assert [part.kind for part in split(raw, may_nest=True).parts] == ["goal", "task"]


def test_thinking_is_not_part_of_an_answer() -> None:
    """What a reasoning model thought, even JSON in it, is left out."""
    thought = '<think>{"parts": [{"title": "A1"}, {"title": "B1"}]}</think>'
    raw = thought + '{"parts": [{"title": "Real"}, {"title": "True"}]}'
    assert [part.title for part in split(raw).parts] == ["Real", "True"]
    with pytest.raises(Unusable):
        parsing.read_text("<think>still thinking", cut=True)


def test_a_cut_text_ends_at_its_last_whole_sentence() -> None:
    """An answer that hit the token limit shows no half sentence and no empty bullet."""
    raw = "- One thing is done.\n- Another thing follows it.\n- The thi"
    assert parsing.read_text(raw, cut=True) == "- One thing is done.\n- Another thing follows it."
    assert parsing.read_text("One long line that never en", cut=True).endswith("…")


def test_a_looping_model_is_heard_once() -> None:
    """The same long line again and again is kept once; the text around it stays."""
    line = "- Visit the castle and drink tea in its garden"
    assert (
        parsing.read_text("\n".join(["Start", *[line] * 9, "End"]), cut=False)
        == f"Start\n{line}\nEnd"
    )


@given(
    st.lists(st.tuples(st.text(max_size=4), st.floats(max_value=1, allow_nan=False)), max_size=9)
)
def test_yes_probability_is_a_probability_or_unknown(choices: list[tuple[str, float]]) -> None:
    """Whatever tokens and numbers a server sends, the result is in [0, 1] or None."""
    value = parsing.yes_probability(choices)
    assert value is None or 0.0 <= value <= 1.0


def test_yes_probability_adds_up_spellings() -> None:
    """Spellings of yes count together against all spellings of no; neither: not an answer."""
    choices = [(" Yes", math.log(0.3)), ("yes", math.log(0.3)), ("No", math.log(0.2))]
    assert parsing.yes_probability(choices) == pytest.approx(0.75)
    assert parsing.yes_probability([("Maybe", -0.1)]) is None


@pytest.mark.parametrize(
    ("raw", "expected"),
    [("Yes.", True), ("**No**, because", False), ("हाँ।", True), ("Well, yes", True), ("", None)],
)
def test_yes_or_no_is_read_from_a_short_answer(raw: str, expected: bool | None) -> None:
    """The first words decide; anything else is not a vote."""
    assert parsing.read_yes_no(raw) is expected


def test_a_small_model_that_varies_itself_is_cut_short() -> None:
    """Points that say an earlier one again in other words go, and no more than a few stay."""
    lines = [
        "- **Day 1:** visit the Tokyo Tower and the Shibuya Crossing.",
        "  - bring a camera",
        "- **Day 6:** visit the Tokyo Tower and the Shibuya Crossing again.",
        "  - bring it again",
        "- **Day 7:** take the night train to the north coast.",
    ]
    assert parsing.read_text("\n".join(lines), cut=False, terse=True) == "\n".join(
        [lines[0], lines[1], lines[4]]
    )
    many = "\n".join(f"- {word * 6}" for word in "abcdefghijkl")
    assert parsing.read_text(many, cut=False, terse=True).count("- ") == parsing.MAX_POINTS
    assert parsing.read_text(many, cut=False).count("- ") == 12


def test_opening_hours_by_a_small_model_are_left_out() -> None:
    """They are always invented; the sentence stays whole without them, a larger model's stays."""
    raw = "- **Day 10:** the castle, which is open from 9:00 AM to 5:00 PM.\n- **Day 11:** rest."
    expected = "- **Day 10:** the castle.\n- **Day 11:** rest."
    assert parsing.read_text(raw, cut=False, terse=True) == expected
    assert parsing.read_text(raw, cut=False) == raw


@pytest.mark.parametrize(
    "unit",
    [
        "[",
        "[[ ",
        "{",
        '{"a":',
        '{"parts":[',
        "[1,",
        "[]",
        "{}",
        '[{"title":"a"},',
        "{]",
        '```\n{"a":\n',
        '```json\n{"a":1}\n```\n',
    ],
)
def test_a_looping_answer_costs_a_bounded_number_of_looks(
    unit: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However long a model loops on what begins JSON, it is looked for a few times only."""
    looks = 0

    class Counting(json.JSONDecoder):
        def raw_decode(self, s: str, idx: int = 0) -> tuple[object, int]:
            nonlocal looks
            looks += 1
            return super().raw_decode(s, idx)

    monkeypatch.setattr("swarm.llm.client.lenient_json.json.JSONDecoder", Counting)
    assert len(list(lenient_json.strict_values(unit * 3_000))) <= lenient_json.MOST_VALUES
    assert looks <= lenient_json.MOST_VALUES + lenient_json.MOST_FALSE_STARTS


@pytest.mark.parametrize(
    "note",
    [
        "[see]",
        "[note]",
        "[true]",
        "[1]",
        "{x}",
        "{ }",
        "[ ]",
        "{}",
        "[]",
        "{1}",
        '["]',
        "[…",
        "{{name}}",
    ],
)
@pytest.mark.parametrize("fence", ["```json\n{}\n```", "```\n{}", "{}"])
def test_prose_full_of_brackets_does_not_hide_an_answer(note: str, fence: str) -> None:
    """Notes, links and placeholders before a split cost it nothing, in a fence or without."""
    parts = '{"parts": [{"title": "Tokyo"}, {"title": "Kyoto"}]}'
    before = f"As {note} says, " * 90 + "\n"
    answer = split(before + fence.replace("{}", parts))
    assert [part.title for part in answer.parts] == ["Tokyo", "Kyoto"]


def test_a_list_of_boxes_to_tick_is_a_split() -> None:
    """The empty brackets in it do not say that there are no parts; alone they do."""
    answer = split("- [ ] Book flights\n- [ ] Find a hotel\n", may_be_one=True)
    assert [part.title for part in answer.parts] == ["[ ] Book flights", "[ ] Find a hotel"]
    assert split("```json\n[ ]\n```", may_be_one=True).parts == ()


def test_a_fenced_answer_is_found_behind_any_amount_of_broken_json() -> None:
    """A model that wrote drafts which do not parse, and then its answer in a fence, is heard."""
    parts = '{"parts": [{"title": "Tokyo"}, {"title": "Kyoto"}]}'
    answer = split('{"parts": [{"title": ' * 60 + f"\n```json\n{parts}\n```\nThat is all.")
    assert [part.title for part in answer.parts] == ["Tokyo", "Kyoto"]


@pytest.mark.parametrize("unit", ["[", "{", "[ ", "{ ", "```\n", "```\n[\n", "```json\n{\n```\n"])
def test_reading_takes_time_in_proportion_to_the_answer(unit: str) -> None:
    """However brackets, spaces and fences are piled up, they are read in a moment."""
    text = (unit * parsing.SPLIT_CHARS)[: parsing.SPLIT_CHARS // 2] + " " * parsing.SPLIT_CHARS
    assert list(lenient_json.strict_values(text[: parsing.SPLIT_CHARS])) == []


def test_json_after_some_brackets_in_prose_is_still_found() -> None:
    """Links and notes before an answer, and brackets around it, do not hide it."""
    parts = '{"parts": [{"title": "Tokyo"}, {"title": "Kyoto"}]}'
    for before in ("As [1] and [2] say {roughly}: ", "[see here](x) " * 15, "[[ [", "[\n[\n"):
        answer = split(before + parts)
        assert [part.title for part in answer.parts] == ["Tokyo", "Kyoto"]
