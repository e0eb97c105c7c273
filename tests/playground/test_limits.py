"""Discord's rate limits, under a clock of the test's own."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from bot.playground.wire.limits import LIMITS, RateLimiter

SEND = LIMITS[0]


@given(st.lists(st.floats(0, 3, allow_nan=False), max_size=60))
def test_never_more_than_the_limit_in_a_window(pauses: list[float]) -> None:
    """However requests are spaced, no window lets more through than stated, and waiting helps."""
    now = [100.0]
    limiter = RateLimiter(lambda: now[0])
    granted: list[float] = []
    for pause in pauses:
        now[0] += pause
        verdict = limiter.check("POST", "/channels/1/messages")
        if verdict.retry_after is None:
            granted.append(now[0])
            continue
        assert 0 < verdict.retry_after <= SEND.seconds
        now[0] += verdict.retry_after
        assert limiter.check("POST", "/channels/1/messages").retry_after is None
        granted.append(now[0])
    for index in range(len(granted) - 2 * SEND.calls):
        # Fixed windows: at most two of them touch any span of one window's length.
        assert granted[index + 2 * SEND.calls] - granted[index] >= SEND.seconds


def test_limits_are_per_channel_and_kind() -> None:
    """A busy channel does not slow another, nor edits sends, nor anything unlimited."""
    limiter = RateLimiter(lambda: 0.0)
    for _ in range(SEND.calls):
        assert limiter.check("POST", "/channels/1/messages").retry_after is None
    assert limiter.check("POST", "/channels/1/messages").retry_after is not None
    assert limiter.check("POST", "/channels/2/messages").retry_after is None
    assert limiter.check("PATCH", "/channels/1/messages/5").retry_after is None
    assert limiter.check("GET", "/channels/1/messages").headers == {}


def test_headers_count_down() -> None:
    """The headers that discord.py paces itself by say what is left."""
    limiter = RateLimiter(lambda: 0.0)
    left = [
        limiter.check("POST", "/channels/1/messages").headers["X-RateLimit-Remaining"]
        for _ in range(SEND.calls)
    ]
    assert left == ["4", "3", "2", "1", "0"]
