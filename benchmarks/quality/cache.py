"""A proxy in front of a model server that remembers every answer on disk and counts what it costs.

    python -m benchmarks.quality.cache --upstream http://127.0.0.1:11434 --port 11500

It speaks Ollama's API on loopback. An answer of `/api/chat` or `/api/generate` is stored under a
digest of the path and the request, so a rerun of unchanged prompts costs nothing. Requests that are
sampled (temperature above 0) without a seed are stored by how often the same request was made
within a run. Whether the answer is streamed makes no difference to what is stored. Other paths are
passed on.

Counts belong to a run (`CachingProxy.run`): calls, tokens of prompts and answers, and the time that
the model took. They are stored with each answer, so an answer from the disk counts as it did when
it was made; `fresh_calls` tells how many were made now.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import hashlib
import json
import threading
import time
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aiohttp
from aiohttp import web
from platformdirs import user_cache_path

CACHED = ("/api/chat", "/api/generate")
"""Paths whose answers are stored."""

VERSION = 1
"""Part of every digest; changes when what is stored changes."""

MAX_BODY = 8_000_000
"""Largest request, in bytes."""

DEFAULT_TEMPERATURE = 0.8
"""What Ollama takes if a request names none."""

PIECE_CHARS = 40
"""Characters of each piece of an answer that is streamed from the disk."""


def default_folder() -> Path:
    """Return where answers are stored unless a flag names another folder."""
    return user_cache_path("leaderless") / "quality" / "answers"


@dataclass(slots=True)
class Meter:
    """What the calls of one run cost.

    Attributes:
        calls: Answers given.
        fresh_calls: Those of them that the model made now; equal calls share one answer.
        stored_calls: Those whose answer was made before the run began.
        abandoned: Calls that the client gave up.
        prompt_tokens: Tokens of all prompts, also of equal calls and of what a server remembers.
        answer_tokens: Tokens of all answers, also of equal calls.
        model_seconds: Time that the model took for different calls, as the server says, or as
            measured here.
    """

    calls: int = 0
    fresh_calls: int = 0
    stored_calls: int = 0
    abandoned: int = 0
    prompt_tokens: int = 0
    answer_tokens: int = 0
    model_seconds: float = 0.0

    @property
    def tokens(self) -> int:
        """Tokens of prompts and answers."""
        return self.prompt_tokens + self.answer_tokens


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """One answer.

    Attributes:
        text: Its text.
        final: What the server said about it, such as counts of tokens.
        logprobs: Probabilities of tokens, if they were requested.
        seconds: Time until it was whole, measured here.
    """

    text: str
    final: dict[str, Any]
    logprobs: list[Any]
    seconds: float


class CachingProxy:
    """The proxy.

    Args:
        upstream: Address of the model server.
        folder: Where answers are stored.
    """

    def __init__(self, upstream: str, folder: Path | None = None) -> None:
        self.upstream = upstream.rstrip("/")
        self.folder = folder or default_folder()
        self.url = ""
        self._meter = Meter()
        self._seen: Counter[str] = Counter()
        self._fresh: set[str] = set()
        self._counted: set[str] = set()
        self._locks: dict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._session: aiohttp.ClientSession | None = None

    @contextlib.contextmanager
    def run(self) -> Iterator[Meter]:
        """Count all calls until the block ends as one run; runs do not overlap."""
        self._seen.clear()
        self._fresh.clear()
        self._counted.clear()
        self._meter = Meter()
        yield self._meter

    def application(self) -> web.Application:
        """Return the application."""
        app = web.Application(client_max_size=MAX_BODY)
        app.cleanup_ctx.append(self._connected)
        app.add_routes([web.route("*", "/{path:.*}", self._serve)])
        return app

    async def _connected(self, app: web.Application) -> AsyncIterator[None]:
        timeout = aiohttp.ClientTimeout(total=None, connect=10)
        self._session = aiohttp.ClientSession(timeout=timeout)
        yield
        await self._session.close()

    async def _serve(self, request: web.Request) -> web.StreamResponse:
        body = await request.read()
        if request.path not in CACHED or request.method != "POST":
            return await self._pass_on(request, body)
        try:
            asked = json.loads(body)
        except ValueError:
            return await self._pass_on(request, body)
        key = self._key(request.path, asked)
        try:
            # Equal requests wait for the first of them, as its answer will serve them all.
            async with self._locks[key]:
                stored = self._load(key)
                if stored is None:
                    answer = await self._ask(request.path, asked)
                    if isinstance(answer, web.Response):
                        return answer
                    stored = answer
                    self._save(key, asked, stored)
                    self._fresh.add(key)
        except asyncio.CancelledError:
            self._meter.abandoned += 1
            raise
        self._count(key, stored)
        if asked.get("stream", True):
            return await _streamed(request, stored)
        return web.json_response(_whole(stored, request.path))

    async def _pass_on(self, request: web.Request, body: bytes) -> web.Response:
        assert self._session is not None
        headers = {"Content-Type": request.headers.get("Content-Type", "application/json")}
        try:
            async with self._session.request(
                request.method, self.upstream + request.path_qs, data=body or None, headers=headers
            ) as answer:
                data = await answer.read()
                return web.Response(
                    body=data, status=answer.status, content_type=answer.content_type
                )
        except aiohttp.ClientError as error:
            return web.json_response({"error": f"no model server: {error}"}, status=502)

    async def _ask(self, path: str, asked: dict[str, Any]) -> Stored | web.Response:
        """Let the model answer as a whole; return the answer, or the response about a failure."""
        assert self._session is not None
        began = time.perf_counter()
        try:
            async with self._session.post(
                self.upstream + path, json={**asked, "stream": False}
            ) as answer:
                data = await answer.read()
                if answer.status != 200:
                    return web.Response(
                        body=data, status=answer.status, content_type=answer.content_type
                    )
            final = json.loads(data)
        except (aiohttp.ClientError, ValueError) as error:
            return web.json_response({"error": f"the model server failed: {error}"}, status=502)
        if not isinstance(final, dict) or not final.get("done"):
            return web.json_response({"error": "the answer was cut off"}, status=502)
        return Stored(
            text=_text_of(final),
            final={name: final[name] for name in final if name not in _CONTENT},
            logprobs=final.get("logprobs") or [],
            seconds=time.perf_counter() - began,
        )

    def _count(self, key: str, stored: Stored) -> None:
        meter = self._meter
        first = key not in self._counted
        self._counted.add(key)
        meter.calls += 1
        meter.fresh_calls += first and key in self._fresh
        meter.stored_calls += key not in self._fresh
        meter.prompt_tokens += int(stored.final.get("prompt_eval_count") or 0)
        meter.answer_tokens += int(stored.final.get("eval_count") or 0)
        if first:
            names = ("prompt_eval_duration", "eval_duration")
            spent = sum(int(stored.final.get(name) or 0) for name in names)
            meter.model_seconds += spent / 1e9 if spent else stored.seconds

    def _key(self, path: str, asked: dict[str, Any]) -> str:
        """Return the digest of a request, and of how often it was made if it is sampled."""
        kept = {name: asked[name] for name in asked if name not in ("stream", "keep_alive")}
        kept = {name: value for name, value in kept.items() if value not in (None, "", [])}
        digest = hashlib.sha256(
            json.dumps([VERSION, path, kept], sort_keys=True, ensure_ascii=True).encode()
        ).hexdigest()
        options = asked.get("options") or {}
        sampled = float(options.get("temperature", DEFAULT_TEMPERATURE)) > 0
        if not sampled or options.get("seed") is not None:
            return digest
        self._seen[digest] += 1
        return f"{digest}-{self._seen[digest]}"

    def _file(self, key: str) -> Path:
        return self.folder / key[:2] / f"{key}.json"

    def _load(self, key: str) -> Stored | None:
        try:
            value = json.loads(self._file(key).read_text(encoding="utf-8"))
            return Stored(**value["answer"])
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def _save(self, key: str, asked: dict[str, Any], stored: Stored) -> None:
        file = self._file(key)
        file.parent.mkdir(parents=True, exist_ok=True)
        answer = {name: getattr(stored, name) for name in Stored.__slots__}
        fresh = file.with_suffix(".new")
        fresh.write_text(
            json.dumps({"request": asked, "answer": answer}, ensure_ascii=False), encoding="utf-8"
        )
        fresh.replace(file)


_CONTENT = ("message", "response", "logprobs")
"""What of a server's answer is stored apart from its counts."""


