"""Markdown cut into messages, cached: a story is computed often, its texts stay the same.

Cutting a long text takes tenths of a second of pure computation. The writer has new texts cut in a
thread first (`set_ahead`), so that the event loop stays free for everyone else.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterable

from bot.rendering import MESSAGE_LIMIT, chunks

REMEMBERED = 256
"""Texts that are cached: the results and answers of about ten plans at the same time."""

QUICK_CHARACTERS = 2_000
"""Shorter texts are cut immediately, which takes some milliseconds."""

CHARACTERS_PER_UNIT = 4
"""Characters of Markdown that are read for each unit of the messages: more would not be shown."""

_lock = threading.Lock()
_known: dict[tuple[str, int, int], tuple[str, ...]] = {}


def typeset(text: str, most: int, limit: int = MESSAGE_LIMIT) -> tuple[str, ...]:
    """Return a text as messages: at most `most`, and one more if the text is longer.

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
            # The text goes on after the part that was read.
            pages.append("…")
        found = tuple(pages[: most + 1])
        with _lock:
            _known[key] = found
            while len(_known) > REMEMBERED:
                del _known[next(iter(_known))]
    return found


async def set_ahead(wanted: Iterable[tuple[str, int, int]]) -> None:
    """Cut texts in a thread that will be needed and are neither short nor cached.

    Args:
        wanted: text, most messages and limit of each.
    """
    new = [
        (text, most, limit)
        for text, most, limit in wanted
        if len(text) > QUICK_CHARACTERS and (text, most, limit) not in _known
    ]
    if new:
        await asyncio.to_thread(lambda: [typeset(*one) for one in new])
