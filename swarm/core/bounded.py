"""Mappings and sets that forget their oldest entries.

Everything a peer remembers about strangers has to be bounded, or a stranger could fill its memory.
These containers hold a fixed number of entries. Writing an entry makes it the newest; when there
is one too many, the oldest is dropped.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from typing import Any, Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class BoundedDict(OrderedDict[K, V]):
    """A dict of at most `most` entries, the oldest first."""

    def __init__(self, most: int) -> None:
        """Start empty.

        Args:
            most: entries that are kept, at least 1.
        """
        super().__init__()
        self.most = most

    def __setitem__(self, key: K, value: V) -> None:
        """Store a value as the newest; drop the oldest entry if there is one too many."""
        super().__setitem__(key, value)
        self.move_to_end(key)
        if len(self) > self.most:
            self.popitem(last=False)

    def __reduce__(self) -> tuple[Any, ...]:
        """Let copies have the same bound."""
        return type(self), (self.most,), None, None, iter(self.items())

    def use(self, key: K, make: Callable[[], V]) -> V:
        """Return the value of a key, made now if there is none, and make it the newest."""
        if key in self:
            self.move_to_end(key)
        else:
            self[key] = make()
        return self[key]


class BoundedSet(Generic[K]):
    """A set of at most `most` members, the oldest first."""

    def __init__(self, most: int) -> None:
        """Start empty.

        Args:
            most: members that are kept, at least 1.
        """
        self._members: BoundedDict[K, None] = BoundedDict(most)

    def add(self, member: K) -> None:
        """Add a member as the newest; drop the oldest one if there is one too many."""
        self._members[member] = None

    def __contains__(self, member: object) -> bool:
        return member in self._members

    def __iter__(self) -> Iterator[K]:
        return iter(self._members)

    def __len__(self) -> int:
        return len(self._members)
