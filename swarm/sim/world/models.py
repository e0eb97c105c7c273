"""Simulated models of every quality: sound, slow, wrong, failing, or answering junk.

A model answers a request, or fails, and states how long that takes. Each simulated peer has its
own, with its own seed, so that a run replays.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable
from dataclasses import replace
from typing import Literal

from swarm.brief.part import Part
from swarm.llm.errors import BadAnswer, ModelMissing, ServerError, ServerUnreachable, TimedOut
from swarm.llm.lenses import LENSES
from swarm.llm.requests import (
    Answer,
    AssembleRequest,
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

Model = Callable[[Request], tuple[Answer | Exception, int]]
"""Answers a request, or fails, and states how long that takes, in ms."""


def tidy_model(request: Request, latency_ms: int = 100) -> tuple[Answer, int]:
    """Answer every request well: three parts, good ratings, short texts."""
    match request:
        case SplitRequest():
            better = "better " if request.polish else ""
            parts = tuple(
                Part(title=f"{better}{request.lens} part {i}", detail="what to do")
                for i in range(min(3, request.max_parts))
            )
            return SplitAnswer(parts=parts, rationale="by habit"), latency_ms
        case RateRequest():
            return RateAnswer(concrete=0.9, distinct=0.8, complete=0.7, critique=""), latency_ms
        case ReviewRequest():
            return ReviewAnswer(kept=request.points), latency_ms
        case DoRequest():
            return TextAnswer(text=f"did {request.title}", draft=False), latency_ms
        case AssembleRequest():
            text = "\n\n".join(f"## {title}\n\n{body}" for title, body in request.parts)
            return TextAnswer(text=text, draft=False), latency_ms


class Ordinary:
    """A sound model: it nests and orders parts, has preferences, and takes a while."""

    def __init__(self, rng: random.Random, latency_ms: tuple[int, int] = (50, 2_000)) -> None:
        """Make it.

        Args:
            rng: decides everything it does.
            latency_ms: shortest and longest time of a call, in ms.
        """
        self._rng = rng
        self._latency_ms = latency_ms

    def __call__(self, request: Request) -> tuple[Answer | Exception, int]:
        """Answer."""
        return self.answer(request), self._rng.randint(*self._latency_ms)

    def answer(self, request: Request) -> Answer | Exception:
        """Return the answer alone."""
        rng = self._rng
        answer, _ = tidy_model(request)
        match answer:
            case SplitAnswer():
                assert isinstance(request, SplitRequest)
                better = "better " if request.polish else ""
                count = rng.randint(2, max(2, min(4, request.max_parts)))
                nests = request.may_nest
                parts = tuple(
                    Part(
                        title=f"{better}{request.lens} {rng.randrange(1000)}.{i + 1}",
                        detail="what to do",
                        kind="goal" if nests and rng.random() < 0.3 else "task",
                        after=(rng.randrange(i),) if i and rng.random() < 0.3 else (),
                    )
                    for i in range(count)
                )
                return replace(answer, parts=parts)
            case RateAnswer():
                scores = [round(rng.uniform(0.55, 1.0), 3) for _ in range(3)]
                return RateAnswer(
                    concrete=scores[0], distinct=scores[1], complete=scores[2], critique=""
                )
        return answer


class Critical(Ordinary):
    """Rates first drafts low and polished ones high."""

    def answer(self, request: Request) -> Answer | Exception:
        """Return the answer alone."""
        if isinstance(request, RateRequest) and request.parts:
            good = "better" in request.parts[0].title
            score = 0.9 if good else 0.15
            critique = "" if good else "too vague"
            return RateAnswer(concrete=score, distinct=score, complete=score, critique=critique)
        return super().answer(request)


class Sloppy(Ordinary):
    """Writes texts that stop in the middle, which checks in code find; may mend one sent back."""

    def __init__(
        self,
        rng: random.Random,
        mends: float,
        latency_ms: tuple[int, int] = (50, 2_000),
    ) -> None:
        """Set how often it mends.

        Args:
            rng: decides everything it does.
            mends: share of revisions without the fault, in [0, 1].
            latency_ms: shortest and longest time of a call, in ms.
        """
        super().__init__(rng, latency_ms)
        self._mends = mends

    def answer(self, request: Request) -> Answer | Exception:
        """Return the answer alone."""
        if isinstance(request, DoRequest):
            mended = bool(request.critiques) and self._rng.random() < self._mends
            text = "We walk." if mended else "We walk to the"
            return TextAnswer(text=text, draft=False)
        return super().answer(request)


class Troubled(Ordinary):
    """Fails some of its calls, in every way a model can, and answers the others."""

    def __init__(
        self,
        rng: random.Random,
        share: float,
        latency_ms: tuple[int, int] = (50, 2_000),
    ) -> None:
        """Set how often it fails.

        Args:
            rng: decides everything it does.
            share: share of calls that fail, in [0, 1].
            latency_ms: shortest and longest time of a call, in ms.
        """
        super().__init__(rng, latency_ms)
        self._share = share

    def answer(self, request: Request) -> Answer | Exception:
        """Return an answer or a failure."""
        if self._rng.random() >= self._share:
            return super().answer(request)
        return self._rng.choice(
            [
                ServerUnreachable("Nobody answers at the model's address."),
                ModelMissing("The server does not have the model."),
                TimedOut("The model did not answer in time."),
                BadAnswer("The model answered three times, but nothing usable."),
                ServerError("The server reported a failure.", status=500),
            ]
        )


class Agreed:
    """Answers a request the same way whenever and by whichever peer it is asked.

    What such models plan depends on the goal alone, so that two worlds can be compared.
    """

    def __call__(self, request: Request) -> tuple[Answer, int]:
        """Answer; the time this takes depends on the request alone, too."""
        match request:
            case SplitRequest():
                kinds: tuple[Literal["goal", "task"], ...] = ("task", "task", "task")
                if request.may_nest:
                    kinds = ("goal", "task", "task")
                parts = tuple(
                    Part(
                        title=f"{request.lens}: {number} of {request.title}"[:180],
                        detail="what to do",
                        kind=kind,
                    )
                    for number, kind in enumerate(kinds[: max(2, request.max_parts)])
                )
                return SplitAnswer(parts=parts, rationale=""), self._latency_ms(request.lens)
            case RateRequest():
                title = request.parts[0].title if request.parts else ""
                lens = next((slug for slug in LENSES if f"{slug}:" in title), "task")
                known = lens in LENSES
                rating = 0.5 + part_of_all(lens) / 2 if known else 0.1
                answer = RateAnswer(concrete=rating, distinct=rating, complete=rating, critique="")
                return answer, self._latency_ms(lens)
        text, _ = tidy_model(request)
        return text, self._latency_ms(request.title)

    def _latency_ms(self, about: str) -> int:
        return 200 + int(800 * part_of_all(about))


def part_of_all(text: str) -> float:
    """Return a number in [0, 1) that depends on a text alone, spread evenly over all texts."""
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4]) / 2**32


class Junk(Ordinary):
    """Gives answers that are well-formed but worthless: odd parts, empty texts, random ratings."""

    def answer(self, request: Request) -> Answer | Exception:
        """Return a well-formed answer, or the error for one that is not."""
        rng = self._rng
        if rng.random() < 0.3:
            return BadAnswer("The model answered three times, but nothing usable.")
        match request:
            case SplitRequest():
                if rng.random() < 0.2:
                    return SplitAnswer(parts=(), rationale="")
                count = rng.choice([2, 3, request.max_parts, request.max_parts + 5, 32])
                title = rng.choice(["a", "@everyone", "\u202etxet", "part", "x" * 200, "नमस्ते"])
                parts = tuple(Part(title=title, detail="\u200b") for _ in range(count))
                return SplitAnswer(parts=parts, rationale=title)
            case RateRequest():
                concrete, distinct, complete = (rng.choice([0.0, 0.5, 1.0]) for _ in range(3))
                return RateAnswer(
                    concrete=concrete, distinct=distinct, complete=complete, critique="approve this"
                )
        return TextAnswer(text=rng.choice(["?", "As an AI", "# \n" * 50]), draft=True)
