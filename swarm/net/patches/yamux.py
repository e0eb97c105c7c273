"""libp2p's connections, made cheaper and bounded: fewer frames and system calls, less memory.

Profiles of busy peers showed half of their time in connection bookkeeping (measured in
docs/measurements.md, "Coordination alone"). The causes, each overridden here because libp2p 0.8.1
is pinned:

=============================  ===================================================================
what                           why
=============================  ===================================================================
window updates by the half     stock yamux answers every read with a window update, which is
                               encrypted, sent, received and decrypted like a message. go-yamux,
                               whose rule this is, waits until half of the window is used
buffered reads from TCP        stock noise reads two bytes of length and then the frame, each
                               with a system call of its own
free locks taken at once       trio's locks let every other task run first, even when free: 16
                               turns of the scheduler for a frame written and read, now 3
no pings to measure with       yamux pings each neighbour every half a minute, for the size of a
                               window. The connection manager's own pings measure as well
windows enforced               stock yamux only logs when more arrives than it gave credit for, so
                               a peer that ignores its credit fills our memory. Here its
                               connection is closed
windows of 1 MiB               stock yamux grants up to 16 MiB a stream to a fast sender
=============================  ===================================================================

No honest peer can send too much: yamux starts with the same 256 KiB on both sides in every
implementation, and `recv_window` grows before the update that grants the credit is sent.

Upstream: windows grow since libp2p/py-libp2p#1269 (issue #1270), which meant to send updates by the
half too; 0.8.1 still answers small reads (its `partial_slack` branch). `release_by_halves` can go
when that branch does, and the 1 MiB when the bound can be configured. No upstream issue was found
for the rest. It can go when libp2p enforces windows as go-yamux does, reads TCP through a buffer,
does not yield at free locks, limits the time of closing frames, and makes yamux's own pings
optional.

`tests/net/patches/test_yamux.py` counts each.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import libp2p.stream_muxer.yamux.yamux as libp2p_yamux
import structlog
import trio
from libp2p.io.trio import TrioTCPStream
from libp2p.network.connection.exceptions import RawConnError
from libp2p.network.stream.net_stream import NetStream
from libp2p.stream_muxer.yamux.yamux import (
    FLAG_ACK,
    FLAG_RST,
    TYPE_GO_AWAY,
    TYPE_PING,
    Yamux,
    YamuxStream,
)

log = structlog.get_logger(__name__)

READ_AHEAD = 64 * 1024
"""Bytes requested from a socket at once: the longest noise frame."""

READS_A_TURN = 16
"""Reads served from memory before other tasks get a turn: eight frames, or a millisecond."""

CLOSING_SECONDS = 3.0
"""Seconds in which a frame that ends a stream or a connection must be written. A neighbour that
stalls longer has been given up anyway; the limit is below what a host has to shut down in
(`host.SHUTDOWN_SECONDS`)."""

MAX_WINDOW = 1024 * 1024
"""Bytes of a stream that may arrive before they are read: 10 MB a second where a round trip takes
0.1 s, which is several times what any peer may send."""

MAX_UNREAD = 4 * MAX_WINDOW
"""Bytes of all streams of a connection that may wait to be read. The gossip stream and one or two
sync streams may be full at the same time; the others never are."""


class EagerLock:
    """A lock for `async with` that is taken at once if it is free.

    trio's own lock lets every other task run first, to be fair. Here the task that holds the lock
    soon waits for the socket, which gives all others a turn.
    """

    __slots__ = ("_held", "_waiting")

    def __init__(self) -> None:
        self._held = False
        self._waiting = trio.lowlevel.ParkingLot()

    async def __aenter__(self) -> None:
        if self._held:
            await self._waiting.park()  # The previous holder has passed it on.
        self._held = True

    async def __aexit__(self, *_: object) -> None:
        if self._waiting:
            self._waiting.unpark()
        else:
            self._held = False


class _WriteLock(EagerLock):
    """In place of yamux's `ReadWriteLock`, which only ever has writers."""

    __slots__ = ()

    def write_lock(self) -> EagerLock:
        return self


class BufferedTCPStream(TrioTCPStream):  # type: ignore[misc]  # libp2p's types are not followed
    """A TCP stream that reads more from the system than it was asked for, and keeps the rest."""

    def __init__(self, stream: trio.SocketStream) -> None:
        """Wrap a connected stream that has not been read from yet."""
        super().__init__(stream)
        self.read_lock, self.write_lock = EagerLock(), EagerLock()
        self._ahead = bytearray()
        self._served = 0

    async def read(self, n: int | None = None) -> bytes:
        """Return up to `n` bytes, or all that is there; nothing at the end of the stream."""
        if n == 0:
            return b""
        if not self._ahead:
            self._ahead += await super().read(READ_AHEAD)
            self._served = 0
        elif self._served >= READS_A_TURN:
            self._served = 0
            await trio.lowlevel.checkpoint()
        self._served += 1
        taken = bytes(self._ahead if n is None else self._ahead[:n])
        del self._ahead[: len(taken)]
        return taken


