"""The network of one peer: give it records to publish, and it delivers those of others.

`Network` puts the parts together: a host that only members can reach and its connections
(`connections`), the ways to find peers (`discovery`), gossip that no frame can stop (`pubsub`), the
gossip protocol itself (`swarm.gossip`), and the sync stream (`sync`). It knows records only as
bytes (`swarm.gossip.record_set`).

It runs under plain trio and as a trio guest on asyncio: nothing here assumes `trio.run`, signals or
the main thread. If libp2p itself fails, the host is built again on the same address, and the record
set restores the rest.
"""

from __future__ import annotations

import random
import time
from collections import deque
from collections.abc import Callable
from typing import Any

import structlog
import trio
from libp2p.peer.id import ID
from libp2p.tools.anyio_service import background_trio_service
from multiaddr import Multiaddr

from swarm.gossip import frames
from swarm.gossip.frames import FrameError
from swarm.gossip.protocol import Gossip
from swarm.gossip.record_set import MAX_RECORD, MIN_RECORD, AddResult, RecordSet, record_id
from swarm.gossip.scope import Scope
from swarm.net.addresses import check_listen, is_loopback, parse_address, without_peer_id
from swarm.net.connections.host import (
    build_host,
    check_free,
    end_with,
    hang_up,
    pass_on_cancel,
)
from swarm.net.connections.manager import ConnectionManager, Neighbour
from swarm.net.discovery.address_book import AddressBook, realm_of
from swarm.net.discovery.mdns import Mdns
from swarm.net.discovery.peer_exchange import PeerExchange
from swarm.net.errors import ListenError, SettingsError, SilentPeerError, blame
from swarm.net.pubsub.fair_queue import FairQueue
from swarm.net.pubsub.safe_pubsub import SafePubsub
from swarm.net.pubsub.safe_router import build_router
from swarm.net.settings import Counters, NetSettings, check_key
from swarm.net.sync import Session, Sync

__all__ = ["Counters", "Neighbour", "NetSettings", "Network"]

log = structlog.get_logger(__name__)

TOPIC_PREFIX = "/leaderless/1/"
"""The topic of a swarm is this and its name."""

MAX_SWARM_NAME = 64
"""Characters of a swarm's name (a record holds no more)."""

SLICE_SECONDS = 0.001
"""Work on one message before another origin and all other tasks get a turn, in seconds of a
core."""

NOT_KEPT = (AddResult.REJECTED, AddResult.STALE, AddResult.FULL)
"""Outcomes of records that did not stay."""

REBUILD_FIRST_SECONDS = 1.0
REBUILD_MOST_SECONDS = 30.0
"""Seconds until a failed host is built again, doubling from the first to the second value."""

REBUILD_FORGET_SECONDS = 300.0
"""Seconds that a host must have run for its failure to count as the first."""


