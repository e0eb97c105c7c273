"""A small honest record set: keeps what it is given, in memory, without verifying signatures."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection

from swarm.core.store.sealed_goal import Pack
from swarm.gossip.record_set import AddResult, record_id


def make(goal: bytes | None, text: str, *, kind: str = "note", author: int = 7) -> bytes:
    """A record of the right shape; without a goal it is a goal itself."""
    body = {"kind": kind if goal else "goal", "goal": goal.hex() if goal else None, "text": text}
    return bytes([1]) + bytes([author]) * 32 + bytes(64) + json.dumps(body).encode()


class MemoryRecords:
    """Records by goal. `live` says which goals have not ended; by default all."""

    def __init__(self, *raws: bytes) -> None:
        self._raw: dict[bytes, bytes] = {}
        self._goals: dict[bytes, set[bytes]] = {}
        self.ended: set[bytes] = set()
        self.presence: list[bytes] = []
        for raw in raws:
            self.add(raw, 0)

    def add(self, raw: bytes, now_ms: int) -> AddResult:
        try:
            if raw[0] != 1:
                return AddResult.REJECTED
            body = json.loads(raw[97:])
            kind = body["kind"]
            identity = record_id(raw)
            goal = identity if kind == "goal" else bytes.fromhex(body["goal"])
        except (ValueError, KeyError, TypeError, IndexError):
            return AddResult.REJECTED
        if kind == "presence":
            self.presence.append(raw)
            return AddResult.NEW
        if kind == "stale":
            return AddResult.STALE
        if identity in self._raw:
            return AddResult.DUPLICATE
        self._raw[identity] = raw
        self._goals.setdefault(goal, set()).add(identity)
        return AddResult.NEW

    def __contains__(self, record_id: object) -> bool:
        return record_id in self._raw

    def __len__(self) -> int:
        return len(self._raw)

    def raw(self, record_id: bytes) -> bytes | None:
        return self._raw.get(record_id)

    def goals(self) -> Collection[bytes]:
        return self._goals.keys()

    def live_goals(self) -> Collection[bytes]:
        return self._goals.keys() - self.ended

    def goal_of(self, record_id: bytes) -> bytes | None:
        return next((goal for goal, ids in self._goals.items() if record_id in ids), None)

    def pack(self, goal_id: bytes) -> Pack | None:
        return None

    def ids(self, goal_id: bytes) -> Collection[bytes]:
        return self._goals.get(goal_id, set())

    def summary(self, goal_id: bytes) -> tuple[int, bytes]:
        total = 0
        for identity in self._goals.get(goal_id, ()):
            total ^= int.from_bytes(identity)
        return len(self._goals.get(goal_id, ())), total.to_bytes(32)

    def forget(self, record_id: bytes) -> None:
        """Lose a record, as a lossy network or a deleted disk would."""
        del self._raw[record_id]
        for ids in self._goals.values():
            ids.discard(record_id)

    def digest(self) -> str:
        """One word for the whole content."""
        return hashlib.sha256(b"".join(sorted(self._raw))).hexdigest()[:16]


def history(count: int, *, text: str = "a way to split it", tag: str = "") -> list[bytes]:
    """A goal and records of it, `count` in all."""
    goal = make(None, f"goal {tag}")
    identity = record_id(goal)
    return [goal, *(make(identity, f"{text} {tag}{i}") for i in range(count - 1))]
