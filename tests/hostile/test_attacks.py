"""An honest swarm under attack: nobody ends, memory stays bounded, goals end in good time."""

from __future__ import annotations

import os
import secrets
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager

import psutil
import pytest
import trio

from swarm.core.limits import Limits
from swarm.core.policy import SECOND, Policy
from swarm.llm.fakes import ScriptedBrain
from swarm.net.network import TOPIC_PREFIX
from swarm.peer import Peer, PeerSettings, Role
from tests.hostile.attackers import ATTACKS, Attack, Target

SWARM = "hostile"
POLICY = Policy(max_depth=1, max_children=4, deadline_ms=90 * SECOND, patience_ms=30 * SECOND)
MODEL_SECONDS = 0.35
"""What a scripted answer takes; a plan takes about six after one another, so that the quiet time
is about two seconds and what an attack adds to it can be told from chance."""

SLOWER = 2.0
"""How many times the quiet time a goal under attack may take."""

ALLOWANCE = 1.0
"""Seconds more, for the moment in which connections are made and a shared machine's moods."""

MEMORY_BOUND = 160 * 1024 * 1024
"""Bytes by which the process of four honest peers and the attackers may grow in an attack: what
four stores may keep of one goal that is flooded for these seconds, and libp2p's buffers."""

ROLES: tuple[Role, ...] = ("submitter", "decomposer", "scorer", "executor")


@asynccontextmanager
async def honest_swarm() -> AsyncIterator[Target]:
    """Four peers with a swarm key, each of its role, that know each other."""
    key = secrets.token_hex(32)
    peers: list[Peer] = []
    async with trio.open_nursery() as nursery:
        for role in ROLES:
            brain = None if role == "submitter" else ScriptedBrain(delay_s=MODEL_SECONDS)
            known = tuple(address for peer in peers for address in peer.addresses)
            peer = Peer(
                PeerSettings(
                    role=role, swarm=SWARM, peers=known, swarm_key=key, mdns=False, slots=4
                ),
                brain=brain,
            )
            peers.append(peer)
            await nursery.start(peer.run)
        await until(40, lambda: all(len(peer.peers()) == len(ROLES) for peer in peers))
        yield Target(peers, TOPIC_PREFIX + SWARM, key)
        nursery.cancel_scope.cancel()


async def until(seconds: float, condition: object) -> None:
    assert callable(condition)
    with trio.fail_after(seconds):
        while not condition():  # noqa: ASYNC110  several peers' stores are looked at
            await trio.sleep(0.02)


async def plan_one(target: Target, text: str) -> float:
    """Let the swarm plan a goal; return the seconds until every peer has the finished plan."""
    asker = target.victim
    began = trio.current_time()
    goal = asker.submit(text, policy=POLICY)
    target.goals.append(goal)

    def ended() -> bool:
        plans = [peer.store.plan(goal) for peer in target.peers]
        return all(plan is not None and plan.final for plan in plans)

    await until(80, ended)
    plan = asker.store.plan(goal)
    assert plan is not None
    assert plan.state == "done", plan.reason
    return trio.current_time() - began


async def besieged(attacks: Iterable[Attack]) -> tuple[float, float, int]:
    """Plan in quiet and under attack; return both times, and how much memory grew by."""
    process = psutil.Process(os.getpid())
    async with honest_swarm() as target:
        quiet = await plan_one(target, "Plan a picnic")
        before = process.memory_info().rss
        async with trio.open_nursery() as nursery:
            for attack in attacks:
                nursery.start_soon(attack, target)
            await trio.sleep(1)
            loud = await plan_one(target, "Plan a picnic in the rain")
            nursery.cancel_scope.cancel()
        grown = process.memory_info().rss - before
        for peer in target.peers:
            assert peer.counters().rebuilds == 0  # type: ignore[union-attr]
            assert peer.counters().callback_errors == 0  # type: ignore[union-attr]
            for goal in peer.store.goals():
                assert len(peer.store.ids(goal)) <= Limits().records_per_goal + 100
    return quiet, loud, grown


ROUNDS = 3
"""Measurements at most: on a machine that others use, a single one may be all chance."""


async def survives(*names: str) -> None:
    """Assert that a swarm withstands these attacks at once; the last measurement decides."""
    for number in range(ROUNDS):
        quiet, loud, grown = await besieged([ATTACKS[name] for name in names])
        if number == ROUNDS - 1 or loud <= SLOWER * quiet + ALLOWANCE:
            judge(quiet, loud, grown)
            return


def judge(quiet: float, loud: float, grown: int) -> None:
    print(f"quiet {quiet:.2f} s, under attack {loud:.2f} s, grown by {grown >> 20} MiB")  # noqa: T201
    assert loud <= SLOWER * quiet + ALLOWANCE
    assert grown <= MEMORY_BOUND


GROUPS = {
    "at the door": ("plaintext_only", "wrong_swarm_key", "socket_noise"),
    "with streams": ("half_open_streams", "never_reads"),
    "with frames": ("huge_frames", "replays", "forged_records"),
    "with records": ("tiny_records", "sham_work", "nasty_texts"),
}


@pytest.mark.trio
@pytest.mark.timeout(300)
@pytest.mark.parametrize("group", GROUPS)
async def test_a_besieged_swarm_goes_on(group: str) -> None:
    """Under several attacks at once goals are done, no peer breaks, and memory stays bounded."""
    _, _, grown = await besieged([ATTACKS[name] for name in GROUPS[group]])
    assert grown <= MEMORY_BOUND


@pytest.mark.slow
@pytest.mark.trio
@pytest.mark.timeout(300)
@pytest.mark.parametrize("group", GROUPS)
async def test_a_besieged_swarm_is_at_most_twice_as_slow(group: str) -> None:
    """The same, measured: in at most twice the quiet time of the same run."""
    await survives(*GROUPS[group])


@pytest.mark.slow
@pytest.mark.trio
@pytest.mark.timeout(300)
@pytest.mark.parametrize("name", ATTACKS)
async def test_each_attack_alone(name: str) -> None:
    """The same, one attack at a time."""
    await survives(name)
