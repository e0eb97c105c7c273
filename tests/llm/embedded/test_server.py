"""The embedded server over real HTTP with the real client; only the engine is a stand-in."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import httpx
import ollama
import pytest
from aiohttp import web

from swarm.llm.embedded.engine import Completion, EngineError, EngineRequest, Piece, TokenChoice
from swarm.llm.embedded.request_queue import QueueFull, RequestQueue
from swarm.llm.embedded.server import ModelServer

pytestmark = pytest.mark.asyncio


class SlowEngine:
    """Repeats the last message word by word; can wait or refuse, and counts calls."""

    def __init__(self) -> None:
        self.calls: list[EngineRequest] = []
        self.go = threading.Event()
        self.go.set()
        self.stopped = threading.Event()
        self.refuse: EngineError | None = None

    def complete(self, request: EngineRequest, on_piece: Callable[[Piece], bool]) -> Completion:
        self.calls.append(request)
        if self.refuse is not None:
            raise self.refuse
        words = request.messages[-1]["content"].split()
        for word in words:
            token = TokenChoice(token=word, logprob=-0.1, top=((word, -0.1), ("No", -2.4)))
            while not self.go.wait(0.01):
                if not on_piece(Piece(text="")):
                    self.stopped.set()
                    return Completion(reason="cancelled")
            if not on_piece(
                Piece(text=word + " ", tokens=(token,) if request.top_logprobs else ())
            ):
                self.stopped.set()
                return Completion(reason="cancelled")
        return Completion(reason="stop", prompt_tokens=9, answer_tokens=len(words))


@pytest.fixture
def engine() -> SlowEngine:
    """An engine that answers at once by default."""
    return SlowEngine()


@asynccontextmanager
async def running(engine: SlowEngine) -> AsyncIterator[tuple[ModelServer, str]]:
    server = ModelServer(engine.complete, model="tiny")
    runner = web.AppRunner(server.application(), handler_cancellation=True, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        yield server, f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        engine.go.set()
        await runner.cleanup()


def turn(text: str) -> list[dict[str, str]]:
    return [{"role": "user", "content": text}]


COLD = {"temperature": 0}


async def test_whole_and_streamed_answers_are_the_same(engine: SlowEngine) -> None:
    """The client library reads both, with counts and the reason at the end."""
    async with running(engine) as (_, url):
        client = ollama.AsyncClient(host=url)
        whole = await client.chat("tiny", turn("one two three"), options=COLD)
        stream = await client.chat("tiny:latest", turn("one two three"), options=COLD, stream=True)
        parts = [part async for part in stream]
    assert whole.message.content == "one two three "
    assert "".join(part.message.content or "" for part in parts) == whole.message.content
    assert (whole.done_reason, parts[-1].done_reason, whole.eval_count) == ("stop", "stop", 3)


async def test_log_probabilities_reach_the_client(engine: SlowEngine) -> None:
    """With the alternatives, in the form that Ollama documents."""
    async with running(engine) as (_, url):
        reply = await ollama.AsyncClient(host=url).chat(
            "tiny", turn("Yes"), logprobs=True, top_logprobs=5
        )
    assert reply.logprobs is not None
    top = reply.logprobs[0].top_logprobs or ()
    assert [(choice.token, choice.logprob) for choice in top] == [("Yes", -0.1), ("No", -2.4)]


async def test_options_and_schema_reach_the_engine(engine: SlowEngine) -> None:
    """Nothing that a client asks for is dropped on the way."""
    schema = {"type": "object", "properties": {"a": {"type": "string"}}}
    options = {"temperature": 0.3, "num_predict": 7, "seed": 5, "stop": ["END"]}
    async with running(engine) as (_, url):
        await ollama.AsyncClient(host=url).chat("tiny", turn("x"), format=schema, options=options)
        await ollama.AsyncClient(host=url).generate("tiny", "x", system="be brief", format="json")
    first, second = engine.calls
    assert (first.schema, first.max_tokens, first.seed, first.stop) == (schema, 7, 5, ("END",))
    assert first.temperature == pytest.approx(0.3)
    assert second.schema == {}
    assert [message["role"] for message in second.messages] == ["system", "user"]


async def test_tags_show_and_version_tell_what_it_is(engine: SlowEngine) -> None:
    """Clients can list the model and see that it is the embedded one."""
    async with running(engine) as (_, url):
        client = ollama.AsyncClient(host=url)
        assert [entry.model for entry in (await client.list()).models] == ["tiny"]
        assert (await client.show("tiny")).modelinfo["leaderless.embedded"] is True  # type: ignore[index]
        async with httpx.AsyncClient(base_url=url) as plain:
            assert "version" in (await plain.get("/api/version")).json()
            assert (await plain.get("/")).text == "Ollama is running"


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"not json", 400),
        (b"[1]", 400),
        (b"[" * 100_000, 400),
        (b'{"model": "other", "messages": []}', 404),
        (b'{"model": "tiny", "messages": [{"role": "wizard"}]}', 400),
        (b'{"model": "tiny", "messages": [], "tools": [{}]}', 400),
        (b'{"model": "tiny", "messages": [], "options": {"temperature": -1}}', 400),
    ],
)
async def test_bad_requests_get_a_reason(engine: SlowEngine, body: bytes, status: int) -> None:
    """Each has its status and Ollama's error JSON, and none ends the server."""
    async with running(engine) as (_, url), httpx.AsyncClient(base_url=url) as client:
        reply = await client.post("/api/chat", content=body)
        assert reply.status_code == status
        assert reply.json()["error"]
        assert (await client.get("/api/version")).status_code == 200


