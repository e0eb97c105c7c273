"""What counts as planned: no title, introduction or report, but the table that code composes."""

import pytest

from benchmarks.quality import perfect
from benchmarks.quality.checks import check, money
from benchmarks.quality.goals import LANGUAGES, generate
from benchmarks.quality.reading import read
from swarm.brief.costs import cost_table
from swarm.brief.report import heading
from swarm.core.brief import Brief, Cost, Demand


def _texts(text: str, seed: int = 30_001) -> list[str]:
    return [line.text for line in read(text, generate(seed, "en")).body]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_product_s_report_earns_nothing(language: str) -> None:
    """Its section is left out in every language, up to the next heading of its level."""
    goal = generate(30_001, language)
    text = f"## 1\n\n- a\n\n{heading(language)}\n\n- met: b\n\n### c\n\n- d\n\n## e\n\n- f"
    assert [line.text for line in read(text, goal).body] == ["1", "a", "e", "f"]


@pytest.mark.parametrize(
    ("above", "left_out"),
    [
        ("Your requirements", True),
        ("How this plan meets your wishes", True),
        ("What you asked for", True),
        ("Material requirements", False),
        ("Briefing the helpers", False),
        ("Legal constraints", False),
    ],
)
def test_sections_about_the_request_earn_nothing(above: str, left_out: bool) -> None:
    """Any arm may restate the request; a section of the plan with such a word stays."""
    assert ("b" not in _texts(f"## 1\n\n- a\n\n## {above}\n\n- b")) == left_out


def test_an_introduction_is_no_plan() -> None:
    """What is said of the plan before and after it is not planned by it."""
    assert _texts("# Title\n\nA plan for eight helpers.\n\n- a\n\nb") == ["a", "b"]
    assert _texts("- a\n\nThis plan has a first-aid post.") == ["a"]
    assert _texts("All in prose.\n\nAnd more of it.") == ["all in prose.", "and more of it."]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_table_that_code_composes_counts(language: str) -> None:
    """Costs, total and budget of the product's table are read, in every language."""
    goals = (generate(seed, language) for seed in range(30_001, 31_000))
    goal = next(goal for goal in goals if goal.budget is not None)
    assert goal.budget is not None
    budget = Demand(kind="budget", text="b", value=goal.budget.amount, unit=goal.budget.currency)
    part = goal.budget.amount // 5
    costs = [Cost(what=name, amount=part) for name in goal.wording.frame.items[:4]]
    table = cost_table(Brief(demands=[budget], language=language), [("1", costs)], language)
    verdicts = money.check(read(table, goal), goal)
    assert [one.outcome for one in verdicts] == ["kept", "kept", "kept"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_whole_plan_as_the_product_prints_it_keeps_everything(language: str) -> None:
    """The goal as title, an introduction and the report around a perfect plan change nothing."""
    goal = generate(30_001, language)
    text = f"# {goal.text}\n\n{perfect.write(goal)}\n\n{heading(language)}\n\n- ✅ {goal.text}"
    assert [one for one in check(text, goal) if one.outcome == "broken"] == []
