"""Which model a peer uses, and its limits; `swarm.config` builds it from its `[model]` section."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, SecretStr

DEFAULT_WEIGHTS = "qwen2.5-coder-1.5b"
"""The embedded model of a new machine; a name in `swarm.llm.embedded.weights.CATALOGUE`."""


class ModelSettings(BaseModel):
    """Which model a peer uses and within which limits.

    Attributes:
        url: Address of a server, Ollama or OpenAI-compatible; empty: find one
            (`swarm.llm.client.resolve`).
        api_key: A key for the server that `url` or `OLLAMA_HOST` names; sent to no other.
        model: Name of the model there; empty: the best one (`swarm.llm.client.model_choice`).
        embedded: Whether the embedded server may be started when no other answers.
        weights: Name of the embedded model's weights in the catalogue.
        gguf: A GGUF file of the user's own for the embedded server, instead of `weights`.
        style: How to prompt: `small` for models below about four billion parameters, `large`, or
            `auto` to ask the server about the model.
        context_tokens: Context length requested from Ollama, in tokens; the embedded server has its
            own.
        time_limit_seconds: Longest time for one request, retries included. On two cores with eight
            peers on one model, most of it is spent waiting in the queue.
        rate_limit_seconds: The same for one rating, which is three one-token questions.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    url: str = ""
    api_key: SecretStr | None = None
    model: str = ""
    embedded: bool = True
    weights: str = DEFAULT_WEIGHTS
    gguf: Path | None = None
    style: Literal["auto", "small", "large"] = "auto"
    context_tokens: Annotated[int, Field(ge=1_024, le=1_000_000)] = 8_192
    time_limit_seconds: Annotated[float, Field(gt=0, le=3_600)] = 300.0
    rate_limit_seconds: Annotated[float, Field(gt=0, le=3_600)] = 240.0
