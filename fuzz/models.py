"""Both ends of the wire to a model: what clients ask of our server, what any server answers."""

from __future__ import annotations

import json
from typing import Any

import httpx

from fuzz.choices import Choices
from fuzz.loop import LOOP
from fuzz.records import brief
from swarm.llm.client.model_client import Profile
from swarm.llm.client.ollama import FAILURES, ChatClient
from swarm.llm.client.parsing import RAW_CHARS
from swarm.llm.client.prompt import Prompt
from swarm.llm.embedded.engine import EngineError
from swarm.llm.embedded.server import _parse_call
from swarm.llm.errors import LLMError

NAMES = (
    "message", "content", "role", "done", "done_reason", "model", "models", "details", "family",
    "parameter_size", "model_info", "general.parameter_count", "qwen2.context_length", "logprobs",
    "token", "logprob", "top_logprobs", "error", "thinking", "tool_calls", "eval_count", "name",
    "leaderless.embedded", "modified_at", "size", "digest", "capabilities",
)  # fmt: skip
VALUES: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 2**70, 1.5, 1e308, "", "yes", "stop", "length", "1.5B", "xB",
    "1e400B", "assistant", "tiny:latest", "bert", [], {}, [None], "\ud83d", "a\nb\x1b[2J",
    "x" * 900,
)  # fmt: skip
MONSTERS = (
    b'{"model_info": {"a": ' + b"[" * 50_000 + b"]" * 50_000 + b"}}",
    b'{"error": ' + b'{"error": ' * 20_000 + b"1" + b"}" * 20_001,
    b'{"model_info": {"general.parameter_count": ' + b"9" * 5_000 + b"}}",
    b'{"models": [{"model": "x\\ud800y", "name": "\\u202ex"}]}',
    b'{"message": {"role": "assistant", "content": "\\udfff"}, "eval_count": '
    + b"9" * 5_000
    + b"}",
    b'{"message": {"role": "assistant", "content": "' + b"x" * 300_000 + b'"}, "done": false}',
    b"[" + b"{}," * 20_000 + b"{}]",
)
"""Answers that small mutations never lead to; each one once ended a process, or took long."""
STATUSES = (200, 200, 200, 200, 201, 400, 404, 429, 500, 503)


def calls(data: bytes) -> None:
    """Any JSON object is a call of the embedded model, or an `EngineError`."""
    try:
        body = json.loads(data)
    except (ValueError, RecursionError):
        return
    if not isinstance(body, dict):
        return
    try:
        call = _parse_call(body)
    except EngineError as error:
        brief(error)
        return
    request = call.to_engine(call.messages)
    assert request.max_tokens >= 1
    json.dumps(request.to_openai())


def replies(data: bytes) -> None:
    """Any answer of a model server is a reply, or one of our failures in one line."""
    LOOP.run_until_complete(_replies(Choices(data)))


async def _replies(choices: Choices) -> None:
    async def answer(_: httpx.Request) -> httpx.Response:
        status = choices.pick(STATUSES)
        lines = [_line(choices) for _ in range(choices.byte() % 4)]
        return httpx.Response(status, content=b"\n".join(lines))

    client = ChatClient("http://127.0.0.1:9", "tiny")
    inner: Any = client._client
    await inner._client.aclose()
    inner._client = httpx.AsyncClient(
        transport=httpx.MockTransport(answer), base_url="http://127.0.0.1:9"
    )
    prompt = Prompt(messages=({"role": "user", "content": "hello"},), schema=None, max_tokens=5)
    said: list[str] = []
    try:
        for stream in (None, said.append):
            try:
                reply = await client._once(prompt, {}, True, stream)
            except FAILURES as error:
                _one_line(client._translate(error))
            else:
                assert isinstance(reply.text, str)
                assert stream is None or len(reply.text) < RAW_CHARS + len(max(MONSTERS, key=len))
                assert all(isinstance(text, str) for text, _ in reply.choices or ())
        for ask in (client.profile, client.models):
            try:
                told = await ask()
            except LLMError as error:
                _one_line(error)
            else:
                assert isinstance(told, Profile) or all(map(str.isprintable, told))
    finally:
        await client.close()


def _one_line(error: Exception) -> None:
    brief(error)
    assert all(char.isprintable() for char in str(error)), str(error)


def _line(choices: Choices) -> bytes:
    if choices.chance(12):
        return choices.pick(MONSTERS)
    if choices.chance(6):
        return choices.take(choices.byte() % 30)
    text = json.dumps(_value(choices, 0))
    return text.encode()[: None if not choices.chance(8) else choices.byte()]


def _value(choices: Choices, depth: int) -> Any:
    kind = choices.byte() % (8 if depth < 4 else 2)
    if kind == 0:
        return choices.text(20)
    if kind == 1:
        return choices.pick(VALUES)
    if kind == 2 and depth:
        return [_value(choices, depth + 1) for _ in range(choices.byte() % 3)]
    return {choices.pick(NAMES): _value(choices, depth + 1) for _ in range(1 + choices.byte() % 5)}
