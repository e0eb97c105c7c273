"""What a client of a model server is, whatever API the server speaks.

`swarm.llm.client.ollama` and `swarm.llm.client.openai_client` implement it; the brain
(`swarm.llm.client.brain`) uses nothing else of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from swarm.llm.client.model_choice import Candidate
from swarm.llm.client.prompt import Prompt


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """The outcome of one call.

    Attributes:
        text: The answer as written.
        cut: Whether it hit the token limit.
        choices: (token, log probability) of the answer's first token, if requested and given.
        thought: Whether the model was seen to think before or instead of the answer.
    """

    text: str
    cut: bool
    choices: tuple[tuple[str, float], ...] | None = None
    thought: bool = False


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


class ModelClient(Protocol):
    """Calls of one model on one server; every failure is an `LLMError`."""

    model: str
    """The model's name on the server."""

    place: str
    """The server's host and port, for messages."""

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
            options: Sampling, in Ollama's words: `temperature`, `seed`, `num_ctx`.
            logprobs: Whether to request the probabilities of the first token.
            on_text: Called with new text as it arrives; after a retry the text starts over.

        Raises:
            LLMError: The call failed.
        """
        ...

    async def profile(self) -> Profile:
        """Ask the server about the model.

        Raises:
            LLMError: As `complete`; `ModelMissing` lists what the server has.
        """
        ...

    async def models(self) -> tuple[str, ...]:
        """Return the names by which the server's models can be chosen.

        Raises:
            LLMError: As `complete`.
        """
        ...

    async def candidates(self) -> tuple[Candidate, ...]:
        """Return the server's models with what it tells about them, in its order.

        Raises:
            LLMError: As `complete`.
        """
        ...

    async def close(self) -> None:
        """Close the connections."""
        ...
