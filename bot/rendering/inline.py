"""Inline content: runs of literal text, each with its styles.

Styles are stored beside the text until a message is assembled. So a paragraph can be cut between
any two runs, and both halves have balanced styles.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from markdown_it.token import Token

from bot.rendering.escape import ZERO_WIDTH_SPACE, address, defuse, is_web, literal
from bot.rendering.fitting import cut, length

STYLES = {"em": "*", "strong": "**", "s": "~~"}

PIECE = 400
"""Most UTF-16 units of a run before escaping, which at most triples them (in a URL)."""

MAX_RUN = 3 * PIECE + 2
"""Most UTF-16 units of a run without its markers: it always fits into a message."""

_WORDS = re.compile(r"\s+|\S+")
_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)
_LOOKALIKE_BACKTICK = "\u02cb"


@dataclass(frozen=True, slots=True)
class Run:
    """A piece of a line that is never cut."""

    text: str
    """Escaped text, without styles."""
    styles: tuple[str, ...] = ()
    """Markers around it, outermost first."""


def runs(token: Token) -> list[Run]:
    r"""Return an inline token's content as runs; a line break is a separate run, `"\n"`."""
    return list(_runs(token.children or []))


def plain_runs(text: str) -> list[Run]:
    """Return plain text as runs."""
    return list(_words(text, ()))


def join(pieces: Sequence[Run]) -> str:
    """Return runs as Discord's Markdown, with markers where styles start and end."""
    out: list[str] = []
    open_styles: tuple[str, ...] = ()
    for index, run in enumerate(pieces):
        styles = run.styles
        if run.text.isspace():
            # A marker next to white space has no effect, so white space takes the shared styles.
            after = next((later.styles for later in pieces[index + 1 :] if later.text.strip()), ())
            styles = _shared(open_styles, after)
        kept = len(_shared(open_styles, styles))
        out.extend(reversed(open_styles[kept:]))
        out.extend(styles[kept:])
        out.append(run.text)
        open_styles = styles
    out.extend(reversed(open_styles))
    # Defuse again, because adjacent runs (a cut word, a link's text) can form a mention together.
    return defuse("".join(out))


def overhead(run: Run) -> int:
    """Return the most UTF-16 units that a run takes in a line, with all its markers."""
    return length(run.text) + 2 * sum(map(len, run.styles))


def _runs(children: Sequence[Token]) -> Iterator[Run]:
    styles: list[str] = []
    links: list[tuple[str, list[str]]] = []
    for token in children:
        name = token.type.removesuffix("_open").removesuffix("_close")
        said = ""
        match token.type:
            case "em_open" | "strong_open" | "s_open":
                if STYLES[name] not in styles:
                    styles.append(STYLES[name])
                else:
                    styles.append("")
            case "em_close" | "strong_close" | "s_close":
                styles.pop()
            case "link_open":
                links.append((str(token.attrGet("href") or ""), []))
            case "link_close":
                target, inside = links.pop()
                yield from _target(target, "".join(inside), _active(styles))
            case "softbreak" | "hardbreak":
                yield Run("\n")
            case "code_inline":
                said = token.content
                yield from _code(token.content, _active(styles))
            case "image":
                said = token.content
                yield from _words(token.content, _active(styles))
                source = str(token.attrGet("src") or "")
                yield from _target(source, token.content, _active(styles))
            case _:
                said = token.content
                for number, line in enumerate(_BREAK.split(token.content)):
                    if number:
                        yield Run("\n")
                    yield from _words(line, _active(styles))
        for _, inside in links:
            inside.append(said)


def _active(styles: Sequence[str]) -> tuple[str, ...]:
    return tuple(style for style in styles if style)


def _words(text: str, styles: tuple[str, ...]) -> Iterator[Run]:
    for match in _WORDS.finditer(text):
        word = match[0]
        if word.isspace():
            yield Run("\n" if "\n" in word else " ", styles)
            continue
        while word:
            head, word = cut(word, PIECE)
            yield Run(literal(head), styles)


def _code(content: str, styles: tuple[str, ...]) -> Iterator[Run]:
    content = defuse(content.replace("\n", " "))
    fence, pad = "`", ""
    if "``" in content:
        content = content.replace("`", _LOOKALIKE_BACKTICK)
    elif "`" in content:
        fence, pad = "``", " "
    while content:
        head, content = cut(content, PIECE)
        if head.isspace():
            yield Run(" ", styles)
            continue
        yield Run(f"{fence}{pad}{head}{pad}{fence}", styles)


def _target(url: str, said: str, styles: tuple[str, ...]) -> Iterator[Run]:
    """Yield a link's target after its text, because a hidden target can deceive people."""
    if not url or _same(url, said):
        return
    if is_web(url) and length(shown := address(url)) <= PIECE:
        yield Run(" ", styles)
        yield Run(f"({shown})", styles)
    else:
        yield Run(" ", styles)
        yield from _words(f"({url})", styles)


def _same(url: str, said: str) -> bool:
    return url.rstrip("/") == said.strip().rstrip("/")


def _shared(one: tuple[str, ...], other: tuple[str, ...]) -> tuple[str, ...]:
    kept = 0
    while kept < min(len(one), len(other)) and one[kept] == other[kept]:
        kept += 1
    return one[:kept]


def no_width(text: str) -> bool:
    """Return whether a text has no visible characters."""
    return not text.replace(ZERO_WIDTH_SPACE, "").strip("\u200c\u200d\u200e\u200f\u2060 \t\n")
