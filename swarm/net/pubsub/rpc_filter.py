"""What of a neighbour's gossip RPC gets further than the parser, whatever is in it.

An RPC of a megabyte can hold ten thousand wishes for the same message, sixty thousand topics that
nobody has, or a million bytes where eight belong. libp2p acts on each of them. Here only so much
is looked at as an honest neighbour ever says: messages of our topic and of a usual shape, what its
subscriptions come to, and of control messages one of each kind, for our topic. What a neighbour
has us send again (messages it asks for, or missed before it subscribed) comes out of an allowance.

Sans-I/O: time is passed in, in milliseconds on any clock that only goes forward.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from libp2p.pubsub.pb import rpc_pb2
from libp2p.pubsub.utils import safe_bytes_from_hex

from swarm.gossip.token_bucket import TokenBucket

MAX_MESSAGES = 256
"""Messages of one RPC that are looked at. Each is sent in one of its own, but for answers to who
asks for what it missed: a swarm at its pace says a hundred while they can be asked for."""

MAX_ENTRIES = 64
"""Subscriptions, and control messages of each kind, of one RPC that are looked at: one or two are
usual, more where a neighbour is in many swarms."""

MAX_IDS = 1_000
"""Ids of messages, of those in all the entries of one kind, that are looked at."""

MAX_ID = 128
"""Bytes of the longest id of a message: a peer id and a number, in hex at worst, are a hundred."""

MAX_BACKOFF_SECONDS = 60
"""Seconds for which a neighbour may ask not to be taken into the mesh again; libp2p's own."""

SEQNO_SIZE = 8
"""Bytes of a message's number, in all versions of libp2p."""

MESSAGE_OVERHEAD = 4 * 1024
"""Bytes of a message besides its data: 200 are usual, a large RSA key and signature are 1,100."""

AGAIN_BYTES = 1024 * 1024
"""Bytes a neighbour can have us send again at once: some seconds of a busy swarm."""

AGAIN_BYTES_PER_SECOND = 256 * 1024
"""The same, a second: as much as one peer may say. Anti-entropy brings what goes beyond."""

AGAIN_LEAST = 1024
"""Bytes that a message sent again counts at least: it is work, however small it is."""


@dataclass(frozen=True, slots=True)
class Passed:
    """What is left of an RPC.

    Attributes:
        messages: of our topic only, at most `MAX_MESSAGES`.
        strange: messages for our topic that no honest peer makes, left out above.
        subscriptions: at most two, for our topic.
        control: at most one message of each kind, for our topic; None if none is left.
    """

    messages: list[Any]
    strange: int
    subscriptions: list[Any]
    control: Any | None


class RpcFilter:
    """Decides for one neighbour.

    Args:
        topic: the only topic there is.
        size_of: bytes of a message that can be sent again, by its id; None if there is none.
    """

    def __init__(self, topic: str, size_of: Callable[[bytes], int | None]) -> None:
        self._topic = topic
        self._size_of = size_of
        self._again = TokenBucket(AGAIN_BYTES_PER_SECOND, AGAIN_BYTES)

    def passes(self, rpc: Any, now_ms: int) -> Passed:
        """Return what of an RPC is to be acted on."""
        ours = [m for m in islice(rpc.publish, MAX_MESSAGES) if self._topic in _few(m.topicIDs)]
        messages = [m for m in ours if _is_usual(m)]
        control = self._control(rpc.control, now_ms) if rpc.HasField("control") else None
        return Passed(
            messages, len(ours) - len(messages), self._subscriptions(rpc.subscriptions), control
        )

    def may_repeat(self, size: int, now_ms: int) -> bool:
        """Whether to send everything recent again, of so many bytes; takes from the allowance."""
        if self._again.wait(now_ms):
            return False
        self._again.take(now_ms, size)
        return True

    def _subscriptions(self, entries: Any) -> list[Any]:
        """Return what they come to: a new subscription, one begun again, or none any more."""
        ours = [s for s in islice(entries, MAX_ENTRIES) if s.topicid == self._topic]
        if not ours or not ours[-1].subscribe:
            return ours[-1:]
        return [*[s for s in ours if not s.subscribe][-1:], ours[-1]]

    def _control(self, control: Any, now_ms: int) -> Any | None:
        out = rpc_pb2.ControlMessage()
        offered = [e.messageIDs for e in self._ours(control.ihave)]
        if ids := list(_once(offered)):
            out.ihave.add(topicID=self._topic, messageIDs=ids)
        if ids := list(self._affordable(_few(control.iwant), now_ms)):
            out.iwant.add(messageIDs=ids)
        for _ in islice(self._ours(control.graft), 1):
            out.graft.add(topicID=self._topic)
        for prune in islice(self._ours(control.prune), 1):
            # Without the peers it names: `links` decides whom to dial.
            out.prune.add(topicID=self._topic, backoff=min(prune.backoff, MAX_BACKOFF_SECONDS))
        return out if out.ByteSize() else None

    def _ours(self, entries: Any) -> Iterator[Any]:
        return (entry for entry in _few(entries) if entry.topicID == self._topic)

    def _affordable(self, entries: list[Any], now_ms: int) -> Iterator[bytes]:
        for wire in _once(e.messageIDs for e in entries):
            size = self._size_of(safe_bytes_from_hex(wire) or b"")
            if size is None:
                continue
            size = max(size, AGAIN_LEAST)
            if self._again.wait(now_ms, size):
                return
            self._again.take(now_ms, size)
            yield wire


def _few(entries: Any) -> list[Any]:
    return list(islice(entries, MAX_ENTRIES))


def _is_usual(message: Any) -> bool:
    """Whether an honest peer can have made a message.

    libp2p delivers a message as often as it names our topic, and relays whatever else is in it.
    """
    return (
        len(message.topicIDs) == 1
        and len(message.seqno) == SEQNO_SIZE
        and message.ByteSize() <= len(message.data) + MESSAGE_OVERHEAD
    )


def _once(lists: Iterable[Any]) -> Iterator[bytes]:
    """Yield ids as they were written, each message's only once however often and however written.

    No more than `MAX_IDS` are looked at.
    """
    met: set[bytes] = set()
    for wire in islice((wire for ids in lists for wire in ids), MAX_IDS):
        if len(wire) > MAX_ID:
            continue
        identity = safe_bytes_from_hex(wire)
        if identity and identity not in met:
            met.add(identity)
            yield wire
