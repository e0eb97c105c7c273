"""The building blocks of scenarios: single faults, to be combined.

Each function here is a condition or makes one. A condition changes the setup of a world (see
`stage`) before it begins, and may add a plot to it: something that happens later.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from swarm.core.clock import EPOCH
from swarm.core.policy import SECOND
from swarm.core.records import Ballot, Cancel
from swarm.core.roles import WORKERS
from swarm.core.store.limits import Limits
from swarm.sim.scenarios.stage import Condition, Setup, Stage, with_plot
from swarm.sim.world.models import Critical, Model, Ordinary, Troubled
from swarm.sim.world.peer import SimPeer
from swarm.sim.world.wire import NOTICE_MS, Quality

ADVERSARY_RECORDS = 120
"""Records kept per author and goal where there are adversaries: so few that their floods reach the
bound."""

ATTACKS_MS = 60_000
"""How long adversaries attack, in ms: longer than most plans take, to attack finished ones too."""

LEAST_WITH_ADVERSARIES = {"decomposer": 2, "scorer": 4, "executor": 3}
"""The fewest peers of a role that has an adversary: a quorum tolerates one of four scorers."""

MEET_MS, HEARD_MS = 5_000, 3_000
"""How long two peers that are cut off from the rest take at most to connect, and then to hear each
other, in ms."""

# Links.


def links(**quality: Any) -> Condition:
    """Set the quality of all links."""

    def prepare(setup: Setup) -> None:
        setup.quality = Quality(**quality)

    return prepare


def partition(least_ms: int, most_ms: int) -> Condition:
    """Cut the network in two for a while."""

    def plot(stage: Stage) -> None:
        stage.soon(cut, stage)

    def cut(stage: Stage) -> None:
        sides = {peer.index: stage.rng.randrange(2) for peer in stage.world.peers}
        stage.world.wire.partition(sides)
        lasts = stage.rng.randint(least_ms, most_ms)
        names = " ".join(p.name for p in stage.world.peers if sides.get(p.index))
        stage.fault(None, f"is cut for {lasts / 1000:.0f} s; on the other side: {names}")
        stage.at(lasts, heal, stage)

    def heal(stage: Stage) -> None:
        stage.world.wire.heal()
        stage.fault(None, "is whole again")

    return with_plot(plot)


# Processes.


def crashes(count: int = 2) -> Condition:
    """Kill some peers without restarting them; one of each role stays."""

    def plot(stage: Stage) -> None:
        for _ in range(count):
            stage.soon(kill, stage)

    def kill(stage: Stage) -> None:
        spare = [
            peer
            for role in WORKERS
            for alive in [[p for p in stage.cast[role] if p.alive and not p.frozen and p.honest]]
            if len(alive) > 1
            for peer in alive
        ]
        if spare:
            stage.world.kill(stage.rng.choice(spare))

    return with_plot(plot)


def restarts(count: int = 2, *, disk: bool | None = True) -> Condition:
    """Kill some peers and start them again a little later.

    Args:
        count: how many times.
        disk: whether they keep their disks; None: some do.
    """

    def plot(stage: Stage) -> None:
        for _ in range(count):
            stage.soon(kill, stage)

    def kill(stage: Stage) -> None:
        alive = [p for p in [*stage.workers(), stage.submitter] if p.alive and not p.frozen]
        if not alive:
            return
        peer = stage.rng.choice(alive)
        stage.world.kill(peer)
        stage.at(stage.rng.randint(300, 20_000), _start_again, stage, peer, disk)

    return with_plot(plot)


def _start_again(stage: Stage, peer: SimPeer, disk: bool | None) -> None:
    if peer.alive:
        return
    keeps = stage.rng.random() < 0.5 if disk is None else disk
    stage.fault(peer, f"starts again {'with its' if keeps else 'without a'} disk")
    peer.restart(disk=keeps)


def everyone_restarts(*, disks: bool) -> Condition:
    """Kill the whole swarm at once and start it again, with all disks or with one only."""

    def plot(stage: Stage) -> None:
        stage.soon(kill, stage)

    def kill(stage: Stage) -> None:
        peers = [peer for peer in stage.world.peers if peer.alive]
        if not stage.goals or not peers:
            return
        # One disk must have the latest records, or they are lost.
        keeper = max(peers, key=lambda peer: len(peer.store))
        for peer in peers:
            stage.world.kill(peer)
        for peer in peers:
            stage.at(
                stage.rng.randint(500, 5_000), _start_again, stage, peer, disks or peer is keeper
            )

    return with_plot(plot)


def freezes(count: int = 2) -> Condition:
    """Stop some peers as with SIGSTOP, and continue them later."""

    def plot(stage: Stage) -> None:
        for _ in range(count):
            stage.soon(stop, stage)

    def stop(stage: Stage) -> None:
        awake = [p for p in stage.workers() if p.alive and not p.frozen]
        if not awake:
            return
        peer = stage.rng.choice(awake)
        lasts = stage.rng.randint(500, 60_000)
        stage.fault(peer, f"is frozen for {lasts / 1000:.1f} s")
        peer.freeze()
        stage.at(lasts, go_on, stage, peer)

    def go_on(stage: Stage, peer: SimPeer) -> None:
        if peer.frozen:
            stage.fault(peer, "goes on")
            peer.thaw()

    return with_plot(plot)


def role_away(role: str) -> Condition:
    """Kill all peers of a role early and start them again after a while."""

    def plot(stage: Stage) -> None:
        stage.at(stage.rng.randint(0, 5_000), kill, stage)

    def kill(stage: Stage) -> None:
        lasts = stage.rng.randint(10_000, 60_000)
        for peer in stage.cast[role]:
            if peer.alive:
                stage.world.kill(peer)
                stage.at(lasts, _start_again, stage, peer, True)

    return with_plot(plot)


def submitter_leaves(setup: Setup) -> None:
    """Kill the submitter a few seconds after it has submitted a goal."""

    def plot(stage: Stage) -> None:
        stage.at(stage.rng.randint(3_000, 20_000), leave, stage)

    def leave(stage: Stage) -> None:
        if stage.goals:
            stage.world.kill(stage.submitter)

    setup.plots.append(plot)


def last_words(setup: Setup) -> None:
    """Let only a listener hear the submitter's next goal, then kill the submitter and its disk."""

    def plot(stage: Stage) -> None:
        stage.at(stage.rng.randint(3_000, 20_000), cut, stage)

    def cut(stage: Stage) -> None:
        listener = next(peer for peer in stage.world.peers if peer.role == "observer")
        alone = (stage.submitter, listener)
        sides = {peer.index: int(peer in alone) for peer in stage.world.peers}
        stage.world.wire.partition(sides)
        stage.fault(None, f"is cut: {stage.submitter.name} and {listener.name} are alone")
        stage.at(NOTICE_MS + MEET_MS, speak, stage)

    def speak(stage: Stage) -> None:
        stage.ask()
        stage.at(HEARD_MS, leave, stage)

    def leave(stage: Stage) -> None:
        stage.world.kill(stage.submitter)
        stage.world.wire.heal()
        stage.fault(None, "is whole again")

    setup.plots.append(plot)


