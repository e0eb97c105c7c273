"""The named scenarios: what goes wrong in each, and how its goals may end.

A new scenario is one entry here, made of conditions (see `faults` and the modules beside it).
`swarm sim --list` shows all of them.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

from swarm.core.fold.node import State
from swarm.core.policy import MINUTE, SECOND, Policy
from swarm.sim.scenarios import faults, model_outages, sybil
from swarm.sim.scenarios.stage import Condition, Setup
from swarm.sim.world.models import Agreed, Critical, Junk, Ordinary, Sloppy, Troubled

FINE: frozenset[State] = frozenset(("done",))
SHORT: frozenset[State] = frozenset(("done", "partial"))
ANY: frozenset[State] = frozenset(("done", "partial", "failed"))
STOPPED: frozenset[State] = frozenset(("done", "partial", "failed", "cancelled"))


@dataclass(frozen=True, slots=True)
class Scenario:
    """A named scenario.

    Attributes:
        name: its name on the command line.
        about: what happens, in one line.
        conditions: what makes its worlds differ from an undisturbed swarm.
        ends: states in which its goals may end.
        steady: whether no split may change once work on it has begun, because all records arrive
            well within the revote time.
        dated: whether stamps tell when records were made. If so, a split on which work has begun
            may change only through a record that took longer than the revote time.
        voted: whether every split has to win by votes, and none by the fallback.
        twin: whether adversaries may change nothing but timing: the same world in which they do
            not attack has to end with the same splits and results. This needs models that all
            give the same answers.
    """

    name: str
    about: str
    conditions: tuple[Condition, ...] = ()
    ends: frozenset[State] = FINE
    steady: bool = False
    dated: bool = True
    voted: bool = False
    twin: bool = False

    def prepare(self, rng: random.Random, peers: int) -> Setup:
        """Return the setup of a world.

        Args:
            rng: makes every choice.
            peers: how many there are in all, including the submitter and one listener; at least 5.
        """
        setup = Setup(rng, spread(peers - 2))
        for condition in self.conditions:
            condition(setup)
        return setup


def spread(peers: int) -> dict[str, int]:
    """Return how many peers of each role there are: 3 to 3 to 2."""
    decomposers = max(1, round(peers * 3 / 8))
    scorers = max(1, min(decomposers, peers - decomposers - 1))
    executors = max(1, peers - decomposers - scorers)
    return {"decomposer": decomposers, "scorer": scorers, "executor": executors}


def policy_for(setup: Setup, electorate: list[bytes], majority: int = 1) -> Policy:
    """Draw the policy of one goal.

    Args:
        setup: of the world.
        electorate: keys of its scorers.
        majority: the quorum where the setup leaves it to the submitter.
    """
    rng = setup.rng
    adversaries = 1 if "scorer" in setup.adversaries else 0
    # Where anyone may vote, adversaries of all roles do, and are not a minority of the voters.
    closed = bool(electorate) and (bool(setup.adversaries) or rng.random() < 0.5)
    drawn: dict[str, Any] = {
        "electorate": electorate if closed else [],
        # More than half of all voters and adversaries: double votes cannot give it to two splits.
        "quorum": (len(electorate) + adversaries) // 2 + 1,
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
    Scenario(
        "crash", "peers of any role are killed and stay dead", (faults.crashes(3),), steady=True
    ),
    Scenario("restart", "peers are killed and come back with their disks", (faults.restarts(3),)),
    Scenario(
        "restart-no-disk",
        "peers are killed and come back with their keys but without their disks",
        (faults.restarts(3, disk=False),),
    ),
    Scenario(
        "whole-restart",
        "the whole swarm is killed and comes back with its disks",
        (faults.everyone_restarts(disks=True),),
    ),
    Scenario(
        "one-disk-left",
        "the whole swarm is killed and comes back with one disk",
        (faults.everyone_restarts(disks=False),),
    ),
    Scenario("freeze", "peers stop for a while, as with SIGSTOP", (faults.freezes(3),)),
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
        "all models are on one server, which is restarted",
        (model_outages.server_away,),
    ),
    Scenario("poison", "some tasks crash some executors' model servers", (model_outages.poison,)),
    Scenario("people", "people vote too and change their minds", (faults.voters,), steady=True),
    Scenario(
        "cancel", "the submitter cancels in the middle", (faults.cancels,), STOPPED, steady=True
    ),
    Scenario("many-goals", "five goals at once", (faults.goals(5),), steady=True),
    Scenario(
        "late-listener", "listeners join after everything has ended", (faults.late_listeners,)
    ),
    Scenario(
        "no-quorum",
        "the quorum is larger than the number of scorers",
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
    Scenario("scorers-away", "all scorers are down for a while", (faults.role_away("scorer"),)),
    Scenario(
        "executors-away", "all executors are down for a while", (faults.role_away("executor"),)
    ),
    Scenario(
        "submitter-leaves",
        "the submitter is killed and stays dead",
        (faults.submitter_leaves,),
        steady=True,
    ),
    Scenario(
        "last-words",
        "only a listener hears a goal before its author is killed",
        (faults.last_words,),
    ),
    Scenario(
        "churn",
        "peers join, are killed and restart",
        (faults.arrivals(3), faults.crashes(2), faults.restarts(2, disk=None)),
    ),
    Scenario(
        "byzantine",
        "a minority of every role attacks in every way",
        (faults.adversaries(), faults.rules(max_attempts=4)),
        dated=False,
    ),
    Scenario(
        "byzantine-scorer",
        "one scorer votes twice, and moves, backdates and withholds its votes",
        (
            faults.adversaries(
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
        "byzantine-executor",
        "one executor claims everything and does nothing",
        (
            faults.adversaries(
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
        "byzantine-decomposer",
        "one decomposer makes good-looking splits that nobody can carry out",
        (faults.adversaries("impossible_split", roles=("decomposer",)),),
        dated=False,
    ),
    Scenario(
        "strangers",
        "an owned swarm; peers without a grant attack in every way",
        (faults.owned, faults.adversaries()),
        steady=True,
    ),
    Scenario(
        "revocation",
        "an owned swarm; a scorer loses its role in the middle",
        (faults.owned, faults.revocation, faults.restarts(1, disk=None)),
    ),
    Scenario(
        "twins",
        "adversaries of every role; the same world without their attacks has the same results",
        (
            faults.adversaries(),
            faults.models(lambda role, rng: Agreed()),
            faults.rules(max_depth=1),
            faults.first_goal(sybil.ALL_MET_MS),
        ),
        dated=False,
        twin=True,
    ),
    Scenario("sybil-crowd", "crowds of fresh keys publish about one goal", (sybil.crowds(),)),
    Scenario(
        "sybil-scorers",
        "scorers and executors that do not exist show presence before a goal is submitted",
        (sybil.fake_scorers, faults.rules(max_depth=2)),
        voted=True,
    ),
    Scenario(
        "foreign-goals",
        "an owned swarm; strangers submit goals",
        (sybil.strangers_ask(),),
        steady=True,
    ),
    Scenario(
        "replan",
        "the submitter asks for other splits of nodes that are in work or finished",
        (sybil.replans(),),
        steady=True,
    ),
    Scenario(
        "replan-partition",
        "the submitter asks for other splits while the network is cut",
        (sybil.replans(), faults.partition(2_000, 60_000)),
    ),
    Scenario(
        "replan-restarts",
        "the submitter and strangers ask for other splits while peers of all roles restart",
        (
            sybil.replans(),
            faults.restarts(2, disk=None),
            faults.adversaries("foreign_replan", roles=("decomposer", "executor")),
        ),
        dated=False,
    ),
    Scenario(
        "reviews",
        "results are reviewed, and sent back up to twice",
        (faults.rules(reviews=2), faults.models(lambda role, rng: Sloppy(rng, 0.5))),
        steady=True,
    ),
    Scenario(
        "always-wrong",
        "reviewers find every version wrong",
        (faults.rules(reviews=2), faults.models(lambda role, rng: Sloppy(rng, 0.0))),
        steady=True,
    ),
    Scenario(
        "reviews-bad-links",
        "results are reviewed while frames are lost and peers of all roles restart",
        (
            _BAD_LINKS,
            faults.rules(reviews=1),
            faults.models(lambda role, rng: Sloppy(rng, 0.5)),
            faults.restarts(2, disk=None),
        ),
    ),
    Scenario(
        "reviewers-away",
        "results are reviewed, and all scorers are down for a while",
        (faults.rules(reviews=1), faults.role_away("scorer")),
    ),
    Scenario(
        "byzantine-reviewer",
        "a scorer finds every result wrong, and an executor keeps what was sent back",
        (
            faults.adversaries("false_review", "kept_revision", roles=("scorer", "executor")),
            faults.rules(reviews=2),
            faults.models(lambda role, rng: Sloppy(rng, 0.5)),
        ),
        dated=False,
    ),
    Scenario(
        "slow-news",
        "new executors begin at once on their tasks; records take up to a second to spread",
        (faults.links(delay_ms=(100, 300)), faults.arrivals(3), faults.goals(2)),
    ),
    Scenario(
        "flood",
        "one peer floods the swarm with records",
        (faults.adversaries("flood", "mangled", roles=("decomposer",)),),
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
            faults.adversaries(),
        ),
        ANY,
        dated=False,
    ),
)

SCENARIOS: dict[str, Scenario] = {scenario.name: scenario for scenario in _ALL}
"""Every scenario by its name."""
