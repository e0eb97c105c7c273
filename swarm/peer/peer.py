"""One running peer: identity, store, network, and the agent of one role.

It stamps, signs and publishes what its agent decides (see `swarm.peer.driver`) and what the program
that runs it asks for, shows its presence, and reports changes to that program. It runs under plain
trio and as a trio guest on asyncio (the bot). Only `run` imports libp2p.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

import structlog
import trio
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from swarm import version
from swarm.agents.base import Agent
from swarm.agents.registry import agent_for
from swarm.core.clock import EPOCH
from swarm.core.policy import Policy
from swarm.core.records import (
    LEFT,
    SHARED_KEY,
    Grant,
    KnownBody,
    Presence,
    Record,
    RecordError,
    can_work,
    decode,
    record_id,
    short_key,
    sign,
)
from swarm.core.roles import WORKERS
from swarm.core.store.clock_offsets import OwnClock
from swarm.core.store.store import AddResult, Store
from swarm.core.views.waiting import WRONG_CLOCK
from swarm.gossip.presence import PeerView as PeerView
from swarm.llm.requests import Brain
from swarm.peer.clock_watch import ClockWatch
from swarm.peer.driver import Driver
from swarm.peer.presence_loop import PresenceLoop
from swarm.peer.recovery import Restored, ended_basis, restore, wait_for_clock
from swarm.peer.replica import Replica, ReplicaWriter, row_of
from swarm.peer.settings import PeerSettings
from swarm.peer.submission import NotGrantedError as NotGrantedError
from swarm.peer.submission import NotYoursError as NotYoursError
from swarm.peer.submission import UnknownGoalError as UnknownGoalError
from swarm.peer.submission import ballot_body, cancel_body, goal_body, refusal
from swarm.peer.wall_clock import StampCheck, WallClock
from swarm.trust.identity import derived_secret, file_name, load_identity

if TYPE_CHECKING:
    from swarm.net.network import Counters, Network

log = structlog.get_logger(__name__)

REPLICA_PURPOSE = b"replica"
"""What the replica's key is derived for."""

GOODBYE_SECONDS = 0.2
"""How long a peer that ends stays connected for its last presence to be sent."""

CHANGE_SECONDS = 0.02
"""How long changes are gathered before `on_change` is called."""


@dataclass(slots=True)
class _Changes:
    goals: set[bytes] = field(default_factory=set)
    wake: trio.Event = field(default_factory=trio.Event)


