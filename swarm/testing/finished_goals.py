"""Finished goals, signed as honest peers sign them, for tests and benchmarks of a long history.

Each goal has one split into five tasks, rated and approved, all tasks done and put together: 23
valid records that all count in the fold. Equal arguments give equal bytes.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from swarm.core.clock import Stamp
from swarm.core.policy import HOUR, Policy
from swarm.core.records import (
    Ballot,
    Claim,
    Goal,
    KnownBody,
    Progress,
    Proposal,
    Record,
    Result,
    Subgoal,
    child_id,
    sign,
)

TASKS = 5
"""Parts of each split."""

STEP_MS = 400
"""Between two records of a goal, in ms."""

RECORDS = 23
"""Records of each goal."""


def _keys(rng: random.Random, count: int) -> list[Ed25519PrivateKey]:
    return [Ed25519PrivateKey.from_private_bytes(rng.randbytes(32)) for _ in range(count)]


@dataclass
class Cast:
    """The peers that made a history.

    Attributes:
        swarm: name of their swarm.
        seed: equal seeds give equal keys.
        submitters: how many ask, in turns.
        text_characters: length of each result.
    """

    swarm: str
    seed: int = 1
    submitters: int = 1
    text_characters: int = 400
    _keys: dict[str, list[Ed25519PrivateKey]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Draw the keys."""
        rng = random.Random(self.seed)
        counts = {"submitter": self.submitters, "decomposer": 2, "scorer": 3, "executor": 2}
        self._keys = {role: _keys(rng, count) for role, count in counts.items()}

    def key(self, role: str, number: int = 0) -> Ed25519PrivateKey:
        """Return the key of one of them."""
        keys = self._keys[role]
        return keys[number % len(keys)]

    def goals(self, count: int, *, first_ms: int, last_ms: int) -> Iterator[list[Record]]:
        """Yield the records of each goal, its own first, the oldest goal first.

        Args:
            count: how many goals.
            first_ms: stamp of the first goal, in ms since the epoch.
            last_ms: stamp of the last one.
        """
        for number in range(count):
            at = first_ms + (last_ms - first_ms) * number // max(1, count - 1)
            yield self.finished(number, at)

    def finished(self, number: int, start_ms: int) -> list[Record]:
        """Return the records of one finished goal, its own first, in the order of their stamps.

        Args:
            number: which goal: another text, and the next submitter's turn.
            start_ms: stamp of the goal, in ms since the epoch.
        """
        now = start_ms
        goal = sign(
            Goal(
                stamp=Stamp(now),
                swarm=self.swarm,
                text=f"Plan the school fair number {number}",
                policy=Policy(max_depth=1, quorum=2, deadline_ms=HOUR),
            ),
            self.key("submitter", number),
        )
        records = [goal]

        def say(role: str, which: int, kind: type[KnownBody], **fields: object) -> Record:
            nonlocal now
            now += STEP_MS
            body = kind(stamp=Stamp(now), goal=goal.id, **fields)
            records.append(sign(body, self.key(role, which)))
            return records[-1]

        proposals = [
            say(
                "decomposer",
                which,
                Proposal,
                node=goal.id,
                lens=lens,
                parts=[
                    Subgoal(title=f"Part {part + 1}, {lens}", detail="What belongs to it.")
                    for part in range(TASKS)
                ],
            )
            for which, lens in enumerate(("by time", "by topic"))
        ]
        for which in range(3):
            for place, proposal in enumerate(proposals):
                say(
                    "scorer",
                    which,
                    Ballot,
                    node=goal.id,
                    proposal=proposal.id,
                    verdict="abstain" if place else "approve",
                    concrete=0.8,
                    distinct=0.7,
                    complete=0.9 - 0.2 * place,
                )
        nodes = [child_id(proposals[0].id, place) for place in range(TASKS)]
        for which, node in enumerate([*nodes, goal.id]):
            claim = say("executor", which, Claim, node=node, attempt=1)
            if which < 2:
                say("executor", which, Progress, node=node, claim=claim.id, percent=50)
            text = (f"Result {which} of goal {number}. " * self.text_characters)[
                : self.text_characters
            ]
            say("executor", which, Result, node=node, claim=claim.id, outcome="done", text=text)
        return records
