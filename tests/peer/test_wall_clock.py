"""A clock that is wrong for a moment ends no plan; a time that lasts is believed."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from structlog.testing import capture_logs

from swarm.core.clock import MAX_DRIFT_MS
from swarm.peer.wall_clock import DOUBT_MS, LEAP_MS, StampCheck, WallClock

T0 = 1_700_000_000_000


class Machine:
    """A machine whose clock can be set."""

    def __init__(self) -> None:
        self.up = 5_000
        self.wrong = 0
        self.wall = WallClock(lambda: T0 + self.up + self.wrong, lambda: self.up)

    def pass_time(self, ms: int) -> int:
        """Let time pass; return how far the wall clock is from the true time then, in ms."""
        self.up += ms
        return self.wall() - (T0 + self.up)


@given(st.integers(LEAP_MS + 1, 10**12), st.integers(0, DOUBT_MS - 1))
def test_a_leap_in_passing_is_not_followed(leap: int, lasting: int) -> None:
    """A clock that is wrong for less than a minute has no effect, and time goes on meanwhile."""
    machine = Machine()
    machine.wrong = leap
    assert machine.pass_time(1) == 0
    assert machine.pass_time(lasting) == 0
    machine.wrong = 0
    assert machine.pass_time(1_000) == 0
    assert machine.pass_time(10 * DOUBT_MS) == 0


@given(st.integers(LEAP_MS + 1, 10**12), st.integers(-LEAP_MS, LEAP_MS))
def test_a_leap_that_another_peer_confirms_is_followed_at_once(leap: int, off: int) -> None:
    """A virtual machine that was paused is put right by the first record from another peer."""
    machine = Machine()
    machine.wrong = leap
    assert machine.pass_time(1) == 0
    machine.wall.overheard(T0 + machine.up)
    assert machine.wall.doubts, "a peer that shows the old time confirms nothing"
    machine.wall.overheard(T0 + machine.up + leap + off)
    assert machine.pass_time(1) == leap


@given(st.integers(LEAP_MS + 1, 10**12))
def test_a_leap_that_lasts_is_followed(leap: int) -> None:
    """A clock that was behind and is set right is believed after a minute, and stays so."""
    machine = Machine()
    machine.wrong = leap
    assert machine.pass_time(1) == 0
    assert machine.pass_time(DOUBT_MS) == leap
    assert machine.pass_time(1) == leap


@given(st.lists(st.tuples(st.integers(1, 10**6), st.integers(-(10**9), LEAP_MS)), max_size=20))
def test_small_steps_and_steps_back_are_followed_at_once(steps: list[tuple[int, int]]) -> None:
    """Time servers make small steps, and the hybrid clock makes any step back harmless."""
    machine = Machine()
    for ms, step in steps:
        machine.wrong += step
        assert machine.pass_time(ms) == machine.wrong


def test_the_machines_sleep_is_not_a_leap() -> None:
    """Both clocks go on while a laptop sleeps, so the time afterwards is believed at once."""
    machine = Machine()
    assert machine.pass_time(8 * 3_600_000) == 0


def test_stamps_that_nobody_accepts_are_logged_once() -> None:
    """After a clock was set back from next year the log says so once, until it happens again."""
    stamps = StampCheck()
    with capture_logs() as told:
        stamps.check(T0 + MAX_DRIFT_MS, T0)
        assert not told
        for _ in range(3):
            stamps.check(T0 + MAX_DRIFT_MS + 1, T0)
        assert [entry["event"] for entry in told] == ["stamps_ahead"]
        stamps.check(T0, T0)
        stamps.check(T0 + 10**9, T0)
        assert len(told) == 2
