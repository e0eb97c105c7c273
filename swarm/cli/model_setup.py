"""The commands' way to models: the one place here that knows `swarm.llm`."""

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

import trio

from swarm.console.errors import ENVIRONMENT, CommandError
from swarm.processes.supervisor import stop

if TYPE_CHECKING:
    from swarm.config import SwarmConfig
    from swarm.llm.client.embedded_brain import OpenBrain


@dataclass(frozen=True, kw_only=True)
class ModelEvent:
    """How far it is with the model of a local swarm.

    Attributes:
        stage: what goes on.
        text: the same for people.
        done: bytes fetched; None where that means nothing.
        total: of how many.
        model: its name, when ready.
    """

    stage: Literal["looking", "fetching", "starting", "ready"]
    text: str
    done: int | None = None
    total: int | None = None
    model: str = ""


@asynccontextmanager
async def open_brain(config: SwarmConfig, name: str) -> AsyncIterator[OpenBrain]:
    """Have the brain of one peer, and let go of it afterwards.

    Args:
        config: which model.
        name: the peer's: sampling differs from peer to peer and repeats from run to run.

    Raises:
        LLMError: no model can be had; the text says what to do.
    """
    from swarm.llm.client.resolve import resolve_brain

    brain = await resolve_brain(config.model.to_settings(), seed=crc32(name.encode()))
    try:
        yield brain
    finally:
        with trio.CancelScope(shield=True):
            await brain.close()


@asynccontextmanager
async def model_for_all(
    config: SwarmConfig, tell: Callable[[ModelEvent], None]
) -> AsyncIterator[None]:
    """See that the peers about to be started will find a model, fetching weights if need be.

    While the block runs, an embedded server stays up, so that peers may come and go.

    Raises:
        LLMError: no model can be had; the text says what to do.
        CommandError: the weights could not be fetched.
    """
    from swarm.llm.errors import ServerUnreachable

    async with AsyncExitStack() as held:
        tell(ModelEvent(stage="looking", text="looking for a language model"))
        try:
            brain = await held.enter_async_context(open_brain(config, "up"))
        except ServerUnreachable:
            name = _fetchable(config)
            if name is None:
                raise
            await fetch_weights(name, tell)
            tell(ModelEvent(stage="starting", text=f"loading the model {name}"))
            brain = await held.enter_async_context(open_brain(config, "up"))
        tell(ModelEvent(stage="ready", text=f"model {brain.model}", model=brain.model))
        yield


def _fetchable(config: SwarmConfig) -> str | None:
    """Return the weights whose absence may be why there is no model; None if there are none."""
    from swarm.llm.client.ollama import HOST_VARIABLE
    from swarm.llm.embedded import weights

    model = config.model
    known = weights.CATALOGUE.get(model.name or model.weights)
    if os.environ.get(HOST_VARIABLE) and model.name not in weights.CATALOGUE:
        return None
    if known is None or not model.embedded or model.ollama_url or model.gguf:
        return None
    return None if weights.is_present(known) else known.name


async def fetch_weights(name: str, tell: Callable[[ModelEvent], None]) -> None:
    """Bring weights into the cache by a process of its own, which a Ctrl-C ends at once.

    What was fetched until then is kept, and the next time goes on from there.

    Raises:
        CommandError: it failed; the text says why and what else can be done.
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
                told = json.loads(line)
                if told["event"] == "error":
                    trouble = told["text"]
                else:
                    tell(_progress(name, told))
        await process.wait()
    finally:
        if process.returncode is None:
            with trio.CancelScope(shield=True):
                await stop(process)
    if process.returncode:
        raise CommandError(trouble, exit_code=ENVIRONMENT)


def _progress(name: str, told: dict[str, Any]) -> ModelEvent:
    return ModelEvent(
        stage="fetching",
        text=f"fetching {name}: {told['text']}",
        done=told["done"],
        total=told["total"],
    )
