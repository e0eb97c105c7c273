"""One goal's history, built record by record, for the tests of single rules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from swarm.core.clock import Stamp
from swarm.core.fold.node import Node
from swarm.core.fold.plan import Plan
from swarm.core.policy import Policy
from swarm.core.records import (
    Ballot,
    Claim,
    Goal,
    KnownBody,
    Progress,
    Proposal,
    Record,
    Result,
    Review,
    Subgoal,
    sign,
)
from tests.core.worlds import BOT, DECOMPOSERS, EXECUTORS, SCORERS

T0 = 1_000_000
"""When the goal is submitted, in ms."""

Verdict = Literal["approve", "reject", "abstain"]


class Story:
    """Builds one goal's history record by record; times are in ms after the goal."""

    def __init__(self, *, known: Sequence[bytes] = (), **policy: Any) -> None:
        defaults: dict[str, Any] = {"quorum": 2, "max_depth": 1, "lease_ms": 100, "revote_ms": 50}
        defaults |= {"patience_ms": 1_000, "deadline_ms": 100_000}
        self.policy = Policy(**(defaults | policy))
        goal = Goal(
            stamp=Stamp(T0), swarm="test", text="a goal", policy=self.policy, known=[*known]
        )
        self.goal = sign(goal, BOT)
        self.plan = Plan(self.goal)

    def tell(self, body: KnownBody, key: Ed25519PrivateKey) -> Record:
        record = sign(body, key)
        self.plan.apply(record)
        return record

    def propose(self, at: int, parts: int = 2, by: int = 0, **more: Any) -> Record:
        subgoals = more.pop("subgoals", [Subgoal(title=f"part {i}") for i in range(parts)])
        body = Proposal(
            stamp=Stamp(T0 + at), goal=self.goal.id, node=self.goal.id, parts=subgoals, **more
        )
        return self.tell(body, DECOMPOSERS[by])

    def ballot(
        self,
        at: int,
        proposal: Record,
        by: Ed25519PrivateKey = SCORERS[0],
        verdict: Verdict = "approve",
        score: float = 0.8,
    ) -> Record:
        body = Ballot(
            stamp=Stamp(T0 + at), goal=self.goal.id, node=self.goal.id, proposal=proposal.id,
            verdict=verdict, concrete=score, distinct=score, complete=score,
        )  # fmt: skip
        return self.tell(body, by)

    def person(
        self,
        at: int,
        proposal: Record,
        who: int,
        verdict: Verdict = "approve",
        by: Ed25519PrivateKey = BOT,
    ) -> Record:
        body = Ballot(
            stamp=Stamp(T0 + at), goal=self.goal.id, node=self.goal.id, proposal=proposal.id,
            verdict=verdict, person=bytes([who]) * 32,
        )  # fmt: skip
        return self.tell(body, by)

    def accept(self, at: int, **more: Any) -> Record:
        proposal = self.propose(at, **more)
        self.ballot(at + 1, proposal, SCORERS[0])
        self.ballot(at + 2, proposal, SCORERS[1])
        return proposal

    def claim(self, at: int, node: bytes, by: int = 0, attempt: int = 1) -> Record:
        body = Claim(stamp=Stamp(T0 + at), goal=self.goal.id, node=node, attempt=attempt)
        return self.tell(body, EXECUTORS[by])

    def renew(self, at: int, claim: Record, by: int = 0) -> Record:
        body = Progress(
            stamp=Stamp(T0 + at), goal=self.goal.id, node=node_of(claim), claim=claim.id
        )
        return self.tell(body, EXECUTORS[by])

    def result(
        self,
        at: int,
        claim: Record,
        by: int = 0,
        outcome: Literal["done", "failed"] = "done",
        text: str = "text",
    ) -> Record:
        body = Result(
            stamp=Stamp(T0 + at), goal=self.goal.id, node=node_of(claim), claim=claim.id,
            outcome=outcome, text=text if outcome == "done" else "", reason="because",
        )  # fmt: skip
        return self.tell(body, EXECUTORS[by])

    def review(
        self,
        at: int,
        result: Record,
        by: Ed25519PrivateKey = SCORERS[0],
        verdict: Literal["fine", "wrong"] = "fine",
        rating: float | None = None,
        critique: str = "",
    ) -> Record:
        assert isinstance(result.body, Result)
        body = Review(
            stamp=Stamp(T0 + at), goal=self.goal.id, node=result.body.node, result=result.id,
            verdict=verdict, rating=rating, critique=critique,
        )  # fmt: skip
        return self.tell(body, by)

    def until(self, at: int) -> Plan:
        self.plan.advance(T0 + at)
        return self.plan

    def winner(self) -> bytes | None:
        decision = self.plan.root.decision
        return decision.proposal.id if decision and decision.proposal else None

    def first_task(self) -> Node:
        return self.plan.root.children[0]


def node_of(claim: Record) -> bytes:
    assert isinstance(claim.body, Claim)
    return claim.body.node
