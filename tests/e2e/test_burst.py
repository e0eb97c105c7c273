"""Many records at once: every peer gets all of them. benchmarks/chaos measures the times."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.bursts import burst


@pytest.mark.trio
async def test_five_hundred_records_at_once_from_one_peer(tmp_path: Path) -> None:
    """Four other peers, one of them only a listener, get all 500 records and the same digest.

    One of them is stopped meanwhile: it delays nobody, and catches up when it runs again.
    """
    result = await burst(tmp_path, speakers=1, each=500, peers=5, limit=60, stalled=1)
    assert result.listener_published == 0


@pytest.mark.slow
@pytest.mark.timeout(240)
@pytest.mark.trio
async def test_two_thousand_records_at_once_from_ten_peers(tmp_path: Path) -> None:
    """Ten peers publish 200 records each; they and a listener get the same digest."""
    result = await burst(tmp_path, speakers=10, each=200, peers=11, limit=120)
    assert result.listener_published == 0
