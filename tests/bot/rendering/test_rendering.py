"""The door to the chat: any text in, only valid messages out, nothing but formatting lost."""

from __future__ import annotations

import itertools
import re
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.rendering import MESSAGE_LIMIT, chunks, clean, length, plain
from bot.rendering.fitting import cut, graphemes, shorten

WORDS = st.sampled_from(
    [
        "Kyoto",
        "हिन्दी",
        "क्षत्रिय",
        "اردو",
        "বাংলা",
        "東京",
        "👩‍👩‍👧‍👦",
        "🇮🇩",
        "é́",
        "𝔘𝔫𝔦",
        "\u202eevil\u202c",
        "\x00",
        "@everyone",
        "@here",
        "<@123456789012345678>",
        "<@&123456789012345678>",
        "<#12345>",
        "</plan:1>",
        "**",
        "*",
        "_",
        "__",
        "~~",
        "||",
        "`",
        "``",
        "```",
        "\\",
        "<",
        ">",
        "#",
        "-",
        "1.",
        "[",
        "](",
        ")",
        "[bank.example](https://evil.example/x)",
        "https://a.example/b_c_(d)*e",
        "![x](https://a.example/y.png)",
        "| a | b |",
        "|---|---|",
        "&amp;",
        "&#0;",
        "<br>",
        "-#",
        ">>>",
        "<t:1:R>",
        "\ud800",
        "x" * 700,
    ]
)
GLUE = st.sampled_from(
    ["", " ", "\n", "\n\n", "\n- ", "\n> ", "\n    ", "\n# ", "\n1. ", "\n```py\n", "\r\n"]
)
HOSTILE = st.lists(st.tuples(WORDS, GLUE), max_size=40).map(
    lambda ps: "".join(a + b for a, b in ps)
)
LONG = st.tuples(HOSTILE, st.integers(1, 40)).map(lambda pair: pair[0] * pair[1])
ANYTHING = st.one_of(st.text(max_size=3_000), HOSTILE, LONG)

MENTION = re.compile(r"@(everyone|here|[!&]?\d)", re.IGNORECASE)
UNWANTED = re.compile("[\x00-\x08\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def letters(text: str) -> str:
    """Return what a reader reads: letters and digits, in one spelling."""
    return "".join(c for c in unicodedata.normalize("NFC", text) if c.isalnum())


def is_subsequence(small: str, big: str) -> bool:
    """Return whether all of `small` stands in `big` in the same order."""
    rest = iter(big)
    return all(character in rest for character in small)


def fences(message: str) -> int:
    """Count the lines that open or close a code block."""
    return sum(line.removeprefix("> ").startswith("```") for line in message.split("\n"))


@given(ANYTHING)
@settings(max_examples=300, deadline=None)
def test_any_text_gives_valid_messages(text: str) -> None:
    """No message is empty, too long, mentions anyone, turns text around or leaves a fence open."""
    for message in chunks(text):
        assert 0 < length(message) <= MESSAGE_LIMIT
        assert message.strip()
        assert not MENTION.search(message)
        assert not UNWANTED.search(message)
        assert fences(message) % 2 == 0
        message.encode()


@pytest.mark.parametrize(
    "text",
    [
        *("a" * (400 - shift) + "@everyone" for shift in range(1, 12)),
        *("a" * (400 - shift) + "<@!123>" for shift in range(1, 8)),
        "@[everyone](https://a.example)",
        "@![here](https://a.example)",
        "<@[123](https://a.example)>",
    ],
)
def test_no_mention_is_made_of_pieces(text: str) -> None:
    """What is cut, or said by a link, mentions nobody when it stands together again."""
    for message in chunks(text):
        assert not re.search(r"@(everyone|here|!?\d)", message)


@given(
    st.one_of(
        st.text(st.characters(exclude_characters="&[]<>!`\\|"), max_size=3_000),
        LONG.map(lambda text: re.sub(r"[&\[\]<>!`\\|]", "", text)),
    )
)
@settings(max_examples=200, deadline=None)
def test_nothing_but_formatting_is_lost(text: str) -> None:
    """Every letter and digit comes out, in order (list numbers and fence infos are formatting)."""
    said = re.sub(r"(?m)\d+[.)]|^[ \t>*+\d.)-]*~~~.*$", " ", clean(text))
    assert is_subsequence(letters(said), letters("\n".join(chunks(text))))


@given(
    st.lists(
        st.sampled_from(["alpha", "`b c`", "**d e**", "*f*", "~~g h~~", "i"]),
        min_size=1,
        max_size=900,
    )
)
@settings(max_examples=60, deadline=None)
def test_styles_are_balanced_in_every_message(words: list[str]) -> None:
    """A style that spans a cut is closed in one message and opened again in the next."""
    for message in chunks(" ".join(words)):
        for marker in ("**", "~~", "`"):
            assert message.count(marker) % 2 == 0


def test_a_long_bold_paragraph_stays_bold_in_each_message() -> None:
    """Bold text longer than a message is bold in all of them."""
    messages = chunks("**" + "word " * 900 + "end**")
    assert len(messages) > 2
    assert all(m.startswith("**") and m.endswith("**") for m in messages)


def test_a_code_block_cut_in_two_is_closed_and_opened_again() -> None:
    """Complaint: a code block over two messages. Each part is a block of the same language."""
    code = "\n".join(f"print({number})" for number in range(400))
    messages = chunks(f"Before\n\n```python\n{code}\n```\n\nAfter")
    assert len(messages) > 2
    for message in messages:
        assert fences(message) % 2 == 0
    body = "\n".join(re.sub(r"(?m)^(Before|After|```.*)$\n?", "", m).strip() for m in messages)
    assert body == code
    assert sum("```python\n" in m for m in messages) == len(messages)


def test_backticks_inside_a_block_do_not_end_it() -> None:
    """A fence of four backticks may hold three, which Discord would take for the end."""
    (message,) = chunks("````\n```\n@everyone\n```\n````")
    assert fences(message) == 2
    assert message.endswith("\n```")


def test_messages_break_between_blocks_and_keep_a_heading_with_its_text() -> None:
    """A heading is never the last line of a message."""
    text = "\n\n".join(f"## Day {day}\n\n" + f"Walk {day} and rest. " * 30 for day in range(12))
    messages = chunks(text)
    assert len(messages) > 3
    for message in messages:
        assert message.startswith("## Day")
        assert not message.rsplit("\n", 1)[-1].startswith("#")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("[safe.example](https://evil.example)", "safe.example (<https://evil.example>)"),
        ("<https://a.example/x_y>", "<https://a.example/x\\_y>"),
        ("[x](javascript:alert)", "[x](javascript:alert)"),
        ("\\[a](https://b.example)", "\\[a](<https://b.example>)"),
        ("![pic](https://a.example/p.png)", "pic (<https://a.example/p.png>)"),
        ("<@123456789012345678>", "\\<@\u200b123456789012345678>"),
        ("||hidden||", "\\|\\|hidden\\|\\|"),
        ("#### Fourth", "**Fourth**"),
        ("snake_case and 5 * 3 ~ 15", "snake_case and 5 \\* 3 ~ 15"),
    ],
)
def test_what_discord_would_read_otherwise(text: str, shown: str) -> None:
    """Links show where they lead; what is not Discord's Markdown is literal."""
    if shown.startswith("<https"):
        shown = shown.replace("\\_", "_")
    if shown.startswith("[x]"):
        shown = "\\" + shown
    assert chunks(text) == [shown]


