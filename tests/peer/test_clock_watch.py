"""A peer's log: what it tells about its own clock and about those of others."""

from __future__ import annotations

import pytest
from structlog.testing import capture_logs

from swarm.peer.clock_watch import LINES_BURST, ClockWatch
from tests.core.store.test_clock_offsets import HOUR, ME, Heard


def events(heard: Heard, watch: ClockWatch, times: int = 1) -> list[dict[str, object]]:
    with capture_logs() as logs:
        for second in range(times):
            watch.check(second * 1_000)
    return [dict(line) for line in logs]


@pytest.mark.parametrize("off", [HOUR, -HOUR, 20_000, -20_000])
def test_an_odd_peer_is_told_in_its_log_once(off: int) -> None:
    """What, by how much and what to do; once, and again when the clock is right."""
    heard = Heard(-off, -off, -off)
    watch = ClockWatch(heard.store.clocks, ME)
    heard.beats()
    (line,) = events(heard, watch, times=30)
    assert line["event"] == "clock_differs"
    assert line["log_level"] == "warning"
    assert line["seconds"] == abs(off) // 1000
    assert line["side"] == ("ahead" if off > 0 else "behind")
    assert "timedatectl" in str(line["help"])
    heard.offsets = [0, 0, 0]
    heard.now -= off
    heard.beats()
    assert [one["event"] for one in events(heard, watch, times=30)] == ["clock_agrees"]


@pytest.mark.parametrize("off", [HOUR, -HOUR, 20_000, -20_000])
def test_others_log_the_odd_one_once_with_its_offset(off: int) -> None:
    """The other peers name it, and do not blame their own clock."""
    heard = Heard(0, off)
    watch = ClockWatch(heard.store.clocks, ME)
    heard.beats()
    (line,) = events(heard, watch, times=30)
    assert line["event"] == "peer_clock_differs"
    assert (line["name"], line["seconds"]) == ("p1", abs(off) // 1000)
    assert line["side"] == ("ahead" if off > 0 else "behind")


def test_a_crowd_of_odd_peers_does_not_fill_the_log() -> None:
    """Made-up peers cost nothing, so only a few lines are logged, then one a minute."""
    heard = Heard(*[0] * 15, *[HOUR] * 40)
    watch = ClockWatch(heard.store.clocks, ME)
    heard.beats()
    assert len(events(heard, watch, times=50)) == LINES_BURST
