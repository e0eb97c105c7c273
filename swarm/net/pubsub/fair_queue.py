"""A queue of messages that serves the origins that needed the least work first.

Processing a record costs a signature check, and folding it costs more. So each origin has an
account of the work that was done for it, which fades with time, and the origin with the least is
served next. An origin that has used up the work that all get for free is served in the time that is
left: a little at a time, with rests in between that grow while this process has to wait for a core.
So an honest vote waits for milliseconds, however much other origins send.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable

import trio

from swarm.core.bounded import BoundedDict

MAX_WAITING = 64
"""Messages of one origin that may wait. More are dropped; anti-entropy repairs that."""

MAX_WAITING_BYTES = 800 * 1024
"""Bytes of one origin that may wait: no more than it may publish at once (`admission`)."""

MAX_BYTES = 32 * 1024 * 1024
"""Bytes of all messages that may wait. New messages beyond that are dropped."""

FREE_SECONDS = 0.05
"""Work done for an origin at once, in seconds of a core: some 150 records."""

FORGOTTEN_PER_SECOND = 0.02
"""Seconds of work forgotten in a second: a steady 60 records a second are never delayed."""

REST_SHARE = 4.0
"""How many times longer than the work for an origin beyond its free share the rest after it is: all
such origins together get a fifth of a core."""

LATE_SHARE = 4.0
"""How many times the excess length of one rest is added to the next."""

REST_MOST_SHARE = 19.0
"""The longest rest, as a multiple of the work before it: such origins always get a twentieth of a
core."""

MAX_ACCOUNTS = 4_096
"""Accounts kept. The one unused for longest is closed, and its origin counts as new afterwards."""


class Accounts:
    """Work done lately for each origin, in seconds of a core."""

    def __init__(self) -> None:
        self._used: BoundedDict[bytes, tuple[float, float]] = BoundedDict(MAX_ACCOUNTS)

    def used(self, origin: bytes, now_seconds: float) -> float:
        """Return the work done for an origin that is not forgotten yet, in seconds."""
        used, at = self._used.get(origin, (0.0, now_seconds))
        return max(0.0, used - (now_seconds - at) * FORGOTTEN_PER_SECOND)

    def charge(self, origin: bytes, seconds: float, now_seconds: float) -> None:
        """Add work done for an origin."""
        self._used[origin] = self.used(origin, now_seconds) + seconds, now_seconds


class FairQueue:
    """Waiting messages by origin.

    Args:
        read: splits a message of an origin into parts to process one by one. Its cost counts as
            work done for the origin.
    """

    def __init__(self, read: Callable[[bytes, bytes], tuple[bytes, ...]]) -> None:
        self._read = read
        self._queues: dict[bytes, deque[bytes]] = {}
        self._sizes: dict[bytes, int] = {}
        """For each origin, the bytes that wait."""
        self._begun: dict[bytes, tuple[deque[bytes], int]] = {}
        self._reading = 0.0
        """Seconds that reading took in the current turn."""
        self._bytes = 0
        self._filled = trio.Event()
        self._accounts = Accounts()
        self._rest_until = 0.0
        self._late = 0.0

    def has_room(self, origin: bytes, size: int) -> bool:
        """Return whether there is room for a message of so many bytes."""
        if self._bytes + size > MAX_BYTES:
            return False
        queue = self._queues.get(origin)
        return queue is None or (
            len(queue) < MAX_WAITING and self._sizes[origin] + size <= MAX_WAITING_BYTES
        )

    def put(self, origin: bytes, data: bytes) -> bool:
        """Add a message; return whether there was room."""
        if not self.has_room(origin, len(data)):
            return False
        self._queues.setdefault(origin, deque()).append(data)
        self._bytes += len(data)
        self._sizes[origin] = self._sizes.get(origin, 0) + len(data)
        self._filled.set()
        return True

    async def turn(self) -> tuple[bytes, deque[bytes]]:
        """Wait for a message to process; return its origin and the remaining parts.

        Remove parts as they are processed. Call `end` afterwards.
        """
        origin = await self._next()
        self._reading = 0.0
        if origin not in self._begun:
            data = self._queues[origin][0]
            began = time.thread_time()
            self._begun[origin] = deque(self._read(origin, data)), len(data)
            self._reading = time.thread_time() - began
        return origin, self._begun[origin][0]

    async def _next(self) -> bytes:
        rested = False
        while True:
            self._filled = trio.Event()
            now_seconds = trio.current_time()
            if self._queues:
                used, origin = min((self._accounts.used(o, now_seconds), o) for o in self._queues)
                if used < FREE_SECONDS or now_seconds >= self._rest_until:
                    if used >= FREE_SECONDS:
                        self._late = now_seconds - self._rest_until if rested else 0.0
                    return origin
                rested = True
            with trio.move_on_at(self._rest_until if self._queues else float("inf")):
                await self._filled.wait()

    def end(self, origin: bytes, *, seconds: float, whole: bool = True) -> None:
        """End an origin's turn.

        Args:
            origin: the origin.
            seconds: the work that the turn took, besides reading.
            whole: whether its message is done, even if not all parts were processed.
        """
        now_seconds = trio.current_time()
        seconds += self._reading
        if self._accounts.used(origin, now_seconds) >= FREE_SECONDS:
            rest = REST_SHARE * seconds + LATE_SHARE * self._late
            self._rest_until = now_seconds + min(rest, REST_MOST_SHARE * seconds)
        self._accounts.charge(origin, seconds, now_seconds)
        if not whole or origin not in self._begun:
            return
        _, size = self._begun.pop(origin)
        self._bytes -= size
        self._sizes[origin] -= size
        queue = self._queues[origin]
        queue.popleft()
        if not queue:
            del self._queues[origin], self._sizes[origin]
