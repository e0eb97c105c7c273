"""One call of a model over OpenAI's HTTP API, as LM Studio, llama.cpp, vLLM and LiteLLM serve it.

Plain httpx: the API is three paths, and the `openai` package would add a dozen packages. Servers
differ in what they accept, so a request that is refused is sent again without the field that the
refusal names; the client remembers what its server does not know. What is missing then is made up
for: a schema goes into the prompt, and a rating without probabilities is read from the word (the
brain does this). Every failure becomes an `LLMError`.
"""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import aclosing
from typing import Any, TypeVar, cast

import anyio
import httpx
import structlog
from pydantic import BaseModel, ConfigDict, Field

from swarm.llm.client.model_choice import Candidate, parameters_in
from swarm.llm.client.model_client import Profile, Reply
from swarm.llm.client.parsing import RAW_CHARS
from swarm.llm.client.prompt import Prompt
from swarm.llm.client.server_address import ServerAddress
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

log = structlog.get_logger(__name__)

_M = TypeVar("_M", bound=BaseModel)

API_PATH = "/v1"
"""Where the API begins, below the address; an address may end with it."""

TOP_LOGPROBS = 10
"""Alternatives requested for the first token of a rating; OpenAI allows up to 20."""

REFUSALS: Mapping[str, tuple[str, ...]] = {
    "chat_template_kwargs": ("chat_template_kwargs", "template", "extra input", "unrecognized"),
    "logprobs": ("logprob",),
    "json_schema": ("response_format", "json_schema", "schema", "grammar", "structured"),
    "json_object": ("response_format", "json_object", "grammar", "structured"),
    "seed": ("seed",),
    "temperature": ("temperature",),
    "max_tokens": ("max_completion_tokens",),
}
"""What can be left out of a request, and words by which a refusal names it. If it names nothing,
they are left out in this order."""

NOT_UNDERSTOOD = (400, 422, 501)
"""Statuses with which servers refuse a field that they do not know."""

TOO_LONG = ("context length", "context size", "context window", "exceed_context", "maximum context")
"""Words by which servers say that a prompt is longer than the model's context."""

NO_MODEL = (
    "model_not_found",
    "does not exist",
    "not found",
    "invalid model",
    "no model",
    "unknown",
)
"""Words by which servers say, in a sentence about a model, that they do not have it."""


class _Loose(BaseModel):
    """What is looked at in an answer; everything else is ignored."""

    model_config = ConfigDict(extra="ignore")


class _Token(_Loose):
    token: str = ""
    logprob: float = 0.0
    top_logprobs: list[_Token] | None = None


class _Logprobs(_Loose):
    content: list[_Token] | None = None


class _Text(_Loose):
    content: str | None = None
    # The thinking, where the server tells it apart: llama.cpp and vLLM; newer vLLM, LM Studio.
    reasoning_content: str | None = None
    reasoning: str | None = None


class _Choice(_Loose):
    message: _Text | None = None
    delta: _Text | None = None
    logprobs: _Logprobs | None = None
    finish_reason: str | None = None


class _Answer(_Loose):
    choices: list[_Choice] = Field(default_factory=list)
    error: Any = None


class _Meta(_Loose):
    """What llama.cpp tells about its model."""

    n_params: int = 0
    n_ctx: int = 0
    n_ctx_train: int = 0
    size: int = 0


class _Model(_Loose):
    id: str
    owned_by: str | None = None
    max_model_len: int | None = None
    meta: _Meta | None = None


class _Models(_Loose):
    data: list[_Model]


class _StudioModel(_Loose):
    """A model as LM Studio's own API lists it."""

    id: str
    type: str = ""
    state: str = ""
    max_context_length: int = 0
    loaded_context_length: int = 0


class _StudioModels(_Loose):
    data: list[_StudioModel]


class _Settings(_Loose):
    n_ctx: int = 0


class _Props(_Loose):
    """The settings of llama.cpp's server."""

    default_generation_settings: _Settings = Field(default_factory=_Settings)