async def test_engine_refusals_keep_their_status(engine: SlowEngine) -> None:
    """A prompt too long for the context is the caller's error, streamed or not."""
    engine.refuse = EngineError("request exceeds the context", status=400)
    async with running(engine) as (_, url):
        client = ollama.AsyncClient(host=url)
        with pytest.raises(ollama.ResponseError, match="exceeds the context") as whole:
            await client.chat("tiny", turn("x"))
        stream = await client.chat("tiny", turn("x"), stream=True)
        with pytest.raises(ollama.ResponseError, match="exceeds the context") as streamed:
            await anext(aiter(stream))
    assert whole.value.status_code == streamed.value.status_code == 400


async def test_web_pages_are_refused(engine: SlowEngine) -> None:
    """What a browser would send, an Origin or a foreign Host, is not answered."""
    async with running(engine) as (_, url), httpx.AsyncClient(base_url=url) as client:
        for headers in ({"Origin": "http://evil.example"}, {"Host": "evil.example"}):
            assert (await client.get("/api/tags", headers=headers)).status_code == 403


async def test_identical_requests_are_answered_once(engine: SlowEngine) -> None:
    """Equal requests, at once or later, cost one call; with a temperature each costs one."""
    engine.go.clear()
    async with running(engine) as (_, url):
        client = ollama.AsyncClient(host=url)
        asks = [
            asyncio.create_task(client.chat("tiny", turn("same"), options=COLD)) for _ in range(3)
        ]
        await _until(lambda: len(engine.calls) == 1)
        engine.go.set()
        answers = {(await ask).message.content for ask in asks}
        answers.add((await client.chat("tiny", turn("same"), options=COLD)).message.content)
        assert answers == {"same "}
        assert len(engine.calls) == 1
        for _ in range(2):
            await client.chat("tiny", turn("same"), options={"temperature": 0.5})
    assert len(engine.calls) == 3


async def test_a_client_that_leaves_stops_the_engine(engine: SlowEngine) -> None:
    """Without listeners the running answer stops, and the next request is served."""
    engine.go.clear()
    async with running(engine) as (_, url):
        async with httpx.AsyncClient(base_url=url) as client:
            body = {"model": "tiny", "messages": turn("a b c"), "options": COLD, "stream": False}
            with pytest.raises(httpx.ReadTimeout):
                await client.post("/api/chat", json=body, timeout=0.2)
        await asyncio.to_thread(engine.stopped.wait, 5)
        assert engine.stopped.is_set()
        engine.go.set()
        reply = await ollama.AsyncClient(host=url).chat("tiny", turn("a b c"), options=COLD)
        assert reply.message.content == "a b c "


