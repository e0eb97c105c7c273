"""The checks can fail: each promise that is broken on purpose is noticed."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from swarm.core.records import Ballot, Notice, Result, sign
from swarm.sim.invariants import Auditor
from swarm.sim.run import build, play
from swarm.sim.scenarios.scenarios import SCENARIOS, Scenario, policy_for
from swarm.sim.world.vote_watch import Change


def finished(scenario: str = "calm") -> Auditor:
    """Return the auditor of a world in which one goal has ended and all is at rest."""
    story = SCENARIOS[scenario]
    rng = random.Random(11)
    stage = build(story.prepare(rng, 8), rng)
    stage.world.run(seconds=3)
    policy = policy_for(stage.setup, sorted(peer.author for peer in stage.cast["scorer"]))
    policy = policy.model_copy(update={"max_depth": 1})
    stage.goals.append(stage.world.submit(stage.submitter, "a goal", policy))
    auditor = Auditor(stage, story)
    stage.world.run(seconds=600, until=auditor.at_rest)
    return auditor


def broken(auditor: Auditor) -> set[str]:
    """Return the rules that a verdict finds broken."""
    auditor.verdict()
    return {violation.rule for violation in auditor.violations}


def drop_result(auditor: Auditor) -> None:
    """Lose a result at one peer, as a store that forgot it would."""
    peer = auditor.honest()[2]
    goal = auditor.stage.goals[0]
    log = peer.store._logs[goal]
    rid = next(r.id for r in log.records.values() if isinstance(r.body, Result))
    log.digest.remove(rid)
    del log.records[rid], peer.store._goal_of[rid]


def keep_one_more(auditor: Auditor) -> None:
    """Give one peer a record that no other has."""
    peer = auditor.honest()[3]
    body = Notice(stamp=(peer.now(), 0), goal=auditor.stage.goals[0], code="n", text="only here")
    peer.store.add(sign(body, peer.key).raw, peer.wall())


def fold_wrongly(auditor: Auditor) -> None:
    """Let a plan differ from what its records fold to."""
    for peer in auditor.honest():
        plan = peer.store.plan(auditor.stage.goals[0])
        assert plan is not None
        plan.root.settled_as = "failed"
        plan.root.digest = None


def speak_as_a_listener(auditor: Auditor) -> None:
    """Let an observer send a frame."""
    listener = next(peer for peer in auditor.honest() if peer.role == "observer")
    listener.send(b"\x01")


def speak_too_fast(auditor: Auditor) -> None:
    """Let a peer send more frames than its budget."""
    for _ in range(40):
        auditor.stage.submitter.send(b"\x01")


def change_after_work(auditor: Auditor) -> None:
    """Let a peer see a split change after work on it had begun."""
    auditor.world.tallies.changes.append(
        Change("x", b"", "quorum", False, "quorum", delay_ms=10, revote_ms=5_000, acted=True)
    )


def work_of_an_adversary(auditor: Auditor) -> None:
    """Let the results that count be those of an adversary."""
    for peer in auditor.stage.cast["executor"]:
        peer.honest = False


def votes_of_adversaries(auditor: Auditor) -> None:
    """Let only adversaries have approved the split that won."""
    for peer in auditor.stage.cast["scorer"]:
        peer.honest = False


@pytest.mark.parametrize(
    ("rule", "break_it"),
    [
        ("nothing lost", drop_result),
        ("one record set", drop_result),
        ("one record set", keep_one_more),
        ("same fold", fold_wrongly),
        ("silence", speak_as_a_listener),
        ("pace", speak_too_fast),
        ("steady", change_after_work),
        ("honest work", work_of_an_adversary),
        ("honest votes", votes_of_adversaries),
    ],
)
def test_a_broken_promise_is_noticed(rule: str, break_it: Callable[[Auditor], None]) -> None:
    """An intact world breaks no rule; after the change it breaks this one."""
    auditor = finished()
    assert broken(auditor) == set()
    break_it(auditor)
    assert rule in broken(auditor)


def test_a_goal_that_ends_in_a_forbidden_state_is_noticed() -> None:
    """A scenario that allows only `done` is broken by a goal that fails."""
    story = SCENARIOS["no-executors"]
    strict = Scenario("no-executors", story.about, story.conditions)
    rules = {violation.rule for violation in play(strict, 1).violations}
    assert rules == {"ends well"}


def test_the_world_of_these_tests_has_votes() -> None:
    """The world that these tests break has scorers' ballots to judge."""
    auditor = finished()
    store = auditor.honest()[0].store
    ballots = [r for r in store.records(auditor.stage.goals[0]) if isinstance(r.body, Ballot)]
    assert ballots