class OpenAIClient:
    """Calls of one model on one server; see `swarm.llm.client.model_client.ModelClient`.

    Args:
        address: The server's address, with or without `/v1`.
        model: The model's name.
        key: A bearer token for a server that wants one; empty for none.
        tries: Tries of a call whose failure may be transient.
    """

    def __init__(
        self, address: ServerAddress, model: str, *, key: str = "", tries: int = ATTEMPTS
    ) -> None:
        self._address = address
        self._key = key
        self._tries = tries
        self._root = address.url.removesuffix(API_PATH)
        self._client = httpx.AsyncClient(
            follow_redirects=True, **cast("dict[str, Any]", http_options(address, key))
        )
        self._unknown: frozenset[str] = frozenset()
        self.model = model
        self.place = address.public

    async def complete(
        self,
        prompt: Prompt,
        *,
        options: Mapping[str, Any],
        logprobs: bool = False,
        on_text: Callable[[str], None] | None = None,
    ) -> Reply:
        """See `ModelClient`."""

        async def once() -> Reply:
            try:
                return await self._understood(prompt, options, logprobs, on_text)
            except FAILURES as error:
                failure = self._translate(error)
                log.debug("model_call_failed", model=self.model, kind=type(failure).__name__)
                raise failure from error

        return await with_retries(once, tries=self._tries)

    async def profile(self) -> Profile:
        """See `ModelClient`; sizes that no server tells are read from the model's name."""
        listed = await self._listed()
        entry = next((one for one in listed if one.id == self.model), None)
        if entry is None and not any(_covers(one.id, self.model) for one in listed):
            raise self._missing([one.id for one in listed])
        meta = entry.meta if entry is not None and entry.meta is not None else _Meta()
        context = (entry.max_model_len if entry is not None else 0) or meta.n_ctx
        if entry is not None and entry.owned_by == "llamacpp":
            props = await self._asked("/props", _Props)
            context = props.default_generation_settings.n_ctx if props is not None else context
        elif not context:
            studio = await self._asked("/api/v0/models", _StudioModels)
            mine = [one for one in (studio.data if studio else ()) if one.id == self.model]
            context = max((one.loaded_context_length or one.max_context_length for one in mine),
                          default=0)  # fmt: skip
        return Profile(
            parameters=max(meta.n_params, 0) or parameters_in(self.model),
            context_tokens=max(context or meta.n_ctx_train, 0),
        )

    async def models(self) -> tuple[str, ...]:
        """See `ModelClient`; in the server's order."""
        return tuple(one.name for one in await self.candidates())

    async def candidates(self) -> tuple[Candidate, ...]:
        """Return the server's models with what it tells about them.

        Raises:
            LLMError: As `complete`.
        """
        studio = await self._asked("/api/v0/models", _StudioModels)
        known = {one.id: one for one in (studio.data if studio else ())}
        return tuple(
            Candidate(
                name=one.id,
                size_bytes=max(one.meta.size, 0) if one.meta else 0,
                parameters=max(one.meta.n_params, 0) if one.meta else 0,
                # Only LM Studio lists models that are not in memory, and it says which are.
                loaded=one.id not in known or known[one.id].state == "loaded",
                chats=one.id not in known or known[one.id].type in ("", "llm", "vlm"),
            )
            for one in await self._listed()
            # A name that cannot be shown can be neither chosen nor announced.
            if one.id and one.id.isprintable() and "*" not in one.id
        )

    async def close(self) -> None:
        """Close the connections."""
        await self._client.aclose()

    async def _understood(
        self,
        prompt: Prompt,
        options: Mapping[str, Any],
        logprobs: bool,
        on_text: Callable[[str], None] | None,
    ) -> Reply:
        """Make a call, leaving out what the server refuses."""
        unknown = self._unknown
        while True:
            body = _body(self.model, prompt, options, logprobs, unknown)
            try:
                reply = await self._once(body, on_text)
            except _Refused as error:
                refused = _what_is_refused(error, body, unknown)
                if refused is None:
                    raise
                unknown |= {refused}
                continue
            if unknown != self._unknown:
                log.info("model_server_lacks", server=self.place, fields=sorted(unknown))
                self._unknown = unknown
            return reply

    async def _once(self, body: dict[str, Any], on_text: Callable[[str], None] | None) -> Reply:
        url = f"{self._root}{API_PATH}/chat/completions"
        if on_text is None:
            response = await self._client.post(url, json=body)
            _check(response)
            return _reply_of(response.content)
        async with self._client.stream("POST", url, json={**body, "stream": True}) as response:
            if response.status_code >= 300 or not _is_stream(response):
                await response.aread()
                _check(response)
                reply = _reply_of(response.content)
                on_text(reply.text)
                return reply
            lines = cast("AsyncGenerator[str]", response.aiter_lines())
            async with aclosing(lines):
                return await _streamed(lines, on_text)

    async def _listed(self) -> list[_Model]:
        try:
            with anyio.fail_after(LOOK_LIMIT_SECONDS):
                response = await self._client.get(f"{self._root}{API_PATH}/models")
            _check(response)
            return _Models.model_validate_json(response.content).data
        except TimeoutError as error:
            raise TimedOut(f"The model server at {self.place} does not answer in time.") from error
        except FAILURES as error:
            raise self._translate(error) from error

    async def _asked(self, path: str, kind: type[_M]) -> _M | None:
        """Return what a server tells at a path that few servers have; None if it does not."""
        with anyio.move_on_after(LOOK_LIMIT_SECONDS):
            try:
                response = await self._client.get(f"{self._root}{path}")
                if response.status_code == 200:
                    return kind.model_validate_json(response.content)
            except FAILURES:
                return None
        return None

    def _missing(self, names: list[str]) -> ModelMissing:
        shown = ", ".join(names[:5])
        has = f"It has: {shown}." if names else "It has no model."
        return ModelMissing(
            f"The server at {self.place} has no model “{self.model}”. {has} Choose one of these "
            "with --model, or load the other one there."
        )

    def _translate(self, error: BaseException) -> LLMError:
        """Return the `LLMError` that fits a failure."""
        if isinstance(error, _Refused):
            return self._translate_status(error)
        if isinstance(error, (httpx.RequestError, anyio.BrokenResourceError, OSError, TooLong)):
            remedy = "Start the server there, or give another address with --server."
            return connection_failure(error, self._address, remedy)
        return ServerError(
            f"The server at {self.place} answered something that is not OpenAI's API.", status=502
        )

    def _translate_status(self, error: _Refused) -> LLMError:
        status, said = error.status, error.said
        if self._key:
            said = said.replace(self._key, "***")
        if status in REFUSED_STATUSES:
            credentials = bool(self._key) or self._address.user is not None
            return refusal(self.place, status, with_credentials=credentials)
        about_model = "model" in error.words and any(word in error.words for word in NO_MODEL)
        if about_model and status in (400, 404, 422):
            return ModelMissing(
                f"The server at {self.place} has no model “{self.model}”: {printable(said, 200)}. "
                "Choose another with --model; `swarm model find` lists what it has."
            )
        if status in (404, 405):
            return ServerUnusable(
                f"The server at {self.place} answers, but has no {API_PATH}/chat/completions "
                f"(status {status}). Give the address of a model server with --server."
            )
        when = "in the middle of its answer" if status == -1 else f"with status {status}"
        return ServerError(
            f"The model server at {self.place} failed {when}: "
            f"{printable(said, 200) or 'no reason given'}",
            status=status,
            away=status in AWAY_STATUSES,
        )


