"""Finding a model: which server, which model, and what to tell people when there is none.

`resolve_brain` is what a peer calls. In order: the address in the settings; a GGUF file or known
weights named there; the server that `OLLAMA_HOST` names; an Ollama at its usual port, if it
answers and has a model; the embedded server with fetched weights. A server that a person named is
never replaced by another in silence. `list_models`, `fetch_model` and `serve_model` are the work
behind `swarm model list|fetch|serve`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import anyio
import httpx
import structlog

from swarm.llm.client.brain import OllamaBrain
from swarm.llm.client.ollama import DEFAULT_URL, HOST_VARIABLE, ChatClient, public_address
from swarm.llm.embedded import weights
from swarm.llm.embedded.server_process import Hold, hold_server
from swarm.llm.embedded.weights import CATALOGUE, Weights
from swarm.llm.errors import LLMError, ModelMissing, ServerUnreachable
from swarm.llm.requests import Answer, Brain, Request
from swarm.llm.settings import ModelSettings

log = structlog.get_logger(__name__)

TRIES_BEFORE_RESTART = 2
"""Tries of a call before an embedded server that does not answer is started anew: some 2 s."""

LOOK_S = 2.0
"""Time for an Ollama that nobody named to answer before we look elsewhere."""

Catalogue = Mapping[str, Weights]


class OpenBrain(Brain, Protocol):
    """A brain that holds connections."""

    async def close(self) -> None:
        """Let them go; a server that this peer started ends if nobody else holds it."""
        ...


class EmbeddedBrain:
    """A brain on the machine's embedded server: holds it while in use, restarts it when it died.

    Args:
        path: The weights.
        model: Their name.
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
        """Start the server if need be and see that it answers; see `Brain`."""
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


async def resolve_brain(
    settings: ModelSettings, *, catalogue: Catalogue = CATALOGUE, seed: int = 0
) -> OpenBrain:
    """Find a model and return a brain that has been checked.

    Args:
        settings: What is wanted.
        catalogue: Known weights.
        seed: Seed of sampling for this peer.

    Raises:
        ModelMissing: The server that was named lacks the model.
        ServerUnreachable: No server answers and no weights are there; says the three ways out.
        LLMError: The server that was named fails otherwise.
    """
    if settings.url:
        return await _over_http(settings.url, settings, seed)
    if settings.gguf is not None:
        return await _embedded(_own_file(settings.gguf), settings.gguf.stem, settings, seed)
    wants_embedded = settings.model in catalogue
    if not wants_embedded and os.environ.get(HOST_VARIABLE):
        return await _as_the_environment_says(os.environ[HOST_VARIABLE], settings, seed)
    if not wants_embedded and await _answers(DEFAULT_URL):
        try:
            return await _over_http(DEFAULT_URL, settings, seed)
        except ModelMissing:
            # An Ollama without any model is no reason not to use our own; a wrong name is one.
            if settings.model:
                raise
    known = (
        weights.weights_named(settings.model or settings.weights, dict(catalogue))
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
            f"{error} {HOST_VARIABLE} named this address; unset it to take an Ollama at the "
            "usual port, or else the embedded model."
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
    """The server's most recent model.

    Raises:
        ModelMissing: It has none.
    """
    client = ChatClient(url, "")
    try:
        names = await client.models()
    finally:
        await client.close()
    if not names:
        raise ModelMissing(
            f"The server at {public_address(url)} has no model yet. "
            "Get one with `ollama pull llama3.2`, for example."
        )
    return names[0]


async def _answers(url: str) -> bool:
    """Whether something answers there at all."""
    address = url if "://" in url else f"http://{url}"
    with anyio.move_on_after(LOOK_S):
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


def _own_file(path: Path) -> Path:
    if not path.is_file():
        raise ModelMissing(f"There is no file {path}. `gguf` under [model] must name a GGUF file.")
    with path.open("rb") as stream:
        if stream.read(4) != b"GGUF":
            raise ModelMissing(f"{path} is not a GGUF file. `gguf` under [model] must name one.")
    return path


def _nothing_found(settings: ModelSettings) -> ServerUnreachable:
    return ServerUnreachable(
        f"No language model was found: no Ollama answers at {public_address(DEFAULT_URL)}"
        f", and the weights {settings.weights} are not on this machine. Three ways out: "
        "start Ollama and `ollama pull` a model (or name a server with --ollama URL); "
        'name a GGUF file that you have (gguf = "PATH" under [model] in the configuration); '
        "or run `swarm model fetch`, which brings the embedded model."
    )


# --- behind `swarm model` -------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelEntry:
    """One line of `swarm model list`.

    Attributes:
        name: Name in configuration.
        about: One line for people.
        licence: SPDX name.
        size: Bytes.
        present: Whether it is on this machine.
        chosen: Whether the settings name it.
        path: Where the file is, or would be.
    """

    name: str
    about: str
    licence: str
    size: int
    present: bool
    chosen: bool
    path: Path


def list_models(
    settings: ModelSettings, *, catalogue: Catalogue = CATALOGUE
) -> tuple[ModelEntry, ...]:
    """The weights that are known, and which are here."""
    return tuple(
        ModelEntry(
            name=entry.name,
            about=entry.about,
            licence=entry.licence,
            size=entry.size,
            present=weights.is_present(entry),
            chosen=settings.gguf is None and entry.name == settings.weights,
            path=weights.path_of(entry),
        )
        for entry in catalogue.values()
    )


def fetch_model(
    settings: ModelSettings,
    name: str = "",
    *,
    catalogue: Catalogue = CATALOGUE,
    on_progress: weights.Progress | None = None,
) -> Path:
    """Bring weights into the cache; blocks. By default those that the settings name.

    Raises:
        WeightsError: They could not be had; says what else can be done.
    """
    entry = weights.weights_named(name or settings.weights, dict(catalogue))
    return weights.fetch(entry, on_progress)


def serve_model(
    settings: ModelSettings,
    *,
    catalogue: Catalogue = CATALOGUE,
    port: int = 0,
    on_ready: Callable[[str], None] | None = None,
) -> None:
    """Serve the settings' GGUF file or weights until a signal; blocks.

    Args:
        settings: Which model.
        catalogue: Known weights.
        port: Port on loopback; 0 takes a free one.
        on_ready: Called with the address.

    Raises:
        ModelMissing: The file or the weights are not there.
        ServerUnreachable: The model cannot be loaded or the port is taken.
    """
    from swarm.llm.embedded import server
    from swarm.llm.embedded.engine import EngineError

    if settings.gguf is not None:
        path, name = _own_file(settings.gguf), settings.gguf.stem
    else:
        entry = weights.weights_named(settings.weights, dict(catalogue))
        if not weights.is_present(entry):
            raise ModelMissing(
                f"The weights {entry.name} are not on this machine. `swarm model fetch` gets them."
            )
        path, name = weights.path_of(entry), entry.name
    try:
        idle = server.run(path, model=name, port=port, on_ready=on_ready)
    except (EngineError, OSError) as error:
        raise ServerUnreachable(f"The model server cannot start: {error}") from error
    if not idle:
        server.leave()
