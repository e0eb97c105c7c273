"""Timers: one time for each key."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from swarm.core.timers import SPARE, Timers

KEYS = st.sampled_from([b"a", b"b", b"c", b"d"])
STEPS = st.lists(
    st.one_of(st.tuples(KEYS, st.one_of(st.none(), st.integers(0, 50))), st.integers(0, 50)),
    max_size=60,
)


@given(STEPS)
def test_what_is_due_is_as_in_a_plain_mapping(
    steps: list[tuple[bytes, int | None] | int],
) -> None:
    """Each key has its latest time only, and is due once."""
    timers, plain = Timers(), dict[bytes, int]()
    for step in steps:
        if isinstance(step, int):
            due = sorted((at, key) for key, at in plain.items() if at <= step)
            assert timers.pop_due(step) == [key for _, key in due]
            for _, key in due:
                del plain[key]
        else:
            key, at_ms = step
            timers.set(key, at_ms)
            plain.pop(key, None)
            if at_ms is not None:
                plain[key] = at_ms
        assert timers.next_ms() == min(plain.values(), default=None)
        assert {key: timers.get(key) for key in plain} == plain
        assert len(timers) == len(plain)


def test_times_that_change_without_end_take_no_room() -> None:
    """Outdated entries are dropped: a stranger decides how often a goal's time changes."""
    timers = Timers()
    for step in range(10_000):
        timers.set(step.to_bytes(2), 10_000_000 - step)
        timers.set((step - 3).to_bytes(2) if step > 2 else b"", None)
        assert len(timers._heap) <= 2 * len(timers) + SPARE + 2
