"""The embedded model server: enough of Ollama's HTTP API over one GGUF file, on loopback.

It is a process of its own (asyncio and aiohttp), started once a machine by
`swarm.llm.embedded.server_process`, or by hand with `swarm model serve`. Peers use it like any
Ollama. It serves `/api/chat`, `/api/generate` (streamed as NDJSON or whole, `format`, `options`,
`logprobs`), `/api/tags`, `/api/show` and `/api/version`, with Ollama's error JSON and status codes.

It exits on a signal or, if peers started it, by itself. A peer holds a lease by keeping a request
to `/lease` open; once the last lease has been gone for the linger time, closed or killed, the
server exits. So nothing keeps running after a swarm.

Browsers can reach loopback too, so requests with a foreign `Host` or any `Origin` are refused.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import signal
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import aclosing
from pathlib import Path
from typing import Annotated, Any, Literal, NoReturn

import structlog
from aiohttp import web
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from swarm import version
from swarm.llm.embedded.engine import (
    CONTEXT_TOKENS,
    Completion,
    Engine,
    EngineError,
    EngineRequest,
    Piece,
    TokenChoice,
)
from swarm.llm.embedded.request_queue import Complete, QueueFull, RequestQueue
from swarm.llm.requests import EMBEDDED_MARK

log = structlog.get_logger(__name__)

DEFAULT_ANSWER_TOKENS = 512
"""Token limit of an answer if the client sets none."""

MAX_BODY = 1_000_000
"""Largest request, in bytes; far more than fits the context."""

FIRST_LEASE_SECONDS = 30.0
"""How long a server that peers started waits for its first lease, in seconds."""

LINGER_SECONDS = 2.0
"""How long it stays after the last lease, in seconds: a restarting peer finds it still there."""

ENGINE_STOP_SECONDS = 1.0
"""How long an exiting server waits for the engine, in seconds; it stops only between tokens."""

RETRY_AFTER_SECONDS = 5
"""The `Retry-After` of a full queue, in seconds."""

_LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})


class _Options(BaseModel):
    """The options of Ollama that apply here; others are accepted and ignored."""

    model_config = ConfigDict(extra="ignore")

    num_predict: int = DEFAULT_ANSWER_TOKENS
    temperature: Annotated[float, Field(ge=0, le=5)] = 0.8
    seed: int = 0
    top_p: Annotated[float, Field(gt=0, le=1)] = 0.95
    repeat_penalty: Annotated[float, Field(gt=0, le=3)] = 1.0
    stop: list[str] | str = []


class _Turn(BaseModel):
    """One chat turn."""

    model_config = ConfigDict(extra="ignore")

    role: Literal["system", "user", "assistant", "tool"]
    content: str = ""


class _Call(BaseModel):
    """What `/api/chat` and `/api/generate` have in common."""

    model_config = ConfigDict(extra="ignore")

    model: str
    messages: list[_Turn] = []
    prompt: str = ""
    system: str = ""
    format: dict[str, Any] | Literal["json", ""] | None = None
    options: _Options | None = None
    stream: bool | None = None
    logprobs: bool | None = None
    top_logprobs: Annotated[int, Field(ge=0, le=20)] | None = None

    def to_engine(self, turns: list[_Turn]) -> EngineRequest:
        """Return the call in the form that the engine takes."""
        options = self.options or _Options()
        limit = options.num_predict if options.num_predict > 0 else CONTEXT_TOKENS
        schema: Mapping[str, Any] | None = {} if self.format == "json" else self.format or None
        stop = [options.stop] if isinstance(options.stop, str) else options.stop
        return EngineRequest(
            messages=tuple({"role": turn.role, "content": turn.content} for turn in turns),
            schema=schema,
            max_tokens=min(limit, CONTEXT_TOKENS),
            temperature=options.temperature,
            seed=options.seed,
            top_p=options.top_p,
            stop=tuple(stop),
            top_logprobs=max(self.top_logprobs or 0, 1) if self.logprobs else 0,
            repeat_penalty=options.repeat_penalty,
        )


class ModelServer:
    """The HTTP application of one engine.

    Args:
        complete: The engine's blocking call.
        model: Name of the model.
        size: Size of the weights, in bytes.
    """

    def __init__(self, complete: Complete, *, model: str, size: int = 0) -> None:
        self.model = model
        self.leases = 0
        self.last_lease_at = time.monotonic()
        self.had_lease = False
        self._size = size
        self._queue = RequestQueue(complete)

    def application(self) -> web.Application:
        """Return the application; the queue is served while it runs."""
        app = web.Application(client_max_size=MAX_BODY, middlewares=[_only_local, _ollama_errors])
        app.cleanup_ctx.append(self._working)
        app.add_routes(
            [
                web.get("/", self._root),
                web.get("/api/version", self._version),
                web.get("/api/tags", self._tags),
                web.post("/api/show", self._show),
                web.post("/api/chat", self._chat),
                web.post("/api/generate", self._generate),
                web.get("/lease", self._lease),
            ]
        )
        return app

    @property
    def busy(self) -> bool:
        """Whether the engine is working."""
        return self._queue.busy

    async def unwanted(self, *, first_lease_seconds: float, linger_seconds: float) -> None:
        """Wait until no lease has been held for long enough and no request is being answered."""
        while True:
            limit = linger_seconds if self.had_lease else first_lease_seconds
            left = limit - (time.monotonic() - self.last_lease_at)
            if self.leases == 0 and left <= 0 and not self._queue.waiting:
                return
            await asyncio.sleep(min(max(left, 0.1), 1.0))

    async def _working(self, app: web.Application) -> AsyncIterator[None]:
        task = asyncio.create_task(self._queue.work())
        yield
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(ENGINE_STOP_SECONDS):
                while self.busy:  # noqa: ASYNC110  a thread in native code has no event
                    await asyncio.sleep(0.02)

    async def _root(self, request: web.Request) -> web.Response:
        return web.Response(text="Ollama is running")

    async def _version(self, request: web.Request) -> web.Response:
        return web.json_response(
            {
                "version": f"{version()}-leaderless",
                "pid": os.getpid(),
                "leases": self.leases,
                "waiting": self._queue.waiting,
                "answered": self._queue.answered,
                "shared_answers": self._queue.shared_answers,
            }
        )

    async def _tags(self, request: web.Request) -> web.Response:
        entry = {"name": self.model, "model": self.model, "size": self._size}
        return web.json_response({"models": [entry]})

    async def _show(self, request: web.Request) -> web.Response:
        body = await _json_body(request)
        self._require_model(str(body.get("model") or body.get("name") or ""))
        info = {EMBEDDED_MARK: True, "embedded.context_length": CONTEXT_TOKENS}
        details = {"format": "gguf", "family": "", "parameter_size": ""}
        return web.json_response(
            {"details": details, "model_info": info, "capabilities": ["completion"]}
        )

    async def _chat(self, request: web.Request) -> web.StreamResponse:
        call = _parse_call(await _json_body(request))
        self._require_model(call.model)
        if not call.messages:
            return web.json_response(
                {**self._message("", done=True, chat=True), "done_reason": "load"}
            )
        return await self._answer(request, call, call.to_engine(call.messages), chat=True)

    async def _generate(self, request: web.Request) -> web.StreamResponse:
        call = _parse_call(await _json_body(request))
        self._require_model(call.model)
        turns = [_Turn(role="user", content=call.prompt)]
        if call.system:
            turns.insert(0, _Turn(role="system", content=call.system))
        return await self._answer(request, call, call.to_engine(turns), chat=False)

    async def _lease(self, request: web.Request) -> web.StreamResponse:
        """Count a lease for as long as the client's connection lasts."""
        response = web.StreamResponse(headers={"Content-Type": "application/x-ndjson"})
        await response.prepare(request)
        self.leases += 1
        self.had_lease = True
        try:
            await response.write(b'{"lease": true}\n')
            # Cancelled when the connection is gone.
            await asyncio.Event().wait()
        finally:
            self.leases -= 1
            self.last_lease_at = time.monotonic()
        return response

    async def _answer(
        self, request: web.Request, call: _Call, engine: EngineRequest, *, chat: bool
    ) -> web.StreamResponse:
        started = time.monotonic()
        async with aclosing(self._queue.ask(engine)) as events:
            if call.stream is False:
                return await self._whole(events, started, chat=chat)
            # The first event decides the status: a refusal must not begin with 200.
            first = await anext(events)
            response = web.StreamResponse(headers={"Content-Type": "application/x-ndjson"})
            await response.prepare(request)
            try:
                await response.write(self._line_of(first, started, chat=chat))
                async for event in events:
                    await response.write(self._line_of(event, started, chat=chat))
            except EngineError as error:
                await response.write(json.dumps({"error": str(error)}).encode() + b"\n")
            await response.write_eof()
            return response

    async def _whole(
        self, events: AsyncIterator[Piece | Completion], started: float, *, chat: bool
    ) -> web.Response:
        pieces: list[Piece] = []
        async for event in events:
            if isinstance(event, Piece):
                pieces.append(event)
            else:
                text = "".join(piece.text for piece in pieces)
                tokens = [token for piece in pieces for token in piece.tokens]
                body = self._message(text, done=True, chat=chat, tokens=tokens)
                return web.json_response({**body, **_ending(event, started)})
        raise EngineError("The engine ended without an answer.", status=500)

    def _line_of(self, event: Piece | Completion, started: float, *, chat: bool) -> bytes:
        if isinstance(event, Piece):
            body = self._message(event.text, done=False, chat=chat, tokens=event.tokens)
        else:
            body = {**self._message("", done=True, chat=chat), **_ending(event, started)}
        return json.dumps(body, ensure_ascii=False).encode() + b"\n"

    def _message(
        self,
        text: str,
        *,
        done: bool,
        chat: bool,
        tokens: list[TokenChoice] | tuple[TokenChoice, ...] = (),
    ) -> dict[str, Any]:
        body: dict[str, Any] = {"model": self.model, "created_at": _now(), "done": done}
        if chat:
            body["message"] = {"role": "assistant", "content": text}
        else:
            body["response"] = text
        if tokens:
            body["logprobs"] = [_logprob(token) for token in tokens]
        return body

    def _require_model(self, name: str) -> None:
        if name.removesuffix(":latest") != self.model:
            raise EngineError(f"model '{name}' not found; this server has {self.model}", status=404)


