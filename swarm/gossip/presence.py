"""Which peers are present: when a peer shows itself, and what it makes of others' presences.

A presence states who a peer is: its role, its model and what keeps it from working. It is never
stored. A peer publishes its own at an interval, and soon after something about it changed or a
newcomer arrived, and a last one when it ends. It also repeats other peers' presences for a
newcomer, which those peers may not notice: a listener never speaks. A neighbour whose connection
is gone is taken for gone within seconds, long before its last presence runs out.

Nothing here does I/O or reads a clock. `swarm.peer.presence_loop` drives it with timers, and the
simulator drives the same object under its virtual clock. Times are milliseconds on any clock that
only goes forward, unless they are called wall times.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Collection
from dataclasses import dataclass

from swarm.core.records import LEFT, Presence, Record, SortKey, short_key
from swarm.core.store.presences import EVERY_MS, gone_after_ms, presence_every_ms
from swarm.core.store.store import Store
from swarm.gossip.shared_key import SharedKey

LASTING_MS = 75_000
"""How long another process under this peer's key counts at least after its last presence, in ms,
if it is no neighbour: as long as a peer of a small swarm."""

SOON_MS = 1_000
"""Shortest time between two presences of one peer, in ms, however much changes meanwhile."""

GONE_MS = 3_000
"""How long a neighbour's connection is missing before the peer is taken for gone, in ms: a redial
takes less."""

WATCH_MS = 1_000
"""How often the connected neighbours are looked at, in ms."""

MAX_GONE = 1_024
"""How many peers are remembered as gone: as many as a store holds presences."""

GREETING_MS = (100, 600)
"""Shortest and longest random wait before others' presences are repeated for a newcomer, in ms: the
first peer to repeat them keeps the rest from doing so."""


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
    """Whether the swarm is owned and did not grant it its role, so that it does not count."""
    clock_ms: int = 0
    """By how many ms its clock is ahead of this peer's; negative: behind; 0: they agree."""


@dataclass(frozen=True, slots=True)
class ToSay:
    """What to publish now.

    Attributes:
        own: whether this peer shows its own presence.
        repeated: other peers' presences to repeat for newcomers, as raw records.
    """

    own: bool
    repeated: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class Missed:
    """Neighbours that have just been taken for gone.

    Attributes:
        peers: their transport ids.
        presences: the presences that this dropped from the store.
    """

    peers: tuple[str, ...]
    presences: tuple[Record, ...]


