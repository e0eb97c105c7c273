"""The arms with a model of perfect obedience: whatever is lost then was lost on the way."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from benchmarks.quality import arms, obedient
from benchmarks.quality.cache import proxying
from benchmarks.quality.checks import check, share
from benchmarks.quality.goals import LANGUAGES, Goal, generate


@contextmanager
def _model(goals: list[Goal], folder: Path) -> Iterator[arms.Model]:
    with obedient.serving(goals) as server, proxying(server.url, folder) as proxy:
        model = arms.Model(proxy, obedient.MODEL)
        try:
            yield model
        finally:
            model.close()


def test_one_call_of_an_obedient_model_keeps_everything(tmp_path: Path) -> None:
    """The prompt and the checks lose nothing, in any language."""
    goals = [generate(30_000 + number, code) for number, code in enumerate(LANGUAGES)]
    with _model(goals, tmp_path) as model:
        outcomes = [arms.one_call(model, goal) for goal in goals]
    for goal, outcome in zip(goals, outcomes, strict=True):
        assert outcome.trouble == ""
        assert outcome.meter.calls == 1
        assert share(check(outcome.text, goal)) == 1


def test_the_agent_uses_its_budget(tmp_path: Path) -> None:
    """It goes on until it has used as many tokens as it was given, and keeps a whole plan."""
    goal = generate(30_000, "en")
    with _model([goal], tmp_path) as model:
        outcome = arms.agent(model, goal, 2_000)
    assert outcome.meter.tokens >= 2_000
    assert share(check(outcome.text, goal)) > 0.8


@pytest.mark.slow
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_swarm_with_an_obedient_model_keeps_everything(language: str, tmp_path: Path) -> None:
    """Splits, votes, tasks and assembly by real processes lose nothing of what is demanded."""
    goal = generate(30_000, language)
    with _model([goal], tmp_path) as model:
        outcome = arms.swarm(model, goal)
    assert outcome.trouble == ""
    verdicts = check(outcome.text, goal)
    assert [one for one in verdicts if one.outcome == "broken"] == []
