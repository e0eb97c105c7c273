"""The timers of presence: publishes what `swarm.gossip.presence` finds due, under trio.

All decisions are in that module, which the simulator drives too. Here are only waiting, publishing
and logging.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

import structlog
import trio

from swarm.core.records import Presence, Record
from swarm.core.store.store import Store
from swarm.gossip.presence import WATCH_MS, PeerView, PresenceTracker
from swarm.net.timers import until_tick

log = structlog.get_logger(__name__)

MEET_MS = 8_000
"""How long after its start a peer that has heard nobody knows that nobody is here: peers that are
here greet a newcomer within a second of meeting it, and are met within a few."""

GONE_NAMES = 3
"""How many names the log line about several peers that are gone gives."""


class Neighbourhood(Protocol):
    """What the loop needs of the network."""

    def publish(self, raw: bytes) -> None:
        """Send a record."""

    def connected(self) -> tuple[str, ...]:
        """Return the ids of the neighbours connected now."""

    def left(self, peer: str) -> None:
        """Take note that a neighbour is taken for gone."""


class PresenceLoop:
    """Keeps up a peer's presence and its view of other peers."""

    def __init__(
        self,
        store: Store,
        author: bytes,
        *,
        publish_own: Callable[[], None],
        on_missed: Callable[[], None],
        transport: Callable[[], str] = lambda: "",
    ) -> None:
        """Prepare; nothing runs yet.

        Args:
            store: holds the presences heard.
            author: this peer's key.
            publish_own: publishes this peer's own presence.
            on_missed: called when a peer was taken for gone, or other processes under this peer's
                key have come or gone.
            transport: returns this process's transport id; empty: other processes under the same
                key are not looked for.
        """
        self._tracker = PresenceTracker(store, author, transport=transport)
        self._transport = transport
        self._sharing: frozenset[str] = frozenset()
        """The other processes under this peer's key that were logged last."""
        self._publish_own = publish_own
        self._on_missed = on_missed
        self._wake = trio.Event()
        self._sleeps_until_ms = 0
        self._author = author
        self._watched_since_ms: int | None = None
        """When this peer began to watch its neighbours; None: not yet."""
        self._met_another = False

    def views(self, wall_ms: int) -> list[PeerView]:
        """Return the peers heard lately, and this one if it speaks, by role and name."""
        return self._tracker.views(wall_ms)

    def not_counted(self, wall_ms: int) -> list[PeerView]:
        """Return the peers that do not count as present because their clocks differ too much."""
        return self._tracker.not_counted(wall_ms)

    def acquainted(self) -> bool:
        """Return whether another peer was ever heard, or would have been by now."""
        since_ms = self._watched_since_ms
        waited = since_ms is not None and _clock_ms() - since_ms >= MEET_MS
        return self._met_another or waited

    def name_of(self, author: bytes) -> str:
        """Return an author's display name: its presence's name, or the key's first digits."""
        return self._tracker.name_of(author)

    @property
    def sharing(self) -> bool:
        """Whether other processes use this peer's key now."""
        return bool(self._sharing)

    @property
    def waits(self) -> bool:
        """Whether another process under the same key does the work instead of this one."""
        return self.sharing and self._tracker.waits

    def hurry(self) -> None:
        """Show this peer soon, because something about it changed."""
        self._tracker.hurry()
        self._wake_if_sooner()

    def heard(self, record: Record) -> None:
        """Take note of a presence that is new."""
        self._met_another |= record.author != self._author
        self._tracker.heard(record, _clock_ms())
        self._check_sharing()
        self._wake_if_sooner()

    def overheard(self, rid: bytes) -> None:
        """Take note that another peer has just published a record."""
        self._tracker.overheard(rid)

    def newcomer(self) -> None:
        """Tell a new subscriber soon who is here."""
        self._tracker.newcomer(_clock_ms())
        self._wake_if_sooner()

    async def speak(self, network: Neighbourhood) -> None:
        """Publish what is due, until cancelled."""
        while True:
            self._wake = trio.Event()
            to_say = self._tracker.poll(_clock_ms())
            if to_say.own:
                self._show()
            for raw in to_say.repeated:
                network.publish(raw)
            self._sleeps_until_ms = self._tracker.due_ms()
            # At least a millisecond, because the clock is rounded down to whole ones.
            pause_ms = max(1, self._sleeps_until_ms - _clock_ms())
            with trio.move_on_after(pause_ms / 1000):
                await self._wake.wait()

    def _wake_if_sooner(self) -> None:
        """Wake the speaking loop if what happened made something due before it wakes by itself."""
        if self._tracker.due_ms() < self._sleeps_until_ms:
            self._wake.set()

    def _show(self) -> None:
        try:
            self._publish_own()
        except ValueError as error:
            # A name or capability that no record can carry must not end the peer.
            log.error("presence_not_published", reason=str(error))

    async def watch(self, network: Neighbourhood) -> None:
        """Take neighbours for gone that stay disconnected, until cancelled."""
        self._watched_since_ms = _clock_ms()
        while True:
            await trio.sleep(until_tick(WATCH_MS / 1000))
            missed = self._tracker.watch(network.connected(), _clock_ms())
            for peer in missed.peers:
                network.left(peer)
            if missed.presences:
                _log_gone(missed.presences)
                self._on_missed()
            self._check_sharing()

    def _check_sharing(self) -> None:
        """Log it and show it to others when processes under this peer's key have come or gone."""
        sharing = self._tracker.sharing
        if sharing == self._sharing:
            return
        self._sharing = sharing
        if sharing:
            log.warning(
                "key_in_use_twice",
                peer=self._transport(),
                others=sorted(sharing),
                meaning="another process uses this peer's key, perhaps from a copy of its state "
                "directory; "
                + (
                    "it goes on, and this one starts no model calls until the other is gone"
                    if self.waits
                    else "this one goes on, and the other starts no model calls"
                ),
                help="stop one of them, or start it with another --name or --state-dir, which "
                "gives it a key of its own",
            )
        else:
            log.info(
                "key_in_use_once", meaning="the other process is gone; this one works alone again"
            )
        self._on_missed()
        self.hurry()


def _log_gone(presences: Sequence[Record]) -> None:
    """Log peers that are gone, in one line however many: made-up presences cost nothing."""
    bodies = [record.body for record in presences if isinstance(record.body, Presence)]
    if len(bodies) == 1:
        log.info("peer_gone", name=bodies[0].name, peer=bodies[0].peer)
    else:
        names = [body.name for body in bodies[:GONE_NAMES]]
        log.info("peers_gone", count=len(bodies), names=", ".join(names))


def _clock_ms() -> int:
    """Return the time in ms on trio's clock; 0 for what comes before the peer runs."""
    try:
        return int(trio.current_time() * 1000)
    except RuntimeError:
        return 0
