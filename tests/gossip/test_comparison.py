"""Comparing digests: records on their way do not count as a difference."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from swarm.core.records import record_id
from swarm.gossip.comparison import IN_FLIGHT_MS, LocalView
from swarm.gossip.frames import GoalDigest, digest_of
from tests.net.memory import MemoryRecords, history

RAWS = history(60)
IDS = [record_id(raw) for raw in RAWS]
GOAL = IDS[0]


def view_of(raws: list[bytes]) -> LocalView:
    return LocalView(MemoryRecords(*raws))


def digest(raws: list[bytes]) -> GoalDigest:
    return digest_of(GOAL, [record_id(raw) for raw in raws])


@given(st.sets(st.integers(0, 59)), st.sets(st.integers(0, 59)))
def test_equal_sets_are_the_same_and_only_those_are(left: set[int], right: set[int]) -> None:
    """Equal sets need nothing; otherwise each missing record is found on the right side."""
    mine, theirs = [RAWS[i] for i in left], [RAWS[i] for i in right]
    result = view_of(mine).compare(digest(theirs), 10_000)
    assert result.same == (left == right)
    offered = {i for ids in result.they_lack.values() for i in ids}
    assert offered >= {IDS[i] for i in left - right}
    assert offered <= {IDS[i] for i in left}
    if right - left:
        assert result.we_lack


@given(st.sets(st.integers(1, 59), max_size=4), st.integers(0, IN_FLIGHT_MS - 1))
def test_records_on_their_way_are_no_difference(recent: set[int], age: int) -> None:
    """Records that arrived here moments ago may be missing there, in any combination."""
    view = view_of(RAWS)
    for i in recent:
        view.arrived(IDS[i], 10_000 - age)
    for missing in (recent, set(list(recent)[:1]), set()):
        theirs = digest([raw for i, raw in enumerate(RAWS) if i not in missing])
        assert view.compare(theirs, 10_000).same


def test_a_record_that_settled_is_missed() -> None:
    """Once those moments have passed, the same difference counts, and the record is identified."""
    view = view_of(RAWS)
    view.arrived(IDS[7], 10_000)
    theirs = digest([raw for i, raw in enumerate(RAWS) if i != 7])
    assert view.compare(theirs, 10_000 + IN_FLIGHT_MS - 1).same
    result = view.compare(theirs, 10_000 + IN_FLIGHT_MS)
    assert list(result.they_lack.values()) == [[IDS[7]]]
    assert result.certain
    assert not result.we_lack


def test_records_that_came_after_the_digest_are_no_difference() -> None:
    """A digest that is compared again later is judged by the time when it was heard."""
    records = MemoryRecords(*RAWS[:50])
    view = LocalView(records)
    theirs = digest(RAWS[:50])
    for i in range(50, 53):
        records.add(RAWS[i], 0)
        view.arrived(IDS[i], 12_000)
    assert view.compare(theirs, 10_000).same


def test_an_empty_digest_asks_for_everything() -> None:
    """A peer that has only heard of a goal certainly lacks all of it."""
    result = view_of(RAWS).compare(digest([]), 10_000)
    assert {i for ids in result.they_lack.values() for i in ids} == set(IDS)
    assert result.certain
    assert not result.we_lack


def test_many_recent_records_leave_it_open() -> None:
    """While too many records are on their way, nothing is concluded."""
    view = view_of(RAWS)
    for identity in IDS:
        view.arrived(identity, 10_000)
    busiest = max(range(16), key=lambda n: sum(i[0] >> 4 == n for i in IDS))
    several = [raw for raw in RAWS if record_id(raw)[0] >> 4 != busiest]
    result = view.compare(digest(several), 10_000)
    assert not result.we_lack
