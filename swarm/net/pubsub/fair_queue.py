"""Messages that wait to be looked into: who needed little work lately comes first.

Looking into a record costs a signature check, and folding it costs more. So each origin has an
account of the work that was done for it, which is forgotten with time, and the one with the least
is served next. Who has used up what everybody has for free is served in what time is left: little
at a time, with rests between, which grow while this process finds no core when it wants one. An
honest vote therefore waits for milliseconds, however much somebody else sends.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable

import trio

from swarm.core.bounded import BoundedDict

MAX_WAITING = 64
"""Messages of one origin that may wait; more are dropped and brought again by anti-entropy."""

MAX_WAITING_BYTES = 800 * 1024
"""Their bytes, once a message waits: no more than the origin may say at once (`admission`)."""

MAX_BYTES = 32 * 1024 * 1024
"""Bytes of all messages that may wait; over it, new ones are dropped."""

FREE_SECONDS = 0.05
"""Work that is done for an origin at once, in seconds of a core: some 150 records."""

FORGOTTEN_PER_SECOND = 0.02
"""Seconds of work forgiven a second: a steady 60 records a second is never put off."""

REST_SHARE = 4.0
"""How many times longer than the work for one over its free time is the rest after it: a fifth of
a core for all of them together."""

LATE_SHARE = 4.0
"""How many times what a rest took too long is added to the next one."""

REST_MOST_SHARE = 19.0
"""The longest rest, in times the work before: a twentieth of a core is always left for them."""

MAX_ACCOUNTS = 4_096
"""Accounts kept; the one unused for longest is closed, and counts as new if it comes again."""


class Accounts:
    """Work done lately for each origin, in seconds."""

    def __init__(self) -> None:
        self._used: BoundedDict[bytes, tuple[float, float]] = BoundedDict(MAX_ACCOUNTS)

    def used(self, origin: bytes, now_seconds: float) -> float:
        """Return the work done for an origin that is not forgotten yet, in seconds."""
        used, at = self._used.get(origin, (0.0, now_seconds))
        return max(0.0, used - (now_seconds - at) * FORGOTTEN_PER_SECOND)

    def charge(self, origin: bytes, seconds: float, now_seconds: float) -> None:
        """Note work done for an origin."""
        self._used[origin] = self.used(origin, now_seconds) + seconds, now_seconds


class FairQueue:
    """Messages by origin.

    Args:
        read: takes a message of an origin apart into what is looked into bit by bit. What it costs
            is work done for the origin as well.
    """

    def __init__(self, read: Callable[[bytes, bytes], tuple[bytes, ...]]) -> None:
        self._read = read
        self._queues: dict[bytes, deque[bytes]] = {}
        self._sizes: dict[bytes, int] = {}
        """Bytes that wait of each origin."""
        self._begun: dict[bytes, tuple[deque[bytes], int]] = {}
        self._reading = 0.0
        """Seconds that reading took in the turn at hand."""
        self._bytes = 0
        self._filled = trio.Event()
        self._accounts = Accounts()
        self._rest_until = 0.0
        self._late = 0.0

    def has_room(self, origin: bytes, size: int) -> bool:
        """Return whether a message of so many bytes may wait."""
        if self._bytes + size > MAX_BYTES:
            return False
        queue = self._queues.get(origin)
        return queue is None or (
            len(queue) < MAX_WAITING and self._sizes[origin] + size <= MAX_WAITING_BYTES
        )

    def put(self, origin: bytes, data: bytes) -> bool:
        """Let a message wait; return whether there was room."""
        if not self.has_room(origin, len(data)):
            return False
        self._queues.setdefault(origin, deque()).append(data)
        self._bytes += len(data)
        self._sizes[origin] = self._sizes.get(origin, 0) + len(data)
        self._filled.set()
        return True

    async def turn(self) -> tuple[bytes, deque[bytes]]:
        """Wait for something to look into; return its origin, and what is left of its message.

        Taking from the latter is how it gets less. `end` has to follow.
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
        """Be done with an origin's turn.

        Args:
            origin: whose.
            seconds: the work it took, besides reading.
            whole: whether its message is done with, looked into or not.
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
