"""An owned swarm: records by authors without the needed role are shown, but do not count."""

from __future__ import annotations

import random

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given, settings
from hypothesis import strategies as st

from swarm.core.clock import Stamp
from swarm.core.records import (
    Ballot,
    Claim,
    Goal,
    Grant,
    KnownBody,
    Proposal,
    Record,
    Subgoal,
    sign,
)
from swarm.core.store.limits import Limits
from swarm.core.store.store import AddResult, Store
from swarm.core.views.plan_view import plan_view
from tests.core.worlds import (
    BOT,
    DECOMPOSERS,
    EXECUTORS,
    KEYS,
    SCORERS,
    START,
    public,
    random_world,
)

OWNER = EXECUTORS[2]
NOW = 10_000_000


def grant(ms: int, subject: bytes, *roles: str, owner: object = OWNER) -> Record:
    body = Grant(stamp=Stamp(ms), swarm="test", subject=subject, roles=list(roles))
    return sign(body, owner)  # type: ignore[arg-type]


def owned(*records: Record) -> Store:
    store = Store("test", owner=public(OWNER))
    for record in records:
        store.add(record.raw, NOW)
    return store


GOAL = sign(Goal(stamp=Stamp(START), swarm="test", text="t"), BOT)


def by(key: object, body: KnownBody) -> Record:
    return sign(body, key)  # type: ignore[arg-type]


SPLIT = by(
    DECOMPOSERS[0],
    Proposal(
        stamp=Stamp(START + 10), goal=GOAL.id, node=GOAL.id,
        parts=[Subgoal(title="a"), Subgoal(title="b")],
    ),
)  # fmt: skip
BALLOT = by(
    SCORERS[0],
    Ballot(
        stamp=Stamp(START + 20), goal=GOAL.id, node=GOAL.id, proposal=SPLIT.id, verdict="approve",
        concrete=1, distinct=1, complete=1,
    ),
)  # fmt: skip
ASKER = grant(START - 10, public(BOT), "submitter")
SPLITTER = grant(START - 9, public(DECOMPOSERS[0]), "decomposer")
VOTER = grant(START - 8, public(SCORERS[0]), "scorer")


def test_granted_authors_count() -> None:
    """With grants, the goal, the split and the ballot are folded as in an open swarm."""
    store = owned(GOAL, SPLIT, BALLOT, ASKER, SPLITTER, VOTER)
    plan = store.plan(GOAL.id)
    assert plan is not None
    assert len(plan.root.children) == 2
    assert plan.foreign == []


def test_without_a_grant_a_record_is_foreign_and_counts_for_nothing() -> None:
    """The approval of a scorer without a grant does not count; the view shows it as foreign."""
    store = owned(ASKER, SPLITTER, GOAL, SPLIT, BALLOT)
    plan = store.plan(GOAL.id)
    assert plan is not None
    assert plan.root.decision is None
    assert [f.author for f in plan_view(plan).foreign] == [public(SCORERS[0]).hex()]


def test_a_role_is_not_every_role() -> None:
    """A grant as executor does not let its author vote."""
    store = owned(ASKER, SPLITTER, grant(START - 8, public(SCORERS[0]), "executor"))
    for record in (GOAL, SPLIT, BALLOT):
        store.add(record.raw, NOW)
    plan = store.plan(GOAL.id)
    assert plan is not None
    assert plan.root.decision is None


def test_a_foreign_goal_makes_no_plan() -> None:
    """A goal by an author without a grant has no plan; a later grant is for later goals only."""
    assert owned(GOAL).plan(GOAL.id) is None
    assert owned(GOAL, grant(START + 5, public(BOT), "submitter")).plan(GOAL.id) is None


def test_only_the_owner_grants() -> None:
    """A grant signed by anyone else is not a record of this swarm."""
    store = owned()
    forged = grant(START, public(SCORERS[0]), "scorer", owner=SCORERS[0])
    assert store.add(forged.raw, NOW) is AddResult.REJECTED
    assert Store("test").add(ASKER.raw, NOW) is AddResult.REJECTED


def test_a_revoked_author_keeps_what_it_did_and_does_nothing_more() -> None:
    """A claim before the revocation counts; one after it does not."""
    executor = public(EXECUTORS[0])
    base = [ASKER, SPLITTER, VOTER, GOAL, SPLIT, BALLOT, grant(START - 7, executor, "executor")]
    store = owned(*base, grant(START + 50, executor))
    plan = store.plan(GOAL.id)
    assert plan is not None
    first, second = plan.root.children
    early = by(EXECUTORS[0], Claim(stamp=Stamp(START + 40), goal=GOAL.id, node=first.id, attempt=1))
    late = by(EXECUTORS[0], Claim(stamp=Stamp(START + 60), goal=GOAL.id, node=second.id, attempt=1))
    store.add(early.raw, NOW)
    store.add(late.raw, NOW)
    store.plan(GOAL.id)  # plans follow when they are looked at
    assert early.id in {claim.id for a in first.outcome.attempts for claim in a.claims}
    assert all(not attempt.claims for attempt in second.outcome.attempts)


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 2**32), st.randoms(use_true_random=False))
def test_grants_in_any_order_give_one_digest(seed: int, rng: random.Random) -> None:
    """The digest is the same whether grants arrive before, between or after other records."""
    world = random_world(seed, 80)
    roles = ["submitter", "decomposer", "scorer", "executor"]
    grants = [
        grant(START - 5 + rng.randrange(300) * (i % 2), public(key), *rng.sample(roles, 3))
        for key in KEYS
        for i in range(3)
    ]
    grants.append(grant(START - 1, public(BOT), "submitter"))
    digests = set()
    for _ in range(3):
        records = [world.goal, *world.records, *grants]
        rng.shuffle(records)
        store = owned(*records)
        store.advance(NOW)
        plan = store.plan(world.goal.id)
        digests.add(plan.digest if plan else None)
    assert len(digests) == 1


@given(
    st.lists(st.tuples(st.integers(0, 50), st.sampled_from(KEYS[:3])), max_size=20),
    st.randoms(use_true_random=False),
)
def test_of_more_grants_than_are_kept_the_same_count_everywhere(
    given_out: list[tuple[int, Ed25519PrivateKey]], rng: random.Random
) -> None:
    """A grant above the limit counts at no peer, even where it arrived while there was room."""
    grants = [
        grant(START + ms, public(key), ("scorer", "executor")[number % 2])
        for number, (ms, key) in enumerate(given_out)
    ]
    held = []
    for _ in range(2):
        rng.shuffle(grants)
        store = Store("test", owner=public(OWNER), limits=Limits(records_per_author=4))
        for record in grants:
            store.add(record.raw, NOW)
        kept = {
            rid: record.body
            for goal in store.goals()
            for rid, record in ((r.id, r) for r in store.records(goal))
        }
        subjects = {body.subject for body in kept.values() if isinstance(body, Grant)}
        assert set(store.roster.subjects()) == subjects
        held.append((frozenset(kept), {who: store.roster.grant_of(who, NOW) for who in subjects}))
    assert held[0] == held[1]


def test_grants_travel_like_a_goals_records() -> None:
    """Digests and sync carry the roster's set like any goal's."""
    store = owned(ASKER, SPLITTER)
    (roster,) = store.live_goals()
    assert set(store.ids(roster)) == {ASKER.id, SPLITTER.id}
    assert store.summary(roster)[0] == 2
