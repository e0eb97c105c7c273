"""A filter for a neighbour's gossip RPCs: it passes only what an honest neighbour may send.

An RPC of a megabyte can hold ten thousand requests for one message, sixty thousand topics that
nobody has, or a million bytes where eight belong; libp2p acts on each of them. This filter examines
only as much as an honest neighbour ever sends. It passes messages of our topic in the usual shape,
the net effect of the subscriptions, and at most one control message of each kind for our topic. A
neighbour that makes us repeat messages (ones that it requests, or that it missed before it
subscribed) uses up an allowance.

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
"""Messages of one RPC that are examined. Usually an RPC has one. Only answers to requests for
missed messages have more: a swarm at full pace publishes a hundred while they can be requested."""

MAX_ENTRIES = 64
"""Subscriptions, and control messages of each kind, that are examined in one RPC. One or two are
usual; a neighbour in many swarms sends more."""

MAX_IDS = 1_000
"""Message ids that are examined, over all control messages of one kind."""

MAX_ID = 128
"""Bytes of the longest message id. A peer id and a number have a hundred, even in hex."""

MAX_BACKOFF_SECONDS = 60
"""Longest time for which a neighbour may ask to stay out of the mesh, in seconds; libp2p's own."""

SEQNO_SIZE = 8
"""Bytes of a message's sequence number, in all versions of libp2p."""

MESSAGE_OVERHEAD = 4 * 1024
"""Bytes of a message besides its data. 200 are usual; a large RSA key and signature have 1,100."""

AGAIN_BYTES = 1024 * 1024
"""Bytes that a neighbour can make us repeat at once: some seconds of a busy swarm."""

AGAIN_BYTES_PER_SECOND = 256 * 1024
"""The same for a second: as much as one peer may publish. Anti-entropy brings the rest."""

AGAIN_LEAST = 1024
"""Bytes that a repeated message counts for at least, because even a small one is work."""


@dataclass(frozen=True, slots=True)
class Passed:
    """What the filter passes of an RPC.

    Attributes:
        messages: those of our topic, at most `MAX_MESSAGES`.
        strange: how many messages for our topic were left out because no honest peer makes them.
        subscriptions: at most two, for our topic.
        control: at most one message of each kind, for our topic; None if none is left.
    """

    messages: list[Any]
    strange: int
    subscriptions: list[Any]
    control: Any | None


class RpcFilter:
    """The filter for one neighbour.

    Args:
        topic: the only topic.
        size_of: returns the bytes of a message that can be repeated, given its id, or None.
    """

    def __init__(self, topic: str, size_of: Callable[[bytes], int | None]) -> None:
        self._topic = topic
        self._size_of = size_of
        self._again = TokenBucket(AGAIN_BYTES_PER_SECOND, AGAIN_BYTES)

    def passes(self, rpc: Any, now_ms: int) -> Passed:
        """Return the parts of an RPC to act on."""
        ours = [m for m in islice(rpc.publish, MAX_MESSAGES) if self._topic in _few(m.topicIDs)]
        messages = [m for m in ours if _is_usual(m)]
        control = self._control(rpc.control, now_ms) if rpc.HasField("control") else None
        return Passed(
            messages, len(ours) - len(messages), self._subscriptions(rpc.subscriptions), control
        )

    def may_repeat(self, size: int, now_ms: int) -> bool:
        """Return whether to repeat all recent messages, of so many bytes, and charge for them."""
        if self._again.wait(now_ms):
            return False
        self._again.take(now_ms, size)
        return True

    def _subscriptions(self, entries: Any) -> list[Any]:
        """Return their net effect: a new subscription, a renewed one, or the end of one."""
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
            # Without the peers it names: the connection manager decides which peers to dial.
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
    """Return whether an honest peer can have made a message.

    libp2p delivers a message once for each time that it names our topic, and relays anything else
    that it contains.
    """
    return (
        len(message.topicIDs) == 1
        and len(message.seqno) == SEQNO_SIZE
        and message.ByteSize() <= len(message.data) + MESSAGE_OVERHEAD
    )


def _once(lists: Iterable[Any]) -> Iterator[bytes]:
    """Yield ids as they were written, but each message only once, in whatever form it is repeated.

    At most `MAX_IDS` are examined.
    """
    met: set[bytes] = set()
    for wire in islice((wire for ids in lists for wire in ids), MAX_IDS):
        if len(wire) > MAX_ID:
            continue
        identity = safe_bytes_from_hex(wire)
        if identity and identity not in met:
            met.add(identity)
            yield wire
