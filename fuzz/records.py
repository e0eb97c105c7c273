"""Records: their bytes, and what a store makes of any number of them in any order."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from pydantic import ValidationError

from fuzz.choices import Choices
from swarm.core.clock import MAX_DRIFT_MS, Stamp
from swarm.core.policy import Policy
from swarm.core.records import (
    HEADER_SIZE,
    VERSION,
    Ballot,
    Cancel,
    Claim,
    Goal,
    Grant,
    KnownBody,
    Notice,
    Presence,
    Progress,
    Proposal,
    Record,
    RecordError,
    Replan,
    Result,
    Subgoal,
    UnknownBody,
    child_id,
    decode,
)
from swarm.core.store.limits import Limits
from swarm.core.store.store import AddResult, Store
from swarm.core.views.plan_view import plan_view

NOW = 1_000_000
SWARM = "fuzz"
AUTHORS = [
    Ed25519PrivateKey.from_private_bytes(bytes([n]) * 32).public_key().public_bytes_raw()
    for n in range(1, 8)
]
LIMITS = Limits(
    goals=3,
    goals_per_author=2,
    records_per_author=6,
    records_of_submitter=9,
    orphan_goals=3,
    orphan_records=40,
    held=4,
    refold_ms=1,
)
"""Bounds so tight that a short input reaches each of them."""

LATER = NOW + 400_000
"""A time by which every record stamped ahead of time has become valid."""

AHEAD = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 100_000, 300_000)
"""Milliseconds by which clocks are ahead: most are not."""

ROLES: tuple[list[str], ...] = (
    [], ["scorer"], ["decomposer", "scorer", "executor"], ["submitter"], ["executor", "submitter"],
)  # fmt: skip

POLICIES = (
    Policy(),
    Policy(max_depth=0),
    Policy(quorum=2, vote_window_ms=[30], patience_ms=60, fallback="task", lease_ms=20),
    Policy(electorate=AUTHORS[1:4], quorum=2, revote_ms=10, patience_ms=90, max_attempts=2),
    Policy(max_nodes=4, max_children=3, max_depth=3, fallback="fail", patience_ms=50),
    Policy(people="advisory", max_refinements=2, lease_ms=5, deadline_ms=200),
)


def unsigned(author: bytes, payload: bytes) -> bytes:
    """A record's bytes with an empty signature, for `decode(verify=False)`."""
    return bytes([VERSION]) + author + bytes(HEADER_SIZE - 33) + payload


def read(data: bytes) -> None:
    """Any bytes are a record or a `RecordError`, as they are and as a signed body."""
    for raw, verify in ((data, True), (data, False), (unsigned(AUTHORS[0], data), False)):
        try:
            record = decode(raw, verify=verify)
        except RecordError as error:
            brief(error)
            continue
        check_read(record, raw)


def brief(error: Exception, most: int = 2_000) -> None:
    """Assert that an error does not repeat what it refuses."""
    assert len(str(error)) < most


def check_read(record: Record, raw: bytes) -> None:
    """What `decode` promises of a record."""
    assert record.raw == raw
    assert len(record.id) == 32
    assert record.goal_id is None or len(record.goal_id) == 32
    if not isinstance(record.body, UnknownBody):
        said = record.body.model_dump_json(exclude_none=True)
        assert type(record.body).model_validate_json(said) == record.body
    owned = Store(SWARM, owner=record.author)
    for store in (Store(SWARM), owned):
        outcome = store.add_record(record, record.stamp.ms)
        store.advance(record.stamp.ms + MAX_DRIFT_MS)
        assert outcome is not AddResult.HELD
        for plan in store.plans():
            plan_view(plan).model_dump_json()


