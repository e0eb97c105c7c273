"""Lengths of texts as Discord counts them, and cutting of texts between graphemes."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

from rich.cells import split_graphemes

MESSAGE_LIMIT = 2_000
"""Most characters of a message's content; Discord refuses more."""

ELLIPSIS = "…"

MAX_CLUSTER = 64
"""Most characters of a grapheme that are kept together; longer ones are stacked marks, not text."""

VIRAMA_CLASS = 9
"""Unicode's combining class of the signs that join consonants (Devanagari, Bengali, ...)."""


def length(text: str) -> int:
    """Return a text's length in UTF-16 units, the largest of all ways to count characters."""
    return len(text) + sum(character > "\uffff" for character in text)


def graphemes(text: str) -> Iterator[str]:
    """Yield the text's graphemes (what readers see as one character) in order.

    Rich handles combining marks, emoji sequences and joiners. This function also keeps flags and
    consonants joined by a virama together. No cluster is longer than `MAX_CLUSTER`.
    """
    cluster = ""
    for start, end, _ in split_graphemes(text)[0]:
        piece = text[start:end]
        if cluster and _joins(cluster, piece):
            cluster += piece
        else:
            yield from _bounded(cluster)
            cluster = piece
    yield from _bounded(cluster)


def cut(text: str, most: int) -> tuple[str, str]:
    """Split a text into a head of at most `most` units and the rest; the head is never empty.

    The cut is after the last white space that leaves the head at least half full, or else between
    two graphemes.

    Args:
        text: the text to split; not empty.
        most: most UTF-16 units of the head; at least `2 * MAX_CLUSTER`.
    """
    if length(text) <= most:
        return text, ""
    size = end = space = 0
    # A head of n units has at most n characters, so the rest of a long text is not read.
    for piece in graphemes(text[: most + MAX_CLUSTER]):
        size += length(piece)
        if size > most:
            break
        end += len(piece)
        if piece.isspace():
            space = end
    if space * 2 >= end:
        end = space
    return text[:end], text[end:]


def shorten(text: str, most: int) -> str:
    """Return at most `most` units of a text, with an ellipsis if something was cut off."""
    if length(text) <= most:
        return text
    size, kept = length(ELLIPSIS), []
    for piece in graphemes(text[: most + MAX_CLUSTER]):
        size += length(piece)
        if size > most:
            break
        kept.append(piece)
    return "".join(kept).rstrip() + ELLIPSIS


def _joins(cluster: str, piece: str) -> bool:
    if _is_flag_half(piece):
        return len(cluster) == 1 and _is_flag_half(cluster)
    last = cluster.rstrip("\u200d\u200c")[-1:] or cluster[-1]
    return unicodedata.combining(last) == VIRAMA_CLASS and unicodedata.category(piece[0]) == "Lo"


def _is_flag_half(text: str) -> bool:
    return "\U0001f1e6" <= text[0] <= "\U0001f1ff"


def _bounded(cluster: str) -> Iterator[str]:
    for start in range(0, len(cluster), MAX_CLUSTER):
        yield cluster[start : start + MAX_CLUSTER]