def run(
    path: Path,
    *,
    model: str,
    port: int = 0,
    linger_seconds: float | None = None,
    on_ready: Callable[[str], None] | None = None,
) -> bool:
    """Serve a GGUF file until a signal, or until no lease is held; blocks.

    Args:
        path: The file of the weights.
        model: The name under which it is served.
        port: Port on loopback; 0 takes a free one.
        linger_seconds: Exit this long after the last lease, in seconds; None: never.
        on_ready: Called with the address once the model is loaded and the port is open.

    Returns:
        Whether the engine is idle. If not, native code is evaluating a prompt: end the process with
        `leave`, because waiting can take minutes and a normal exit can crash.

    Raises:
        EngineError: The weights cannot be loaded.
        OSError: The port is taken.
    """
    engine = Engine(path)
    server = ModelServer(engine.complete, model=model, size=path.stat().st_size)
    asyncio.run(_serve(server, port=port, linger_seconds=linger_seconds, on_ready=on_ready))
    return not server.busy


async def _serve(
    server: ModelServer,
    *,
    port: int,
    linger_seconds: float | None,
    on_ready: Callable[[str], None] | None,
) -> None:
    runner = web.AppRunner(server.application(), handler_cancellation=True, shutdown_timeout=1.0)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", port).start()
        url = f"http://127.0.0.1:{runner.addresses[0][1]}"
        stop = asyncio.Event()
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            with contextlib.suppress(NotImplementedError):
                loop.add_signal_handler(number, stop.set)
        log.info("model_server_ready", url=url, model=server.model)
        server.last_lease_at = time.monotonic()
        if on_ready is not None:
            on_ready(url)
        waits = [asyncio.ensure_future(stop.wait())]
        if linger_seconds is not None:
            unwanted = server.unwanted(
                first_lease_seconds=FIRST_LEASE_SECONDS, linger_seconds=linger_seconds
            )
            waits.append(asyncio.ensure_future(unwanted))  # type: ignore[arg-type]
        _, pending = await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        for wait in pending:
            wait.cancel()
        log.info("model_server_ends", url=url)
    finally:
        await runner.cleanup()


