"""Replans: the goal's author asks for another split of a decided node, and the vote opens again.

A replan opens a new round of the vote at its node. Whether it counts follows, like everything else,
from the records that replay before it: at its stamp the node must have been decided and not
settled. So nothing that is finished is ever taken back, and the order of arrival does not matter.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Sequence
from dataclasses import dataclass

from swarm.core.clock import Stamp
from swarm.core.fold.voting import Decision, Vote
from swarm.core.records import Record, Replan

TRIED = 16
"""How many replans of one node are considered, in replay order: for each, the round before it is
derived again."""


@dataclass(frozen=True, slots=True)
class Round:
    """A round of a vote that was decided, and then ended by a replan."""

    vote: Vote
    decision: Decision
    replan: Record

    @property
    def reason(self) -> str:
        """What should be different, as the goal's author put it; may be empty."""
        return self.replan.body.reason if isinstance(self.replan.body, Replan) else ""


class Replans:
    """All replans of one goal by its author, by node and in replay order."""

    def __init__(self) -> None:
        self._of: dict[bytes, list[Record]] = {}

    def __bool__(self) -> bool:
        """Return whether the goal has any."""
        return bool(self._of)

    def __contains__(self, node: bytes) -> bool:
        """Return whether a node has any."""
        return node in self._of

    def add(self, node: bytes, record: Record) -> None:
        """Add one; each record must be added only once."""
        insort(self._of.setdefault(node, []), record, key=lambda other: other.key)

    def of(self, node: bytes) -> Sequence[Record]:
        """Return the replans of a node that are considered, in replay order."""
        return self._of.get(node, [])[:TRIED]

    def may_concern(self, node: bytes, stamp: Stamp) -> bool:
        """Return whether a record with this stamp may change which replans of a node count."""
        found = self._of.get(node, [])
        return bool(found) and stamp <= found[-1].stamp
