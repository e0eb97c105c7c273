"""A world: peers with real stores, agents and gossip, links between them, and a virtual clock.

Nothing here sleeps or reads a real clock. Every choice comes from one seeded generator, so that a
seed replays exactly.
"""

from __future__ import annotations

import copy
import hashlib
import random
from collections.abc import Callable
from typing import cast

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from swarm.agents.base import Agent, Submitter
from swarm.core.clock import EPOCH, Stamp
from swarm.core.fold.plan import Plan
from swarm.core.policy import Policy
from swarm.core.records import Goal, Grant, KnownBody, Record, sign
from swarm.core.store.limits import Limits
from swarm.net.connections.dialling import OUTBOUND
from swarm.sim.world.environment import Environment
from swarm.sim.world.models import Model, tidy_model
from swarm.sim.world.peer import SimPeer
from swarm.sim.world.timeline import Timeline
from swarm.sim.world.virtual_clock import START_MS, VirtualClock
from swarm.sim.world.vote_watch import Tallies
from swarm.sim.world.wire import Quality, Wire

__all__ = ["START_MS", "SWARM", "Model", "SimPeer", "World", "tidy_model"]

SWARM = "simulated"


class World:
    """A swarm under one virtual clock."""

    def __init__(
        self,
        seed: int = 0,
        *,
        delay_ms: tuple[int, int] = (5, 60),
        loss: float = 0.0,
        quality: Quality | None = None,
        dials: int = OUTBOUND,
        watching: bool = True,
        owned: bool = False,
    ) -> None:
        """Make an empty world.

        Args:
            seed: decides every choice.
            delay_ms: shortest and longest time that a frame takes over a link, in ms.
            loss: share of frames that a link loses, in [0, 1].
            quality: quality of the links, instead of the two above.
            dials: how many connections each peer keeps dialled.
            watching: whether to watch for votes that change after they were decided (costs time).
            owned: whether it has an owner, without whose grant no peer counts.
        """
        rng = random.Random(seed)
        self._owner = Ed25519PrivateKey.from_private_bytes(rng.randbytes(32)) if owned else None
        clock = VirtualClock()
        links = quality or Quality(delay_ms=delay_ms, loss=loss)
        self.env = Environment(
            swarm=SWARM,
            owner=self._owner.public_key().public_bytes_raw() if self._owner else None,
            rng=rng,
            clock=clock,
            wire=Wire(clock, random.Random(rng.getrandbits(64)), links, dials),
            timeline=Timeline(clock),
            watching=watching,
        )
        self.peers: list[SimPeer] = []
        self._grants = 0

    @property
    def clock(self) -> VirtualClock:
        """The virtual clock."""
        return self.env.clock

    @property
    def wire(self) -> Wire:
        """All links."""
        return self.env.wire

    @property
    def timeline(self) -> Timeline:
        """What happened so far."""
        return self.env.timeline

    @property
    def tallies(self) -> Tallies:
        """What is counted over all peers."""
        return self.env.tallies

    @property
    def now_ms(self) -> int:
        """The true time, in ms since the epoch."""
        return self.clock.now_ms

    # Its peers.

    def add(
        self,
        agent: Agent | Callable[[], Agent],
        model: Model | None = None,
        name: str = "",
        *,
        limits: Limits | None = None,
        granted: bool = True,
    ) -> SimPeer:
        """Add a peer; it dials others and shows its presence at once.

        Args:
            agent: decides for it: an agent, or what makes a fresh one at each start.
            model: answers its calls.
            name: its display name; empty: its role and number.
            limits: of its store.
            granted: whether the owner, if there is one, grants it its role.
        """
        make = _maker(agent)
        key = Ed25519PrivateKey.from_private_bytes(self.env.rng.randbytes(32))
        author = key.public_key().public_bytes_raw()
        peer = SimPeer(
            self.env,
            len(self.peers),
            make,
            model=model or tidy_model,
            name=name,
            key=key,
            limits=limits,
            # A listener needs no grant, and could not pass it on.
            grants=[self.grant(author, role)]
            if granted and self._owner and (role := make().role) != "observer"
            else [],
        )
        peer.name = name or f"{peer.role}-{peer.index}"
        self.peers.append(peer)
        peer.start()
        return peer

    def grant(self, subject: bytes, *roles: str) -> Record:
        """Return the owner's grant of roles to an author; with no roles, it takes all away.

        Raises:
            ValueError: the swarm has no owner.
        """
        if self._owner is None:
            raise ValueError("an open swarm has no owner who could grant anything")
        self._grants += 1
        body = Grant(
            stamp=Stamp(self.now_ms, self._grants),
            swarm=SWARM,
            subject=subject,
            roles=list(roles),
        )
        return sign(body, self._owner)

    def kill(self, peer: SimPeer) -> None:
        """Kill a peer at once: it publishes nothing more and its calls are lost."""
        self.timeline.add(peer.name, "fault", "is killed")
        peer.kill()

    def submit(self, peer: SimPeer, text: str, policy: Policy | None = None) -> bytes:
        """Publish a goal at a peer and return its id."""
        known = peer.store.known_longest(peer.wall())
        policy = policy or Policy()
        body = Goal(stamp=EPOCH, swarm=SWARM, text=text, policy=policy, known=known)
        return self.publish(peer, body).id

    def publish(self, peer: SimPeer, body: KnownBody) -> Record:
        """Stamp, sign, keep and send a body."""
        return peer.publish(body)

    def submitter(self) -> SimPeer:
        """Add a peer that only submits goals."""
        return self.add(Submitter)

    def plan(self, peer: SimPeer, goal_id: bytes) -> Plan:
        """Return a goal's plan as a peer sees it.

        Raises:
            KeyError: it does not know the goal.
        """
        peer.store.advance(peer.wall())
        plan = peer.store.plan(goal_id)
        if plan is None:
            raise KeyError(goal_id.hex())
        return plan

    def fingerprint(self) -> str:
        """Return a hash of everything that happened, and how it ended: equal for equal runs."""
        lines = [entry.line(0) for entry in self.timeline.entries]
        for peer in self.peers:
            lines.extend(f"{peer.name} {plan.digest.hex()}" for plan in peer.store.plans())
            lines.append(f"{peer.name} {peer.traffic}")
        return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]

    # Time.

    def run(self, *, until: Callable[[], bool] | None = None, seconds: float = 3600) -> bool:
        """Let time pass until a condition holds or so many virtual seconds have passed.

        Returns:
            Whether the condition came to hold (True without one).
        """
        return self.clock.run(self.now_ms + int(seconds * 1000), until)

    def at(self, seconds: float, event: Callable[[], None]) -> None:
        """Let something happen after so many virtual seconds."""
        self.clock.after(int(seconds * 1000), event)


def _maker(agent: Agent | Callable[[], Agent]) -> Callable[[], Agent]:
    """Return what makes a fresh agent at each start of a process."""
    if isinstance(agent, type) or not hasattr(agent, "decide"):
        return cast("Callable[[], Agent]", agent)
    # A copy of an instance that nobody has used yet is as good as a new one.
    return lambda: copy.deepcopy(cast("Agent", agent))
