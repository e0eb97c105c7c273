"""Random but plausible histories of one goal, for property tests of the fold."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from swarm.core.clock import Stamp
from swarm.core.fold.plan import Plan
from swarm.core.policy import Policy
from swarm.core.records import (
    Ballot,
    Cancel,
    Claim,
    Goal,
    KnownBody,
    Notice,
    Progress,
    Proposal,
    Record,
    Replan,
    Result,
    Review,
    Subgoal,
    child_id,
    sign,
)

KEYS = [Ed25519PrivateKey.from_private_bytes(bytes([i]) * 32) for i in range(1, 10)]
BOT, DECOMPOSERS, SCORERS, EXECUTORS = KEYS[0], KEYS[1:3], KEYS[3:6], KEYS[6:9]
START = 1_000
SPAN = 400
"""Records are stamped within this many ms, so that windows, leases and votes collide often."""


def public(key: Ed25519PrivateKey) -> bytes:
    """Return a key's author bytes."""
    return key.public_key().public_bytes_raw()


def random_policy(rng: random.Random) -> Policy:
    """Return a policy whose times fit `SPAN`."""
    electorate = [public(key) for key in SCORERS] if rng.random() < 0.5 else []
    window = rng.choice([0, 0, 30, 120])
    return Policy(
        electorate=electorate,
        quorum=rng.choice([2, 3]) if electorate else rng.choice([1, 2]),
        min_score=rng.choice([0.0, 0.3]),
        people=rng.choice(["count", "advisory", "off"]),
        vote_window_ms=[window],
        revote_ms=rng.choice([0, 40, 200]),
        patience_ms=rng.choice([130, 250]),
        fallback=rng.choice(["best", "task", "fail"]),
        floor=rng.choice([0.0, 0.5]),
        max_depth=rng.choice([0, 1, 2, 3]),
        max_children=rng.choice([2, 3, 5]),
        max_nodes=rng.choice([1, 4, 9, 60]),
        max_proposals=rng.choice([1, 2]),
        max_refinements=rng.choice([0, 1, 2]),
        max_replans=rng.choice([0, 1, 3]),
        lease_ms=rng.choice([20, 60, 200]),
        max_attempts=rng.choice([1, 2, 3]),
        deadline_ms=rng.choice([300, 10_000]),
    )


def reviewed(policy: Policy, rng: random.Random) -> Policy:
    """Return a policy with reviews added, whose times fit `SPAN`, and often with one task only."""
    return policy.model_copy(
        update={
            "reviews": rng.choice([1, 1, 2, 8]),
            "review_ms": rng.choice([0, 15, 60, None]),
            "max_depth": rng.choice([0, 0, policy.max_depth]),
            "quorum": policy.quorum if policy.electorate else rng.choice([1, 1, 2]),
        }
    )


@dataclass
class World:
    """A goal and the records about it, in the order they were created."""

    goal: Record
    records: list[Record] = field(default_factory=list)

    @property
    def policy(self) -> Policy:
        """The goal's policy."""
        assert isinstance(self.goal.body, Goal)
        return self.goal.body.policy


def folded(world: World) -> Plan:
    """Return the plan of a random history."""
    plan = Plan(world.goal)
    for record in world.records:
        plan.apply(record)
    return plan


def random_world(seed: int, size: int, *, eager: bool = False, with_reviews: bool = False) -> World:
    """Create a goal and `size` records: honest ones, late ones and invalid ones.

    Args:
        seed: seed of all random choices.
        size: number of records besides the goal.
        eager: use a policy under which splits are often accepted and replanned.
        with_reviews: use a policy under which results are reviewed, and write reviews of them.
    """
    rng = random.Random(seed)
    policy = random_policy(rng)
    if eager:
        policy = policy.model_copy(
            update={
                "electorate": [], "quorum": 1, "min_score": 0.0, "max_replans": 3,
                "vote_window_ms": [rng.choice([0, 0, 30])], "max_depth": rng.choice([1, 2, 3]),
                "max_children": 5, "max_nodes": 60, "max_proposals": 2, "deadline_ms": 10_000,
            }
        )  # fmt: skip
    if with_reviews:
        policy = reviewed(policy, rng)
    goal = sign(Goal(stamp=Stamp(START), swarm="test", text="a goal", policy=policy), BOT)
    world = World(goal)
    nodes = [goal.id]
    proposals: list[Record] = []
    claims: list[Record] = []
    results: list[Record] = []
    clock = START
    for _ in range(size):
        clock += rng.choice([0, 0, 1, 3, 10, 25])
        stamp = Stamp(max(0, clock - rng.choice([0, 0, 0, 0, 5, 60])), rng.randrange(3))
        if with_reviews and results and rng.random() < 0.3:
            body, key = _random_review(rng, goal.id, stamp, results)
        else:
            body, key = _random_body(rng, goal.id, stamp, nodes, proposals, claims)
        record = sign(body, key)
        world.records.append(record)
        if isinstance(body, Proposal):
            proposals.append(record)
            nodes.extend(child_id(record.id, i) for i in range(len(body.parts)))
        if isinstance(body, Claim):
            claims.append(record)
        if isinstance(body, Result):
            results.append(record)
    return world


