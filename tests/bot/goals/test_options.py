"""Options: what people choose becomes a valid, signed policy."""

from __future__ import annotations

import json
from dataclasses import asdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.goals.options import REVIEWS, Care, Effort, Options, options_from
from swarm.core.policy import MINUTE, Policy
from tests.bot.conftest import Stage


@pytest.mark.asyncio
async def test_options_become_the_signed_policy(stage: Stage) -> None:
    """Depth, care and deadline are in the goal's record, and every peer enforces them."""
    for _ in range(3):
        stage.peer.appear("scorer")
    await stage.asha.slash(
        stage.channel, "plan", goal="x", depth=2, care="careful", deadline=30, language="en",
        parts=12, effort="light",
    )  # fmt: skip
    (plan,) = stage.peer.store.plans()
    assert plan.policy.max_depth == 2
    assert plan.policy.deadline_ms == 30 * MINUTE
    assert plan.policy.vote_window_ms == [3 * MINUTE, MINUTE]
    assert plan.policy.min_score == 0.5
    assert plan.policy.max_nodes == 13
    limits = plan.policy
    assert (limits.max_proposals, limits.max_refinements, limits.max_attempts) == (1, 0, 1)


@given(
    st.sampled_from(Care),
    st.sampled_from([None, 1, 2, 3]),
    st.integers(0, 300),
    st.lists(st.binary(min_size=32, max_size=32), unique=True, max_size=9),
    st.integers(1, 200_000),
)
def test_whatever_is_chosen_makes_a_valid_policy(
    care: Care, depth: int | None, scorers: int, electorate: list[bytes], patience: int
) -> None:
    """No choice contradicts the configured rules."""
    quorum = len(electorate) // 2 + 1
    names = [f"tool-{number}" for number in range(scorers % 9)]
    base = Policy(electorate=electorate, quorum=quorum, patience_ms=patience, capabilities=names)
    policy = Options(care=care, depth=depth, capability="web").policy(base, min(scorers, 250))
    assert "web" in policy.capabilities
    assert policy.quorum >= base.quorum
    assert max(policy.vote_window_ms) <= policy.patience_ms


@given(
    st.sampled_from(Care), st.sampled_from(Effort), st.sampled_from([None, 6, 60]),
    st.sampled_from([None, 1, 3]), st.sampled_from(["", "hi"]),
)  # fmt: skip
def test_options_are_stored_completely(
    care: Care, effort: Effort, parts: int | None, depth: int | None, language: str
) -> None:
    """The options chosen before a goal waits are the ones signed afterwards."""
    options = Options(
        care=care,
        effort=effort,
        parts=parts,
        depth=depth,
        reviews=depth and depth - 1,
        language=language,
        capability=language and "web",
    )
    assert options_from(json.dumps(asdict(options), default=lambda one: one.value)) == options
    assert options_from("{}") == Options()


@given(st.sampled_from([None, *REVIEWS]), st.sampled_from([None, 1]))
def test_reviews_are_as_chosen_or_as_configured(chosen: int | None, configured: int | None) -> None:
    """Without a choice the configuration decides; 0 switches reviews off."""
    base = Policy(reviews=configured)
    policy = Options(reviews=chosen).policy(base, 3)
    assert (policy.reviews or 0) == (chosen if chosen is not None else configured or 0)
