"""Find a model: which server, which model, and what to tell the user if there is none.

A peer calls `resolve_brain`. It tries, in order: the address in the settings; a GGUF file or known
weights named there; the server that `OLLAMA_HOST` names; on this machine an Ollama at its usual
port, then servers with OpenAI's API at theirs, if they answer and have a model; the embedded server
with fetched weights. A server or a model that the user named is never silently replaced by another.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path

from swarm.llm.client.brain import ServerBrain
from swarm.llm.client.embedded_brain import EmbeddedBrain, OpenBrain
from swarm.llm.client.model_choice import Choice, choose
from swarm.llm.client.model_client import ModelClient
from swarm.llm.client.ollama import HOST_VARIABLE, ChatClient
from swarm.llm.client.openai_client import OpenAIClient
from swarm.llm.client.probe import Api, probe
from swarm.llm.client.server_address import DEFAULT_URL, ServerAddress, parse_address
from swarm.llm.client.server_calls import LOOK_LIMIT_SECONDS
from swarm.llm.embedded import weights
from swarm.llm.embedded.weights import CATALOGUE, Catalogue
from swarm.llm.errors import (
    LLMError,
    ModelMissing,
    ServerError,
    ServerUnreachable,
    ServerUnusable,
    TimedOut,
)
from swarm.llm.machine import Machine, this_machine
from swarm.llm.settings import ModelSettings

LOOK_SECONDS = 2.0
"""How long a server at a usual port, which nobody named, may take to answer, in seconds."""

USUAL_URLS = (
    "http://127.0.0.1:1234",  # LM Studio
    "http://127.0.0.1:8080",  # llama.cpp
    "http://127.0.0.1:8000",  # vLLM
    "http://127.0.0.1:4000",  # LiteLLM
)
"""Where servers with OpenAI's API listen by default; asked only if no Ollama is found."""

CHANGE = "choose another with --model NAME or LEADERLESS_MODEL__NAME"
"""How to choose another model, for a sentence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundModel:
    """A model that was found, not yet opened.

    Attributes:
        name: Its name on the server, or among the weights.
        about: Where it is and why it was chosen, and what was passed over, in a line for people.
        api: What its server speaks; None for the embedded server.
        address: Its server's address; None for the embedded server.
        weights: The embedded server's file.
        named: Whether a person named the server.
        fits: Whether it fits into the machine's memory, as far as is known.
        others: Other models of the server that could be chosen, best first.
    """

    name: str
    about: str
    api: Api | None = None
    address: ServerAddress | None = None
    weights: Path | None = None
    named: bool = False
    fits: bool = True
    others: tuple[str, ...] = ()

    @property
    def options(self) -> tuple[str, ...]:
        """Options with which other processes of this machine find the same model."""
        if self.address is None:
            return ()
        # An address that a person named is found in the same place, and may hold a password.
        server = () if self.named else ("--server", self.address.url)
        return ("--model", self.name, *server)


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
        ServerUnusable: The server that was named cannot be used as it is.
        ServerUnreachable: No server answers and no weights are here; names the three ways out.
        LLMError: The server that was named fails otherwise.
    """
    found = await find_model(settings, catalogue=catalogue)
    return await open_brain(found, settings, seed=seed)


async def open_brain(found: FoundModel, settings: ModelSettings, *, seed: int = 0) -> OpenBrain:
    """Return a checked brain on a model that was found.

    Raises:
        LLMError: The model cannot be used after all.
    """
    brain: OpenBrain
    if found.address is None or found.api is None:
        assert found.weights is not None
        brain = EmbeddedBrain(found.weights, found.name, settings=settings, seed=seed)
    else:
        key = _key(settings) if found.named else ""
        client = _client(found.api, found.address, found.name, key)
        brain = ServerBrain(client, settings=settings, seed=seed)
    try:
        await brain.check()
    except LLMError:
        await brain.close()
        raise
    return brain


async def find_model(
    settings: ModelSettings, *, catalogue: Catalogue = CATALOGUE, machine: Machine | None = None
) -> FoundModel:
    """Find the model that peers with these settings use.

    Args:
        settings: The model wanted.
        catalogue: Known weights.
        machine: What models on this machine must fit into; None: what is free now.

    Raises:
        LLMError: As `resolve_brain`.
    """
    machine = machine or this_machine()
    if settings.url:
        return await _named(settings.url, settings, machine)
    if settings.gguf is not None:
        path = weights.own_file(settings.gguf)
        return _embedded(path, settings.gguf.stem, "the GGUF file of your configuration")
    wants_embedded = settings.model in catalogue
    if not wants_embedded and (host := os.environ.get(HOST_VARIABLE, "").strip()):
        return await _as_the_environment_says(host, settings, machine)
    passed: list[str] = []
    if not wants_embedded:
        found = await _on_this_machine(settings, machine, passed)
        if found is not None:
            return found
    known = (
        weights.weights_named(settings.model or settings.weights, catalogue)
        if (wants_embedded or not settings.model)
        else None
    )
    if settings.embedded and known is not None and weights.is_present(known):
        return _embedded(weights.path_of(known), known.name, *passed)
    raise _nothing_found(settings, passed)