def fold(data: bytes) -> None:
    """The same records in two orders: the same set is kept, and folded to the same digest.

    In open swarms and owned ones, with records from a future that comes, within any bounds.
    """
    choices = Choices(data)
    limits = LIMITS if choices.chance() else Limits(refold_ms=1)
    owner = AUTHORS[0] if choices.chance() else None
    records = make_up(choices)
    orders = [records, shuffled(records, choices)]
    stores = [_watched(limits, owner) for _ in orders]
    for (store, kept), order in zip(stores, orders, strict=True):
        for at, record in enumerate(order):
            store.add_record(record, NOW + 5_000)
            if at % 3 == 2:
                store.advance(NOW)
                store.plans()
        _check_kept(store, kept)
    # When a goal came after its records, some orphans were dropped: gossip brings those again.
    for _ in range(2):
        for (store, _), order in zip(stores, orders, strict=True):
            store.advance(LATER)
            for record in order:
                store.add_record(record, LATER)
    for store, kept in stores:
        store.advance(LATER + 5_000)
        _check_kept(store, kept)
    one, other = (store for store, _ in stores)
    assert _named(one) == _named(other)
    known = [{plan.id: plan for plan in store.plans()} for store in (one, other)]
    assert known[0].keys() == known[1].keys()
    for goal, plan in known[0].items():
        assert set(one.ids(goal)) == set(other.ids(goal))
        assert one.summary(goal) == other.summary(goal)
        assert plan.digest == known[1][goal].digest
        assert sum(1 for _ in plan.nodes()) <= plan.policy.max_nodes


def _watched(limits: Limits, owner: bytes | None) -> tuple[Store, set[bytes]]:
    """A store, and the ids that it reports to keep."""
    kept: set[bytes] = set()
    store = Store(
        SWARM,
        owner=owner,
        limits=limits,
        on_new=lambda record: kept.add(record.id),
        on_gone=kept.discard,
    )
    return store, kept


def _named(store: Store) -> set[tuple[bytes, tuple[str, ...]]]:
    """The grants that a store holds."""
    found = set()
    for subject in store.roster.subjects():
        grant = store.roster.grant_of(subject, LATER)
        found.add((subject, tuple(grant.roles) if grant is not None else ()))
    return found


def _check_kept(store: Store, kept: set[bytes]) -> None:
    """A store keeps what it reports to keep."""
    held = {rid for goal in store.goals() for rid in store.ids(goal)}
    # Presences are reported, and one is kept for each author.
    assert held <= kept
    assert all(rid in store and store.raw(rid) is not None for rid in held)
    assert len(store) == len(held)


def shuffled(records: list[Record], choices: Choices) -> list[Record]:
    """The records in another order, which the second half of the input's bytes decides."""
    order = list(records)
    for at in range(len(order) - 1, 0, -1):
        other = choices.byte() % (at + 1)
        order[at], order[other] = order[other], order[at]
    return order


def make_up(choices: Choices, say: Callable[[str], str] = str) -> list[Record]:
    """A few goals, and records about them that may or may not make sense.

    Args:
        choices: Make the decisions.
        say: Returns the text to use in place of an ordinary one.
    """
    records: list[Record] = []
    goals: list[bytes] = []
    nodes: list[tuple[bytes, bytes]] = []
    proposals: list[tuple[bytes, bytes, bytes]] = []
    claims: list[tuple[bytes, bytes, bytes]] = []
    clock = NOW
    for _ in range(60):
        if not choices.left and records:
            break
        clock += choices.pick((0, 1, 5, 40))
        ms = clock - choices.pick((0, 0, 0, 30)) + choices.pick(AHEAD)
        stamp = Stamp(max(0, ms), choices.byte() % 3)
        author = choices.pick(AUTHORS)
        body = _body(choices, stamp, goals, nodes, proposals, claims, say)
        if body is None:
            continue
        if isinstance(body, Ballot | Result | Claim | Replan | Cancel) and choices.chance():
            author = AUTHORS[0]
        if isinstance(body, Grant) and not choices.chance(4):
            author = AUTHORS[0]
        said = body.model_dump(mode="json", exclude_none=True)
        if choices.chance(32) and "goal" in said:
            said["kind"] = "from-the-future"
        raw = unsigned(author, json.dumps(said).encode())
        record = decode(raw, verify=False)
        records.append(record)
        match body:
            case Goal():
                goals.append(record.id)
                nodes.append((record.id, record.id))
            case Proposal(goal=goal, node=node, parts=parts):
                proposals.append((goal, node, record.id))
                nodes.extend((goal, child_id(record.id, index)) for index in range(len(parts)))
            case Claim(goal=goal, node=node):
                claims.append((goal, node, record.id))
    return records


