"""The engine of the embedded model: one GGUF file, one slot, over llama.cpp (xllamacpp).

Blocking code that runs in a worker thread of the server process (`swarm.llm.embedded.server`); no
other module imports xllamacpp. There is one slot, because parallel slots add nothing on a laptop's
two cores (measured) and would split the context. A prefix shared with an earlier prompt is not
evaluated again: the slot keeps its last prompt, and `PROMPT_CACHE_MIB` of earlier ones stay in
memory.
"""

from __future__ import annotations

import os
import secrets
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from swarm.llm.embedded import openmp
from swarm.llm.machine import usable_cores

CONTEXT_TOKENS = 4096
"""Tokens of prompt and answer together. The longest request (a polish, or a task with results of
other tasks) needs about 1,500; the key-value cache takes 28 KiB a token for Qwen 1.5B."""

PROMPT_CACHE_MIB = 256
"""Memory for evaluated prompts, in MiB: about twenty prompts of 400 tokens."""

MAX_THREADS = 8
"""Most threads: more do not speed up a model that is limited by memory bandwidth."""


class EngineError(Exception):
    """The engine refused a request or failed at it.

    Attributes:
        status: The matching HTTP status: 400 for a mistake of the caller, else 500.
    """

    def __init__(self, message: str, *, status: int) -> None:
        super().__init__(message)
        self.status = status


@dataclass(frozen=True, slots=True)
class TokenChoice:
    """One generated token and its alternatives.

    Attributes:
        token: The text of the token.
        logprob: Natural logarithm of its probability.
        top: (text, logprob) of the likeliest tokens at this place, likeliest first.
    """

    token: str
    logprob: float
    top: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of the answer as it is generated.

    Attributes:
        text: New text; may be empty.
        tokens: The tokens behind it, if log probabilities were asked for.
    """

    text: str
    tokens: tuple[TokenChoice, ...] = ()


@dataclass(frozen=True, slots=True)
class Completion:
    """How an answer ended.

    Attributes:
        reason: `stop`, `length` (token limit reached) or `cancelled`.
        prompt_tokens: Tokens of the prompt, including cached ones.
        cached_tokens: Prompt tokens that did not have to be evaluated.
        answer_tokens: Tokens generated.
        prompt_ms: Time spent on the prompt, in ms.
        answer_ms: Time spent on the answer, in ms.
    """

    reason: str
    prompt_tokens: int = 0
    cached_tokens: int = 0
    answer_tokens: int = 0
    prompt_ms: float = 0.0
    answer_ms: float = 0.0


@dataclass(frozen=True, slots=True)
class EngineRequest:
    """One chat completion.

    Attributes:
        messages: Chat turns, each with `role` and `content`.
        schema: JSON schema the answer must follow, `{}` for any JSON, None for free text.
        max_tokens: Upper bound of generated tokens.
        temperature: 0 for the likeliest answer.
        seed: Seed of sampling; it matters only above temperature 0.
        top_p: Nucleus sampling threshold.
        stop: Texts that end the answer.
        top_logprobs: Alternatives to report for each token; 0 for none.
        repeat_penalty: Above 1 discourages loops.
    """

    messages: tuple[Mapping[str, str], ...]
    schema: Mapping[str, Any] | None = None
    max_tokens: int = 256
    temperature: float = 0.0
    seed: int = 0
    top_p: float = 0.95
    stop: tuple[str, ...] = ()
    top_logprobs: int = 0
    repeat_penalty: float = 1.0

    def to_openai(self) -> dict[str, Any]:
        """Return the request in the form that llama.cpp's server takes."""
        body: dict[str, Any] = {
            "messages": [dict(message) for message in self.messages],
            "max_tokens": self.max_tokens,
            "temperature": self.temperature,
            "seed": self.seed,
            "top_p": self.top_p,
            "repeat_penalty": self.repeat_penalty,
            "cache_prompt": True,
            "stream": True,
            "stream_options": {"include_usage": True},
        }
        if self.stop:
            body["stop"] = list(self.stop)
        if self.top_logprobs:
            body["logprobs"] = True
            body["top_logprobs"] = self.top_logprobs
        if self.schema is not None:
            body["response_format"] = (
                {"type": "json_schema", "json_schema": {"schema": dict(self.schema)}}
                if self.schema
                else {"type": "json_object"}
            )
        return body


def _remedy() -> str:
    """Return how to repair an engine that cannot be loaded, in a sentence or two."""
    if not sys.platform.startswith("linux"):
        return ""
    advice = " A small Linux image usually lacks the system package libgomp1: install it"
    if added := openmp.environment().get("LD_LIBRARY_PATH"):
        return f"{advice}, or set LD_LIBRARY_PATH={added} and start this again."
    return f"{advice}."


