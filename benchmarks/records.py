"""What records cost one core: checking, keeping and folding them, and comparing sets of them.

    python -m benchmarks.records [--quick] [--runs 3]

Times are CPU seconds of this process, so other work on the machine changes them little. Every
figure is shown beside the bare Ed25519 check of the same records, measured in turns. The plan is
looked at after every 32 records, as a running peer does after a slice of a message.
"""

from __future__ import annotations

import gc
import random
import secrets
import statistics
import time
import tracemalloc
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from benchmarks import report
from benchmarks.histories import SWARM, History, history, verify_bare
from swarm.core.store.store import AddResult, Store
from swarm.gossip.comparison import LocalView
from swarm.gossip.reconcile import SALT_SIZE, Reconciler

LOOK_EVERY = 32
"""Records between two looks at the plan, as in a busy peer."""

SIZES = (100, 1_000, 5_000, 20_000)
QUICK_SIZES = (100, 1_000)
"""Records of one goal."""

GOALS, RECORDS_OF_EACH = 1_000, 20
QUICK_GOALS = 100
"""Many goals at once, and the records of each."""

MANY_RECORDS = 10_000
"""Total records from which there are at most two runs: each takes ten seconds."""

LEAST_RECORDS = 2_000
"""Small histories are repeated until a turn has this many records, which takes 0.3 s."""

HELD = 20_000
QUICK_HELD = 2_000
"""Records held by each of two peers that compare their sets."""

MISSING = (0, 1, 10, 100, 1_000)

MESSAGE_HEADER = 4
"""Bytes before each message of a sync."""

COMPARE_REPEATS = 5


@dataclass(frozen=True, slots=True)
class Cost:
    """What receiving records cost: microseconds of CPU a record, one value a run.

    Attributes:
        what: Which records.
        bare: The signature check alone.
        whole: Decoding, checking, keeping and folding.
        kept: The same without ever looking at the plan.
    """

    what: str
    bare: list[float]
    whole: list[float]
    kept: list[float]

    @property
    def ratios(self) -> list[float]:
        """The cost in each run as a multiple of the bare check; 1 is the limit."""
        return [bare / whole for bare, whole in zip(self.bare, self.whole, strict=True)]


def cpu(action: Callable[[], object]) -> float:
    """Return the CPU seconds an action takes in this process."""
    gc.collect()
    began = time.process_time()
    action()
    return time.process_time() - began


def take_in(histories: Sequence[History], *, look: bool = True) -> Store:
    """Add all records of some goals to a fresh store, in turns.

    Raises:
        RuntimeError: A record was not kept, so the measurement would be wrong.
    """
    store = Store(SWARM)
    end_ms = max(one.end_ms for one in histories)
    arrivals = zip_longest(*(one.arrivals for one in histories))
    for place, (one, raw) in enumerate(
        (one, raw)
        for turn in arrivals
        for one, raw in zip(histories, turn, strict=True)
        if raw is not None
    ):
        if store.add(raw, end_ms) is not AddResult.NEW:
            raise RuntimeError("a record of the benchmark was not kept")
        if look and place % LOOK_EVERY == 0:
            store.plan(one.goal.id)
    if look:
        store.advance(end_ms)
        store.plans()
    return store


