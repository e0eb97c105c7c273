"""What each arm made of each goal, as lines of JSON, so that a run can be continued.

Texts are stored, not verdicts: the checks judge again whenever a table is made, so that a mended
check needs no new run. A result belongs to the text of its goal; if the generator changes, it no
longer counts.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from platformdirs import user_cache_path

from benchmarks import report
from benchmarks.quality.arms import Outcome
from benchmarks.quality.checks import Verdict, check
from benchmarks.quality.goals import Goal, generate
from benchmarks.quality.quotations import without_quotations


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """One plan.

    Attributes:
        seed: Of the goal.
        language: Of the goal.
        digest: Of the goal's text.
        arm: Which arm made it.
        model: With which model.
        commit: Of this repository.
        text: The plan.
        trouble: What went wrong; empty if nothing did.
        calls: Calls of the model.
        prompt_tokens: Tokens of prompts.
        answer_tokens: Tokens of answers.
        model_seconds: Time that the model took.
        seconds: Wall time.
        fresh: Whether every answer was made in this run, so that the wall time means something.
    """

    seed: int
    language: str
    digest: str
    arm: str
    model: str
    commit: str
    text: str
    trouble: str
    calls: int
    prompt_tokens: int
    answer_tokens: int
    model_seconds: float
    seconds: float
    fresh: bool

    @property
    def tokens(self) -> int:
        """Tokens of prompts and answers."""
        return self.prompt_tokens + self.answer_tokens

    @property
    def goal(self) -> Goal:
        """The goal, generated again."""
        return generate(self.seed, self.language)

    def verdicts(self) -> list[Verdict]:
        """Return what the checks say now."""
        return check(self.text, self.goal)

    def worked_out(self) -> list[Verdict]:
        """Return what the checks say of the plan without the words that it quotes."""
        return check(without_quotations(self.text, self.goal), self.goal)


def digest_of(goal: Goal) -> str:
    """Return a digest of a goal's text."""
    return hashlib.sha256(goal.text.encode()).hexdigest()[:12]


def result_of(goal: Goal, arm: str, model: str, outcome: Outcome) -> Result:
    """Return the result of an arm."""
    meter = outcome.meter
    return Result(
        seed=goal.seed,
        language=goal.language,
        digest=digest_of(goal),
        arm=arm,
        model=model,
        commit=report.commit(),
        text=outcome.text,
        trouble=outcome.trouble,
        calls=meter.calls,
        prompt_tokens=meter.prompt_tokens,
        answer_tokens=meter.answer_tokens,
        model_seconds=round(meter.model_seconds, 2),
        seconds=round(outcome.seconds, 2),
        fresh=meter.stored_calls == 0,
    )


def default_file(model: str) -> Path:
    """Return where the results of a model and this commit are kept unless a flag says otherwise."""
    name = f"{model.replace('/', '_').replace(':', '_')}-{report.commit().rstrip('+')}.jsonl"
    return user_cache_path("leaderless") / "quality" / "results" / name


def load(file: Path) -> list[Result]:
    """Return the results in a file whose goals are still the same; the last of equal ones."""
    found: dict[tuple[int, str, str], Result] = {}
    if file.exists():
        for line in file.read_text(encoding="utf-8").splitlines():
            try:
                result = Result(**json.loads(line))
            except (ValueError, TypeError):
                # A run was stopped while it wrote.
                continue
            if result.digest == digest_of(result.goal):
                found[result.seed, result.language, result.arm] = result
    return list(found.values())


def append(file: Path, result: Result) -> None:
    """Add a result to a file."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("a", encoding="utf-8") as stream:
        stream.write(json.dumps(asdict(result), ensure_ascii=False) + "\n")


def find(results: Iterable[Result], goal: Goal, arm: str) -> Result | None:
    """Return the result of a goal and arm; None if there is none."""
    key = (goal.seed, goal.language, arm)
    return next((one for one in results if (one.seed, one.language, one.arm) == key), None)


def whole(results: Sequence[Result], arms: Sequence[str]) -> list[dict[str, Result]]:
    """Return the results by arm of each goal that has all arms, so that they can be compared."""
    goals: dict[tuple[int, str], dict[str, Result]] = {}
    for result in results:
        if result.arm in arms:
            goals.setdefault((result.seed, result.language), {})[result.arm] = result
    return [by_arm for by_arm in goals.values() if len(by_arm) == len(arms)]
