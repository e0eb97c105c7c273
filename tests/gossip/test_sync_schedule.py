"""Which neighbours a peer asks over a sync stream and when, and which it answers."""

from __future__ import annotations

import random

from swarm.gossip.scope import ALL, LIVE
from swarm.gossip.sync_schedule import (
    ANSWERS_BURST,
    HISTORY_AFTER_MS,
    MAX_SESSIONS,
    OTHER_SIDE_ASKS_MS,
    PERIOD_MS,
    TRIES,
    WORK_BURST,
    WORK_PER_SECOND,
    AnswerSlots,
    Ask,
    SyncSchedule,
)

PEERS = [f"peer-{number}" for number in range(10)]


def schedule() -> SyncSchedule:
    return SyncSchedule(random.Random(1), 0, history=False)


def test_the_side_that_dialled_asks_at_once_and_the_other_later() -> None:
    """The other side asks only when the dialling side has not."""
    plan = schedule()
    plan.met("dialled", 0, dialled=True)
    plan.met("answered", 0, dialled=False)
    both = {"dialled", "answered"}
    assert plan.next_to_ask(both, 0) == Ask("dialled", LIVE)
    plan.asked(Ask("dialled", LIVE), 10, finished=True)
    assert plan.next_to_ask(both, OTHER_SIDE_ASKS_MS - 1) is None
    assert plan.due_ms() == OTHER_SIDE_ASKS_MS
    assert plan.next_to_ask(both, OTHER_SIDE_ASKS_MS) == Ask("answered", LIVE)


def test_a_neighbour_that_has_just_asked_is_not_asked() -> None:
    """One session serves both sides."""
    plan = schedule()
    plan.met("one", 0, dialled=False)
    plan.synced(Ask("one", LIVE), 100)
    assert plan.next_to_ask({"one"}, OTHER_SIDE_ASKS_MS) is None


def test_a_neighbour_that_is_gone_again_is_not_asked() -> None:
    """Only subscribers are asked."""
    plan = schedule()
    plan.met("one", 0, dialled=True)
    assert plan.next_to_ask(set(), 0) is None


def test_a_peer_that_lacks_something_asks_neighbours_until_one_answers() -> None:
    """Four random neighbours at most, each once; then it waits for the next occasion."""
    plan = schedule()
    plan.lacking()
    asked = []
    while (ask := plan.next_to_ask(PEERS, 0)) is not None:
        asked.append(ask.peer)
        plan.asked(ask, 0, finished=False)
    assert len(asked) == len(set(asked)) == TRIES
    plan.lacking()
    ask = plan.next_to_ask(PEERS, 0)
    assert ask is not None
    plan.asked(ask, 0, finished=True)
    assert plan.next_to_ask(PEERS, 0) is None


def test_a_round_comes_once_in_a_while() -> None:
    """Half a period to a period after the last one."""
    plan = schedule()
    due_ms = plan.due_ms()
    assert due_ms is not None
    assert PERIOD_MS // 2 <= due_ms <= PERIOD_MS
    ask = plan.next_to_ask(PEERS, due_ms)
    assert ask is not None
    plan.asked(ask, due_ms, finished=True)
    again_ms = plan.due_ms()
    assert again_ms is not None
    assert PERIOD_MS // 2 <= again_ms - due_ms <= PERIOD_MS


def test_a_round_without_neighbours_ends() -> None:
    """A peer without neighbours ends its round and waits."""
    plan = schedule()
    plan.lacking()
    assert plan.next_to_ask(set(), 0) is None
    due_ms = plan.due_ms()
    assert due_ms is not None
    assert due_ms > 0


def test_a_listener_asks_on_meeting_and_on_demand() -> None:
    """It asks new neighbours, and when something is lacking; never just because time passed."""
    plan = SyncSchedule(random.Random(1), 0, history=False, periodic=False)
    plan.met("one", 0, dialled=True)
    assert plan.next_to_ask({"one"}, 0) == Ask("one", LIVE)
    plan.asked(Ask("one", LIVE), 0, finished=True)
    assert plan.due_ms() is None
    assert plan.next_to_ask({"one"}, 10 * PERIOD_MS) is None
    plan.lacking()
    assert plan.next_to_ask({"one"}, 10 * PERIOD_MS) == Ask("one", ALL)
    plan.asked(Ask("one", ALL), 10 * PERIOD_MS, finished=True)
    assert plan.due_ms() is None


def test_live_goals_are_asked_for_first_and_the_history_later() -> None:
    """A new neighbour is asked for all goals some seconds after its live ones, once a minute."""
    plan = SyncSchedule(random.Random(1), 0, periodic=False)
    plan.met("one", 0, dialled=True)
    assert plan.next_to_ask({"one"}, 0) == Ask("one", LIVE)
    plan.asked(Ask("one", LIVE), 100, finished=True)
    due_ms = plan.due_ms()
    assert due_ms is not None
    assert 100 + HISTORY_AFTER_MS <= due_ms <= 100 + 2 * HISTORY_AFTER_MS
    assert plan.next_to_ask({"one"}, due_ms - 1) is None
    assert plan.next_to_ask({"one"}, due_ms) == Ask("one", ALL)
    plan.asked(Ask("one", ALL), due_ms, finished=True)
    plan.met("one", due_ms, dialled=True)
    assert plan.next_to_ask({"one"}, due_ms + OTHER_SIDE_ASKS_MS) == Ask("one", LIVE)
    plan.asked(Ask("one", LIVE), due_ms + 1, finished=True)
    assert plan.next_to_ask({"one"}, due_ms + 3 * HISTORY_AFTER_MS) is None


def test_a_short_lived_peer_asks_for_live_goals_only() -> None:
    """A peer that runs only for one command never asks for the history by itself."""
    plan = SyncSchedule(random.Random(1), 0, history=False, periodic=False)
    plan.met("one", 0, dialled=True)
    plan.asked(Ask("one", LIVE), 0, finished=True)
    assert Ask("one", ALL) not in [plan.next_to_ask({"one"}, at) for at in (0, 10_000, 20_000)]


def test_a_neighbour_has_one_slot_and_all_have_a_few() -> None:
    """A further session is refused until one of them ends."""
    slots = AnswerSlots()
    assert slots.open("peer-0", 0)
    assert not slots.open("peer-0", 0)
    for peer in PEERS[1:MAX_SESSIONS]:
        assert slots.open(peer, 0)
    assert not slots.open(PEERS[MAX_SESSIONS], 0)
    slots.close("peer-0")
    assert slots.open(PEERS[MAX_SESSIONS], 0)


def test_a_neighbour_that_asks_too_often_is_refused() -> None:
    """After a burst it is answered once every two seconds."""
    slots = AnswerSlots()

    def answered(now_ms: int) -> int:
        count = 0
        while slots.open("one", now_ms):
            slots.close("one")
            count += 1
        return count

    assert answered(0) == ANSWERS_BURST
    assert answered(1_000) == 0
    assert answered(2_000) == 1


def test_when_all_ask_too_much_a_first_request_is_still_answered() -> None:
    """Work for sync is bounded over all neighbours, and newcomers are not kept out by it."""
    slots = AnswerSlots()

    def answers(peer: str, now_ms: int) -> bool:
        opened = slots.open(peer, now_ms)
        slots.close(peer)
        return opened

    assert answers("old", 0)
    slots.worked(WORK_BURST + 60 * WORK_PER_SECOND, 0)
    assert not answers("old", 0)
    assert answers("new", 0)
    assert answers("old", 61_000)
