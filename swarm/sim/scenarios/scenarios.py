"""The named scenarios: what goes wrong in each, and how its goals may end.

A new scenario is one entry here, made of `ingredients`. `swarm sim --list` shows them.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

from swarm.core.fold.node import State
from swarm.core.policy import MINUTE, SECOND, Policy
from swarm.sim.scenarios import faults, model_outages, sybil
from swarm.sim.scenarios.stage import Ingredient, Setup
from swarm.sim.world.models import Agreed, Critical, Junk, Ordinary, Troubled

FINE: frozenset[State] = frozenset(("done",))
SHORT: frozenset[State] = frozenset(("done", "partial"))
ANY: frozenset[State] = frozenset(("done", "partial", "failed"))
STOPPED: frozenset[State] = frozenset(("done", "partial", "failed", "cancelled"))


@dataclass(frozen=True, slots=True)
class Scenario:
    """A named story.

    Attributes:
        name: how it is called.
        about: what happens, in a line.
        ingredients: what it is made of.
        ends: states in which its goals may end.
        steady: whether no split may change once work on it has begun: all records arrive well
            within the revote time.
        dated: whether stamps tell when records were made. Then a split on which work has begun may
            change only through a record that took longer than the revote time.
        voted: whether every split has to win by votes, and none by its fallback.
        twin: whether liars change nothing but timing: the same world in which they are silent ends
            with the same splits and results. That is well defined where models are of one mind.
    """

    name: str
    about: str
    ingredients: tuple[Ingredient, ...] = ()
    ends: frozenset[State] = FINE
    steady: bool = False
    dated: bool = True
    voted: bool = False
    twin: bool = False

    def prepare(self, rng: random.Random, peers: int) -> Setup:
        """Return the setup of a world.

        Args:
            rng: of every choice.
            peers: in all, the submitter and one listener included; at least 5.
        """
        setup = Setup(rng, spread(peers - 2))
        for ingredient in self.ingredients:
            ingredient(setup)
        return setup


def spread(peers: int) -> dict[str, int]:
    """Return how many of some peers plan in each role: 3 to 3 to 2."""
    decomposers = max(1, round(peers * 3 / 8))
    scorers = max(1, min(decomposers, peers - decomposers - 1))
    executors = max(1, peers - decomposers - scorers)
    return {"decomposer": decomposers, "scorer": scorers, "executor": executors}


def policy_for(setup: Setup, electorate: list[bytes], majority: int = 1) -> Policy:
    """Draw the policy of one goal.

    Args:
        setup: of the world.
        electorate: keys of its scorers.
        majority: the quorum where the setup leaves it to the asker.
    """
    rng = setup.rng
    liars = 1 if "scorer" in setup.liars else 0
    # Where anyone may vote, liars of all roles do: then they are no minority of the voters.
    closed = bool(electorate) and (bool(setup.liars) or rng.random() < 0.5)
    drawn: dict[str, Any] = {
        "electorate": electorate if closed else [],
        # More than half of all voters and liars: two splits cannot both get it by double votes.
        "quorum": (len(electorate) + liars) // 2 + 1,
        "vote_window_ms": [rng.choice([0, 0, 3 * SECOND, 8 * SECOND])],
        "revote_ms": rng.choice([5, 10, 20]) * SECOND,
        "patience_ms": rng.choice([40, 60, 90]) * SECOND,
        "max_depth": rng.choice([0, 1, 1, 2, 2, 3]),
        "max_nodes": rng.choice([8, 20, 60]),
        "lease_ms": rng.choice([15, 30]) * SECOND,
        "deadline_ms": 15 * MINUTE,
    }
    if setup.majority:
        drawn |= {"electorate": [], "quorum": majority}
    return Policy.model_validate(drawn | setup.policy)


_BAD_LINKS = faults.links(
    delay_ms=(20, 400), loss=0.1, duplicate=0.05, straggle=0.05, straggle_ms=3_000
)

_ALL = (
    Scenario("calm", "nothing goes wrong", steady=True),
    Scenario("lossy", "every link loses a fifth of all frames", (faults.links(loss=0.2),)),
    Scenario("bad-links", "frames are lost, late, repeated and out of order", (_BAD_LINKS,)),
    Scenario(
        "partition", "the network is cut in two for a while", (faults.partition(2_000, 60_000),)
    ),
    Scenario(
        "long-partition",
        "the network is cut in two for minutes",
        (faults.partition(60_000, 400_000),),
        SHORT,
    ),
    Scenario("crash", "peers of every role are killed for good", (faults.crashes(3),), steady=True),
    Scenario("restart", "peers are killed and come back with their disks", (faults.restarts(3),)),
    Scenario(
        "restart-no-disk",
        "peers are killed and come back with their key and nothing else",
        (faults.restarts(3, disk=False),),
    ),
    Scenario(
        "whole-restart",
        "the whole swarm is killed and comes back with its disks",
        (faults.everyone_restarts(disks=True),),
    ),
    Scenario(
        "one-disk-left",
        "the whole swarm is killed; one disk is left",
        (faults.everyone_restarts(disks=False),),
    ),
    Scenario("freeze", "peers stop and go on", (faults.freezes(3),)),
    Scenario("skew", "clocks are off by up to two seconds", (faults.skew(2_000),)),
    Scenario(
        "wild-clocks",
        "clocks are off by up to two minutes",
        (faults.skew(120_000),),
        ANY,
        dated=False,
    ),
    Scenario("jumping-clocks", "clocks jump by seconds", (faults.jumps(4_000),)),
    Scenario(
        "slow-models",
        "every model call takes up to three leases",
        (faults.models(lambda role, rng: Ordinary(rng, (1_000, 45_000))),),
        steady=True,
    ),
    Scenario(
        "failing-models",
        "a third of all model calls fail in some way",
        (faults.models(lambda role, rng: Troubled(rng, 0.33)),),
        ANY,
        steady=True,
    ),
    Scenario(
        "junk-models",
        "models answer junk",
        (faults.models(lambda role, rng: Junk(rng)),),
        ANY,
        steady=True,
    ),
    Scenario(
        "critical-models",
        "first drafts are criticised and polished",
        (faults.models(lambda role, rng: Critical(rng)),),
        steady=True,
    ),
    Scenario(
        "model-outage", "models go away and come back", (faults.outages(3),), SHORT, steady=True
    ),
    Scenario(
        "server-away",
        "all models are on one server that is started anew",
        (model_outages.server_away,),
    ),
    Scenario("poison", "some executors' model servers die of some tasks", (model_outages.poison,)),
    Scenario("people", "people vote along and change their minds", (faults.voters,), steady=True),
    Scenario(
        "cancel", "the submitter cancels in the middle", (faults.cancels,), STOPPED, steady=True
    ),
    Scenario("many-goals", "five goals at once", (faults.goals(5),), steady=True),
    Scenario("late-listener", "listeners come when all is over", (faults.late_listeners,)),
    Scenario(
        "no-quorum",
        "the quorum is more than there are scorers",
        (faults.rules(electorate=[], quorum=200),),
        steady=True,
    ),
    Scenario("no-scorers", "there is no scorer", (faults.without("scorer"),), steady=True),
    Scenario(
        "no-decomposers", "there is no decomposer", (faults.without("decomposer"),), steady=True
    ),
    Scenario(
        "no-executors", "there is no executor", (faults.without("executor"),), ANY, steady=True
    ),
    Scenario(
        "decomposers-only",
        "there are only decomposers",
        (faults.only("decomposer"),),
        ANY,
        steady=True,
    ),
    Scenario("executors-only", "there are only executors", (faults.only("executor"),), steady=True),
    Scenario("scorers-away", "all scorers are gone for a while", (faults.role_away("scorer"),)),
    Scenario(
        "executors-away", "all executors are gone for a while", (faults.role_away("executor"),)
    ),
    Scenario(
        "submitter-leaves", "who asked is gone for good", (faults.submitter_leaves,), steady=True
    ),
    Scenario(
        "last-words",
        "a goal is heard by a listener alone before its author ends",
        (faults.last_words,),
    ),
    Scenario(
        "churn",
        "peers come, go and come back",
        (faults.arrivals(3), faults.crashes(2), faults.restarts(2, disk=None)),
    ),
    Scenario(
        "liars",
        "a minority in every role lies in every way",
        (faults.liars(), faults.rules(max_attempts=4)),
        dated=False,
    ),
    Scenario(
        "lying-scorer",
        "one scorer votes twice, moves, backdates and withholds votes",
        (
            faults.liars(
                "double_vote",
                "moving_vote",
                "backdated_vote",
                "future_vote",
                "withheld_vote",
                roles=("scorer",),
            ),
        ),
        dated=False,
    ),
    Scenario(
        "lying-executor",
        "one executor claims everything and does nothing",
        (
            faults.liars(
                "empty_claim",
                "backdated_claim",
                "endless_lease",
                "instant_failure",
                roles=("executor",),
            ),
        ),
        dated=False,
    ),
    Scenario(
        "lying-decomposer",
        "one decomposer asks for what nobody can do, in splits that look good",
        (faults.liars("impossible_split", roles=("decomposer",)),),
        dated=False,
    ),
    Scenario(
        "strangers",
        "an owned swarm; those whom the owner granted nothing lie in every way",
        (faults.owned, faults.liars()),
        steady=True,
    ),
    Scenario(
        "revocation",
        "an owned swarm; a scorer loses its role in the middle",
        (faults.owned, faults.revocation, faults.restarts(1, disk=None)),
    ),
    Scenario(
        "twins",
        "liars of every kind; the same world without their lies ends alike",
        (
            faults.liars(),
            faults.models(lambda role, rng: Agreed()),
            faults.rules(max_depth=1),
            faults.first_goal(sybil.ALL_MET_MS),
        ),
        dated=False,
        twin=True,
    ),
    Scenario("crowd", "crowds of fresh keys speak about one goal", (sybil.crowds(),)),
    Scenario(
        "ghosts",
        "scorers and executors that do not exist show presence before a goal is asked",
        (sybil.ghosts, faults.rules(max_depth=2)),
        voted=True,
    ),
    Scenario(
        "foreign-goals",
        "an owned swarm; strangers ask for plans",
        (sybil.strangers_ask(),),
        steady=True,
    ),
    Scenario(
        "replan",
        "who asked wants another split of nodes in work, and of finished ones",
        (sybil.replans(),),
        steady=True,
    ),
    Scenario(
        "replan-partition",
        "another split is wanted while the network is cut",
        (sybil.replans(), faults.partition(2_000, 60_000)),
    ),
    Scenario(
        "replan-restarts",
        "another split is wanted while peers of all roles restart; strangers want one too",
        (
            sybil.replans(),
            faults.restarts(2, disk=None),
            faults.liars("foreign_replan", roles=("decomposer", "executor")),
        ),
        dated=False,
    ),
    Scenario(
        "slow-news",
        "executors come and begin at once on what is theirs; news takes up to a second",
        (faults.links(delay_ms=(100, 300)), faults.arrivals(3), faults.goals(2)),
    ),
    Scenario(
        "flood",
        "one peer floods",
        (faults.liars("flood", "mangled", roles=("decomposer",)),),
        dated=False,
    ),
    Scenario(
        "everything",
        "all of it at once",
        (
            _BAD_LINKS,
            faults.mixed_models,
            faults.goals(2),
            faults.skew(2_000),
            faults.partition(2_000, 60_000),
            faults.freezes(2),
            faults.restarts(2, disk=None),
            faults.arrivals(2),
            faults.crashes(1),
            faults.outages(1),
            faults.voters,
            faults.late_listeners,
            faults.liars(),
        ),
        ANY,
        dated=False,
    ),
)

SCENARIOS: dict[str, Scenario] = {scenario.name: scenario for scenario in _ALL}
"""Every scenario by its name."""