class PresenceTracker:
    """Decides when one peer shows its presence, and tracks which others are present."""

    def __init__(
        self, store: Store, author: bytes, *, transport: Callable[[], str] = lambda: ""
    ) -> None:
        """Start with this peer's own presence due at once.

        Args:
            store: holds the presences heard.
            author: this peer's key.
            transport: returns this process's transport id; empty: other processes under the same
                key are not looked for.
        """
        self._transport = transport
        self._shared = SharedKey()
        self._store = store
        self._author = author
        self._shown_ms: int | None = None
        """When this peer last showed itself; None: not yet."""
        self._hurried = False
        self._met: set[bytes] = set()
        """Authors whose presence was heard since they were last missed."""
        self._gone: dict[bytes, SortKey] = {}
        """The sort key of the last presence of each author that was taken for gone."""
        self._greeting: dict[bytes, bytes] = {}
        """Other peers' presences, by id, about to be repeated for a newcomer."""
        self._greet_ms: int | None = None
        self._last_seen_ms: dict[str, int] = {}
        """When each neighbour, by its transport id, was last seen connected."""
        self._rng = random.Random(author)

    def views(self, wall_ms: int) -> list[PeerView]:
        """Return the peers heard lately, and this one if it speaks, by role and name.

        Args:
            wall_ms: the wall time, in ms since the epoch.
        """
        return self._views(self._store.presences(), wall_ms)

    def not_counted(self, wall_ms: int) -> list[PeerView]:
        """Return the peers that do not count as present because their clocks differ too much.

        Args:
            wall_ms: the wall time, in ms since the epoch.
        """
        present = {record.author for record in self._store.presences()} | {self._author}
        records = [record for record, _, _ in self._store.clocks.differing()]
        return self._views([r for r in records if r.author not in present], wall_ms)

    def _views(self, records: list[Record], wall_ms: int) -> list[PeerView]:
        clocks = self._store.clocks
        views = []
        for record in records:
            body = record.body
            assert isinstance(body, Presence)
            is_me = record.author == self._author
            offset = 0 if is_me else clocks.offset_of(record.author)
            views.append(
                PeerView(
                    author=record.author.hex(),
                    name=body.name or short_key(record.author),
                    role=body.role,
                    model=body.model,
                    load=body.load,
                    version=body.version,
                    capabilities=tuple(body.capabilities),
                    trouble=body.trouble,
                    seen_ms_ago=max(0, wall_ms - record.stamp.ms + offset),
                    is_me=is_me,
                    foreign=not self._store.roster.allows(record),
                    clock_ms=offset,
                )
            )
        return sorted(views, key=lambda view: (view.role, view.name, view.author))

    def name_of(self, author: bytes) -> str:
        """Return an author's display name: its presence's name, or the key's first digits."""
        for record in self._store.presences():
            if record.author == author and isinstance(record.body, Presence):
                return record.body.name or short_key(author)
        return short_key(author)

    @property
    def sharing(self) -> frozenset[str]:
        """The transport ids of other processes that use this peer's key now."""
        return self._shared.others

    @property
    def waits(self) -> bool:
        """Whether another process under the same key does the work instead of this one."""
        return self._shared.waits(self._transport())

    def hurry(self) -> None:
        """Make this peer's own presence due soon, because something about the peer changed."""
        self._hurried = True

    def heard(self, record: Record, now_ms: int = 0) -> None:
        """Take note of a presence that the store has just accepted as new.

        Others repeat the last presence of a peer that is gone until they miss it themselves. Only a
        later presence shows that the peer is back.

        Args:
            record: the presence.
            now_ms: the time.
        """
        last = self._gone.get(record.author)
        if last is not None and record.key <= last:
            self._store.miss(record.author)
            return
        if isinstance(record.body, Presence) and record.body.trouble == LEFT:
            self._heard_goodbye(record)
            return
        self._gone.pop(record.author, None)
        if record.author == self._author:
            self._heard_own(record, now_ms)
        if record.author in self._met:
            return
        # A peer that has just come needs to learn who is here, and cannot hear everyone directly.
        # In a large swarm one newcomer must not make every peer speak: its neighbours are enough.
        self._met.add(record.author)
        if presence_every_ms(self._store.present) == EVERY_MS:
            self._hurried = True

    def overheard(self, rid: bytes) -> None:
        """Take note that another peer has just published a record: nobody need repeat it."""
        self._greeting.pop(rid, None)

    def newcomer(self, now_ms: int) -> None:
        """Tell a new subscriber soon who is here."""
        self._hurried = True
        self._greeting = {
            record.id: record.raw
            for record in self._store.presences()
            if record.author != self._author
        }
        if self._greet_ms is None:
            self._greet_ms = now_ms + self._rng.randint(*GREETING_MS)

    def due_ms(self) -> int:
        """Return when `poll` next has something to say."""
        own_ms = self._own_due_ms()
        return own_ms if self._greet_ms is None else min(own_ms, self._greet_ms)

    def poll(self, now_ms: int) -> ToSay:
        """Return what to publish now, and take it for published."""
        own = now_ms >= self._own_due_ms()
        if own:
            self._shown_ms = now_ms
            self._hurried = False
        repeated: tuple[bytes, ...] = ()
        if self._greet_ms is not None and now_ms >= self._greet_ms:
            self._greet_ms = None
            waiting, self._greeting = self._greeting, {}
            fresh = {record.id for record in self._store.presences()}
            repeated = tuple(raw for rid, raw in waiting.items() if rid in fresh)
        return ToSay(own, repeated)

    def watch(self, connected: Collection[str], now_ms: int) -> Missed:
        """Take neighbours for gone whose connection has been missing for a while.

        Call it every `WATCH_MS`.

        Args:
            connected: transport ids of the neighbours connected now.
            now_ms: the time.
        """
        self._last_seen_ms.update((peer, now_ms) for peer in connected)
        gone = {peer for peer, at in self._last_seen_ms.items() if now_ms - at > GONE_MS}
        for peer in gone:
            del self._last_seen_ms[peer]
        presences = self._store.presences()
        self._met &= {record.author for record in presences}
        missed = [
            record
            for record in presences
            if isinstance(record.body, Presence) and record.body.peer in gone
        ]
        for record in missed:
            self._take_for_gone(record)
        lasting_ms = gone_after_ms(len(presences), LASTING_MS)
        self._shared.watch(connected, gone, now_ms, lasting_ms)
        return Missed(tuple(sorted(gone)), tuple(missed))

    def _heard_goodbye(self, record: Record) -> None:
        """Take a peer for gone that says so, unless it was another process under our own key."""
        assert isinstance(record.body, Presence)
        if record.author == self._author:
            if record.body.peer != self._transport():
                self._shared.left(record.body.peer)
                self._hurried = True  # Others took this peer for gone.
            return
        self._take_for_gone(record)

    def _take_for_gone(self, record: Record) -> None:
        """Forget a peer until a later presence of its than this one comes."""
        self._gone[record.author] = record.key
        while len(self._gone) > MAX_GONE:
            del self._gone[next(iter(self._gone))]
        self._met.discard(record.author)
        self._store.miss(record.author)

    def _heard_own(self, record: Record, now_ms: int) -> None:
        """Take note of a presence under this peer's own key, of this process or another one."""
        own = self._transport()
        if not own or not isinstance(record.body, Presence) or not record.body.peer:
            return
        if record.body.peer == own:
            self._shared.shown(record.stamp.ms)
        elif self._shared.heard(record.body.peer, record.stamp.ms, now_ms):
            # The other process notices this one by its presence.
            self._hurried = True

    def _own_due_ms(self) -> int:
        if self._shown_ms is None:
            return 0
        pause = SOON_MS if self._hurried else presence_every_ms(self._store.present)
        return self._shown_ms + pause
