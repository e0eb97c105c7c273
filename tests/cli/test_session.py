"""Sessions of a command in a swarm: they wait for the right data, and long enough."""

from __future__ import annotations

import pytest
import trio
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from trio.testing import MockClock

from swarm.cli.session import (
    COLLECT_PAUSE_SECONDS,
    COLLECT_SECONDS,
    FIND_SECONDS,
    NOBODY_SECONDS,
    Collected,
    collect,
    find_swarm,
    view_of,
)
from swarm.console.errors import CommandError
from swarm.core.clock import Stamp
from swarm.core.policy import Policy
from swarm.core.records import Goal, Presence, sign
from swarm.core.views.waiting import WRONG_CLOCK
from swarm.gossip.reconcile import Total
from swarm.gossip.scope import ALL, LIVE, Scope
from swarm.net.network import Network
from swarm.net.sync import Session
from swarm.peer.peer import Peer
from swarm.peer.settings import PeerSettings


def observer() -> Peer:
    """Return a peer that is not connected to anything."""
    return Peer(PeerSettings(role="observer"))


@pytest.mark.trio
async def test_a_swarm_that_does_not_answer_is_reported_with_what_to_do(
    autojump_clock: MockClock,
) -> None:
    """After the time limit the message says what to try, and the exit code is 3."""
    with pytest.raises(CommandError, match="swarm up") as caught:
        await find_swarm(observer())
    assert caught.value.exit_code == 3
    assert trio.current_time() == pytest.approx(FIND_SECONDS, abs=0.1)


class Answers:
    """A network whose neighbours answer each round of questions as a test says."""

    def __init__(self, *rounds: list[Session], seconds: float = 0.0) -> None:
        self._rounds = list(rounds)
        self._seconds = seconds
        self.asked: list[Scope] = []

    async def collect(self, scope: Scope) -> list[Session]:
        self.asked.append(scope)
        await trio.sleep(self._seconds)
        if scope == LIVE:
            return []
        return self._rounds.pop(0) if len(self._rounds) > 1 else self._rounds[0]


class Asking(Peer):
    """A peer with such a network."""

    answers: Answers

    @property
    def network(self) -> Network:
        return self.answers  # type: ignore[return-value]  # collect is all that is asked of it


async def collected(answers: Answers, scope: Scope = ALL) -> tuple[Collected, float]:
    """Return what collecting gives, and how many seconds it takes."""
    peer = Asking(PeerSettings(role="observer"))
    peer.answers = answers
    start = trio.current_time()
    found = await collect(peer, scope)
    return found, trio.current_time() - start


LEVEL = Session(5, whole=True, total=Total(3, 70, level=True))
FRESH = Session(0, whole=True, total=Total(0, 0, level=False))
BROKEN = Session(5, whole=False, total=Total(2_000, 46_000, level=True))


@pytest.mark.trio
async def test_collecting_ends_when_a_neighbour_has_given_everything(
    autojump_clock: MockClock,
) -> None:
    """One complete session with a neighbour that is level with the swarm is enough."""
    found, took = await collected(Answers([LEVEL]))
    assert found == Collected(complete=True, goals=3)
    assert took == pytest.approx(0, abs=0.1)
    assert found.note(3) == ""


@pytest.mark.trio
async def test_grants_and_live_goals_come_first(autojump_clock: MockClock) -> None:
    """The requested goal comes right after them, before all history."""
    answers = Answers([LEVEL])
    await collected(answers, Scope.of_prefix("3f2a"))
    assert answers.asked == [LIVE, Scope.of_prefix("3f2a")]


@pytest.mark.trio
async def test_a_neighbour_that_has_just_started_is_not_believed(
    autojump_clock: MockClock,
) -> None:
    """It may hold almost nothing, so the question is repeated until a level neighbour answers."""
    found, took = await collected(Answers([FRESH], [FRESH], [FRESH, LEVEL]))
    assert found.complete
    assert took == pytest.approx(2 * COLLECT_PAUSE_SECONDS, abs=0.1)


@pytest.mark.trio
async def test_where_nobody_answers_the_wait_is_short_and_noted(
    autojump_clock: MockClock,
) -> None:
    """Neighbours that only listen do not answer; records overheard do not count as complete."""
    found, took = await collected(Answers([]))
    assert not found.complete
    assert took == pytest.approx(NOBODY_SECONDS, abs=1)
    assert "no peer of the swarm answered" in found.note(0)


@pytest.mark.trio
async def test_late_records_are_reported_with_numbers(
    autojump_clock: MockClock,
) -> None:
    """After sessions that break off again and again, a note states how much is missing."""
    found, took = await collected(Answers([BROKEN]))
    assert not found.complete
    assert took == pytest.approx(COLLECT_SECONDS, abs=1)
    assert "1,240 of 2,000 goals" in found.note(1_240)


@pytest.mark.trio
async def test_collecting_ends_however_slow_the_answers_are(autojump_clock: MockClock) -> None:
    """In a busy swarm the wait is bounded."""
    found, took = await collected(Answers([BROKEN], seconds=25))
    assert not found.complete
    assert took == pytest.approx(COLLECT_SECONDS, abs=1)


def say(peer: Peer, body: Presence | Goal, key: Ed25519PrivateKey) -> None:
    peer.store.add(sign(body, key).raw, peer.now())


def test_a_plan_says_who_is_missing_only_when_that_can_be_known() -> None:
    """Nothing is said before others could be heard; then absence and a wrong clock are named."""
    peer, key = observer(), Ed25519PrivateKey.generate()
    now = peer.now()
    goal = Goal(stamp=Stamp(now), swarm="leaderless", text="a goal", policy=Policy(quorum=1))
    say(peer, goal, key)

    def because() -> str:
        (plan,) = peer.store.plans()
        return view_of(peer, plan).tree.waits_because

    assert not peer.knows_who_is_here()
    assert because() == ""
    here = Presence(stamp=Stamp(now), swarm="leaderless", role="scorer")
    say(peer, here, Ed25519PrivateKey.generate())
    assert peer.knows_who_is_here()
    assert because() == "no decomposer is here"
    late = Presence(stamp=Stamp(now - 3_600_000), swarm="leaderless", role="decomposer", name="ann")
    say(peer, late, Ed25519PrivateKey.generate())
    assert because() == f"ann cannot work: {WRONG_CLOCK}"
