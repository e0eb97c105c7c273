"""In which order agents serve the goals of different authors: in turns, so that none can crowd out.

Anyone may submit goals in an open swarm. If agents served the oldest goal first over all authors,
one stranger's thousand goals would come before an honest author's next one.
"""

from __future__ import annotations

import heapq
from collections.abc import Collection, Iterable, Mapping
from typing import TypeVar

T = TypeVar("T")


def fair_turns(
    items: Iterable[tuple[bytes, T]],
    busy: Mapping[bytes, int],
    known: Collection[bytes] = (),
) -> list[T]:
    """Return all items in the order in which they should be served.

    The next item is always one of the author with the fewest items under way or ahead of it. Among
    equals, known authors come before newcomers, then the author whose next item comes first in
    `items`. One author's items keep their order.

    Args:
        items: what waits, each with its author; an author's most urgent item first.
        busy: how many items of an author are being worked on; none of an author that is missing.
        known: authors that this peer has known longest.
    """
    queues: dict[bytes, list[tuple[int, T]]] = {}
    for place, (author, item) in enumerate(items):
        queues.setdefault(author, []).append((place, item))
    if len(queues) == 1:
        return [item for queue in queues.values() for _, item in queue]
    turns = [
        _turn(author, busy.get(author, 0), known, queue[0][0]) for author, queue in queues.items()
    ]
    heapq.heapify(turns)
    served: dict[bytes, int] = dict.fromkeys(queues, 0)
    order = []
    while turns:
        count, _, _, author = heapq.heappop(turns)
        queue = queues[author]
        order.append(queue[served[author]][1])
        served[author] += 1
        if served[author] < len(queue):
            heapq.heappush(turns, _turn(author, count + 1, known, queue[served[author]][0]))
    return order


def _turn(
    author: bytes, count: int, known: Collection[bytes], place: int
) -> tuple[int, bool, int, bytes]:
    return count, author not in known, place, author
