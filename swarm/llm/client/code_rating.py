"""The rating of a split by checks in code, for a scorer whose model cannot rate.

A scorer without a rating would be waited for until the patience of the vote ends. By code it has
one at once, the same at every such scorer, so that a vote among them ends, too.
"""

from __future__ import annotations

from swarm.llm.client import split_checks
from swarm.llm.requests import RateAnswer, RateRequest

MODEL_SHARE = 0.5
"""Share of a rating that is the model's probability of "yes"; the rest comes from checks in code. A
split without faults that code can find never rates below one half, and the model ranks such splits:
its probabilities rank splits of one goal, but mean nothing across goals (measured)."""

NO_OPINION = 0.5
"""What stands for the probability of "yes" where no model says one."""

BY_CODE = "Rated by checks in code alone: the scorer's model gave no rating."
"""The critique that says so to people and to decomposers."""


def rate_by_code(request: RateRequest) -> RateAnswer:
    """Return what is left of the best rating after the faults that code finds."""
    if request.atomic:
        return RateAnswer(
            concrete=NO_OPINION, distinct=NO_OPINION, complete=NO_OPINION, critique=BY_CODE
        )
    found = split_checks.findings(goal=request.goal, title=request.title, parts=request.parts)
    concrete, distinct, complete = (
        round(blended(NO_OPINION, split_checks.soundness(found, aspect)), 3)
        for aspect in split_checks.ASPECTS
    )
    faults = dict.fromkeys([*(finding.text for finding in found), BY_CODE])
    return RateAnswer(
        concrete=concrete, distinct=distinct, complete=complete, critique=" ".join(faults)[:600]
    )


def blended(yes: float, soundness: float) -> float:
    """Return a rating from a probability of "yes" and what the checks leave, each in [0, 1]."""
    return MODEL_SHARE * yes + (1 - MODEL_SHARE) * soundness
