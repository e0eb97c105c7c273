"""`ScriptedBrain`: a brain without a model, for tests.

It is a small complete implementation of `swarm.llm.requests.Brain`: answers depend only on the
request and the seed, delays go through anyio and so obey a virtual clock, and failures are real
`LLMError`s.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field

import anyio

from swarm.brief.part import Part
from swarm.llm.client import assembly
from swarm.llm.errors import BadAnswer, LLMError, ModelMissing, ServerError, ServerUnreachable
from swarm.llm.lenses import WHOLE
from swarm.llm.requests import (
    Answer,
    DoRequest,
    RateAnswer,
    RateRequest,
    Request,
    ReviewAnswer,
    ReviewRequest,
    SplitAnswer,
    SplitRequest,
    TextAnswer,
)
from swarm.testing import script

FAILURES: tuple[Callable[[], LLMError], ...] = (
    lambda: ServerUnreachable("The scripted model is out of reach."),
    lambda: ServerError("The scripted model failed with status 500.", status=500),
    lambda: BadAnswer("The scripted model gave no usable answer."),
)
"""The random failures."""


@dataclass
class ScriptedBrain:
    """Answers from a script.

    Attributes:
        seed: Changes ratings and the order of random failures, not the shape of answers.
        model: Name in presence records.
        delay_seconds: Time for each answer, in seconds.
        jitter_seconds: Longest random addition to it, in seconds.
        fail: Share of requests that fail, in [0, 1].
        missing: Whether `check` and `perform` report the model as missing.
        draft: Whether texts are labelled as drafts.
        atomic: Whether splits are refused: "do it as one task".
        failures: Errors for the next requests, first to last; None lets one succeed.
        seen: Every request so far.
        in_flight: Requests being answered now.
    """

    seed: int = 0
    model: str = "scripted"
    delay_seconds: float = 0.0
    jitter_seconds: float = 0.0
    fail: float = 0.0
    missing: bool = False
    draft: bool = False
    atomic: bool = False
    failures: list[LLMError | None] = field(default_factory=list)
    seen: list[Request] = field(default_factory=list)
    in_flight: int = 0

    def __post_init__(self) -> None:
        self._random = random.Random(self.seed)

    async def check(self) -> None:
        """See `Brain`; fails only if `missing` is set."""
        await anyio.lowlevel.checkpoint()
        if self.missing:
            raise ModelMissing(f"There is no model “{self.model}”; get it with `ollama pull`.")

    async def close(self) -> None:
        """Do nothing; real brains have connections to close."""
        await anyio.lowlevel.checkpoint()

    async def perform(
        self, request: Request, *, on_text: Callable[[str], None] | None = None
    ) -> Answer:
        """See `Brain`."""
        self.seen.append(request)
        self.in_flight += 1
        try:
            await anyio.sleep(self.delay_seconds + self._random.uniform(0, self.jitter_seconds))
        finally:
            self.in_flight -= 1
        await self.check()
        planned = self.failures.pop(0) if self.failures else None
        if planned is not None:
            raise planned
        if self._random.random() < self.fail:
            raise self._random.choice(FAILURES)()
        answer = self._answer(request)
        if on_text is not None and isinstance(answer, TextAnswer):
            for piece in script.pieces_of(answer.text):
                on_text(piece)
        return answer

    def _answer(self, request: Request) -> Answer:
        if isinstance(request, SplitRequest):
            return self._split(request)
        if isinstance(request, RateRequest):
            return self._rate(request)
        if isinstance(request, ReviewRequest):
            return self._review(request)
        if isinstance(request, DoRequest):
            return self._do(request)
        intro = f"{request.title}, put together by a scripted model."
        return assembly.composed(request, intro, draft=self.draft)

    def _split(self, request: SplitRequest) -> SplitAnswer:
        if request.lens == WHOLE:
            text = script.text_for(request.title, request.detail)
            return SplitAnswer(parts=(), rationale="Scripted: all in one go.", draft=text)
        if self.atomic:
            return SplitAnswer(parts=(), rationale="Scripted: one task is enough.")
        pairs = script.parts_for(request.lens, request.max_parts, request.title)
        improved = (
            "" if request.polish is None else f" ({len(request.polish.critiques)} points met)"
        )
        parts = tuple(Part(title=title, detail=f"{detail}{improved}") for title, detail in pairs)
        return SplitAnswer(parts=parts, rationale=f"Scripted split by {request.lens}.")

    def _review(self, request: ReviewRequest) -> ReviewAnswer:
        """Find a demand kept if the text says so, and else not."""
        said = {
            index: script.keeps(request.text, request.brief.demands[index].text)
            for index in request.points
        }
        return ReviewAnswer(
            kept=tuple(index for index, kept in said.items() if kept),
            lost=tuple(index for index, kept in said.items() if not kept),
        )

    def _do(self, request: DoRequest) -> TextAnswer:
        """Write a task; a revision says that it keeps what the reviewers missed."""
        text = script.text_for(request.title, request.detail)
        demands = request.brief.demands
        rows = [f"- {script.paraphrase(demands[index].text)}." for index in request.unkept]
        return TextAnswer(text="\n".join([*rows, text]), draft=self.draft)

    def _rate(self, request: RateRequest) -> RateAnswer:
        if request.draft:
            only = script.NOT_ATOMIC
            return RateAnswer(concrete=only, distinct=only, complete=only, critique="")
        described = "|".join(f"{part.title}:{part.detail}" for part in request.parts)
        concrete, distinct, complete = (
            round(script.yes_share(str(self.seed), request.goal, described, aspect), 3)
            for aspect in ("concrete", "distinct", "complete")
        )
        critique = "Scripted: say who does what." if min(concrete, distinct, complete) < 0.6 else ""
        return RateAnswer(
            concrete=concrete, distinct=distinct, complete=complete, critique=critique
        )
