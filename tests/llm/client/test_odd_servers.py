"""Model servers that answer anything at all, over real HTTP: an answer, or a failure of ours."""

from __future__ import annotations

import gzip
import json
import threading
from collections.abc import Awaitable, Callable, Iterator
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
import trio

from swarm.llm.client import parsing, server_calls
from swarm.llm.client.brain import OllamaBrain
from swarm.llm.client.model_client import Profile
from swarm.llm.errors import LLMError, ServerError, printable
from swarm.llm.requests import TextAnswer
from swarm.llm.settings import ModelSettings
from tests.llm.conftest import DO, RATE, SPLIT

pytestmark = pytest.mark.trio

Say = Callable[[BaseHTTPRequestHandler], None]
CHUNK = 100_000


def body(raw: bytes, status: int = 200, **headers: str) -> Say:
    """Say these bytes, whatever was asked."""

    def say(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(status)
        for name, value in {"Content-Length": str(len(raw)), **headers}.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.end_headers()
        handler.wfile.write(raw)

    return say


def endless(first: bytes, again: bytes) -> Say:
    """Never stop."""

    def say(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("Connection", "close")
        handler.end_headers()
        handler.wfile.write(first)
        try:
            while True:
                handler.wfile.write(again)
        except OSError:
            handler.close_connection = True

    return say


def piece(text: str, **more: object) -> bytes:
    """A line of a streamed answer, or a whole one."""
    message = {"role": "assistant", "content": text}
    return json.dumps({"message": message, "done": False, **more}).encode() + b"\n"


class OddServer:
    """A real server that says one thing to every call, and how the model is on request."""

    def __init__(self) -> None:
        self.say: Say = body(b"{}")
        self.show: Say = body(b'{"model_info": {}}')
        odd = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def log_message(self, *_: object) -> None:
                pass

            def do_POST(self) -> None:
                self.rfile.read(int(self.headers.get("Content-Length", 0)))
                (odd.show if self.path == "/api/show" else odd.say)(self)

            def do_GET(self) -> None:
                odd.say(self)

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.http.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.http.server_port}"


@pytest.fixture
def odd(monkeypatch: pytest.MonkeyPatch) -> Iterator[OddServer]:
    """An odd server on loopback, and no pauses between tries."""
    monkeypatch.setattr(server_calls, "FIRST_PAUSE_SECONDS", 0.001)
    server = OddServer()
    thread = threading.Thread(target=server.http.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    yield server
    server.http.shutdown()
    server.http.server_close()


def brain_for(server: OddServer, tries: int = 2) -> OllamaBrain:
    return OllamaBrain(
        server.url, "odd", settings=ModelSettings(time_limit_seconds=10), tries=tries
    )


ODD = {
    "nothing": body(b""),
    "deep": body(b'{"model_info": {"a": ' + b"[" * 100_000 + b"]" * 100_000 + b"}}"),
    "a long number": body(b'{"model_info": {"general.parameter_count": ' + b"9" * 5_000 + b"}}"),
    "a long number in an answer": body(b'{"eval_count": ' + b"9" * 5_000 + b"}"),
    "no number": body(b'{"model_info": {"x.context_length": NaN}, "eval_count": Infinity}'),
    "a lone surrogate": body(b'{"message": {"role": "assistant", "content": "\\ud800"}}'),
    "a lone surrogate in an error": body(b'{"error": "bad \\ud800"}', 500),
    "a lone surrogate in a name": body(b'{"models": [{"model": "x\\ud800y"}]}', 404),
    "a deep error": body(b'{"error": ' + b"[" * 100_000 + b"}", 500),
    "no UTF-8": body(b'{"model_info": "\xff\xfe"}'),
    "an odd charset": body(b"\xff\xfe", 500, Content_Type="text/plain; charset=utf-32"),
    "an unknown charset": body(b"\xff\xfe", 500, Content_Type="text/plain; charset=x\x01y"),
    "no gzip": body(b"xxxxx", Content_Encoding="gzip"),
    "a bomb": body(gzip.compress(b" " * 50_000_000), Content_Encoding="gzip"),
    "an odd place": body(b"", 302, Location="http://[::1"),
    "a place of no kind": body(b"", 302, Location="foo://x\xff"),
    "a place without a name": body(b"", 302, Location="http://" + "a" * 70 + ".xn--\x80/"),
    "null": body(b"null"),
    "a list": body(b"[" + b"[]," * 50_000 + b"[]]"),
    "control characters": body(b'{"error": "\\u001b[2J\\u202e\\n\\n"}', 503),
}


@pytest.mark.parametrize("say", ODD.values(), ids=ODD.keys())
async def test_whatever_a_server_says_is_an_answer_or_a_failure_of_ours(
    odd: OddServer, say: Say
) -> None:
    """Of every call, also of those about the model; and the message can be signed and shown."""
    for shows in (False, True):
        odd.say, odd.show = say, say if shows else odd.show
        brain = brain_for(odd)
        calls: list[Callable[[], Awaitable[object]]] = [
            brain.check,
            partial(brain.perform, SPLIT),
            partial(brain.perform, RATE),
            partial(brain.perform, DO, on_text=lambda text: None),
            brain._chat.models,
        ]
        said: list[str] = []
        for call in calls:
            try:
                await call()
            except LLMError as error:
                said.append(str(error))
        await brain.close()
        assert all(message.isprintable() for message in said)


ENDLESS = {
    "no end of a line": endless(b"", b" " * CHUNK),
    "no end of an answer": endless(b'{"message": {"role": "assistant", "content": "', b"x" * CHUNK),
    "no end of lines": endless(b"", piece("") * 1_000),
    "no end of thinking": endless(b"", piece("", thinking="x" * CHUNK)),
}


@pytest.mark.parametrize("say", ENDLESS.values(), ids=ENDLESS.keys())
@pytest.mark.parametrize("streams", [False, True])
async def test_an_answer_without_end_is_left(
    odd: OddServer, say: Say, streams: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No more than so many bytes are taken of an answer, as a whole or streamed."""
    taken = 0
    monkeypatch.setattr(server_calls, "MOST_BYTES", 1_000_000)
    inner = server_calls.Bounded.__aiter__

    async def counting(self: server_calls.Bounded):  # type: ignore[no-untyped-def]
        nonlocal taken
        async for chunk in inner(self):
            taken += len(chunk)
            yield chunk

    monkeypatch.setattr(server_calls.Bounded, "__aiter__", counting)
    odd.say = say
    brain = brain_for(odd, tries=1)
    brain._profile = Profile()
    with pytest.raises(ServerError, match="without end"):
        await brain.perform(DO, on_text=(lambda text: None) if streams else None)
    await brain.close()
    assert 0 < taken <= 1_000_000


async def test_a_streamed_text_without_end_is_cut_at_what_is_looked_at(odd: OddServer) -> None:
    """No more text is kept than is read in the end, and the answer stands."""
    written = 0

    def note(text: str) -> None:
        nonlocal written
        written += len(text)

    odd.say = endless(b"", piece("All is well. " * 1_000))
    answer = await brain_for(odd, tries=1).perform(DO, on_text=note)
    assert isinstance(answer, TextAnswer)
    assert parsing.RAW_CHARS <= written <= parsing.RAW_CHARS + 13_000


async def test_a_long_answer_is_read_beside_the_loop(
    odd: OddServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What may take long to read is read in another thread than the event loop's."""
    threads: set[int] = set()
    read = parsing.read_split

    def noting(text: str, **how: object) -> object:
        threads.add(threading.get_ident())
        return read(text, **how)  # type: ignore[arg-type]

    monkeypatch.setattr(parsing, "read_split", noting)
    odd.say = body(piece("[[" * 5_000, done=True))
    with pytest.raises(LLMError):
        await brain_for(odd).perform(SPLIT)
    assert threads
    assert threading.get_ident() not in threads


async def test_tries_last_long_enough_for_a_restart(monkeypatch: pytest.MonkeyPatch) -> None:
    """The pauses between the tries of a call add up to what the settings say: about ten seconds."""
    pauses: list[float] = []

    async def noting(seconds: float) -> None:
        pauses.append(seconds)
        await trio.lowlevel.checkpoint()

    monkeypatch.setattr("swarm.llm.client.server_calls.anyio.sleep", noting)
    brain = OllamaBrain("http://127.0.0.1:9", "none")
    brain._profile = Profile()
    for _ in range(20):
        pauses.clear()
        with pytest.raises(LLMError):
            await brain.perform(DO)
        assert len(pauses) == server_calls.ATTEMPTS - 1
        assert 9 <= sum(pauses) <= 14


@pytest.mark.parametrize("text", ["\ud800", "a\nb\u2028c\x1b[2J", "\u202eevil", "x" * 10_000])
async def test_a_message_is_one_line_that_can_be_signed(text: str) -> None:
    """Whatever is put into an error comes out printable, encodable and bounded."""
    said = str(ServerError(f"It said: {text}", status=500))
    said.encode()
    assert said.isprintable()
    assert len(said) <= 1_000
    assert printable(said) == said


@pytest.mark.parametrize(
    ("status", "away"), [(429, True), (502, True), (503, True), (504, True), (500, False)]
)
async def test_a_server_that_says_come_again_is_away(
    odd: OddServer, status: int, away: bool
) -> None:
    """Busy, starting, or a proxy before a server that is away: it costs no attempt at a task."""
    odd.say = body(b'{"error": "server busy, please try again"}', status)
    with pytest.raises(ServerError) as caught:
        await brain_for(odd).perform(DO)
    assert caught.value.away == away
    assert caught.value.retryable
