"""How well briefs are read from goals: recall and precision on the labelled goals.

    python -m benchmarks.briefs              the tables, in seconds
    python -m benchmarks.briefs --errors     and what was missed or wrong in the goals for tuning
    python -m benchmarks.briefs --generated 2000 2400    recall on the goals of benchmarks.quality

A third of the goals is held back: the readers were not tuned on it.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import partial

from benchmarks.quality.gazetteer import Place
from benchmarks.quality.goals import LANGUAGES, Goal, generate, language_of
from benchmarks.quality.wording.record import Ban
from benchmarks.quality.wording.record import Demand as Demanded
from swarm.brief.read import read_brief
from swarm.core.brief import Brief, Demand, DemandKind
from tests.brief.labelled import Outcome, goals, kind_of, outcome

LONG = 10_000
"""Characters of the goal that is timed."""


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--errors", action="store_true")
    parser.add_argument("--generated", type=int, nargs=2, metavar=("FROM", "TO"))
    options = parser.parse_args()
    if options.generated:
        _generated(range(*options.generated))
        return
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


def _generated(seeds: Iterable[int]) -> None:
    """Print the share of the facts of generated goals that briefs hold, by language and kind."""
    held: Counter[tuple[str, str]] = Counter()
    asked: Counter[tuple[str, str]] = Counter()
    for seed in seeds:
        goal = generate(seed, language_of(seed))
        for kind, holds in _facts(goal, read_brief(goal.text, today="2026-12-01")):
            asked[goal.language, kind] += 1
            held[goal.language, kind] += holds
    kinds = sorted({kind for _, kind in asked})
    print(f"| | {' | '.join(kinds)} |\n|---|{'---|' * len(kinds)}")
    for language in LANGUAGES:
        cells = [f"{held[language, kind]}/{asked[language, kind]}" for kind in kinds]
        print(f"| {language} | {' | '.join(cells)} |")


def _facts(goal: Goal, brief: Brief) -> Iterator[tuple[str, bool]]:
    """Yield each fact of a generated goal by its kind, and whether its brief holds it."""
    span = brief.first("duration")
    days = goal.length * (7 if goal.unit == "week" else 1)
    spans = [(goal.length, goal.unit), (days, "day")]
    yield "duration", span is not None and (span.value, span.unit) in spans
    yield "language", brief.language == goal.language
    names = {demand.name for demand in brief.of("place", "start_place", "end_place")}
    if goal.start is not None:
        start = brief.first("start_date")
        yield "start date", start is not None and start.date == goal.start.isoformat()
    ends: tuple[tuple[DemandKind, Place | None], ...] = (
        ("start_place", goal.start_place),
        ("end_place", goal.end_place),
    )
    for kind, place in ends:
        if place is not None:
            found = brief.first(kind)
            yield "ends", found is not None and found.name == place.name(goal.language)
    for place in goal.visits:
        yield "on the way", place.name(goal.language) in names
    if goal.budget is not None:
        limit = brief.first("budget")
        amount = (goal.budget.amount, goal.budget.currency)
        yield "budget", limit is not None and (limit.value, limit.unit) == amount
    if goal.costs:
        yield "costs", brief.first("costs") is not None
    yield from _wishes("must", goal.demands, brief.of("must", "count", "people"))
    yield from _wishes("must not", goal.bans, brief.of("must_not"))


def _wishes(
    kind: str, sentences: Iterable[Demanded | Ban], demands: Iterable[Demand]
) -> Iterator[tuple[str, bool]]:
    texts = [demand.text.casefold() for demand in demands]
    for sentence in sentences:
        if sentence.ask:
            yield kind, any(text in sentence.ask.casefold() for text in texts)


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
