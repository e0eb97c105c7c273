"""libp2p's Pubsub for one topic, changed so that no frame can end the process.

libp2p 0.8.1 is pinned because this class overrides its internals, as the router beside it does
(`safe_router`). Each override and its reason:

======================================  ==========================================================
what                                    why
======================================  ==========================================================
counter from `time_ns`                  whole seconds make a restarted peer's messages look old
subscription channel of 4096            32 by default, and what does not fit is dropped silently
buffered reads                          with reads of one byte, yamux answers every byte
own read loop                           a frame that does not parse ended the whole process
one writer a stream at a time           replays to a newcomer cut into frames being written, which
                                        the other side then cannot parse
direct recipients listed                see `safe_router`: nobody forwards a message to them
messages handled in line                a task for each let one neighbour exhaust memory
shares (`admission`)                    one neighbour or origin could take all of our time
RPCs filtered (`rpc_filter`)            one frame asked for gigabytes, or filled tables for ever
forwarders of forgeries disconnected    checking forgeries is work, and charged to nobody they name
sender records dropped                  213 bytes a frame, and an Ed25519 check to receive, for an
                                        address book we do not use
signatures checked once                 libp2p checks again what `_is_welcome` has checked
`push_msg` and handlers safe            an exception in any of them ended the whole process
`handle_subscription` reports           libp2p has no event for a new subscriber
new peers enter the mesh at once        a peer whose subscription came before its stream waited for
                                        a heartbeat, and missed what was published until then
`announce`                              unsubscribe+subscribe in one frame without leaving the mesh
======================================  ==========================================================

`tests/net/pubsub/test_safe_pubsub.py` and `test_killer_frames.py` hold a regression test for each.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import Any
from weakref import WeakKeyDictionary

import libp2p.pubsub.pubsub as libp2p_pubsub
import structlog
import trio
from libp2p.io.exceptions import IOException, MessageTooLarge
from libp2p.network.connection.exceptions import RawConnError
from libp2p.network.stream.exceptions import StreamError
from libp2p.peer.id import ID
from libp2p.pubsub.pb import rpc_pb2
from libp2p.pubsub.pubsub import Pubsub
from libp2p.pubsub.validators import signature_validator
from libp2p.utils.varint import read_varint_prefixed_bytes_limited

from swarm.core.bounded import BoundedDict
from swarm.gossip import frames
from swarm.gossip.admission import Admission, ReadingPace
from swarm.gossip.token_bucket import TokenBucket
from swarm.net.patches.yamux import EagerLock
from swarm.net.pubsub.rpc_filter import RpcFilter
from swarm.net.pubsub.safe_router import SafeGossipSub
from swarm.net.streams import reset

log = structlog.get_logger(__name__)

SUBSCRIPTION_CHANNEL = 4096
"""Messages that may wait for our reader: hundreds of seconds of a whole swarm at its usual pace."""

READ_CHUNK = 64 * 1024
"""Bytes requested from a stream at once."""

MAX_RPC = 1024 * 1024
"""Bytes of the longest RPC; libp2p's own limit."""

NO_ROOM_MS = 500
"""Milliseconds for which a neighbour is left unread when too many of its messages wait."""

QUEUE_ROOM = 16
"""Frames that may wait for a neighbour before it is no longer listed as a direct recipient: half of
the 32 from which libp2p silently drops them."""

_FULL = (None,) * QUEUE_ROOM

MESSAGES_A_TURN = 8
"""Messages of one RPC that are handled before all other tasks get a turn: about a millisecond,
mostly for checking signatures."""

FORGED_FORGIVEN = 3
FORGED_FORGIVEN_A_MINUTE = 1
"""Forged messages after which a neighbour is disconnected, and how many are forgotten in a minute.
Honest peers check what they forward. A few are forgiven for other implementations, which may accept
keys that ours refuses."""

MAX_GOSSIP_STREAMS = 4
"""Gossip streams of one neighbour that are read at once. It writes to the newest, and may have
abandoned others without notice. Each can hold an incomplete frame."""

