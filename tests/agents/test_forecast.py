"""Scorers of different taste agree in the first vote, and no dishonest one sways them."""

from __future__ import annotations

import random

import pytest

from swarm.agents.decomposer import Decomposer
from swarm.agents.scorer import GATHER_SHARE, Scorer
from swarm.brief.part import Part
from swarm.brief.skeleton import without_label
from swarm.core.clock import EPOCH
from swarm.core.policy import SECOND
from swarm.core.records import Ballot, Proposal, Replan
from swarm.llm.errors import BadAnswer
from swarm.llm.requests import (
    Answer,
    RateAnswer,
    RateRequest,
    Request,
    SplitAnswer,
    SplitRequest,
)
from swarm.sim.world.models import Ordinary
from swarm.sim.world.world import Model, tidy_model
from tests.agents.village import POLICY, Village, by_kind

NAMES = ("red", "green", "blue")
BEST, FAIR = 0.9, 0.7
NEVER = 3_600_000


def splits(name: str, latency_ms: int = 100) -> Model:
    """Return a model whose splits can be told by this name; polished ones by another."""

    def model(request: Request) -> tuple[Answer, int]:
        assert isinstance(request, SplitRequest)
        said = f"better-{name}" if request.polish else name
        parts = tuple(Part(title=f"{said} {number}", detail="what to do") for number in range(3))
        return SplitAnswer(parts=parts, rationale=""), latency_ms

    return model


def likes(best: str, latency_ms: int = 500, *, others: float = FAIR) -> Model:
    """Return a model that rates the splits of one name best, and all others as given."""

    def model(request: Request) -> tuple[Answer | Exception, int]:
        assert isinstance(request, RateRequest)
        rating = BEST if _name(request.parts[0].title) == best else others
        return RateAnswer(
            concrete=rating, distinct=rating, complete=rating, critique=""
        ), latency_ms

    return model


def cannot_rate(name: str, best: str) -> Model:
    """Return a model that never answers well about the splits of one name."""
    sound = likes(best)

    def model(request: Request) -> tuple[Answer | Exception, int]:
        assert isinstance(request, RateRequest)
        if _name(request.parts[0].title) == name:
            return BadAnswer("nothing usable"), 500
        return sound(request)

    return model


def village_of(
    *scorers: Model, splits_ms: tuple[int, int, int] = (100, 100, 100), tasks_ms: int = 100
) -> Village:
    """Return a village with these scorers, where each of three splits has a name."""
    village = Village(decomposers=0, scorers=0, model=lambda request: tidy_model(request, tasks_ms))
    for name, split_ms in zip(NAMES, splits_ms, strict=True):
        village.world.add(Decomposer(), splits(name, split_ms))
    village.scorers = [village.world.add(Scorer(), model) for model in scorers]
    village.world.run(seconds=3)
    return village


def decided(village: Village, **policy: object) -> tuple[str, float, str]:
    """Return how a goal's root was split, after how many seconds, and the name of the split."""
    return outcome(village, village.ask(POLICY.model_copy(update=policy)))


def outcome(village: Village, goal: bytes) -> tuple[str, float, str]:
    """Return the same of a goal that was asked already."""
    root = village.world.plan(village.asker, goal).root
    assert root.vote is not None
    assert root.decision is not None
    seconds = (root.decision.stamp.ms - root.vote.opened.ms) / SECOND
    return root.decision.how, seconds, _name(root.children[0].title)


def ask(village: Village, **policy: object) -> bytes:
    """Submit a goal and go on at once."""
    update = POLICY.model_copy(update=policy)
    return village.world.submit(village.asker, "two weeks in Japan", update)


def wait_for_split(village: Village, goal: bytes, rounds: int = 0) -> None:
    """Run until the root is split, after so many splits that were set aside."""

    def is_split() -> bool:
        root = village.world.plan(village.asker, goal).root
        return len(root.rounds) == rounds and root.decision is not None

    village.world.run(until=is_split, seconds=3600)


def _name(title: str) -> str:
    return without_label(title).partition(" ")[0]


@pytest.mark.parametrize("scorers", [2, 3, 5, 7])
@pytest.mark.parametrize("latency_ms", [(1_000, 1_000), (50, 2_000)], ids=["equal", "unequal"])
def test_scorers_of_different_taste_meet(scorers: int, latency_ms: tuple[int, int]) -> None:
    """Whatever they prefer, they decide before an approval could move."""
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
    """A dishonest scorer rates first, for a split the honest find fair: their favourite wins."""
    village = village_of(likes(liked), likes(liked, 5_000), likes(lie, 10, others=0.0))
    _, _, won = decided(village)
    assert won == liked


@pytest.mark.parametrize("disk", [True, False])
@pytest.mark.parametrize("at", [2.2, 3.0, 5.0])
def test_a_scorer_that_restarts_yields_to_no_quick_liar(at: float, disk: bool) -> None:
    """It waits until it has met the others, though it knows only the dishonest ratings."""
    village = village_of(likes("red"), likes("red", 3_000), likes("blue", 10, others=0.0))
    village.world.at(at, lambda: village.scorers[0].restart(disk=disk))
    assert decided(village)[2] == "red"


def test_a_scorer_whose_asker_did_not_know_it_is_waited_for_once_it_rates() -> None:
    """It came after the goal was asked, and is still rating when the others are done."""
    quick = likes("blue", 10, others=0.0)
    village = village_of(likes("red", 2_000), quick, splits_ms=(3_000, 3_000, 3_000))
    goal = ask(village)
    village.world.run(seconds=1)
    village.world.add(Scorer(), likes("red", 3_000))
    wait_for_split(village, goal)
    assert outcome(village, goal)[2] == "red"


