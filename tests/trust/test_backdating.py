"""A revoked peer that backdates records cannot affect a goal submitted afterwards."""

from __future__ import annotations

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given, settings
from hypothesis import strategies as st

from swarm.core.clock import Stamp
from swarm.core.fold.plan import Plan
from swarm.core.records import (
    Ballot,
    Claim,
    Goal,
    Grant,
    KnownBody,
    Proposal,
    Record,
    Result,
    Subgoal,
    sign,
)
from swarm.core.store.store import Store

REVOKED = 1_000_000
"""When the liar was revoked, in ms."""
ASKED = REVOKED + 10
NOW = REVOKED + 10_000

OWNER, ASKER, HONEST, LIAR = (
    Ed25519PrivateKey.from_private_bytes(bytes([seed]) * 32) for seed in range(1, 5)
)
ALL = ["submitter", "decomposer", "scorer", "executor"]


def public(key: Ed25519PrivateKey) -> bytes:
    return key.public_key().public_bytes_raw()


def grant(ms: int, to: Ed25519PrivateKey, *roles: str) -> Record:
    body = Grant(stamp=Stamp(ms), swarm="s", subject=public(to), roles=list(roles))
    return sign(body, OWNER)


GOAL = sign(Goal(stamp=Stamp(ASKED), swarm="s", text="t"), ASKER)
PARTS = [Subgoal(title="a"), Subgoal(title="b")]
SPLIT = sign(Proposal(stamp=Stamp(ASKED + 10), goal=GOAL.id, node=GOAL.id, parts=PARTS), HONEST)


def ballot(proposal: Record, ms: int, by: Ed25519PrivateKey, person: bytes | None = None) -> Record:
    body = Ballot(
        stamp=Stamp(ms), goal=GOAL.id, node=GOAL.id, proposal=proposal.id, verdict="approve",
        concrete=1, distinct=1, complete=1, person=person,
    )  # fmt: skip
    return sign(body, by)


def lies(ms: int) -> list[Record]:
    """Return a record of every kind about a goal, with chosen stamps."""
    split = sign(Proposal(stamp=Stamp(ms), goal=GOAL.id, node=GOAL.id, parts=PARTS), LIAR)
    task = sign(Proposal(stamp=Stamp(ms), goal=GOAL.id, node=GOAL.id), LIAR)
    claim = sign(Claim(stamp=Stamp(ms), goal=GOAL.id, node=GOAL.id, attempt=1), LIAR)
    said: list[KnownBody] = [
        Result(
            stamp=Stamp(ms + 1), goal=GOAL.id, node=GOAL.id, claim=claim.id, outcome="done",
            text="lies",
        )
    ]  # fmt: skip
    return [
        split, task, claim,
        *(ballot(p, ms + 1, LIAR) for p in (split, task, SPLIT)),
        ballot(SPLIT, ms, LIAR, person=b"\x09" * 32),
        *(sign(body, LIAR) for body in said),
    ]  # fmt: skip


def folded(*records: Record) -> Plan:
    store = Store("s", owner=public(OWNER))
    for record in records:
        store.add(record.raw, NOW)
    store.advance(NOW)
    plan = store.plan(GOAL.id)
    assert plan is not None
    return plan


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.integers(-2_000, 5_000), min_size=1, max_size=4),
    st.booleans(),
    st.randoms(use_true_random=False),
)
def test_nothing_backdated_touches_what_was_asked_after_the_revocation(
    offsets: list[int], agreed: bool, rng: object
) -> None:
    """Records of a revoked peer, with any stamps, leave the plan's digest unchanged."""
    base = [
        GOAL, SPLIT, grant(1, ASKER, "submitter"), grant(1, HONEST, *ALL), grant(1, LIAR, *ALL),
        grant(REVOKED, LIAR),
    ]  # fmt: skip
    if agreed:
        voter = Ed25519PrivateKey.from_private_bytes(b"\x08" * 32)
        base += [grant(1, voter, "scorer"), ballot(SPLIT, ASKED + 20, voter)]
    told = [lie for offset in offsets for lie in lies(REVOKED + offset)]
    records = [*base, *told]
    rng.shuffle(records)  # type: ignore[attr-defined]
    plan = folded(*records)
    assert plan.digest == folded(*base).digest
    assert (plan.root.decision is not None) == agreed


def test_while_it_was_granted_the_same_records_count() -> None:
    """The records of the property above do count while the peer has its roles."""
    base = [GOAL, SPLIT, grant(1, ASKER, "submitter"), grant(1, HONEST, *ALL), grant(1, LIAR, *ALL)]
    assert folded(*base, *lies(ASKED + 100)).digest != folded(*base).digest
