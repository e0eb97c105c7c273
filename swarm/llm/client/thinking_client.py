"""A client that gives models which think room to do so, and returns their answers without it.

It wraps the client of a server. Whether a model thinks is learned from its first answers and
remembered: `think: false` is a request that gpt-oss and others do not heed, and no server tells
reliably. A model that thinks gets tokens for it beside those of the answer. Some servers return
nothing, or only the thinking, if such a model is also given a `format`: then the format is left out
and the answer is read leniently.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import structlog

from swarm.llm.client.model_client import ModelClient, Profile, Reply
from swarm.llm.client.prompt import Prompt
from swarm.llm.client.thinking import THINKING_TOKENS, answer_in, has_thinking

log = structlog.get_logger(__name__)

MOST_ROOM = 4 * THINKING_TOKENS
"""Most tokens for thinking: who needs more for one request is in a loop."""

MOST_CALLS = 4
"""Most calls for one answer: without room, with room, without a format, with more room."""

EMPTY_WITH_FORMAT = 2
"""Empty answers with a format, of a model that shows no thinking, until formats are left out for
good: one may be an accident."""


class ThinkingClient:
    """Calls of one model; see `swarm.llm.client.model_client.ModelClient`.

    Args:
        inner: The client of its server.
    """

    def __init__(self, inner: ModelClient) -> None:
        self._inner = inner
        self._room = 0
        self._takes_format = True
        self._empty_with_format = 0
        self.model = inner.model
        self.place = inner.place

    @property
    def thinks(self) -> bool:
        """Whether the model is known to think before it answers."""
        return self._room > 0

    async def complete(
        self,
        prompt: Prompt,
        *,
        options: Mapping[str, Any],
        logprobs: bool = False,
        on_text: Callable[[str], None] | None = None,
    ) -> Reply:
        """See `ModelClient`; the text has no thinking in it."""
        with_format = self._takes_format
        for _ in range(MOST_CALLS):
            room = self._room
            asked = replace(
                prompt,
                max_tokens=prompt.max_tokens + room,
                schema=prompt.schema if with_format else None,
            )
            raw = await self._inner.complete(
                asked, options=options, logprobs=logprobs, on_text=on_text
            )
            reply = _without_thinking(raw)
            if reply.text and not (reply.thought and reply.cut and not room):
                if reply.thought and not room:
                    self._give_room()
                return reply
            if (reply.thought or reply.cut) and not room:
                # An answer of nothing that hit the limit was thinking that the server keeps back.
                self._give_room()
            elif asked.schema is not None and (reply.thought or not reply.cut):
                with_format = False
                self._note_empty_with_format(certain=reply.thought or room > 0)
            elif reply.cut and room < MOST_ROOM:
                self._room = max(self._room, 2 * room)
            else:
                return reply
        return reply

    async def profile(self) -> Profile:
        """See `ModelClient`."""
        return await self._inner.profile()

    async def models(self) -> tuple[str, ...]:
        """See `ModelClient`."""
        return await self._inner.models()

    async def close(self) -> None:
        """See `ModelClient`."""
        await self._inner.close()

    def _give_room(self) -> None:
        if not self._room:
            log.info("model_thinks", model=self.model, extra_tokens=THINKING_TOKENS)
        self._room = max(self._room, THINKING_TOKENS)

    def _note_empty_with_format(self, *, certain: bool) -> None:
        self._empty_with_format += 1
        if certain or self._empty_with_format >= EMPTY_WITH_FORMAT:
            self._takes_format = False
            log.info("model_takes_no_format", model=self.model)


def _without_thinking(reply: Reply) -> Reply:
    """Return a reply without the thinking in its text."""
    if not has_thinking(reply.text):
        return reply if reply.text.strip() else replace(reply, text="")
    return replace(reply, text=answer_in(reply.text), thought=True)
