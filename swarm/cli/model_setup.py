"""Finding, fetching and opening the language model that the peers of a command use."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal
from zlib import crc32

import structlog
import trio

from swarm.console.errors import ENVIRONMENT, CommandError
from swarm.processes.supervisor import stop

if TYPE_CHECKING:
    from swarm.config import SwarmConfig
    from swarm.llm.client.embedded_brain import OpenBrain
    from swarm.llm.client.resolve import FoundModel

log = structlog.get_logger(__name__)


@dataclass(frozen=True, kw_only=True)
class ModelEvent:
    """A step in getting a model for a local swarm.

    Attributes:
        stage: the step.
        text: human-readable text about the step.
        done: bytes fetched so far; None in other steps.
        total: bytes to fetch; None in other steps.
        model: name of the model once it is ready.
        note: once it is ready: which server has it, why it was chosen and how to choose another.
    """

    stage: Literal["looking", "fetching", "starting", "ready"]
    text: str
    done: int | None = None
    total: int | None = None
    model: str = ""
    note: str = ""


@asynccontextmanager
async def open_brain(config: SwarmConfig, name: str) -> AsyncIterator[OpenBrain]:
    """Open the model client of one peer, and close it afterwards.

    Args:
        config: names the model.
        name: the peer's name, which seeds the sampling: it differs between peers and is the same
            in each run.

    Raises:
        LLMError: no model is available; the text says what to do.
    """
    async with _opened(config, name) as (brain, found):
        log.info("model_found", model=found.name, about=found.about)
        yield brain


@asynccontextmanager
async def _opened(config: SwarmConfig, name: str) -> AsyncIterator[tuple[OpenBrain, FoundModel]]:
    from swarm.llm.client import resolve

    settings = config.model.to_settings()
    found = await resolve.find_model(settings)
    brain = await resolve.open_brain(found, settings, seed=crc32(name.encode()))
    try:
        yield brain, found
    finally:
        with trio.CancelScope(shield=True):
            await brain.close()


@asynccontextmanager
async def model_for_all(
    config: SwarmConfig, tell: Callable[[ModelEvent], None]
) -> AsyncIterator[tuple[str, ...]]:
    """Make sure that the peers will find a model; fetch weights if needed.

    An embedded server keeps running during the block, so that peers may restart. The block gets the
    options with which the peers' commands find the model that was chosen here, so that all use the
    same one.

    Raises:
        LLMError: no model is available; the text says what to do.
        CommandError: the weights could not be fetched.
    """
    from swarm.llm.errors import ServerUnreachable

    async with AsyncExitStack() as held:
        tell(ModelEvent(stage="looking", text="looking for a language model"))
        try:
            brain, found = await held.enter_async_context(_opened(config, "up"))
        except ServerUnreachable:
            name = _fetchable(config)
            if name is None:
                raise
            await fetch_weights(name, tell)
            tell(ModelEvent(stage="starting", text=f"loading the model {name}"))
            brain, found = await held.enter_async_context(_opened(config, "up"))
        tell(
            ModelEvent(
                stage="ready", text=f"model {brain.model}", model=brain.model, note=found.about
            )
        )
        yield found.options


def _fetchable(config: SwarmConfig) -> str | None:
    """Return the weights that would provide a model once fetched; None if there are none."""
    from swarm.llm.client.ollama import HOST_VARIABLE
    from swarm.llm.embedded import weights

    model = config.model
    known = weights.CATALOGUE.get(model.name or model.weights)
    if os.environ.get(HOST_VARIABLE) and model.name not in weights.CATALOGUE:
        return None
    if known is None or not model.embedded or model.server or model.gguf:
        return None
    return None if weights.is_present(known) else known.name


async def fetch_weights(name: str, tell: Callable[[ModelEvent], None]) -> None:
    """Download weights in a separate process, which Ctrl-C stops at once.

    An interrupted download resumes where it stopped.

    Raises:
        CommandError: the download failed; the text says why and what to do.
    """
    process = await trio.lowlevel.open_process(
        [
            *(sys.executable, "-m", "swarm", "model", "fetch", name),
            *("--json-events", "--until-stdin-closes"),
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,
    )
    assert process.stdout is not None
    trouble = "The weights could not be fetched."
    buffer = b""
    try:
        async for piece in process.stdout:
            *lines, buffer = (buffer + piece).split(b"\n")
            for line in lines:
                event = json.loads(line)
                if event["event"] == "error":
                    trouble = event["text"]
                else:
                    tell(_progress(name, event))
        await process.wait()
    finally:
        if process.returncode is None:
            with trio.CancelScope(shield=True):
                await stop(process)
    if process.returncode:
        raise CommandError(trouble, exit_code=ENVIRONMENT)


def _progress(name: str, event: dict[str, Any]) -> ModelEvent:
    return ModelEvent(
        stage="fetching",
        text=f"fetching {name}: {event['text']}",
        done=event["done"],
        total=event["total"],
    )