def test_a_late_proposal_leaves_time_to_wait_for_who_is_still_rating() -> None:
    """The last split arrives when the wait for proposals is nearly over."""
    gathered_seconds = POLICY.patience_ms / SECOND / GATHER_SHARE
    village = village_of(
        likes("red", 2_000),
        likes("red", 6_000),
        likes("green", 10, others=0.0),
        splits_ms=(100, 100, int(gathered_seconds - 5) * SECOND),
    )
    assert decided(village)[2] == "red"


def test_the_second_round_of_a_replanned_node_waits_anew() -> None:
    """A contested first vote is not a reason to yield at once in the next."""
    village = village_of(
        likes("red"), likes("red", 5_000), likes("blue", 10, others=0.0), tasks_ms=60_000
    )
    goal = ask(village)
    wait_for_split(village, goal)
    village.world.run(seconds=POLICY.revote_ms / SECOND + 2)
    root = village.world.plan(village.asker, goal).root.id
    again = Replan(stamp=EPOCH, goal=goal, node=root, reason="otherwise")
    village.world.publish(village.asker, again)
    wait_for_split(village, goal, rounds=1)
    assert outcome(village, goal)[2] == "red"


def test_nothing_is_polished_while_scorers_wait_for_each_other() -> None:
    """A split that some scorer finds good is not polished: that would add work for slow scorers."""
    village = village_of(likes("red"), likes("blue"), likes("red", 5_000))
    how, _, won = decided(village)
    assert (how, won) == ("quorum", "red")
    proposals = [body for peer in village.world.peers for body in by_kind(peer, Proposal)]
    assert len(proposals) == len(NAMES)


def test_people_tip_what_scorers_are_not_agreed_on() -> None:
    """Scorers approve their favourites while one of them wins; people's votes add to the other."""
    village = village_of(*[likes("red")] * 3, *[likes("blue")] * 2)
    goal = ask(village, quorum=3, vote_window_ms=[30 * SECOND])
    village.world.run(seconds=10)
    root = village.world.plan(village.asker, goal).root
    assert root.vote is not None
    blue = next(t for t in root.vote.valid() if _name(t.body.parts[0].title) == "blue")
    for number in range(2):
        vote = Ballot(
            stamp=EPOCH,
            goal=goal,
            node=root.id,
            proposal=blue.record.id,
            verdict="approve",
            person=bytes([number]) * 32,
        )
        village.world.publish(village.asker, vote)
    wait_for_split(village, goal)
    assert outcome(village, goal)[::2] == ("window", "blue")


@pytest.mark.parametrize("quorum", [2, 3])
def test_a_leader_whose_mean_is_too_low_is_not_joined(quorum: int) -> None:
    """Two like it best and one not at all, so it cannot win: they agree on one that can."""

    def rates(red: float, blue: float) -> Model:
        ratings = {"red": red, "blue": blue, "green": 0.1}

        def model(request: Request) -> tuple[Answer | Exception, int]:
            assert isinstance(request, RateRequest)
            one = ratings[_name(request.parts[0].title)]
            return RateAnswer(concrete=one, distinct=one, complete=one, critique=""), 500

        return model

    village = village_of(rates(0.9, 0.7), rates(0.8, 0.7), rates(0.0, 0.7))
    how, seconds, won = decided(village, min_score=0.6, quorum=quorum)
    assert (how, won) == ("quorum", "blue")
    assert seconds < POLICY.revote_ms / SECOND


def test_a_scorer_that_never_rates_is_not_waited_for_longer_than_a_move() -> None:
    """Two that differ still agree although a third is present and silent."""
    how, seconds, _ = decided(village_of(likes("red"), likes("blue"), likes("red", NEVER)))
    assert how == "quorum"
    assert seconds < POLICY.revote_ms / SECOND + 5


def test_with_little_patience_scorers_yield_before_the_fallback() -> None:
    """The wait for a silent scorer leaves time to vote."""
    patience_ms = POLICY.revote_ms
    village = village_of(likes("red"), likes("blue"), likes("red", NEVER))
    how, seconds, _ = decided(village, patience_ms=patience_ms)
    assert how == "quorum"
    assert seconds < patience_ms / SECOND


def test_peers_that_may_not_vote_are_not_waited_for() -> None:
    """Two electors that differ decide at once, though another scorer is there and silent."""
    village = village_of(likes("red"), likes("blue"), likes("red", NEVER))
    electorate = [peer.author for peer in village.scorers[:2]]
    how, seconds, _ = decided(village, electorate=electorate)
    assert how == "quorum"
    assert seconds < POLICY.revote_ms / SECOND / 2


def test_a_scorer_that_gave_up_a_rating_is_joined_where_it_can_stand() -> None:
    """It cannot approve a split that it could not rate."""
    how, seconds, won = decided(village_of(likes("blue"), cannot_rate("blue", best="red")))
    assert (how, won) == ("quorum", "red")
    assert seconds < POLICY.revote_ms / SECOND


def test_scorers_that_gave_up_different_ratings_do_not_wait_for_each_other() -> None:
    """Each has said that it gave up: nobody is still rating."""
    village = village_of(cannot_rate("red", best="blue"), cannot_rate("green", best="blue"))
    how, seconds, won = decided(village)
    assert (how, won) == ("quorum", "blue")
    assert seconds < POLICY.revote_ms / SECOND
