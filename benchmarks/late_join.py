"""Joining late: how long a peer takes to get all earlier records, and what that costs the others.

    python -m benchmarks.late_join [--quick] [--runs 3]

Some peers hold a goal of 200, 2,000 or 20,000 records and publish nothing new. Then one more
process joins: one that only listens and never publishes, or one that asks a neighbour over a sync
stream. Its time runs from when it listens on its address, dialling and handshakes included, until
it holds the last record.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import trio

from benchmarks import report
from benchmarks.histories import history
from benchmarks.peers import Member, herd, start, until

SIZES = (200, 2_000, 20_000)
QUICK_SIZES = (200,)

HOLDERS = 4
"""Peers that hold everything: more than one, so that needless repetition shows."""

ROLES = {"listening only": "observer", "asking": "submitter"}

LARGE = 10_000
"""Records from which on there is only one run, because it takes long."""

PATIENCE = 90.0
"""Seconds after which a newcomer that still misses records counts as failed."""

AFTERWARDS = 2.0
"""Further seconds for which the cost to the others is counted: needless repetition comes late."""


@dataclass(frozen=True, slots=True)
class Join:
    """One newcomer.

    Attributes:
        seconds: Until it had everything; None if it never did.
        cpu: CPU seconds of all others together.
        sent: Bytes that they sent through their sockets, to it and to each other.
        messages: Messages that they published.
        own_cpu: CPU seconds of the newcomer, from its start on the network.
    """

    seconds: float | None
    cpu: float
    sent: int
    messages: int
    own_cpu: float


async def join(folder: Path, holders: Sequence[Member], records: int, role: str) -> Join:
    """Let one peer join, and leave again."""
    before = [await holder.ask("state") for holder in holders]
    name = f"late-{time.monotonic_ns()}"
    options = {"role": role, "name": name, "runtime_dir": str(folder / "run")}
    newcomer = await start(options, folder / "log")
    try:
        await newcomer.ready()
        first = await newcomer.ask("state")
        end = await until(newcomer, lambda s: s["count"] >= records, PATIENCE)
        await trio.sleep(AFTERWARDS)
        last = await newcomer.ask("state")
        after = [await holder.ask("state") for holder in holders]
    finally:
        with trio.CancelScope(shield=True):
            await newcomer.end()

    def spent(what: str) -> float:
        return sum(float(s[what]) for s in after) - sum(float(s[what]) for s in before)

    return Join(
        seconds=None if end is None else end["last_new_at"] - newcomer.ready_at,
        cpu=spent("cpu"),
        sent=round(spent("sent")),
        messages=sum(s["counters"]["messages_published"] for s in after)
        - sum(s["counters"]["messages_published"] for s in before),
        own_cpu=float(last["cpu"]) - float(first["cpu"]),
    )


@dataclass(frozen=True, slots=True)
class Measured:
    """All newcomers to a swarm with this many records, by how they join."""

    records: int
    size: int
    idle_cpu: float
    """CPU seconds per second that the holders use while nobody joins."""
    joins: dict[str, list[Join]]


async def measure(folder: Path, records: int, runs: int) -> Measured:
    """Measure one size of history."""
    made = history(records, start_ms=round(time.time() * 1000) - records - 60_000)
    await trio.Path(folder).mkdir(parents=True)
    known = folder / "records"
    await trio.Path(known).write_text("\n".join(raw.hex() for raw in made.arrivals))
    joins: dict[str, list[Join]] = {how: [] for how in ROLES}
    async with herd(folder, HOLDERS, known=str(known)) as holders:
        for holder in holders:
            await until(holder, lambda s: s["count"] >= records, PATIENCE)
        await trio.sleep(AFTERWARDS)
        idle = await _idle(holders)
        for run in range(1 if records >= LARGE else runs):
            for how in report.turns(run, list(ROLES)):
                joins[how].append(await join(folder, holders, records, ROLES[how]))
    return Measured(records, sum(map(len, made.arrivals)), idle, joins)


async def _idle(holders: Sequence[Member]) -> float:
    before = [await holder.ask("state") for holder in holders]
    await trio.sleep(AFTERWARDS)
    after = [await holder.ask("state") for holder in holders]
    used = sum(float(s["cpu"]) for s in after) - sum(float(s["cpu"]) for s in before)
    return used / AFTERWARDS


def main() -> None:
    """Measure, and write the report."""
    parser = report.parser(__doc__)
    parser.add_argument("--runs", type=int, default=3, help="newcomers of each kind and size")
    options = parser.parse_args()
    page = report.Page("late_join", "Joining late", options)

    async def all_of_it() -> list[Measured]:
        sizes = QUICK_SIZES if options.quick else SIZES
        runs = 1 if options.quick else options.runs
        with tempfile.TemporaryDirectory() as folder:
            return [await measure(Path(folder) / str(size), size, runs) for size in sizes]

    found = trio.run(all_of_it)
    page.say(
        f"{HOLDERS} peers hold a goal of so many records; one more process joins on loopback. Time "
        "from when it listens until it holds everything (aims for 2,000: 5 s listening only, "
        "1 s asking). What it costs the others, all together, until "
        f"{AFTERWARDS:.0f} s later: bytes through their sockets as a multiple of the records' own "
        f"bytes (1 is the least), messages published, and CPU (idling takes "
        f"{1000 * statistics.median(one.idle_cpu for one in found):.0f} ms a second)."
    )
    page.table(
        ["records", "how", "time", "bytes", "of the records' own", "messages", "CPU of the others",
         "its own CPU"],
        [_row(one, how) for one in found for how in ROLES],
    )  # fmt: skip
    page.write()


def _row(measured: Measured, how: str) -> list[str]:
    joins = measured.joins[how]
    took = [one.seconds for one in joins if one.seconds is not None]
    missed = len(joins) - len(took)
    time_text = report.spread(took) if took else ""
    if missed:
        time_text = f"{time_text} {missed} of {len(joins)} not within {PATIENCE:.0f} s".strip()
    sent = statistics.median(one.sent for one in joins)
    return [
        f"{measured.records:,}",
        how,
        time_text,
        f"{sent / 1e6:.2f} MB",
        f"{sent / measured.size:.1f}",
        f"{statistics.median(one.messages for one in joins):.0f}",
        f"{statistics.median(one.cpu for one in joins):.2f} s",
        f"{statistics.median(one.own_cpu for one in joins):.2f} s",
    ]


if __name__ == "__main__":
    main()
