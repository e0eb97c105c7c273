"""What every benchmark shares: options, statistics, and the report that it writes itself.

A benchmark is a module `benchmarks.NAME` with one command, `python -m benchmarks.NAME [--quick]`:

    def main() -> None:
        parser = report.parser(__doc__)
        parser.add_argument("--runs", type=int, default=5)
        options = parser.parse_args()
        page = report.Page("name", "Title of its section", options)
        took: report.Paired = report.paired(options.runs, {"ours": ..., "theirs": ...})
        page.say("One paragraph: what was measured, in plain words.")
        page.table(["what", "ours", "of theirs"], [[..., spread(took["ours"]), ratio(...)]])
        page.chart("latency", Chart("lines", "Title", "records/s", "ms", [Series("ours", xs, ys)]))
        page.write()

`write` prints the report and, unless `--quick` or `--dry` was given, puts it into
docs/measurements.md between `<!-- bench:NAME -->` and `<!-- /bench:NAME -->` (a missing section is
added at the end), under a line with the date, the command, the commit and the load of the machine
before and after. Text outside the markers is never touched: what people add by hand goes there.
Charts become docs/images/bench-NAME-WHAT.svg (`benchmarks/draw.py`, in a separate environment); if
they cannot be drawn, the report states that and has none.

Machines are noisy: pair what is compared (`paired`), report medians with the range, prefer ratios.
Add a new benchmark to the list in `benchmarks/__main__.py`, which `make bench` runs.
"""

from __future__ import annotations

import argparse
import datetime
import json
import logging
import os
import shlex
import statistics
import subprocess
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal, TypeVar

import structlog

from benchmarks import environments

ROOT = Path(__file__).parent.parent
DOCUMENT = ROOT / "docs" / "measurements.md"
IMAGES = ROOT / "docs" / "images"

T = TypeVar("T")
Paired = dict[str, list[T]]
"""For each thing compared, the value of each run, in the order of the runs."""


