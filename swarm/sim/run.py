"""One seed of one scenario, played and judged. The same arguments always give the same run."""

from __future__ import annotations

import random
import traceback
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

from swarm.agents.base import Agent
from swarm.agents.registry import agent_for
from swarm.core.roles import WORKERS, Role
from swarm.core.views.english import reason_text
from swarm.sim.invariants import Auditor, Violation, outlines
from swarm.sim.scenarios.byzantine import Adversary, IdleAgent
from swarm.sim.scenarios.faults import ATTACKS_MS
from swarm.sim.scenarios.scenarios import SCENARIOS, Scenario, policy_for
from swarm.sim.scenarios.stage import Setup, Stage
from swarm.sim.world.peer import SimPeer
from swarm.sim.world.timeline import Entry
from swarm.sim.world.vote_watch import Change
from swarm.sim.world.world import World

LEAST_PEERS = 5
"""A submitter, a listener and one peer of each role."""

NEXT_GOAL_MS = (0, 30_000)
"""How long after the first goal the others are submitted, in ms."""

STEP_SECONDS = 1.0
"""Time between two audits, in virtual seconds."""

REST_SECONDS = 900.0
"""How long after the last fault everything may take to come to rest, in virtual seconds. Digests of
a quiet swarm come up to 64 s apart, and unanswered repairs pause up to ten minutes."""

TITLES = ("two weeks in Japan", "a school fair", "a talk on bees", "a garden", "a small library")


@dataclass(frozen=True, slots=True)
class Played:
    """How a run went.

    Attributes:
        scenario: its name.
        seed: of the run.
        peers: how many peers were asked for.
        violations: promises that were broken.
        states: how many goals ended in each state.
        changes: votes whose outcome changed at some peer after they were decided.
        timeline: its lines.
        fingerprint: a hash that is equal for equal runs.
        virtual_ms: how long it took in virtual time.
        rest_ms: how long after the last goal had ended and the last fault was mended all peers held
            the same.
        calls: model calls that executors started, and how many of them were for an attempt on which
            another executor had started one.
        frames: how many frames were published.
        records: how many records each honest peer holds at the end.
        command: plays the run again.
    """

    scenario: str
    seed: int
    peers: int
    violations: list[Violation]
    states: Counter[str]
    changes: list[Change]
    timeline: list[Entry]
    fingerprint: str
    virtual_ms: int
    rest_ms: int
    calls: tuple[int, int]
    frames: int
    records: int
    command: str = field(default="")


def command_for(scenario: str, seed: int, peers: int) -> str:
    """Return the command that plays a run again."""
    return f"swarm sim --scenario {scenario} --seed {seed} --peers {peers}"


def build(setup: Setup, rng: random.Random, *, silent: bool = False) -> Stage:
    """Make the world and the peers that are there from the beginning.

    Args:
        setup: what the world is made of.
        rng: makes every choice.
        silent: whether adversaries are there but do not attack.
    """
    world = World(
        rng.getrandbits(64), quality=setup.quality, dials=rng.choice([2, 3, 4]), owned=setup.owned
    )

    def add(role: Role, *, idle: bool = False) -> SimPeer:
        make: Callable[[], Agent] = partial(IdleAgent if idle else agent_for, role)
        model = setup.model(role, random.Random(rng.getrandbits(64)))
        number = sum(peer.role == role for peer in world.peers) + 1
        peer = world.add(make, model, f"{role}-{number}", limits=setup.limits, granted=not idle)
        if role in WORKERS and peer not in cast[role]:
            cast[role].append(peer)
        return peer

    cast: dict[str, list[SimPeer]] = {role: [] for role in WORKERS}
    submitter = world.add(partial(agent_for, "submitter"), name="submitter", limits=setup.limits)
    stage = Stage(world, setup, random.Random(rng.getrandbits(64)), submitter, cast, add)
    stage.ask = lambda: _ask(stage)
    for role in WORKERS:
        attacks = setup.adversaries.get(role)
        for number in range(setup.counts[role]):
            peer = add(role, idle=attacks is not None and number == 0)
            if attacks is not None and number == 0:
                seeded = random.Random(rng.getrandbits(64))
                Adversary(peer, seeded, attacks, ATTACKS_MS, silent=silent)
    for _ in range(setup.listeners):
        add("observer")
    return stage


def play(scenario: Scenario | str, seed: int, peers: int = 10) -> Played:
    """Play one seed of a scenario and judge it.

    Args:
        scenario: the scenario, or its name.
        seed: decides every choice.
        peers: how many peers there are in all, at least `LEAST_PEERS`.

    Raises:
        KeyError: there is no such scenario.
        ValueError: too few peers.
    """
    if isinstance(scenario, str):
        scenario = SCENARIOS[scenario]
    if peers < LEAST_PEERS:
        raise ValueError(f"{peers} peers are too few; at least {LEAST_PEERS} make a swarm")
    stage, auditor, rest_ms = _play(scenario, seed, peers)
    if scenario.twin and not auditor.violations:
        _compare(auditor, _play(scenario, seed, peers, silent=True)[1])
    return _report(scenario, seed, peers, stage, auditor, rest_ms)


