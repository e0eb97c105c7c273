"""The limit on all requests of the bot together, against Discord's global limit."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from bot.discord_api.rate_limit import BURST_CALLS, CALLS_PER_SECOND, RateLimit
from bot.playground.wire.limits import GLOBAL_CALLS, GLOBAL_SECONDS

PAUSES = st.sampled_from([0.0, 0.0, 0.0, 0.001, 0.02, 0.5, 3.0])
LATE = st.sampled_from([0.0, 0.0, 0.001, 0.3, 2.0])
"""Seconds by which a busy machine wakes who waits too late."""


@given(st.lists(st.tuples(PAUSES, LATE), max_size=300))
def test_no_second_holds_more_than_discord_takes(requests: list[tuple[float, float]]) -> None:
    """However requests come and wake, those sent within a second stay under the global limit."""
    limit = RateLimit()
    asked = at = 100.0
    sent = []
    for pause, late in requests:
        asked += pause
        at = max(at, asked)
        while (wait := limit.turn(at)) > 0:
            at += wait + late
        sent.append(at)
    for index, at in enumerate(sent):
        within = sum(at <= other < at + GLOBAL_SECONDS for other in sent[index:])
        assert within < GLOBAL_CALLS


def test_a_quiet_bot_never_waits() -> None:
    """A few requests at a time, with pauses as in one plan, are sent at once."""
    limit = RateLimit()
    for moment in range(50):
        assert max(limit.turn(moment) for _ in range(BURST_CALLS)) < 1e-6
    assert 0 < limit.turn(49.0) <= 1 / CALLS_PER_SECOND + 1e-9
