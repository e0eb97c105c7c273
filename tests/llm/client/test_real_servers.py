"""Real servers with OpenAI's API: llama.cpp's own, and LiteLLM's proxy in front of it.

llama.cpp's server comes with the embedded model's engine. LiteLLM is too large for the development
environment (0.6 GB): `make test-litellm` installs it beside, and names its program in
`LEADERLESS_TEST_LITELLM`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
import trio

from swarm.llm.client.brain import ServerBrain
from swarm.llm.client.probe import probe
from swarm.llm.client.prompts import rate_prompts
from swarm.llm.client.resolve import find_model, open_brain, resolve_brain
from swarm.llm.client.server_address import parse_address
from swarm.llm.client.split_prompts import titles_prompt
from swarm.llm.embedded import openmp, weights
from swarm.llm.errors import LLMError, ModelMissing, ServerUnusable
from swarm.llm.requests import RateAnswer, TextAnswer
from swarm.llm.settings import ModelSettings
from tests.llm.conftest import DO, RATE, SPLIT

FILES = [
    weights.path_of(weights.weights_named(name))
    for name in ("smollm2-135m", "qwen2.5-coder-1.5b")
    if weights.is_present(weights.weights_named(name))
]
"""In the user's own cache, before the tests get one of their own; the small one first."""

LITELLM = os.environ.get("LEADERLESS_TEST_LITELLM", "")
KEY = "sk-of-a-test"
START_SECONDS = 240.0
"""LiteLLM takes 10 s to start, and more than a minute on a busy machine."""

SWARM_SECONDS = 500.0

pytestmark = [
    pytest.mark.slow,
    pytest.mark.trio,
    pytest.mark.timeout(600),
    pytest.mark.skipif(not FILES, reason="needs weights: swarm model fetch smollm2-135m"),
]

LLAMA_CPP = """
import sys, time, xllamacpp
params = xllamacpp.CommonParams()
params.model.path, params.api_keys, params.model_alias = sys.argv[1], [sys.argv[2]], {"test-135m"}
params.n_ctx, params.n_parallel, params.endpoint_props = 4096, 1, True
params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 2
server = xllamacpp.Server(params)
print(server.listening_address, flush=True)
sys.stdin.read()
"""


@contextmanager
def running(*command: str, **variables: str) -> Iterator[subprocess.Popen[str]]:
    """A process that ends with the block."""
    process = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env={**os.environ, **variables},
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


@pytest.fixture(scope="module")
def llama_cpp() -> Iterator[str]:
    """The address of llama.cpp's own server with a key and a small model."""
    command = (sys.executable, "-c", LLAMA_CPP, str(FILES[0]), KEY)
    # Threads that spin while they wait would be much slower on a busy machine (see the engine).
    quiet = {"OMP_WAIT_POLICY": "passive", **openmp.environment()}
    with running(*command, **quiet) as process:
        assert process.stdout is not None
        yield process.stdout.readline().strip()


