"""The tables: what each arm keeps, by check and by language, what it costs, and how sure that is.

A goal's share is the kept ones of its demands that apply; an arm's share is the mean over goals, so
that a goal with many demands counts like one with few. Intervals are bootstrapped over goals, with
all arms of a goal together, because the arms are compared on the same goals.
"""

from __future__ import annotations

import random
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from benchmarks.quality.checks import Verdict, share
from benchmarks.quality.results import Result

RESAMPLES = 2_000
"""Samples of the bootstrap."""

CONFIDENCE = 0.95
"""Part of them that an interval contains."""

ARM_NAMES = {"one": "one call", "agent": "one agent", "swarm": "the swarm"}
"""How the tables call the arms."""


@dataclass(frozen=True, slots=True)
class Judged:
    """One goal: the result of each arm, and its verdicts with and without quoted words."""

    results: dict[str, Result]
    verdicts: dict[str, list[Verdict]]
    worked_out: dict[str, list[Verdict]]


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value with its interval."""

    value: float
    low: float
    high: float

    def text(self, digits: int = 2) -> str:
        """Return `0.61 (0.55 - 0.67)`."""
        return f"{self.value:.{digits}f} ({self.low:.{digits}f} - {self.high:.{digits}f})"


def judge(goals: Sequence[dict[str, Result]]) -> list[Judged]:
    """Let the checks judge every plan."""
    return [
        Judged(
            by_arm,
            {arm: result.verdicts() for arm, result in by_arm.items()},
            {arm: result.worked_out() for arm, result in by_arm.items()},
        )
        for by_arm in goals
    ]


def bootstrap(
    count: int, statistic: Callable[[Sequence[int]], float], *, seed: int = 0
) -> Estimate:
    """Return a statistic of goals with its interval; it gets the numbers of the goals to use."""
    draw = random.Random(seed)
    every = range(count)
    values = sorted(statistic([draw.randrange(count) for _ in every]) for _ in range(RESAMPLES))
    tail = int((1 - CONFIDENCE) / 2 * RESAMPLES)
    return Estimate(statistic(list(every)), values[tail], values[-1 - tail])


def shares(judged: Sequence[Judged], arm: str, kind: str) -> list[float]:
    """Return each goal's share of an arm."""
    return [share(one.verdicts[arm], kind) for one in judged]


def mean_share(judged: Sequence[Judged], arm: str, kind: str = "demand") -> Estimate:
    """Return an arm's share with its interval."""
    values = shares(judged, arm, kind)
    return bootstrap(
        len(values), lambda chosen: statistics.fmean(values[index] for index in chosen)
    )


def ratio(judged: Sequence[Judged], ours: str, theirs: str, kind: str = "demand") -> Estimate:
    """Return the ratio of two arms' shares with its interval, goals paired."""
    a, b = shares(judged, ours, kind), shares(judged, theirs, kind)

    def of(chosen: Sequence[int]) -> float:
        below = sum(b[index] for index in chosen)
        return sum(a[index] for index in chosen) / below if below else float("inf")

    return bootstrap(len(a), of)


def mean_worked_out(judged: Sequence[Judged], arm: str) -> Estimate:
    """Return an arm's share of the demands without the words that it quotes from the goals."""
    values = [share(one.worked_out[arm], "demand") for one in judged]
    return bootstrap(
        len(values), lambda chosen: statistics.fmean(values[index] for index in chosen)
    )


Rows = list[list[str]]


def overall(judged: Sequence[Judged], arms: Sequence[str]) -> tuple[list[str], Rows]:
    """Return head and rows of the first table: a row for each arm."""
    head = [
        "arm",
        "demands kept",
        "without quoted words",
        "form in order",
        "all",
        "prompt tokens",
        "answer tokens",
    ]
    head += ["calls", "model time", "wall time"]
    rows = []
    for arm in arms:
        results = [one.results[arm] for one in judged]
        fresh = [one.seconds for one in results if one.fresh]
        rows.append(
            [
                ARM_NAMES[arm],
                mean_share(judged, arm, "demand").text(),
                mean_worked_out(judged, arm).text(),
                mean_share(judged, arm, "form").text(),
                mean_share(judged, arm, "").text(),
                _mean([one.prompt_tokens for one in results]),
                _mean([one.answer_tokens for one in results]),
                _mean([one.calls for one in results]),
                _mean([one.model_seconds for one in results]) + " s",
                _mean(fresh) + " s" if fresh else "(from the cache)",
            ]
        )
    return head, rows


def _mean(values: Sequence[float]) -> str:
    return f"{statistics.fmean(values):,.0f}"


def ratios(judged: Sequence[Judged], arms: Sequence[str]) -> tuple[list[str], Rows]:
    """Return head and rows of the ratios of the swarm to the others."""
    others = [arm for arm in arms if arm != "swarm"] if "swarm" in arms else []
    kinds = (("demand", "demands kept"), ("", "all"))
    head = ["the swarm, in times", *(name for _, name in kinds)]
    return head, [
        [ARM_NAMES[arm], *(ratio(judged, "swarm", arm, kind).text() for kind, _ in kinds)]
        for arm in others
    ]


def by_check(judged: Sequence[Judged], arms: Sequence[str]) -> tuple[list[str], Rows]:
    """Return head and rows of each check: kept of those that apply."""
    kinds: dict[str, str] = {}
    for one in judged:
        for verdicts in one.verdicts.values():
            kinds.update({v.check: v.kind for v in verdicts if v.outcome != "not applicable"})
    rows = []
    for name, kind in kinds.items():
        row = [name, kind]
        for arm in arms:
            found = [
                v
                for one in judged
                for v in one.verdicts[arm]
                if v.check == name and v.outcome != "not applicable"
            ]
            kept = sum(v.kept for v in found)
            row.append(f"{kept / max(1, len(found)):.2f} ({kept} of {len(found)})")
        rows.append(row)
    return ["check", "kind", *(ARM_NAMES[arm] for arm in arms)], rows


def by_group(
    judged: Sequence[Judged], arms: Sequence[str], name: str, group: Callable[[Result], str]
) -> tuple[list[str], Rows]:
    """Return head and rows of the demands kept in each group of goals: language or family."""
    groups: dict[str, list[Judged]] = {}
    for one in judged:
        groups.setdefault(group(next(iter(one.results.values()))), []).append(one)
    rows = []
    for label, members in sorted(groups.items()):
        means = [f"{statistics.fmean(shares(members, arm, 'demand')):.2f}" for arm in arms]
        rows.append([label, str(len(members)), *means])
    return [name, "goals", *(ARM_NAMES[arm] for arm in arms)], rows
