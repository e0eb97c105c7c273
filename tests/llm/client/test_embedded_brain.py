"""The brain on the machine's embedded server, with the real small model (slow)."""

from __future__ import annotations

import json
from pathlib import Path

import anyio
import psutil
import pytest
import trio

from swarm.llm.client.embedded_brain import EmbeddedBrain
from swarm.llm.client.resolve import resolve_brain
from swarm.llm.embedded import server_process, weights
from swarm.llm.requests import RateAnswer, TextAnswer
from swarm.llm.settings import ModelSettings
from tests.llm.conftest import DO, RATE


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The server's state lives in a folder of its own."""
    monkeypatch.setenv(weights.CACHE_VARIABLE, str(tmp_path))


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
    """Four peers that start together share one server; it answers, is restarted, and exits."""
    path = SMOLLM_PATH
    settings = ModelSettings(gguf=path, time_limit_seconds=100)
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
