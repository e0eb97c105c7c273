"""Escaping: text becomes literal, without formatting, mentions or hidden link targets."""

from __future__ import annotations

import re
from urllib.parse import quote

from bot.rendering.fitting import length, shorten
from swarm.core.unsafe_text import BREAKS, SURROGATES, UNSAFE

ZERO_WIDTH_SPACE = "\u200b"

MAX_PLAIN_INPUT = 20_000
"""Most characters of a title that are read; longer ones are cut first, to limit the work."""

_UNSAFE = re.compile(f"[{UNSAFE}]")
"""Direction marks such as U+200E are not in it: right-to-left text needs them, and Discord lays it
out well."""
_SUBDIVISION_FLAG = re.compile("\U0001f3f4[\U000e0020-\U000e007e]{1,7}\U000e007f")
_LINE_ENDS = re.compile(f"\r\n|[\r{BREAKS}]")
_SURROGATES = re.compile(f"[{SURROGATES}]")
_MENTION = re.compile(r"@(?=everyone|here|[!&]?\d)", re.IGNORECASE)
_URL = re.compile(r"https?://[^\s<>\"'`\\\x00-\x20]+", re.IGNORECASE)
_URL_UNSAFE = re.compile(r"[\s<>\"'`\\*~|\x00-\x20]")
_URL_TAIL = ".,:;!?)]}'\""
_SPECIAL = re.compile(
    r"[\\`*\[]"
    r"|(?<![^\W_])_|_(?![^\W_])"  # an underscore inside a word formats nothing
    r"|~(?=~)|(?<=~)~|\|(?=\|)|(?<=\|)\|"
    r"|<(?=\S)"  # mentions, custom emoji, timestamps, hidden links
)
_LINE_START = re.compile(r"(?m)^([ \t]*)([#>+-]|\d{1,9}(?=[.)]))(?=(.?))")


def clean(text: str) -> str:
    """Return the text without unsafe characters; all line ends become newlines."""
    kept: list[str] = []
    text = _LINE_ENDS.sub("\n", _SURROGATES.sub("\ufffd", text))
    end = 0
    for flag in _SUBDIVISION_FLAG.finditer(text):
        # Flags such as Scotland's consist of tag characters, which are removed everywhere else.
        kept += [_UNSAFE.sub("", text[end : flag.start()]), flag[0]]
        end = flag.end()
    return "".join([*kept, _UNSAFE.sub("", text[end:])])


def defuse(text: str) -> str:
    """Break possible mentions by a zero-width character; used for code, which is not escaped.

    Mentions are already disabled in the client; this also protects copied and quoted text.
    """
    return _MENTION.sub(f"@{ZERO_WIDTH_SPACE}", text)


def literal(text: str) -> str:
    """Return a text that Discord shows literally within a line; URLs stay clickable."""
    parts: list[str] = []
    end = 0
    for match in _URL.finditer(text):
        found = match[0]
        kept = found.rstrip(_URL_TAIL)
        while kept.count("(") > kept.count(")") and found[len(kept) :].startswith(")"):
            kept += ")"
        parts += [_escape(text[end : match.start()]), address(kept)]
        end = match.start() + len(kept)
    parts.append(_escape(text[end:]))
    return "".join(parts)


def literal_starts(text: str) -> str:
    """Escape the starts of rendered lines, so that none begins a heading, a list or a quote."""
    return _LINE_START.sub(_escape_line_start, text)


def address(url: str) -> str:
    """Return a URL in a form that Discord links to visibly and without a preview."""
    safe = _URL_UNSAFE.sub(lambda match: quote(match[0]), url)
    return f"<{_MENTION.sub('%40', safe)}>"


def is_web(url: str) -> bool:
    """Return whether a URL may be linked, which only http and https URLs may."""
    return _URL.fullmatch(url) is not None


def plain(text: str, most: int = 200) -> str:
    """Return untrusted text as one literal line.

    Args:
        text: anything that a model, a peer or a person wrote, such as a title, name or reason.
        most: most UTF-16 units of the text; escaping can at most double them.
    """
    line = " ".join(clean(text[:MAX_PLAIN_INPUT]).split())
    kept = most
    while True:
        shown = literal_starts(literal(shorten(line, kept)))
        if length(shown) <= 2 * most or kept <= 1:
            return shown
        kept = kept * 3 // 4


def _escape(text: str) -> str:
    return defuse(_SPECIAL.sub(lambda match: "\\" + match[0], text))


def _escape_line_start(match: re.Match[str]) -> str:
    indent, sign, after = match[1], match[2], match[3]
    if sign.isdigit():
        return f"{indent}{sign}\\"
    if sign == ">" or after in (" ", "\t", "#", ">", "") or sign == "-":
        return f"{indent}\\{sign}"
    return match[0]