class _Refused(Exception):
    """The server answered with an error.

    Attributes:
        status: The HTTP status, or -1 in the middle of a stream.
        said: What the server says about it.
        words: All of the body, in lower case, for looking up what the refusal names.
    """

    def __init__(self, status: int, body: str) -> None:
        super().__init__(status)
        self.status = status
        self.said = _said(body)
        self.words = body.lower()


FAILURES = (
    _Refused,
    OSError,
    httpx.HTTPError,
    httpx.StreamError,
    httpx.InvalidURL,
    anyio.BrokenResourceError,
    # JSON nested too deep; numbers, encodings, addresses and shapes that are rejected.
    RecursionError,
    ValueError,
    OverflowError,
    LookupError,
)
"""Everything that a call can raise because of a server."""


def _body(
    model: str, prompt: Prompt, options: Mapping[str, Any], logprobs: bool, unknown: frozenset[str]
) -> dict[str, Any]:
    """Return a request without the fields that the server does not know."""
    limit = "max_completion_tokens" if "max_tokens" in unknown else "max_tokens"
    body: dict[str, Any] = {
        "model": model,
        "messages": [dict(turn) for turn in prompt.messages],
        limit: prompt.max_tokens,
    }
    for name in ("temperature", "seed"):
        if name in options and name not in unknown:
            body[name] = options[name]
    if "chat_template_kwargs" not in unknown:
        # A reasoning model would spend its token limit on thinking.
        body["chat_template_kwargs"] = {"enable_thinking": False}
    if logprobs and "logprobs" not in unknown:
        body |= {"logprobs": True, "top_logprobs": TOP_LOGPROBS}
    if prompt.schema is None:
        return body
    schema = {"name": "answer", "schema": dict(prompt.schema)}
    if "json_schema" not in unknown:
        return body | {"response_format": {"type": "json_schema", "json_schema": schema}}
    body["messages"] = _with_schema(body["messages"], prompt.schema)
    if "json_object" not in unknown:
        body["response_format"] = {"type": "json_object"}
    return body


