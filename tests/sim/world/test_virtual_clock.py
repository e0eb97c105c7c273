"""The virtual clock makes calls in order of time, and an alarm goes off once."""

from __future__ import annotations

from swarm.sim.world.virtual_clock import START_MS, Alarm, VirtualClock


def test_calls_are_made_in_order_of_time_and_then_of_entry() -> None:
    """Calls at the same time keep the order they were added in."""
    clock, made = VirtualClock(), list[str]()
    clock.after(20, made.append, "late")
    clock.after(10, made.append, "first")
    clock.after(10, made.append, "second")
    assert clock.run(START_MS + 15)
    assert made == ["first", "second"]
    assert clock.elapsed_ms == 15
    clock.run(START_MS + 20)
    assert made == ["first", "second", "late"]


def test_a_run_ends_when_its_condition_holds() -> None:
    """Time stops at the call that made it hold."""
    clock, made = VirtualClock(), list[int]()
    for delay_ms in (10, 20, 30):
        clock.after(delay_ms, made.append, delay_ms)
    assert clock.run(START_MS + 100, lambda: 20 in made)
    assert clock.elapsed_ms == 20
    assert not clock.run(START_MS + 100, lambda: 40 in made)


def test_an_alarm_goes_off_once_at_the_earliest_time() -> None:
    """A later time is ignored while an earlier one is set; then it has to be set again."""
    clock, went_off = VirtualClock(), list[int]()
    alarm = Alarm(clock.at, lambda: went_off.append(clock.elapsed_ms))
    for at_ms in (30, 10, 20):
        alarm.set(START_MS + at_ms)
    clock.run(START_MS + 100)
    assert went_off == [10]
    alarm.set(START_MS + 150)
    clock.run(START_MS + 200)
    assert went_off == [10, 150]
