"""Who is here: a peer's own signs of life, and what it makes of others'.

A presence says who speaks, in what role, with which model and what trouble. It is never stored. A
peer says its own every so often, at once when something changed or somebody new came, and repeats
others' for a newcomer, which may never speak and so never be met. A neighbour whose connection is
gone is missed in seconds, long before its last presence runs out.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import structlog
import trio

from swarm.core.presence import EVERY_MS, presence_every_ms
from swarm.core.records import Presence, Record, SortKey, short_key
from swarm.core.store.store import Store
from swarm.net.timers import until_tick

if TYPE_CHECKING:
    from swarm.net.network import Network

log = structlog.get_logger(__name__)

SOON_SECONDS = 1.0
"""Presence after a newcomer, a change of load or of trouble comes at most this often."""

GONE_SECONDS = 3.0
"""How long a neighbour's connection is missing before it is taken for gone: a redial takes less."""

WATCH_SECONDS = 1.0
"""Between looks at who is connected."""

MAX_GONE = 1_024
"""Peers remembered as gone: as many as a store takes for present."""

GREETING_SECONDS = (0.1, 0.6)
"""Random wait before others' presences are said again for a newcomer: the first silences others."""


@dataclass(frozen=True, kw_only=True)
class PeerView:
    """A peer as its presence shows it."""

    author: str
    name: str
    role: str
    model: str
    load: int
    version: str
    capabilities: tuple[str, ...]
    trouble: str
    seen_ms_ago: int
    is_me: bool
    foreign: bool
    """In an owned swarm, not granted its role: it counts for nothing."""


class Attendance:
    """Keeps up a peer's presence, and its view of others'."""

    def __init__(
        self,
        store: Store,
        author: bytes,
        *,
        say: Callable[[], None],
        missed: Callable[[], None],
    ) -> None:
        """Prepare; nothing runs yet.

        Args:
            store: has the presences heard.
            author: this peer's key.
            say: publishes this peer's own presence.
            missed: told when a peer was taken for gone.
        """
        self._store = store
        self._author = author
        self._say = say
        self._missed = missed
        self._beat = trio.Event()
        self._met: set[bytes] = set()
        """Authors whose presence was heard since they were last missed."""
        self._gone: dict[bytes, SortKey] = {}
        """The latest presence of authors that were taken for gone, by its place in the replay."""
        self._greeting: dict[bytes, bytes] = {}
        """Presences of others, by id, about to be said again for a newcomer."""
        self._greet = trio.Event()
        self._rng = random.Random(author)

    def views(self, now_ms: int) -> list[PeerView]:
        """Return the peers heard lately, and this one if it speaks, by role and name."""
        views = [
            PeerView(
                author=record.author.hex(),
                name=body.name or short_key(record.author),
                role=body.role,
                model=body.model,
                load=body.load,
                version=body.version,
                capabilities=tuple(body.capabilities),
                trouble=body.trouble,
                seen_ms_ago=max(0, now_ms - record.stamp.ms),
                is_me=record.author == self._author,
                foreign=not self._store.roster.allows(record),
            )
            for record in self._store.presences()
            if isinstance(body := record.body, Presence)
        ]
        return sorted(views, key=lambda view: (view.role, view.name, view.author))

    def name_of(self, author: bytes) -> str:
        """Return what people call an author: its presence's name, or the key's first digits."""
        for record in self._store.presences():
            if record.author == author and isinstance(record.body, Presence):
                return record.body.name or short_key(author)
        return short_key(author)

    def hurry(self) -> None:
        """Something about this peer changed: show it soon."""
        self._beat.set()

    def heard(self, record: Record) -> None:
        """Take note of a presence that is new.

        Others repeat the last presence of a peer that is gone until they miss it themselves; only
        what it says afterwards shows that it is back.
        """
        last = self._gone.get(record.author)
        if last is not None and record.key <= last:
            self._store.miss(record.author)
            return
        self._gone.pop(record.author, None)
        if record.author in self._met:
            return
        # Whoever has just come wants to know who is here; it cannot hear everyone directly. In a
        # large swarm one newcomer must not make all speak: its neighbours will do.
        self._met.add(record.author)
        if presence_every_ms(self._store.present) == EVERY_MS:
            self._beat.set()

    def overheard(self, rid: bytes) -> None:
        """Take note that somebody else has just said a record."""
        self._greeting.pop(rid, None)

    def newcomer(self) -> None:
        """Somebody new listens: tell it soon who is here."""
        self._beat.set()
        self._greeting = {
            record.id: record.raw
            for record in self._store.presences()
            if record.author != self._author
        }
        self._greet.set()

    async def beat(self) -> None:
        """Show this peer's presence, until cancelled."""
        while True:
            self._beat = trio.Event()
            try:
                self._say()
            except ValueError as error:
                # A name or capability that no record can carry must not end the peer.
                log.error("presence_not_said", reason=str(error))
            await trio.sleep(SOON_SECONDS)
            pause = presence_every_ms(self._store.present) / 1000 - SOON_SECONDS
            with trio.move_on_after(pause):
                await self._beat.wait()

    async def greet(self, network: Network) -> None:
        """Say others' presences again for newcomers, but for those overheard meanwhile."""
        while True:
            await self._greet.wait()
            await trio.sleep(self._rng.uniform(*GREETING_SECONDS))
            self._greet = trio.Event()
            waiting, self._greeting = self._greeting, {}
            fresh = {record.id for record in self._store.presences()}
            for rid, raw in waiting.items():
                if rid in fresh:
                    network.publish(raw)

    async def watch(self, network: Network) -> None:
        """Miss neighbours that are gone, until cancelled."""
        last_seen: dict[str, float] = {}
        while True:
            await trio.sleep(until_tick(WATCH_SECONDS))
            now = trio.current_time()
            last_seen.update((peer, now) for peer in network.connected())
            gone = {peer for peer, at in last_seen.items() if now - at > GONE_SECONDS}
            for peer in gone:
                del last_seen[peer]
                network.left(peer)
            presences = self._store.presences()
            self._met &= {record.author for record in presences}
            for record in presences:
                if isinstance(record.body, Presence) and record.body.peer in gone:
                    log.info("peer_gone", name=record.body.name, peer=record.body.peer)
                    self._gone[record.author] = record.key
                    while len(self._gone) > MAX_GONE:
                        del self._gone[next(iter(self._gone))]
                    self._store.miss(record.author)
                    self._missed()
