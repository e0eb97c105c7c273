"""Messages that wait to be looked into, served by turns of those who published them.

Looking into a record costs a signature check. So that one who sends very many does not hold up all
the others, each origin has a short queue of its own, and a turn is a small slice of its first
message.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Callable

import trio

MAX_WAITING = 64
"""Messages of one origin that may wait; more are dropped and brought again by anti-entropy."""

MAX_BYTES = 32 * 1024 * 1024
"""Bytes of all messages that may wait; over it, new ones are dropped."""


class Inbox:
    """Messages by origin.

    Args:
        read: takes a message of an origin apart into what is looked into bit by bit.
    """

    def __init__(self, read: Callable[[bytes, bytes], tuple[bytes, ...]]) -> None:
        self._read = read
        self._queues: OrderedDict[bytes, deque[bytes]] = OrderedDict()
        self._begun: dict[bytes, tuple[deque[bytes], int]] = {}
        self._bytes = 0
        self._filled = trio.Event()

    def put(self, origin: bytes, data: bytes) -> bool:
        """Let a message wait; return whether there was room."""
        queue = self._queues.get(origin)
        if self._bytes + len(data) > MAX_BYTES or (queue and len(queue) >= MAX_WAITING):
            return False
        if queue is None:
            queue = self._queues[origin] = deque()
        queue.append(data)
        self._bytes += len(data)
        self._filled.set()
        return True

    async def turn(self) -> tuple[bytes, deque[bytes]]:
        """Wait for something to look into; return its origin, and what is left of its message.

        Taking from the latter is how it gets less. The origin's next turn is the last.
        """
        while not self._queues:
            self._filled = trio.Event()
            await self._filled.wait()
        origin = next(iter(self._queues))
        if origin not in self._begun:
            data = self._queues[origin][0]
            self._begun[origin] = deque(self._read(origin, data)), len(data)
        self._queues.move_to_end(origin)
        return origin, self._begun[origin][0]

    def end(self, origin: bytes, *, whole: bool = True) -> None:
        """Be done with an origin's turn.

        Args:
            origin: whose.
            whole: whether its message is done with, looked into or not.
        """
        if not whole or origin not in self._begun:
            return
        _, size = self._begun.pop(origin)
        self._bytes -= size
        queue = self._queues[origin]
        queue.popleft()
        if not queue:
            del self._queues[origin]