def measure(what: str, histories: Sequence[History], runs: int) -> Cost:
    """Add the records a few times, each time beside the bare check."""
    records = [raw for one in histories for raw in one.arrivals]
    times = -(-LEAST_RECORDS // len(records))
    runs = min(runs, 2) if len(records) > MANY_RECORDS else runs
    each = 1e6 / (times * len(records))

    def repeated(action: Callable[[], object]) -> float:
        return cpu(lambda: [action() for _ in range(times)]) * each

    cost = Cost(what, [], [], [])
    for _ in range(runs):
        cost.bare.append(repeated(lambda: verify_bare(records)))
        cost.whole.append(repeated(lambda: take_in(histories)))
        cost.kept.append(repeated(lambda: take_in(histories, look=False)))
    return cost


def memory(one: History) -> float:
    """Return the bytes of memory a record takes in a store that has folded its goal."""
    gc.collect()
    tracemalloc.start()
    before, _ = tracemalloc.get_traced_memory()
    # Copies: a store keeps the bytes as they came, so they are part of its memory.
    own = History(one.goal, [bytes(bytearray(raw)) for raw in one.arrivals], one.end_ms)
    store = take_in([own])
    own.arrivals.clear()
    gc.collect()
    after, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return (after - before) / len(store)


@dataclass(frozen=True, slots=True)
class SyncCost:
    """What it cost two peers to find and reconcile a difference.

    Attributes:
        missing: Records that one peer missed.
        besides: Bytes both ways without the records themselves.
        in_all: Bytes both ways.
        cpu_ms: CPU of both sides together, without signature checks.
        turns: Messages of each side.
    """

    missing: int
    besides: int
    in_all: int
    cpu_ms: float
    turns: int


def sync(missing: int, held: int, size: int) -> SyncCost:
    """Reconcile two sets that differ by some records.

    Args:
        missing: what the side that asks lacks.
        held: records of the other.
        size: bytes of each.
    """
    ids = [secrets.token_bytes(32) for _ in range(held)]
    raw = bytes(size)
    lacking = random.sample(ids, held - missing)
    moved = got = turns = 0
    gc.collect()
    began = time.process_time()
    salt = secrets.token_bytes(SALT_SIZE)
    asks = Reconciler(lacking, lambda _: raw, salt)
    answers = Reconciler(ids, lambda _: raw, salt)
    asks.begin()
    while True:
        turns += 1
        asked = asks.take()
        answers.receive(asked)
        answered = answers.take()
        got += len(asks.receive(answered))
        moved += len(asked) + len(answered) + 2 * MESSAGE_HEADER
        if not answered and asks.done:
            break
    if got != missing:
        raise RuntimeError(f"a sync brought {got} of {missing} records")
    return SyncCost(
        missing=missing,
        besides=moved - missing * size,
        in_all=moved,
        cpu_ms=1000 * (time.process_time() - began),
        turns=turns,
    )


@dataclass(frozen=True, slots=True)
class DigestCost:
    """What one digest of a large goal costs.

    Attributes:
        held: records of the goal.
        make_ms: CPU to make it after a change.
        compare_ms: CPU to find out from somebody's that ten records are missing there.
    """

    held: int
    make_ms: float
    compare_ms: float


def digests(one: History) -> DigestCost:
    """Make and compare digests of a goal."""
    goal = one.goal.id
    theirs = LocalView(take_in([History(one.goal, one.arrivals[:-10], one.end_ms)], look=False))
    store = take_in([one], look=False)
    heard = theirs.digest(goal)
    make, compare = [], []
    for _ in range(COMPARE_REPEATS):
        # A fresh view has nothing ready, like one whose goal has just changed.
        ours = LocalView(store)
        make.append(cpu(lambda ours=ours: ours.digest(goal)))  # type: ignore[misc]
        compare.append(cpu(lambda ours=ours: ours.compare(heard, 0)))  # type: ignore[misc]
    return DigestCost(len(store), 1000 * statistics.median(make), 1000 * statistics.median(compare))


@dataclass(frozen=True, slots=True)
class LookCost:
    """What an agent's look at all plans costs, CPU in ms: with so many live goals in the store."""

    goals: int
    quiet_ms: float
    one_changed_ms: float


def looks(histories: Sequence[History]) -> LookCost:
    """Let time pass over many goals, as a driver does whenever it wakes."""
    last = histories[-1]
    rest = [*histories[:-1], History(last.goal, last.arrivals[:-1], last.end_ms)]
    store = take_in(rest)
    now = max(one.end_ms for one in histories)

    def look() -> None:
        store.advance(now)
        store.plans()

    quiet = statistics.median(cpu(look) for _ in range(COMPARE_REPEATS))
    store.add(last.arrivals[-1], now)
    return LookCost(len(histories), 1000 * quiet, 1000 * cpu(look))


def main() -> None:
    """Measure, and write the report."""
    parser = report.parser(__doc__)
    parser.add_argument("--runs", type=int, default=3, help="repetitions of each timing")
    options = parser.parse_args()
    sizes = QUICK_SIZES if options.quick else SIZES
    page = report.Page("records", "Records: checking, folding, comparing", options)
    grown = [history(size) for size in sizes]
    count = QUICK_GOALS if options.quick else GOALS
    many = [history(RECORDS_OF_EACH, seed=seed) for seed in range(count)]
    costs = [measure(f"one goal of {size:,}", [one], options.runs)
             for size, one in zip(sizes, grown, strict=True)]  # fmt: skip
    page.say(
        "CPU microseconds a record on one core, median (least - most): bytes in, signature "
        f"checked, kept, folded; the plan looked at after every {LOOK_EVERY} records. Bare is one "
        "Ed25519 check of the same bytes and nothing else; the aim is a share of at least 0.6 of "
        "its speed, flat as a goal grows. A record has "
        f"{statistics.fmean(map(len, grown[-1].arrivals)):.0f} bytes on average; almost all count "
        "in the plan, and they arrive nearly in order."
    )
    crowd = measure(f"{count:,} goals of {RECORDS_OF_EACH}", many, options.runs)
    page.table(
        ["records", "bare", "all", "all but folding", "records/s", "speed, of bare"],
        [_row(cost) for cost in [*costs, crowd]],
    )
    page.chart("growth", _growth(sizes, costs))
    one = grown[-2]
    look = looks(many)
    page.say(
        f"Memory: {memory(one):,.0f} bytes a record of {len(one.arrivals):,}, its own bytes and "
        "its part of the plan included. An agent's look at the plans of "
        f"{look.goals:,} live goals: {look.quiet_ms:.1f} ms of CPU when nothing changed, "
        f"{look.one_changed_ms:.1f} ms when one record came."
    )
    held = QUICK_HELD if options.quick else HELD
    size = round(statistics.fmean(map(len, grown[-1].arrivals)))
    missing = [number for number in MISSING if number <= held]
    page.say(
        f"Comparing sets: two peers, one holds {held:,} records of {size} bytes and the other "
        "lacks some. CPU is of both sides together without checking signatures; the aim is under "
        "20 KB and 0.1 s for 10. Building the two indexes is nearly all of it."
    )
    page.table(
        ["missing", "bytes in all", "besides the records", "CPU", "turns"],
        [
            [
                f"{cost.missing:,}",
                f"{cost.in_all / 1000:,.1f} KB",
                f"{cost.besides / 1000:,.1f} KB",
                f"{cost.cpu_ms:.0f} ms",
                str(cost.turns),
            ]
            for cost in (sync(number, held, size) for number in missing)
        ],
    )
    digest = digests(grown[-1])
    page.say(
        f"A digest on the topic has 130 bytes a goal whatever its size. For a goal of "
        f"{digest.held:,} records that has just changed it takes {digest.make_ms:.1f} ms of CPU to "
        f"make, and {digest.compare_ms:.1f} ms to find out from another's that ten are missing."
    )
    page.write()


def _row(cost: Cost) -> list[str]:
    return [
        cost.what,
        report.spread(cost.bare, "µs", 0),
        report.spread(cost.whole, "µs", 0),
        report.spread(cost.kept, "µs", 0),
        f"{1e6 / statistics.median(cost.whole):,.0f}",
        report.spread(cost.ratios, "", 2),
    ]


def _growth(sizes: Sequence[int], costs: Sequence[Cost]) -> report.Chart:
    def series(name: str, values: Callable[[Cost], list[float]]) -> report.Series:
        return report.Series(
            name,
            sizes,
            [statistics.median(values(cost)) for cost in costs],
            [min(values(cost)) for cost in costs],
            [max(values(cost)) for cost in costs],
        )

    return report.Chart(
        "lines",
        "CPU a record as one goal grows",
        "records of the goal",
        "microseconds a record",
        [
            series("all", lambda cost: cost.whole),
            series("all but folding", lambda cost: cost.kept),
            series("bare signature check", lambda cost: cost.bare),
        ],
        log_x=True,
    )


if __name__ == "__main__":
    main()
