"""The rating of a split by checks in code, for a scorer whose model cannot rate.

A scorer without a rating would be waited for until the patience of the vote ends. By code it has
one at once, the same at every such scorer, so that a vote among them ends, too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from swarm.brief.checks import check_plan, share_kept
from swarm.brief.gate import refuse_brief, refuse_split, refuse_text
from swarm.brief.skeleton import left_out
from swarm.llm.client import split_checks
from swarm.llm.client.part_prompts import example_lines
from swarm.llm.lenses import EXAMPLES
from swarm.llm.requests import RateAnswer, RateRequest
from swarm.llm.viewpoints import Question

MODEL_SHARE = 0.5
"""Share of a rating that is the model's probability of "yes"; the rest comes from checks in code. A
split without faults that code can find never rates below one half, and the model ranks such splits:
its probabilities rank splits of one goal, but mean nothing across goals (measured)."""

UNSAID = 0.5
"""Share of the deduction for demands without a part where no part says what it keeps: the split of
a peer that does not know briefs may keep them all the same."""

NO_OPINION = 0.5
"""What stands for the probability of "yes" where no model says one."""

BY_CODE = "Rated by checks in code alone: the scorer's model gave no rating."
"""The critique that says so to people and to decomposers."""


def rate_by_code(request: RateRequest) -> RateAnswer:
    """Return what is left of the best rating after the faults that code finds."""
    if why := refusal(request):
        return RateAnswer(concrete=0.0, distinct=0.0, complete=0.0, critique=why)
    if request.atomic:
        rated = rate_atomic(request, NO_OPINION)
        return replace(rated, critique=f"{rated.critique} {BY_CODE}".strip())
    found = faults_of(request)
    faults = dict.fromkeys([*(finding.text for finding in found), BY_CODE])
    return RateAnswer(critique=" ".join(faults)[:600], **ratings_of({}, found))


def refusal(request: RateRequest) -> str:
    """Return why a proposal is not acceptable whatever a model thinks of it; empty: it is."""
    if request.proposed is not None and (
        why := refuse_brief(request.goal, request.brief, request.proposed)
    ):
        return why
    if request.draft:
        return refuse_text(request.brief, request.goal, request.draft, examples=example_lines())
    return refuse_split(request.brief, request.goal, request.parts, examples=EXAMPLES)


def rate_atomic(request: RateRequest, yes: float) -> RateAnswer:
    """Return the rating of the advice not to split.

    A whole plan that the proposal brings along is worth what it keeps of the brief; where the goal
    is more than one task, a sound split is rated higher.

    Args:
        request: What is rated.
        yes: The probability, in [0, 1], that the goal is small enough for one task.
    """
    if not request.draft:
        only = round(yes, 3)
        said = "" if only >= NO_OPINION else "This seems too much for one task."
        return RateAnswer(concrete=only, distinct=only, complete=only, critique=said)
    checks = check_plan(request.brief, request.draft)
    worth = round(share_kept(checks) * yes, 3)
    faults = [check.text for check in checks if check.standing == "not met"]
    return RateAnswer(
        concrete=worth, distinct=worth, complete=worth, critique=" ".join(faults)[:600]
    )


def faults_of(request: RateRequest) -> tuple[split_checks.Finding, ...]:
    """Return what code finds wrong with a split, worst first, demands left out included."""
    found = list(split_checks.findings(goal=request.goal, title=request.title, parts=request.parts))
    missing = left_out(request.brief, request.parts, whole=request.part)
    if missing:
        names = "; ".join(demand.text for demand in missing[:5])
        share = len(missing) / len(request.brief.demands)
        said = any(part.keeps for part in request.parts)
        weight = share if said else share * UNSAID
        text = f"No part is to keep: {names}."
        found.append(split_checks.Finding(aspect="complete", weight=weight, text=text))
    return tuple(sorted(found, key=lambda finding: -finding.weight))


def ratings_of(
    yes: Mapping[Question, float], found: Sequence[split_checks.Finding]
) -> dict[split_checks.Aspect, float]:
    """Return the ratings of a split, in [0, 1].

    Parts that were made for another goal do not cover this one, so what a model says of either
    counts for `complete`. No question is asked about overlaps.

    Args:
        yes: The model's probability of "yes" for each question that it answered.
        found: What code finds wrong with the split.
    """
    cover = [yes[question] for question in ("belongs", "complete") if question in yes]
    opinions: dict[split_checks.Aspect, float] = {
        "concrete": yes.get("concrete", NO_OPINION),
        "distinct": NO_OPINION,
        "complete": sum(cover) / len(cover) if cover else NO_OPINION,
    }
    return {
        aspect: round(blended(opinion, split_checks.soundness(found, aspect)), 3)
        for aspect, opinion in opinions.items()
    }


def blended(yes: float, soundness: float) -> float:
    """Return a rating from a probability of "yes" and what the checks leave, each in [0, 1]."""
    return MODEL_SHARE * yes + (1 - MODEL_SHARE) * soundness
