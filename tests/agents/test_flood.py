"""A flood of goals, of goals by made-up authors and of notices leaves others their time."""

from __future__ import annotations

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from swarm.core.clock import Stamp
from swarm.core.policy import MINUTE, Policy
from swarm.core.records import Goal, KnownBody, Notice, sign
from swarm.sim.world.world import SimPeer, World
from tests.agents.village import Village

POLICY = Policy(quorum=2, max_depth=1, deadline_ms=60 * MINUTE)
GOALS, SYBILS, NOTICES = 30, 20, 100


def key_of(number: int) -> Ed25519PrivateKey:
    """Return a stranger's key, the same in every run: the order of peers follows from keys."""
    return Ed25519PrivateKey.from_private_bytes(number.to_bytes(32))


def relay(peer: SimPeer, body: KnownBody, key: Ed25519PrivateKey, number: int) -> None:
    """Let a stranger's record enter the swarm at a peer, stamped now."""
    peer.relay(sign(body.model_copy(update={"stamp": Stamp(peer.wall(), number)}), key))


def plan_seconds(world: World, asker: SimPeer, text: str) -> float:
    """Submit a goal and run until it is done; return the virtual seconds it took."""
    goal = world.submit(asker, text, POLICY)
    began_ms = asker.wall()
    world.run(until=lambda: world.plan(asker, goal).final, seconds=3_600)
    assert world.plan(asker, goal).state == "done"
    return (asker.wall() - began_ms) / 1000


def test_a_known_asker_is_served_before_a_flood_of_all_three_kinds() -> None:
    """Its plans take about as long as before, and the flood's goals still get their share."""
    village = Village()
    world, asker = village.world, village.asker
    entry = world.submitter()
    world.run(seconds=3)
    quiet = plan_seconds(world, asker, "two weeks in Japan")
    stranger = key_of(1_000)
    flood = Goal(stamp=Stamp(0), swarm=entry.store.swarm, text="flood", policy=POLICY)
    for number in range(GOALS):
        relay(entry, flood, stranger, number)
    for number in range(SYBILS):
        relay(entry, flood, key_of(number + 1), number)
    world.run(seconds=5)
    goal = world.submit(asker, "a week in Norway", POLICY)
    about = Notice(stamp=Stamp(0), goal=goal, code="x", text="x")
    for number in range(NOTICES):
        relay(entry, about, stranger, number)
    world.run(until=lambda: world.plan(asker, goal).final, seconds=3_600)
    flooded = plan_seconds(world, asker, "two weeks in Peru")
    assert flooded <= 2 * quiet
    theirs = [world.plan(asker, g) for g in asker.store.goals()]
    done = sum(plan.final for plan in theirs if plan.body.text == "flood")
    assert 0 < done < (GOALS + SYBILS) / 2
