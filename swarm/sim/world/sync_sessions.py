"""The sync protocol between simulated peers: `swarm.gossip.reconcile` over links that may break.

The counterpart of `swarm.net.sync`: who asks whom and when is the same, and so are the messages.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from swarm.core.store.store import AddResult
from swarm.gossip.frames import FrameError
from swarm.gossip.reconcile import SALT_SIZE, Reconciler
from swarm.gossip.record_set import record_id

if TYPE_CHECKING:
    from swarm.sim.world.peer import SimPeer

PERIOD_MS = 60_000
"""Between sessions with a random neighbour when nothing calls for one, in ms."""

OTHER_SIDE_ASKS_MS = 1_500
"""How long to wait for a neighbour that dialled us to ask, in ms."""

SESSION_MS = 60_000
"""How long one session may take, in ms."""

MAX_SESSIONS = 4
"""Sessions answered at once."""

MAX_TURNS = 500
"""Messages of each side in one session."""

BUSY_MS = 500
"""When to try again while another session of ours goes on, in ms."""


class Session:
    """One conversation; it ends when both have nothing to say, or when something breaks."""

    def __init__(self, asker: SimPeer, answerer: SimPeer, salt: bytes) -> None:
        """Begin with what both hold now."""
        self.asker = asker
        self.answerer = answerer
        self.open = True
        self.turns = 0
        self._sides = {
            asker.index: _side(asker, salt),
            answerer.index: _side(answerer, salt),
        }
        self._sides[asker.index].begin()

    def speak(self, peer: SimPeer) -> None:
        """Let a peer send its message."""
        if not self.open:
            return
        other = self.answerer if peer is self.asker else self.asker
        link = peer.links.get(other.index)
        self.turns += 1
        if link is None or self.turns > 2 * MAX_TURNS:
            self.end(finished=False)
            return
        message = self._sides[peer.index].take()
        peer.counters.stream_bytes_out += len(message) + 4
        other.counters.stream_bytes_in += len(message) + 4
        if not link.cut:
            delay = peer.world.wire.stream_delay(link)
            peer.world.events.after(delay, other.do, self._hear, other, message)

    def _hear(self, peer: SimPeer, message: bytes) -> None:
        if not self.open:
            return
        side = self._sides[peer.index]
        try:
            for raw in side.receive(message):
                peer.streams.took(raw)
        except FrameError:
            self.end(finished=False)
            return
        if peer is self.asker and not message and side.done:
            self.end(finished=True)
            return
        self.speak(peer)

    def end(self, *, finished: bool) -> None:
        """End it for both."""
        if not self.open:
            return
        self.open = False
        self.asker.streams.ended(self, self.answerer, finished=finished)
        self.answerer.streams.ended(self, self.asker, finished=finished)


class Streams:
    """One peer's sessions."""

    def __init__(self, peer: SimPeer) -> None:
        """Start without sessions; `begin` starts the periodic ones."""
        self._peer = peer
        self._asking: Session | None = None
        self._answering: list[Session] = []
        self._synced_ms: dict[str, int] = {}
        self._refused: set[bytes] = set()

    def begin(self) -> None:
        """Plan the first periodic session."""
        if self._peer.asks:
            self._later(self._period(), self._periodic)

    def met(self, other: SimPeer, *, dialled: bool) -> None:
        """A neighbour is new. Whoever dialled asks at once, the other only if it did not."""
        if self._peer.asks:
            delay = 0 if dialled else OTHER_SIDE_ASKS_MS
            self._later(delay, self._wish, other, other.transport)

    def lacking(self) -> None:
        """Digests have shown for a while that this peer lacks something."""
        self._ask_someone()

    def broke(self, other: SimPeer) -> None:
        """The link to a peer is gone, and so are the sessions on it."""
        for session in [*self._answering, self._asking]:
            if session is not None and other in (session.asker, session.answerer):
                session.end(finished=False)

    def ended(self, session: Session, other: SimPeer, *, finished: bool) -> None:
        """Take note that a session is over."""
        if session is self._asking:
            self._asking = None
        if session in self._answering:
            self._answering.remove(session)
        if finished:
            self._synced_ms[other.transport] = self._peer.world.now_ms
            self._peer.counters.syncs += 1
            self._peer.gossip.synced(other.transport)

    def took(self, raw: bytes) -> None:
        """Take in a record that came over a stream."""
        outcome = self._peer.take(raw, overheard=False)
        if outcome is AddResult.STALE:
            self._refused.add(record_id(raw))

    @property
    def refused(self) -> set[bytes]:
        """Ids of records that were sent and are not wanted."""
        return self._refused

    def _period(self) -> int:
        return int(PERIOD_MS * self._peer.rng.uniform(0.5, 1.0))

    def _later(self, delay_ms: int, do: object, *arguments: object) -> None:
        peer = self._peer
        peer.world.events.after(delay_ms, peer.do_in, peer.life, do, *arguments)

    def _periodic(self) -> None:
        self._ask_someone()
        self._later(self._period(), self._periodic)

    def _ask_someone(self) -> None:
        peer = self._peer
        others = [o for link in peer.links.values() if (o := link.other(peer)).asks]
        if others:
            self._ask(peer.rng.choice(others))

    def _wish(self, other: SimPeer, transport: str) -> None:
        peer = self._peer
        recently = peer.world.now_ms - OTHER_SIDE_ASKS_MS
        if other.transport != transport or other.index not in peer.links or not other.asks:
            return
        if self._synced_ms.get(transport, 0) > recently:
            return
        if self._asking is not None:
            self._later(BUSY_MS, self._wish, other, transport)
            return
        self._ask(other)

    def _ask(self, other: SimPeer) -> None:
        if self._asking is not None or len(other.streams._answering) >= MAX_SESSIONS:
            return
        session = Session(self._peer, other, self._peer.rng.randbytes(SALT_SIZE))
        self._asking = session
        other.streams._answering.append(session)
        self._peer.world.events.after(SESSION_MS, _time_out, session)
        session.speak(self._peer)


def _time_out(session: Session) -> None:
    session.end(finished=False)


def _side(peer: SimPeer, salt: bytes) -> Reconciler:
    store = peer.store
    ids = [i for goal in store.goals() for i in store.ids(goal)]
    return Reconciler([*ids, *peer.streams.refused], store.raw, salt)
