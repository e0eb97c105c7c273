"""Links between simulated peers: they delay, lose, repeat and reorder frames, and can be cut.

A frame that a peer publishes floods along all links, as in GossipSub when every connection is in
the mesh. Each peer forwards a frame once, to all neighbours except the one it came from and those
that its origin sent it to directly. GossipSub's own repair (IHAVE) is left out, so the loss here is
worse than on the real wire. Streams between neighbours carry the sync protocol.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Protocol

from swarm.gossip import frames
from swarm.gossip.frames import FrameError
from swarm.net.connections.dialling import (
    ALONE_SECONDS,
    SEEK_PAUSE_SECONDS,
    SILENT_SECONDS,
)
from swarm.sim.world.virtual_clock import VirtualClock

DIAL_MS = (100, 400)
"""How long a dial takes, handshakes included, in ms (0.25 s measured)."""

NOTICE_MS = 11_000
"""How long it takes to notice a dead link, in ms: 5 s of silence and two pings of 3 s."""

REFUSED_MS = 200
"""How soon a peer notices that a neighbour's process ended, in ms (0.1-0.6 s measured)."""

LOOK_MS = 500
"""Time between two looks at which peers need more connections, in ms."""

RETRANSMIT_MS = 250
"""How long a lost segment delays a stream, in ms, because TCP sends it again."""


@dataclass(frozen=True, slots=True)
class Quality:
    """How good a link is.

    Attributes:
        delay_ms: shortest and longest time that a frame takes, in ms.
        loss: share of frames that never arrive.
        duplicate: share of frames that arrive twice, as when a message id was forgotten.
        straggle: share of frames that arrive `straggle_ms` late, after later ones.
        straggle_ms: how late they arrive, in ms.
    """

    delay_ms: tuple[int, int] = (5, 60)
    loss: float = 0.0
    duplicate: float = 0.0
    straggle: float = 0.0
    straggle_ms: int = 3_000


@dataclass(slots=True)
class Traffic:
    """What went through one peer."""

    frames_out: int = 0
    bytes_out: int = 0
    """Of the frames it published itself."""
    hop_bytes_out: int = 0
    hop_bytes_in: int = 0
    """Over all its links, forwarded frames included."""
    stream_bytes_out: int = 0
    stream_bytes_in: int = 0
    syncs: int = 0


class Endpoint(Protocol):
    """What the wire needs of a peer."""

    index: int
    life: int
    alive: bool
    frozen: bool
    links: dict[int, Link]
    last_heard: dict[str, int]
    """When each transport was last heard, in ms since the world began."""
    traffic: Traffic

    @property
    def transport(self) -> str:
        """Its transport's id, fresh in each life."""

    def do_in(self, life: int, action: Callable[..., None], *arguments: Any) -> None:
        """Do something as the process that had this life: later when frozen, not when dead."""

    def stall_frame(self, action: Callable[..., None], *arguments: Any) -> None:
        """Keep a frame for a frozen process in its sockets."""

    def subscribed(self, other: Endpoint, dialled: bool) -> None:
        """Take note that a neighbour subscribes to the topic."""

    def receive(self, message: Message) -> None:
        """Take in a frame."""

    def accept(self, stream: StreamEnd) -> None:
        """Answer a neighbour that has opened a stream."""


@dataclass(eq=False, slots=True)
class Link:
    """A connection of two peers."""

    dialler: Endpoint
    answerer: Endpoint
    quality: Quality
    cut: bool = False
    """Nothing gets through, and neither side has noticed yet."""
    open: bool = True
    streams: list[StreamEnd] = field(default_factory=list)
    """Both ends of each stream that is open."""

    def other(self, peer: Endpoint) -> Endpoint:
        """Return the peer at the other end."""
        return self.answerer if peer is self.dialler else self.dialler