def arrivals(count: int = 3) -> Condition:
    """Let peers of any role join in the middle."""

    def plot(stage: Stage) -> None:
        for _ in range(count):
            stage.soon(arrive, stage)

    def arrive(stage: Stage) -> None:
        peer = stage.add(stage.rng.choice(WORKERS))
        stage.fault(peer, "joins")

    return with_plot(plot)


def late_listeners(setup: Setup) -> None:
    """Let listeners join long after everything has ended."""

    def plot(stage: Stage) -> None:
        for _ in range(2):
            stage.at(stage.rng.randint(60_000, 400_000), arrive, stage)

    def arrive(stage: Stage) -> None:
        peer = stage.add("observer")
        stage.fault(peer, "begins to listen")

    setup.plots.append(plot)


def only(role: str) -> Condition:
    """Remove the peers of all roles but one."""

    def prepare(setup: Setup) -> None:
        for other in WORKERS:
            if other != role:
                setup.counts[other] = 0

    return prepare


def without(role: str) -> Condition:
    """Remove the peers of a role."""

    def prepare(setup: Setup) -> None:
        setup.counts[role] = 0

    return prepare


# Clocks.


def skew(most_ms: int) -> Condition:
    """Set clocks ahead or back by up to this much."""

    def plot(stage: Stage) -> None:
        for peer in stage.world.peers:
            if stage.rng.random() < 0.6:
                peer.offset_ms = stage.rng.randint(-most_ms, most_ms)
                stage.fault(peer, f"has a clock that is off by {peer.offset_ms / 1000:+.1f} s")

    def prepare(setup: Setup) -> None:
        setup.slack_ms = max(setup.slack_ms, 2 * most_ms)
        setup.plots.append(plot)

    return prepare


def jumps(most_ms: int, count: int = 3) -> Condition:
    """Let clocks jump ahead or back."""

    def plot(stage: Stage) -> None:
        for _ in range(count):
            stage.soon(jump, stage)

    def jump(stage: Stage) -> None:
        peer = stage.rng.choice(stage.world.peers)
        by = stage.rng.randint(-most_ms, most_ms)
        peer.offset_ms = max(-most_ms, min(most_ms, peer.offset_ms + by))
        stage.fault(peer, f"has a clock that jumps to {peer.offset_ms / 1000:+.1f} s")

    def prepare(setup: Setup) -> None:
        setup.slack_ms = max(setup.slack_ms, 2 * most_ms)
        setup.plots.append(plot)

    return prepare