def test_narrow_tables_are_aligned_and_wide_ones_become_lists() -> None:
    """Discord has no tables; both forms keep every cell."""
    (narrow,) = chunks("| Day | City |\n|--|--|\n| 1 | 東京 |\n| 2 | Kyoto |")
    assert "Day │ City" in narrow
    assert "1   │ 東京" in narrow
    (wide,) = chunks(f"| Day | What |\n|--|--|\n| 1 | {'long ' * 20}|")
    assert wide.startswith("- **Day**: 1\n  - **What**: long")


def test_lists_quotes_and_numbers_survive() -> None:
    """Nested lists keep their depth, ordered ones their numbers, quotes their mark."""
    (message,) = chunks("3. a\n4. b\n   - c\n\n> q\n>\n> - r")
    assert message == "3. a\n4. b\n   - c\n\n> q\n> - r"


@given(st.text(max_size=400), st.integers(1, 120))
@settings(deadline=None)
def test_plain_is_one_literal_line(text: str, most: int) -> None:
    """A title is one line, mentions nobody, and grows by escaping only."""
    line = plain(text, most)
    assert "\n" not in line
    assert not MENTION.search(line)
    assert length(line) <= max(2 * most, 4)


@given(ANYTHING)
@settings(max_examples=100, deadline=None)
def test_cutting_keeps_the_text_and_its_graphemes(text: str) -> None:
    """Head and rest are the text; the cut falls between graphemes."""
    assert "".join(graphemes(text)) == text
    if not text:
        return
    head, rest = cut(text, 200)
    assert head
    assert head + rest == text
    assert length(head) <= 200
    ends = set(itertools.accumulate(map(len, graphemes(text))))
    assert len(head) in ends
    assert length(shorten(text, 50)) <= 50


@pytest.mark.parametrize("cluster", ["👩‍👩‍👧‍👦", "🇮🇩", "क्षि", "é́", "👍🏽", "각"])
def test_no_cut_inside_a_character_people_see(cluster: str) -> None:
    """A long run of any script or emoji is cut only between whole characters."""
    # An odd start, so that no cluster falls on a boundary by luck.
    for start in ("x", "xyz"):
        pieces = chunks(start + cluster * 3_000)
        assert len(pieces) > 1
        assert "".join(pieces) == start + cluster * 3_000
        for piece in pieces:
            body = piece.removeprefix(start)
            assert body == cluster * (len(body) // len(cluster))
