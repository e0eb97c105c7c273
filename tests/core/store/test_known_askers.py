"""Known askers: whose goals come before those of newcomers."""

from __future__ import annotations

from dataclasses import replace

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from swarm.core.clock import Stamp
from swarm.core.policy import Policy
from swarm.core.records import Claim, Goal, KnownBody, Presence, Record, Result, sign
from swarm.core.store.known_askers import ACTIVE_MS
from swarm.core.store.limits import Limits
from swarm.core.store.store import Store

NOW = 1_700_000_000_000
ASKER, WORKER = (Ed25519PrivateKey.generate() for _ in range(2))
AUTHOR = ASKER.public_key().public_bytes_raw()
TASK = Policy(max_depth=0)


class Swarm:
    """A store, and the records of an asker and a worker."""

    def __init__(self, limits: Limits | None = None, owner: bytes | None = None) -> None:
        self.store = Store("s", limits=limits, owner=owner)
        self.ms = NOW

    def say(self, body: KnownBody, key: Ed25519PrivateKey) -> Record:
        """Add a record that is stamped now; time passes."""
        self.ms += 100
        record = sign(body.model_copy(update={"stamp": Stamp(self.ms)}), key)
        self.store.add_record(record, self.ms)
        self.store.advance(self.ms)
        return record

    def ask(self) -> bytes:
        return self.say(Goal(stamp=Stamp(0), swarm="s", text="x", policy=TASK), ASKER).id

    def do(self, goal: bytes, key: Ed25519PrivateKey) -> None:
        """Claim a goal that is a single task, and do it."""
        claim = self.say(Claim(stamp=Stamp(0), goal=goal, node=goal, attempt=1), key)
        done = Result(
            stamp=Stamp(0), goal=goal, node=goal, claim=claim.id, outcome="done", text="x"
        )
        self.say(done, key)
        plan = self.store.plan(goal)
        assert plan is not None
        assert plan.state == "done"

    def known(self) -> bool:
        return self.store.is_known_asker(AUTHOR)


def test_an_author_is_known_once_others_have_done_a_goal_of_its() -> None:
    """It is a newcomer before, and while more of its goals live than were done."""
    swarm = Swarm()
    goals = [swarm.ask()]
    assert not swarm.known()
    swarm.do(goals[0], WORKER)
    assert swarm.known()
    goals += [swarm.ask(), swarm.ask()]
    assert not swarm.known()
    swarm.do(goals[1], WORKER)
    assert swarm.known()


def test_goals_that_an_author_did_itself_make_it_no_less_a_newcomer() -> None:
    """A stranger cannot become known with one key and no work by others."""
    swarm = Swarm()
    swarm.do(swarm.ask(), ASKER)
    assert not swarm.known()


def test_a_goal_that_is_forgotten_counts_no_more() -> None:
    """What is remembered is bounded by the goals that are kept."""
    swarm = Swarm(replace(Limits(), ended_goals=1))
    goals = [swarm.ask(), swarm.ask()]
    for goal in goals:
        swarm.do(goal, WORKER)
    assert swarm.store._askers.done(AUTHOR) == 1


def test_known_askers_are_active_for_a_minute_after_their_goals_change() -> None:
    """A newcomer's goals do not count."""
    swarm = Swarm()
    goal = swarm.ask()
    assert not swarm.store.known_are_active(swarm.ms)
    swarm.do(goal, WORKER)
    swarm.ask()
    assert swarm.store.known_are_active(swarm.ms + ACTIVE_MS - 200)
    assert not swarm.store.known_are_active(swarm.ms + ACTIVE_MS)


def test_a_peer_known_longest_is_known_and_in_an_owned_swarm_nobody_is() -> None:
    """Presence counts in an open swarm; grants do instead in an owned one."""
    swarm = Swarm()
    swarm.say(Presence(stamp=Stamp(0), swarm="s", role="executor", name="x"), ASKER)
    assert swarm.known()
    owned = Swarm(owner=AUTHOR)
    owned.do(owned.ask(), ASKER)
    assert not owned.known()