def leave() -> NoReturn:
    """End the process at once, even if the engine is working."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


@web.middleware
async def _only_local(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Refuse requests that a web page in a browser could send."""
    host = request.url.host or ""
    if host not in _LOOPBACK or "Origin" in request.headers:
        return web.json_response({"error": "only local programs may ask"}, status=403)
    return await handler(request)


@web.middleware
async def _ollama_errors(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Report every failure as Ollama does: a status and `{"error": text}`."""
    try:
        return await handler(request)
    except EngineError as error:
        return web.json_response({"error": str(error)}, status=error.status)
    except QueueFull:
        return web.json_response(
            {"error": "too many requests are waiting for the model"},
            status=503,
            headers={"Retry-After": str(RETRY_AFTER_SECONDS)},
        )
    except web.HTTPException as error:
        return web.json_response({"error": error.reason}, status=error.status)


async def _json_body(request: web.Request) -> dict[str, Any]:
    try:
        body = json.loads(await request.read())
    except (ValueError, RecursionError) as error:
        raise EngineError("the request is not JSON", status=400) from error
    if not isinstance(body, dict):
        raise EngineError("the request is not a JSON object", status=400)
    return body


def _parse_call(body: dict[str, Any]) -> _Call:
    if body.get("tools"):
        raise EngineError("this model does not support tools", status=400)
    try:
        return _Call.model_validate(body)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise EngineError(f"invalid request: {where}: {first['msg']}", status=400) from error


def _ending(end: Completion, started: float) -> dict[str, Any]:
    """Return the figures at the end of an answer; durations are in nanoseconds."""
    return {
        "done_reason": "length" if end.reason == "length" else "stop",
        "total_duration": int((time.monotonic() - started) * 1e9),
        "prompt_eval_count": end.prompt_tokens,
        "prompt_eval_duration": int(end.prompt_ms * 1e6),
        "eval_count": end.answer_tokens,
        "eval_duration": int(end.answer_ms * 1e6),
    }


def _logprob(token: TokenChoice) -> dict[str, Any]:
    return {
        "token": token.token,
        "logprob": token.logprob,
        "top_logprobs": [{"token": text, "logprob": value} for text, value in token.top],
    }


def _now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def main(arguments: list[str] | None = None) -> int:
    """Serve peers: one server for each state directory (`server_process`)."""
    from swarm.llm.embedded.server_process import AnotherServes, announced

    parser = argparse.ArgumentParser(prog="python -m swarm.llm.embedded.server")
    parser.add_argument("--weights", type=Path, required=True)
    parser.add_argument("--model", required=True)
    parser.add_argument("--state-dir", type=Path, required=True)
    parser.add_argument("--linger", type=float, default=LINGER_SECONDS)
    options = parser.parse_args(arguments)
    try:
        with announced(options.state_dir, options.model) as announce:
            idle = run(
                options.weights,
                model=options.model,
                linger_seconds=options.linger,
                on_ready=announce,
            )
    except AnotherServes:
        return 0
    except (EngineError, OSError) as error:
        sys.stderr.write(f"{error}\n")
        return 1
    if not idle:
        leave()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
