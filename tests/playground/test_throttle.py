"""The bot's own pace for all its requests together, held against Discord's global limit."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from bot.playground.wire.limits import GLOBAL_CALLS, GLOBAL_SECONDS
from bot.throttle import BURST_CALLS, CALLS_PER_SECOND, Throttle


@given(st.lists(st.sampled_from([0.0, 0.0, 0.0, 0.001, 0.02, 0.5, 3.0]), max_size=300))
def test_no_second_holds_more_than_discord_takes(pauses: list[float]) -> None:
    """However requests come, those sent within any second stay under the global limit."""
    throttle = Throttle()
    now, sent = 100.0, []
    for pause in pauses:
        now += pause
        sent.append(now + throttle.turn(now))
    assert sent == sorted(sent)
    for index, at in enumerate(sent):
        within = sum(at <= other < at + GLOBAL_SECONDS for other in sent[index:])
        assert within < GLOBAL_CALLS


def test_a_quiet_bot_never_waits() -> None:
    """A few requests at a time, with pauses as in one plan, are sent at once."""
    throttle = Throttle()
    for moment in range(50):
        assert max(throttle.turn(moment) for _ in range(BURST_CALLS)) < 1e-6
    assert throttle.turn(49.0) <= 1 / CALLS_PER_SECOND + 1e-9
