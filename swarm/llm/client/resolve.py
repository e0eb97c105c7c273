"""Find a model: which server, which model, and what to tell the user if there is none.

A peer calls `resolve_brain`. It tries, in order: the address in the settings; a GGUF file or known
weights named there; the server that `OLLAMA_HOST` names; an Ollama at the default port, if it
answers and has a model; the embedded server with fetched weights. A server that the user named is
never silently replaced by another.
"""

from __future__ import annotations

import os
from pathlib import Path

import anyio
import httpx

from swarm.llm.client.brain import OllamaBrain
from swarm.llm.client.embedded_brain import EmbeddedBrain, OpenBrain
from swarm.llm.client.ollama import HOST_VARIABLE, ChatClient
from swarm.llm.client.server_address import DEFAULT_URL, parse_address
from swarm.llm.embedded import weights
from swarm.llm.embedded.weights import CATALOGUE, Catalogue
from swarm.llm.errors import LLMError, ModelMissing, ServerUnreachable
from swarm.llm.settings import ModelSettings

LOOK_SECONDS = 2.0
"""How long an Ollama at the default port may take to answer, in seconds."""


async def resolve_brain(
    settings: ModelSettings, *, catalogue: Catalogue = CATALOGUE, seed: int = 0
) -> OpenBrain:
    """Find a model and return a brain that has been checked.

    Args:
        settings: The model wanted.
        catalogue: Known weights.
        seed: Seed of sampling for this peer.

    Raises:
        ModelMissing: The server that was named lacks the model.
        ServerUnreachable: No server answers and no weights are here; names the three ways out.
        LLMError: The server that was named fails otherwise.
    """
    if settings.url:
        return await _over_http(settings.url, settings, seed)
    if settings.gguf is not None:
        return await _embedded(weights.own_file(settings.gguf), settings.gguf.stem, settings, seed)
    wants_embedded = settings.model in catalogue
    if not wants_embedded and os.environ.get(HOST_VARIABLE):
        return await _as_the_environment_says(os.environ[HOST_VARIABLE], settings, seed)
    if not wants_embedded and await _answers(DEFAULT_URL):
        try:
            return await _over_http(DEFAULT_URL, settings, seed)
        except ModelMissing:
            # An Ollama without any model does not rule out our own; a wrong name does.
            if settings.model:
                raise
    known = (
        weights.weights_named(settings.model or settings.weights, catalogue)
        if (wants_embedded or not settings.model)
        else None
    )
    if settings.embedded and known is not None and weights.is_present(known):
        return await _embedded(weights.path_of(known), known.name, settings, seed)
    raise _nothing_found(settings)


async def _as_the_environment_says(host: str, settings: ModelSettings, seed: int) -> OllamaBrain:
    try:
        return await _over_http(host, settings, seed)
    except ServerUnreachable as error:
        raise ServerUnreachable(
            f"{error} The address comes from {HOST_VARIABLE}; unset it to use an Ollama at the "
            "default port, or else the embedded model."
        ) from error


async def _over_http(url: str, settings: ModelSettings, seed: int) -> OllamaBrain:
    model = settings.model or await _first_model(url)
    brain = OllamaBrain(url, model, settings=settings, seed=seed)
    try:
        await brain.check()
    except LLMError:
        await brain.close()
        raise
    return brain


async def _embedded(path: Path, model: str, settings: ModelSettings, seed: int) -> EmbeddedBrain:
    brain = EmbeddedBrain(path, model, settings=settings, seed=seed)
    await brain.check()
    return brain


async def _first_model(url: str) -> str:
    """Return the server's most recent model.

    Raises:
        ModelMissing: It has no model.
    """
    client = ChatClient(url, "")
    try:
        names = await client.models()
    finally:
        await client.close()
    if not names:
        raise ModelMissing(
            f"The server at {parse_address(url).public} has no model yet. "
            "Get one with `ollama pull llama3.2`, for example."
        )
    return names[0]


async def _answers(url: str) -> bool:
    """Return whether an Ollama answers at an address."""
    address = url if "://" in url else f"http://{url}"
    with anyio.move_on_after(LOOK_SECONDS):
        try:
            client = ChatClient(address, "")
            try:
                await client.models()
            finally:
                await client.close()
        except (LLMError, httpx.InvalidURL):
            return False
        return True
    return False


def _nothing_found(settings: ModelSettings) -> ServerUnreachable:
    return ServerUnreachable(
        f"No language model was found: no Ollama answers at {parse_address(DEFAULT_URL).public}"
        f", and the weights {settings.weights} are not on this machine. Three ways out: "
        "start Ollama and `ollama pull` a model (or name a server with --ollama URL); "
        'name a GGUF file that you have (gguf = "PATH" under [model] in the configuration); '
        "or run `swarm model fetch`, which downloads the embedded model."
    )
