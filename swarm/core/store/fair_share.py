"""Which items are kept when there are more than fit: every author gets a fair share.

Room is handed out in turns: first every author's first item, then every author's second, and so on,
each turn in replay order; the last items are dropped. So an author that writes without end only
crowds out itself. The outcome depends on the items, not on their order of arrival: a dropped item
never precedes one that stays, however many more arrive (`docs/protocol.md` specifies the rule).
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterator

from swarm.core.records import SortKey

Item = tuple[SortKey, bytes]


class FairShare:
    """Room for a number of items, of which each author may have a number.

    Items are identified by their place in the replay, which is unique, and their id.
    """

    __slots__ = ("_by_author", "_by_count", "_first_goes", "_most", "_per_author", "_size")

    def __init__(self, most: int, per_author: int, *, first_goes: bool = False) -> None:
        """Start empty.

        Args:
            most: items in all.
            per_author: items of one author.
            first_goes: of an author that has too many, the item goes that replays first, rather
                than the one that replays last.
        """
        self._first_goes = first_goes
        self._most = most
        self._per_author = per_author
        self._size = 0
        self._by_author: dict[bytes, list[Item]] = {}
        self._by_count: dict[int, list[tuple[SortKey, bytes]]] = {}
        """For each number of items: the authors that have as many, ordered by their last item."""

    def __len__(self) -> int:
        return self._size

    def count(self, author: bytes) -> int:
        """Return how many items of an author are kept."""
        return len(self._by_author.get(author, ()))

    def would_keep(self, author: bytes) -> bool:
        """Return whether one more item of an author would stay, however late it replays."""
        count = len(self._by_author.get(author, ())) + 1
        return count <= self._per_author and (
            self._size < self._most or count < max(self._by_count)
        )

    def __iter__(self) -> Iterator[bytes]:
        """Yield the ids of all items."""
        for items in self._by_author.values():
            for _, rid in items:
                yield rid

    def put(self, author: bytes, key: SortKey, rid: bytes) -> bytes | None:
        """Add an item; return the id of the item dropped for it, maybe its own; None: none."""
        items = self._by_author.setdefault(author, [])
        self._unlist(author, items)
        insort(items, (key, rid))
        self._list(author, items)
        self._size += 1
        if len(items) > self._per_author:
            return self._pop(author)
        if self._size > self._most:
            # The authors with the most items have the last turn.
            return self._pop(self._by_count[max(self._by_count)][-1][1])
        return None

    def take(self, author: bytes, key: SortKey, rid: bytes) -> None:
        """Remove an item; does nothing if it is not there."""
        items = self._by_author.get(author, [])
        at = bisect_left(items, (key, rid))
        if at < len(items) and items[at] == (key, rid):
            self._unlist(author, items)
            del items[at]
            self._list(author, items)
            self._size -= 1

    def _pop(self, author: bytes) -> bytes:
        items = self._by_author[author]
        self._unlist(author, items)
        _, rid = items.pop(0 if self._first_goes else -1)
        self._list(author, items)
        self._size -= 1
        return rid

    def _list(self, author: bytes, items: list[Item]) -> None:
        if items:
            insort(self._by_count.setdefault(len(items), []), (items[-1][0], author))
        else:
            del self._by_author[author]

    def _unlist(self, author: bytes, items: list[Item]) -> None:
        if items:
            authors = self._by_count[len(items)]
            del authors[bisect_left(authors, (items[-1][0], author))]
            if not authors:
                del self._by_count[len(items)]
