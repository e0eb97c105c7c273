"""Test vectors for other languages: made here, kept in docs/vectors, compared by a test.

After a deliberate change of the protocol, write them again: python -m tests.core.vectors
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from swarm.core.clock import Stamp
from swarm.core.fold.claims import claim_rank
from swarm.core.fold.plan import Plan
from swarm.core.policy import Policy
from swarm.core.records import (
    Ballot,
    Cancel,
    Claim,
    Goal,
    KnownBody,
    Notice,
    Presence,
    Progress,
    Proposal,
    Record,
    Replan,
    Result,
    Subgoal,
    child_id,
    decode,
    sign,
)
from swarm.core.views.plan_view import plan_view
from tests.core.worlds import BOT, DECOMPOSERS, EXECUTORS, SCORERS


def story() -> list[tuple[str, Record]]:
    """Return one goal's records from the question to the answer, with what each shows."""
    told: list[tuple[str, Record]] = []

    def tell(what: str, body: KnownBody, key: Any) -> Record:
        record = sign(body, key)
        told.append((what, record))
        return record

    goal = tell(
        "a goal with its whole policy",
        Goal(
            stamp=Stamp(1_000_000, 0), swarm="vectors", text="दो हफ़्ते जापान में", language="hi",
            policy=Policy(quorum=2, max_depth=1),
        ),
        BOT,
    )  # fmt: skip
    parts = [Subgoal(title="Tokyo", detail="first week"), Subgoal(title="Kyoto", after=[0])]
    split = tell(
        "a proposal whose second part comes after the first",
        Proposal(
            stamp=Stamp(1_000_100, 0), goal=goal.id, node=goal.id, parts=parts, lens="place",
            rationale="by place",
        ),
        DECOMPOSERS[0],
    )  # fmt: skip
    tell(
        "a proposal to do it as one task",
        Proposal(stamp=Stamp(1_000_100, 1), goal=goal.id, node=goal.id, lens="day"),
        DECOMPOSERS[1],
    )
    for number, scorer in enumerate(SCORERS[:2]):
        tell(
            "a scorer's ballot",
            Ballot(
                stamp=Stamp(1_000_200 + number, 0), goal=goal.id, node=goal.id, proposal=split.id,
                verdict="approve", concrete=0.5, distinct=0.75, complete=1.0,
                critique="" if number else "The second week is thin.",
            ),
            scorer,
        )  # fmt: skip
    tell(
        "a person's ballot, attested by the goal's author",
        Ballot(
            stamp=Stamp(1_000_300, 0), goal=goal.id, node=goal.id, proposal=split.id,
            verdict="reject", person=bytes(range(32)),
        ),
        BOT,
    )  # fmt: skip
    tell(
        "a replan: whoever asked wants another split, which is voted anew",
        Replan(
            stamp=Stamp(1_000_310, 0), goal=goal.id, node=goal.id, reason="Kyoto first, please."
        ),
        BOT,
    )
    parts = [Subgoal(title="Kyoto", detail="first week"), Subgoal(title="Tokyo", after=[0])]
    split = tell(
        "a proposal in the second round",
        Proposal(
            stamp=Stamp(1_000_320, 0), goal=goal.id, node=goal.id, parts=parts, lens="day",
            rationale="the other way round",
        ),
        DECOMPOSERS[1],
    )  # fmt: skip
    for number, scorer in enumerate(SCORERS[:2]):
        tell(
            "a scorer's ballot in the second round",
            Ballot(
                stamp=Stamp(1_000_330 + number, 0), goal=goal.id, node=goal.id, proposal=split.id,
                verdict="approve", concrete=0.75, distinct=0.75, complete=0.75,
            ),
            scorer,
        )  # fmt: skip
    first, second = child_id(split.id, 0), child_id(split.id, 1)
    at = 1_000_400
    for node in (first, second, goal.id):
        claim = tell(
            "a claim",
            Claim(stamp=Stamp(at, 0), goal=goal.id, node=node, attempt=1),
            EXECUTORS[0],
        )
        tell(
            "a claim that comes later and loses",
            Claim(stamp=Stamp(at, 1), goal=goal.id, node=node, attempt=1),
            EXECUTORS[1],
        )
        tell(
            "a renewal of the lease",
            Progress(stamp=Stamp(at + 10, 0), goal=goal.id, node=node, claim=claim.id, percent=50),
            EXECUTORS[0],
        )
        tell(
            "a result",
            Result(
                stamp=Stamp(at + 20, 0), goal=goal.id, node=node, claim=claim.id, outcome="done",
                text="## Plan\n\nWalk.", draft=True,
            ),
            EXECUTORS[0],
        )  # fmt: skip
        at += 100
    tell(
        "a notice",
        Notice(stamp=Stamp(1_000_900, 0), goal=goal.id, code="note", text="done early"),
        EXECUTORS[0],
    )
    tell(
        "a replan of what is settled, which changes nothing",
        Replan(stamp=Stamp(1_000_950, 0), goal=goal.id, node=goal.id),
        BOT,
    )
    tell("a cancel that comes too late", Cancel(stamp=Stamp(1_001_000, 0), goal=goal.id), BOT)
    return told


def record_vectors() -> dict[str, Any]:
    """Return valid records with their parts, and bytes that must be refused."""
    presence = sign(
        Presence(stamp=Stamp(1_000_000, 0), swarm="vectors", role="scorer", name="Ada"), SCORERS[0]
    )
    records = [*story(), ("a presence", presence)]
    first = records[0][1].raw
    invalid = {
        "empty": b"",
        "only a header": first[:97],
        "envelope version 2": b"\x02" + first[1:],
        "a changed signature": first[:40] + bytes([first[40] ^ 1]) + first[41:],
        "another author": first[:1] + SCORERS[0].public_key().public_bytes_raw() + first[33:],
        "a changed body": first[:-1] + b" ",
    }
    return {
        "about": "version 1 | author 32 | signature 64 | JSON body; all hex",
        "valid": [
            {
                "what": what,
                "record": record.raw.hex(),
                "id": record.id.hex(),
                "author": record.author.hex(),
                "body": record.raw[97:].decode(),
            }
            for what, record in records
        ],
        "invalid": [{"what": what, "record": raw.hex()} for what, raw in invalid.items()],
    }


def fold_vector() -> dict[str, Any]:
    """Return a goal's records, a time, and the state they fold to."""
    records = [record for _, record in story()]
    plan = Plan(records[0])
    for record in records[1:]:
        plan.apply(decode(record.raw))
    now_ms = 1_002_000
    plan.advance(now_ms)
    nodes = list(plan.nodes())
    return {
        "about": "fold(records, now_ms) in any order gives this plan and digest",
        "now_ms": now_ms,
        "records": [record.raw.hex() for record in records],
        "digest": plan.digest.hex(),
        "claim_ranks": [
            {
                "node": node.id.hex(),
                "attempt": 1,
                "author": records[0].author.hex(),
                "rank": claim_rank(node.id, 1, records[0].author).hex(),
            }
            for node in nodes
        ],
        "plan": json.loads(plan_view(plan).model_dump_json()),
    }


def main() -> None:
    """Write the vectors."""
    folder = Path(__file__).parents[2] / "docs" / "vectors"
    folder.mkdir(parents=True, exist_ok=True)
    for name, value in (("records", record_vectors()), ("fold", fold_vector())):
        text = json.dumps(value, indent=1, ensure_ascii=False)
        (folder / f"{name}.json").write_text(text + "\n")


if __name__ == "__main__":
    main()
