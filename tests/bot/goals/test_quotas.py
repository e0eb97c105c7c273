"""Quotas: what is refused, and when the person may ask again."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from bot.goals.quotas import DAY_MS, CountedGoal, Quotas, refuse
from bot.texts import Text
from swarm.core.policy import MINUTE


def counted(asker: bytes, asked_ms: int, *, live: bool) -> CountedGoal:
    """Return a goal asked at a time that ends ten minutes later at the latest."""
    return CountedGoal(asker, asked_ms, asked_ms + 10 * MINUTE if live else None)


@given(
    st.lists(st.tuples(st.sampled_from([b"a", b"b"]), st.integers(0, 2 * DAY_MS), st.booleans())),
    st.integers(0, 3), st.integers(0, 3), st.integers(0, 3), st.integers(0, 60_000),
)  # fmt: skip
def test_a_person_who_waits_as_told_may_ask(
    asked: list[tuple[bytes, int, bool]], own: int, all_: int, daily: int, cooldown: int
) -> None:
    """At the time that a refusal names, that reason is gone, and the next one is later."""
    quotas = Quotas(cooldown, own, all_, daily)
    goals = sorted(
        (counted(who, ms, live=live) for who, ms, live in asked), key=lambda g: g.asked_ms
    )
    now = 2 * DAY_MS
    for _ in range(len(goals) + 4):
        refusal = refuse(quotas, goals, b"a", now)
        if refusal is None:
            break
        assert refusal.again_ms > now or refusal.text in (
            Text.TOO_MANY_YOURS,
            Text.TOO_MANY_HERE,
        )
        now = max(now, refusal.again_ms)
        goals = [
            goal if (goal.runs_until_ms or 0) > now else replace(goal, runs_until_ms=None)
            for goal in goals
        ]
    else:
        raise AssertionError("refused for ever")
