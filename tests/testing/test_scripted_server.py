"""The scripted server as a process."""

from __future__ import annotations

import subprocess
import sys

import httpx
import psutil


def test_the_scripted_server_is_light() -> None:
    """It imports nothing heavy, prints its address first and stays under 40 MB."""
    process = subprocess.Popen(
        [sys.executable, "-m", "swarm.testing.scripted_server", "--latency", "0"],
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        url = process.stdout.readline().strip()
        assert httpx.get(f"{url}/api/version").json() == {"version": "0.0.0-scripted"}
        assert psutil.Process(process.pid).memory_info().rss < 40_000_000
    finally:
        process.terminate()
        process.communicate(timeout=5)
