"""One call of a model over Ollama's HTTP API, with every way it can fail made one of ours.

The only module that talks through the `ollama` client. It runs under trio and asyncio alike
(anyio). Transient failures are tried again here, a few times and with growing pauses; the time
limit is the caller's (`swarm.llm.client.brain` puts one around everything).
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
"""Where Ollama listens unless told otherwise."""

HOST_VARIABLE = "OLLAMA_HOST"
"""Ollama's own variable for its address, with or without a scheme and port."""

ATTEMPTS = 4
"""Tries of one call when the failure may pass: over about ten seconds, enough for a restart."""

FIRST_PAUSE_S = 1.4
"""Least pause before the second try; it doubles each time, to 9.8 s in all. Up to half of it is
added at random, so that peers that lost one server together do not come back in step. (Pauses
drawn from zero on were measured to end all tries after 1.8 s as a rule.)"""

LONGEST_PAUSE_S = 7.0
"""Upper bound of any pause between tries."""

MOST_BYTES = 8 * 1024 * 1024
"""Bytes of one answer: some 25,000 tokens as they are streamed, far more than is ever asked for. A
server that never stops, or never ends a line, is left there."""

CONNECT_LIMIT_S = 5.0
"""Time to connect; a server on this machine or LAN answers in milliseconds."""

LOOK_LIMIT_S = 10.0
"""Time for asking a server about itself; a busy one answers late."""

AWAY_STATUSES = (429, 502, 503, 504)
"""What stands for "come again later": said by a server that starts or has too much to do, or by a
proxy before one that is away."""

TOP_LOGPROBS = 10
"""Alternatives asked for at the first token of a rating: "Yes", "No" and their spellings."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What one call brought.

    Attributes:
        text: The answer as written.
        cut: It hit the token limit.
        choices: (token, log probability) at the first place, if asked for and given.
    """

    text: str
    cut: bool
    choices: tuple[tuple[str, float], ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """What a server says about a model.

    Attributes:
        embedded: It is our own embedded server.
        parameters: Number of parameters, 0 if unknown.
        context_tokens: Longest context, 0 if unknown.
    """

    embedded: bool = False
    parameters: int = 0
    context_tokens: int = 0


class ChatClient:
    """Calls of one model at one server.

    Args:
        url: The server's address; empty for `OLLAMA_HOST` or Ollama's default.
        model: The model's name.
        tries: Of a call whose failure may pass.
    """

    def __init__(self, url: str, model: str, *, tries: int = ATTEMPTS) -> None:
        self._tries = tries
        url = url or os.environ.get(HOST_VARIABLE) or DEFAULT_URL
        self._client = ollama.AsyncClient(
            host=url,
            timeout=httpx.Timeout(None, connect=CONNECT_LIMIT_S),
            # Reading all certificates takes 30 ms and a megabyte: not for plain HTTP.
            verify=urlsplit(url).scheme == "https",
            # What is compressed has no bound that could be seen before it is unpacked.
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
        """Let the model answer a prompt; transient failures are tried again.

        Args:
            prompt: What to answer.
            options: Ollama's options beside the token limit.
            logprobs: Ask for the probabilities at the first token.
            on_text: Gets new text as it comes; after a retry the text starts over.

        Raises:
            LLMError: `ServerUnreachable`, `ModelMissing`, `TimedOut` or `ServerError`.
        """
        retrying = AsyncRetrying(
            sleep=anyio.sleep,
            stop=stop_after_attempt(self._tries),
            wait=wait_exponential_jitter(
                multiplier=FIRST_PAUSE_S, max=LONGEST_PAUSE_S, jitter=FIRST_PAUSE_S / 2
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
            with anyio.fail_after(LOOK_LIMIT_S):
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
        """Names of the server's models, most recent first, both with and without `:latest`.

        Raises:
            LLMError: As `complete`.
        """
        try:
            with anyio.fail_after(LOOK_LIMIT_S):
                listed = await self._client.list()
        except TimeoutError as error:
            raise TimedOut(f"The model server at {self.place} does not answer in time.") from error
        except FAILURES as error:
            raise self._translate(error) from error
        # A name that cannot be shown can be neither chosen nor told to others.
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
            # A reasoning model would spend the token limit on thinking; others ignore it.
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
        # It is a generator; closing it at once, not when collected, is what ends the request.
        async with aclosing(cast("AsyncGenerator[ollama.ChatResponse]", stream)) as parts:
            async for part in parts:
                reason = part.done_reason or reason
                if part.message.content:
                    pieces.append(part.message.content)
                    on_text(part.message.content)
                    characters += len(part.message.content)
                if characters >= RAW_CHARS:
                    return Reply(text="".join(pieces), cut=True)
        # A stream that ends without its last message was cut off: no error, but no end either.
        return Reply(text="".join(pieces), cut=reason != "stop")

    async def _missing(self) -> ModelMissing:
        names = [name for name in await self.models() if not name.endswith(":latest")][:5]
        has = f"It has: {', '.join(names)}." if names else "It has no model yet."
        return ModelMissing(
            f"The server at {self.place} has no model “{self.model}”. {has} "
            f"Get it with `ollama pull {self.model}`, or choose another with --model."
        )

    def _translate(self, error: BaseException) -> LLMError:
        """The member of our tree that fits a failure of the client library."""
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
    # What the client does with JSON of an unexpected shape.
    TypeError,
    AttributeError,
    # JSON nested beyond measure; numbers, encodings and addresses that Python will not take.
    RecursionError,
    ValueError,
    OverflowError,
    LookupError,
    httpx.InvalidURL,
)
"""Everything the client library was seen to raise because of a server."""


class TooLong(ValueError):
    """An answer is longer than `MOST_BYTES`, or comes in a form that may hide how long it is."""


class _Bounded(httpx.AsyncByteStream):
    """A stream of bytes that ends with `TooLong` when it is longer than any answer."""

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
    """Bound what is read of a response, before any of it is."""
    if response.headers.get("Content-Encoding", "identity").lower() != "identity":
        raise TooLong("compressed, though that was not asked for")
    if isinstance(response.stream, httpx.AsyncByteStream):
        response.stream = _Bounded(response.stream)


def public_address(url: str) -> str:
    """An address fit for messages: no user, password, path or query."""
    parts = urlsplit(url if "://" in url else f"http://{url}")
    return (
        f"{parts.hostname or 'localhost'}:{parts.port or (443 if parts.scheme == 'https' else 80)}"
    )


def _may_pass(error: BaseException) -> bool:
    """Whether the same call may succeed in a moment; a timeout has used up its time already."""
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
    """Parameters out of "1.5B" or "135M"; 0 if it is neither."""
    scale = {"B": 1e9, "M": 1e6, "K": 1e3}.get(text[-1:].upper())
    try:
        return int(float(text[:-1]) * scale) if scale else 0
    except (ValueError, OverflowError):
        return 0


def _whole(value: object) -> int:
    return int(value) if isinstance(value, (int, float)) and 0 < value < 1e15 else 0


def _can_chat(entry: ollama.ListResponse.Model) -> bool:
    """Whether a listed model is not an embedding model, as far as its family tells."""
    family = (entry.details.family if entry.details is not None else None) or ""
    return "bert" not in family.lower()


def _one_line(said: object) -> str:
    """A foreign error message, which may be anything, bounded to one printable line."""
    text = str(said)
    with suppress(ValueError, KeyError, TypeError, RecursionError):
        text = str(json.loads(text)["error"])
    return printable(text, 200) or "no reason given"