@dataclass(slots=True)
class _Progress:
    """What a streaming call has reported so far."""

    reason: str = "stop"
    error: EngineError | None = None
    usage: dict[str, Any] = field(default_factory=dict)
    timings: dict[str, Any] = field(default_factory=dict)


class Engine:
    """A loaded model. llama.cpp is thread-safe, but there is one slot, so callers queue."""

    def __init__(
        self, path: Path, *, context_tokens: int = CONTEXT_TOKENS, threads: int | None = None
    ) -> None:
        """Load the weights; takes seconds.

        Args:
            path: A GGUF file.
            context_tokens: Prompt and answer together.
            threads: CPU threads; by default those this process may use, up to `MAX_THREADS`.

        Raises:
            EngineError: The file cannot be loaded; the message is human-readable.
        """
        # The thread library reads this when it loads: threads sleep at barriers, and do not spin.
        # It costs nothing on an idle machine and is three times as fast on a busy one (measured).
        os.environ.setdefault("OMP_WAIT_POLICY", "passive")
        try:
            import xllamacpp
        except ImportError as error:
            raise EngineError(
                f"The engine of the embedded model cannot be loaded ({error}).{_remedy()}",
                status=500,
            ) from error

        params = xllamacpp.CommonParams()
        params.model.path = os.fspath(path)
        params.n_ctx = context_tokens
        params.n_parallel = 1
        params.cache_ram_mib = PROMPT_CACHE_MIB
        params.warmup = False
        params.verbosity = 0
        # The binding also opens llama.cpp's own HTTP port on loopback; nobody gets this key.
        params.api_keys = [secrets.token_urlsafe(32)]
        count = threads or min(usable_cores(), MAX_THREADS)
        params.cpuparams.n_threads = count
        params.cpuparams_batch.n_threads = count
        try:
            self._server = xllamacpp.Server(params)
        except RuntimeError as error:
            raise EngineError(
                f"The model file {path.name} could not be loaded ({error}). It may be damaged, of "
                "an unknown kind, or too large for this machine's memory. "
                "`swarm model fetch` downloads a good one.",
                status=500,
            ) from error

    def complete(self, request: EngineRequest, on_piece: Callable[[Piece], bool]) -> Completion:
        """Generate an answer, piece by piece, in the calling thread.

        Args:
            request: What to answer.
            on_piece: Gets each piece; returns False to stop. A stop takes effect at the next
                token; a long prompt is evaluated to its end first.

        Raises:
            EngineError: Refused (too long, bad schema) or failed.
        """
        progress = _Progress()

        def on_chunk(chunk: Mapping[str, Any]) -> bool:
            stopped = not _digest(chunk, progress, on_piece)
            if stopped:
                progress.reason = "cancelled"
            return stopped

        try:
            self._server.handle_chat_completions(request.to_openai(), on_chunk)
        except (ValueError, RuntimeError) as error:
            raise EngineError(f"The engine refused the request: {error}", status=400) from error
        if progress.error is not None:
            raise progress.error
        details = progress.usage.get("prompt_tokens_details") or {}
        return Completion(
            reason=progress.reason,
            prompt_tokens=int(progress.usage.get("prompt_tokens", 0)),
            cached_tokens=int(details.get("cached_tokens", 0)),
            answer_tokens=int(progress.usage.get("completion_tokens", 0)),
            prompt_ms=float(progress.timings.get("prompt_ms", 0.0)),
            answer_ms=float(progress.timings.get("predicted_ms", 0.0)),
        )


def _digest(
    chunk: Mapping[str, Any], progress: _Progress, on_piece: Callable[[Piece], bool]
) -> bool:
    """Process one chunk of the stream; return whether to continue."""
    if (error := chunk.get("error")) is not None:
        code = int(error.get("code", 500))
        message = str(error.get("message", "unknown error"))
        progress.error = EngineError(message, status=code if 400 <= code < 500 else 500)
        return True
    progress.usage = dict(chunk.get("usage") or progress.usage)
    progress.timings = dict(chunk.get("timings") or progress.timings)
    choices: Sequence[Mapping[str, Any]] = chunk.get("choices") or ()
    for choice in choices:
        if choice.get("finish_reason"):
            progress.reason = str(choice["finish_reason"])
        text = (choice.get("delta") or {}).get("content") or ""
        content = (choice.get("logprobs") or {}).get("content") or ()
        tokens = tuple(
            TokenChoice(
                token=str(entry["token"]),
                logprob=float(entry["logprob"]),
                top=tuple(
                    (str(alt["token"]), float(alt["logprob"]))
                    for alt in entry.get("top_logprobs", ())
                ),
            )
            for entry in content
        )
        if (text or tokens) and not on_piece(Piece(text=text, tokens=tokens)):
            return False
    return True