@pytest.fixture(scope="module")
def litellm(llama_cpp: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of LiteLLM's proxy in front of that server."""
    if not LITELLM:
        pytest.skip("needs LiteLLM: make test-litellm")
    config = tmp_path_factory.mktemp("litellm") / "config.yaml"
    route = {
        "model_name": "test-135m",
        "litellm_params": {
            "model": "openai/test-135m",
            "api_base": f"{llama_cpp}/v1",
            "api_key": KEY,
        },
    }
    # JSON is YAML.
    config.write_text(json.dumps({"model_list": [route]}))
    with free_port() as port:
        command = (LITELLM, "--config", str(config), "--host", "127.0.0.1", "--port", str(port))
        offline = {"LITELLM_LOCAL_MODEL_COST_MAP": "True", "LITELLM_MASTER_KEY": KEY}
        with running(*command, **offline):
            url = f"http://127.0.0.1:{port}"
            wait_for(f"{url}/v1/models")
            yield url


@contextmanager
def free_port() -> Iterator[int]:
    """A port that was free a moment ago."""
    import socket

    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = int(listening.getsockname()[1])
    yield port


def wait_for(url: str) -> None:
    """Wait until something answers with the key: LiteLLM's first answer takes long, too."""
    end = time.monotonic() + START_SECONDS
    while True:
        try:
            httpx.get(
                url, headers={"Authorization": f"Bearer {KEY}"}, timeout=START_SECONDS
            ).raise_for_status()
        except httpx.HTTPError:
            assert time.monotonic() < end, f"nothing answers at {url}"
            time.sleep(0.2)
        else:
            return


@pytest.fixture(params=["llama.cpp", "LiteLLM"])
def server(request: pytest.FixtureRequest) -> tuple[str, str]:
    """Name and address of each server in turn."""
    fixture = {"llama.cpp": "llama_cpp", "LiteLLM": "litellm"}[request.param]
    return request.param, str(request.getfixturevalue(fixture))


def settings_for(url: str, **more: object) -> ModelSettings:
    return ModelSettings.model_validate(
        {"url": url, "api_key": KEY, "time_limit_seconds": 300, "rate_limit_seconds": 300, **more}
    )


async def test_it_is_found_for_what_it_is(server: tuple[str, str]) -> None:
    """By its own answers; LiteLLM passes on what others are and does not say that it is LiteLLM."""
    name, url = server
    kind = await probe(parse_address(url), key=KEY)
    assert kind.api == "openai"
    assert kind.product == {"LiteLLM": "a server with OpenAI's interface"}.get(name, name)
    found = await find_model(settings_for(url))
    assert found.name == "test-135m"
    assert kind.product in found.about


async def test_every_request_is_answered(server: tuple[str, str]) -> None:
    """A rating, a text that arrives in pieces, and a split in the form of the schema."""
    brain = await resolve_brain(settings_for(server[1]))
    try:
        assert isinstance(await brain.perform(RATE), RateAnswer)
        pieces: list[str] = []
        assert isinstance(await brain.perform(DO, on_text=pieces.append), TextAnswer)
        assert len(pieces) > 1
        assert isinstance(brain, ServerBrain)
        # The tiny model plans nothing, so its split may be unusable; its form must be right.
        reply = await brain._chat.complete(titles_prompt(SPLIT), options={})
        if not reply.cut:
            assert len(json.loads(reply.text)["titles"]) > 1
    finally:
        await brain.close()


async def test_ratings_come_from_probabilities(server: tuple[str, str]) -> None:
    """Both pass on the probabilities of the first token."""
    settings = settings_for(server[1])
    brain = await open_brain(await find_model(settings), settings)
    assert isinstance(brain, ServerBrain)
    prompt = next(iter(rate_prompts(RATE).values()))
    reply = await brain._chat.complete(prompt, options={"temperature": 0.0}, logprobs=True)
    assert reply.choices is not None
    assert len(reply.choices) > 1
    await brain.close()


async def test_failures_say_what_to_do(server: tuple[str, str]) -> None:
    """A wrong key, no key, and a model that it does not have."""
    _, url = server
    for key in (None, "sk-wrong"):
        with pytest.raises(LLMError, match="LEADERLESS_MODEL__API_KEY") as refused:
            await resolve_brain(settings_for(url, api_key=key))
        assert isinstance(refused.value, ServerUnusable)
        assert "sk-wrong" not in str(refused.value)
    with pytest.raises(ModelMissing, match="It has: test-135m"):
        await resolve_brain(settings_for(url, model="llama9"))


async def test_a_whole_swarm_plans_with_it(server: tuple[str, str], tmp_path: Path) -> None:
    """`swarm up` with the address and the key, as a person would type it."""
    variables = {
        "LEADERLESS_MODEL__API_KEY": KEY,
        "LEADERLESS_SWARM__STATE_DIR": str(tmp_path),
        "LEADERLESS_SWARM__RUNTIME_DIR": str(tmp_path / "run"),
        "LEADERLESS_SWARM__NAME": f"test-{os.getpid()}",
        "LEADERLESS_SWARM__MDNS": "false",
    }
    command = [sys.executable, "-m", "swarm", "up", "Plan a picnic", "--server", server[1]]
    few = ["--decomposers", "1", "--scorers", "2", "--executors", "1", "--json"]
    with trio.fail_after(SWARM_SECONDS):
        ended = await trio.run_process(
            [*command, *few],
            env={**os.environ, **variables},
            capture_stdout=True,
            capture_stderr=True,
            check=False,
        )
    plan = json.loads(ended.stdout)
    assert ended.returncode == 0, ended.stderr.decode()[-2_000:]
    assert plan["state"] in ("done", "partial")
    assert KEY.encode() not in ended.stdout + ended.stderr
    assert KEY.encode() not in everything_in(tmp_path)


def everything_in(folder: Path) -> bytes:
    """The contents of all files in a folder."""
    return b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())
