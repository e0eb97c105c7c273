"""How well briefs are read from goals: recall and precision on the labelled goals.

    python -m benchmarks.briefs              the tables, in seconds
    python -m benchmarks.briefs --errors     and what was missed or wrong in the goals for tuning

A third of the goals is held back: the readers were not tuned on it.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Callable, Iterable
from functools import partial

from swarm.brief.read import read_brief
from tests.brief.labelled import Outcome, goals, kind_of, outcome

LONG = 10_000
"""Characters of the goal that is timed."""


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--errors", action="store_true")
    options = parser.parse_args()
    outcomes = [outcome(goal) for goal in goals()]
    if options.errors:
        for one in outcomes:
            if not one.goal.held and (one.missed or one.wrong or one.language != one.goal.language):
                print(f"{one.language} {one.goal.text}\n  - {one.missed}\n  + {one.wrong}")
    print("| | goals | recall | precision | recall, held back | precision, held back |")
    print("|---|---|---|---|---|---|")
    for language in sorted({one.goal.language for one in outcomes}):
        some = [one for one in outcomes if one.goal.language == language]
        _row(language, some, lambda line: True)
    _row("all", outcomes, lambda line: True)
    counts = Counter(kind_of(line) for one in outcomes for line in one.goal.demands)
    for kind, _ in counts.most_common():
        _row(f"`{kind}`", outcomes, partial(_is_of, kind))
    right = sum(one.language == one.goal.language for one in outcomes)
    print(f"\nlanguage right: {right} of {len(outcomes)}")
    text = " ".join(one.goal.text + "." for one in outcomes) * 3
    began = time.process_time()
    for _ in range(10):
        read_brief(text[:LONG], today="2026-12-01")
    print(f"a goal of {LONG} characters: {(time.process_time() - began) * 100:.1f} ms")


def _is_of(kind: str, line: str) -> bool:
    return kind_of(line) == kind


def _row(name: str, outcomes: Iterable[Outcome], counts: Callable[[str], bool]) -> None:
    outcomes = list(outcomes)
    tuned = _rates([one for one in outcomes if not one.goal.held], counts)
    held = _rates([one for one in outcomes if one.goal.held], counts)
    goals_with = sum(any(map(counts, one.goal.demands)) for one in outcomes)
    print(f"| {name} | {goals_with} | {tuned} | {held} |")


def _rates(outcomes: Iterable[Outcome], counts: Callable[[str], bool]) -> str:
    found = missed = wrong = 0
    for one in outcomes:
        found += sum(map(counts, one.found))
        missed += sum(map(counts, one.missed))
        wrong += sum(map(counts, one.wrong))
    recall = f"{found / (found + missed):.2f}" if found + missed else "-"
    precision = f"{found / (found + wrong):.2f}" if found + wrong else "-"
    return f"{recall} | {precision}"


if __name__ == "__main__":
    main()
