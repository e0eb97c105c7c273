"""Results on disk, and the statistics of the table."""

import dataclasses
import statistics
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from benchmarks.quality import perfect, results, table
from benchmarks.quality.arms import Outcome
from benchmarks.quality.cache import Meter
from benchmarks.quality.goals import generate
from benchmarks.quality.results import Result


def _result(seed: int, arm: str, text: str | None = None) -> Result:
    goal = generate(seed)
    outcome = Outcome(
        text=perfect.write(goal) if text is None else text,
        meter=Meter(calls=3, fresh_calls=3, prompt_tokens=100, answer_tokens=50),
        seconds=1.5,
    )
    return results.result_of(goal, arm, "model", outcome)


def test_results_are_found_again(tmp_path: Path) -> None:
    """A stopped run goes on: whole lines are read, the last of equal ones counts."""
    file = tmp_path / "results.jsonl"
    old, new = _result(30_000, "one", "old"), _result(30_000, "one")
    for result in (old, new, _result(30_001, "swarm")):
        results.append(file, result)
    with file.open("a") as stream:
        stream.write('{"seed": 3')
    found = results.load(file)
    assert found == [new, _result(30_001, "swarm")]
    assert results.find(found, generate(30_000), "one") == new
    assert results.find(found, generate(30_000), "swarm") is None


def test_a_result_of_another_goal_text_does_not_count(tmp_path: Path) -> None:
    """When the generator changes, plans of the old goals are not compared with new ones."""
    file = tmp_path / "results.jsonl"
    results.append(file, dataclasses.replace(_result(30_000, "one"), digest="another"))
    assert results.load(file) == []


def test_only_goals_with_all_arms_are_compared() -> None:
    """A goal that one arm has not reached yet is left out for all."""
    found = [_result(30_000, "one"), _result(30_000, "swarm"), _result(30_001, "one")]
    (only,) = results.whole(found, ["one", "swarm"])
    assert set(only) == {"one", "swarm"}


def test_the_tables_compare_arms() -> None:
    """A perfect arm keeps all, an empty one nothing, and each row says so."""
    arms = ["one", "swarm"]
    found = [
        result
        for seed in range(30_000, 30_004)
        for result in (_result(seed, "one", ""), _result(seed, "swarm"))
    ]
    judged = table.judge(results.whole(found, arms))
    _, (one, swarm) = table.overall(judged, arms)
    assert one[1] == "0.00 (0.00 - 0.00)"
    assert swarm[1] == "1.00 (1.00 - 1.00)"
    assert table.ratios(judged, arms)[1][0][1] == "inf (inf - inf)"
    assert all(row[-1].startswith("1.00") for row in table.by_check(judged, arms)[1])
    _, languages = table.by_group(judged, arms, "language", lambda result: result.language)
    assert sum(int(row[1]) for row in languages) == 4


@given(st.lists(st.floats(0, 1), min_size=2, max_size=8))
def test_an_interval_contains_its_value(values: list[float]) -> None:
    """A bootstrapped interval of a mean lies around it, within the values."""
    estimate = table.bootstrap(
        len(values), lambda chosen: statistics.fmean(values[index] for index in chosen)
    )
    assert min(values) - 1e-9 <= estimate.low <= estimate.value + 1e-9
    assert estimate.value - 1e-9 <= estimate.high <= max(values) + 1e-9
