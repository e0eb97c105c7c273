"""Histories of goals as honest peers make them, of any size, for the benchmarks of records.

They are not random: every node gets three proposed splits, which three scorers rate and people vote
on, and one is accepted; every task and every assembly is claimed, reported on and done. So most
records count in the fold.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from swarm.core.clock import Stamp
from swarm.core.policy import DAY, Policy
from swarm.core.records import (
    DOMAIN,
    HEADER_SIZE,
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

SWARM = "benchmark"
START_MS = 1_700_000_000_000
"""Default stamp of a goal; the records follow a millisecond apart."""

FAN_OUT = 6
VOTERS = 3
"""Parts of a split; decomposers, and scorers."""

EXECUTORS = 12
"""Enough that no author is over its bound of 2,000 records in the largest history."""

REPORTS = 4
"""Progress records of each task."""

PEOPLE_SHARE = 0.45
"""Share of people's votes, which the submitter attests, among all records. It is larger than in
most goals: peers other than the submitter may have at most 12,000 records in a goal, and the
largest has 20,000."""

LATE = 20.0
"""Standard deviation of the number of places by which a record arrives early or late."""

RESULT_CHARACTERS = 400
CRITIQUE_CHARACTERS = 80


@dataclass(frozen=True, slots=True)
class History:
    """One goal and all records about it.

    Attributes:
        goal: its own record.
        arrivals: the bytes of all records, the goal's first, the others nearly in order.
        end_ms: a time after the last stamp, in ms.
    """

    goal: Record
    arrivals: list[bytes]
    end_ms: int


class _Speakers:
    def __init__(self, rng: random.Random) -> None:
        def keys(count: int) -> list[Ed25519PrivateKey]:
            return [Ed25519PrivateKey.from_private_bytes(rng.randbytes(32)) for _ in range(count)]

        self.submitter = keys(1)[0]
        self.decomposers = keys(VOTERS)
        self.scorers = keys(VOTERS)
        self.executors = keys(EXECUTORS)


def history(records: int, *, seed: int = 1, start_ms: int = START_MS) -> History:
    """Make a goal with exactly this many records, its own included.

    Args:
        records: 2 to 20,000: more would be over what a store keeps of one goal.
        seed: equal seeds give equal bytes.
        start_ms: stamp of the goal. A running peer forgets goals that ended long ago.
    """
    rng = random.Random(seed)
    speakers = _Speakers(rng)
    policy = Policy(
        quorum=2,
        max_depth=6,
        max_children=FAN_OUT,
        max_nodes=2_000,
        lease_ms=DAY,
        patience_ms=DAY,
        deadline_ms=30 * DAY,
    )
    goal = sign(
        Goal(stamp=Stamp(start_ms), swarm=SWARM, text="Plan a concert", policy=policy),
        speakers.submitter,
    )
    tasks = 2
    while _working_records(tasks + 1) <= (1 - PEOPLE_SHARE) * records:
        tasks += 1
    voters = max(0, records - 1 - _working_records(tasks)) // _splits(tasks)
    made = _Maker(goal, speakers, rng, voters)
    rest = list(made.grow(goal.id, tasks))[: records - 1]
    while len(rest) < records - 1:
        rest.append(made.vote_of_a_person(made.first, len(rest)))
    order = sorted(range(len(rest)), key=lambda place: place + rng.gauss(0, LATE))
    return History(
        goal=goal,
        arrivals=[goal.raw, *(rest[place].raw for place in order)],
        end_ms=made.now_ms + 1,
    )


def _shares(tasks: int) -> list[int]:
    """Return how many tasks are below each part of a split."""
    parts = min(FAN_OUT, tasks)
    return [tasks // parts + (place < tasks % parts) for place in range(parts)]


@cache
def _splits(tasks: int) -> int:
    return 1 + sum(_splits(share) for share in _shares(tasks) if share > 1)


def _working_records(tasks: int) -> int:
    """Return how many records peers make of a plan, without people's votes."""
    a_vote, work = VOTERS + VOTERS * VOTERS, 2 + REPORTS
    return _splits(tasks) * (a_vote + work) + tasks * work


class _Maker:
    """Publishes records one after the other, a millisecond apart."""

    def __init__(self, goal: Record, speakers: _Speakers, rng: random.Random, voters: int) -> None:
        self._goal = goal
        self._speakers = speakers
        self._rng = rng
        self._voters = voters
        self._turn = 0
        self.now_ms = goal.stamp.ms
        self.first = goal
        """The first proposal."""

    def grow(self, node: bytes, tasks: int) -> Iterator[Record]:
        """Yield all records about a node with this many tasks below it."""
        below = _shares(tasks)
        proposals = []
        for key in self._speakers.decomposers:
            split = [
                Subgoal(
                    title=f"Part {place + 1} of {len(below)}",
                    detail="What belongs to it, and what does not.",
                    kind="goal" if count > 1 else "task",
                )
                for place, count in enumerate(below)
            ]
            proposals.append(self._say(key, Proposal, node=node, lens="by time", parts=split))
            yield proposals[-1]
        if self.first is self._goal:
            self.first = proposals[0]
        for person in range(self._voters):
            yield self.vote_of_a_person(proposals[person % VOTERS], person)
        for key in self._speakers.scorers:
            for place, proposal in enumerate(proposals):
                yield self._say(
                    key,
                    Ballot,
                    node=node,
                    proposal=proposal.id,
                    verdict="abstain" if place else "approve",
                    concrete=0.8,
                    distinct=0.7,
                    complete=0.9,
                    critique="x" * CRITIQUE_CHARACTERS,
                )
        for place, count in enumerate(below):
            child = child_id(proposals[0].id, place)
            yield from self.grow(child, count) if count > 1 else self._do(child)
        yield from self._do(node)

    def vote_of_a_person(self, proposal: Record, number: int) -> Record:
        """Publish an approval of a proposal."""
        assert isinstance(proposal.body, Proposal)
        return self._say(
            self._speakers.submitter,
            Ballot,
            node=proposal.body.node,
            proposal=proposal.id,
            verdict="approve",
            person=number.to_bytes(32, "big"),
        )

    def _do(self, node: bytes) -> Iterator[Record]:
        self._turn += 1
        key = self._speakers.executors[self._turn % EXECUTORS]
        claim = self._say(key, Claim, node=node, attempt=1)
        yield claim
        for report in range(REPORTS):
            percent = 100 * report // REPORTS
            yield self._say(key, Progress, node=node, claim=claim.id, percent=percent)
        text = "".join(self._rng.choices("abcdefgh ", k=RESULT_CHARACTERS))
        yield self._say(key, Result, node=node, claim=claim.id, outcome="done", text=text)

    def _say(self, key: Ed25519PrivateKey, kind: type[KnownBody], **fields: object) -> Record:
        self.now_ms += 1
        return sign(kind(stamp=Stamp(self.now_ms), goal=self._goal.id, **fields), key)


def verify_bare(records: Iterable[bytes]) -> None:
    """Check the signature of each record and nothing else: the least that any peer must do."""
    for raw in records:
        author, signature = raw[1:33], raw[33:HEADER_SIZE]
        key = Ed25519PublicKey.from_public_bytes(author)
        key.verify(signature, DOMAIN + author + raw[HEADER_SIZE:])
