"""libp2p's connections, made cheaper: fewer frames and fewer system calls for the same bytes.

Profiles of peers at work showed half of their time in bookkeeping of the connection (measured in
docs/measurements.md, "Coordination alone"). Two causes, each overridden here because libp2p 0.8.1
is pinned:

=============================  ===================================================================
what                           why
=============================  ===================================================================
window updates by the half     stock yamux answers every read with a window update, which is
                               encrypted, sent, received and decrypted like a message; go-yamux,
                               whose rule this is, waits until half of the window is used
reads of TCP through a buffer  stock noise reads two bytes of length and then the frame, each
                               with a system call of its own
=============================  ===================================================================

`tests/net/test_economy.py` counts both.
"""

from __future__ import annotations

from typing import Any

import trio
from libp2p.io.trio import TrioTCPStream
from libp2p.stream_muxer.yamux.yamux import YamuxStream

READ_AHEAD = 64 * 1024
"""Bytes asked of a socket at once: a noise frame has at most as many."""


class BufferedTCPStream(TrioTCPStream):  # type: ignore[misc]  # libp2p's types are not followed
    """A TCP stream that asks the system for more than is wanted now, and keeps the rest."""

    def __init__(self, stream: trio.SocketStream) -> None:
        """Wrap a connected stream, of which nobody has read yet."""
        super().__init__(stream)
        self._ahead = bytearray()

    async def read(self, n: int | None = None) -> bytes:
        """Return up to `n` bytes, or whatever is there; empty at the end of the stream."""
        if n == 0:
            return b""
        if not self._ahead:
            self._ahead += await super().read(READ_AHEAD)
        else:
            await trio.lowlevel.checkpoint()
        taken = bytes(self._ahead if n is None else self._ahead[:n])
        del self._ahead[: len(taken)]
        return taken


async def release_by_halves(stream: Any, *, bytes_read: int = 0) -> None:
    """Give a stream's sender new credit once half of the window is used up.

    Args:
        stream: the `YamuxStream` that was read from.
        bytes_read: how much; the window itself knows, so it is not needed.
    """
    await trio.lowlevel.checkpoint()
    buffered = len(stream.conn.stream_buffers.get(stream.stream_id, b""))
    if stream.target_recv_window - (stream.recv_window + buffered) < stream.target_recv_window // 2:
        return
    credit = stream._grow_to_delta(buffered) + stream._apply_autotune_epoch(buffered)
    await stream.send_window_update(credit)


YamuxStream._auto_tune_and_send_window_update = release_by_halves