# Models.


def models(make: Callable[[str, random.Random], Model]) -> Condition:
    """Set what makes each peer's model."""

    def prepare(setup: Setup) -> None:
        setup.model = make

    return prepare


def mixed_models(setup: Setup) -> None:
    """Give each peer a model of random quality."""

    def make(role: str, rng: random.Random) -> Model:
        return rng.choice(
            [
                Ordinary(rng),
                Ordinary(rng, (2_000, 40_000)),
                Troubled(rng, 0.3),
                Critical(rng),
            ]
        )

    setup.model = make


def outages(count: int = 2) -> Condition:
    """Take the model away from some peers for a while."""

    def plot(stage: Stage) -> None:
        for _ in range(count):
            stage.soon(begin, stage)

    def begin(stage: Stage) -> None:
        if not stage.workers():
            return
        peer = stage.rng.choice(stage.workers())
        peer.outage = "Nobody answers at the model's address."
        stage.fault(peer, "loses its model")
        stage.at(stage.rng.randint(5_000, 60_000), end, stage, peer)

    def end(stage: Stage, peer: SimPeer) -> None:
        peer.outage = ""
        stage.fault(peer, "has its model again")

    return with_plot(plot)


# People.


def goals(count: int) -> Condition:
    """Submit several goals."""

    def prepare(setup: Setup) -> None:
        setup.goals = count

    return prepare


def first_goal(between_ms: tuple[int, int]) -> Condition:
    """Set the earliest and latest time of the first goal, in ms."""

    def prepare(setup: Setup) -> None:
        setup.first_ms = between_ms

    return prepare


def rules(**policy: Any) -> Condition:
    """Set parts of the policy."""

    def prepare(setup: Setup) -> None:
        setup.policy |= policy

    return prepare


def voters(setup: Setup) -> None:
    """Let people vote too, and change their minds."""

    def plot(stage: Stage) -> None:
        for _ in range(12):
            stage.at(stage.rng.randint(0, 20_000), vote, stage)

    def vote(stage: Stage) -> None:
        asker = stage.submitter
        if not stage.goals or not asker.alive:
            return
        plan = asker.store.plan(stage.rng.choice(stage.goals))
        nodes = [n for n in plan.nodes() if n.vote and n.vote.valid()] if plan else []
        if plan is None or not nodes:
            return
        node = stage.rng.choice(nodes)
        assert node.vote is not None
        asker.publish(
            Ballot(
                stamp=EPOCH,
                goal=plan.id,
                node=node.id,
                proposal=stage.rng.choice(node.vote.valid()).record.id,
                verdict=stage.rng.choice(["approve", "approve", "reject", "abstain"]),
                person=bytes([stage.rng.randrange(4)]) * 32,
            )
        )

    setup.policy.setdefault("vote_window_ms", [3 * SECOND])
    setup.plots.append(plot)


def cancels(setup: Setup) -> None:
    """Let the submitter cancel in the middle."""

    def plot(stage: Stage) -> None:
        stage.at(stage.rng.randint(5_000, 40_000), cancel, stage)

    def cancel(stage: Stage) -> None:
        if stage.goals and stage.submitter.alive:
            goal = stage.rng.choice(stage.goals)
            stage.submitter.publish(Cancel(stamp=EPOCH, goal=goal, reason="enough"))

    setup.plots.append(plot)


# Adversaries and owners.


def adversaries(*kinds: str, roles: tuple[str, ...] = WORKERS) -> Condition:
    """Make a minority dishonest: one peer of each of some roles, beside more honest ones.

    Args:
        kinds: names of their attacks in `swarm.sim.scenarios.byzantine`; none: all of `ATTACKS`.
        roles: the roles that they pretend to have.
    """

    def prepare(setup: Setup) -> None:
        setup.limits = Limits(records_per_author=ADVERSARY_RECORDS)
        for role, least in LEAST_WITH_ADVERSARIES.items():
            setup.counts[role] = max(setup.counts[role], least)
        setup.adversaries |= dict.fromkeys(roles, kinds)
        # Finished plans are attacked too.
        setup.plots.append(lambda stage: stage.world.clock.keep_busy(ATTACKS_MS))

    return prepare


def owned(setup: Setup) -> None:
    """Give the swarm an owner, who grants every honest peer its role, and adversaries nothing."""
    setup.owned = True


def revocation(setup: Setup) -> None:
    """Let the owner take a scorer's role away in the middle."""

    def plot(stage: Stage) -> None:
        stage.soon(revoke, stage)

    def revoke(stage: Stage) -> None:
        peer = stage.cast["scorer"][-1]
        if stage.submitter.alive:
            stage.fault(peer, "loses its role")
            stage.submitter.relay(stage.world.grant(peer.author))

    setup.plots.append(plot)
