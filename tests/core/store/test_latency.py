"""The measured latency of records."""

from __future__ import annotations

from swarm.core.store.latency import ENOUGH, Latency


def test_old_news_says_nothing_of_gossip() -> None:
    """Records repaired late, and clocks that are ahead, do not distort the estimate."""
    latency = Latency()
    for number in range(ENOUGH):
        latency.note(0, 40)
        latency.note(0, 3_600_000 + number)
    assert latency.typical_ms(unknown_ms=1) == 40
    latency.note(10_000, 0)
    assert latency.typical_ms(unknown_ms=1) == 40
