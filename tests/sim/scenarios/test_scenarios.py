"""Every scenario keeps every promise: a seed of each here, thousands in the slow tests."""

from __future__ import annotations

import pytest

from swarm.sim.run import LEAST_PEERS, play
from swarm.sim.scenarios import faults
from swarm.sim.scenarios.byzantine import ATTACKS, REVIEW_ATTACKS
from swarm.sim.scenarios.scenarios import ANY, SCENARIOS, Scenario
from swarm.sim.sweep import report_of
from swarm.sim.world.models import Sloppy

SLOW = ("everything",)
"""Scenarios whose single run takes seconds."""

REVIEWED = (faults.rules(reviews=2), faults.models(lambda role, rng: Sloppy(rng, 0.5)))
"""Conditions under which there is something to review and to revise."""

MANY = 90
"""Seeds of each scenario in the slow tests, more than three thousand in all."""

FEW = 12
"""Seeds of those whose single run takes seconds."""


def judge(scenario: str, seed: int, peers: int = 10) -> None:
    """Play a run; fail with what broke and the command that plays it again."""
    played = play(scenario, seed, peers)
    assert not played.violations, "\n".join(report_of(played))


@pytest.mark.parametrize("scenario", [name for name in SCENARIOS if name not in SLOW])
def test_a_scenario_keeps_all_promises(scenario: str) -> None:
    """In one seed of every scenario, all promises hold throughout and at the end."""
    judge(scenario, 1)


@pytest.mark.parametrize("peers", [LEAST_PEERS, 7, 16])
def test_a_swarm_of_any_size_plans(peers: int) -> None:
    """The smallest swarm has one peer of each role."""
    judge("calm", 2, peers)


@pytest.mark.parametrize("attack", sorted({*ATTACKS, *REVIEW_ATTACKS} - {"flood"}))
def test_every_attack_is_made(attack: str) -> None:
    """Each attack is on the timeline of a world whose adversaries use no other.

    The flood has a scenario of its own.
    """
    story = Scenario(
        f"only-{attack}",
        "one attack",
        (
            faults.adversaries(attack),
            faults.rules(max_depth=1),
            *(REVIEWED if attack in REVIEW_ATTACKS else ()),
        ),
        ANY,
    )
    # A seed that gives an opportunity for each.
    played = play(story, 7)
    assert not played.violations, "\n".join(report_of(played))
    assert [entry for entry in played.timeline if entry.kind == "attack"]


def test_too_few_peers_are_refused() -> None:
    """A world with fewer peers than roles is refused, and the message states how many it needs."""
    with pytest.raises(ValueError, match="at least 5"):
        play("calm", 1, LEAST_PEERS - 1)


@pytest.mark.slow
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("scenario", list(SCENARIOS))
def test_many_seeds_keep_all_promises(scenario: str) -> None:
    """The promises hold in thousands of worlds whose seeds nobody chose."""
    for seed in range(10_000, 10_000 + (FEW if scenario in SLOW else MANY)):
        judge(scenario, seed)
