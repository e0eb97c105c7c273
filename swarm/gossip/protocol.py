"""The whole of gossip without a wire: what came in, what goes out, and when to look again.

`Gossip` ties the sans-I/O parts together: the paced outbox, anti-entropy for those who speak,
patience for those who listen. The network drives it over libp2p; a simulator drives the same
object over a virtual wire.

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
    """What to do now.

    Attributes:
        sending: a frame to publish, or None.
        announce: whether to announce the subscription again.
        ask: whether to ask a neighbour over a sync stream, or to hand it what we may alone hold.
    """

    sending: Sending | None = None
    announce: bool = False
    ask: bool = False


class Gossip:
    """One peer's side of the conversation.

    Args:
        records: what it holds.
        rng: for every random delay.
        now: the time it begins.
        speaks: whether it may publish; if not, it never has anything to send.
        asks: whether it may use a sync stream when it lacks something.
        hands_off: whether it may use one only when it may be the last that holds something.
    """

    def __init__(
        self,
        records: RecordSet,
        rng: random.Random,
        now: int,
        *,
        speaks: bool = True,
        asks: bool = False,
        hands_off: bool = False,
    ) -> None:
        self._records = records
        self._view = LocalView(records)
        self._outbox = Outbox(records.raw)
        self._repair = AntiEntropy(records, self._view, self._outbox, rng, now) if speaks else None
        self._to_announce = None if speaks else Pull(self._view, ANNOUNCE_TIMING)
        self._to_ask = Pull(self._view, SYNC_TIMING) if asks else None
        self._handoff = Handoff(records, now) if hands_off else None

    def publish(self, raw: bytes, now: int) -> None:
        """Send an own record. One that the record set does not keep is a sign of life."""
        if self._repair is None:
            raise AssertionError("a listener has nothing to publish")
        own = record_id(raw)
        if own not in self._records:
            self._outbox.put_presence(raw, now)
            return
        self._view.arrived(own, now)
        self._repair.arrived(now)
        self._repair.heard(own, now)
        self._outbox.put(raw, now)

    def received(self, identity: bytes, outcome: AddResult, now: int, *, overheard: bool) -> None:
        """A record came in.

        Args:
            identity: its id.
            outcome: what became of it.
            now: the time.
            overheard: whether it was on the topic, where others heard it too.
        """
        if outcome is AddResult.REJECTED:
            # A forged copy has the id of the genuine record, and must silence nobody who holds it.
            return
        kept = identity in self._records
        if outcome is AddResult.NEW and kept:
            self._view.arrived(identity, now)
            if self._repair is not None:
                self._repair.arrived(now)
            if self._to_announce is not None:
                self._to_announce.arrived()
            if self._handoff is not None:
                self._handoff.arrived(now, overheard=overheard)
        if overheard and kept and self._repair is not None:
            self._repair.heard(identity, now)

    def heard_from(self, origin: str, now: int) -> None:
        """A peer, by its transport id, said something on the topic."""
        if self._handoff is not None:
            self._handoff.heard_from(origin, now)

    def digest(self, digest: Digest, now: int, origin: str = "") -> None:
        """Somebody, by its transport id, said what it holds."""
        agreed = True
        for theirs in digest.goals:
            result = self._view.compare(theirs, now)
            agreed = agreed and result.same
            if self._repair is not None:
                self._repair.compared(theirs, result, now)
            for lacking in (self._to_ask, self._to_announce):
                if lacking is not None:
                    lacking.compared(theirs, result, now)
            if self._handoff is not None:
                self._handoff.compared(theirs, result, origin, now)
        if agreed and self._repair is not None:
            self._repair.agreed((theirs.goal for theirs in digest.goals), now)

    def newcomer(
        self, peer: str, now: int, *, me: str = "", speakers: Collection[str] = ()
    ) -> bool:
        """A neighbour newly subscribed; False if it comes and goes too often to be served.

        Args:
            peer: its transport id.
            now: the time.
            me: this peer's transport id.
            speakers: those of neighbours that speak, with whom serving it is shared.
        """
        if self._handoff is not None:
            self._handoff.met(now)
        if self._repair is None:
            return False
        others = set(speakers) - {peer, me}
        return self._repair.newcomer(peer, now, ranks_in(me, others), 1 + len(others))

    def left(self, peer: str, now: int) -> None:
        """A neighbour, by its transport id, is taken for gone."""
        if self._handoff is not None:
            self._handoff.left(peer, now)

    def synced(self, peer: str) -> None:
        """A neighbour has just exchanged everything with us over a stream."""
        if self._repair is not None:
            self._repair.synced(peer)
        if self._handoff is not None:
            self._handoff.handed_off(peer)

    def due(self, now: int) -> int | None:
        """When to call `poll` next; None: only after something happened."""
        parts = [self._outbox.due(now)]
        if self._repair is not None:
            parts.append(self._repair.due())
        others = (self._to_ask, self._to_announce, self._handoff)
        parts += [part.due() for part in others if part is not None]
        return min((at for at in parts if at is not None), default=None)

    def poll(self, now: int) -> Actions:
        """What to do now; call again until nothing is due."""
        if self._repair is not None and self._repair.due() <= now:
            self._repair.poll(now)
        asks = self._to_ask is not None and self._to_ask.poll(now)
        hands_off = self._handoff is not None and self._handoff.poll(now)
        return Actions(
            self._outbox.drain(now),
            announce=self._to_announce is not None and self._to_announce.poll(now),
            ask=asks or hands_off,
        )
