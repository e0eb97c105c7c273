"""Rating without a model: the faults that code finds decide, the same at every scorer."""

from __future__ import annotations

from dataclasses import replace

from swarm.brief.read import read_brief
from swarm.llm.client.code_rating import BY_CODE, rate_by_code
from tests.llm.conftest import PARTS, RATE


def test_a_split_without_faults_is_better_than_one_with() -> None:
    """And both say that no model has rated them."""
    good = rate_by_code(RATE)
    bad = rate_by_code(replace(RATE, parts=(PARTS[0], PARTS[0])))
    assert good.distinct == 0.75
    assert bad.distinct < good.distinct
    assert good.critique == BY_CODE
    assert "seem to be the same" in bad.critique
    assert BY_CODE in bad.critique


def test_not_splitting_is_neither_good_nor_bad() -> None:
    """Code has no opinion on it."""
    assert rate_by_code(replace(RATE, parts=(), atomic=True)).complete == 0.5


def test_a_split_that_leaves_demands_out_is_not_complete() -> None:
    """Saying nothing of what the parts keep costs less than leaving it out, and more than keeping.

    A peer that does not know briefs may keep the demands all the same.
    """
    brief = read_brief("Plan a school fair with three prizes, a team of eight, must have music")
    whole = tuple(range(len(brief.demands)))
    silent = replace(RATE, brief=brief)
    partly = replace(silent, parts=(replace(PARTS[0], keeps=whole[:1]), *PARTS[1:]))
    full = replace(silent, parts=(replace(PARTS[0], keeps=whole), *PARTS[1:]))
    ratings = [rate_by_code(request).complete for request in (full, silent)]
    assert ratings[0] > ratings[1]
    assert "No part is to keep" in rate_by_code(silent).critique
    assert rate_by_code(partly).complete < ratings[0]