def _with_schema(messages: list[dict[str, str]], schema: Mapping[str, Any]) -> list[dict[str, str]]:
    """Return the turns with the schema in the first one: the server will not enforce it."""
    told = f"Answer with nothing but JSON that follows this schema: {json.dumps(schema)}"
    first, *others = messages
    if first["role"] == "system":
        return [{**first, "content": f"{first['content']}\n{told}"}, *others]
    return [{"role": "system", "content": told}, *messages]


def _what_is_refused(
    error: _Refused, body: Mapping[str, Any], unknown: frozenset[str]
) -> str | None:
    """Return what to leave out of a request that was refused; None: nothing would help."""
    said = error.words
    if error.status not in NOT_UNDERSTOOD or any(word in said for word in TOO_LONG):
        return None
    form = body.get("response_format", {}).get("type", "")
    possible = [name for name in REFUSALS if name not in unknown and (name in body or name == form)]
    named = [name for name in possible if any(word in said for word in REFUSALS[name])]
    if "model" in said and not named and any(word in said for word in NO_MODEL):
        return None
    guessed = [name for name in possible if name not in ("temperature", "max_tokens")]
    return next(iter(named or guessed), None)


def _check(response: httpx.Response) -> None:
    """Raise `_Refused` unless a response, whose body has been read, is a success."""
    if 200 <= response.status_code < 300:
        return
    raise _Refused(response.status_code, response.text[:4_000])


def _said(text: str) -> str:
    """Return the message in the body of an error, which has many forms; else the body."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    for key in ("error", "message", "detail"):
        while isinstance(value, dict) and key in value:
            value = value[key]
    return value if isinstance(value, str) else text


def _is_stream(response: httpx.Response) -> bool:
    kind: str = response.headers.get("Content-Type", "")
    return not kind.lower().startswith("application/json")


async def _streamed(lines: AsyncGenerator[str], on_text: Callable[[str], None]) -> Reply:
    """Read an answer from server-sent events; only lines with data are used by this API."""
    pieces: list[str] = []
    characters = 0
    reason = None
    async for line in lines:
        name, _, data = line.partition(":")
        data = data.strip()
        if name == "error":  # llama.cpp, before it used data for this too
            raise _Refused(-1, data)
        if name != "data" or not data or data == "[DONE]":
            continue
        part = _Answer.model_validate_json(data)
        if part.error is not None:
            raise _Refused(-1, data)
        for choice in part.choices[:1]:
            reason = choice.finish_reason or reason
            text = (choice.delta.content if choice.delta is not None else None) or ""
            if text:
                pieces.append(text)
                on_text(text)
                characters += len(text)
        if characters >= RAW_CHARS:
            return Reply(text="".join(pieces), cut=True)
    # A stream without its last message was cut off, though no error was raised.
    return Reply(text="".join(pieces), cut=reason in (None, "length"))


def _reply_of(content: bytes) -> Reply:
    answer = _Answer.model_validate_json(content)
    if answer.error is not None:
        raise _Refused(200, content.decode(errors="replace")[:4_000])
    choice = answer.choices[0]
    tokens = (choice.logprobs.content if choice.logprobs is not None else None) or ()
    message = choice.message or _Text()
    text = message.content or ""
    # The tokens of the thinking may come before those of the answer.
    first = index_of_answer([token.token for token in tokens], answer_in(text)) or 0
    return Reply(
        text=text,
        cut=choice.finish_reason == "length",
        choices=_first_choices(tokens[first]) if tokens else None,
        thought=bool(message.reasoning_content or message.reasoning),
    )


def _first_choices(first: _Token) -> tuple[tuple[str, float], ...]:
    return tuple((one.token, one.logprob) for one in first.top_logprobs or (first,))


def _covers(listed: str, name: str) -> bool:
    """Return whether a listed name with a star at its end, as LiteLLM has them, covers a name."""
    return listed.endswith("*") and name.startswith(listed.removesuffix("*"))
