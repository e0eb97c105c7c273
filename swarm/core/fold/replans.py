"""Votes that were opened anew: the goal's author asked for another split of a decided node.

A `replan` opens a round of its own at the node. Whether it counts is decided like everything else,
from the records that replay before it: its node must have been decided, and not settled, at its
stamp. So nothing that is finished is ever taken back, and the order of arrival changes nothing.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Sequence
from dataclasses import dataclass

from swarm.core.clock import Stamp
from swarm.core.fold.voting import Decision, Vote
from swarm.core.records import Record, Replan

TRIED = 16
"""Replans of one node that are looked at, in replay order: each costs a look at what was before."""


@dataclass(frozen=True, slots=True)
class Round:
    """A vote that was decided, and then opened anew."""

    vote: Vote
    decision: Decision
    replan: Record

    @property
    def reason(self) -> str:
        """What should be different, as its author put it."""
        return self.replan.body.reason if isinstance(self.replan.body, Replan) else ""


class Replans:
    """All replans of one goal by its author, by node and in replay order."""

    def __init__(self) -> None:
        self._of: dict[bytes, list[Record]] = {}

    def __bool__(self) -> bool:
        """Return whether there are any."""
        return bool(self._of)

    def __contains__(self, node: bytes) -> bool:
        """Return whether a node has any."""
        return node in self._of

    def add(self, node: bytes, record: Record) -> None:
        """Take in one; the same record only once."""
        insort(self._of.setdefault(node, []), record, key=lambda other: other.key)

    def of(self, node: bytes) -> Sequence[Record]:
        """Return those of a node that are looked at, in replay order."""
        return self._of.get(node, [])[:TRIED]

    def may_concern(self, node: bytes, stamp: Stamp) -> bool:
        """Return whether a record of this stamp may change which replans of a node count."""
        found = self._of.get(node, [])
        return bool(found) and stamp <= found[-1].stamp
