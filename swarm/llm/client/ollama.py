"""One call of a model over Ollama's HTTP API; every failure becomes an `LLMError`.

This is the only module that uses the `ollama` client. It runs under trio and asyncio (anyio).
Transient failures are retried here a few times, with growing pauses. The caller sets the time
limit (`swarm.llm.client.brain` has one around everything).
"""

from __future__ import annotations

import json
import os
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping
from contextlib import aclosing, suppress
from dataclasses import dataclass
from typing import Any, cast
from urllib.parse import urlsplit

import anyio
import httpx
import ollama
import structlog
from tenacity import AsyncRetrying, retry_if_exception, stop_after_attempt, wait_exponential_jitter

from swarm.llm.client.parsing import RAW_CHARS
from swarm.llm.client.prompts import Prompt
from swarm.llm.errors import (
    LLMError,
    ModelMissing,
    ServerError,
    ServerUnreachable,
    TimedOut,
    printable,
)
from swarm.llm.requests import EMBEDDED_MARK

log = structlog.get_logger(__name__)

DEFAULT_URL = "http://127.0.0.1:11434"
"""Where Ollama listens by default."""

HOST_VARIABLE = "OLLAMA_HOST"
"""Ollama's own variable for its address, with or without a scheme and port."""

ATTEMPTS = 4
"""Tries of one call if failures are transient: about ten seconds, enough for a restart."""

FIRST_PAUSE_SECONDS = 1.4
"""Shortest pause before the second try, in seconds; it doubles each time, to 9.8 s in all. Up to
half of it is added at random, so that peers that lost one server together do not return in step.
(With pauses drawn from zero upwards, all tries were measured to end after about 1.8 s.)"""

LONGEST_PAUSE_SECONDS = 7.0
"""Longest pause between tries, in seconds."""

MOST_BYTES = 8 * 1024 * 1024
"""Most bytes of one answer: about 25,000 streamed tokens, far more than is ever requested. An
answer that never stops, or never ends a line, is cut off there."""

CONNECT_LIMIT_SECONDS = 5.0
"""Time to connect, in seconds; a server on this machine or LAN answers in milliseconds."""

LOOK_LIMIT_SECONDS = 10.0
"""Time for a question about the server itself, in seconds; a busy server answers late."""

AWAY_STATUSES = (429, 502, 503, 504)
"""Statuses that mean "try again later": from a server that is starting or overloaded, or from a
proxy whose server is away."""

