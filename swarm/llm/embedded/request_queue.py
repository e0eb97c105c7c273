"""The queue in front of the engine: one answer at a time, identical requests answered once.

It runs under asyncio in the embedded server's process. Peers of one swarm ask the same questions
(three scorers rate the same three splits), so a deterministic request (temperature 0) joins a job
that is already queued or running, and recent answers are cached. A job stops early when it has no
listeners left. The queue is bounded: clients get status 503 instead of an endless wait.
"""

from __future__ import annotations

import asyncio
import hashlib
import threading
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import suppress

import structlog

from swarm.core.bounded import BoundedDict
from swarm.llm.embedded.engine import Completion, EngineError, EngineRequest, Piece

log = structlog.get_logger(__name__)

MAX_WAITING = 64
"""Most queued jobs: a few of each of eight peers. More would wait beyond their time limits."""

REMEMBERED = 256
"""Deterministic answers kept in memory: at most 1 MB."""

Complete = Callable[[EngineRequest, Callable[[Piece], bool]], Completion]


class QueueFull(Exception):
    """The queue is full."""


class Job:
    """One request that is being answered for one or more listeners."""

    def __init__(self, request: EngineRequest) -> None:
        self.request = request
        self.pieces: list[Piece] = []
        self.result: Completion | EngineError | None = None
        self.listeners = 0
        self.abandoned = threading.Event()
        self._changed = asyncio.Event()

    def add(self, piece: Piece) -> None:
        """Add a new piece from the engine."""
        self.pieces.append(piece)
        self._wake()

    def finish(self, result: Completion | EngineError) -> None:
        """End the answer."""
        self.result = result
        self._wake()

    async def follow(self) -> AsyncIterator[Piece | Completion]:
        """Yield every piece from the first, then the completion.

        Raises:
            EngineError: The engine refused or failed.
        """
        position = 0
        while True:
            changed = self._changed
            while position < len(self.pieces):
                yield self.pieces[position]
                position += 1
            if isinstance(self.result, EngineError):
                raise self.result
            if self.result is not None:
                yield self.result
                return
            await changed.wait()

    def _wake(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()


class RequestQueue:
    """Jobs in the order in which they arrived, answered one by one.

    Args:
        complete: The engine's blocking call; runs in a worker thread.
        max_waiting: How many jobs may be queued.
    """

    def __init__(self, complete: Complete, *, max_waiting: int = MAX_WAITING) -> None:
        self._complete = complete
        self._max_waiting = max_waiting
        self._waiting: deque[Job] = deque()
        self._shared: BoundedDict[str, Job] = BoundedDict(REMEMBERED)
        self._arrived = asyncio.Event()
        self._thread: threading.Thread | None = None
        self.answered = 0
        self.shared_answers = 0

    @property
    def busy(self) -> bool:
        """Whether a call of the engine is running; it cannot be stopped during its prompt."""
        return self._thread is not None and self._thread.is_alive()

    @property
    def waiting(self) -> int:
        """How many jobs are queued."""
        return len(self._waiting)

    async def ask(self, request: EngineRequest) -> AsyncGenerator[Piece | Completion, None]:
        """Queue a request and yield its answer; closing this generator withdraws the request.

        Raises:
            QueueFull: The queue is full.
            EngineError: The engine refused or failed.
        """
        job = self._join(request)
        job.listeners += 1
        try:
            async for event in job.follow():
                yield event
        finally:
            job.listeners -= 1
            if not job.listeners and job.result is None:
                self._drop(job)

    async def work(self) -> None:
        """Answer jobs until cancelled; then stop the running call of the engine."""
        loop = asyncio.get_running_loop()
        while True:
            while not self._waiting:
                self._arrived.clear()
                await self._arrived.wait()
            job = self._waiting.popleft()
            try:
                result = await self._start(job, loop)
            except asyncio.CancelledError:
                job.abandoned.set()
                raise
            self.answered += 1
            job.finish(result)
            if isinstance(result, EngineError) or result.reason == "cancelled":
                self._forget(job)

    def _start(
        self, job: Job, loop: asyncio.AbstractEventLoop
    ) -> asyncio.Future[Completion | EngineError]:
        """Start the engine's call in a daemon thread: the server's exit must not wait for it."""
        outcome: asyncio.Future[Completion | EngineError] = loop.create_future()

        def settle(result: Completion | EngineError) -> None:
            if not outcome.done():
                outcome.set_result(result)

        def run() -> None:
            result = self._run(job, loop)
            with suppress(RuntimeError):  # The loop was closed meanwhile: the server is exiting.
                loop.call_soon_threadsafe(settle, result)

        self._thread = threading.Thread(target=run, name="engine", daemon=True)
        self._thread.start()
        return outcome

    def _run(self, job: Job, loop: asyncio.AbstractEventLoop) -> Completion | EngineError:
        """Make one call of the engine; runs in a worker thread."""

        def on_piece(piece: Piece) -> bool:
            if job.abandoned.is_set():
                return False
            loop.call_soon_threadsafe(job.add, piece)
            return True

        try:
            return self._complete(job.request, on_piece)
        except EngineError as error:
            return error
        except Exception as error:
            # The server must survive whatever the native code raises for one request.
            log.exception("engine_failed")
            return EngineError(f"The engine failed: {type(error).__name__}", status=500)

    def _join(self, request: EngineRequest) -> Job:
        key = _key_of(request) if request.temperature == 0 else ""
        if key and (job := self._shared.get(key)) is not None:
            self._shared.move_to_end(key)
            self.shared_answers += 1
            return job
        if len(self._waiting) >= self._max_waiting:
            raise QueueFull
        job = Job(request)
        if key:
            self._shared[key] = job
        self._waiting.append(job)
        self._arrived.set()
        return job

    def _drop(self, job: Job) -> None:
        """Remove a job without listeners from the queue, or stop it if it runs."""
        job.abandoned.set()
        if job in self._waiting:
            self._waiting.remove(job)
        self._forget(job)

    def _forget(self, job: Job) -> None:
        for key, other in list(self._shared.items()):
            if other is job:
                del self._shared[key]


def _key_of(request: EngineRequest) -> str:
    """Return a key that is equal for requests with the same answer."""
    return hashlib.sha256(repr(request).encode("utf-8", "surrogatepass")).hexdigest()
