"""Joining a swarm for the time of a command, and waiting until it knows what the command needs."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import trio

from swarm.cli.views.live import GATHER_SECONDS, TICK_SECONDS, Follower
from swarm.cli.views.tree import Namer
from swarm.console.errors import ENVIRONMENT, CommandError
from swarm.core.fold.plan import Plan
from swarm.core.roles import Role
from swarm.core.views.plan_view import PlanView, plan_view
from swarm.gossip.scope import LIVE, Scope
from swarm.net.addresses import check_listen
from swarm.net.settings import check_key
from swarm.peer.peer import Peer
from swarm.peer.settings import PeerSettings, on_free_ports

if TYPE_CHECKING:
    from swarm.config import SwarmConfig

FIND_SECONDS = 5.0
"""How long to wait for a peer: the address book answers in milliseconds, mDNS within 3.2 s."""

POLL_SECONDS = 0.05
"""Pause between two checks of something that is not announced, such as connections."""

MEET_SECONDS = 3.0
MEET_QUIET_SECONDS = 1.2
"""Peers send their presence to a new peer at once, but at most once a second: when nothing arrived
for a little longer than that, all have. The first number is the longest wait."""

COLLECT_SECONDS = 60.0
"""How long a command collects what it was asked for, before it says that it is incomplete."""

NOBODY_SECONDS = 10.0
"""How long a command waits for the first answer: peers that only listen answer nobody."""

COLLECT_PAUSE_SECONDS = 0.2
"""Between two rounds of questions to neighbours that did not answer."""

SPREAD_SECONDS = 5.0
SPREAD_GRACE_SECONDS = 0.3
"""How long a record may take to be sent, and how long the connection then stays open for it."""


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
        visits=True,
    )


def check_reachable(config: SwarmConfig) -> None:
    """Check that listening on the configured addresses is allowed, before anything slow is done.

    Raises:
        SettingsError: it is not allowed; the message says what to do.
    """
    check_listen(
        config.swarm.listen, check_key(config.swarm.key()), allow_open=config.swarm.allow_open
    )


def submitter_dir(config: SwarmConfig) -> Path:
    """Return the state directory of the identity with which all commands submit and cancel."""
    return config.swarm.state_dir / "submitter"


class Watch:
    """Wakes a waiting task when a peer's plans or presences change."""

    def __init__(self, peer: Peer) -> None:
        """Take over the peer's `on_change`."""
        self._event = trio.Event()
        self.goals = 0
        """How many times plans have changed."""
        self.presences = 0
        """How many times presences have changed."""
        peer.on_change = self._changed

    def _changed(self, goals: frozenset[bytes]) -> None:
        self.presences += b"" in goals
        self.goals += bool(goals - {b""})
        self._event.set()

    async def next(self, seconds: float) -> None:
        """Wait for a change, at most this long. A change since the last call counts."""
        with trio.move_on_after(seconds):
            await self._event.wait()
        self._event = trio.Event()


Service = Callable[..., Awaitable[None]]
"""An async function that runs until cancelled, and reports its start through `task_status`."""


@asynccontextmanager
async def joined(
    settings: PeerSettings, *beside: Service, heard: Callable[[bytes], None] | None = None
) -> AsyncIterator[Peer]:
    """Run a peer, and other services, beside the body of the `async with`.

    When the command is cancelled, the body ends first and can still publish through the peer; then
    the services end.

    Args:
        settings: the peer's settings.
        beside: services that start at the same time.
        heard: called with each record that arrives from others, whether or not it is kept.
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
        CommandError: none was found in time; the message says how to start or reach one.
    """
    with trio.move_on_after(seconds):
        while not has_neighbour(peer):  # noqa: ASYNC110  connections are not announced
            await trio.sleep(POLL_SECONDS)
    if has_neighbour(peer):
        return
    name = peer.settings.swarm
    raise CommandError(
        f"No peer of the swarm “{name}” answered within {seconds:g} s.\n"
        "  To start a swarm here:            swarm up\n"
        "  If it has another name:           --swarm NAME\n"
        "  If it runs on another machine:    --peers /ip4/ADDRESS/tcp/PORT\n"
        "  If it has a key:                  --swarm-key-file FILE",
        exit_code=ENVIRONMENT,
    )


async def meet(peer: Peer, watch: Watch, *, enough: Callable[[], bool] | None = None) -> None:
    """Wait until the other peers' presences have arrived.

    Args:
        peer: a peer that has a neighbour.
        watch: the peer's watch.
        enough: ends the wait early when it returns True.
    """
    with trio.move_on_after(MEET_SECONDS):
        seen = _heard(peer)
        since = trio.current_time()
        while not (enough and enough()):
            await watch.next(MEET_QUIET_SECONDS)
            if _heard(peer) != seen:
                seen, since = _heard(peer), trio.current_time()
            elif trio.current_time() - since >= MEET_QUIET_SECONDS and seen:
                break
    if any(view.foreign for view in peer.peers()):
        # Grants decide which peers count, and so the quorum; they may still be on their way.
        await collect(peer, LIVE)


