"""Run the benchmarks one after the other, each in a separate process: `make bench`.

    python -m benchmarks [--quick] [NAME ...]

If one fails or takes too long, the others go on; it is named at the end, and the exit code is 1.
Each writes its own section of docs/measurements.md (`benchmarks.report`).
"""

from __future__ import annotations

import argparse
import contextlib
import os
import signal
import subprocess
import sys
import time

from benchmarks.report import ROOT

BENCHMARKS = (
    "makespan",
    "coordination",
    "start_idle",
    "records",
    "gossip",
    "late_join",
    "history",
    "bot_latency",
    "embedded",
)
"""In the order in which they run. All of them with `--quick` are a smoke test of a few minutes."""

LONGEST_SECONDS = 420
"""Seconds after which one is stopped; all of them together should take a quarter of an hour."""


def main() -> None:
    """Run them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(BENCHMARKS)}")
    parser.add_argument("--quick", action="store_true", help="a smoke test: nothing written down")
    options = parser.parse_args()
    unknown = set(options.names) - set(BENCHMARKS)
    if unknown:
        parser.error(f"no such benchmark: {', '.join(sorted(unknown))}")
    failed = []
    for name in options.names or BENCHMARKS:
        print(f"\n== {name} ==\n", flush=True)
        began = time.monotonic()
        trouble = run(name, ["--quick"] if options.quick else [])
        print(f"\n{name}: {trouble or 'done'} after {time.monotonic() - began:.0f} s", flush=True)
        if trouble:
            failed.append(name)
    if failed:
        sys.exit(f"Failed: {', '.join(failed)}")


def run(name: str, arguments: list[str]) -> str:
    """Run one benchmark and all that it starts; return "" or what went wrong."""
    command = [sys.executable, "-m", f"benchmarks.{name}", *arguments]
    with subprocess.Popen(command, cwd=ROOT, start_new_session=True) as process:
        try:
            code = process.wait(LONGEST_SECONDS)
        except subprocess.TimeoutExpired:
            return f"stopped after {LONGEST_SECONDS} s"
        finally:
            # Peers and servers that it started are in its session, and are ended with it.
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
    return "" if code == 0 else f"ended with {code}"


if __name__ == "__main__":
    main()
