"""A scripted Ollama-compatible server, for tests, benchmarks and experiments by hand.

    python -m swarm.testing.scripted_server --port 11999 --latency 0.2 --fail 0.1

Its first line of output is its address. It answers `/api/chat`, `/api/tags`, `/api/show` and
`/api/version` as Ollama does, or with `--openai` `/v1/models` and `/v1/chat/completions` as servers
with OpenAI's API do, with deterministic answers (`swarm.testing.script`). It produces
faults on demand: by flags, or while it runs by a POST of the same names to `/control`, for example
`{"latency": 1, "next": ["hang", "bad_json"]}`; `next` lists one fault for each of the next chats.
GET `/control` reports its counts.

It uses the standard library only, so it starts fast, stays small and answers thousands of requests
a second: benchmarks with it measure the swarm.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import math
import random
import sys
import threading
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Protocol

from swarm.testing import openai_wire, script

FAULTS = ("fail", "bad_json", "empty", "hang", "cut", "html", "missing", "truncated", "midway")
"""Faults by name: status 500; prose instead of JSON; an empty answer; no answer; a connection
closed halfway; a web page; status 404; an answer cut by the token limit; an error within a
stream."""

MAX_BODY = 4_000_000
"""Largest request, in bytes."""

CREATED = "2026-01-01T00:00:00Z"
"""The timestamp of every answer, so that the same request gets the same bytes."""

REASONS = {200: "OK", 400: "Bad Request", 404: "Not Found", 405: "Method Not Allowed"} | {
    413: "Content Too Large",
    500: "Internal Server Error",
}


@dataclass
class Behaviour:
    """How the server behaves; each field is a flag and a key of `/control`.

    Attributes:
        latency: Seconds before an answer.
        jitter: Longest random addition to it, in seconds.
        stream_delay: Seconds between streamed pieces.
        fail: Share of chats answered with status 500.
        bad_json: Share of chats answered with prose where JSON was requested.
        hang: Share of chats never answered.
        cut: Share of chats whose connection is closed halfway.
        missing: Whether the model is missing: status 404.
        openai: Whether it speaks OpenAI's API instead of Ollama's.
        refuses: Fields of OpenAI's API, such as `logprobs` or `response_format`, that it refuses.
        key: What the header `Authorization` must hold; empty for anything.
        logprobs: Whether answers have log probabilities.
        yes: Fixed probability of "yes" to how good a split is; negative for one that depends on the
            question.
        small: Probability of "yes" to whether a goal is small enough for one task.
        nest: Whether parts are goals to be split again, if that is allowed.
        seed: Seed of the random faults.
        think: Words of thinking before every answer, whatever was requested; each is a token.
        think_in: Where Ollama's API shows the thinking: in a `field` of its own, in the text
            between `tags`, or `nowhere`.
        format_breaks: Whether a model that thinks answers nothing if a format is requested.
        models: Names of the models.
        next: Faults of the next chats, first to last.
    """

    latency: float = 0.0
    jitter: float = 0.0
    stream_delay: float = 0.0
    fail: float = 0.0
    bad_json: float = 0.0
    hang: float = 0.0
    cut: float = 0.0
    missing: bool = False
    openai: bool = False
    refuses: list[str] = field(default_factory=list)
    key: str = ""
    logprobs: bool = True
    yes: float = -1.0
    small: float = script.NOT_ATOMIC
    nest: bool = False
    seed: int = 0
    think: int = 0
    think_in: str = "field"
    format_breaks: bool = False
    models: list[str] = field(default_factory=lambda: ["scripted:latest"])
    next: list[str] = field(default_factory=list)


Answering = Callable[[dict[str, Any]], str | None]
"""Returns the text of the answer to a chat's body; None leaves it to the script."""


