"""Finding a model: which source comes first, and the error if there is none."""

from __future__ import annotations

from pathlib import Path

import pytest

from swarm.llm.client import resolve
from swarm.llm.client.resolve import resolve_brain
from swarm.llm.embedded import weights
from swarm.llm.errors import ModelMissing, ServerUnreachable
from swarm.llm.requests import SplitAnswer
from swarm.llm.settings import ModelSettings
from swarm.testing.scripted_server import ScriptedServer
from tests.llm.conftest import SPLIT

NOBODY = "http://127.0.0.1:9"


@pytest.fixture(autouse=True)
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Hide the machine's Ollama and weights from the tests."""
    monkeypatch.delenv("OLLAMA_HOST", raising=False)
    monkeypatch.setattr(resolve, "DEFAULT_URL", NOBODY)
    monkeypatch.setattr(resolve, "USUAL_URLS", ())
    monkeypatch.setenv(weights.CACHE_VARIABLE, str(tmp_path))


@pytest.mark.trio
async def test_an_address_in_the_settings_comes_first(server: ScriptedServer) -> None:
    """It is used with the server's most recent model when none is named."""
    brain = await resolve_brain(ModelSettings(url=server.url))
    assert brain.model == "scripted:latest"
    assert isinstance(await brain.perform(SPLIT), SplitAnswer)
    await brain.close()


@pytest.mark.trio
async def test_ollama_host_is_respected(
    server: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without an address in the settings OLLAMA_HOST decides, with or without a scheme."""
    monkeypatch.setenv("OLLAMA_HOST", server.url.removeprefix("http://"))
    brain = await resolve_brain(ModelSettings(model="scripted"))
    await brain.check()
    await brain.close()


@pytest.mark.trio
async def test_an_unreachable_ollama_host_is_not_silently_replaced(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """If a server was named, only it is tried; the error names it and how to use another."""
    monkeypatch.setenv("OLLAMA_HOST", "127.0.0.1:9")
    monkeypatch.setattr(weights, "is_present", lambda entry: True)
    with pytest.raises(ServerUnreachable, match=r"127\.0\.0\.1:9.*OLLAMA_HOST.*unset"):
        await resolve_brain(ModelSettings())


@pytest.mark.trio
async def test_a_wrong_model_name_is_an_error(server: ScriptedServer) -> None:
    """A model requested by name is never silently replaced by another."""
    with pytest.raises(ModelMissing, match="llama9"):
        await resolve_brain(ModelSettings(url=server.url, model="llama9"))


@pytest.mark.trio
async def test_with_no_model_the_error_names_three_remedies() -> None:
    """The error names Ollama, a GGUF file and the download, each with what to type."""
    with pytest.raises(ServerUnreachable, match=r"--server URL.*gguf.*swarm model fetch"):
        await resolve_brain(ModelSettings())


@pytest.mark.trio
async def test_a_gguf_setting_must_name_a_gguf_file(tmp_path: Path) -> None:
    """A missing file and a file of another format get different errors."""
    with pytest.raises(ModelMissing, match="no file"):
        await resolve_brain(ModelSettings(gguf=tmp_path / "none.gguf"))
    (tmp_path / "text.gguf").write_text("hello")
    with pytest.raises(ModelMissing, match="not a GGUF file"):
        await resolve_brain(ModelSettings(gguf=tmp_path / "text.gguf"))


@pytest.mark.trio
async def test_a_damaged_file_gives_a_readable_error(tmp_path: Path) -> None:
    """The server exits while loading; the error says why, and nothing keeps running."""
    broken = tmp_path / "broken.gguf"
    broken.write_bytes(b"GGUF" + b"\0" * 64)
    with pytest.raises(ServerUnreachable, match=r"broken\.gguf could not be loaded"):
        await resolve_brain(ModelSettings(gguf=broken))
