"""One key, two processes: how a peer notices that another process publishes under its own key.

A copied state directory makes two processes one author. Both would make every model call. They
notice each other by their presences, which name the transport id of the process. Then the process
with the smallest transport id goes on, and the others start no model calls until it is gone.

A restarted peer may hear its previous process's last presence from others. That is no second
process: a presence counts only if its process is connected now, or if it was stamped so long after
this process's own first presence that a process which ended before could not have stamped it.
"""

from __future__ import annotations

from collections.abc import Collection

from swarm.core.clock import MAX_DRIFT_MS

SURE_AFTER_MS = 2 * MAX_DRIFT_MS
"""How much later than this process's first presence a stamp is proof of a second process, in ms:
the stamps of the previous process and of this one may each be off by `MAX_DRIFT_MS`."""

MAX_OTHERS = 16
"""How many other processes are remembered. Only holders of the key can make one up."""


class SharedKey:
    """Tracks the other processes that use one peer's key."""

    def __init__(self) -> None:
        """Start alone."""
        self._first_ms: int | None = None
        """Stamp of this process's first presence; None: none yet."""
        self._heard_ms: dict[str, int] = {}
        """When each other process was last heard or connected, by its transport id."""
        self._sure: set[str] = set()
        """Transport ids that are proven to be running processes."""

    @property
    def others(self) -> frozenset[str]:
        """The transport ids of the other processes that use this key now."""
        return frozenset(self._sure)

    def shown(self, stamp_ms: int) -> None:
        """Take note of a presence of this process's own."""
        if self._first_ms is None:
            self._first_ms = stamp_ms

    def heard(self, transport: str, stamp_ms: int, now_ms: int) -> bool:
        """Take note of a presence under this peer's key from another transport id.

        Returns:
            Whether that transport id was not known.

        Args:
            transport: the transport id that the presence names.
            stamp_ms: the presence's stamp.
            now_ms: the time, on the clock that `watch` uses.
        """
        new = transport not in self._heard_ms
        if new and len(self._heard_ms) >= MAX_OTHERS:
            return False
        self._heard_ms[transport] = now_ms
        if self._first_ms is not None and stamp_ms > self._first_ms + SURE_AFTER_MS:
            self._sure.add(transport)
        return new

    def left(self, transport: str) -> None:
        """Take note that a process has ended in good order."""
        self._heard_ms.pop(transport, None)
        self._sure.discard(transport)

    def watch(
        self, connected: Collection[str], gone: Collection[str], now_ms: int, lasting_ms: int
    ) -> None:
        """Take connected processes for running, and forget those that are gone.

        Args:
            connected: transport ids of the neighbours connected now.
            gone: transport ids of neighbours that have just been taken for gone.
            now_ms: the time.
            lasting_ms: how long a process that is no neighbour counts after its last presence.
        """
        for transport, heard_ms in list(self._heard_ms.items()):
            if transport in connected:
                self._heard_ms[transport] = now_ms
                self._sure.add(transport)
            elif transport in gone or now_ms - heard_ms > lasting_ms:
                del self._heard_ms[transport]
                self._sure.discard(transport)

    def waits(self, own: str) -> bool:
        """Return whether the process with a transport id leaves the work to another one."""
        return any(other < own for other in self._sure)
