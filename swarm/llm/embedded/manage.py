"""What `swarm model list|fetch|serve` does with the embedded model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from swarm.llm.embedded import weights
from swarm.llm.embedded.weights import CATALOGUE, Catalogue
from swarm.llm.errors import ModelMissing, ServerUnreachable
from swarm.llm.settings import ModelSettings


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
    """Return the weights that are known, and which are here."""
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
    entry = weights.weights_named(name or settings.weights, catalogue)
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
        path, name = weights.own_file(settings.gguf), settings.gguf.stem
    else:
        entry = weights.weights_named(settings.weights, catalogue)
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