def _body(
    choices: Choices,
    stamp: Stamp,
    goals: list[bytes],
    nodes: list[tuple[bytes, bytes]],
    proposals: list[tuple[bytes, bytes, bytes]],
    claims: list[tuple[bytes, bytes, bytes]],
    say: Callable[[str], str],
) -> KnownBody | None:
    kind = choices.byte() % 9
    try:
        if kind == 0 or not goals:
            text, policy = say("goal"), choices.pick(POLICIES)
            return Goal(stamp=stamp, swarm=SWARM, text=text, policy=policy)
        goal, node = choices.pick(nodes)
        match kind:
            case 1:
                return Proposal(
                    stamp=stamp, goal=goal, node=node, parts=_parts(choices, say),
                    refines=choices.pick(proposals)[2] if proposals and choices.chance(4) else None,
                    rationale=say(""), lens=say("")[:64],
                )  # fmt: skip
            case 2 | 3 if proposals:
                goal, node, proposal = choices.pick(proposals)
                rating = choices.byte() / 255
                return Ballot(
                    stamp=stamp, goal=goal, node=node, proposal=proposal,
                    verdict=choices.pick(("approve", "reject", "abstain")),
                    concrete=rating, distinct=rating, complete=1.0,
                    person=bytes([choices.byte()]) * 32 if choices.chance(4) else None,
                    critique=say(""),
                )  # fmt: skip
            case 4:
                return Claim(stamp=stamp, goal=goal, node=node, attempt=1 + choices.byte() % 3)
            case 5 if claims:
                goal, node, claim = choices.pick(claims)
                return Progress(
                    stamp=stamp, goal=goal, node=node, claim=claim, note=say("")[:200],
                    percent=choices.byte() % 101 if choices.chance() else None,
                )  # fmt: skip
            case 6 if claims:
                goal, node, claim = choices.pick(claims)
                outcome: Any = choices.pick(("done", "failed"))
                return Result(
                    stamp=stamp, goal=goal, node=node, claim=claim, outcome=outcome,
                    text=say("text"), reason=say("")[:2_000], draft=choices.chance(),
                )  # fmt: skip
            case 7:
                rare: tuple[KnownBody, ...] = (
                    Notice(stamp=stamp, goal=goal, code="c", text=say("t")),
                    Cancel(stamp=stamp, goal=goal, reason=say("")),
                    Presence(stamp=stamp, swarm=SWARM, role="scorer", name=say("")[:64]),
                    Replan(stamp=stamp, goal=goal, node=node, reason=say("")),
                    Replan(stamp=stamp, goal=goal, node=node, reason=say("")),
                    *(
                        Grant(stamp=stamp, swarm=SWARM, subject=choices.pick(AUTHORS), roles=roles)
                        for roles in ROLES
                    ),
                )
                return choices.pick(rare)
    except ValidationError:
        return None
    return None


def _parts(choices: Choices, say: Callable[[str], str]) -> list[Subgoal]:
    return [
        Subgoal(
            title=say(f"part {index}"),
            detail=say(""),
            kind=choices.pick(("task", "goal")),
            after=[index - 1] if index and choices.chance(3) else [],
        )
        for index in range(choices.pick((0, 2, 3, 5)))
    ]
