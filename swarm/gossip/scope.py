"""The goals that a sync session is about: all, the live ones, or those whose ids have a prefix.

History outgrows the live goals: a peer that joins compares those first, and a command that asks
about one goal needs that goal only.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Self

from swarm.gossip.frames import FrameError
from swarm.gossip.record_set import RecordSet

PREFIX_BYTES = 4
SCOPE_SIZE = 2 + PREFIX_BYTES
"""Bytes of a scope: its kind, how many hex digits its prefix has, and the prefix, padded."""


class Kind(enum.IntEnum):
    """What a scope selects goals by. The values are those of the wire."""

    ALL = 0
    LIVE = 1
    PREFIX = 2


@dataclass(frozen=True, slots=True)
class Scope:
    """A selection of goals. Both sides of a session apply it to what they hold.

    Attributes:
        kind: what it selects by.
        prefix: the first hex digits of the ids of goals, for `Kind.PREFIX`; at most eight.
    """

    kind: Kind = Kind.ALL
    prefix: str = ""

    @classmethod
    def of_prefix(cls, prefix: str) -> Self:
        """Return the scope of the goals whose ids begin so; more than eight digits are cut."""
        return cls(Kind.PREFIX, prefix[: 2 * PREFIX_BYTES])

    def encode(self) -> bytes:
        """Return its bytes on the wire."""
        padded = self.prefix.ljust(2 * PREFIX_BYTES, "0")
        return bytes([self.kind, len(self.prefix)]) + bytes.fromhex(padded)

    @classmethod
    def decode(cls, data: bytes) -> Self:
        """Read a scope's bytes.

        Raises:
            FrameError: they are not those of a scope.
        """
        if len(data) != SCOPE_SIZE or data[1] > 2 * PREFIX_BYTES:
            raise FrameError("the scope of a sync session makes no sense")
        try:
            kind = Kind(data[0])
        except ValueError:
            raise FrameError(f"a sync session of an unknown scope, {data[0]}") from None
        return cls(kind, data[2:].hex()[: data[1]])

    def goals(self, records: RecordSet) -> list[bytes]:
        """Return the ids of the goals held that it selects, the newest first."""
        held = records.live_goals() if self.kind is Kind.LIVE else records.goals()
        chosen = [goal for goal in held if goal.hex().startswith(self.prefix)]
        return chosen[::-1]


ALL = Scope()
LIVE = Scope(Kind.LIVE)