TOP_LOGPROBS = 10
"""Alternatives requested for the first token of a rating: "Yes", "No" and their spellings."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """The outcome of one call.

    Attributes:
        text: The answer as written.
        cut: Whether it hit the token limit.
        choices: (token, log probability) of the first token, if requested and given.
    """

    text: str
    cut: bool
    choices: tuple[tuple[str, float], ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """What a server reports about a model.

    Attributes:
        embedded: Whether it is our own embedded server.
        parameters: Number of parameters, 0 if unknown.
        context_tokens: Longest context, 0 if unknown.
    """

    embedded: bool = False
    parameters: int = 0
    context_tokens: int = 0


class ChatClient:
    """Calls of one model on one server.

    Args:
        url: The server's address; empty for `OLLAMA_HOST` or Ollama's default.
        model: The model's name.
        tries: Tries of a call whose failure may be transient.
    """

    def __init__(self, url: str, model: str, *, tries: int = ATTEMPTS) -> None:
        self._tries = tries
        url = url or os.environ.get(HOST_VARIABLE) or DEFAULT_URL
        self._client = ollama.AsyncClient(
            host=url,
            timeout=httpx.Timeout(None, connect=CONNECT_LIMIT_SECONDS),
            # Loading all certificates takes 30 ms and a megabyte; plain HTTP needs none.
            verify=urlsplit(url).scheme == "https",
            # The size of compressed data cannot be bounded before it is unpacked.
            headers={"Accept-Encoding": "identity"},
            event_hooks={"response": [_bound]},
        )
        self.model = model
        self.place = public_address(url)

    async def complete(
        self,
        prompt: Prompt,
        *,
        options: Mapping[str, Any],
        logprobs: bool = False,
        on_text: Callable[[str], None] | None = None,
    ) -> Reply:
        """Let the model answer a prompt; retry transient failures.

        Args:
            prompt: The prompt.
            options: Ollama's options besides the token limit.
            logprobs: Whether to request the probabilities of the first token.
            on_text: Called with new text as it arrives; after a retry the text starts over.

        Raises:
            LLMError: `ServerUnreachable`, `ModelMissing`, `TimedOut` or `ServerError`.
        """
        retrying = AsyncRetrying(
            sleep=anyio.sleep,
            stop=stop_after_attempt(self._tries),
            wait=wait_exponential_jitter(
                multiplier=FIRST_PAUSE_SECONDS,
                max=LONGEST_PAUSE_SECONDS,
                jitter=FIRST_PAUSE_SECONDS / 2,
            ),
            retry=retry_if_exception(_may_pass),
            reraise=True,
        )
        async for attempt in retrying:
            with attempt:
                try:
                    return await self._once(prompt, options, logprobs, on_text)
                except FAILURES as error:
                    failure = self._translate(error)
                    log.debug("model_call_failed", model=self.model, kind=type(failure).__name__)
                    raise failure from error
        raise AssertionError("tenacity either returns or raises")

    async def profile(self) -> Profile:
        """Ask the server about the model.

        Raises:
            LLMError: As `complete`; `ModelMissing` lists what the server has.
        """
        try:
            with anyio.fail_after(LOOK_LIMIT_SECONDS):
                shown = await self._client.show(self.model)
        except ollama.ResponseError as error:
            if error.status_code != 404:
                raise self._translate(error) from error
            if self.model in await self.models():
                return Profile()
            raise await self._missing() from error
        except TimeoutError as error:
            raise TimedOut(f"The model server at {self.place} does not answer in time.") from error
        except FAILURES as error:
            raise self._translate(error) from error
        return _profile_of(shown)

    async def models(self) -> tuple[str, ...]:
        """Return the names of the server's models, newest first, each with and without `:latest`.

        Raises:
            LLMError: As `complete`.
        """
        try:
            with anyio.fail_after(LOOK_LIMIT_SECONDS):
                listed = await self._client.list()
        except TimeoutError as error:
            raise TimedOut(f"The model server at {self.place} does not answer in time.") from error
        except FAILURES as error:
            raise self._translate(error) from error
        # A name that cannot be shown can be neither chosen nor announced.
        names = [
            entry.model
            for entry in listed.models
            if entry.model and entry.model.isprintable() and _can_chat(entry)
        ]
        return tuple(dict.fromkeys([*names, *(name.removesuffix(":latest") for name in names)]))

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()  # type: ignore[no-untyped-call]

    async def _once(
        self,
        prompt: Prompt,
        options: Mapping[str, Any],
        logprobs: bool,
        on_text: Callable[[str], None] | None,
    ) -> Reply:
        arguments: dict[str, Any] = {
            "model": self.model,
            "messages": prompt.messages,
            "format": prompt.schema,
            "options": {**options, "num_predict": prompt.max_tokens},
            # A reasoning model would spend its token limit on thinking; other models ignore this.
            "think": False,
        }
        if logprobs:
            arguments |= {"logprobs": True, "top_logprobs": TOP_LOGPROBS}
        if on_text is None:
            response = await self._client.chat(**arguments)
            return Reply(
                text=response.message.content or "",
                cut=response.done_reason == "length",
                choices=_first_choices(response),
            )
        pieces: list[str] = []
        characters = 0
        reason = None
        stream = await self._client.chat(**arguments, stream=True)
        # Closing the generator now, not when it is collected, ends the request.
        async with aclosing(cast("AsyncGenerator[ollama.ChatResponse]", stream)) as parts:
            async for part in parts:
                reason = part.done_reason or reason
                if part.message.content:
                    pieces.append(part.message.content)
                    on_text(part.message.content)
                    characters += len(part.message.content)
                if characters >= RAW_CHARS:
                    return Reply(text="".join(pieces), cut=True)
        # A stream without its last message was cut off, though no error was raised.
        return Reply(text="".join(pieces), cut=reason != "stop")

    async def _missing(self) -> ModelMissing:
        names = [name for name in await self.models() if not name.endswith(":latest")][:5]
        has = f"It has: {', '.join(names)}." if names else "It has no model yet."
        return ModelMissing(
            f"The server at {self.place} has no model “{self.model}”. {has} "
            f"Get it with `ollama pull {self.model}`, or choose another with --model."
        )

    def _translate(self, error: BaseException) -> LLMError:
        """Return the `LLMError` that fits a failure of the client library."""
        if isinstance(error, httpx.TimeoutException) and not isinstance(
            error, httpx.ConnectTimeout
        ):
            return TimedOut(f"The model server at {self.place} took too long.")
        if isinstance(error, (ConnectionError, httpx.TransportError, anyio.BrokenResourceError)):
            return ServerUnreachable(
                f"No model server answers at {self.place}, or the connection broke. "
                "Start Ollama there, or give another address with --ollama."
            )
        if isinstance(error, ollama.ResponseError):
            return self._translate_status(error)
        if isinstance(error, TooLong):
            return ServerError(f"The server at {self.place} answers without end.", status=502)
        return ServerError(
            f"The server at {self.place} answered something that is not Ollama's API.", status=502
        )

    def _translate_status(self, error: ollama.ResponseError) -> LLMError:
        status = error.status_code
        if status == 404:
            return ModelMissing(
                f"The server at {self.place} has no model “{self.model}”. "
                f"Get it with `ollama pull {self.model}`, or choose another with --model."
            )
        said = _one_line(error.error)
        when = "in the middle of its answer" if status == -1 else f"with status {status}"
        return ServerError(
            f"The model server at {self.place} failed {when}: {said}",
            status=status,
            away=status in AWAY_STATUSES,
        )


FAILURES = (
    ConnectionError,
    httpx.HTTPError,
    httpx.StreamError,
    ollama.ResponseError,
    anyio.BrokenResourceError,
    # Raised by the client for JSON of an unexpected shape.
    TypeError,
    AttributeError,
    # JSON nested too deep; numbers, encodings and addresses that Python rejects.
    RecursionError,
    ValueError,
    OverflowError,
    LookupError,
    httpx.InvalidURL,
)
"""Everything that the client library was observed to raise because of a server."""


class TooLong(ValueError):
    """An answer is longer than `MOST_BYTES`, or comes in a form that may hide how long it is."""


class _Bounded(httpx.AsyncByteStream):
    """A byte stream that raises `TooLong` beyond `MOST_BYTES`."""

    def __init__(self, inner: httpx.AsyncByteStream) -> None:
        self._inner = inner

    async def __aiter__(self) -> AsyncIterator[bytes]:
        left = MOST_BYTES
        async for chunk in self._inner:
            left -= len(chunk)
            if left < 0:
                raise TooLong("too many bytes")
            yield chunk

    async def aclose(self) -> None:
        await self._inner.aclose()


async def _bound(response: httpx.Response) -> None:
    """Bound the body of a response before it is read."""
    if response.headers.get("Content-Encoding", "identity").lower() != "identity":
        raise TooLong("compressed, though that was not asked for")
    if isinstance(response.stream, httpx.AsyncByteStream):
        response.stream = _Bounded(response.stream)


def public_address(url: str) -> str:
    """Return an address for messages: without user, password, path or query."""
    parts = urlsplit(url if "://" in url else f"http://{url}")
    return (
        f"{parts.hostname or 'localhost'}:{parts.port or (443 if parts.scheme == 'https' else 80)}"
    )


def _may_pass(error: BaseException) -> bool:
    """Return whether a retry may help; after a timeout the time limit is used up."""
    return isinstance(error, LLMError) and error.retryable and not isinstance(error, TimedOut)


def _first_choices(response: ollama.ChatResponse) -> tuple[tuple[str, float], ...] | None:
    if not response.logprobs:
        return None
    first = response.logprobs[0]
    if first.top_logprobs:
        return tuple((choice.token, choice.logprob) for choice in first.top_logprobs)
    return ((first.token, first.logprob),)


def _profile_of(shown: ollama.ShowResponse) -> Profile:
    info = dict(shown.modelinfo or {})
    context = next((value for key, value in info.items() if key.endswith(".context_length")), 0)
    size = shown.details.parameter_size if shown.details is not None else None
    return Profile(
        embedded=bool(info.get(EMBEDDED_MARK, False)),
        parameters=_whole(info.get("general.parameter_count")) or _parse_size(size or ""),
        context_tokens=_whole(context),
    )


def _parse_size(text: str) -> int:
    """Return the number of parameters in "1.5B" or "135M"; 0 for other texts."""
    scale = {"B": 1e9, "M": 1e6, "K": 1e3}.get(text[-1:].upper())
    try:
        return int(float(text[:-1]) * scale) if scale else 0
    except (ValueError, OverflowError):
        return 0


def _whole(value: object) -> int:
    return int(value) if isinstance(value, (int, float)) and 0 < value < 1e15 else 0


def _can_chat(entry: ollama.ListResponse.Model) -> bool:
    """Return whether a listed model can chat: by its family it is not an embedding model."""
    family = (entry.details.family if entry.details is not None else None) or ""
    return "bert" not in family.lower()


def _one_line(said: object) -> str:
    """Return a foreign error message, which may be any object, as one bounded printable line."""
    text = str(said)
    with suppress(ValueError, KeyError, TypeError, RecursionError):
        text = str(json.loads(text)["error"])
    return printable(text, 200) or "no reason given"