def _random_review(
    rng: random.Random, goal: bytes, stamp: Stamp, results: list[Record]
) -> tuple[KnownBody, Ed25519PrivateKey]:
    result = rng.choice(results[-4:])
    assert isinstance(result.body, Result)
    if rng.random() < 0.25:
        attempt = rng.choice([2, 2, 3])
        claim = Claim(stamp=stamp, goal=goal, node=result.body.node, attempt=attempt)
        return claim, rng.choice(EXECUTORS)
    return Review(
        stamp=stamp, goal=goal, node=result.body.node, result=result.id,
        verdict=rng.choice(["fine", "wrong", "wrong"]),
        rating=rng.choice([None, rng.random()]), critique=rng.choice(["", "too short"]),
    ), rng.choice([*SCORERS, *SCORERS, EXECUTORS[0]])  # fmt: skip


def _random_body(
    rng: random.Random,
    goal: bytes,
    stamp: Stamp,
    nodes: list[bytes],
    proposals: list[Record],
    claims: list[Record],
) -> tuple[KnownBody, Ed25519PrivateKey]:
    kind = rng.choices(
        ["proposal", "ballot", "claim", "progress", "result", "cancel", "replan", "notice"],
        [6, 14, 8, 4, 9, 0.3, 2, 0.5],
    )[0]
    if kind == "ballot" and proposals:
        proposal = rng.choice(proposals[-6:])
        assert isinstance(proposal.body, Proposal)
        verdict = rng.choice(["approve", "approve", "approve", "reject", "abstain"])
        if rng.random() < 0.3:
            person = bytes([rng.randrange(4)]) * 32
            return Ballot(
                stamp=stamp, goal=goal, node=proposal.body.node, proposal=proposal.id,
                verdict=verdict, person=person,
            ), rng.choice([BOT, BOT, BOT, SCORERS[0]])  # fmt: skip
        return Ballot(
            stamp=stamp, goal=goal, node=proposal.body.node, proposal=proposal.id, verdict=verdict,
            concrete=rng.random(), distinct=rng.random(), complete=rng.random(),
        ), rng.choice([*SCORERS, *SCORERS, DECOMPOSERS[0]])  # fmt: skip
    if kind == "claim":
        return Claim(
            stamp=stamp, goal=goal, node=rng.choice(nodes[-8:]), attempt=rng.choice([1, 1, 2, 3])
        ), rng.choice(EXECUTORS)
    if kind in ("progress", "result") and claims:
        claim = rng.choice(claims[-6:])
        assert isinstance(claim.body, Claim)
        author = next(k for k in EXECUTORS if public(k) == claim.author)
        key = author if rng.random() < 0.9 else rng.choice(EXECUTORS)
        node = claim.body.node
        if kind == "progress":
            return Progress(stamp=stamp, goal=goal, node=node, claim=claim.id, percent=5), key
        return Result(
            stamp=stamp, goal=goal, node=node, claim=claim.id,
            outcome=rng.choice(["done", "done", "failed"]), text="text", reason="why",
        ), key  # fmt: skip
    if kind == "cancel":
        return Cancel(stamp=stamp, goal=goal), rng.choice([BOT, SCORERS[0]])
    if kind == "replan":
        node = rng.choice([nodes[0], nodes[0], nodes[0], *nodes[-3:]])
        return Replan(stamp=stamp, goal=goal, node=node), rng.choice([BOT, BOT, BOT, SCORERS[0]])
    if kind == "notice":
        return Notice(stamp=stamp, goal=goal, code="test", text="hello"), EXECUTORS[0]
    node = rng.choice([nodes[0], nodes[0], *nodes[-3:]])
    count = rng.choice([0, 2, 2, 3, 5])
    parts = [
        Subgoal(
            title=f"part {i}",
            kind=rng.choice(["task", "goal"]),
            after=sorted(rng.sample(range(i), rng.randint(0, min(i, 2)))),
        )
        for i in range(count)
    ]
    refines = rng.choice(proposals).id if proposals and rng.random() < 0.25 else None
    return Proposal(
        stamp=stamp, goal=goal, node=node, parts=parts, lens="any", refines=refines
    ), rng.choice(DECOMPOSERS)
