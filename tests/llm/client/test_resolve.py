"""Finding a model, the scripted stand-ins, and the real small model end to end (slow)."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import anyio
import httpx
import psutil
import pytest
import trio
from trio.testing import MockClock

from swarm.llm.client import resolve
from swarm.llm.client.resolve import EmbeddedBrain, list_models, resolve_brain
from swarm.llm.embedded import server_process, weights
from swarm.llm.errors import BadAnswer, ModelMissing, ServerUnreachable
from swarm.llm.requests import RateAnswer, SplitAnswer, TextAnswer
from swarm.llm.settings import ModelSettings
from swarm.testing.scripted_brain import ScriptedBrain
from swarm.testing.scripted_server import ScriptedServer
from tests.llm.conftest import DO, RATE, SPLIT

NOBODY = "http://127.0.0.1:9"


@pytest.fixture(autouse=True)
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No Ollama and no weights of this machine play along."""
    monkeypatch.delenv("OLLAMA_HOST", raising=False)
    monkeypatch.setattr(resolve, "DEFAULT_URL", NOBODY)
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
    """Without an address the usual variable decides, also in its form without a scheme."""
    monkeypatch.setenv("OLLAMA_HOST", server.url.removeprefix("http://"))
    brain = await resolve_brain(ModelSettings(model="scripted"))
    await brain.check()
    await brain.close()


