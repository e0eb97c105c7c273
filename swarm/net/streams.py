"""Length-prefixed messages on libp2p streams, for the protocols of this project."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import trio
from libp2p.peer.id import ID

from swarm.gossip.frames import FrameError

READ_CHUNK = 64 * 1024
"""Bytes read or written at once; a yamux window has 256 KiB."""


class Messages:
    """Messages that are preceded by their length in four bytes, big endian.

    Args:
        stream: a libp2p stream.
        longest: bytes of the longest message accepted.

    Attributes:
        moved: bytes read and written so far.
    """

    def __init__(self, stream: Any, longest: int) -> None:
        self._stream = stream
        self._longest = longest
        self._buffer = bytearray()
        self.moved = 0

    async def exactly(self, size: int) -> bytes:
        """Return the next `size` bytes.

        Raises:
            EOFError: the stream ended before.
        """
        while len(self._buffer) < size:
            chunk = await self._stream.read(READ_CHUNK)
            if not chunk:
                raise EOFError("the stream ended early")
            self._buffer += chunk
            self.moved += len(chunk)
        taken = bytes(self._buffer[:size])
        del self._buffer[:size]
        return taken

    async def message(self) -> bytes | None:
        """Return the next message, or None if the other side ended the stream between two.

        Raises:
            FrameError: it is too long.
        """
        try:
            size = int.from_bytes(await self.exactly(4))
        except Exception:
            # libp2p's streams report their end in several ways; between messages this is normal.
            if self._buffer:
                raise
            return None
        if size > self._longest:
            raise FrameError(f"a message of {size} bytes; at most {self._longest} are allowed")
        return await self.exactly(size)

    async def send(self, message: bytes) -> None:
        """Write one message."""
        data = len(message).to_bytes(4) + message
        for start in range(0, len(data), READ_CHUNK):
            await self._stream.write(data[start : start + READ_CHUNK])
        self.moved += len(data)


def peer_id_of(text: str) -> Any:
    """Return the libp2p form of a peer id."""
    return ID.from_base58(text)


async def reset(stream: Any) -> None:
    """Reset a stream, if there is one. Never raises."""
    if stream is not None:
        with trio.move_on_after(1), suppress(Exception):
            await stream.reset()