def _text_of(part: dict[str, Any]) -> str:
    if "response" in part:
        return str(part["response"])
    return str((part.get("message") or {}).get("content") or "")


def _content(text: str, path: str) -> dict[str, Any]:
    if path == "/api/generate":
        return {"response": text}
    return {"message": {"role": "assistant", "content": text}}


def _whole(stored: Stored, path: str) -> dict[str, Any]:
    body = {**stored.final, **_content(stored.text, path)}
    return {**body, "logprobs": stored.logprobs} if stored.logprobs else body


async def _streamed(request: web.Request, stored: Stored) -> web.StreamResponse:
    """Send an answer in pieces, as a model server does."""
    response = web.StreamResponse(headers={"Content-Type": "application/x-ndjson"})
    await response.prepare(request)
    common: dict[str, Any] = {
        name: stored.final[name] for name in ("model", "created_at") if name in stored.final
    }
    text = stored.text
    parts: list[dict[str, Any]] = [
        {**common, "done": False, **_content(text[start : start + PIECE_CHARS], request.path)}
        for start in range(0, len(text), PIECE_CHARS)
    ]
    if parts and stored.logprobs:
        parts[0]["logprobs"] = stored.logprobs
    parts.append({**stored.final, **_content("", request.path), "done": True})
    for part in parts:
        await response.write(json.dumps(part, ensure_ascii=False).encode() + b"\n")
    await response.write_eof()
    return response


@contextlib.contextmanager
def proxying(upstream: str, folder: Path | None = None, *, port: int = 0) -> Iterator[CachingProxy]:
    """Run a proxy in a thread of its own until the block ends; port 0 takes a free one."""
    proxy = CachingProxy(upstream, folder)
    loop = asyncio.new_event_loop()
    runner = web.AppRunner(proxy.application(), handler_cancellation=True, shutdown_timeout=1.0)

    async def start() -> None:
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", port).start()
        proxy.url = f"http://127.0.0.1:{runner.addresses[0][1]}"

    loop.run_until_complete(start())
    thread = threading.Thread(target=loop.run_forever, name="caching-proxy", daemon=True)
    thread.start()
    try:
        yield proxy
    finally:
        asyncio.run_coroutine_threadsafe(runner.cleanup(), loop).result(10)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(10)
        loop.close()


def main() -> None:
    """Serve until it is interrupted."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--upstream", required=True, help="address of the model server")
    parser.add_argument("--port", type=int, default=0, help="port on loopback; 0 takes a free one")
    parser.add_argument("--cache", type=Path, default=None, help="folder of the answers")
    options = parser.parse_args()
    with (
        proxying(options.upstream, options.cache, port=options.port) as proxy,
        contextlib.suppress(KeyboardInterrupt),
    ):
        print(proxy.url, flush=True)
        threading.Event().wait()


if __name__ == "__main__":
    main()
