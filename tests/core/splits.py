"""Histories of one goal whose nodes are split, split again and done, for the tests of replans."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Literal

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from swarm.core.clock import Stamp
from swarm.core.fold.plan import Plan
from swarm.core.policy import Policy
from swarm.core.records import (
    Ballot,
    Claim,
    Goal,
    KnownBody,
    Proposal,
    Record,
    Replan,
    Result,
    Subgoal,
    child_id,
    sign,
)
from tests.core.worlds import (
    BOT,
    DECOMPOSERS,
    EXECUTORS,
    SCORERS,
    START,
)

POLICY = Policy(quorum=1, max_depth=2, deadline_ms=100_000, max_replans=2)


class Story:
    """A goal whose records a test creates one after the other, a millisecond apart."""

    def __init__(self, policy: Policy = POLICY) -> None:
        goal = Goal(stamp=Stamp(START), swarm="test", text="a goal", policy=policy)
        self.goal = sign(goal, BOT)
        self.plan = Plan(self.goal)
        self.records: list[Record] = []
        self.ms = START

    def say(self, body: KnownBody, key: Ed25519PrivateKey, at: int | None = None) -> Record:
        """Sign a body, now or as of a given time, and fold it in."""
        self.ms += 1
        stamped = body.model_copy(update={"stamp": Stamp(self.ms if at is None else at)})
        record = sign(stamped, key)
        self.records.append(record)
        self.plan.apply(record)
        return record

    def split(
        self,
        node: bytes,
        *titles: str,
        kind: Literal["task", "goal"] = "task",
        kinds: Sequence[Literal["task", "goal"]] = (),
    ) -> Record:
        """Propose a split and have it accepted; its parts are of one kind or of several."""
        parts = [
            Subgoal(title=title, kind=one)
            for title, one in zip(titles, kinds or [kind] * len(titles), strict=True)
        ]
        body = Proposal(stamp=Stamp(0), goal=self.goal.id, node=node, parts=parts, lens="l")
        proposal = self.say(body, DECOMPOSERS[0])
        self.approve(proposal)
        return proposal

    def chain(self, node: bytes, count: int, kind: Literal["task", "goal"]) -> list[bytes]:
        """Split a node into parts that each come after the one before; return their ids."""
        parts = [
            Subgoal(title=f"part {index}", kind=kind, after=[index - 1] if index else [])
            for index in range(count)
        ]
        body = Proposal(stamp=Stamp(0), goal=self.goal.id, node=node, parts=parts, lens="l")
        proposal = self.say(body, DECOMPOSERS[0])
        self.approve(proposal)
        return [child_id(proposal.id, index) for index in range(count)]

    def approve(self, proposal: Record) -> Record:
        """Publish a scorer's approval."""
        assert isinstance(proposal.body, Proposal)
        return self.say(
            Ballot(
                stamp=Stamp(0), goal=self.goal.id, node=proposal.body.node, proposal=proposal.id,
                verdict="approve", concrete=1, distinct=1, complete=1,
            ),
            SCORERS[0],
        )  # fmt: skip

    def replan(self, node: bytes, key: Ed25519PrivateKey = BOT, at: int | None = None) -> Record:
        """Ask for another split."""
        body = Replan(stamp=Stamp(0), goal=self.goal.id, node=node, reason="shorter")
        return self.say(body, key, at)

    def finish(self, node: bytes) -> Record:
        """Claim a task and publish its result."""
        claim = Claim(stamp=Stamp(0), goal=self.goal.id, node=node, attempt=1)
        held = self.say(claim, EXECUTORS[0])
        return self.say(
            Result(
                stamp=Stamp(0), goal=self.goal.id, node=node, claim=held.id, outcome="done",
                text="text",
            ),
            EXECUTORS[0],
        )  # fmt: skip

    def titles(self) -> list[str]:
        """Return the root's parts."""
        return [child.title for child in self.plan.root.children]

    def check_orders(self) -> None:
        """Check that any order gives this plan."""
        for seed in range(8):
            shuffled = list(self.records)
            random.Random(seed).shuffle(shuffled)
            plan = Plan(self.goal)
            for record in shuffled:
                plan.apply(record)
            plan.advance(self.plan.now_ms)
            assert plan.digest == self.plan.digest
            assert rounds_of(plan) == rounds_of(self.plan)


def rounds_of(plan: Plan) -> list[list[bytes]]:
    """Return which replans count, node by node."""
    return [[one.replan.id for one in node.rounds] for node in plan.nodes()]
