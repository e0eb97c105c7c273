"""Discord's rate limits, with a simulated clock."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.playground.wire.limits import GLOBAL_CALLS, REACT, SEND, THREAD, RateLimiter


@given(st.lists(st.floats(0, 3, allow_nan=False), max_size=60))
def test_never_more_than_the_limit_in_a_window(pauses: list[float]) -> None:
    """No window allows more requests than stated, and waiting as told always helps."""
    now = [100.0]
    limiter = RateLimiter(lambda: now[0])
    granted: list[float] = []
    for pause in pauses:
        now[0] += pause
        verdict = limiter.check("POST", "/channels/1/messages")
        if verdict.retry_after is None:
            granted.append(now[0])
            continue
        assert 0 < verdict.retry_after <= SEND.seconds + 0.001
        now[0] += verdict.retry_after
        assert limiter.check("POST", "/channels/1/messages").retry_after is None
        granted.append(now[0])
    for index in range(len(granted) - 2 * SEND.calls):
        # Fixed windows: at most two of them touch any span of one window's length.
        assert granted[index + 2 * SEND.calls] - granted[index] >= SEND.seconds


def test_limits_are_per_channel_and_kind() -> None:
    """Limits are separate for each channel and kind, and unlimited routes are not affected."""
    limiter = RateLimiter(lambda: 0.0)
    for _ in range(SEND.calls):
        assert limiter.check("POST", "/channels/1/messages").retry_after is None
    assert limiter.check("POST", "/channels/1/messages").retry_after is not None
    assert limiter.check("POST", "/channels/2/messages").retry_after is None
    assert limiter.check("PATCH", "/channels/1/messages/5").retry_after is None
    assert limiter.check("GET", "/channels/1/messages").headers == {}


def test_routes_of_one_bucket_say_so() -> None:
    """Adding and removing reactions share one bucket, with one opaque name for all channels."""
    now = [0.0]
    limiter = RateLimiter(lambda: now[0])
    add = limiter.check("PUT", "/channels/1/messages/5/reactions/x/@me")
    remove = limiter.check("DELETE", "/channels/1/messages/6/reactions")
    assert remove.retry_after == pytest.approx(REACT.seconds, abs=0.002)
    assert remove.headers["X-RateLimit-Bucket"] == add.headers["X-RateLimit-Bucket"]
    elsewhere = limiter.check("PUT", "/channels/2/messages/5/reactions/x/@me")
    assert elsewhere.headers["X-RateLimit-Bucket"] == add.headers["X-RateLimit-Bucket"]
    send = limiter.check("POST", "/channels/1/messages")
    assert send.headers["X-RateLimit-Bucket"] != add.headers["X-RateLimit-Bucket"]
    now[0] += REACT.seconds
    assert limiter.check("DELETE", "/channels/1/messages/6/reactions").retry_after is None


def test_threads_are_limited_for_the_whole_guild() -> None:
    """All threads of a guild count towards one shared bucket."""
    now = [0.0]
    limiter = RateLimiter(lambda: now[0])
    for number in range(THREAD.calls):
        now[0] += 0.1
        path = f"/channels/{number}/messages/{number}/threads"
        assert limiter.check("POST", path).retry_after is None
    refused = limiter.check("POST", "/channels/7/threads")
    assert refused.retry_after is not None
    assert refused.retry_after > THREAD.seconds / 2
    assert refused.headers["X-RateLimit-Scope"] == "shared"
    assert not refused.body()["global"]


def test_the_global_limit_spares_answers_to_interactions() -> None:
    """Above the global limit everything except interactions is refused for a moment."""
    now = [0.0]
    limiter = RateLimiter(lambda: now[0])
    for number in range(GLOBAL_CALLS):
        assert limiter.check("GET", f"/channels/{number}").retry_after is None
    refused = limiter.check("GET", "/users/@me")
    assert refused.body()["global"]
    assert refused.headers["X-RateLimit-Global"] == "true"
    assert refused.headers["Retry-After"] == "1"
    assert "X-RateLimit-Bucket" not in refused.headers
    assert limiter.check("POST", "/interactions/1/token/callback").retry_after is None
    now[0] += 1.0
    assert limiter.check("GET", "/users/@me").retry_after is None


def test_headers_count_down() -> None:
    """The headers state the remaining requests, by which discord.py paces itself."""
    limiter = RateLimiter(lambda: 0.0)
    left = [
        limiter.check("POST", "/channels/1/messages").headers["X-RateLimit-Remaining"]
        for _ in range(SEND.calls)
    ]
    assert left == ["4", "3", "2", "1", "0"]