class Network:
    """One peer's part of the network.

    Args:
        settings: how the peer takes part; checked here.
        records: what it holds; every record that arrives is added to it.
        now: returns the wall clock in milliseconds since the epoch, for `records.add`.
        on_record: called with each record that arrives and what became of it.
        on_newcomer: called when a newcomer subscribes, so that presence is published soon.
        rng: for delays and choices; a fresh one by default.

    Raises:
        SettingsError: a setting cannot be used; the message says what to do.
    """

    def __init__(
        self,
        settings: NetSettings,
        records: RecordSet,
        *,
        now: Callable[[], int],
        on_record: Callable[[bytes, AddResult], None],
        on_newcomer: Callable[[], None],
        rng: random.Random | None = None,
    ) -> None:
        if not 0 < len(settings.swarm) <= MAX_SWARM_NAME:
            raise SettingsError(
                f"The swarm name {settings.swarm[:80]!r} has {len(settings.swarm)} characters; "
                f"1 to {MAX_SWARM_NAME} are allowed."
            )
        self._key = check_key(settings.swarm_key)
        check_listen(settings.listen, self._key, allow_open=settings.allow_open)
        for address in settings.peers:
            parse_address(address)
        self._settings = settings
        self._topic = TOPIC_PREFIX + settings.swarm
        self._records = records
        self._now = now
        self._on_record = on_record
        self._on_newcomer = on_newcomer
        self._rng = rng or random.Random()
        self._counters = Counters()
        self._early: list[bytes] = []
        self._gossip: Gossip | None = None
        self._wake = trio.Event()
        self._pubsub: SafePubsub | None = None
        self._connections: ConnectionManager | None = None
        self._sync: Sync | None = None
        self._peer_exchange: PeerExchange | None = None
        self.addresses: tuple[str, ...] = ()
        self.peer_id = ""

    def publish(self, raw: bytes) -> None:
        """Publish an own record, which must already be in the record set. Never blocks.

        A record that the set does not keep is taken for a presence: only the newest is published.

        Raises:
            SilentPeerError: this peer may only listen.
            ValueError: no record can have the size of these bytes.
        """
        if not self._settings.speaks:
            raise SilentPeerError("This peer only listens (speaks=False); it cannot publish.")
        if not MIN_RECORD <= len(raw) <= MAX_RECORD:
            raise ValueError(f"a record has {MIN_RECORD} to {MAX_RECORD} bytes, not {len(raw)}")
        if self._gossip is None:
            self._early.append(raw)
        else:
            self._gossip.publish(raw, _now_ms())
            self._wake.set()

    def neighbours(self) -> tuple[Neighbour, ...]:
        """Return the peers that we are connected to now."""
        return self._connections.neighbours() if self._connections is not None else ()

    def connected(self) -> tuple[str, ...]:
        """Return the ids of the peers that we are connected to now; cheaper than `neighbours`."""
        return self._connections.connected() if self._connections is not None else ()

    async def collect(self, scope: Scope) -> list[Session]:
        """Ask all neighbours over streams for the goals of a scope; return how that went.

        An empty list: nobody answered, or this peer may not ask.
        """
        return [] if self._sync is None else await self._sync.collect(scope)

    def counters(self) -> Counters:
        """Return the counts so far, as a live object that callers must not change."""
        return self._counters

    async def run(self, *, task_status: Any = trio.TASK_STATUS_IGNORED) -> None:
        """Take part until cancelled. Report started once listening and subscribed.

        Raises:
            ListenError: at the start, if no address can be listened on.
        """
        self._gossip = Gossip(
            self._records,
            self._rng,
            _now_ms(),
            speaks=self._settings.speaks,
            asks=self._settings.may_ask,
            hands_off=self._hands_off,
        )
        early, self._early = self._early, []
        for raw in early:
            self._gossip.publish(raw, _now_ms())
        listen = self._settings.listen
        pause = REBUILD_FIRST_SECONDS
        started = False
        while True:

            def ready() -> None:
                nonlocal started
                if not started:
                    started = True
                    task_status.started()

            began = trio.current_time()
            try:
                await self._run_host(listen, ready)
            except ListenError:
                if not started:
                    raise
                log.warning("listen_failed", addresses=listen)
            except Exception as error:
                # A host that fails, for whatever reason, is built again.
                if not started:
                    raise
                log.error("host_failed", reason=blame(error))
            finally:
                self._pubsub = self._connections = self._sync = self._peer_exchange = None
            self._counters.rebuilds += 1
            if trio.current_time() - began > REBUILD_FORGET_SECONDS:
                pause = REBUILD_FIRST_SECONDS
            listen = tuple(without_peer_id(a) for a in self.addresses) or listen
            await trio.sleep(pause)
            pause = min(2 * pause, REBUILD_MOST_SECONDS)

    async def _run_host(self, listen: tuple[str, ...], ready: Callable[[], None]) -> None:
        """Run one host, and shut it down properly.

        When libp2p is cancelled, it leaves sockets and listeners open until the process ends. So a
        cancellation from outside reaches only what runs on the host, which is then closed.
        """
        error: Exception | None = None
        async with trio.open_nursery() as nursery:
            living, shield = trio.CancelScope(), trio.CancelScope(shield=True)
            nursery.start_soon(pass_on_cancel, living, shield)
            with shield:
                try:
                    await self._host_life(listen, ready, living)
                except Exception as caught:
                    # Raised again below, outside the nursery that would wrap it.
                    error = caught
            nursery.cancel_scope.cancel()
        await trio.lowlevel.checkpoint_if_cancelled()
        if error is not None:
            raise error

    async def _host_life(
        self, listen: tuple[str, ...], ready: Callable[[], None], living: trio.CancelScope
    ) -> None:
        check_free(listen)
        host = build_host(listen, self._key)
        router = build_router()
        queue = FairQueue(self._read)
        pubsub = SafePubsub(
            host,
            router,
            self._topic,
            has_room=queue.has_room,
            on_subscriber=self._subscribed,
            on_bad_frame=self._note_bad,
        )
        book = self._open_book()
        if book is not None:
            await trio.to_thread.run_sync(book.open)
        connections = ConnectionManager(
            host,
            self._key,
            listed=self._settings.peers,
            book=book,
            book_folder=self._settings.address_book,
            subscribers=pubsub.subscribers,
            speakers=pubsub.speakers,
            heard=pubsub.heard,
            rng=self._rng,
        )
        failure: ListenError | None = None
        # Pubsub and router run before the host: an early stream would find no handler.
        async with background_trio_service(router), background_trio_service(pubsub):
            await pubsub.wait_until_ready()
            subscription = await pubsub.subscribe(self._topic)
            maddrs = [Multiaddr(text) for text in listen]
            async with host.run(listen_addrs=maddrs):
                # Raised only after the services have ended, because they would wrap it in groups.
                failure = self._take_addresses(host, listen)
                self._pubsub, self._connections = pubsub, connections
                if self._settings.may_ask or self._hands_off:
                    self._sync = self._build_sync(host, pubsub)
                if self._settings.may_ask:
                    self._peer_exchange = PeerExchange(
                        host,
                        self.addresses,
                        subscribers=pubsub.subscribers,
                        found=connections.found,
                        rng=self._rng,
                    )
                if failure is None:
                    with living:
                        await self._live(
                            host, pubsub, connections, subscription, queue, book, ready
                        )
        if failure is not None:
            raise failure

    def _take_addresses(self, host: Any, listen: tuple[str, ...]) -> ListenError | None:
        addresses = tuple(f"{a}/p2p/{host.get_id()}" for a in host.get_transport_addrs())
        if not addresses:
            return ListenError(
                f"Cannot listen on {', '.join(listen)}. The port is probably taken by another "
                "program, or the address is not one of this machine; /tcp/0 picks a free port."
            )
        self.addresses, self.peer_id = addresses, str(host.get_id())
        return None

    async def _live(
        self,
        host: Any,
        pubsub: SafePubsub,
        connections: ConnectionManager,
        subscription: Any,
        queue: FairQueue,
        book: AddressBook | None,
        ready: Callable[[], None],
    ) -> None:
        """Do all that a connected host does, until cancelled or until a service of libp2p ends."""
        try:
            async with trio.open_nursery() as nursery:
                if book is not None:
                    await _write_entry(book, self.peer_id, self.addresses)
                nursery.start_soon(self._drain, subscription, queue)
                nursery.start_soon(self._process_queue, queue, pubsub)
                nursery.start_soon(self._publish_due, pubsub)
                nursery.start_soon(connections.run)
                for part in (self._sync, self._peer_exchange):
                    if part is not None:
                        nursery.start_soon(part.run)
                if self._use_mdns():
                    mdns = Mdns(host, self._realm, self.addresses, connections.found)
                    nursery.start_soon(mdns.run)
                for service in (pubsub, pubsub.router, host.get_network()):
                    nursery.start_soon(end_with, service.manager)
                ready()
        finally:
            if book is not None:
                book.remove()
            await hang_up(host)

    def _build_sync(self, host: Any, pubsub: SafePubsub) -> Sync:
        return Sync(
            host,
            self._records,
            take=lambda raw: self._take(raw, overheard=False),
            subscribers=pubsub.subscribers,
            finished=self._synced,
            rng=self._rng,
            # A peer that collects no history would answer as if there were none.
            answers=self._settings.may_ask and self._settings.history,
            on_meeting=self._settings.may_ask or self._settings.asks_on_meeting,
            history=self._settings.history,
        )

    def _synced(self, peer: str, size: int) -> None:
        self._counters.syncs += 1
        self._counters.sync_bytes += size
        if self._gossip is not None:
            self._gossip.synced(peer)

    @property
    def _hands_off(self) -> bool:
        settings = self._settings
        return settings.may_hand_off and not settings.may_ask and not settings.speaks

    @property
    def _realm(self) -> str:
        return realm_of(self._settings.swarm, self._key)

    def _open_book(self) -> AddressBook | None:
        folder = self._settings.address_book
        return AddressBook(folder, self._realm) if folder is not None else None

    def _use_mdns(self) -> bool:
        """Return whether mDNS is needed: to reach other machines, or because there is no book."""
        beyond = any(not is_loopback(parse_address(a)[1]) for a in self.addresses)
        return self._settings.mdns and (beyond or self._settings.address_book is None)

    async def _drain(self, subscription: Any, queue: FairQueue) -> None:
        """Empty libp2p's channel at once, because it silently drops what does not fit."""
        own = self.peer_id
        while True:
            message = await subscription.get()
            author = str(ID(message.from_id))
            if author == own:
                continue
            if self._connections is not None:
                self._connections.heard_from(author)
            if self._gossip is not None:
                self._gossip.heard_from(author, _now_ms())
            self._counters.messages_received += 1
            self._counters.bytes_received += len(message.data)
            log.debug("frame_received", bytes=len(message.data))
            if not queue.put(bytes(message.from_id), message.data):
                self._counters.dropped_frames += 1

    async def _process_queue(self, queue: FairQueue, pubsub: SafePubsub) -> None:
        """Process what waits, one slice at a time."""
        while True:
            origin, records = await queue.turn()
            began = time.thread_time()
            whole = self._process(origin, records, pubsub, began + SLICE_SECONDS)
            queue.end(origin, seconds=time.thread_time() - began, whole=whole)
            await trio.lowlevel.checkpoint()

    def _process(
        self, origin: bytes, records: deque[bytes], pubsub: SafePubsub, until: float
    ) -> bool:
        """Process records of one origin for a while; return whether its message is done."""
        while records:
            outcome = self._take(records.popleft(), overheard=True)
            if outcome is AddResult.REJECTED and pubsub.admission.report_fault(origin, _now_ms()):
                log.info("origin_muted", peer=str(ID(origin)))
                return True
            if time.thread_time() > until:
                break
        return not records

    def _read(self, origin: bytes, data: bytes) -> tuple[bytes, ...]:
        """Act on a message; return the records in it, which are processed later."""
        try:
            frame = frames.decode(data)
        except FrameError as error:
            self._note_bad()
            log.debug("frame_dropped", reason=str(error))
            return ()
        if isinstance(frame, frames.Bundle):
            return frame.records
        if isinstance(frame, frames.Digest) and self._gossip is not None:
            if self._pubsub is None or not self._pubsub.admission.may_compare(origin, _now_ms()):
                self._counters.dropped_frames += 1
                log.debug("digest_dropped", peer=str(ID(origin)))
                return ()
            self._gossip.digest(frame, _now_ms(), str(ID(origin)))
            self._wake.set()
        return ()

    def _take(self, raw: bytes, *, overheard: bool) -> AddResult:
        """Add another peer's record, pass it to the owner's callback, and return the outcome."""
        began = time.perf_counter()
        outcome = self._records.add(raw, self._now())
        took = time.perf_counter() - began
        self._counters.records_received += 1
        self._counters.duplicates += outcome is AddResult.DUPLICATE
        self._counters.rejected += outcome in NOT_KEPT
        if outcome is not AddResult.REJECTED and self._gossip is not None:
            identity = record_id(raw)
            log.debug("record_received", id=identity.hex()[:16], outcome=outcome.value, take_s=took)
            self._gossip.received(identity, outcome, _now_ms(), overheard=overheard)
            self._wake.set()
        self._call(self._on_record, raw, outcome)
        return outcome

    def _call(self, callback: Callable[..., None], *arguments: object) -> None:
        try:
            callback(*arguments)
        except Exception as error:
            # An error in the owner's code must not end the network; it is counted and logged.
            self._counters.callback_errors += 1
            log.error("network_callback_failed", reason=blame(error))

    def _note_bad(self) -> None:
        self._counters.bad_frames += 1

    def _subscribed(self, peer: str) -> None:
        log.debug("newcomer", peer=peer)
        if self._sync is not None and self._connections is not None:
            self._sync.met(peer, dialled=self._connections.dialled(peer))
        if self._peer_exchange is not None:
            self._peer_exchange.met(peer)
        speakers = self._pubsub.speakers() if self._pubsub is not None else ()
        if self._gossip is not None and self._gossip.newcomer(
            peer, _now_ms(), me=self.peer_id, speakers=speakers
        ):
            self._wake.set()
            self._call(self._on_newcomer)

    def left(self, peer: str) -> None:
        """Note that a neighbour, given by its peer id, is taken for gone."""
        if self._gossip is not None:
            self._gossip.left(peer, _now_ms())
            self._wake.set()

    async def _publish_due(self, pubsub: SafePubsub) -> None:
        """Publish what is due, and sleep until more is due."""
        gossip = self._gossip
        assert gossip is not None
        while True:
            self._wake = trio.Event()
            actions = gossip.poll(_now_ms())
            if actions.sending is not None:
                await pubsub.publish(self._topic, actions.sending.frame)
                self._counters.messages_published += 1
                self._counters.bytes_published += len(actions.sending.frame)
                self._counters.records_published += actions.sending.records
                log.debug("frame_published", records=actions.sending.records)
            if actions.announce:
                await pubsub.announce()
                self._counters.resubscriptions += 1
            if actions.ask and self._sync is not None:
                self._sync.lacking()
            due = gossip.due(_now_ms())
            pause = MAX_PAUSE_SECONDS if due is None else max(0.0, (due - _now_ms()) / 1000)
            with trio.move_on_after(pause):
                await self._wake.wait()


MAX_PAUSE_SECONDS = 60.0
"""Longest sleep of the publishing loop, in seconds."""


def _now_ms() -> int:
    """Return milliseconds that only go forward, for everything except the records' own time."""
    return int(trio.current_time() * 1000)


async def _write_entry(book: AddressBook, peer_id: str, addresses: tuple[str, ...]) -> None:
    try:
        await trio.to_thread.run_sync(book.write, peer_id, addresses)
    except (OSError, SettingsError) as error:
        log.warning("address_book_unusable", reason=str(error))