async def _as_the_environment_says(
    host: str, settings: ModelSettings, machine: Machine
) -> FoundModel:
    """Return the model of the server that `OLLAMA_HOST` names, or say that this was the server."""
    try:
        return await _named(host, settings, machine)
    except (ServerUnreachable, ServerUnusable, TimedOut, ModelMissing) as error:
        raise type(error)(
            f"{error} The address comes from {HOST_VARIABLE}, so no other server and no embedded "
            f"model is used instead; unset it to use what is found on this machine."
        ) from error


async def _named(url: str, settings: ModelSettings, machine: Machine) -> FoundModel:
    address = parse_address(url)
    found = await _at(address, settings, machine, key=_key(settings), seconds=LOOK_LIMIT_SECONDS)
    return replace(found, named=True)


async def _on_this_machine(
    settings: ModelSettings, machine: Machine, passed: list[str]
) -> FoundModel | None:
    """Return a model of a server at a usual port; note in `passed` what cannot be used and why."""
    for url in (DEFAULT_URL, *USUAL_URLS):
        address = parse_address(url)
        try:
            found = await _at(address, settings, machine, key="", seconds=LOOK_SECONDS)
        except ModelMissing as error:
            # An Ollama without the model that was named rules out everything else; one without
            # any model rules out nothing.
            if settings.model and url == DEFAULT_URL:
                raise
            passed.append(str(error))
        except TimedOut as error:
            passed.append(f"{error} Name it with --server to wait for it.")
        except ServerUnreachable:
            continue
        except (ServerUnusable, ServerError) as error:
            # Any program may listen on such a port; only Ollama's is worth a word.
            if url == DEFAULT_URL:
                passed.append(str(error))
        else:
            if found.fits or not settings.embedded:
                return replace(found, about=" ".join([found.about, *passed]))
            passed.append(f"Not used: {found.name} of {found.about}")
    return None


async def _at(
    address: ServerAddress, settings: ModelSettings, machine: Machine, *, key: str, seconds: float
) -> FoundModel:
    """Return the model that was named, or the best one, of the server at an address.

    Raises:
        ModelMissing: It has no model that can be used, or not the one that was named.
        LLMError: It does not answer, or not as a model server.
    """
    kind = await probe(address, key=key, limit_seconds=seconds)
    client = _client(kind.api, address, settings.model, key)
    try:
        if settings.model:
            await client.profile()
            choice = Choice(name=settings.model, fits=True, why="the model that you named")
        else:
            choice = await _choice(client, address, machine)
    finally:
        await client.close()
    shown = f" It also has: {', '.join(choice.others)}; {CHANGE}." if choice.others else ""
    return FoundModel(
        name=choice.name,
        about=f"{kind.product} at {address.public}: {choice.why}.{shown}",
        api=kind.api,
        address=address,
        fits=choice.fits,
        others=choice.others,
    )


async def _choice(client: ModelClient, address: ServerAddress, machine: Machine) -> Choice:
    where = machine if address.is_this_machine else Machine()
    choice = choose(await client.candidates(), where)
    if choice is None:
        raise ModelMissing(
            f"The server at {address.public} has no model that can chat. Get one there: with "
            "Ollama, for example, `ollama pull llama3.2`."
        )
    return choice


def _client(api: Api, address: ServerAddress, model: str, key: str) -> ModelClient:
    if api == "openai":
        return OpenAIClient(address, model, key=key)
    return ChatClient(address, model, key=key)


def _key(settings: ModelSettings) -> str:
    return settings.api_key.get_secret_value() if settings.api_key is not None else ""


def _embedded(path: Path, name: str, *why: str) -> FoundModel:
    return FoundModel(name=name, about=" ".join(["the embedded model.", *why]), weights=path)


def _nothing_found(settings: ModelSettings, passed: list[str]) -> ServerUnreachable:
    ports = ", ".join(str(parse_address(url).port) for url in USUAL_URLS)
    seen = f" {' '.join(passed)}" if passed else ""
    return ServerUnreachable(
        f"No language model was found: no Ollama answers at {parse_address(DEFAULT_URL).public}, "
        f"no other model server at the ports {ports}, and the weights {settings.weights} are not "
        f"on this machine.{seen} Three ways out: start Ollama and `ollama pull` a model (or name "
        'a server with --server URL); name a GGUF file that you have (gguf = "PATH" under [model] '
        "in the configuration); or run `swarm model fetch`, which downloads the embedded model."
    )
