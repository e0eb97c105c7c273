"""A virtual wire: any number of `Gossip` objects, a clock of milliseconds, delay and loss.

The same driving as in `swarm.net.network`, without libp2p: a published frame reaches every other
peer after a delay, or does not. Deterministic for a seed.
"""

from __future__ import annotations

import heapq
import itertools
import random
from collections.abc import Callable

from swarm.core.records import record_id
from swarm.gossip import frames
from swarm.gossip.protocol import Gossip
from tests.net.memory import MemoryRecords


class Node:
    def __init__(
        self, wire: Wire, name: str, *, speaks: bool, hands_off: bool, raws: list[bytes]
    ) -> None:
        self.name = name
        self.speaks = speaks
        self.records = MemoryRecords(*raws)
        self.gossip = Gossip(
            self.records, wire.rng, wire.now, speaks=speaks, hands_off=hands_off and not speaks
        )
        self.sent: list[tuple[int, bytes]] = []
        self.announced: list[int] = []
        self.handed_off: list[int] = []

    def publish(self, raw: bytes, now: int) -> None:
        self.records.add(raw, now)
        self.gossip.publish(raw, now)

    def receive(self, data: bytes, now: int, origin: str = "") -> None:
        self.gossip.heard_from(origin, now)
        frame = frames.decode(data)
        if isinstance(frame, frames.Bundle):
            for raw in frame.records:
                outcome = self.records.add(raw, now)
                self.gossip.received(record_id(raw), outcome, now, overheard=True)
        elif isinstance(frame, frames.Digest):
            self.gossip.digest(frame, now, origin)

    def records_sent(self, since: int = 0) -> int:
        total = 0
        for at, data in self.sent:
            frame = frames.decode(data)
            if at >= since and isinstance(frame, frames.Bundle):
                total += len(frame.records)
        return total

    def bytes_sent(self, since: int = 0) -> int:
        return sum(len(data) for at, data in self.sent if at >= since)


class Wire:
    def __init__(self, seed: int = 1, *, loss: float = 0.0, delay: tuple[int, int] = (20, 60)):
        self.rng = random.Random(seed)
        self.loss = loss
        self.delay = delay
        self.now = 0
        self.shares = True
        """Whether speakers know each other, and share in serving a newcomer."""
        self.nodes: list[Node] = []
        self.cut: Callable[[Node, Node], bool] = lambda a, b: False
        self._flying: list[tuple[int, int, Node, bytes, str]] = []
        self._serial = itertools.count()

    def join(
        self,
        name: str,
        *,
        speaks: bool = True,
        hands_off: bool = False,
        raws: list[bytes] | None = None,
    ) -> Node:
        """Add a peer: every node sees a new subscriber, and it sees every node."""
        node = Node(self, name, speaks=speaks, hands_off=hands_off, raws=raws or [])
        for other in self.nodes:
            self._meet(other, node)
            self._meet(node, other)
        self.nodes.append(node)
        return node

    def _meet(self, node: Node, newcomer: Node) -> None:
        speakers = [n.name for n in self.nodes if n.speaks] if self.shares else []
        node.gossip.newcomer(newcomer.name, self.now, me=node.name, speakers=speakers)

    def leave(self, node: Node) -> None:
        self.nodes.remove(node)

    def deliver_later(self, sender: Node | None, data: bytes) -> None:
        for other in self.nodes:
            lost = self.rng.random() < self.loss
            if other is sender or lost or (sender is not None and self.cut(sender, other)):
                continue
            at = self.now + self.rng.randint(*self.delay)
            origin = sender.name if sender is not None else ""
            heapq.heappush(self._flying, (at, next(self._serial), other, data, origin))

    def run(self, milliseconds: int, *, until: Callable[[], bool] | None = None) -> bool:
        """Let time pass; returns whether `until` came true (always, without one)."""
        end = self.now + milliseconds
        while self.now <= end:
            if until is not None and until():
                return True
            while self._flying and self._flying[0][0] <= self.now:
                _, _, node, data, origin = heapq.heappop(self._flying)
                if node in self.nodes:
                    node.receive(data, self.now, origin)
            for node in self.nodes:
                self._act(node)
            self.now = max(self.now + 1, min(end + 1, self._next()))
        return until is None or until()

    def _act(self, node: Node) -> None:
        while (due := node.gossip.due(self.now)) is not None and due <= self.now:
            actions = node.gossip.poll(self.now)
            if actions.sending is not None:
                node.sent.append((self.now, actions.sending.frame))
                self.deliver_later(node, actions.sending.frame)
            if actions.announce:
                node.announced.append(self.now)
                for other in self.nodes:
                    if other is not node:
                        self._meet(other, node)
            if actions.ask:
                self._level(node)
            after = node.gossip.due(self.now)
            if after == due and actions.sending is None and not actions.announce:
                raise AssertionError(f"{node.name} is due at {due} and does nothing")

    def _level(self, node: Node) -> None:
        """One session over a stream, in no time, with some speaker that can be reached."""
        node.handed_off.append(self.now)
        reached = [n for n in self.nodes if n.speaks and not self.cut(node, n)]
        if not reached:
            return
        other = self.rng.choice(reached)
        for giver, taker in ((node, other), (other, node)):
            for goal in list(giver.records.goals()):
                for identity in list(giver.records.ids(goal)):
                    raw = giver.records.raw(identity)
                    assert raw is not None
                    outcome = taker.records.add(raw, self.now)
                    taker.gossip.received(identity, outcome, self.now, overheard=False)
        node.gossip.synced(other.name)
        other.gossip.synced(node.name)

    def _next(self) -> int:
        moments = [at for n in self.nodes if (at := n.gossip.due(self.now)) is not None]
        if self._flying:
            moments.append(self._flying[0][0])
        return min(moments, default=self.now + 1000)