@pytest.mark.trio
async def test_an_ollama_host_that_is_not_there_is_not_replaced_in_silence(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Whoever names a server means it: the error names it and how to have another."""
    monkeypatch.setenv("OLLAMA_HOST", "127.0.0.1:9")
    monkeypatch.setattr(weights, "is_present", lambda entry: True)
    with pytest.raises(ServerUnreachable, match=r"127\.0\.0\.1:9.*OLLAMA_HOST.*unset"):
        await resolve_brain(ModelSettings())


@pytest.mark.trio
async def test_a_wrong_name_at_a_server_is_said(server: ScriptedServer) -> None:
    """A model that was asked for by name is never replaced by another in silence."""
    with pytest.raises(ModelMissing, match="llama9"):
        await resolve_brain(ModelSettings(url=server.url, model="llama9"))


@pytest.mark.trio
async def test_with_nothing_there_the_three_ways_out_are_said() -> None:
    """Ollama, a GGUF file, and fetching, each with what to type."""
    with pytest.raises(ServerUnreachable, match=r"--ollama URL.*gguf.*swarm model fetch"):
        await resolve_brain(ModelSettings())


@pytest.mark.trio
async def test_a_gguf_setting_must_name_a_gguf_file(tmp_path: Path) -> None:
    """A missing file and a file of another kind are told apart."""
    with pytest.raises(ModelMissing, match="no file"):
        await resolve_brain(ModelSettings(gguf=tmp_path / "none.gguf"))
    (tmp_path / "text.gguf").write_text("hello")
    with pytest.raises(ModelMissing, match="not a GGUF file"):
        await resolve_brain(ModelSettings(gguf=tmp_path / "text.gguf"))


@pytest.mark.trio
async def test_a_damaged_file_is_an_error_for_people(tmp_path: Path) -> None:
    """The server process ends while loading; its starter says why and leaves nothing running."""
    broken = tmp_path / "broken.gguf"
    broken.write_bytes(b"GGUF" + b"\0" * 64)
    with pytest.raises(ServerUnreachable, match=r"broken\.gguf could not be loaded"):
        await resolve_brain(ModelSettings(gguf=broken))


def test_the_list_says_what_is_here() -> None:
    """On an empty cache nothing is present, and the default is marked."""
    entries = {entry.name: entry for entry in list_models(ModelSettings())}
    assert not any(entry.present for entry in entries.values())
    assert [name for name, entry in entries.items() if entry.chosen] == ["qwen2.5-coder-1.5b"]


@pytest.mark.trio
async def test_the_scripted_brain_obeys_the_virtual_clock(
    autojump_clock: MockClock,
) -> None:
    """An hour of thinking takes no time, and the answers depend on seed and request alone."""
    brain = ScriptedBrain(seed=3, delay_s=3_600)
    start = trio.current_time()
    split = await brain.perform(SPLIT)
    assert trio.current_time() - start == pytest.approx(3_600)
    assert isinstance(split, SplitAnswer)
    assert len(split.parts) == 5
    assert await ScriptedBrain(seed=3).perform(RATE) == await ScriptedBrain(seed=3).perform(RATE)
    assert await ScriptedBrain(seed=4).perform(RATE) != await ScriptedBrain(seed=3).perform(RATE)


@pytest.mark.trio
async def test_the_scripted_brain_fails_on_demand(
    autojump_clock: MockClock,
) -> None:
    """Planned failures come in order, a share of failures is kept, a missing model is missing."""
    brain = ScriptedBrain(failures=[BadAnswer("first"), None])
    with pytest.raises(BadAnswer):
        await brain.perform(DO)
    assert isinstance(await brain.perform(DO), TextAnswer)
    with pytest.raises(ModelMissing):
        await ScriptedBrain(missing=True).check()
    assert brain.in_flight == 0


@pytest.mark.trio
async def test_a_cancelled_scripted_brain_is_idle_again(
    autojump_clock: MockClock,
) -> None:
    """Cancellation is counted out, so that a simulator can see leaks."""
    brain = ScriptedBrain(delay_s=100)
    with trio.move_on_after(1) as scope:
        await brain.perform(DO)
    assert scope.cancelled_caught
    assert brain.in_flight == 0


def test_the_scripted_server_is_light() -> None:
    """It imports nothing heavy, prints its address first and stays under 40 MB."""
    process = subprocess.Popen(
        [sys.executable, "-m", "swarm.testing.scripted_server", "--latency", "0"],
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        url = process.stdout.readline().strip()
        assert httpx.get(f"{url}/api/version").json() == {"version": "0.0.0-scripted"}
        assert psutil.Process(process.pid).memory_info().rss < 40_000_000
    finally:
        process.terminate()
        process.wait(5)


def test_light_modules_stay_light() -> None:
    """The contract, the settings-free fakes and the scripts import no client and no engine."""
    code = (
        "import sys, swarm.llm.requests, swarm.llm.errors;"
        "import swarm.testing.scripted_brain, swarm.testing.script;"
        "heavy = {'ollama', 'httpx', 'aiohttp', 'xllamacpp', 'pydantic'} & set(sys.modules);"
        "sys.exit(str(heavy) if heavy else 0)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


SMOLLM = weights.weights_named("smollm2-135m")
SMOLLM_PATH = weights.path_of(SMOLLM)
"""In the user's own cache, before the tests get one of their own."""

needs_smollm = pytest.mark.skipif(
    not weights.is_present(SMOLLM), reason="needs weights: swarm model fetch smollm2-135m"
)


@pytest.mark.slow
@needs_smollm
@pytest.mark.trio
async def test_the_real_embedded_model_end_to_end() -> None:
    """Four peers that start together share one process; it answers, survives a kill, and ends."""
    path = SMOLLM_PATH
    settings = ModelSettings(gguf=path, time_limit_s=100)
    brains: list[EmbeddedBrain] = []

    async def start() -> None:
        brain = await resolve_brain(settings)
        assert isinstance(brain, EmbeddedBrain)
        brains.append(brain)

    async with trio.open_nursery() as nursery:
        for _ in range(4):
            nursery.start_soon(start)
    state = server_process.state_dir(path) / "state.json"
    first = _pid(state)
    rating = await brains[0].perform(RATE)
    assert isinstance(rating, RateAnswer)
    assert 0 <= rating.complete <= 1
    pieces: list[str] = []
    text = await brains[1].perform(DO, on_text=pieces.append)
    assert isinstance(text, TextAnswer)
    assert text.draft
    assert pieces
    psutil.Process(first).kill()
    again = await brains[2].perform(DO)
    assert isinstance(again, TextAnswer)
    second = _pid(state)
    assert second != first
    for brain in brains:
        await brain.close()
    with anyio.fail_after(10):
        while psutil.pid_exists(second):  # noqa: ASYNC110  a process, not a task
            await anyio.sleep(0.1)


def _pid(state: Path) -> int:
    return int(json.loads(state.read_text())["pid"])