MAX_INTAKES = 1024
"""Neighbours whose usage is remembered, even after they left, because they may return."""

libp2p_pubsub.SUBSCRIPTION_CHANNEL_SIZE = SUBSCRIPTION_CHANNEL
# `SafePubsub.push_msg` is the only way into libp2p's, and passes only signed or own messages.
libp2p_pubsub.signature_validator = lambda _: True


class _Buffered:
    """Reads a stream in chunks, and serves reads from memory."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream
        self._buffer = bytearray()

    async def read(self, n: int) -> bytes:
        if not self._buffer:
            self._buffer += await self._stream.read(READ_CHUNK)
        taken = bytes(self._buffer[:n])
        del self._buffer[:n]
        return taken


class ForgedError(Exception):
    """A neighbour sent more forged messages than are forgiven."""


class _Intake:
    """The limits of one neighbour, over all of its streams."""

    def __init__(self, rpcs: RpcFilter) -> None:
        self.rpcs = rpcs
        self.pace = ReadingPace()
        self.forged = TokenBucket(FORGED_FORGIVEN_A_MINUTE / 60, FORGED_FORGIVEN)
        self.streams: deque[trio.CancelScope] = deque()
        """Scopes that end the reading of each stream, the oldest first."""


class SafePubsub(Pubsub):  # type: ignore[misc]  # libp2p's types are not followed
    """Pubsub for one topic that no frame, validator or handler can stop.

    Args:
        host: the host it runs on.
        router: from `build_router`.
        topic: the only topic that subscriptions are accepted for.
        has_room: returns whether a message of an origin, of this size in bytes, would be
            processed; if not, it is not forwarded either.
        on_subscriber: called with the peer id of each new subscriber of the topic.
        on_bad_frame: called for everything that is dropped because it is malformed.

    Attributes:
        published: messages that this peer itself published; 0 for a listener.
        bad_frames: frames and messages that were dropped because they were malformed.
        refused: messages that were dropped because their origin publishes too much.
        last_heard: trio time at which a neighbour's last frame arrived, by peer id.
    """

    def __init__(
        self,
        host: Any,
        router: SafeGossipSub,
        topic: str,
        *,
        has_room: Callable[[bytes, int], bool],
        on_subscriber: Callable[[str], None],
        on_bad_frame: Callable[[], None],
    ) -> None:
        super().__init__(
            host, router, strict_signing=True, max_inbound_rpc_size=MAX_RPC, allowed_topics={topic}
        )
        self.counter = time.time_ns()
        self.topic = topic
        self.published = 0
        self.bad_frames = 0
        self.refused = 0
        self.admission = Admission()
        self.last_heard: dict[Any, float] = {}
        self._on_subscriber = on_subscriber
        self._on_bad_frame = on_bad_frame
        self._has_room = has_room
        self._pauses: dict[Any, int] = {}
        """For how many milliseconds a neighbour is left unread after the current frame."""
        self._intakes: BoundedDict[Any, _Intake] = BoundedDict(MAX_INTAKES)
        self._writing: WeakKeyDictionary[Any, EagerLock] = WeakKeyDictionary()

    async def publish(self, topic_id: str | list[str], data: bytes) -> None:
        """Publish a message that lists its direct recipients; nobody need forward it to them."""
        self.published += 1
        await super().publish(topic_id, frames.encode_recipients(self._reached(), data))

    def _reached(self) -> list[bytes]:
        """Return the marks of the neighbours in the mesh whose queues have room."""
        return [
            frames.mark_of(peer.to_bytes())
            for peer in self.router.mesh.get(self.topic, ())
            if peer in self.peers and len(self.peer_queues.get(peer, _FULL)) < QUEUE_ROOM
        ]

    async def write_msg(self, stream: Any, rpc_msg: Any) -> bool:
        """Write one whole frame, although several tasks of libp2p write to the same stream."""
        rpc_msg.ClearField("senderRecord")
        async with self._writing.setdefault(stream, EagerLock()):
            return bool(await super().write_msg(stream, rpc_msg))

    async def _handle_new_peer(self, peer_id: Any) -> None:
        await super()._handle_new_peer(peer_id)
        if peer_id in self.peers and peer_id in self.peer_topics.get(self.topic, ()):
            await self.router.on_peer_subscribed(peer_id, self.topic)

    def _handle_dead_peer(self, peer_id: Any) -> None:
        super()._handle_dead_peer(peer_id)
        if peer_id not in self.peers:
            # libp2p leaves peers in the mesh that were never registered, which would fill it.
            self.router.remove_peer(peer_id)

    async def _replay_recent_messages(self, peer_id: Any, topic: str) -> None:
        """Send a newcomer the recent messages, unless it has made us repeat too much."""
        again = topic not in self._replayed_recent_topics.get(peer_id, ())
        if peer_id in self.peers and again:
            cached = self.router.mcache.window(topic)
            size = sum(self._size_of(identity) or 0 for identity in cached)
            if not self._intake(peer_id).rpcs.may_repeat(size, _now()):
                return
        await super()._replay_recent_messages(peer_id, topic)

    def _size_of(self, identity: bytes) -> int | None:
        message = self.router.mcache.get(identity)
        return None if message is None else int(message.ByteSize())

    def _intake(self, peer_id: Any) -> _Intake:
        return self._intakes.use(peer_id, lambda: _Intake(RpcFilter(self.topic, self._size_of)))

    async def continuously_read_stream(self, stream: Any) -> None:
        """Read frames from a neighbour until its stream ends, whatever they contain."""
        peer_id = stream.muxed_conn.peer_id
        reader = _Buffered(stream)
        intake = self._intake(peer_id)
        while self.manager.is_running:
            incoming = await read_varint_prefixed_bytes_limited(reader, self.max_inbound_rpc_size)
            self.last_heard[peer_id] = trio.current_time()
            rpc = rpc_pb2.RPC()
            rpc.ParseFromString(incoming)
            self._pauses.pop(peer_id, None)
            messages = await self._handle(peer_id, intake, rpc)
            pause = intake.pace.pause(len(incoming), _now(), messages)
            await trio.sleep(max(pause, self._pauses.pop(peer_id, 0)) / 1000)

    async def _handle(self, peer_id: Any, intake: _Intake, rpc: Any) -> int:
        """Act on the parts of an RPC that pass the filter; return how many messages it examined."""
        passed = intake.rpcs.passes(rpc, _now())
        for _ in range(passed.strange):
            self._note_bad()
        for number, message in enumerate(passed.messages, 1):
            await self.push_msg(peer_id, message)
            if intake.forged.wait(_now(), 0):
                raise ForgedError
            if number % MESSAGES_A_TURN == 0:
                await trio.lowlevel.checkpoint()
        for subscription in passed.subscriptions:
            self.handle_subscription(peer_id, subscription)
        if passed.control is not None:
            await self.router.handle_rpc(rpc_pb2.RPC(control=passed.control), peer_id)
        return len(passed.messages) + passed.strange

    async def stream_handler(self, stream: Any) -> None:
        """Serve one gossip stream; a failure ends that stream only."""
        peer_id = stream.muxed_conn.peer_id
        streams = self._intake(peer_id).streams
        with trio.CancelScope() as scope:
            streams.append(scope)
            if len(streams) > MAX_GOSSIP_STREAMS:
                streams.popleft().cancel()
            try:
                await self._serve(peer_id, stream)
            finally:
                with suppress(ValueError):
                    streams.remove(scope)
                if not streams:
                    self.last_heard.pop(peer_id, None)
        if scope.cancelled_caught:
            await reset(stream)

    async def _serve(self, peer_id: Any, stream: Any) -> None:
        try:
            await self.continuously_read_stream(stream)
        except MessageTooLarge:
            await self._disconnect(peer_id, "too long")
        except (StreamError, IOException, RawConnError):
            log.debug("gossip_stream_ended", peer=str(peer_id))
        except Exception as error:
            # Whatever a neighbour's bytes raise costs only that neighbour's connection.
            await self._disconnect(peer_id, type(error).__name__)

    def _note_bad(self) -> None:
        self.bad_frames += 1
        self._on_bad_frame()

    async def _disconnect(self, peer_id: Any, reason: str) -> None:
        """Disconnect a neighbour that sent what no honest peer sends; it may dial again."""
        self._note_bad()
        log.info("neighbour_disconnected", peer=str(peer_id), reason=reason)
        with suppress(Exception):
            await self.host.get_network().close_peer(peer_id)
        with suppress(Exception):
            self._handle_dead_peer(peer_id)

    async def push_msg(self, msg_forwarder: Any, msg: Any) -> None:
        """Validate, deliver and forward a message; drop it if anything about it raises."""
        try:
            if self._is_welcome(msg_forwarder, msg):
                await super().push_msg(msg_forwarder, msg)
        except Exception as error:
            # Whatever a message raises costs only that message; stock libp2p would end the process.
            self._note_bad()
            log.debug("message_dropped", peer=str(msg_forwarder), reason=type(error).__name__)

    def _is_welcome(self, msg_forwarder: Any, msg: Any) -> bool:
        if msg_forwarder == self.host.get_id():
            return True
        if self._is_msg_seen(msg):
            return False
        origin, size, now = bytes(msg.from_id), len(msg.data), _now()
        if size > frames.MAX_FRAME:
            self._note_bad()
            return False
        # Cheap checks come first. A message is charged to its origin only after its signature was
        # checked; otherwise any peer could use up the share of any other.
        if self.admission.is_over(origin, size, now) or not self._has_room(origin, size):
            self.refused += 1
            if msg_forwarder.to_bytes() == origin:
                # A neighbour that itself publishes too much is read at the pace that it may have.
                pause = self.admission.pause(origin, size, now) or NO_ROOM_MS
                self._pauses[msg_forwarder] = max(self._pauses.get(msg_forwarder, 0), pause)
            return False
        if not _is_signed(msg):
            self._intake(msg_forwarder).forged.take(now)
            self._note_bad()
            return False
        if self.admission.admit(str(msg_forwarder), origin, size, now):
            return True
        self.refused += 1
        return False

    def handle_subscription(self, origin_id: Any, sub_message: Any) -> None:
        """Note a subscription, and report a new subscriber of our topic."""
        try:
            before = origin_id in self.peer_topics.get(self.topic, ())
            super().handle_subscription(origin_id, sub_message)
            if not before and origin_id in self.peer_topics.get(self.topic, ()):
                self._on_subscriber(str(origin_id))
        except Exception as error:
            # As in `push_msg`.
            self._note_bad()
            log.debug("subscription_dropped", peer=str(origin_id), reason=type(error).__name__)

    def subscribers(self) -> frozenset[str]:
        """Return the ids of the neighbours that have subscribed to our topic."""
        return frozenset(str(peer) for peer in self.peer_topics.get(self.topic, ()))

    def speakers(self) -> frozenset[str]:
        """Return the ids of those subscribers that have published something."""
        listening = self.peer_topics.get(self.topic, ())
        return frozenset(str(p) for p in listening if self.admission.knows(p.to_bytes()))

    def heard(self, peer_id: str) -> float | None:
        """Return the trio time of the last frame from a neighbour, or None."""
        return self.last_heard.get(ID.from_base58(peer_id))

    async def announce(self) -> None:
        """Appear as a new subscriber to every neighbour, without missing a message.

        `unsubscribe` would leave the mesh, and neighbours would refuse us for ten seconds. Here
        both announcements travel in one frame and the mesh stays. Nothing is published.
        """
        frame = rpc_pb2.RPC()
        for subscribe in (False, True):
            frame.subscriptions.append(rpc_pb2.RPC.SubOpts(subscribe=subscribe, topicid=self.topic))
        await self.message_all_peers(frame.SerializeToString())


def _is_signed(msg: Any) -> bool:
    try:
        return bool(signature_validator(msg))
    except Exception:
        # A malformed key raises whatever the library for its kind does.
        return False


def _now() -> int:
    return int(trio.current_time() * 1000)
