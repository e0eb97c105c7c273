"""Putting parts together by code loses nothing, and says how the plan meets the request."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from swarm.brief.report import REPORT_HEADING
from swarm.core.brief import Brief, Cost, Demand
from swarm.core.records import MAX_RESULT_TEXT
from swarm.llm.client import assembly
from swarm.llm.requests import AssembleRequest
from tests.brief.texts import Perfect, perfect

texts = st.lists(
    st.tuples(st.from_regex(r"[A-Z][a-z]{2,9}", fullmatch=True), st.text(max_size=200)), max_size=5
)
BRIEF = Brief(
    demands=[
        Demand(kind="budget", text="budget 600 euro", value=600, unit="EUR"),
        Demand(kind="end_place", text="ending in Osaka", name="Osaka"),
    ],
    language="en",
)
PARTS = (
    ("Kyoto", "- **Day 1:** Walk from Gion to the river at 9:40.\n- **Day 2:** Rest."),
    ("Osaka", "# Castle\n\n- **Day 3:** See the castle of Osaka and the market."),
)


def request(
    parts: tuple[tuple[str, str], ...] = PARTS,
    missing: tuple[tuple[str, str], ...] = (),
    brief: Brief = BRIEF,
    costs: tuple[tuple[str, tuple[Cost, ...]], ...] = (),
    drafts: tuple[str, ...] = (),
) -> AssembleRequest:
    return AssembleRequest(
        goal="Three days, ending in Osaka",
        title="Three days, ending in Osaka",
        detail="",
        language="en",
        parts=parts,
        missing=missing,
        brief=brief,
        costs=costs,
        drafts=drafts,
    )


@settings(max_examples=40, deadline=None)
@given(st.text(max_size=50), texts, texts)
def test_parts_stay_in_their_own_results(
    intro: str, done: list[tuple[str, str]], missing: list[tuple[str, str]]
) -> None:
    """The answer has an introduction and a closing that names each failure, never a part's text."""
    answer = assembly.composed(request(tuple(done), tuple(missing)), intro, draft=True)
    assert answer.text
    assert answer.closing is not None
    assert REPORT_HEADING in answer.closing
    for title, _ in missing:
        assert f"- **{title}**" in answer.closing
    assert ("## Not done" in answer.closing) == bool(missing)
    assert answer.draft


def test_a_document_has_all_parts_however_long() -> None:
    """Nothing is cut, and a part's headings go below its own."""
    long = "x" * 50_000
    document = assembly.document("Hello.", (("Long", long), *PARTS))
    assert document.startswith(f"Hello.\n\n## Long\n\n{long}\n\n## Kyoto\n\n- **Day 1:**")
    assert "## Osaka\n\n### Castle" in document


def test_costs_are_added_up_before_the_report() -> None:
    """An unmet budget is in the table and in the report."""
    costs = (
        ("Kyoto", (Cost(what="Hotel", amount=500),)),
        ("Osaka", (Cost(what="Bus", amount=200),)),
    )
    closing = assembly.composed(request(costs=costs), "Hello.", draft=False).closing
    assert closing is not None
    table, report = closing.split(REPORT_HEADING)
    assert "**700 EUR**" in table
    assert "The total is 100 EUR above the budget." in table
    assert "❌ budget 600 euro" in report
    assert "✅ ending in Osaka" in report


def test_below_the_root_nothing_is_added() -> None:
    """A part that was split itself gets no report and no costs of its own."""
    answer = assembly.composed(request(brief=Brief()), "Hello.", draft=False)
    assert (answer.text, answer.closing) == ("Hello.", "")


def test_without_an_introduction_the_parts_are_listed() -> None:
    """A text is never empty, and the line ends as its language ends a sentence."""
    assert assembly.composed(request(), "", draft=False).text == "Kyoto · Osaka."
    hindi = replace(request(), language="hi")
    assert assembly.composed(hindi, "", draft=False).text == "Kyoto · Osaka।"
    assert assembly.composed(request(parts=()), "", draft=False).text


@settings(max_examples=20, deadline=None)
@given(perfect(st.integers(3, 6)))
def test_a_draft_that_keeps_more_replaces_the_parts(plan: Perfect) -> None:
    """The swarm is never worse than one call by its own checks, and says which text this is."""
    worse = (("A", plan.lines[0]), ("B", plan.lines[-1]))
    costs = tuple((f"- {cost.what}: {cost.amount} EUR") for cost in plan.costs)
    draft = plan.text + "\n\n## Costs\n\n" + "\n".join([*costs, "- Total: 1 EUR"])
    asked = request(worse, brief=plan.brief, drafts=("Nothing.", draft))
    answer = assembly.composed(asked, "Hello.", draft=False)
    assert answer.closing is None
    assert answer.text.startswith(plan.text)
    assert "One whole draft replaces the parts here" in answer.text
    again = request(
        (("A", plan.text),),
        brief=plan.brief,
        drafts=("Nothing.", plan.text),
        costs=(("A", plan.costs),),
    )
    assert assembly.composed(again, "", draft=False).closing is not None


def test_a_plan_done_as_one_task_gets_the_report() -> None:
    """One whole answer is held to the same demands, and a goal without demands to none."""
    text = "Day 3: the castle of Osaka."
    answer = assembly.whole(BRIEF, text, language="", draft=True)
    assert answer.closing is None
    assert answer.text.startswith(f"{text}\n\n{REPORT_HEADING}\n\n- ❔ budget 600 euro")
    assert assembly.whole(Brief(), text, language="", draft=True).text == text


@pytest.mark.parametrize(
    "text",
    [
        "I'm sorry, but I can't assist with that request.",
        "Day 1: Gion. Day 2: rest.",
        "Day 1: from Gion to the river at 9:40. Day 2: rest. Day 3: the castle of Osaka, and then",
        "Day 1: from Gion to the river at 9:45. Day 2: rest. Day 3: the castle of Osaka.",
    ],
)
def test_a_rewriting_that_loses_something_is_refused(text: str) -> None:
    """A refusal, a lost part, a cut end and a changed number are no plan."""
    assert assembly.rewritten(request(), text, draft=False) is None


def test_a_rewriting_that_keeps_everything_gets_the_report() -> None:
    """A model may write transitions; what code knows follows."""
    text = "Day 1: from Gion to the river at 9:40. Day 2: rest. Day 3: the castle of Osaka."
    answer = assembly.rewritten(request(missing=(("Budget", "nobody left"),)), text, draft=False)
    assert answer is not None
    assert answer.closing is None
    assert answer.text.startswith(f"{text}\n\n## Not done\n\n- **Budget**: nobody left")
    assert REPORT_HEADING in answer.text


def test_a_model_cannot_hide_what_failed() -> None:
    """What code adds stays, even after a text that is too long."""
    asked = request(parts=(), missing=(("Budget", "no executor was left"),))
    answer = assembly.rewritten(asked, "All is well. " * 10_000 + "Good.", draft=False)
    assert answer is not None
    assert "- **Budget**: no executor was left" in answer.text
    assert len(answer.text) <= MAX_RESULT_TEXT
