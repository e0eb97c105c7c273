"""Hostile texts, and helpers that look at messages, for the tests of the rendering."""

from __future__ import annotations

import re
import unicodedata

from hypothesis import strategies as st

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
