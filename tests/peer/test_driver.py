"""The driver performs decisions, whatever its brain and its store do."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import trio
import trio.testing
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from swarm.agents.base import Agent, Decision, Job, Observer, View
from swarm.agents.executor import MOST_LOSSES, Executor
from swarm.core.clock import EPOCH
from swarm.core.policy import Policy
from swarm.core.records import (
    Goal,
    KnownBody,
    MalformedRecord,
    Notice,
    Presence,
    Record,
    Result,
    sign,
)
from swarm.core.store.limits import Limits
from swarm.core.store.store import Store
from swarm.llm.errors import LLMError, ModelMissing, ServerError, ServerUnreachable
from swarm.llm.requests import Answer, Request, TextAnswer
from swarm.peer.driver import Driver

pytestmark = pytest.mark.trio
BEGAN_MS = 1_700_000_000_000


class Moody:
    """A brain that raises what a test tells it to, if anything."""

    model = "moody"

    def __init__(self) -> None:
        self.on_check: BaseException | None = None
        self.on_call: BaseException | None = None
        self.calls = 0
        self.checks = 0

    async def check(self) -> None:
        self.checks += 1
        await trio.lowlevel.checkpoint()
        if self.on_check is not None:
            raise self.on_check

    async def perform(
        self, request: Request, *, on_text: Callable[[str], None] | None = None
    ) -> Answer:
        self.calls += 1
        await trio.sleep(1)
        if self.on_call is not None:
            raise self.on_call
        return TextAnswer(text="done", draft=False)


class Alone:
    """A driver with a store and no other peers; it signs its records as a peer does."""

    def __init__(self, agent: Agent, brain: Moody, limits: Limits | None = None) -> None:
        self.store = Store("s", limits=limits)
        self.key = Ed25519PrivateKey.generate()
        self.said: list[Record] = []
        self.troubles: list[tuple[float, str]] = []
        self.driver = Driver(
            agent,
            brain,
            self.store,
            self.key.public_key().public_bytes_raw(),
            wall=self.wall,
            publish=self.publish,
            changed=lambda goal: None,
            on_trouble=self.on_trouble,
        )

    def wall(self) -> int:
        return BEGAN_MS + int(trio.current_time() * 1000)

    def publish(self, body: KnownBody) -> Record:
        stamped = body.model_copy(update={"stamp": self.store.clock.tick(self.wall())})
        record = sign(stamped, self.key)
        self.said.append(record)
        self.store.add_record(record, self.wall())
        self.driver.wake()
        return record

    def on_trouble(self) -> None:
        trouble = self.driver.trouble
        self.troubles.append((trio.current_time(), trouble))
        sign(Presence(stamp=EPOCH, swarm="s", role="executor", trouble=trouble), self.key)

    def ask(self) -> bytes:
        """Submit a goal of one task, as another author."""
        body = Goal(stamp=EPOCH, swarm="s", text="a talk on bees", policy=Policy(max_depth=0))
        stamped = body.model_copy(update={"stamp": self.store.clock.tick(self.wall())})
        record = sign(stamped, Ed25519PrivateKey.generate())
        self.store.add_record(record, self.wall())
        self.driver.wake()
        return record.id

    def results(self) -> list[str]:
        return [record.body.outcome for record in self.said if isinstance(record.body, Result)]


ODD = (
    RecursionError("deep"),
    ValueError("\ud800"),
    ModelMissing("no model \ud800 \x1b[2J"),
    OSError(5, "odd"),
    TypeError("None"),
    LLMError(""),
    trio.BrokenResourceError(),
)


@pytest.mark.parametrize("error", ODD, ids=lambda error: type(error).__name__)
async def test_whatever_a_brain_raises_is_trouble_and_passes(
    error: Exception, autojump_clock: trio.testing.MockClock
) -> None:
    """No error in checking or calling a model ends the peer; it is reported, and work goes on."""
    brain = Moody()
    brain.on_check = brain.on_call = error
    alone = Alone(Executor(), brain)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(alone.driver.run)
        await trio.sleep(20)
        assert alone.driver.trouble or not str(error)
        brain.on_check = None
        await trio.sleep(20)
        assert not alone.driver.trouble
        alone.ask()
        await trio.sleep(20)
        assert brain.calls
        brain.on_call = None
        await trio.sleep(300)
        assert "done" in alone.results()
        nursery.cancel_scope.cancel()


@pytest.mark.parametrize("away_seconds", [5, 12, 30])
@pytest.mark.parametrize(
    "error",
    [ServerUnreachable("nobody answers"), ServerError("starting", status=503, away=True)],
    ids=["nobody", "a proxy"],
)
async def test_a_server_that_is_away_for_a_while_costs_no_attempt(
    error: LLMError, away_seconds: int, autojump_clock: trio.testing.MockClock
) -> None:
    """Trouble is reported at once, the return within seconds; the first attempt does the task."""
    brain = Moody()
    alone = Alone(Executor(), brain)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(alone.driver.run)
        await trio.sleep(3)
        brain.on_check = brain.on_call = error
        goal = alone.ask()
        asked = trio.current_time()
        await trio.sleep(away_seconds)
        assert alone.troubles
        assert alone.troubles[0][0] <= asked + 1.5
        brain.on_check = brain.on_call = None
        back = trio.current_time()
        await trio.sleep(40)
        assert alone.troubles[-1][1] == ""
        assert alone.troubles[-1][0] <= back + 15
        assert alone.results() == ["done"]
        plan = alone.store.plan(goal)
        assert plan is not None
        assert len(plan.root.outcome.attempts) == 1
        nursery.cancel_scope.cancel()


class Recovering(Executor):
    """An executor that counts how often it is told that its model is back."""

    def __init__(self) -> None:
        super().__init__()
        self.recoveries = 0

    def recovered(self) -> None:
        self.recoveries += 1
        super().recovered()


@pytest.mark.parametrize("down_seconds", [0, 10])
async def test_a_server_that_dies_of_a_task_is_asked_a_few_times_only(
    down_seconds: int, autojump_clock: trio.testing.MockClock
) -> None:
    """It answers every check, at once or soon: the task fails, and each outage is reported once."""
    brain = Moody()
    agent = Recovering()
    alone = Alone(agent, brain)
    brain.on_call = ServerUnreachable("the connection broke")

    async def die_again() -> None:
        calls = 0
        while True:
            await trio.sleep(0.1)
            if brain.calls > calls:
                calls = brain.calls
                await trio.sleep(0.8)
                brain.on_check = ServerUnreachable("nobody answers")
                await trio.sleep(down_seconds)
                brain.on_check = None

    async with trio.open_nursery() as nursery:
        nursery.start_soon(alone.driver.run)
        if down_seconds:
            nursery.start_soon(die_again)
        goal = alone.ask()
        await trio.sleep(900)
        nursery.cancel_scope.cancel()
    plan = alone.store.plan(goal)
    assert plan is not None
    assert plan.state == "failed"
    assert 1 <= brain.calls <= MOST_LOSSES * plan.policy.max_attempts
    assert len(alone.troubles) <= 4 * brain.calls  # In up to three words each, and none.
    assert agent.recoveries <= (brain.calls if down_seconds else 0)


async def test_a_missing_model_is_checked_less_and_less_often(
    autojump_clock: trio.testing.MockClock,
) -> None:
    """In an hour there are some hundreds of checks, not thousands."""
    brain = Moody()
    brain.on_check = ModelMissing("none")
    alone = Alone(Executor(), brain)
    with trio.move_on_after(3_600):
        await alone.driver.run()
    assert 200 <= brain.checks <= 260


class Speaker(Observer):
    """Publishes one notice, and hears whether it was kept."""

    role = "executor"

    def __init__(self, goal: Callable[[], bytes]) -> None:
        self._goal = goal
        self._spoke = False
        self.unkept_bodies: list[KnownBody] = []
        self.breaks = False

    def decide(self, view: View) -> Decision:
        if self._spoke or not view.store.plans():
            return Decision()
        self._spoke = True
        body = Notice(stamp=EPOCH, goal=self._goal(), code="x", text="x")
        return Decision(publish=[body])

    def unkept(self, body: KnownBody, view: View) -> Decision:
        self.unkept_bodies.append(body)
        if self.breaks:
            raise RuntimeError("a bug")
        return Decision()

    def failed(
        self, job: Job, message: str, view: View, *, retryable: bool, away: bool = False
    ) -> Decision:
        raise RuntimeError("a bug")


@pytest.mark.parametrize("why", ["full", "too long", "odd", "a bug", "kept"])
async def test_an_agent_is_told_what_is_not_kept(
    why: str, autojump_clock: trio.testing.MockClock
) -> None:
    """This includes records that are too long or cannot be signed, and no record that is kept."""
    goals: list[bytes] = []
    speaker = Speaker(lambda: goals[0])
    speaker.breaks = why == "a bug"
    room = Limits(records_per_author=0) if why in ("full", "a bug") else Limits()
    alone = Alone(speaker, Moody(), room)
    errors: dict[str, Exception] = {"too long": MalformedRecord("long"), "odd": KeyError("odd")}
    if why in errors:

        def refuse(body: KnownBody) -> Record:
            raise errors[why]

        alone.driver._publish = refuse
    async with trio.open_nursery() as nursery:
        nursery.start_soon(alone.driver.run)
        goals.append(alone.ask())
        await trio.sleep(60)
        nursery.cancel_scope.cancel()
    assert len(speaker.unkept_bodies) == (why != "kept")
