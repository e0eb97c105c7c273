"""Packing of blocks into messages, each complete in itself and none too long."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bot.rendering.blocks import Block, Code, Text, parse
from bot.rendering.escape import literal_starts
from bot.rendering.fitting import MESSAGE_LIMIT, cut, length
from bot.rendering.inline import Run, join, no_width, overhead

SMALLEST_LIMIT = 1_500
"""Smallest allowed limit, in UTF-16 units: room for the longest run and everything around it."""


@dataclass(frozen=True, slots=True)
class _Piece:
    """A rendered block, or as much of one as fits into a message."""

    text: str
    gap: str
    """Separator from the previous piece in the same message."""
    heading: bool = False


def chunks(markdown: str, *, limit: int = MESSAGE_LIMIT) -> list[str]:
    """Return untrusted Markdown as messages that Discord shows well.

    Messages are split between blocks where possible, and a heading stays with the text below it. No
    message is empty or longer than `limit`; a text without visible characters gives no messages.

    Args:
        markdown: text by a model, a peer or a person.
        limit: most UTF-16 units of a message, at least `SMALLEST_LIMIT`.
    """
    assert limit >= SMALLEST_LIMIT
    pieces = [piece for block in parse(markdown) for piece in _pieces(block, limit)]
    return [text for text in _pack(pieces, limit) if not no_width(text)]


def pages(lines: Sequence[str], *, limit: int = MESSAGE_LIMIT) -> list[str]:
    """Join rendered lines to messages without cutting any line.

    Args:
        lines: rendered lines, each within the limit.
        limit: most UTF-16 units of a message.
    """
    return list(_pack([_Piece(line, "\n") for line in lines], limit))


def _pack(pieces: Sequence[_Piece], limit: int) -> Iterator[str]:
    held: list[_Piece] = []
    size = 0
    for piece in pieces:
        more = length(piece.text) + (len(piece.gap) if held else 0)
        if held and size + more > limit:
            moved = _trailing_headings(held)
            if moved and sum(length(one.text) + 2 for one in moved) + more > limit:
                moved = []
            yield _text_of(held[: len(held) - len(moved)])
            held = moved
            size = length(_text_of(held))
            more = length(piece.text) + (len(piece.gap) if held else 0)
        held.append(piece)
        size += more
    if held:
        yield _text_of(held)


def _trailing_headings(held: Sequence[_Piece]) -> list[_Piece]:
    """Return the headings at the end, which have no text below them; never all pieces."""
    count = 0
    while count < len(held) - 1 and held[-1 - count].heading:
        count += 1
    return list(held[len(held) - count :])


def _text_of(pieces: Sequence[_Piece]) -> str:
    return "".join((piece.gap if index else "") + piece.text for index, piece in enumerate(pieces))


def _pieces(block: Block, limit: int) -> Iterator[_Piece]:
    gap = "\n" if block.tight else "\n\n"
    if isinstance(block, Code):
        for text in _code(block, limit):
            yield _Piece(text, gap)
        return
    for text in _texts(block, limit):
        yield _Piece(text, gap, heading=block.heading)


def _texts(block: Text, limit: int) -> Iterator[str]:
    whole = _render(block, block.runs, block.first)
    if length(whole) <= limit:
        yield whole
        return
    first, taken, size = block.first, list[Run](), len(block.first)
    for run in block.runs:
        # Three more per run: the escape of a line start, the line break, and the character that
        # breaks a mention formed with the previous run.
        more = overhead(run) + 3 + (len(block.rest) if run.text == "\n" else 0)
        if taken and size + more > limit:
            if any(one.text.strip() for one in taken):
                yield _render(block, taken, first)
                first = block.rest
            taken, size = [], len(first)
            if run.text.isspace():
                continue
        taken.append(run)
        size += more
    if any(one.text.strip() for one in taken):
        yield _render(block, taken, first)


def _render(block: Text, pieces: Sequence[Run], first: str) -> str:
    lines: list[list[Run]] = [[]]
    for run in pieces:
        if run.text == "\n":
            lines.append([])
        else:
            lines[-1].append(run)
    texts = [literal_starts(join(line).strip()) for line in lines]
    shown = [text for text in texts if text]
    return "\n".join((block.rest if number else first) + text for number, text in enumerate(shown))


def _code(block: Code, limit: int) -> Iterator[str]:
    opening = f"{block.prefix}```{block.language}\n"
    closing = f"\n{block.prefix}```"
    room = limit - len(opening) - len(closing)
    taken: list[str] = []
    size = 0
    for line in _code_lines(block, room):
        more = length(line) + 1
        if taken and size + more > room:
            yield opening + "\n".join(taken) + closing
            taken, size = [], 0
        taken.append(line)
        size += more
    if any(line.strip() for line in taken):
        yield opening + "\n".join(taken) + closing


def _code_lines(block: Code, room: int) -> Iterator[str]:
    for line in block.lines:
        rest = line
        while True:
            head, rest = cut(rest, room - len(block.prefix) - 1) if rest else ("", "")
            yield block.prefix + head
            if not rest:
                break