def _play(
    scenario: Scenario, seed: int, peers: int, *, silent: bool = False
) -> tuple[Stage, Auditor, int]:
    """Play a scenario; return also how long it took until all was at rest, in ms."""
    rng = random.Random(f"{scenario.name}/{seed}/{peers}")
    stage = build(scenario.prepare(rng, peers), rng, silent=silent)
    setup, world = stage.setup, stage.world
    auditor = Auditor(stage, scenario)
    first_ms = rng.randint(*setup.first_ms)
    for number in range(setup.goals):
        later_ms = first_ms + (rng.randint(*NEXT_GOAL_MS) if number else 0)
        stage.at(later_ms, _ask, stage)
    stage.at(first_ms, _begin_plots, stage)
    ended_ms = world.now_ms
    try:
        _until_ended(stage, auditor)
        _mend(stage)
        ended_ms = world.now_ms
        _until_rest(auditor)
        auditor.verdict()
    except Exception as error:
        # Anything a peer raises would have ended its process, which is a broken promise too.
        where = traceback.extract_tb(error.__traceback__)[-1]
        auditor.fail("no exception", f"{error!r:.300} in {where.name}, line {where.lineno}")
    return stage, auditor, world.now_ms - ended_ms


def _compare(auditor: Auditor, twin: Auditor) -> None:
    """Compare a world with adversaries to the same world in which they did not attack."""
    for violation in twin.violations:
        auditor.fail("twin", f"without attacks: {violation.rule}: {violation.what}")
    if outlines(auditor) != outlines(twin):
        auditor.fail("nothing but timing", "without attacks, splits or results are different")


def _begin_plots(stage: Stage) -> None:
    for plot in stage.setup.plots:
        plot(stage)


def _ask(stage: Stage) -> None:
    if not stage.submitter.alive:
        return
    number = len(stage.goals)
    electorate = sorted(peer.author for peer in stage.cast["scorer"] if peer.alive or peer.life > 0)
    policy = policy_for(stage.setup, electorate, stage.submitter.store.majority())
    goal = stage.world.submit(stage.submitter, TITLES[number % len(TITLES)], policy)
    stage.goals.append(goal)


def _until_ended(stage: Stage, auditor: Auditor) -> None:
    world = stage.world
    # Deadlines end every goal; the audit reports one that lives longer.
    while True:
        world.run(seconds=STEP_SECONDS)
        auditor.audit()
        _note_states(stage, auditor)
        deadline_ms = max((_deadline(stage, goal) for goal in stage.goals), default=0)
        over = world.now_ms > deadline_ms + stage.setup.slack_ms + int(REST_SECONDS * 1000)
        if world.now_ms >= world.clock.busy_until_ms and (auditor.ended() or over):
            return


def _deadline(stage: Stage, goal: bytes) -> int:
    for peer in stage.world.peers:
        plan = peer.store.plan(goal)
        if plan is not None:
            return plan.deadline_ms
    return 0


def _note_states(stage: Stage, auditor: Auditor) -> None:
    watching = next(iter(auditor.honest()), None)
    for goal in stage.goals:
        plan = watching.store.plan(goal) if watching else None
        if plan is not None:
            stage.world.timeline.state(goal, plan.state, reason_text(plan.reason))


def _mend(stage: Stage) -> None:
    stage.world.wire.heal()
    for peer in stage.world.peers:
        peer.outage = ""
        peer.thaw()


def _until_rest(auditor: Auditor) -> None:
    for _ in range(int(REST_SECONDS / STEP_SECONDS)):
        if auditor.at_rest():
            return
        auditor.world.run(seconds=STEP_SECONDS)
        auditor.audit()


def _report(
    scenario: Scenario, seed: int, peers: int, stage: Stage, auditor: Auditor, rest_ms: int
) -> Played:
    world = stage.world
    first = auditor.honest()[0]
    states: Counter[str] = Counter(
        plan.state for goal in stage.goals if (plan := first.store.plan(goal)) is not None
    )
    return Played(
        scenario=scenario.name,
        seed=seed,
        peers=peers,
        violations=auditor.violations,
        states=states,
        changes=world.tallies.changes,
        timeline=world.timeline.entries,
        fingerprint=world.fingerprint(),
        virtual_ms=world.clock.elapsed_ms,
        rest_ms=rest_ms,
        calls=(
            sum(map(len, world.tallies.calls.values())),
            sum(len(set(callers)) - 1 for callers in world.tallies.calls.values()),
        ),
        frames=world.wire.counters.frames,
        records=len(first.store),
        command=command_for(scenario.name, seed, peers),
    )
