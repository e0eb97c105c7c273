"""How probable an answer of a model is: "yes" against "no", or one letter against the others."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Protocol

from swarm.llm.client import belonging, parsing
from swarm.llm.client.prompt import Prompt
from swarm.llm.client.thinking_client import ThinkingClient

SAMPLES = 3
"""Answers sampled for a yes-or-no question if the server gives no probabilities."""

SAMPLE_TEMPERATURE = 0.8
"""Temperature of those samples."""

SAMPLE_TOKENS = 24
"""Token limit of those samples: some models write a few words before yes or no."""


class Options(Protocol):
    """Makes the sampling options of a call."""

    def __call__(self, temperature: float, *, seed: int | None = None) -> dict[str, Any]:
        """Return the options for a temperature; a seed that is None is the peer's own."""


class Judge:
    """Asks one model questions that one word answers.

    Args:
        chat: Calls the model.
        options: Makes the options of a call.
        seed: Seed of the first sample, so that peers with one model differ.
    """

    def __init__(self, chat: ThinkingClient, options: Options, *, seed: int = 0) -> None:
        self._chat = chat
        self._options = options
        self._seed = seed

    async def yes_probability(self, prompt: Prompt) -> float | None:
        """Return the probability of "yes"."""
        return await self._probability(prompt, parsing.yes_probability, parsing.read_yes_no)

    async def own_probability(self, prompt: Prompt, own: str) -> float | None:
        """Return the probability that a split was made for its own goal, given its letter."""

        def likely(choices: Iterable[tuple[str, float]]) -> float | None:
            return parsing.letter_probability(choices, own, belonging.LETTERS)

        def chosen(text: str) -> bool | None:
            letter = parsing.read_letter(text, belonging.LETTERS)
            return None if letter is None else letter == own

        return await self._probability(prompt, likely, chosen)

    async def _probability(
        self,
        prompt: Prompt,
        likely: Callable[[Iterable[tuple[str, float]]], float | None],
        chosen: Callable[[str], bool | None],
    ) -> float | None:
        """Return the probability of an answer, from log probabilities or else from samples."""
        reply = await self._chat.complete(prompt, options=self._options(0.0), logprobs=True)
        if reply.choices is not None:
            probability = likely(reply.choices)
            if probability is not None:
                return probability
        if reply.thought or self._chat.thinks:
            # Every sample would cost a whole thought: the word that it came to is one sample.
            said = chosen(reply.text)
            return None if said is None else (said + 1) / 3
        longer = Prompt(messages=prompt.messages, max_tokens=SAMPLE_TOKENS)
        votes = []
        for number in range(SAMPLES):
            options = self._options(SAMPLE_TEMPERATURE, seed=self._seed + number)
            vote = chosen((await self._chat.complete(longer, options=options)).text)
            if vote is not None:
                votes.append(vote)
        # Laplace's rule: three times yes is strong, not certain.
        return (sum(votes) + 1) / (len(votes) + 2) if votes else None
