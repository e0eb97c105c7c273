"""Fair turns: agents serve the goals of different authors in turns."""

from __future__ import annotations

from collections import Counter
from functools import cache

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given
from hypothesis import strategies as st

from swarm.agents.base import Job, JobKey, View
from swarm.agents.fair_turns import SLICE_MS, Waiting, newcomers_first
from swarm.core.clock import Stamp
from swarm.core.fold.plan import Plan
from swarm.core.policy import MINUTE, Policy
from swarm.core.records import Goal, Record, sign
from swarm.core.store.store import Store
from swarm.llm.requests import RateRequest
from tests.agents.village import Village

KEYS = {name: Ed25519PrivateKey.generate() for name in "abcd"}
AUTHORS = st.sampled_from("abcd")
ITEMS = st.lists(st.tuples(AUTHORS, st.integers(0, 3)), max_size=30)
"""Goals in the order of their stamps, each with its author and how many items wait in it."""
BUSY = st.dictionaries(AUTHORS, st.integers(0, 5))
KNOWN = st.sets(AUTHORS)

Goals = list[tuple[str, int]]
Item = tuple[int, int]
"""The number of its goal, and its own number in there."""


@cache
def goal_of(author: str, number: int) -> Record:
    """Return an author's goal; it is signed once for all examples."""
    return sign(Goal(stamp=Stamp(number + 1), swarm="s", text="x"), KEYS[author])


def waiting_in(goals: Goals) -> Waiting[Item]:
    """Let items wait in goals, put in another order than that of their stamps."""
    waiting = Waiting[Item]()
    for number, (author, items) in reversed([*enumerate(goals)]):
        goal = goal_of(author, number)
        waiting.put(goal.id, Plan(goal), [(number, item) for item in range(items)])
    return waiting


def served(
    goals: Goals, busy: dict[str, int], known: set[str], *, newcomers_first: bool = False
) -> list[tuple[str, Item]]:
    """Return all items in turn, each with its author."""
    names = {key.public_key().public_bytes_raw(): name for name, key in KEYS.items()}
    count = {key: busy[name] for key, name in names.items() if name in busy}
    order = waiting_in(goals).in_turns(
        count, lambda author: names[author] in known, newcomers_first=newcomers_first
    )
    return [(names[plan.goal.author], item) for plan, item in order]


@given(ITEMS, BUSY, KNOWN, st.booleans())
def test_nothing_is_lost_and_one_authors_items_keep_their_order(
    goals: Goals, busy: dict[str, int], known: set[str], first: bool
) -> None:
    """All items come out, those of each author in the order of its goals."""
    order = served(goals, busy, known, newcomers_first=first)
    every = [(by, (n, item)) for n, (by, items) in enumerate(goals) for item in range(items)]
    assert sorted(order) == sorted(every)
    for author in "abcd":
        mine = [item for by, item in order if by == author]
        assert mine == sorted(mine)


@given(ITEMS, BUSY, KNOWN, st.booleans())
def test_each_turn_is_the_author_with_the_fewest(
    goals: Goals, busy: dict[str, int], known: set[str], first: bool
) -> None:
    """No author of the same standing with waiting items has fewer served than the next in turn.

    No newcomer is before a known author, or the other way round in the newcomers' time.
    """
    left = Counter(dict.fromkeys("abcd", 0))
    for author, items in goals:
        left[author] += items
    count = Counter(busy)
    for author, _ in served(goals, busy, known, newcomers_first=first):
        alike = [by for by in left if left[by] and (by in known) == (author in known)]
        assert count[author] == min(count[by] for by in alike)
        if (author in known) == first:
            assert not any(left[by] for by in left if (by in known) != first)
        left[author] -= 1
        count[author] += 1


@given(st.integers(0, 200), st.integers(0, 8), st.booleans())
def test_a_flood_delays_another_authors_first_item_by_nothing(
    flood: int, running: int, known: bool
) -> None:
    """However many items of one author wait, another's first is next once the flood is at work."""
    goals = [("a", 1)] * flood + [("b", 1)]
    order = [by for by, _ in served(goals, {"a": running}, {"b"} if known else set())]
    assert order.index("b") <= (0 if running or known or not flood else 1)


