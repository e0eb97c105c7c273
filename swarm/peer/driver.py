"""The driver: performs what a sans-I/O agent decides.

It wakes the agent when records arrive, when its time has come or when a model call ends. It hands
what the agent wants published to `publish`, and makes the model calls. A bug in an agent or a brain
costs a decision or a call, never the peer. Everything here runs in one trio task group and ends
with it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import structlog
import trio

from swarm.agents.base import Agent, Decision, Job, JobKey, View
from swarm.agents.model_watch import AWAY_CHECK_MS, ModelWatch
from swarm.core.records import KnownBody, Record, RecordError
from swarm.core.store.store import Store
from swarm.llm.errors import LLMError
from swarm.llm.requests import Brain

log = structlog.get_logger(__name__)

IDLE_SECONDS = 30.0
"""The longest that the agent sleeps: by then it notices anything it overlooked."""

REST_SHARE = 2.0
"""After each look at all plans the agent rests this many times as long as the look took. Otherwise
a flood, which wakes it for every record, would take up all the time there is."""

LEAST_PAUSE_SECONDS = 0.01
"""The shortest sleep until a given time: an agent that names a time in the past must not spin."""


@dataclass(slots=True)
class _Running:
    """A model call under way."""

    scope: trio.CancelScope
    job: Job
    reported: bool = True
    written: int = 0


class Driver:
    """Drives one agent."""

    def __init__(
        self,
        agent: Agent,
        brain: Brain | None,
        store: Store,
        author: bytes,
        *,
        wall: Callable[[], int],
        publish: Callable[[KnownBody], Record],
        changed: Callable[[bytes], None],
        on_trouble: Callable[[], None],
        may_start: Callable[[], bool] = lambda: True,
    ) -> None:
        """Prepare; nothing runs yet.

        Args:
            agent: decides.
            brain: its model, if it has one.
            store: what it looks at.
            author: its key.
            wall: the wall clock, in ms since the epoch.
            publish: stamps, signs, keeps and sends a body.
            changed: called with each goal whose plan has changed through time alone.
            on_trouble: called when the model has gone or is back.
            may_start: returns whether the agent may start model calls, besides its model's state.
        """
        self._agent = agent
        self._brain = brain
        self._store = store
        self._author = author
        self._wall = wall
        self._publish = publish
        self._changed = changed
        self._on_trouble = on_trouble
        self._may_start = may_start
        self._model = ModelWatch(agent, self._model_changed)
        self._jobs: dict[JobKey, _Running] = {}
        self._wake = trio.Event()
        self._check_soon = trio.Event()
        self._nursery: trio.Nursery | None = None

    @property
    def trouble(self) -> str:
        """Why the agent cannot work now, human-readable; empty if it can."""
        return self._model.trouble

    @property
    def load(self) -> int:
        """The number of model calls running now."""
        return len(self._jobs)

    def wake(self) -> None:
        """Let the agent look again soon, because something happened."""
        self._wake.set()

    async def run(self) -> None:
        """Drive until cancelled."""
        async with trio.open_nursery() as nursery:
            self._nursery = nursery
            if self._brain is not None:
                nursery.start_soon(self._watch_brain, self._brain)
            while True:
                await self._look()

    def _now(self) -> int:
        return self._store.clock.now(self._wall())

    def _view(self) -> View:
        able = not self.trouble and self._may_start()
        return View(self._store, self._author, self._now(), able=able)

    async def _look(self) -> None:
        """Let time pass in the plans, let the agent decide, and wait until it may have to again."""
        self._wake = trio.Event()
        began = trio.current_time()
        for goal_id in self._store.advance(self._wall()):
            self._changed(goal_id)
        decision = Decision()
        try:
            decision = self._agent.decide(self._view())
        except Exception:
            # A bug in one decision must not end the peer, which goes on receiving and relaying.
            log.exception("decision_failed", role=self._agent.role)
        self._perform(decision)
        pause = self._pause(decision)
        # However many records arrive, deciding leaves time to receive them.
        await trio.sleep(REST_SHARE * (trio.current_time() - began))
        with trio.move_on_after(pause):
            await self._wake.wait()

    def _pause(self, decision: Decision) -> float:
        """Return how long to wait for something to happen, in seconds."""
        due = [decision.wake_ms] if decision.wake_ms is not None else []
        if (at := self._store.next_change_ms()) is not None:
            due.append(at)
        if not due:
            return IDLE_SECONDS
        return min(IDLE_SECONDS, max(LEAST_PAUSE_SECONDS, (min(due) - self._now()) / 1000))

    def _perform(self, decision: Decision) -> None:
        for key in decision.stop:
            running = self._jobs.get(key)
            if running is not None:
                running.reported = False
                running.scope.cancel()
        for body in decision.publish:
            if not self._say(body):
                try:
                    self._perform(self._agent.unkept(body, self._view()))
                except Exception:
                    # As of any decision: a bug in it must not end the peer.
                    log.exception("decision_failed", role=self._agent.role)
        for job in decision.start:
            assert self._nursery is not None
            self._nursery.start_soon(self._call, job)

    def _say(self, body: KnownBody) -> bool:
        """Publish a body; return whether this peer itself could keep it."""
        try:
            record = self._publish(body)
        except RecordError as error:
            log.warning("record_too_long", kind=body.kind, reason=str(error))
            return False
        except Exception:
            # The body holds what a model wrote, and no text may end the peer.
            log.exception("record_broke", kind=body.kind)
            return False
        if record.id in self._store:
            return True
        log.warning(
            "record_not_kept",
            kind=body.kind,
            meaning="this peer's room in the goal is full: no peer keeps what it publishes there",
        )
        return False

    async def _call(self, job: Job) -> None:
        assert self._brain is not None
        running = _Running(trio.CancelScope(), job)
        self._jobs[job.key] = running
        log.info("call_started", job=job.key[0], node=job.node.hex()[:8])
        started = trio.current_time()
        decision: Decision | None = None
        with running.scope:
            try:
                answer = await self._brain.perform(
                    job.request, on_text=lambda text: self._wrote(running, text)
                )
                decision = self._agent.finished(job, answer, self._view())
            except LLMError as error:
                log.warning("call_failed", job=job.key[0], reason=str(error))
                decision = self._failed(job, error)
            except Exception as error:
                # A bug in a brain must surface as a failed call, not end the peer.
                log.exception("call_broke", job=job.key[0])
                decision = self._failed(job, error)
        if self._jobs.get(job.key) is running:
            del self._jobs[job.key]
        log.info("call_ended", job=job.key[0], seconds=round(trio.current_time() - started, 2))
        if decision is not None and running.reported:
            self._perform(decision)
        self._wake.set()

    def _failed(self, job: Job, error: Exception) -> Decision:
        away = isinstance(error, LLMError) and error.away
        if away and self._model.call_failed(str(error)):
            self._check_soon.set()
        try:
            return self._agent.failed(
                job,
                str(error) if isinstance(error, LLMError) else _internal(error),
                self._view(),
                retryable=getattr(error, "retryable", True),
                away=away,
            )
        except Exception:
            # As of any decision: a bug in it must not end the peer.
            log.exception("decision_failed", role=self._agent.role)
            return Decision()

    def _wrote(self, running: _Running, text: str) -> None:
        running.written += len(text)
        self._agent.wrote(running.job, running.written)

    async def _watch_brain(self, brain: Brain) -> None:
        """Check the model now and then, and soon after a call could not reach it."""
        while True:
            self._check_soon = trio.Event()
            pause_ms = self._model.checked(await _why_away(brain))
            if self.trouble:
                await trio.sleep(pause_ms / 1000)
                continue
            with trio.move_on_after(pause_ms / 1000):
                await self._check_soon.wait()
                await trio.sleep(AWAY_CHECK_MS[0] / 1000)

    def _model_changed(self) -> None:
        """Announce that the model went missing or came back."""
        if self.trouble:
            log.warning("model_trouble", reason=self.trouble)
        else:
            log.info("model_back")
        self._on_trouble()
        self._wake.set()


async def _why_away(brain: Brain) -> str:
    """Check a model; return why it does not answer, or an empty text if it does."""
    try:
        await brain.check()
    except LLMError as error:
        return str(error)
    except Exception as error:
        # Nothing that a model server answers, or that a brain does with it, may end the peer.
        log.exception("check_broke")
        return _internal(error)
    return ""


def _internal(error: Exception) -> str:
    """Return the human-readable message for a bug; the log has the details."""
    return f"internal error ({type(error).__name__})"
