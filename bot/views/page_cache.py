"""Markdown set into messages, remembered: a story is told again and again, its texts stay the same.

Setting a long text takes tenths of a second of pure computation. Whoever tells a story first has
what is new set in a thread (`set_ahead`), so that the loop stays free for everybody else.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterable

from bot.rendering import MESSAGE_LIMIT, chunks

REMEMBERED = 256
"""Texts that are remembered: the results and the answer of some ten plans at a time."""

QUICK_CHARACTERS = 2_000
"""Shorter texts are set on the spot: that takes some milliseconds."""

CHARACTERS_PER_UNIT = 4
"""Markdown that is read for each unit of the messages wanted: what is longer shows nothing more."""

_lock = threading.Lock()
_known: dict[tuple[str, int, int], tuple[str, ...]] = {}


def typeset(text: str, most: int, limit: int = MESSAGE_LIMIT) -> tuple[str, ...]:
    """Return a text as messages; of a long one no more than `most` and one, which tells of more.

    Args:
        text: Markdown from anywhere.
        most: messages that will be shown.
        limit: UTF-16 units of a message.
    """
    key = (text, most, limit)
    found = _known.get(key)
    if found is None:
        read = text[: CHARACTERS_PER_UNIT * limit * (most + 1)]
        pages = chunks(read, limit=limit)
        if len(read) < len(text) and len(pages) <= most:
            # What was not read is there all the same.
            pages.append("…")
        found = tuple(pages[: most + 1])
        with _lock:
            _known[key] = found
            while len(_known) > REMEMBERED:
                del _known[next(iter(_known))]
    return found


async def set_ahead(wanted: Iterable[tuple[str, int, int]]) -> None:
    """Set in a thread what will be asked for and is neither short nor known.

    Args:
        wanted: text, most messages, and limit of each.
    """
    new = [
        (text, most, limit)
        for text, most, limit in wanted
        if len(text) > QUICK_CHARACTERS and (text, most, limit) not in _known
    ]
    if new:
        await asyncio.to_thread(lambda: [typeset(*one) for one in new])
