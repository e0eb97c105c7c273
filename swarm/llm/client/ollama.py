"""One call of a model over Ollama's HTTP API; every failure becomes an `LLMError`.

This is the only module that uses the `ollama` client. It runs under trio and asyncio (anyio).
What it shares with the client of other servers is in `swarm.llm.client.server_calls`.
The caller sets the time limit (`swarm.llm.client.brain` has one around everything).
"""

from __future__ import annotations

import json
import os
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import aclosing, suppress
from typing import Any, Literal, cast

import anyio
import httpx
import ollama
import structlog

from swarm.llm.client.model_choice import Candidate, parameters_in
from swarm.llm.client.model_client import Profile, Reply
from swarm.llm.client.parsing import RAW_CHARS
from swarm.llm.client.prompt import Prompt
from swarm.llm.client.server_address import ServerAddress, parse_address
from swarm.llm.client.server_calls import (
    ATTEMPTS,
    AWAY_STATUSES,
    LOOK_LIMIT_SECONDS,
    REFUSED_STATUSES,
    TooLong,
    connection_failure,
    http_options,
    refusal,
    with_retries,
)
from swarm.llm.client.thinking import answer_in, index_of_answer
from swarm.llm.errors import (
    LLMError,
    ModelMissing,
    ServerError,
    ServerUnusable,
    TimedOut,
    printable,
)
from swarm.llm.requests import EMBEDDED_MARK

log = structlog.get_logger(__name__)

HOST_VARIABLE = "OLLAMA_HOST"
"""Ollama's own variable for its address, with or without a scheme and port."""

TOP_LOGPROBS = 10
"""Alternatives requested for the first token of a rating: "Yes", "No" and their spellings."""


class ChatClient:
    """Calls of one model on one server.

    Args:
        server: The server's address; empty for `OLLAMA_HOST` or Ollama's default.
        model: The model's name.
        key: A bearer token for a server that wants one; empty for none.
        tries: Tries of a call whose failure may be transient.

    Raises:
        ServerUnusable: The address is none.
    """

    def __init__(
        self, server: str | ServerAddress, model: str, *, key: str = "", tries: int = ATTEMPTS
    ) -> None:
        self._tries = tries
        self._address = (
            server
            if isinstance(server, ServerAddress)
            else parse_address(server or os.environ.get(HOST_VARIABLE, ""))
        )
        self._sends_credentials = bool(key) or self._address.user is not None
        self._client = ollama.AsyncClient(
            host=self._address.url, **http_options(self._address, key)
        )
        self.model = model
        self.place = self._address.public

    async def complete(
        self,
        prompt: Prompt,
        *,
        options: Mapping[str, Any],
        logprobs: bool = False,
        on_text: Callable[[str], None] | None = None,
    ) -> Reply:
        """See `ModelClient`; the options are Ollama's, besides the token limit."""

        async def once() -> Reply:
            try:
                return await self._once(prompt, options, logprobs, on_text)
            except FAILURES as error:
                failure = self._translate(error)
                log.debug("model_call_failed", model=self.model, kind=type(failure).__name__)
                raise failure from error

        return await with_retries(once, tries=self._tries)

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
        names = [one.name for one in await self.candidates() if one.chats]
        return tuple(dict.fromkeys([*names, *(name.removesuffix(":latest") for name in names)]))

    async def candidates(self) -> tuple[Candidate, ...]:
        """Return the server's models, newest first, with what it tells about them.

        Raises:
            LLMError: As `complete`.
        """
        try:
            with anyio.fail_after(LOOK_LIMIT_SECONDS):
                listed = await self._client.list()
                loaded = await self._loaded()
        except TimeoutError as error:
            raise TimedOut(f"The model server at {self.place} does not answer in time.") from error
        except FAILURES as error:
            raise self._translate(error) from error
        return tuple(
            _candidate_of(entry, entry.model, loaded)
            for entry in listed.models
            # A name that cannot be shown can be neither chosen nor announced.
            if entry.model and entry.model.isprintable()
        )

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
            "think": _thinking_asked_for(self.model),
        }
        if logprobs:
            arguments |= {"logprobs": True, "top_logprobs": TOP_LOGPROBS}
        if on_text is None:
            response = await self._client.chat(**arguments)
            return Reply(
                text=_text_of(response.message),
                cut=response.done_reason == "length",
                choices=_first_choices(response),
                thought=bool(response.message.thinking),
            )
        pieces: list[str] = []
        characters = 0
        reason = None
        thought = False
        stream = await self._client.chat(**arguments, stream=True)
        # Closing the generator now, not when it is collected, ends the request.
        async with aclosing(cast("AsyncGenerator[ollama.ChatResponse]", stream)) as parts:
            async for part in parts:
                reason = part.done_reason or reason
                thought = thought or bool(part.message.thinking)
                if part.message.content:
                    pieces.append(part.message.content)
                    on_text(part.message.content)
                    characters += len(part.message.content)
                if characters >= RAW_CHARS:
                    return Reply(text="".join(pieces), cut=True, thought=thought)
        # A stream without its last message was cut off, though no error was raised.
        return Reply(text="".join(pieces), cut=reason != "stop", thought=thought)

    async def _loaded(self) -> frozenset[str]:
        """Return the names of the models in memory; none if the server does not tell."""
        try:
            running = await self._client.ps()
        except FAILURES:
            return frozenset()
        return frozenset(entry.model for entry in running.models if entry.model)

    async def _missing(self) -> ModelMissing:
        names = [name for name in await self.models() if not name.endswith(":latest")][:5]
        has = f"It has: {', '.join(names)}." if names else "It has no model yet."
        return ModelMissing(
            f"The server at {self.place} has no model “{self.model}”. {has} "
            f"Get it with `ollama pull {self.model}`, or choose another with --model."
        )

    def _translate(self, error: BaseException) -> LLMError:
        """Return the `LLMError` that fits a failure of the client library."""
        if isinstance(error, ollama.ResponseError):
            return self._translate_status(error)
        if isinstance(
            error, (ConnectionError, httpx.RequestError, anyio.BrokenResourceError, TooLong)
        ):
            remedy = "Start Ollama there, or give another address with --server."
            return connection_failure(error, self._address, remedy)
        return ServerError(
            f"The server at {self.place} answered something that is not Ollama's API.", status=502
        )

    def _translate_status(self, error: ollama.ResponseError) -> LLMError:
        status = error.status_code
        if status in REFUSED_STATUSES:
            return refusal(self.place, status, with_credentials=self._sends_credentials)
        if status == 404 and "model" not in str(error.error).lower():
            # Ollama names the model. Anything else says that there is no such path.
            return ServerUnusable(
                f"The server at {self.place} answers, but not as Ollama does: it does not know "
                "Ollama's paths (status 404). Give the address of Ollama, or of a server with "
                "OpenAI's interface, with --server."
            )
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