@given(ITEMS)
def test_a_single_author_is_served_in_order(goals: Goals) -> None:
    """With one author the order is that of its goals."""
    mine = [("a", items) for _, items in goals]
    order = [item for _, item in served(mine, {}, set())]
    assert order == [(n, item) for n, (_, items) in enumerate(mine) for item in range(items)]


@given(ITEMS, st.lists(st.tuples(st.integers(0, 29), st.integers(0, 3)), max_size=30))
def test_what_waits_in_a_goal_can_change(goals: Goals, changes: list[tuple[int, int]]) -> None:
    """After changes the same waits as if nothing else had ever waited."""
    waiting, now = waiting_in(goals), list(goals)
    plans = {n: goal_of(by, n) for n, (by, _) in enumerate(goals)}
    for number, items in changes:
        if number < len(now):
            now[number] = (now[number][0], items)
            fresh = [(number, item) for item in range(items)]
            waiting.put(plans[number].id, Plan(plans[number]), fresh)
    order = [item for _, item in waiting.in_turns({}, lambda _: False)]
    assert order == [item for _, item in served(now, {}, set())]
    assert bool(waiting) == any(items for _, items in now)


@given(ITEMS, KNOWN)
def test_newcomers_can_be_left_out(goals: Goals, known: set[str]) -> None:
    """The rest comes in the same order as with them."""
    names = {key.public_key().public_bytes_raw(): name for name, key in KEYS.items()}
    order = waiting_in(goals).in_turns({}, lambda a: names[a] in known, only_known=True)
    found = [(names[plan.goal.author], item) for plan, item in order]
    assert found == [(by, item) for by, item in served(goals, {}, known) if by in known]


CALL = RateRequest(goal="", title="", detail="", language="", parts=(), atomic=True)


def test_what_is_started_waits_no_longer_and_a_slot_is_kept_for_known_askers() -> None:
    """Newcomers take all slots, or all but one of several while a known asker is active."""
    authors = {name: key.public_key().public_bytes_raw() for name, key in KEYS.items()}

    class Known(Store):
        active = False

        def is_known_asker(self, author: bytes) -> bool:
            return author == authors["b"]

        def known_are_active(self, now_ms: int) -> bool:
            return self.active

    store = Known("s")
    view = View(store, b"me", SLICE_MS)

    def started(goals: Goals, slots: int) -> list[Item]:
        waiting, running = waiting_in(goals), dict[JobKey, Job]()
        found = []
        for plan, item in view.to_start(waiting, running, slots):
            key = ("do", bytes(item))
            running[key] = Job(key, CALL, plan.id, b"", b"")
            assert item not in waiting.of(plan.id)
            found.append(item)
        return found

    assert started([("a", 9)], 4) == [(0, n) for n in range(4)]
    store.active = True
    assert started([("a", 9)], 4) == [(0, n) for n in range(3)]
    assert started([("a", 9), ("b", 1)], 4) == [(1, 0), (0, 0), (0, 1)]
    assert started([("a", 9), ("b", 9)], 4) == [(1, n) for n in range(4)]
    assert started([("a", 9)], 1) == [(0, 0)]


def test_newcomers_have_a_quarter_of_the_time() -> None:
    """A slot that becomes free at any time serves a newcomer first in one of four cases."""
    assert sum(newcomers_first(ms) for ms in range(0, 100_000, 10)) == 2_500


def test_a_goal_behind_a_strangers_forty_is_planned_at_once() -> None:
    """A goal submitted behind forty of one stranger is done while most of those still wait."""
    policy = Policy(quorum=2, max_depth=1, deadline_ms=60 * MINUTE)
    village = Village()
    world = village.world
    stranger = world.submitter()
    world.run(seconds=3)
    flood = [world.submit(stranger, f"No {n}", policy) for n in range(40)]
    world.run(seconds=5)
    honest = world.submit(village.asker, "two weeks in Japan", policy)
    world.run(until=lambda: world.plan(village.asker, honest).final, seconds=3_600)
    assert world.plan(village.asker, honest).state == "done"
    done = sum(world.plan(village.asker, goal).final for goal in flood)
    assert done < len(flood) / 2