class StreamEnd:
    """One peer's end of a stream to a neighbour; the two sides send messages in turn."""

    def __init__(self, wire: Wire, link: Link, owner: Endpoint) -> None:
        """Make an end; `Wire.open_stream` joins two."""
        self.peer = link.other(owner).transport
        """Transport id of the peer at the other end."""
        self.on_open: Callable[[], None] = _ignore
        """Called when the other side has accepted the stream that this one opened."""
        self.on_message: Callable[[bytes], None] = _ignore
        self.on_end: Callable[..., None] = _ignore
        """Called with `finished`: whether the other side closed the stream, or else it broke."""
        self.other = self
        self.owner = owner
        self.life = owner.life
        self._wire = wire
        self._link = link
        self._open = True

    def send(self, message: bytes) -> None:
        """Send a message to the other side."""
        size = len(message) + 4
        self.owner.traffic.stream_bytes_out += size
        self.other.owner.traffic.stream_bytes_in += size
        self.carry(self.other.hear, message)

    def close(self) -> None:
        """Close the stream in an orderly way; harmless when it has ended."""
        if self._open:
            self._forget()
            self.carry(self.other.end, True)

    def reset(self) -> None:
        """Break the stream off; harmless when it has ended."""
        if self._open:
            self._forget()
            self.carry(self.other.end, False)

    def carry(self, action: Callable[..., None], *arguments: Any) -> None:
        """Let something happen at the other side as soon as the link has carried it there."""
        if not self._link.cut:
            delay_ms = self._wire.stream_delay(self._link)
            self._wire.after(delay_ms, self.other.do, action, *arguments)

    def do(self, action: Callable[..., None], *arguments: Any) -> None:
        """Do something as the process that this end belongs to."""
        self.owner.do_in(self.life, action, *arguments)

    def hear(self, message: bytes) -> None:
        """Take in a message of the other side."""
        if self._open:
            self.on_message(message)

    def accepted(self) -> None:
        """Take note that the other side has accepted the stream."""
        if self._open:
            self.on_open()

    def end(self, finished: bool) -> None:
        """Take note that the stream has ended."""
        if self._open:
            self._forget()
            self.on_end(finished=finished)

    def _forget(self) -> None:
        self._open = False
        self._link.streams.remove(self)


def _ignore(*arguments: object, **options: object) -> None:
    """Do nothing: nobody listens."""


@dataclass(eq=False, slots=True)
class Message:
    """A published frame on its way through the swarm, decoded once for all peers that get it."""

    data: bytes
    frame: frames.Bundle | frames.Digest | None
    origin: str
    """Its transport's id."""
    told: frozenset[int]
    """Indices of the peers that the origin sent it to directly: others need not."""
    seen: set[tuple[int, int]] = field(default_factory=set)
    """(index, life) of the peers that have it."""


@dataclass(slots=True)
class WireCounters:
    """What went over all links."""

    frames: int = 0
    hops: int = 0
    hop_bytes: int = 0
    lost: int = 0