class Peer:
    """One peer of a swarm."""

    def __init__(
        self,
        settings: PeerSettings,
        *,
        brain: Brain | None = None,
        agent: Agent | None = None,
        wall: Callable[[], int] | None = None,
    ) -> None:
        """Make a peer; nothing runs yet.

        Args:
            settings: how it runs.
            brain: its model; decomposers, scorers and executors need one.
            agent: decides instead of the role's usual agent.
            wall: the wall clock, in ms since the epoch.

        Raises:
            ValueError: the role needs a model and has none.
            IdentityError: the state directory cannot hold the key.
        """
        self.settings = settings
        self._wall = wall or WallClock()
        self._brain = brain
        if brain is None and settings.role in WORKERS:
            raise ValueError(f"A {settings.role} needs a model.")
        self._key = (
            Ed25519PrivateKey.generate()
            if settings.state_dir is None
            else load_identity(settings.state_dir / "identity.key")
        )
        self.author: bytes = self._key.public_key().public_bytes_raw()
        self.name = settings.name or f"{settings.role}-{short_key(self.author)[:4]}"
        self.store = Store(
            settings.swarm,
            owner=settings.owner,
            on_new=self._on_new,
            on_gone=self._on_gone,
            on_fault=_fold_failed,
            on_sealed=self._on_sealed,
        )
        self.on_change: Callable[[frozenset[bytes]], None] | None = None
        self.on_heard: Callable[[bytes], None] | None = None
        """Called with each record that arrives from another peer, whether it is kept or not."""
        self._driver = Driver(
            agent
            or agent_for(settings.role, slots=settings.slots, capabilities=settings.capabilities),
            brain,
            self.store,
            self.author,
            wall=self._wall,
            publish=self.publish,
            changed=self._changed,
            on_trouble=lambda: self._presence.hurry(),
            may_start=lambda: not self._presence.waits,
        )
        self._presence = PresenceLoop(
            self.store,
            self.author,
            publish_own=self._publish_presence,
            on_missed=self._presences_changed,
            # An observer publishes nothing under its key, and a command may use a running peer's.
            transport=lambda: self.peer_id if self.speaks and not settings.visits else "",
        )
        self._network: Network | None = None
        self._writer: ReplicaWriter | None = None
        self._restoring = False
        """Whether the records that come are those on the disk, which need not be written."""
        self._changes = _Changes()
        self._stamp_check = StampCheck()
        for raw in settings.grants:
            self.store.add(raw, self._wall())

    # For the program that runs it.

    @property
    def trouble(self) -> str:
        """Why this peer cannot work now, human-readable; empty if it can.

        If other processes use its key, all of them announce that alike (`SHARED_KEY`).
        """
        if self._presence.waits or (self._presence.sharing and not self._driver.trouble):
            return f"{SHARED_KEY}: stop one; only one of them makes model calls"
        return self._driver.trouble

    @property
    def speaks(self) -> bool:
        """Whether it ever publishes anything."""
        return self.settings.role != "observer"

    @property
    def addresses(self) -> tuple[str, ...]:
        """The addresses it listens on; empty until it runs."""
        return self._network.addresses if self._network else ()

    @property
    def peer_id(self) -> str:
        """Its libp2p id, fresh each run; empty until it runs."""
        return self._network.peer_id if self._network else ""

    @property
    def network(self) -> Network | None:
        """The network, for its counters and neighbours; None until it runs."""
        return self._network

    def counters(self) -> Counters | None:
        """What went through the network so far."""
        return self._network.counters() if self._network else None

    def now(self) -> int:
        """Return the time to fold at, in ms: the hybrid clock's."""
        return self.store.clock.now(self._wall())

    def submit(
        self,
        text: str,
        *,
        policy: Policy | None = None,
        language: str = "",
        asker: bytes | None = None,
        note: Callable[[Record], object] | None = None,
    ) -> bytes:
        """Publish a goal and return its id.

        `note` is given the signed goal before any peer can hear of it. A caller that stores it
        there, and hands it on after a crash, never submits it twice.

        With the default quorum of 1 and an open electorate, the quorum becomes a simple majority
        of the scorers present (`swarm.core.store.first_seen.quorum_for`).

        Raises:
            NotGrantedError: the swarm's owner has not granted this peer the role of a submitter.
            ValueError: the text is empty or too long, or too many goals have not ended
                (`TooManyGoalsError`); the message is human-readable.
        """
        if not self._may("submitter"):
            raise NotGrantedError(refusal(self.settings.swarm))
        body = goal_body(
            self.store,
            self._wall(),
            text,
            policy,
            author=self.author,
            language=language,
            asker=asker,
        )
        return self.publish(body, note=note).id

    def cancel(self, goal_id: bytes, reason: str = "") -> None:
        """Stop one of this peer's own goals.

        Raises:
            UnknownGoalError: this peer does not know it.
            NotYoursError: another peer submitted it.
        """
        self.publish(cancel_body(self.store, goal_id, reason, self.author, self.name_of))

    def vote(
        self,
        goal_id: bytes,
        proposal_id: bytes,
        person: bytes,
        verdict: Literal["approve", "reject", "abstain"],
    ) -> None:
        """Attest one person's vote on a proposal for one of this peer's own goals.

        Raises:
            UnknownGoalError: this peer does not know the proposal.
        """
        self.publish(ballot_body(self.store, goal_id, proposal_id, person, verdict))

    def publish(self, body: KnownBody, *, note: Callable[[Record], object] | None = None) -> Record:
        """Stamp, sign, keep and send a body; return its record.

        Args:
            body: what to publish.
            note: is given the record before it is kept and sent; an exception of its stops both.

        Raises:
            RecordError: the record would be too long.
            RuntimeError: this peer only listens.
        """
        if not self.speaks:
            raise RuntimeError("An observer never publishes.")
        wall = self._wall()
        stamped = body.model_copy(update={"stamp": self.store.clock.tick(wall)})
        began = time.perf_counter()
        record = sign(stamped, self._key)
        signed = time.perf_counter()
        if note is not None:
            note(record)
        # The hybrid clock may be ahead of the wall clock, because others' stamps pull it along.
        self._stamp_check.check(record.stamp.ms, wall)
        self.store.add_record(record, max(wall, record.stamp.ms))
        log.debug(
            "record_published",
            kind=body.kind,
            id=record.id.hex()[:16],
            sign_s=signed - began,
            fold_s=time.perf_counter() - signed,
        )
        if self._network is not None:
            self._network.publish(record.raw)
        return record

    def hand_on(self, raw: bytes) -> AddResult:
        """Keep a record that another author signed, and send it if it can be kept.

        Raises:
            RuntimeError: this peer only listens.
        """
        if not self.speaks:
            raise RuntimeError("An observer never publishes.")
        outcome = self.store.add(raw, self._wall())
        if outcome in (AddResult.NEW, AddResult.DUPLICATE) and self._network is not None:
            self._network.publish(raw)
        return outcome

    def roles_present(self) -> dict[str, int]:
        """Return how many peers of each role can work now, this one included."""
        counts: dict[str, int] = {}
        for peer in self.peers():
            if can_work(peer.trouble) and not peer.foreign:
                counts[peer.role] = counts.get(peer.role, 0) + 1
        return counts

    def scorers_present(self) -> int:
        """Return how many scorers can work now."""
        return self.roles_present().get("scorer", 0)

    def peers(self) -> list[PeerView]:
        """Return the peers heard lately, and this one if it speaks, by role and name."""
        return self._presence.views(self._wall())

    def not_counted(self) -> list[PeerView]:
        """Return the peers that do not count as present because their clocks differ too much."""
        return self._presence.not_counted(self._wall())

    def heard(self) -> list[PeerView]:
        """Return all peers heard lately; those that do not count have their clock as trouble."""
        wrong = (replace(view, trouble=WRONG_CLOCK) for view in self.not_counted())
        return [*self.peers(), *wrong]

    def knows_who_is_here(self) -> bool:
        """Return whether it has had the time to hear the others: else nobody can say who lacks."""
        return self._presence.acquainted()

    def own_clock(self) -> OwnClock | None:
        """Return how far this machine's clock seems to be from most peers'; None: it agrees."""
        return self.store.clocks.own(self.author, hint=True)

    def name_of(self, author: bytes) -> str:
        """Return an author's display name: its presence's name, or the key's first digits."""
        return self.name if author == self.author else self._presence.name_of(author)

    # Running.

    async def run(self, *, task_status: Any = trio.TASK_STATUS_IGNORED) -> None:
        """Take part until cancelled. Report as started once it listens.

        Raises:
            SettingsError: an address or key cannot be used; the message states what to do.
            ListenError: it cannot listen.
        """
        import swarm.net.patches.slim_import  # noqa: F401  must be the first to import libp2p, which takes a second
        from swarm.net.network import NetSettings, Network

        settings = self.settings
        restored = await self._load_replica()
        self._network = Network(
            NetSettings(
                swarm=settings.swarm,
                listen=settings.listen,
                peers=settings.peers,
                swarm_key=settings.swarm_key,
                speaks=self.speaks,
                may_ask=self.speaks,
                may_hand_off=True,
                asks_on_meeting=True,
                history=not settings.visits,
                mdns=settings.mdns,
                address_book=settings.runtime_dir,
                allow_open=settings.allow_open,
            ),
            self.store,
            now=self._wall,
            on_record=self._on_record,
            on_newcomer=self._presence.newcomer,
        )
        self._show_grant()
        lasting = trio.CancelScope()

        async def network_to_the_end(task_status: Any) -> None:
            """Run the network until the goodbye has been said, not only until all else ends."""
            assert self._network is not None
            with lasting:
                await self._network.run(task_status=task_status)

        async with trio.open_nursery() as nursery:
            try:
                if self._writer is not None:
                    nursery.start_soon(self._writer.run)
                nursery.start_soon(self._tell_changes)
                nursery.start_soon(wait_for_clock, self.store, restored, self._wall)
                await nursery.start(network_to_the_end)
                lasting.shield = True
                if self.speaks:
                    nursery.start_soon(self._presence.speak, self._network)
                nursery.start_soon(self._presence.watch, self._network)
                nursery.start_soon(ClockWatch(self.store.clocks, self.author).run)
                nursery.start_soon(self._driver.run)
                log.info("peer_started", role=settings.role, name=self.name, peer=self.peer_id)
                task_status.started()
                await trio.sleep_forever()
            finally:
                await self._say_goodbye()
                lasting.cancel()
                self._network = None

    async def _say_goodbye(self) -> None:
        """Tell the others that this peer ends, so that nobody waits until it is missed.

        A visiting command is in no count of peers, and leaves without a word.
        """
        if self._network is None or not self.speaks or self.settings.visits:
            return
        if not self._network.connected():
            return
        with trio.CancelScope(shield=True):
            with suppress(ValueError):
                self._publish_presence(trouble=LEFT)
            await trio.sleep(GOODBYE_SECONDS)

    async def _load_replica(self) -> Restored:
        if self.settings.state_dir is None or self.settings.visits:
            return Restored()
        name = f"replica-{file_name(self.settings.swarm)}.sqlite3"
        replica = Replica(
            self.settings.state_dir / name, derived_secret(self._key, REPLICA_PURPOSE)
        )
        await trio.to_thread.run_sync(replica.open)
        self._writer = ReplicaWriter(replica, self._packed)
        self._restoring = True
        found = await restore(self.store, replica, self._wall())
        self._restoring = False
        for rid in found.unwanted:
            self._writer.remove(rid)
        if replica.broke_off:
            self._write_all(self._writer)
        return found

    def _write_all(self, writer: ReplicaWriter) -> None:
        for goal_id in self.store.goals():
            for record in self.store.records(goal_id):
                writer.add(row_of(record))

    def _show_grant(self) -> None:
        """Publish this peer's own grants first; log a warning if it has none."""
        if self._network is None or self.settings.owner is None or not self.speaks:
            return
        for raw in self.settings.grants:
            record = self.store.record(record_id(raw))
            body = record.body if record is not None else None
            if isinstance(body, Grant) and body.subject == self.author:
                self._network.publish(raw)
        self._check_grant()

    def _check_grant(self) -> None:
        if self.speaks and not self._may(self.settings.role):
            log.warning(
                "not_granted",
                role=self.settings.role,
                author=self.author.hex(),
                meaning="this swarm has an owner, who has not granted this peer its role: its "
                "records are shown as foreign and do not count",
            )

    def _may(self, role: str) -> bool:
        return self.store.roster.has_role(self.author, role, self.now())

    def _on_record(self, raw: bytes, outcome: object) -> None:
        """Take note of a record that another peer has just sent; `_on_new` gets what was kept."""
        if outcome is not AddResult.REJECTED:
            # A forged copy has the id of the genuine record, and any stamp: it proves nothing.
            if isinstance(self._wall, WallClock) and self._wall.doubts:
                with suppress(RecordError):
                    self._wall.overheard(decode(raw, verify=False).stamp.ms)
            self._presence.overheard(record_id(raw))
        if self.on_heard is not None:
            self.on_heard(raw)

    def _on_new(self, record: Record) -> None:
        if isinstance(record.body, Presence):
            self._presence.heard(record)
            self._changed(b"")
        else:
            goal_id = record.goal_id
            assert goal_id is not None
            if self._writer is not None and not self._restoring:
                self._writer.add(row_of(record))
            self._changed(goal_id)
            if isinstance(record.body, Grant):
                self._judge_again(record.body)
        self._driver.wake()

    def _on_sealed(self, goal_id: bytes) -> None:
        if self._writer is not None:
            self._writer.add_ended(goal_id)

    def _packed(self, goal_id: bytes) -> tuple[bytes, bytes] | None:
        ended = self.store.packed(goal_id)
        return None if ended is None else (ended.to_bytes(), ended_basis(self.store))

    def _on_gone(self, rid: bytes) -> None:
        if self._writer is not None:
            self._writer.remove(rid)

    def _judge_again(self, grant: Grant) -> None:
        """Report everything as changed: a grant may affect every plan and every peer's standing."""
        for goal_id in self.store.goals():
            self._changed(goal_id)
        self._changed(b"")
        if grant.subject == self.author and self._network is not None:
            self._check_grant()

    def _changed(self, goal_id: bytes) -> None:
        self._changes.goals.add(goal_id)
        self._changes.wake.set()

    async def _tell_changes(self) -> None:
        while True:
            await self._changes.wake.wait()
            await trio.sleep(CHANGE_SECONDS)
            changes, self._changes = self._changes, _Changes()
            if self.on_change is None:
                continue
            try:
                self.on_change(frozenset(changes.goals))
            except Exception:
                # A fault in the callback must not end the peer; it stays visible in the log.
                log.exception("change_callback_failed")

    def _publish_presence(self, trouble: str | None = None) -> None:
        self.publish(
            Presence(
                stamp=EPOCH,
                swarm=self.settings.swarm,
                role=self.settings.role,
                name=self.name[:64],
                model=self._brain.model[:64] if self._brain else "",
                capabilities=list(self.settings.capabilities)[:16],
                load=self._driver.load,
                version=version(),
                trouble=self.trouble[:500] if trouble is None else trouble,
                peer=self.peer_id[:64],
            )
        )

    def _presences_changed(self) -> None:
        self._changed(b"")
        self._driver.wake()


def _fold_failed(goal_id: bytes, fault: Exception) -> None:
    log.error(
        "fold_failed",
        goal=goal_id.hex()[:16],
        meaning="a defect of this program: the goal has no plan here for a minute, while all other "
        "goals go on; please report it with this log",
        exc_info=fault,
    )