async def test_one_listener_of_several_may_leave(engine: SlowEngine) -> None:
    """A shared answer continues for the remaining clients."""
    engine.go.clear()
    async with running(engine) as (server, url):
        client = ollama.AsyncClient(host=url)
        stay, leave = (
            asyncio.create_task(client.chat("tiny", turn("a b"), options=COLD)) for _ in range(2)
        )
        await _until(lambda: len(engine.calls) == 1)
        (job,) = server._queue._shared.values()
        await _until(lambda: job.listeners == 2)
        leave.cancel()
        await _until(lambda: job.listeners == 1)
        engine.go.set()
        assert (await stay).message.content == "a b "
    assert not engine.stopped.is_set()


async def test_a_full_line_says_so(engine: SlowEngine) -> None:
    """Beyond the bound a request is refused at once; a request that left the queue makes room."""
    engine.go.clear()
    queue = RequestQueue(engine.complete, max_waiting=1)
    worker = asyncio.create_task(queue.work())

    async def ask(text: str) -> None:
        async for _ in queue.ask(EngineRequest(messages=tuple(turn(text)))):
            pass

    running_one = asyncio.create_task(ask("first"))
    await _until(lambda: len(engine.calls) == 1)
    waiting = asyncio.create_task(ask("second"))
    await _until(lambda: queue.waiting == 1)
    with pytest.raises(QueueFull):
        await ask("third")
    waiting.cancel()
    await _until(lambda: queue.waiting == 0)
    fourth = asyncio.create_task(ask("fourth"))
    engine.go.set()
    await asyncio.gather(running_one, fourth)
    worker.cancel()
    assert [request.messages[-1]["content"] for request in engine.calls] == ["first", "fourth"]


async def test_the_server_is_unwanted_when_the_last_lease_is_gone(engine: SlowEngine) -> None:
    """It stays while one of two leases is held, and exits the linger time after the last."""
    async with running(engine) as (server, url):
        ends = asyncio.create_task(server.unwanted(first_lease_seconds=30, linger_seconds=0.1))
        async with httpx.AsyncClient(base_url=url) as one:
            async with httpx.AsyncClient(base_url=url) as two:
                for client in (one, two):
                    request = client.build_request("GET", "/lease")
                    await client.send(request, stream=True)
                await _until(lambda: server.leases == 2)
            await _until(lambda: server.leases == 1)
            await asyncio.sleep(0.3)
            assert not ends.done()
        await asyncio.wait_for(ends, 3)


async def test_a_server_that_nobody_ever_held_ends_too(engine: SlowEngine) -> None:
    """If its starter died before taking a lease, the server exits too."""
    async with running(engine) as (server, _):
        await asyncio.wait_for(server.unwanted(first_lease_seconds=0.1, linger_seconds=0.1), 3)


async def _until(met: Callable[[], bool]) -> None:
    """Wait until another task or thread makes a condition true."""
    async with asyncio.timeout(5):
        while not met():  # noqa: ASYNC110  counters of other tasks have no event
            await asyncio.sleep(0.01)


async def test_ending_does_not_wait_for_a_prompt() -> None:
    """An engine that cannot be stopped, as within a prompt, does not keep the server alive."""
    release = threading.Event()

    def stubborn(request: EngineRequest, on_piece: Callable[[Piece], bool]) -> Completion:
        release.wait(30)
        return Completion(reason="stop")

    server = ModelServer(stubborn, model="tiny")
    runner = web.AppRunner(server.application(), handler_cancellation=True, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    url = f"http://127.0.0.1:{runner.addresses[0][1]}"
    asked = asyncio.create_task(ollama.AsyncClient(host=url).chat("tiny", turn("x"), options=COLD))
    await _until(lambda: server.busy)
    async with asyncio.timeout(5):
        await runner.cleanup()
    assert server.busy
    release.set()
    await asyncio.gather(asked, return_exceptions=True)
    await _until(lambda: not server.busy)
