"""The brain on a server with OpenAI's API: the same answers, and failures that say what to do."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from swarm.llm.client import server_calls
from swarm.llm.client.brain import ServerBrain
from swarm.llm.client.openai_client import OpenAIClient
from swarm.llm.client.server_address import parse_address
from swarm.llm.errors import LLMError, ModelMissing, ServerError, ServerUnreachable, ServerUnusable
from swarm.llm.requests import RateAnswer, SplitAnswer, TextAnswer
from swarm.llm.settings import ModelSettings
from swarm.testing.scripted_server import Behaviour, ScriptedServer, serving_in_thread
from tests.llm.conftest import ASSEMBLE, DO, RATE, SPLIT

pytestmark = pytest.mark.trio


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    """A scripted server with OpenAI's API on loopback."""
    with serving_in_thread(Behaviour(openai=True, models=["scripted-8b"])) as running:
        yield running


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test waits for the pauses between tries."""
    monkeypatch.setattr(server_calls, "FIRST_PAUSE_SECONDS", 0.01)


def brain_for(url: str, *, model: str = "scripted-8b", key: str = "") -> ServerBrain:
    client = OpenAIClient(parse_address(url), model, key=key)
    return ServerBrain(client, settings=ModelSettings(time_limit_seconds=10, rate_limit_seconds=10))


async def test_every_request_is_answered(server: ScriptedServer) -> None:
    """Split, rate, do and assemble; texts arrive in pieces, ratings come from probabilities."""
    brain = brain_for(server.url)
    await brain.check()
    split = await brain.perform(SPLIT)
    assert isinstance(split, SplitAnswer)
    assert len(split.parts) >= 2
    assert server.requests[-1]["response_format"]["type"] == "json_schema"
    assert isinstance(await brain.perform(RATE), RateAnswer)
    assert {body.get("top_logprobs") for body in server.requests[1:4]} == {10}
    pieces: list[str] = []
    text = await brain.perform(DO, on_text=pieces.append)
    assert isinstance(text, TextAnswer)
    assert len(pieces) > 1
    assert isinstance(await brain.perform(ASSEMBLE, on_text=pieces.append), TextAnswer)
    await brain.close()


async def test_an_address_may_end_with_v1(server: ScriptedServer) -> None:
    """As the documentation of every such server writes it."""
    brain = brain_for(f"{server.url}/v1/")
    await brain.check()
    await brain.close()


@pytest.mark.parametrize(
    "refuses",
    [
        ["chat_template_kwargs"],
        ["json_schema"],
        ["json_schema", "json_object"],
        ["logprobs"],
        ["chat_template_kwargs", "json_schema", "logprobs", "seed", "temperature"],
    ],
)
async def test_a_field_that_a_server_refuses_is_left_out_and_remembered(
    server: ScriptedServer, refuses: list[str]
) -> None:
    """The schema then goes into the prompt, and ratings are read from the word."""
    server.behaviour.refuses = refuses
    brain = brain_for(server.url)
    await brain.check()
    first = await brain.perform(SPLIT)
    assert isinstance(first, SplitAnswer)
    assert len(first.parts) >= 2
    assert isinstance(await brain.perform(RATE), RateAnswer)
    assert isinstance(await brain.perform(DO, on_text=lambda text: None), TextAnswer)
    asked = len(server.requests)
    assert await brain.perform(SPLIT) == first
    assert len(server.requests) == asked + 1
    await brain.close()


@pytest.mark.parametrize("fault", ["fail", "cut", "html", "midway"])
async def test_transient_failures_are_tried_again(server: ScriptedServer, fault: str) -> None:
    """As with Ollama: a status 500, a broken connection, a web page, an error in the stream."""
    server.behaviour.next = [fault]
    answer = await brain_for(server.url).perform(DO, on_text=lambda text: None)
    assert isinstance(answer, TextAnswer)
    assert len(server.requests) == 2


@pytest.mark.parametrize(
    ("fault", "kind"), [("fail", ServerError), ("cut", ServerUnreachable), ("html", ServerError)]
)
async def test_lasting_failures_have_a_name(
    server: ScriptedServer, fault: str, kind: type[LLMError]
) -> None:
    """After a bounded number of tries it is an `LLMError` that another peer may retry."""
    server.behaviour.next = [fault] * 20
    with pytest.raises(kind) as caught:
        await brain_for(server.url).perform(SPLIT)
    assert caught.value.retryable
    assert len(server.requests) == server_calls.ATTEMPTS


async def test_a_missing_model_is_reported_with_what_there_is(server: ScriptedServer) -> None:
    """At the check and in mid-life; `ollama pull` is no help here and is not suggested."""
    brain = brain_for(server.url, model="llama9")
    for call in (brain.check, lambda: brain.perform(SPLIT)):
        with pytest.raises(ModelMissing, match=r"no model “llama9”.*scripted-8b") as caught:
            await call()
        assert "ollama" not in str(caught.value)


async def test_a_key_is_sent_and_never_shown(server: ScriptedServer) -> None:
    """A wrong key and no key get different messages, both with what to set."""
    server.behaviour.key = "Bearer sk-geheim"
    brain = brain_for(server.url, key="sk-geheim")
    await brain.check()
    assert isinstance(await brain.perform(SPLIT), SplitAnswer)
    for key, why in (("", "wants a key"), ("sk-falsch", "does not accept the key")):
        with pytest.raises(ServerUnusable, match=f"{why}.*LEADERLESS_MODEL__API_KEY") as caught:
            await brain_for(server.url, key=key).check()
        assert "falsch" not in str(caught.value)


async def test_user_and_password_of_an_address_are_sent(server: ScriptedServer) -> None:
    """As basic authentication, instead of a key."""
    server.behaviour.key = "Basic bWU6Z2VoZWlt"
    brain = brain_for(server.url.replace("://", "://me:geheim@"))
    await brain.check()
    assert isinstance(await brain.perform(SPLIT), SplitAnswer)
    await brain.close()


async def test_an_answer_cut_by_the_token_limit_is_known_as_cut(server: ScriptedServer) -> None:
    """The brain then takes no half split for a whole one."""
    server.behaviour.next = ["truncated"]
    answer = await brain_for(server.url).perform(SPLIT)
    assert isinstance(answer, SplitAnswer)
    assert len(answer.parts) >= 2


async def test_sizes_are_read_from_the_name_if_the_server_tells_none(
    server: ScriptedServer,
) -> None:
    """So a small model gets the prompts for small models."""
    client = OpenAIClient(parse_address(server.url), "scripted-8b")
    assert (await client.profile()).parameters == 8_000_000_000
    await client.close()
