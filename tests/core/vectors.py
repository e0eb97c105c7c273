"""Test vectors for other languages: made here, kept in docs/vectors, compared by a test.

After a deliberate change of the protocol, write them again: python -m tests.core.vectors
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Literal

from swarm.core.clock import Stamp
from swarm.core.fold.claims import claim_rank
from swarm.core.fold.plan import Plan
from swarm.core.fold.voting import Tally
from swarm.core.policy import Policy
from swarm.core.records import (
    DOMAIN,
    VERSION,
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
    Review,
    Subgoal,
    child_id,
    decode,
    sign,
)
from swarm.core.views.plan_view import plan_view
from tests.core.worlds import BOT, DECOMPOSERS, EXECUTORS, SCORERS

_Y8 = 0x05FC536D880238B13933C6D305ACDFD5F098EFF289F4C345B027B2C28F95E826


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


def reviewed_story() -> list[Record]:
    """Return the records of a goal that is one task: its first version is sent back once."""
    policy = Policy(quorum=2, max_depth=0, reviews=1, review_ms=5_000)
    goal = sign(Goal(stamp=Stamp(1_000_000), swarm="vectors", text="a day", policy=policy), BOT)
    records = [goal]
    verdicts: tuple[Literal["wrong", "fine"], ...] = ("wrong", "fine")
    for number, verdict in enumerate(verdicts):
        at, executor = 1_000_100 + 100 * number, EXECUTORS[number]
        claim = sign(
            Claim(stamp=Stamp(at), goal=goal.id, node=goal.id, attempt=number + 1), executor
        )
        result = sign(
            Result(
                stamp=Stamp(at + 10), goal=goal.id, node=goal.id, claim=claim.id, outcome="done",
                text="Walk to the" if verdict == "wrong" else "Walk.",
            ),
            executor,
        )  # fmt: skip
        records += [claim, result]
        for count, scorer in enumerate(SCORERS[:2]):
            review = Review(
                stamp=Stamp(at + 20 + count), goal=goal.id, node=goal.id, result=result.id,
                verdict=verdict, rating=0.5 if verdict == "wrong" else None,
                points=[0] if verdict == "wrong" else [],
                critique="It stops in the middle." if verdict == "wrong" else "",
            )  # fmt: skip
            records.append(sign(review, scorer))
    return records


def review_vector() -> dict[str, Any]:
    """Return the records of a reviewed goal at two moments, with the state they fold to."""
    records = reviewed_story()
    moments = []
    for count, now_ms in ((5, 1_000_150), (len(records), 1_001_000)):
        plan = Plan(records[0])
        for record in records[1:count]:
            plan.apply(decode(record.raw))
        plan.advance(now_ms)
        moments.append(
            {
                "records": count,
                "now_ms": now_ms,
                "digest": plan.digest.hex(),
                "plan": json.loads(plan_view(plan).model_dump_json()),
            }
        )
    return {
        "about": "the first of these records at now_ms, in any order, fold to this plan and digest",
        "records": [record.raw.hex() for record in records],
        "moments": moments,
    }


def signed(payload: bytes) -> bytes:
    """Return a correctly signed record with any payload."""
    author = BOT.public_key().public_bytes_raw()
    return bytes([VERSION]) + author + BOT.sign(DOMAIN + author + payload) + payload


SMALL_ORDER = [
    value.to_bytes(32, "little")
    for y in (0, 1, 2**255 - 20, _Y8, 2**255 - 19 - _Y8)
    for value in (y, y | 1 << 255)
]
"""All canonical encodings of the y coordinates of Ed25519's eight points of small order."""