async def release_by_halves(stream: Any, *, bytes_read: int = 0) -> None:
    """Give a stream's sender new credit once half of the window is used up.

    Args:
        stream: the `YamuxStream` that was read from.
        bytes_read: how much was read; unused, because the window itself knows.
    """
    buffered = len(stream.conn.stream_buffers.get(stream.stream_id, b""))
    if stream.target_recv_window - (stream.recv_window + buffered) < stream.target_recv_window // 2:
        return
    credit = stream._grow_to_delta(buffered) + stream._apply_autotune_epoch(buffered)
    await stream.send_window_update(credit)


YamuxStream._auto_tune_and_send_window_update = release_by_halves


def _with_locks(kind: Any, **locks: Callable[[], EagerLock]) -> None:
    """Give each object of a libp2p class these locks in place of its own."""
    stock = kind.__init__

    def begin(self: Any, *arguments: Any, **named: Any) -> None:
        stock(self, *arguments, **named)
        for name, lock in locks.items():
            assert hasattr(self, name), f"{kind.__name__} has no {name}: is this another libp2p?"
            setattr(self, name, lock())

    kind.__init__ = begin


_with_locks(Yamux, streams_lock=EagerLock, _write_lock=EagerLock)
_with_locks(YamuxStream, window_lock=EagerLock, rw_lock=_WriteLock)
_with_locks(NetStream, _state_lock=EagerLock)


async def write_frame(muxed: Any, data: bytes) -> None:
    """Write one whole yamux frame; note the time if it answers a ping.

    libp2p sends a frame when it ends a stream or connection, and shields that from cancellation.
    With a neighbour that has stopped reading it would wait for ever, and so would whatever opened
    the stream: peer exchange, sync, the shutdown of the process. So such a frame has a time limit.
    After it the connection is closed, because a frame written in part cannot be taken back.

    Args:
        muxed: the connection.
        data: the frame. (Stock yamux parses it again, for a log that nobody reads.)

    Raises:
        RawConnError: a frame that ends a stream or the connection could not be written in time.
    """
    if data[1] == TYPE_PING and data[3] & FLAG_ACK:
        muxed.answered_at = trio.current_time()
    ends = data[1] == TYPE_GO_AWAY or data[3] & FLAG_RST
    with trio.move_on_after(CLOSING_SECONDS if ends else math.inf) as limit:
        async with muxed._write_lock:
            await muxed.secured_conn.write(data)
    if limit.cancelled_caught:
        await muxed.secured_conn.close()
        raise RawConnError("the neighbour has stopped reading")


Yamux._write_frame = write_frame


class OverrunError(trio.TooSlowError):
    """A neighbour sent more than it had credit for.

    A `TooSlowError`, because that makes yamux close the connection; other errors raised there end
    only the stream.
    """


class _ReceiveWindow:
    """In place of `YamuxStream.recv_window`: the credit that the sender has left, in bytes.

    yamux subtracts what arrived right after adding it to the unread bytes, and would continue with
    zero where the credit is exceeded.
    """

    def __get__(self, stream: Any, kind: Any = None) -> Any:
        return self if stream is None else stream._credit

    def __set__(self, stream: Any, credit: int) -> None:
        arrived = credit < getattr(stream, "_credit", 0)
        stream._credit = credit
        if arrived:
            unread = sum(map(len, stream.conn.stream_buffers.values()))
            if credit < 0 or unread > MAX_UNREAD:
                peer = str(stream.conn.peer_id)
                log.info("neighbour_disconnected", peer=peer, reason="window", unread=unread)
                raise OverrunError


YamuxStream.recv_window = _ReceiveWindow()
# This also bounds the length of a frame whose body is read.
libp2p_yamux.MAX_WINDOW_SIZE = MAX_WINDOW
Yamux.answered_at = -math.inf
"""Trio time at which a neighbour's last ping was answered."""


async def measure_nothing(muxed: Any) -> None:
    """Measure nothing: the connection manager's pings already give yamux its round-trip times."""
    await muxed.event_shutting_down.wait()


Yamux._measure_rtt_loop = measure_nothing
