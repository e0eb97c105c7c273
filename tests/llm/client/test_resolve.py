"""Finding a model: which source comes first, and the error if there is none."""

from __future__ import annotations

from pathlib import Path

import pytest

from swarm.llm.client import resolve
from swarm.llm.client.resolve import find_model, resolve_brain
from swarm.llm.embedded import weights
from swarm.llm.errors import LLMError, ModelMissing, ServerUnreachable, ServerUnusable
from swarm.llm.machine import Machine
from swarm.llm.requests import SplitAnswer
from swarm.llm.settings import ModelSettings
from swarm.testing.scripted_server import Behaviour, ScriptedServer, serving_in_thread
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


@pytest.mark.parametrize(
    ("host", "why"),
    [
        ("127.0.0.1:99999", "1 to 65535"),
        ("a b", "a space"),
        ("::1", r"\[::1\]:11434"),
        ("127.0.0.1:9", r"127\.0\.0\.1:9"),
    ],
)
@pytest.mark.trio
async def test_ollama_host_is_a_choice_whatever_is_wrong_with_it(
    monkeypatch: pytest.MonkeyPatch, host: str, why: str
) -> None:
    """An address that is none, or where nobody is, is an error that says where it comes from."""
    monkeypatch.setenv("OLLAMA_HOST", host)
    monkeypatch.setattr(weights, "is_present", lambda entry: True)
    with pytest.raises(LLMError, match=f"{why}.*OLLAMA_HOST.*no embedded model is used"):
        await resolve_brain(ModelSettings())


@pytest.mark.trio
async def test_a_server_with_openai_s_interface_is_known_by_asking() -> None:
    """Named in the settings or in OLLAMA_HOST, it gets the client that it understands."""
    with serving_in_thread(Behaviour(openai=True)) as running:
        assert (await find_model(ModelSettings(url=running.url))).api == "openai"
        brain = await resolve_brain(ModelSettings(url=running.url))
        assert isinstance(await brain.perform(SPLIT), SplitAnswer)
        await brain.close()


@pytest.mark.trio
async def test_without_ollama_the_usual_ports_are_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is found there is said; a key is not sent there, because nobody named the server."""
    with serving_in_thread(Behaviour(openai=True)) as running:
        monkeypatch.setattr(resolve, "USUAL_URLS", (NOBODY, running.url))
        found = await find_model(ModelSettings.model_validate({"api_key": "sk-x"}))
        assert found.address is not None
        assert running.url.removeprefix("http://") in found.about
        assert found.options == ("--model", "scripted:latest", "--server", found.address.url)
        running.behaviour.key = "Bearer sk-x"
        with pytest.raises(ServerUnreachable, match="No language model was found"):
            await find_model(ModelSettings.model_validate({"api_key": "sk-x"}))


@pytest.mark.trio
async def test_a_named_server_gets_the_key(server: ScriptedServer) -> None:
    """An Ollama behind a proxy too; the options for other processes hold no secret."""
    server.behaviour.key = "Bearer sk-x"
    brain = await resolve_brain(
        ModelSettings.model_validate({"url": server.url, "api_key": "sk-x"})
    )
    await brain.close()
    with pytest.raises(ServerUnusable, match="LEADERLESS_MODEL__API_KEY"):
        await resolve_brain(ModelSettings(url=server.url))
    server.behaviour.key = "Basic bWU6Z2VoZWlt"
    url = server.url.replace("://", "://me:geheim@")
    brain = await resolve_brain(ModelSettings(url=url))
    assert isinstance(await brain.perform(SPLIT), SplitAnswer)
    await brain.close()
    found = await find_model(ModelSettings(url=url))
    assert found.options == ("--model", "scripted:latest")
    assert "geheim" not in repr(found)


MODELS = ["qwen2.5-coder:7b", "llama3.2:3b", "qwen2.5:7b", "llama3.3:70b", "nomic-embed-text"]


@pytest.mark.trio
async def test_the_best_model_that_fits_is_chosen_and_named(
    server: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of an Ollama at its usual port; the line says why, and how to choose another."""
    server.behaviour.models = MODELS
    monkeypatch.setattr(resolve, "DEFAULT_URL", server.url)
    laptop = Machine(free_bytes=12_000_000_000, cores=8)
    found = await find_model(ModelSettings(), machine=laptop)
    assert found.name == "qwen2.5:7b"
    assert "12.0 GB of memory are free" in found.about
    assert "llama3.2:3b" in found.about
    assert "--model NAME" in found.about


@pytest.mark.trio
async def test_models_that_are_all_too_large_leave_room_for_the_embedded_one(
    server: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Unless it is switched off; both say what was passed over or does not fit."""
    server.behaviour.models = ["llama3.3:70b"]
    monkeypatch.setattr(resolve, "DEFAULT_URL", server.url)
    monkeypatch.setattr(weights, "is_present", lambda entry: True)
    tiny = Machine(free_bytes=4_000_000_000, cores=2)
    found = await find_model(ModelSettings(), machine=tiny)
    assert found.weights is not None
    assert "Not used: llama3.3:70b" in found.about
    found = await find_model(ModelSettings(embedded=False), machine=tiny)
    assert found.name == "llama3.3:70b"
    assert "are free" in found.about


@pytest.mark.trio
async def test_an_ollama_that_does_not_answer_in_time_is_passed_over_with_a_word(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Nobody named it, so the embedded model is used, and the line says so."""
    import socket

    monkeypatch.setattr(weights, "is_present", lambda entry: True)
    monkeypatch.setattr(resolve, "LOOK_SECONDS", 0.1)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        monkeypatch.setattr(resolve, "DEFAULT_URL", f"127.0.0.1:{silent.getsockname()[1]}")
        found = await find_model(ModelSettings())
    assert found.weights is not None
    assert "does not answer within 0.1 s. Name it with --server" in found.about