def parser(doc: str | None) -> argparse.ArgumentParser:
    """Return a parser with the options of every benchmark; only warnings are logged."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING))
    made = argparse.ArgumentParser(
        description=doc, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    made.add_argument("--quick", action="store_true", help="a smoke test: small, not written down")
    made.add_argument("--dry", action="store_true", help="print only; leave the document alone")
    return made


# Statistics.


def spread(values: Sequence[float], unit: str = "s", digits: int = 2) -> str:
    """Return the median and the range as text: `1.18 s (1.11 - 1.61)`."""
    if len(values) == 1:
        return f"{values[0]:.{digits}f} {unit}".strip()
    low, high = min(values), max(values)
    middle = f"{statistics.median(values):.{digits}f} {unit}".strip()
    return f"{middle} ({low:.{digits}f} - {high:.{digits}f})"


def ratio(ours: Sequence[float], theirs: Sequence[float], digits: int = 2) -> str:
    """Return the median and range of the ratios run by run, of runs that were paired."""
    return spread([a / b for a, b in zip(ours, theirs, strict=True)], "", digits)


def percentile(values: Sequence[float], share: float) -> float:
    """Return the value that `share` (0 to 1) of the values do not exceed (nearest rank)."""
    ranked = sorted(values)
    return ranked[min(len(ranked) - 1, max(0, -(-int(share * 1000) * len(ranked) // 1000) - 1))]


def turns(run: int, names: Sequence[str]) -> list[str]:
    """Return in which order to measure in a run: rotated, so that none always goes first."""
    first = run % len(names)
    return [*names[first:], *names[:first]]


def paired(runs: int, measures: Mapping[str, Callable[[], T]]) -> Paired[T]:
    """Measure all, run by run, so that what disturbs the machine disturbs all alike."""
    results: Paired[T] = {name: [] for name in measures}
    for run in range(runs):
        for name in turns(run, list(measures)):
            results[name].append(measures[name]())
    return results


async def paired_async(runs: int, measures: Mapping[str, Callable[[], Awaitable[T]]]) -> Paired[T]:
    """Measure all like `paired`, each by awaiting it."""
    results: Paired[T] = {name: [] for name in measures}
    for run in range(runs):
        for name in turns(run, list(measures)):
            results[name].append(await measures[name]())
    return results


# Charts.


@dataclass(frozen=True, slots=True)
class Series:
    """One line or set of bars.

    Attributes:
        name: shown in the legend.
        xs: positions, or the names of bars.
        ys: values.
        low: for each value the least of the runs; empty: no range is drawn.
        high: for each value the most of the runs.
    """

    name: str
    xs: Sequence[float | str]
    ys: Sequence[float]
    low: Sequence[float] = ()
    high: Sequence[float] = ()


@dataclass(frozen=True, slots=True)
class Span:
    """One bar of a gantt chart: in which row, from when to when, and of what kind (its colour)."""

    row: str
    begin: float
    end: float
    kind: str


@dataclass(frozen=True, slots=True)
class Chart:
    """What to draw.

    Attributes:
        kind: `lines` and `bars` take series, `gantt` takes spans.
        title: above the chart.
        x: what the horizontal axis shows, with its unit.
        y: what the vertical axis shows, with its unit.
        series: of lines or bars.
        spans: of a gantt chart; its rows come in the order of their first span.
        log_x: whether the horizontal axis is logarithmic.
        log_y: whether the vertical axis is logarithmic.
    """

    kind: Literal["lines", "bars", "gantt"]
    title: str
    x: str
    y: str
    series: Sequence[Series] = ()
    spans: Sequence[Span] = ()
    log_x: bool = False
    log_y: bool = False


def draw(chart: Chart, file: Path) -> str:
    """Draw a chart as SVG; return "" or, in words, why it could not be drawn."""
    try:
        python = environments.python("charts")
        subprocess.run(
            [python, str(Path(__file__).parent / "draw.py"), str(file)],
            input=json.dumps(asdict(chart)),
            text=True,
            capture_output=True,
            check=True,
            timeout=120,
        )
    except environments.EnvironmentFailed as error:
        return str(error)
    except subprocess.SubprocessError as error:
        said = getattr(error, "stderr", "") or str(error)
        return str(said).strip().splitlines()[-1]
    return ""


# The page.


class Page:
    """The report of one benchmark, in Markdown."""

    def __init__(self, name: str, title: str, options: argparse.Namespace) -> None:
        """Begin a report; the load of the machine is noted now and when it is written.

        Args:
            name: of the benchmark, as in its markers and its module.
            title: of its section, used when the section is new.
            options: as parsed by `parser`.
        """
        self._name = name
        self._title = title
        self._keep = not (options.quick or options.dry)
        self._load = os.getloadavg()[0]
        self._blocks: list[str] = []

    def say(self, text: str) -> None:
        """Add a paragraph."""
        self._blocks.append(text.strip())

    def table(self, head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        """Add a table."""
        self._blocks.append(table(head, rows))

    def chart(self, what: str, chart: Chart) -> None:
        """Add a chart, drawn to docs/images/bench-NAME-WHAT.svg."""
        if not self._keep:
            return
        file = IMAGES / f"bench-{self._name}-{what}.svg"
        trouble = draw(chart, file)
        image = f"![{chart.title}](images/{file.name})"
        self._blocks.append(f"(The chart is missing: {trouble})" if trouble else image)

    def write(self) -> None:
        """Print the report, and put it into the document unless it was only a try."""
        now = datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d %H:%M UTC")
        command = "python -m benchmarks." + shlex.join([self._name, *sys.argv[1:]])
        stated = (
            f"{now}, `{command}`, commit {commit()}, Python {sys.version.split()[0]}, "
            f"{os.cpu_count()} cores, load {self._load:.1f} before and {os.getloadavg()[0]:.1f} "
            "after."
        )
        body = "\n\n".join([stated, *self._blocks])
        print(body, flush=True)
        if self._keep:
            text = DOCUMENT.read_text(encoding="utf-8")
            DOCUMENT.write_text(replaced(text, self._name, self._title, body), encoding="utf-8")


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def replaced(document: str, name: str, title: str, body: str) -> str:
    """Return a document with a benchmark's section set to a new body.

    Raises:
        ValueError: only one of the two markers is there, or they are the wrong way round.
    """
    begin, end = f"<!-- bench:{name} -->", f"<!-- /bench:{name} -->"
    if begin not in document and end not in document:
        return f"{document.rstrip()}\n\n## {title}\n\n{begin}\n{body}\n{end}\n"
    before, found, rest = document.partition(begin)
    _, closed, after = rest.partition(end)
    if not (found and closed):
        raise ValueError(f"{begin} and {end} must both stand in the document, in this order")
    return f"{before}{begin}\n{body}\n{end}{after}"


def commit() -> str:
    """Return the short id of the commit, with a plus sign if the tree differs."""
    try:
        said = subprocess.run(
            ["git", "describe", "--always", "--dirty=+", "--abbrev=9"],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return "unknown"
    return said.stdout.strip()
