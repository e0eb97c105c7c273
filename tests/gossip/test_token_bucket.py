"""The token bucket keeps its rate."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from swarm.gossip.token_bucket import TokenBucket


@given(st.lists(st.integers(0, 2_000), max_size=50))
def test_token_bucket_never_exceeds_its_rate(steps: list[int]) -> None:
    """When each wait is observed, n tokens take at least (n - burst) / rate seconds."""
    bucket, now, taken = TokenBucket(4.0, 6.0), 0, 0
    for step in steps:
        now += step
        wait = bucket.wait(now)
        now += wait
        assert bucket.wait(now) == 0
        bucket.take(now)
        taken += 1
    assert taken <= 6 + now * 4 / 1000 + 1