class Wire:
    """All links of a world."""

    def __init__(
        self, clock: VirtualClock, rng: random.Random, quality: Quality, dials: int
    ) -> None:
        """Start without links.

        Args:
            clock: the virtual clock.
            rng: draws delays, losses and which peers to dial.
            quality: quality of new links.
            dials: how many connections each peer keeps dialled.
        """
        self._clock = clock
        self.quality = quality
        self.counters = WireCounters()
        self._rng = rng
        self._dials = dials
        self._peers: list[Endpoint] = []
        self._sides: dict[int, int] = {}
        self._dialling: Counter[tuple[int, int]] = Counter()
        """Dials under way, by (index, life) of the peer that dials."""
        self._looking = False

    # Links.

    def join(self, peer: Endpoint) -> None:
        """Let a peer, new or restarted, dial and be dialled."""
        if peer not in self._peers:
            self._peers.append(peer)
        self._look_soon()
        self._clock.after(int(1000 * ALONE_SECONDS), self._look_whether_alone, peer, peer.life)
        self._clock.after(int(1000 * SEEK_PAUSE_SECONDS), self._seek, peer, peer.life)

    def after(self, delay_ms: int, action: Callable[..., None], *arguments: Any) -> None:
        """Do something after a delay."""
        self._clock.after(delay_ms, action, *arguments)

    def _seek(self, peer: Endpoint, life: int) -> None:
        """Let a peer dial one that it has not heard for long, directly or through others."""
        if not peer.alive or peer.life != life:
            return
        since = self._clock.elapsed_ms - int(1000 * SILENT_SECONDS)
        lost = [
            other
            for other in self._peers
            if other.index not in peer.links and peer.last_heard.get(other.transport, since) < since
        ]
        if lost and not peer.frozen:
            self._dial(peer, self._rng.choice(lost))
        self._clock.after(int(1000 * SEEK_PAUSE_SECONDS), self._seek, peer, life)

    def _dial(self, peer: Endpoint, other: Endpoint) -> None:
        self._dialling[peer.index, peer.life] += 1
        delay = self._rng.randint(*DIAL_MS)
        self._clock.after(delay, self._dialled, peer, peer.life, other, other.life)

    def _look_whether_alone(self, peer: Endpoint, life: int) -> None:
        """Let a peer whose neighbours only listen dial one more, until one speaks."""
        if not peer.alive or peer.life != life or _hears_a_speaker(peer):
            return
        others = [p for p in self._peers if p.alive and p is not peer and p.index not in peer.links]
        if others and not peer.frozen:
            self._dial(peer, self._rng.choice(others))
        self._clock.after(int(1000 * ALONE_SECONDS), self._look_whether_alone, peer, life)

    def links(self) -> Iterator[Link]:
        """Yield every link once."""
        for peer in self._peers:
            for link in peer.links.values():
                if link.dialler is peer:
                    yield link

    def reachable(self, one: Endpoint, other: Endpoint) -> bool:
        """Return whether the network connects two peers."""
        return self._sides.get(one.index, 0) == self._sides.get(other.index, 0)

    def partition(self, sides: dict[int, int]) -> None:
        """Cut the network: peers on different sides cannot reach each other.

        Args:
            sides: the side of each peer, by its index.
        """
        self._sides = sides
        for link in list(self.links()):
            if not self.reachable(link.dialler, link.answerer):
                link.cut = True
                self._clock.after(NOTICE_MS, self._notice, link)

    def heal(self) -> None:
        """End the partition; links that were noticed to be dead are dialled again."""
        self._sides = {}
        for link in self.links():
            link.cut = False
        self._look_soon()

    def degrade(self, quality: Quality) -> None:
        """Change the quality of all links, present and future."""
        self.quality = quality
        for link in self.links():
            link.quality = quality

    def suspect(self, peer: Endpoint) -> None:
        """Let a peer's neighbours disconnect it if it goes on not answering."""
        for link in list(peer.links.values()):
            self._clock.after(NOTICE_MS, self._notice, link)

    def leave(self, peer: Endpoint) -> None:
        """Close the sockets of a process that has ended."""
        for link in list(peer.links.values()):
            self._clock.after(REFUSED_MS, self.hang_up, link)
            link.cut = True

    def hang_up(self, link: Link) -> None:
        """Close a link; both ends notice."""
        if not link.open:
            return
        link.open = False
        for end in (link.dialler, link.answerer):
            other = link.other(end)
            if end.links.get(other.index) is link:
                del end.links[other.index]
        for stream in list(link.streams):
            stream.do(stream.end, False)
        self._look_soon()

    def _notice(self, link: Link) -> None:
        if link.cut or link.dialler.frozen or link.answerer.frozen:
            self.hang_up(link)

    def _look_soon(self) -> None:
        if not self._looking:
            self._looking = True
            self._clock.after(0, self._look)

    def _look(self) -> None:
        """Let every peer that is short of connections dial one more."""
        self._looking = False
        short = False
        for peer in self._peers:
            if not peer.alive or peer.frozen:
                continue
            out = sum(link.dialler is peer for link in peer.links.values())
            out += self._dialling[peer.index, peer.life]
            if out >= self._dials:
                continue
            candidates = [p for p in self._peers if p.alive and p is not peer and not p.frozen]
            candidates = [
                p for p in candidates if p.index not in peer.links and self.reachable(peer, p)
            ]
            for other in self._rng.sample(candidates, min(self._dials - out, len(candidates))):
                self._dial(peer, other)
            short = short or len(candidates) < self._dials - out
        if short and any(self._sides.values()):
            self._looking = True
            self._clock.after(LOOK_MS, self._look)

    def _dialled(self, peer: Endpoint, life: int, other: Endpoint, other_life: int) -> None:
        self._dialling[peer.index, life] -= 1
        if peer.life != life or other.life != other_life or not (peer.alive and other.alive):
            self._look_soon()
            return
        if other.index in peer.links:
            return
        if peer.frozen or other.frozen or not self.reachable(peer, other):
            self._clock.after(LOOK_MS, self._look_soon)
            return
        link = Link(peer, other, self.quality)
        peer.links[other.index] = link
        other.links[peer.index] = link
        for end in (peer, other):
            met = link.other(end)
            self._clock.after(self._delay(link), self._subscribed, link, end, met, end is peer)

    def _subscribed(self, link: Link, end: Endpoint, met: Endpoint, dialled: bool) -> None:
        if link.open:
            end.do_in(end.life, end.subscribed, met, dialled)

    # Frames and streams.

    def publish(self, peer: Endpoint, data: bytes) -> None:
        """Flood a frame through the swarm, starting at a peer."""
        try:
            frame = frames.decode(data)
        except FrameError:
            frame = None
        told = frozenset(islice(peer.links, frames.MAX_RECIPIENTS))
        message = Message(data, frame, peer.transport, told)
        message.seen.add((peer.index, peer.life))
        self.counters.frames += 1
        self._forward(peer, message, None)

    def announce(self, peer: Endpoint) -> None:
        """Announce a peer's subscription to its neighbours again."""
        for link in peer.links.values():
            if not link.cut and self._rng.random() >= link.quality.loss:
                met = link.other(peer)
                self._clock.after(self._delay(link), self._subscribed, link, met, peer, False)

    def open_stream(self, peer: Endpoint, transport: str) -> StreamEnd | None:
        """Open a stream from a peer to a neighbour; None: it is not one any more.

        As in libp2p, the opening side waits for the other to accept before it sends anything.
        """
        links = [each for each in peer.links.values() if each.other(peer).transport == transport]
        if not links:
            return None
        near = StreamEnd(self, links[0], peer)
        far = StreamEnd(self, links[0], links[0].other(peer))
        near.other, far.other = far, near
        links[0].streams += [near, far]
        near.carry(self._opened, far)
        return near

    def _opened(self, far: StreamEnd) -> None:
        far.carry(far.other.accepted)
        far.owner.accept(far)

    def stream_delay(self, link: Link) -> int:
        """Return how long a message on a stream takes, in ms; lost segments are sent again."""
        delay = self._delay(link)
        while self._rng.random() < link.quality.loss:
            delay += RETRANSMIT_MS
        return delay

    def _delay(self, link: Link) -> int:
        return self._rng.randint(*link.quality.delay_ms)

    def _forward(self, peer: Endpoint, message: Message, source: Endpoint | None) -> None:
        counters, rng = self.counters, self._rng
        random_ = rng.random
        after = self._clock.after
        size, seen = len(message.data), message.seen
        for link in peer.links.values():
            other = link.other(peer)
            if other is source or (source is not None and other.index in message.told):
                continue
            counters.hops += 1
            counters.hop_bytes += size
            peer.traffic.hop_bytes_out += size
            quality = link.quality
            if link.cut or (quality.loss and random_() < quality.loss):
                counters.lost += 1
                continue
            least, most = quality.delay_ms
            delay = least + int(random_() * (most - least + 1))
            if quality.straggle and random_() < quality.straggle:
                delay += quality.straggle_ms
            if (other.index, other.life) in seen:
                other.traffic.hop_bytes_in += size  # It would be dropped on arrival.
            else:
                after(delay, self._arrive, link, other, other.life, peer, message)
            if quality.duplicate and random_() < quality.duplicate:
                late = delay + int(random_() * quality.straggle_ms)
                after(late, self._again, link, other, other.life, message)

    def _arrive(
        self, link: Link, peer: Endpoint, life: int, source: Endpoint, message: Message
    ) -> None:
        if link.cut or not peer.alive or peer.life != life:
            return
        mark = (peer.index, life)
        peer.traffic.hop_bytes_in += len(message.data)
        if mark in message.seen:
            return
        message.seen.add(mark)
        if peer.frozen:
            peer.stall_frame(self._take, peer, source, message)
        else:
            self._take(peer, source, message)

    def _take(self, peer: Endpoint, source: Endpoint, message: Message) -> None:
        self._forward(peer, message, source)
        peer.receive(message)

    def _again(self, link: Link, peer: Endpoint, life: int, message: Message) -> None:
        if not link.cut and peer.alive and peer.life == life and not peer.frozen:
            peer.receive(message)


def _hears_a_speaker(peer: Endpoint) -> bool:
    """Return whether any neighbour of a peer has ever published."""
    return any(link.other(peer).transport in peer.last_heard for link in peer.links.values())
