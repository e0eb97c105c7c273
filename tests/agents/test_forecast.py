"""Scorers of different taste meet in the first vote, and no dishonest one turns them."""

from __future__ import annotations

import random

import pytest

from swarm.agents.decomposer import Decomposer
from swarm.agents.scorer import Scorer
from swarm.core.policy import SECOND
from swarm.llm.errors import BadAnswer
from swarm.llm.work import Answer, Part, RateAnswer, RateRequest, Request, SplitAnswer
from swarm.sim.models import Ordinary
from swarm.sim.world import Model
from tests.agents.village import POLICY, Village

NAMES = ("red", "green", "blue")
BEST, FAIR = 0.9, 0.7
NEVER = 3_600_000


def splits(name: str) -> Model:
    """Return a model whose splits can be told by this name."""

    def model(request: Request) -> tuple[Answer, int]:
        parts = tuple(Part(title=f"{name} {number}", detail="what to do") for number in range(3))
        return SplitAnswer(parts=parts, rationale=""), 100

    return model


def likes(best: str, latency_ms: int = 500, *, others: float = FAIR) -> Model:
    """Return a model that finds the splits of one name best, and those of others so good."""

    def model(request: Request) -> tuple[Answer | Exception, int]:
        assert isinstance(request, RateRequest)
        rating = BEST if _name(request.parts[0].title) == best else others
        return RateAnswer(
            concrete=rating, distinct=rating, complete=rating, critique=""
        ), latency_ms

    return model


def village_of(*scorers: Model) -> Village:
    """Return a village with these scorers, where each of three splits has a name."""
    village = Village(decomposers=0, scorers=0)
    for name in NAMES:
        village.world.add(Decomposer(), splits(name))
    village.scorers = [village.world.add(Scorer(), model) for model in scorers]
    village.world.run(seconds=3)
    return village


def decided(village: Village, **policy: object) -> tuple[str, float, str]:
    """Return how a goal's root was split, after how many seconds, and the name of the split."""
    root = village.world.plan(village.asker, village.ask(POLICY.model_copy(update=policy))).root
    assert root.vote is not None
    assert root.decision is not None
    seconds = (root.decision.stamp.ms - root.vote.opened.ms) / SECOND
    return root.decision.how, seconds, _name(root.children[0].title)


def _name(title: str) -> str:
    return title.partition(" ")[0]


@pytest.mark.parametrize("scorers", [2, 3, 5, 7])
@pytest.mark.parametrize("latency_ms", [(1_000, 1_000), (50, 2_000)], ids=["equal", "unequal"])
def test_scorers_of_different_taste_meet(scorers: int, latency_ms: tuple[int, int]) -> None:
    """Whatever they like, they decide before an approval could move."""
    for seed in range(8):
        village = Village(
            seed=seed, scorers=scorers, model=Ordinary(random.Random(seed), latency_ms)
        )
        how, seconds, _ = decided(village, quorum=scorers // 2 + 1)
        assert how == "quorum"
        assert seconds < POLICY.revote_ms / SECOND


@pytest.mark.parametrize("lie", NAMES)
@pytest.mark.parametrize("liked", NAMES)
def test_a_quick_liar_turns_no_honest_scorer(liked: str, lie: str) -> None:
    """A liar is done first, for a split that the honest find fair: what they like best wins."""
    village = village_of(likes(liked), likes(liked, 5_000), likes(lie, 10, others=0.0))
    _, _, won = decided(village, max_refinements=0)
    assert won == liked


def test_a_scorer_that_never_rates_is_not_waited_for_longer_than_a_move() -> None:
    """Two that differ and one that is there and silent: the two meet all the same."""
    how, seconds, _ = decided(village_of(likes("red"), likes("blue"), likes("red", NEVER)))
    assert how == "quorum"
    assert seconds < POLICY.revote_ms / SECOND + 5


def test_who_may_not_vote_is_not_waited_for() -> None:
    """Two electors that differ decide at once, though another scorer is there and silent."""
    village = village_of(likes("red"), likes("blue"), likes("red", NEVER))
    electorate = [peer.author for peer in village.scorers[:2]]
    how, seconds, _ = decided(village, electorate=electorate)
    assert how == "quorum"
    assert seconds < POLICY.revote_ms / SECOND / 2


def test_a_scorer_that_gave_up_a_rating_counts_with_those_it_made() -> None:
    """It says that it gave up: the other joins it where it can stand."""
    sound = likes("red")

    def stubborn(request: Request) -> tuple[Answer | Exception, int]:
        assert isinstance(request, RateRequest)
        if _name(request.parts[0].title) == "blue":
            return BadAnswer("nothing usable"), 500
        return sound(request)

    how, seconds, won = decided(village_of(likes("blue"), stubborn))
    assert (how, won) == ("quorum", "red")
    assert seconds < POLICY.revote_ms / SECOND
