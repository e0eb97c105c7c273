"""The gossip protocol as a whole, without a network: what arrived, what to send, and when.

`Gossip` ties the sans-I/O parts together: the paced outbox, anti-entropy for peers that publish,
pull and handoff for peers that listen. `swarm.net.network` drives it over libp2p; the simulator
drives the same object over a virtual wire.

Time is passed in, in milliseconds on any clock that only goes forward.
"""

from __future__ import annotations

import random
from collections.abc import Collection
from dataclasses import dataclass

from swarm.gossip.anti_entropy import AntiEntropy, ranks_in
from swarm.gossip.comparison import LocalView
from swarm.gossip.frames import Digest
from swarm.gossip.handoff import Handoff
from swarm.gossip.outbox import Outbox, Sending
from swarm.gossip.pull import ANNOUNCE_TIMING, SYNC_TIMING, Pull
from swarm.gossip.record_set import AddResult, RecordSet, record_id


@dataclass(frozen=True, slots=True)
class Actions:
    """What a peer should do now.

    Attributes:
        sending: a frame to publish, or None.
        announce: whether to announce the subscription again.
        ask: whether to open a sync stream to a neighbour, for a pull or a handoff.
    """

    sending: Sending | None = None
    announce: bool = False
    ask: bool = False


class Gossip:
    """One peer's side of the gossip protocol.

    Args:
        records: what it holds.
        rng: for every random delay.
        now_ms: the time.
        speaks: whether it may publish; a peer that may not only listens.
        asks: whether it may open a sync stream when it lacks records.
        hands_off: whether it may open one when it may be the last holder of a record.
    """

    def __init__(
        self,
        records: RecordSet,
        rng: random.Random,
        now_ms: int,
        *,
        speaks: bool = True,
        asks: bool = False,
        hands_off: bool = False,
    ) -> None:
        self._records = records
        self._view = LocalView(records)
        self._outbox = Outbox(records.raw)
        self._repair = (
            AntiEntropy(records, self._view, self._outbox, rng, now_ms) if speaks else None
        )
        self._to_announce = None if speaks else Pull(self._view, ANNOUNCE_TIMING)
        self._to_ask = Pull(self._view, SYNC_TIMING) if asks else None
        self._handoff = Handoff(records, now_ms) if hands_off else None

    def publish(self, raw: bytes, now_ms: int) -> None:
        """Publish an own record.

        One that the record set does not keep is taken for a presence.
        """
        if self._repair is None:
            raise AssertionError("a peer that only listens cannot publish")
        own = record_id(raw)
        if own not in self._records:
            self._outbox.put_presence(raw, now_ms)
            return
        self._view.arrived(own, now_ms)
        self._repair.arrived(own, now_ms)
        self._repair.heard(own, now_ms)
        self._outbox.put(raw, now_ms)

    def received(
        self, identity: bytes, outcome: AddResult, now_ms: int, *, overheard: bool
    ) -> None:
        """Note a record that arrived.

        Args:
            identity: its id.
            outcome: what became of it.
            now_ms: the time.
            overheard: whether it was on the topic, where others received it too.
        """
        if outcome is AddResult.REJECTED:
            # A forged copy has the id of the genuine record. It must not silence a holder of that.
            return
        kept = identity in self._records
        if outcome is AddResult.NEW and kept:
            self._view.arrived(identity, now_ms)
            if self._repair is not None:
                self._repair.arrived(identity, now_ms)
            if self._to_announce is not None:
                self._to_announce.arrived()
            if self._handoff is not None:
                self._handoff.arrived(now_ms, overheard=overheard)
        if overheard and kept and self._repair is not None:
            self._repair.heard(identity, now_ms)

    def heard_from(self, origin: str, now_ms: int) -> None:
        """Note that a peer, given by its transport id, published something."""
        if self._handoff is not None:
            self._handoff.heard_from(origin, now_ms)

    def digest(self, digest: Digest, now_ms: int, origin: str = "") -> None:
        """Compare a digest with what we hold, and act on it.

        Args:
            digest: what arrived.
            now_ms: the time.
            origin: the transport id of the peer that published it.
        """
        agreed = True
        for theirs in digest.goals:
            result = self._view.compare(theirs, now_ms)
            agreed = agreed and result.same
            if self._repair is not None:
                self._repair.compared(theirs, result, now_ms)
            for pull in (self._to_ask, self._to_announce):
                if pull is not None:
                    pull.compared(theirs, result, now_ms)
            if self._handoff is not None:
                self._handoff.compared(theirs, result, origin, now_ms)
        if agreed and self._repair is not None:
            self._repair.agreed((theirs.goal for theirs in digest.goals), now_ms)

    def newcomer(
        self, peer: str, now_ms: int, *, me: str = "", speakers: Collection[str] = ()
    ) -> bool:
        """Note that a neighbour has just subscribed; return whether it is served at once.

        A peer that comes and goes too often is served later.

        Args:
            peer: its transport id.
            now_ms: the time.
            me: this peer's transport id.
            speakers: the neighbours that publish, which share the work of serving it.
        """
        if self._handoff is not None:
            self._handoff.met(now_ms)
        if self._repair is None:
            return False
        others = set(speakers) - {peer, me}
        return self._repair.newcomer(peer, now_ms, ranks_in(me, others), 1 + len(others))

    def left(self, peer: str, now_ms: int) -> None:
        """Note that a neighbour, given by its transport id, is taken for gone."""
        if self._handoff is not None:
            self._handoff.left(peer, now_ms)

    def synced(self, peer: str) -> None:
        """Note that a neighbour and we have just exchanged everything over a stream."""
        if self._repair is not None:
            self._repair.synced(peer)
        if self._handoff is not None:
            self._handoff.handed_off(peer)

    def due(self, now_ms: int) -> int | None:
        """Return when to call `poll` next; None means not before something happens."""
        parts = [self._outbox.due(now_ms)]
        if self._repair is not None:
            parts.append(self._repair.due())
        others = (self._to_ask, self._to_announce, self._handoff)
        parts += [part.due() for part in others if part is not None]
        return min((at for at in parts if at is not None), default=None)

    def poll(self, now_ms: int) -> Actions:
        """Return what to do now. Call it again until nothing is due."""
        if self._repair is not None and self._repair.due() <= now_ms:
            self._repair.poll(now_ms)
        asks = self._to_ask is not None and self._to_ask.poll(now_ms)
        hands_off = self._handoff is not None and self._handoff.poll(now_ms)
        return Actions(
            self._outbox.drain(now_ms),
            announce=self._to_announce is not None and self._to_announce.poll(now_ms),
            ask=asks or hands_off,
        )