def _thinking_asked_for(model: str) -> Literal["low"] | Literal[False]:
    """Return how much thinking is asked for: none, of which other models than gpt-oss know.

    A reasoning model would spend its token limit on it; models that do not think ignore this.
    """
    name = model.lower()
    return "low" if "gpt-oss" in name or "gptoss" in name else False


def _text_of(message: ollama.Message) -> str:
    """Return the content of a message, or what a model that calls a tool instead gives to it."""
    if message.content or not message.tool_calls:
        return message.content or ""
    calls = [dict(call.function.arguments) for call in message.tool_calls]
    return json.dumps(calls[0] if len(calls) == 1 else calls, ensure_ascii=False, default=str)


def _first_choices(response: ollama.ChatResponse) -> tuple[tuple[str, float], ...] | None:
    """Return the alternatives of the answer's first token; those of the thinking come before."""
    if not response.logprobs:
        return None
    answer = answer_in(response.message.content or "")
    index = index_of_answer([entry.token for entry in response.logprobs], answer)
    first = response.logprobs[index or 0]
    if first.top_logprobs:
        return tuple((choice.token, choice.logprob) for choice in first.top_logprobs)
    return ((first.token, first.logprob),)


def _profile_of(shown: ollama.ShowResponse) -> Profile:
    info = dict(shown.modelinfo or {})
    context = next((value for key, value in info.items() if key.endswith(".context_length")), 0)
    size = shown.details.parameter_size if shown.details is not None else None
    return Profile(
        embedded=bool(info.get(EMBEDDED_MARK, False)),
        parameters=_whole(info.get("general.parameter_count")) or parameters_in(size or ""),
        context_tokens=_whole(context),
    )


def _whole(value: object) -> int:
    return int(value) if isinstance(value, (int, float)) and 0 < value < 1e15 else 0


def _candidate_of(entry: ollama.ListResponse.Model, name: str, loaded: frozenset[str]) -> Candidate:
    details = entry.details
    families = (details.family, *(details.families or ())) if details is not None else ()
    return Candidate(
        name=name,
        size_bytes=_whole(entry.size),
        parameters=parameters_in((details.parameter_size or "") if details is not None else ""),
        families=tuple(family for family in families if family),
        loaded=name in loaded,
        # By their families these are embedding models.
        chats=not any("bert" in family.lower() for family in families if family),
    )


def _one_line(said: object) -> str:
    """Return a foreign error message, which may be any object, as one bounded printable line."""
    text = str(said)
    with suppress(ValueError, KeyError, TypeError, RecursionError):
        text = str(json.loads(text)["error"])
    return printable(text, 200) or "no reason given"