def _heard(peer: Peer) -> int:
    """Return how many peers were heard, including those that do not count."""
    return len(peer.peers()) + len(peer.not_counted())


async def compare_clocks(peer: Peer) -> None:
    """Wait a moment until presences show other peers' clocks, then tell the user if they differ.

    For a command that found nothing: a wrong clock may be why.

    Args:
        peer: one that has a neighbour.
    """
    from swarm.cli.clock_hint import ClockHint

    with trio.move_on_after(MEET_QUIET_SECONDS):
        while peer.own_clock() is None:  # noqa: ASYNC110  presences that do not count are not announced
            await trio.sleep(POLL_SECONDS)
    ClockHint(peer).check()


@dataclass(frozen=True, slots=True)
class Collected:
    """What a command has of what it asked the swarm for.

    Attributes:
        complete: whether it holds all that the neighbours that answered hold.
        goals: how many goals the neighbours hold of what was asked for; None: nobody said.
    """

    complete: bool
    goals: int | None = None

    def note(self, held: int) -> str:
        """Return a note for the user about what is missing; empty: nothing is.

        Args:
            held: how many goals this peer holds.
        """
        if self.complete:
            return ""
        if self.goals is None:
            return (
                f"Incomplete: no peer of the swarm answered within {NOBODY_SECONDS:g} s, so this "
                "is only what was overheard. Try again, or watch it arrive: swarm observe"
            )
        return (
            f"Incomplete: heard {held:,} of {self.goals:,} goals within {COLLECT_SECONDS:g} s. "
            "Try again, or ask for one goal by its id."
        )


async def collect(peer: Peer, scope: Scope) -> Collected:
    """Ask the neighbours for all they hold of a scope, until one has given everything.

    What lives comes first, and with it the grants by which goals are judged.

    Args:
        peer: one that has a neighbour.
        scope: which goals.
    """
    goals: int | None = None
    complete = False
    start = trio.current_time()
    with trio.move_on_after(COLLECT_SECONDS):
        while not complete:
            for wanted in dict.fromkeys((LIVE, scope)):
                network = peer.network
                sessions = [] if network is None else await network.collect(wanted)
            told = [session.total for session in sessions if session.total is not None]
            goals = max((total.goals for total in told), default=goals)
            complete = any(s.whole and s.total is not None and s.total.level for s in sessions)
            if not complete and goals is None and trio.current_time() - start > NOBODY_SECONDS:
                break
            await trio.sleep(0 if complete else COLLECT_PAUSE_SECONDS)
    peer.store.advance(peer.now())
    return Collected(complete, goals)


async def spread(peer: Peer, published_before: int) -> bool:
    """Wait until what was just published has been sent to a neighbour; return whether it was.

    Args:
        peer: the peer that published.
        published_before: its `records_published` before that.
    """
    left = False
    with trio.move_on_after(SPREAD_SECONDS):
        while not left:
            await trio.sleep(POLL_SECONDS)
            left = has_neighbour(peer) and records_published(peer) > published_before
        await trio.sleep(SPREAD_GRACE_SECONDS)
    return left


def records_published(peer: Peer) -> int:
    """Return how many records a peer has sent on the topic."""
    counters = peer.counters()
    return counters.records_published if counters is not None else 0


def records_new(peer: Peer) -> int:
    """Return how many new records a peer has received, including grants and presences."""
    counters = peer.counters()
    if counters is None:
        return 0
    return counters.records_received - counters.duplicates - counters.rejected


def view_of(peer: Peer, plan: Plan) -> PlanView:
    """Return the view of a plan."""
    heard = peer.heard() if peer.knows_who_is_here() else None
    return plan_view(plan, records=len(peer.store.ids(plan.id)), heard=heard)


def namer(peer: Peer) -> Namer:
    """Return a function that gives authors the names that a peer knows."""
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
        peer: the peer that holds the plans.
        watch: the peer's watch.
        shown: shows the plans.
        prefix: only goals whose id starts with it are shown.
        on_views: called with the plans each time they are shown.
    """
    from swarm.cli.clock_hint import ClockHint

    clocks = ClockHint(peer, shown.warn)
    known: dict[bytes, tuple[object, PlanView]] = {}
    while True:
        clocks.check()
        views = []
        for plan in peer.store.plans():
            if not plan.id.hex().startswith(prefix):
                continue
            # A plan is a function of its records and the time; the mark covers both.
            mark = plan.digest, peer.store.summary(plan.id)
            if plan.id not in known or known[plan.id][0] != mark:
                known[plan.id] = mark, view_of(peer, plan)
            views.append(known[plan.id][1])
        shown.show(views, peer.now())
        if on_views is not None:
            on_views(views)
        await watch.next(TICK_SECONDS)
        await trio.sleep(GATHER_SECONDS)
