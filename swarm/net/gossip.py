"""The whole of gossip without a wire: what came in, what goes out, and when to look again.

`Gossip` ties the sans-I/O parts together: the paced outbox, anti-entropy for those who speak,
patience for those who listen. The network drives it over libp2p; a simulator drives the same
object over a virtual wire.

Time is passed in, in milliseconds on any clock that only goes forward.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

from swarm.net.anti_entropy import AntiEntropy
from swarm.net.compare import View
from swarm.net.frames import Digest
from swarm.net.listening import Listening
from swarm.net.outbox import Outbox, Sending
from swarm.net.records import RecordSet, record_id


@dataclass(frozen=True, slots=True)
class Doings:
    """What to do now.

    Attributes:
        sending: a frame to publish, or None.
        announce: whether to announce the subscription again.
    """

    sending: Sending | None = None
    announce: bool = False


class Gossip:
    """One peer's side of the conversation.

    Args:
        records: what it holds.
        rng: for every random delay.
        now: the time it begins.
        speaks: whether it may publish; if not, it never has anything to send.
    """

    def __init__(
        self, records: RecordSet, rng: random.Random, now: int, *, speaks: bool = True
    ) -> None:
        self._records = records
        self._view = View(records)
        self._outbox = Outbox(records.raw)
        self._repair = AntiEntropy(records, self._view, self._outbox, rng, now) if speaks else None
        self._listening = None if speaks else Listening(self._view)

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

    def received(self, identity: bytes, word: str, now: int, *, overheard: bool) -> None:
        """A record came in.

        Args:
            identity: its id.
            word: what became of it (`records.Outcome.value`).
            now: the time.
            overheard: whether it was on the topic, where others heard it too.
        """
        kept = identity in self._records
        if word == "new" and kept:
            self._view.arrived(identity, now)
            if self._repair is not None:
                self._repair.arrived(now)
        if overheard and kept and self._repair is not None:
            self._repair.heard(identity, now)

    def digest(self, digest: Digest, now: int) -> bool:
        """Somebody said what it holds.

        Returns:
            Whether it shows that this peer lacks records.
        """
        lacking, agreed = False, True
        for theirs in digest.goals:
            result = self._view.compare(theirs, now)
            lacking = lacking or result.we_lack
            agreed = agreed and result.same
            if self._repair is not None:
                self._repair.compared(theirs, result, now)
            if self._listening is not None:
                self._listening.compared(theirs, result, now)
        if agreed and self._repair is not None:
            self._repair.agreed(theirs.goal for theirs in digest.goals)
        return lacking

    def newcomer(self, peer: str, now: int) -> bool:
        """A neighbour newly subscribed; False if it comes and goes too often to be served."""
        return self._repair is not None and self._repair.newcomer(peer, now)

    def synced(self, peer: str) -> None:
        """A neighbour has just exchanged everything with us over a stream."""
        if self._repair is not None:
            self._repair.synced(peer)

    def due(self, now: int) -> int | None:
        """When to call `poll` next; None: only after something happened."""
        parts = [self._outbox.due(now)]
        if self._repair is not None:
            parts.append(self._repair.due())
        if self._listening is not None:
            parts.append(self._listening.due())
        return min((at for at in parts if at is not None), default=None)

    def poll(self, now: int) -> Doings:
        """What to do now; call again until nothing is due."""
        if self._repair is not None and self._repair.due() <= now:
            self._repair.poll(now)
        announce = self._listening is not None and self._listening.poll(now)
        return Doings(self._outbox.drain(now), announce)
