"""Joining a swarm for the time of a command, and knowing when what was asked for has come true."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import trio

from swarm.cli.views.live import GATHER_SECONDS, TICK_SECONDS, Follower
from swarm.cli.views.tree import Namer
from swarm.console.errors import ENVIRONMENT, CommandError
from swarm.core.fold.plan import Plan
from swarm.core.roles import Role
from swarm.core.views.plan_view import PlanView, plan_view
from swarm.net.addresses import check_listen
from swarm.net.settings import check_key
from swarm.peer.peer import Peer
from swarm.peer.settings import PeerSettings, on_free_ports

if TYPE_CHECKING:
    from swarm.config import SwarmConfig

FIND_SECONDS = 5.0
"""How long a swarm has to answer: the address book answers in milliseconds, mDNS within 3.2 s."""

LOOK_SECONDS = 0.05
"""Between looks at what nobody announces, such as connections."""

MEET_SECONDS = 3.0
MEET_QUIET_SECONDS = 1.2
"""Peers say who they are to a newcomer at once, but at most once a second: quiet for a little more
than that means that all have, and in any case no longer than the first number is waited."""

SETTLE_SECONDS = 10.0
SETTLE_QUIET_SECONDS = 1.5
SETTLE_EMPTY_SECONDS = 3.0
"""Speakers publish what they hold to a new listener, each its share, within half a second and in
paced bundles: so long without any new record means that all came. The other numbers: the longest
wait, and the wait when nothing comes at all."""

SPREAD_SECONDS = 5.0
SPREAD_GRACE_SECONDS = 0.3
"""How long a record may take to leave, and how long the connection then stays to carry it."""


def peer_settings(
    config: SwarmConfig, role: Role, *, state_dir: Path | None, name: str = ""
) -> PeerSettings:
    """Return the settings of a peer that a command runs for a moment.

    It listens on any free port: the configured ones belong to the peers that stay.

    Raises:
        TrustError: the keys or grants of an owned swarm cannot be used.
    """
    return PeerSettings.from_config(
        config.swarm,
        role,
        state_dir=state_dir,
        name=name,
        listen=on_free_ports(config.swarm.listen),
    )


def check_reachable(config: SwarmConfig) -> None:
    """See that the addresses may be listened on, before anything that takes long is done.

    Raises:
        SettingsError: they may not; the message says what to do.
    """
    check_listen(
        config.swarm.listen, check_key(config.swarm.key()), allow_open=config.swarm.allow_open
    )


def submitter_dir(config: SwarmConfig) -> Path:
    """Return where the one identity lives that all commands of this user submit and cancel with."""
    return config.swarm.state_dir / "submitter"


class Watch:
    """Wakes whoever waits when a peer's plans or presences change."""

    def __init__(self, peer: Peer) -> None:
        """Take over the peer's `on_change`."""
        self._event = trio.Event()
        self.goals = 0
        """How often plans changed."""
        self.presences = 0
        """How often presences changed."""
        peer.on_change = self._changed

    def _changed(self, goals: frozenset[bytes]) -> None:
        self.presences += b"" in goals
        self.goals += bool(goals - {b""})
        self._event.set()

    async def next(self, seconds: float) -> None:
        """Wait for a change, at most so long. A change since the last call counts."""
        with trio.move_on_after(seconds):
            await self._event.wait()
        self._event = trio.Event()


Service = Callable[..., Awaitable[None]]
"""Runs until cancelled; takes `task_status` and reports when it has started."""


@asynccontextmanager
async def joined(
    settings: PeerSettings, *beside: Service, heard: Callable[[bytes], None] | None = None
) -> AsyncIterator[Peer]:
    """Run a peer, and other services, beside the body of the `async with`.

    When the command is cancelled, the body ends first and can still say a last word through the
    peer; then the services end.

    Args:
        settings: the peer's.
        beside: services that start at the same time.
        heard: called with each record of others that arrives, whatever becomes of it.
    """
    peer = Peer(settings)
    peer.on_heard = heard
    services: list[tuple[Service, trio.CancelScope]] = [
        (service, trio.CancelScope()) for service in (peer.run, *beside)
    ]
    async with trio.open_nursery() as nursery:
        try:
            async with trio.open_nursery() as starting:
                for service, life in services:
                    starting.start_soon(nursery.start, _live, service, life)
            for _, life in services:
                life.shield = True
            yield peer
        finally:
            for _, life in services:
                life.cancel()


async def _live(service: Service, life: trio.CancelScope, *, task_status: Any) -> None:
    with life:
        await service(task_status=task_status)


def has_neighbour(peer: Peer) -> bool:
    """Return whether a peer of the swarm is connected."""
    network = peer.network
    return network is not None and any(n.subscribed for n in network.neighbours())


