"""Nobody closes a peer to others by being there first, or by pressing in."""

from __future__ import annotations

import math
import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from swarm.net.connections.inbound_slots import (
    GUEST_SECONDS,
    MAX_GUESTS,
    MAX_INBOUND,
    MAX_SETTLED,
    SWAP_PAUSE_SECONDS,
    Inbound,
    InboundSlots,
)


class House:
    """A door, and who is inside by name."""

    def __init__(self, settled: int = MAX_SETTLED, guests: int = MAX_GUESTS) -> None:
        self.slots = InboundSlots(random.Random(1), settled=settled, guests=guests)
        self.inside: dict[str, Inbound] = {}
        self.shown_out: Counter[str] = Counter()

    def enter(self, name: str, now: float) -> bool:
        was_open = self.slots.has_room(now)
        visit = self.slots.admit(now, lambda: self._close(name))
        assert was_open == (visit is not None)
        if visit is not None:
            self.inside[name] = visit
        return visit is not None

    def leave(self, name: str) -> None:
        self.slots.release(self.inside.pop(name))

    def _close(self, name: str) -> None:
        self.shown_out[name] += 1
        # The connection is closed, and says so, a moment later.
        self.slots.release(self.inside.pop(name))


steps = st.lists(st.tuples(st.floats(0, 3), st.booleans(), st.integers(0, 30)), max_size=200)


@given(steps, st.integers(1, 4), st.integers(1, 3))
def test_the_room_is_never_exceeded(
    visits: list[tuple[float, bool, int]], settled: int, guests: int
) -> None:
    """In any order of arrivals, slots are bounded and each removed connection is closed once."""
    house, now = House(settled, guests), 0.0
    for serial, (pause, comes, who) in enumerate(visits):
        now += pause
        if comes:
            house.enter(f"{serial}", now)
        elif house.inside:
            house.leave(sorted(house.inside)[who % len(house.inside)])
        assert len(house.inside) == len(house.slots) <= settled + guests
        assert max(house.shown_out.values(), default=0) <= 1
    for name in list(house.inside):
        house.leave(name)
    assert len(house.slots) == 0


@pytest.mark.parametrize("again", [1, 20])
def test_idle_strangers_do_not_close_a_peer(again: int) -> None:
    """A hundred come first and stay, some come again at once: who comes later is in most times."""
    house = House()
    for n in range(100):
        house.enter(f"idle{n}", 0.0)
    assert len(house.inside) == MAX_INBOUND
    assert not house.enter("honest", 1.0), "guests have their time, so it comes again a bit later"
    tenths = 0
    for tenth in range(10, 6_000):
        for name in (*(f"idle{n}" for n in range(again)), "honest"):
            if name not in house.inside:
                house.enter(name, tenth / 10)
        tenths += "honest" in house.inside
    assert tenths > 6_000 / 2


def test_a_disconnected_guest_has_had_its_minimum_time() -> None:
    """However many peers arrive, a guest has time to ask which other peers it can dial."""
    house = House()
    for n in range(MAX_INBOUND):
        house.enter(f"first{n}", 0.0)
    came: dict[str, float] = {}
    for serial in range(4_000):
        now, name = 0.05 * serial, f"late{serial}"
        before = set(house.inside)
        if house.enter(name, now):
            came[name] = now
        for gone in before - set(house.inside):
            assert now - came.get(gone, -math.inf) >= GUEST_SECONDS


@pytest.mark.parametrize("pressing", [1, 10, 100])
def test_a_settled_connection_stays_however_many_arrive(pressing: int) -> None:
    """Attackers that come again at once do not flush out those who were there."""
    house = House()
    for n in range(MAX_SETTLED):
        house.enter(f"honest{n}", 0.0)
    minutes = 2
    for tenth in range(minutes * 600):
        for n in range(pressing):
            if f"attacker{n}" not in house.inside:
                house.enter(f"attacker{n}", tenth / 10)
    shown_out = sum(house.shown_out[f"honest{n}"] for n in range(MAX_SETTLED))
    assert shown_out <= minutes * 60 / SWAP_PAUSE_SECONDS + 1


def test_a_free_place_is_a_guests() -> None:
    """When a settled connection ends, the guest that has waited longest settles."""
    house = House(settled=2, guests=2)
    for n in range(4):
        house.enter(f"{n}", float(n))
    house.leave("0")
    assert house.inside["2"] in house.slots._settled
    assert house.inside["3"] in house.slots._guests
