"""The hybrid clock: every stamp it issues is later than all it issued or saw."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from swarm.core.clock import HybridClock, Stamp


@given(st.lists(st.tuples(st.integers(0, 100), st.booleans()), max_size=50))
def test_the_hybrid_clock_only_goes_forward(moves: list[tuple[int, bool]]) -> None:
    """Whatever the wall shows and others say, each stamp issued is later than all before."""
    clock = HybridClock(max_drift_ms=10)
    last = Stamp(0)
    for wall, other in moves:
        if other:
            assert clock.observe(Stamp(wall + 10, 3), wall)
            assert not clock.observe(Stamp(wall + 11, 0), wall)
            last = max(last, Stamp(wall + 10, 3))
        stamp = clock.tick(wall)
        assert stamp > last
        last = stamp