async def find_swarm(peer: Peer, seconds: float = FIND_SECONDS) -> None:
    """Wait until a peer of the swarm is connected.

    Raises:
        CommandError: none was found in time; says how to start or reach one.
    """
    with trio.move_on_after(seconds):
        while not has_neighbour(peer):  # noqa: ASYNC110  connections are not announced
            await trio.sleep(LOOK_SECONDS)
    if has_neighbour(peer):
        return
    name = peer.settings.swarm
    raise CommandError(
        f"No peer of the swarm “{name}” answered within {seconds:g} s.\n"
        "  Start one here:              swarm up\n"
        "  It has another name:         --swarm NAME\n"
        "  It runs on another machine:  --peers /ip4/ADDRESS/tcp/PORT\n"
        "  It has a key, or another:    --swarm-key-file FILE",
        exit_code=ENVIRONMENT,
    )


async def meet(peer: Peer, watch: Watch, *, enough: Callable[[], bool] | None = None) -> None:
    """Wait until the peers that are here have said who they are.

    Args:
        peer: a peer that has a neighbour.
        watch: its watch.
        enough: ends the wait early.
    """
    with trio.move_on_after(MEET_SECONDS):
        seen = len(peer.peers())
        since = trio.current_time()
        while not (enough and enough()):
            await watch.next(MEET_QUIET_SECONDS)
            if len(peer.peers()) != seen:
                seen, since = len(peer.peers()), trio.current_time()
            elif trio.current_time() - since >= MEET_QUIET_SECONDS and seen:
                break
    if any(view.foreign for view in peer.peers()):
        # Who counts follows from grants, which may be on their way: a quorum depends on them.
        await settle(peer, watch)


async def settle(peer: Peer, watch: Watch, *, complete: Callable[[], bool] | None = None) -> None:
    """Wait until what others know has arrived.

    Args:
        peer: one that has a neighbour.
        watch: its.
        complete: whether what is needed is there; while it is not, silence has to last longer.
    """
    start = trio.current_time()
    count, since = records_new(peer), start
    while trio.current_time() - start < SETTLE_SECONDS:
        await watch.next(SETTLE_QUIET_SECONDS / 4)
        if records_new(peer) != count:
            count, since = records_new(peer), trio.current_time()
            continue
        quiet = trio.current_time() - since
        enough = watch.goals and (complete is None or complete())
        if quiet >= (SETTLE_QUIET_SECONDS if enough else SETTLE_EMPTY_SECONDS):
            return


async def spread(peer: Peer, published_before: int) -> bool:
    """Wait until what was just published has left towards a neighbour; return whether it did.

    Args:
        peer: who published.
        published_before: its `records_published` before.
    """
    left = False
    with trio.move_on_after(SPREAD_SECONDS):
        while not left:
            await trio.sleep(LOOK_SECONDS)
            left = has_neighbour(peer) and records_published(peer) > published_before
        await trio.sleep(SPREAD_GRACE_SECONDS)
    return left


def records_published(peer: Peer) -> int:
    """Return how many records a peer has sent on the topic."""
    counters = peer.counters()
    return counters.records_published if counters is not None else 0


def records_new(peer: Peer) -> int:
    """Return how many records a peer has heard that it did not have; grants and presences too."""
    counters = peer.counters()
    if counters is None:
        return 0
    return counters.records_received - counters.duplicates - counters.rejected


def view_of(peer: Peer, plan: Plan) -> PlanView:
    """Return a plan as it is shown."""
    return plan_view(plan, records=len(peer.store.ids(plan.id)))


def namer(peer: Peer) -> Namer:
    """Return what gives authors their names as this peer knows them."""
    return lambda author: peer.name_of(bytes.fromhex(author))


async def show_all(
    peer: Peer,
    watch: Watch,
    shown: Follower,
    *,
    prefix: str = "",
    on_views: Callable[[list[PlanView]], None] | None = None,
) -> NoReturn:
    """Show plans as they change, until cancelled.

    Args:
        peer: who holds them.
        watch: its watch.
        shown: shows them.
        prefix: of the ids of the goals to show.
        on_views: told of them each time.
    """
    known: dict[bytes, tuple[object, PlanView]] = {}
    while True:
        views = []
        for plan in peer.store.plans():
            if not plan.id.hex().startswith(prefix):
                continue
            # A plan is a function of its records and the time; both are in here.
            mark = plan.digest, peer.store.summary(plan.id)
            if plan.id not in known or known[plan.id][0] != mark:
                known[plan.id] = mark, view_of(peer, plan)
            views.append(known[plan.id][1])
        shown.show(views, peer.now())
        if on_views is not None:
            on_views(views)
        await watch.next(TICK_SECONDS)
        await trio.sleep(GATHER_SECONDS)