def invalid_bodies() -> dict[str, str]:
    """Return bodies that are signed correctly and must be refused, by what is wrong with them."""
    key = '"' + "ab" * 32 + '"'
    goal = '{"v":1,"kind":"goal","stamp":[1,0],"swarm":"s","text":"t","policy":{}}'
    claim = f'{{"v":1,"kind":"claim","stamp":[1,0],"goal":{key},"node":{key},"attempt":1}}'
    ballot = (
        f'{{"v":1,"kind":"ballot","stamp":[1,0],"goal":{key},"node":{key},"proposal":{key},'
        '"verdict":"approve","concrete":0.5,"distinct":0.5,"complete":0.5}'
    )
    result = (
        f'{{"v":1,"kind":"result","stamp":[1,0],"goal":{key},"node":{key},"claim":{key},'
        '"outcome":"done","draft":true}'
    )
    future = f'{{"v":1,"kind":"haiku","stamp":[1,0],"goal":{key},"x":0}}'
    changes = [
        ("an integer as a string", claim, '"attempt":1', '"attempt":"1"'),
        ("an integer as a padded string", claim, '"attempt":1', '"attempt":" 1_0 "'),
        ("a boolean as an integer", claim, '"attempt":1', '"attempt":true'),
        ("an integer with a fraction", claim, '"attempt":1', '"attempt":1.0'),
        ("an integer with an exponent", claim, '"attempt":1', '"attempt":1e0'),
        ("a rating as a string", ballot, '"concrete":0.5', '"concrete":"0.5"'),
        ("a boolean as a rating", ballot, '"concrete":0.5', '"concrete":true'),
        ("NaN as a rating", ballot, '"concrete":0.5', '"concrete":NaN'),
        ("a string as a boolean", result, '"draft":true', '"draft":"yes"'),
        ("an integer as a boolean", result, '"draft":true', '"draft":1'),
        ("a goal without v", goal, '"v":1,', ""),
        ("a claim without v", claim, '"v":1,', ""),
        ("true as v", claim, '"v":1', '"v":true'),
        ("1.0 as v", claim, '"v":1', '"v":1.0'),
        ("a goal without a policy", goal, ',"policy":{}', ""),
        ("uppercase hex", claim, '"node":' + key, '"node":' + key.upper()),
        ("booleans in a stamp", claim, "[1,0]", "[true,false]"),
        ("a float in a stamp", claim, "[1,0]", "[1.0,0]"),
        ("a string in a stamp", claim, "[1,0]", '["1",0]'),
        ("a duplicate key", claim, '"attempt":1', '"attempt":1,"attempt":1'),
        ("a duplicate key, escaped once", claim, '"v":1', '"v":1,"\\u0076":1'),
        ("a duplicate key in a policy", goal, "{}", '{"quorum":1,"quorum":2}'),
        ("NaN in an unknown field", claim, '"v":1', '"v":1,"x":[NaN]'),
        ("-Infinity in an unknown field", claim, '"v":1', '"v":1,"x":-Infinity'),
        ("NaN in an unknown kind", future, '"x":0', '"x":NaN'),
        ("a duplicate key in an unknown kind", future, '"x":0', '"x":{"y":1,"y":1}'),
        ("uppercase hex in an unknown kind", future, key, key.upper()),
        ("true as v of an unknown kind", future, '"v":1', '"v":true'),
        ("an integer of 4,301 digits", future, '"x":0', '"x":' + "1" * 4_301),
        (
            "a value inside 201 arrays and objects",
            future,
            '"x":0',
            '"x":' + "[" * 200 + "0" + "]" * 200,
        ),
        ("a lone surrogate", future, '"x":0', '"x":"\\ud800"'),
    ]
    for _, body, old, _ in changes:
        assert body.count(old) >= 1, (body, old)
    return {what: body.replace(old, new) for what, body, old, new in changes}


def record_vectors() -> dict[str, Any]:
    """Return valid records with their parts, and bytes that must be refused."""
    presence = sign(
        Presence(stamp=Stamp(1_000_000, 0), swarm="vectors", role="scorer", name="Ada"), SCORERS[0]
    )
    reviews = [record for record in reviewed_story() if isinstance(record.body, Review)]
    records = [
        *story(),
        ("a presence", presence),
        ("a review that sends a result back", reviews[0]),
        ("a review that finds a result fine", reviews[-1]),
    ]
    first = records[0][1].raw
    invalid = {
        "empty": b"",
        "only a header": first[:97],
        "envelope version 2": b"\x02" + first[1:],
        "a changed signature": first[:40] + bytes([first[40] ^ 1]) + first[41:],
        "another author": first[:1] + SCORERS[0].public_key().public_bytes_raw() + first[33:],
        "a changed body": first[:-1] + b" ",
        "an author of small order, with a signature that fits any text": (
            first[:1] + SMALL_ORDER[2] + SMALL_ORDER[2] + bytes(32) + first[97:]
        ),
        "an author whose y is not below 2^255-19": (
            first[:1]
            + (2**255 - 18).to_bytes(32, "little")
            + SMALL_ORDER[2]
            + bytes(32)
            + first[97:]
        ),
        **{what: signed(body.encode()) for what, body in invalid_bodies().items()},
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


MEANS = (0.1, 0.7, 0.1)
"""Three scorers' ratings whose mean a compensated sum would round otherwise."""


def mean_rating(ratings: tuple[float, ...]) -> float:
    """Return the product's mean rating of a proposal, of scorers who gave one rating thrice each.

    The scorers are in the order of their keys.
    """
    record = story()[1][1]
    tally = Tally(record, record.body)  # type: ignore[arg-type]  # the story's second is a proposal
    for number, rating in enumerate(ratings):
        ballot = Ballot(
            stamp=Stamp(1), goal=bytes(32), node=bytes(32), proposal=bytes(32), verdict="abstain",
            concrete=rating, distinct=rating, complete=rating,
        )  # fmt: skip
        tally.ballots[bytes([number])] = sign(ballot, BOT)
    return tally.score


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
        "mean_rating": {"ratings": [[r] * 3 for r in MEANS], "mean": mean_rating(MEANS)},
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
    made = {"records": record_vectors(), "fold": fold_vector(), "reviews": review_vector()}
    for name, value in made.items():
        text = json.dumps(value, indent=1, ensure_ascii=False)
        (folder / f"{name}.json").write_text(text + "\n")


if __name__ == "__main__":
    main()
