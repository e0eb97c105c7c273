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
        about: One line, human-readable.
        licence: SPDX identifier.
        size: Size in bytes.
        present: Whether the file is on this machine.
        chosen: Whether the settings choose it.
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
    """Return the known weights, and which of them are on this machine."""
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
    """Download weights into the cache, by default those that the settings name; blocks.

    Raises:
        WeightsError: The download failed; names the alternatives.
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
        on_ready: Called with the server's address.

    Raises:
        ModelMissing: The file or the weights are not on this machine.
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
                f"The weights {entry.name} are not on this machine. "
                "`swarm model fetch` downloads them."
            )
        path, name = weights.path_of(entry), entry.name
    try:
        idle = server.run(path, model=name, port=port, on_ready=on_ready)
    except (EngineError, OSError) as error:
        raise ServerUnreachable(f"The model server cannot start: {error}") from error
    if not idle:
        server.leave()