class ScriptedServer:
    """The server.

    Args:
        behaviour: How it behaves; it may be changed while the server runs.
        answering: Answers chats instead of the script.

    Attributes:
        counts: Chats by outcome: `split`, `rate`, `text`, `answering`, each fault, `abandoned` by
            the client.
        requests: Bodies of the chats, oldest first, the last `KEPT` of them.
        url: The address once started.
    """

    KEPT = 200

    def __init__(
        self, behaviour: Behaviour | None = None, answering: Answering | None = None
    ) -> None:
        self.behaviour = behaviour or Behaviour()
        self._answering = answering
        self.counts: Counter[str] = Counter()
        self.requests: list[dict[str, Any]] = []
        self.url = ""
        self._random = random.Random(self.behaviour.seed)
        self._server: asyncio.Server | None = None

    async def start(self, port: int = 0) -> str:
        """Listen on loopback and return the address; port 0 takes a free one."""
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", port, limit=MAX_BODY)
        self.url = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"
        return self.url

    async def stop(self) -> None:
        """Stop listening."""
        if self._server is not None:
            self._server.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while (request := await _read_request(reader)) is not None:
                method, path, body, key = request
                if self.behaviour.key not in ("", key) and path != "/control":
                    _send_json(writer, 401, {"error": "unauthorized"})
                    await writer.drain()
                elif not await self._route(method, path, body, reader, writer):
                    break
        except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, ValueError):
            pass
        finally:
            writer.close()

    async def _route(
        self,
        method: str,
        path: str,
        body: bytes,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
    ) -> bool:
        """Answer one request; return whether the connection stays open."""
        chat = "/v1/chat/completions" if self.behaviour.openai else "/api/chat"
        if path == chat and method == "POST":
            return await self._chat(json.loads(body), reader, writer)
        status, answer = self._plain(method, path, body)
        _send_json(writer, status, answer)
        await writer.drain()
        return True

    def _plain(self, method: str, path: str, body: bytes) -> tuple[int, object]:
        if path == "/control":
            return self._control(method, body)
        if self.behaviour.openai:
            return self._plain_openai(path)
        if path == "/":
            return 200, "Ollama is running"
        if path == "/api/version":
            return 200, {"version": "0.0.0-scripted"}
        if path == "/api/tags":
            names = [] if self.behaviour.missing else self.behaviour.models
            return 200, {"models": [{"name": name, "model": name, "size": 0} for name in names]}
        if path == "/api/show" and method == "POST":
            name = json.loads(body).get("model", "")
            if not self._has(name):
                return 404, {"error": f"model '{name}' not found"}
            details = {"family": "scripted", "parameter_size": "8.0B", "format": "script"}
            info = {"general.parameter_count": 8_000_000_000, "scripted.context_length": 8_192}
            return 200, {"details": details, "model_info": info, "capabilities": ["completion"]}
        return 404, {"error": "not found"}

    def _plain_openai(self, path: str) -> tuple[int, object]:
        if path != "/v1/models":
            return 404, {"detail": "Not Found"}
        names = [] if self.behaviour.missing else self.behaviour.models
        entries = [{"id": name, "object": "model", "owned_by": "scripted"} for name in names]
        return 200, {"object": "list", "data": entries}

    def _control(self, method: str, body: bytes) -> tuple[int, object]:
        if method == "POST":
            known = {entry.name for entry in fields(Behaviour)}
            changes = json.loads(body)
            if not isinstance(changes, dict) or set(changes) - known:
                return 400, {"error": f"known keys: {', '.join(sorted(known))}"}
            if set(changes.get("next", ())) - {*FAULTS, ""}:
                return 400, {"error": f"known faults: {', '.join(FAULTS)}"}
            for key, value in changes.items():
                setattr(self.behaviour, key, value)
            if "seed" in changes:
                self._random.seed(self.behaviour.seed)
        return 200, {"behaviour": asdict(self.behaviour), "counts": dict(self.counts)}

    def _has(self, name: str) -> bool:
        names = self.behaviour.models
        return not self.behaviour.missing and (name in names or f"{name}:latest" in names)

    def _fault(self) -> str:
        """Return the fault of this chat, empty for none."""
        if self.behaviour.next:
            return self.behaviour.next.pop(0)
        for name in ("fail", "bad_json", "hang", "cut"):
            share = getattr(self.behaviour, name)
            if share and self._random.random() < share:
                return name
        return ""

    async def _chat(
        self, body: dict[str, Any], reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> bool:
        self.requests = [*self.requests[-self.KEPT + 1 :], body]
        fault = self._fault()
        if fault:
            self.counts[fault] += 1
        wait = self.behaviour.latency + self._random.uniform(0, self.behaviour.jitter)
        if fault == "hang":
            wait = math.inf
        if wait and not await _still_there(reader, wait):
            self.counts["abandoned"] += 1
            return False
        refused = openai_wire.refused_field(body, self.behaviour.refuses)
        if self.behaviour.openai and refused:
            _send_json(writer, 400, openai_wire.refusal(refused))
        elif fault == "missing" or not self._has(str(body.get("model", ""))):
            _send_json(writer, 404, {"error": f"model '{body.get('model')}' not found"})
        elif fault == "fail":
            _send_json(writer, 500, {"error": "scripted failure"})
        elif fault == "html":
            _send(writer, 200, b"<html><body>It works!</body></html>", "text/html")
        elif fault == "cut":
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n")
            writer.write(b'Content-Length: 9999\r\n\r\n{"model": "scr')
            await writer.drain()
            return False
        else:
            return await self._answer(body, fault, reader, writer)
        await writer.drain()
        return True

    async def _answer(
        self,
        body: dict[str, Any],
        fault: str,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
    ) -> bool:
        wire: _Wire = _OllamaWire()
        if self.behaviour.openai:
            wire = openai_wire.OpenAIWire()
            body = openai_wire.as_ollama(body)
        kind, text, yes = self._say(body)
        self.counts[kind] += 1
        if fault == "bad_json":
            text = "I am sorry, I would rather talk about the weather."
        elif fault == "empty":
            text = ""
        elif fault == "truncated":
            text = text[: max(1, len(text) * 2 // 3)]
        reason = "length" if fault == "truncated" else "stop"
        name = str(body.get("model", ""))
        if self.behaviour.think:
            self._think(body, text, yes, writer)
            await writer.drain()
            return True
        if body.get("stream", True):
            return await self._stream(wire, name, text, reason, fault == "midway", reader, writer)
        asked = yes is not None and body.get("logprobs") and self.behaviour.logprobs
        logprobs = _logprobs(text, yes) if asked and yes is not None else None
        _send_json(writer, 200, wire.whole(name, text, reason, logprobs))
        await writer.drain()
        return True

    def _think(
        self, body: dict[str, Any], text: str, yes: float | None, writer: asyncio.StreamWriter
    ) -> None:
        """Answer as a model that thinks first, and has no more tokens than requested (Ollama)."""
        limit = int((body.get("options") or {}).get("num_predict", 1_000_000))
        thought = ["hmm "] * min(self.behaviour.think, limit)
        words = list(script.pieces_of(text))[: limit - len(thought)]
        if self.behaviour.format_breaks and body.get("format"):
            words = []
        whole = "".join(words) == text
        cut = len(thought) < self.behaviour.think or not (whole or self.behaviour.format_breaks)
        final = _chunk(
            str(body.get("model", "")),
            "".join(words),
            done=True,
            reason="length" if cut else "stop",
        )
        if self.behaviour.think_in == "field":
            final["message"]["thinking"] = "".join(thought)
        elif self.behaviour.think_in == "tags":
            end = "</think>" if len(thought) == self.behaviour.think else ""
            final["message"]["content"] = f"<think>{''.join(thought)}{end}{''.join(words)}"
        if body.get("logprobs") and self.behaviour.logprobs:
            tokens = [{"token": word, "logprob": -0.1, "top_logprobs": []} for word in thought]
            answer = [_logprobs(text, yes)] if yes is not None and words else []
            final["logprobs"] = [*tokens, *answer]
        if body.get("stream", True):
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/x-ndjson\r\n")
            writer.write(b"Transfer-Encoding: chunked\r\n\r\n")
            _send_chunk(writer, _line(final))
            writer.write(b"0\r\n\r\n")
        else:
            _send_json(writer, 200, final)

    def _yes(self, asked: str) -> float:
        """Return the probability of "yes" to a question about a split, or about a goal's size."""
        if script.asks_for_size(asked):
            return self.behaviour.small
        share = self.behaviour.yes
        return share if share >= 0 else script.yes_share(asked)

    def _say(self, body: dict[str, Any]) -> tuple[str, str, float | None]:
        """Return kind of answer, its text, and the probability of yes where that was asked."""
        if self._answering is not None and (given := self._answering(body)) is not None:
            return "answering", given, None
        messages = body.get("messages") or [{"content": ""}]
        asked = str(messages[-1].get("content", ""))
        if asked.startswith("You stopped at the limit") and len(messages) > 2:
            # A continuation: the rest of the answer to the question before.
            written = str(messages[-2].get("content", ""))
            go_on, text, yes = self._say({**body, "messages": messages[:-2]})
            return go_on, text.removeprefix(written), yes
        system = str(messages[0].get("content", ""))
        form = body.get("format")
        if isinstance(form, dict) and "parts" not in form.get("properties", {}):
            return "text", json.dumps(script.form_answer(form, asked), ensure_ascii=False), None
        if isinstance(form, dict) or "Split it" in asked:
            # After feedback the question is an earlier turn.
            told = next((m["content"] for m in messages[::-1] if "Split it" in m["content"]), asked)
            subject = script.subject_in(told)
            count = script.max_items_in(body.get("format"))
            nested = self.behaviour.nest and '"goal"' in json.dumps(body.get("format"))
            kind = {"kind": "goal"} if nested else {}
            rows = [
                {"title": title, "detail": detail, **kind}
                for title, detail in script.parts_for(script.lens_in(told), count, subject)
            ]
            answer = {"parts": rows, "rationale": f"Scripted split of {subject[:60]}."}
            return "split", json.dumps(answer, ensure_ascii=False), None
        if script.ASKS_FOR_LETTER in system:
            yes = self._yes(asked)
            own, other = script.letters_in(asked)
            return "rate", own if yes >= 0.5 else other, yes
        if "Yes or No" in system:
            yes = self._yes(asked)
            return "rate", "Yes" if yes >= 0.5 else "No", yes
        if "The finished parts:" in asked:
            return (
                "text",
                script.assembled(script.subject_in(asked.partition("\n\n")[0]), asked),
                None,
            )
        return "text", script.part_text(asked), None

    async def _stream(
        self,
        wire: _Wire,
        name: str,
        text: str,
        reason: str,
        midway: bool,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
    ) -> bool:
        writer.write(
            b"HTTP/1.1 200 OK\r\nContent-Type: %b\r\nTransfer-Encoding: chunked\r\n\r\n"
            % wire.stream_type
        )
        pieces = list(script.pieces_of(text))
        if midway:
            pieces = pieces[: len(pieces) // 2]
        for piece in pieces:
            if writer.is_closing():
                self.counts["abandoned"] += 1
                return False
            _send_chunk(writer, wire.piece(name, piece))
            if self.behaviour.stream_delay:
                await writer.drain()
                if not await _still_there(reader, self.behaviour.stream_delay):
                    self.counts["abandoned"] += 1
                    return False
        _send_chunk(writer, wire.failure() if midway else wire.end(name, reason))
        writer.write(b"0\r\n\r\n")
        await writer.drain()
        return True


class _Wire(Protocol):
    """How an answer is written in one API."""

    stream_type: bytes

    def whole(
        self, name: str, text: str, reason: str, logprobs: dict[str, Any] | None
    ) -> dict[str, Any]: ...
    def piece(self, name: str, text: str) -> bytes: ...
    def end(self, name: str, reason: str) -> bytes: ...
    def failure(self) -> bytes: ...


class _OllamaWire:
    """Ollama's: a line of JSON for each piece."""

    stream_type = b"application/x-ndjson"

    def whole(
        self, name: str, text: str, reason: str, logprobs: dict[str, Any] | None
    ) -> dict[str, Any]:
        final = _chunk(name, text, done=True, reason=reason)
        return final if logprobs is None else {**final, "logprobs": [logprobs]}

    def piece(self, name: str, text: str) -> bytes:
        return _line(_chunk(name, text, done=False))

    def end(self, name: str, reason: str) -> bytes:
        return _line(_chunk(name, "", done=True, reason=reason))

    def failure(self) -> bytes:
        return _line({"error": "scripted failure"})


async def _read_request(reader: asyncio.StreamReader) -> tuple[str, str, bytes, str] | None:
    """Return method, path, body and authorization of the next request; None: no client is left."""
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError:
        return None
    first, *lines = head.decode("latin-1").split("\r\n")
    method, target, _ = first.split(" ", 2)
    length, key = 0, ""
    for line in lines:
        name, _, value = line.partition(":")
        if name.lower() == "content-length":
            length = int(value)
        elif name.lower() == "authorization":
            key = value.strip()
    if not 0 <= length <= MAX_BODY:
        return None
    body = await reader.readexactly(length) if length else b""
    return method, target.partition("?")[0], body, key


async def _still_there(reader: asyncio.StreamReader, seconds: float) -> bool:
    """Wait; return early with False if the client goes away meanwhile."""
    try:
        async with asyncio.timeout(None if math.isinf(seconds) else seconds):
            # The client sends nothing until it is answered: a read returns only when it is gone.
            while await reader.read(1):
                pass
            return False
    except TimeoutError:
        return True


def _send(writer: asyncio.StreamWriter, status: int, data: bytes, kind: str) -> None:
    head = (
        f"HTTP/1.1 {status} {REASONS.get(status, 'Unknown')}\r\nContent-Type: {kind}\r\n"
        f"Content-Length: {len(data)}\r\n\r\n"
    )
    writer.write(head.encode() + data)


def _send_json(writer: asyncio.StreamWriter, status: int, value: object) -> None:
    _send(writer, status, json.dumps(value, ensure_ascii=False).encode(), "application/json")


def _line(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode() + b"\n"


def _send_chunk(writer: asyncio.StreamWriter, data: bytes) -> None:
    writer.write(b"%x\r\n%b\r\n" % (len(data), data))


def _chunk(name: str, text: str, *, done: bool, reason: str = "") -> dict[str, Any]:
    value: dict[str, Any] = {
        "model": name,
        "created_at": CREATED,
        "message": {"role": "assistant", "content": text},
        "done": done,
    }
    if done:
        value |= {"done_reason": reason, "eval_count": len(text.split()), "prompt_eval_count": 0}
    return value


def _logprobs(text: str, yes: float) -> dict[str, Any]:
    """Return those of an answer's first token: "Yes" or "No", or a letter of several."""
    share = min(max(yes, 0.001), 0.999)
    other = {"Yes": "No", "No": "Yes", "A": "B"}.get(text, "A")
    chosen = max(share, 1 - share)  # `text` is what has the larger share.
    top = [
        {"token": text, "logprob": math.log(chosen)},
        {"token": other, "logprob": math.log(1 - chosen)},
    ]
    top.sort(key=lambda entry: -float(str(entry["logprob"])))
    return {**top[0], "top_logprobs": top}


@contextlib.asynccontextmanager
async def serving(
    behaviour: Behaviour | None = None, *, port: int = 0
) -> AsyncIterator[ScriptedServer]:
    """A running server in this asyncio loop; port 0 takes a free one."""
    server = ScriptedServer(behaviour)
    await server.start(port)
    try:
        yield server
    finally:
        await server.stop()


@contextlib.contextmanager
def serving_in_thread(
    behaviour: Behaviour | None = None, answering: Answering | None = None
) -> Iterator[ScriptedServer]:
    """A running server in a thread of its own, for callers under trio or without a loop."""
    server = ScriptedServer(behaviour, answering)
    loop = asyncio.new_event_loop()
    loop.run_until_complete(server.start())
    thread = threading.Thread(target=loop.run_forever, name="scripted-server", daemon=True)
    thread.start()
    try:
        yield server
    finally:
        asyncio.run_coroutine_threadsafe(_wind_down(server), loop).result(5)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(5)
        loop.close()


async def _wind_down(server: ScriptedServer) -> None:
    """Stop the server and every connection that it still has."""
    await server.stop()
    others = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)


def main(arguments: list[str] | None = None) -> None:
    """Run the server until it is interrupted."""
    parser = argparse.ArgumentParser(
        prog="python -m swarm.testing.scripted_server", description=__doc__
    )
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--port", type=int, default=0, help="port on loopback; 0 takes a free one")
    for entry in fields(Behaviour):
        flag = "--" + entry.name.replace("_", "-")
        if entry.name in ("models", "next", "refuses"):
            parser.add_argument(flag, nargs="*")
        elif isinstance(entry.default, bool):
            parser.add_argument(flag, action=argparse.BooleanOptionalAction)
        else:
            parser.add_argument(flag, type=type(entry.default))
    given = vars(parser.parse_args(arguments))
    port = given.pop("port")
    behaviour = Behaviour(**{key: value for key, value in given.items() if value is not None})

    async def run() -> None:
        async with serving(behaviour, port=port) as server:
            sys.stdout.write(f"{server.url}\n")
            sys.stdout.flush()
            await asyncio.Event().wait()

    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(run())


if __name__ == "__main__":
    main()
