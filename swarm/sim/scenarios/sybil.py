"""Sybil attacks, which need many made-up keys, and requests for another split.

The attacks try what only numbers can do: crowd a goal out, raise its quorum out of reach, or make
an owned swarm plan a stranger's goal.
"""

from __future__ import annotations

import random

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from swarm.core.clock import EPOCH, Stamp
from swarm.core.policy import SECOND
from swarm.core.records import Claim, Goal, KnownBody, Notice, Presence, Replan, sign
from swarm.core.store.limits import Limits
from swarm.gossip import frames
from swarm.sim.scenarios.faults import ATTACKS_MS
from swarm.sim.scenarios.stage import Condition, Setup, Stage, with_plot
from swarm.sim.world.peer import SimPeer

ALL_MET_MS = (5_000, 9_000)
"""Earliest and latest time at which a goal is submitted, in ms. By then the submitter has heard all
peers, and names them in the goal as known."""

CROWD = 60
"""Number of keys in one crowd; several crowds come, each with its own keys."""

CROWD_LIMITS = Limits(newcomers_per_goal=100, large_newcomers_per_goal=10, records_per_goal=2_000)
"""Limits so small that one crowd fills the room that newcomers share."""

FAKE_SCORERS = 40
"""Number of scorers and executors that do not exist: many times the honest ones."""

FAKE_PRESENCE_MS = 10_000
"""Time between two presences of such a peer, in ms."""

FOREIGN_GOALS = 4
"""How many strangers' goals are kept: so few that they displace one another."""


def crowds(count: int = 4) -> Condition:
    """Let crowds of fresh keys publish about a goal at once, with early stamps and many claims."""

    def plot(stage: Stage) -> None:
        for _ in range(count):
            stage.soon(rush, stage)

    def rush(stage: Stage) -> None:
        peer = stage.submitter
        plan = peer.store.plan(stage.goals[0]) if stage.goals else None
        if plan is None:
            return
        ready = [node for node in plan.nodes() if node.ready is not None]
        for number in range(CROWD):
            key = _key(stage.rng)
            stamp = Stamp(stage.rng.randint(plan.goal.stamp.ms + 1, plan.now_ms + 1), number)
            says: list[KnownBody] = [
                Notice(stamp=stamp, goal=plan.id, code="crowd", text="me first")
            ]
            if ready:
                node = stage.rng.choice(ready)
                says.append(Claim(stamp=stamp, goal=plan.id, node=node.id, attempt=1))
            _inject(stage, [sign(body, key).raw for body in says])
        stage.world.timeline.add("crowd", "attack", f"{CROWD} fresh keys publish at once")

    def prepare(setup: Setup) -> None:
        setup.limits = CROWD_LIMITS
        setup.first_ms = ALL_MET_MS
        setup.plots.append(plot)

    return prepare


def fake_scorers(setup: Setup) -> None:
    """Once a goal has ended, show scorers and executors that do not exist; then submit another."""
    setup.first_ms = ALL_MET_MS
    setup.majority = True

    def plot(stage: Stage) -> None:
        keys = [_key(stage.rng) for _ in range(FAKE_SCORERS)]
        stage.world.clock.after(SECOND, look, stage, keys)
        stage.world.clock.keep_busy(2 * SECOND)

    def look(stage: Stage, keys: list[Ed25519PrivateKey]) -> None:
        plans = [stage.submitter.store.plan(goal) for goal in stage.goals]
        if not plans or not all(plan is not None and plan.final for plan in plans):
            stage.world.clock.after(SECOND, look, stage, keys)
            stage.world.clock.keep_busy(2 * SECOND)
            return
        for again in range(6):
            stage.at(again * FAKE_PRESENCE_MS, show, stage, keys)
        stage.at(2 * SECOND, stage.ask)

    def show(stage: Stage, keys: list[Ed25519PrivateKey]) -> None:
        raws = []
        for number, key in enumerate(keys):
            role = "executor" if number % 4 == 0 else "scorer"
            stamp = Stamp(stage.world.now_ms, number)
            body = Presence(stamp=stamp, swarm=stage.world.env.swarm, role=role, name="sybil")
            raws.append(sign(body, key).raw)
        _inject(stage, raws)
        stage.world.timeline.add("sybils", "attack", f"{len(raws)} show presence")

    setup.plots.append(plot)


def strangers_ask(count: int = 8) -> Condition:
    """Let strangers submit goals in an owned swarm, more than are kept."""

    def plot(stage: Stage) -> None:
        for number in range(count):
            stage.soon(ask, stage, number)

    def ask(stage: Stage, number: int) -> None:
        key = _key(stage.rng)
        text = f"a stranger's goal {number}"
        stamp = Stamp(stage.world.now_ms, number)
        goal = sign(Goal(stamp=stamp, swarm=stage.world.env.swarm, text=text), key)
        _inject(stage, [goal.raw])
        stage.world.timeline.add("stranger", "attack", f"asks for “{text}”")

    def prepare(setup: Setup) -> None:
        setup.owned = True
        setup.limits = Limits(foreign_goals=FOREIGN_GOALS)
        setup.plots.append(plot)

    return prepare


def replans(count: int = 4, *, again_ms: int = ATTACKS_MS) -> Condition:
    """Let the submitter ask for other splits, of nodes in work and of finished ones.

    Args:
        count: how often.
        again_ms: the time within which it does so, in ms.
    """

    def plot(stage: Stage) -> None:
        for _ in range(count):
            stage.at(stage.rng.randint(1_000, again_ms), replan, stage)

    def replan(stage: Stage) -> None:
        asker: SimPeer = stage.submitter
        plan = asker.store.plan(stage.rng.choice(stage.goals)) if stage.goals else None
        if plan is None or plan.over or not asker.alive:
            return
        decided = [n for n in plan.nodes() if n.vote is not None and n.decision is not None]
        if decided:
            node = stage.rng.choice(decided)
            state = plan.state_of(node)
            stage.fault(asker, f"asks for another split of “{node.title}”, which is {state}")
            asker.publish(Replan(stamp=EPOCH, goal=plan.id, node=node.id, reason="otherwise"))

    return with_plot(plot)


def _key(rng: random.Random) -> Ed25519PrivateKey:
    return Ed25519PrivateKey.from_private_bytes(rng.randbytes(32))


def _inject(stage: Stage, raws: list[bytes]) -> None:
    """Put records on the wire at a random peer, as a stranger connected to it would."""
    alive = [peer for peer in stage.world.peers if peer.alive and not peer.frozen]
    if not alive:
        return
    peer = stage.rng.choice(alive)
    for raw in raws:
        peer.store.add(raw, peer.wall())
    stage.world.wire.publish(peer, frames.encode_bundle(raws))
