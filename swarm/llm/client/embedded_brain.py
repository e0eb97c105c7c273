"""The brain on the machine's embedded model server."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Protocol

import anyio
import structlog

from swarm.llm.client.brain import OllamaBrain
from swarm.llm.embedded.server_process import Hold, hold_server
from swarm.llm.errors import ServerUnreachable
from swarm.llm.requests import Answer, Brain, Request
from swarm.llm.settings import ModelSettings

log = structlog.get_logger(__name__)

TRIES_BEFORE_RESTART = 2
"""Tries of a call before an unresponsive embedded server is restarted: about 2 s."""


class OpenBrain(Brain, Protocol):
    """A brain that holds connections."""

    async def close(self) -> None:
        """Close them; a server that this peer started exits if no other peer holds it."""
        ...


class EmbeddedBrain:
    """A brain on the machine's embedded server; it holds a lease and restarts a server that died.

    Args:
        path: The file of the weights.
        model: Name of the model.
        settings: Limits.
        seed: Seed of sampling.
    """

    def __init__(
        self, path: Path, model: str, *, settings: ModelSettings | None = None, seed: int = 0
    ) -> None:
        self._path = path
        self._model = model
        self._settings = settings or ModelSettings()
        self._seed = seed
        self._lock = anyio.Lock()
        self._held: tuple[Hold, OllamaBrain] | None = None

    @property
    def model(self) -> str:
        """The model's name."""
        return self._model

    async def check(self) -> None:
        """Start the server if necessary and check that it answers; see `Brain`."""
        _, brain = await self._hold()
        await brain.check()

    async def perform(
        self, request: Request, *, on_text: Callable[[str], None] | None = None
    ) -> Answer:
        """See `Brain`."""
        held = await self._hold()
        try:
            return await held[1].perform(request, on_text=on_text)
        except ServerUnreachable:
            log.warning("model_server_gone", model=self._model)
            await self._drop(held)
        _, brain = await self._hold()
        return await brain.perform(request, on_text=on_text)

    async def close(self) -> None:
        """See `OpenBrain`."""
        if self._held is not None:
            await self._drop(self._held)

    async def _hold(self) -> tuple[Hold, OllamaBrain]:
        async with self._lock:
            if self._held is None:
                hold = await hold_server(self._path, self._model)
                brain = OllamaBrain(
                    hold.url,
                    self._model,
                    settings=self._settings,
                    seed=self._seed,
                    tries=TRIES_BEFORE_RESTART,
                )
                self._held = hold, brain
            return self._held

    async def _drop(self, held: tuple[Hold, OllamaBrain]) -> None:
        async with self._lock:
            if self._held is held:
                self._held = None
                hold, brain = held
                with anyio.CancelScope(shield=True):
                    await brain.close()
                await hold.release()
