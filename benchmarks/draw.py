"""Draw one chart as SVG. Run by the interpreter of the environment "charts", not by ours.

    python draw.py FILE.svg     with the chart (`benchmarks.report.Chart`) as JSON on standard input

The same chart always gives the same bytes, so a run that changes nothing changes no file.
"""

import importlib
import json
import sys
from typing import Any

WIDE, HIGH = 8.0, 4.2
"""Inches; a gantt chart grows with its rows."""

ROW_HIGH = 0.24
"""Inches of a row of a gantt chart."""


def main() -> None:
    """Read the chart, draw it, and write the file."""
    matplotlib: Any = importlib.import_module("matplotlib")
    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "leaderless"
    matplotlib.rcParams["svg.fonttype"] = "none"
    matplotlib.rcParams["font.family"] = "sans-serif"
    pyplot: Any = importlib.import_module("matplotlib.pyplot")
    chart = json.load(sys.stdin)
    rows = list(dict.fromkeys(span["row"] for span in chart["spans"]))
    high = max(HIGH, 1.4 + ROW_HIGH * len(rows)) if chart["kind"] == "gantt" else HIGH
    figure, axes = pyplot.subplots(figsize=(WIDE, high), layout="constrained")
    {"lines": lines, "bars": bars, "gantt": gantt}[chart["kind"]](axes, chart)
    axes.set_title(chart["title"], fontsize=11)
    axes.set_xlabel(chart["x"])
    axes.set_ylabel(chart["y"])
    if chart["log_x"]:
        axes.set_xscale("log")
    if chart["log_y"]:
        axes.set_yscale("log")
    elif chart["kind"] != "gantt":
        axes.set_ylim(bottom=0)
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(sys.argv[1], format="svg", metadata={"Date": None}, facecolor="white")


def lines(axes: Any, chart: dict[str, Any]) -> None:
    """Draw lines, with the range of the runs shaded."""
    for series in chart["series"]:
        drawn = axes.plot(series["xs"], series["ys"], marker="o", label=series["name"])
        if series["low"]:
            axes.fill_between(
                series["xs"],
                series["low"],
                series["high"],
                color=drawn[0].get_color(),
                alpha=0.15,
                linewidth=0,
            )
    axes.grid(alpha=0.3)
    axes.legend(frameon=False)


def bars(axes: Any, chart: dict[str, Any]) -> None:
    """Draw groups of bars side by side, with the range of the runs as whiskers."""
    names = list(dict.fromkeys(str(x) for series in chart["series"] for x in series["xs"]))
    width = 0.8 / max(len(chart["series"]), 1)
    for number, series in enumerate(chart["series"]):
        at = [names.index(str(x)) + (number + 0.5) * width - 0.4 for x in series["xs"]]
        error = None
        if series["low"]:
            down = [y - low for y, low in zip(series["ys"], series["low"], strict=True)]
            up = [top - y for y, top in zip(series["ys"], series["high"], strict=True)]
            error = [down, up]
        axes.bar(at, series["ys"], width * 0.95, yerr=error, capsize=2, label=series["name"])
    axes.set_xticks(range(len(names)), names)
    axes.grid(axis="y", alpha=0.3)
    axes.set_axisbelow(True)
    axes.legend(frameon=False)


def gantt(axes: Any, chart: dict[str, Any]) -> None:
    """Draw spans of time: one row for each peer, one colour for each kind."""
    rows = list(dict.fromkeys(span["row"] for span in chart["spans"]))
    kinds = list(dict.fromkeys(span["kind"] for span in chart["spans"]))
    for number, kind in enumerate(kinds):
        spans = [span for span in chart["spans"] if span["kind"] == kind]
        axes.barh(
            [rows.index(span["row"]) for span in spans],
            [span["end"] - span["begin"] for span in spans],
            left=[span["begin"] for span in spans],
            height=0.7,
            color=f"C{number % 10}",
            hatch="//" if number >= 10 else None,
            label=kind,
        )
    axes.set_yticks(range(len(rows)), rows, fontsize=8)
    axes.invert_yaxis()
    axes.set_xlim(left=0)
    axes.grid(axis="x", alpha=0.3)
    axes.set_axisbelow(True)
    axes.legend(frameon=False, fontsize=8, loc="center left", bbox_to_anchor=(1.0, 0.5))


if __name__ == "__main__":
    main()
