"""The chat in which a small model writes a part: the draft, and the questions that follow it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Protocol, TypeVar

from swarm.brief.demands import check_demand
from swarm.brief.mentions import content_words
from swarm.brief.skeleton import without_label
from swarm.core.brief import Cost
from swarm.llm.client.parsing import Unusable
from swarm.llm.client.part_answers import Lines, read_costs, read_line
from swarm.llm.client.part_filter import (
    fits_line,
    foreign_days,
    only_promises,
    own_days,
    without_foreign_days,
    without_speaker,
)
from swarm.llm.client.part_prompts import (
    Form,
    Point,
    ask_point,
    costs_prompt,
    example_lines,
    more_prompt,
    small_prompt,
)
from swarm.llm.client.prompt import Prompt
from swarm.llm.errors import LLMError
from swarm.llm.requests import DoRequest

T = TypeVar("T")

Listener = Callable[[str], None]


class Ask(Protocol):
    """Calls the model until its answer can be read."""

    def __call__(
        self, prompt: Prompt, read: Callable[[str, bool], T], on_text: Listener | None = None
    ) -> Awaitable[T]:
        """Return what `read` makes of an answer; it gets the text and whether it was cut."""


class Chat:
    """The chat in which a part is written, for the questions that follow it."""

    def __init__(self, ask: Ask, request: DoRequest) -> None:
        self._ask = ask
        self._request = request
        self._prompt: Prompt | None = None
        self._answer = ""

    async def draft(
        self, form: Form, read: Callable[[str], Lines], on_text: Listener | None
    ) -> Lines:
        """Ask for the part."""
        prompt = self._prompt = small_prompt(self._request, form)

        def remember(text: str, cut: bool) -> Lines:
            lines = read(text)
            self._answer = text
            return lines

        return await self._ask(prompt, remember, on_text)

    def resume(self, form: Form, text: str) -> None:
        """Go on after a text that was written before, perhaps by another executor."""
        self._prompt, self._answer = small_prompt(self._request, form), text

    async def point(self, point: Point) -> str:
        """Ask for the sentence of a demand, again if it does not tell how the part does it.

        Returns:
            The sentence without the days of other parts; empty if it tells nothing.
        """
        best, told = "", False

        def read(text: str, cut: bool) -> str:
            nonlocal best, told
            line = read_line(text)
            if not fits_line(line, self._request):
                raise Unusable("it is no sentence of the plan")
            best = line
            if not told and (fault := self._fault(point, line)):
                told = True
                raise Unusable(fault)
            return line

        assert self._prompt is not None
        prompt = more_prompt(self._prompt, self._answer, ask_point(point))
        try:
            line = await self._ask(prompt, read)
        except LLMError:
            line = best
        return self._kept(point, line)

    def _fault(self, point: Point, line: str) -> str:
        """Return what a demand's sentence has to do better; empty if nothing."""
        if foreign_days(line, self._request):
            return f"your part is {own_days(self._request)} only: name no other days"
        if only_promises(line, f"{point.wanted} {self._request.title}"):
            return "say what to do, when and where; do not promise"
        if self._lacks(point, line):
            words = self._request.brief.demands[point.demand].name or point.wanted
            return f'it has to speak of "{words}", with these words'
        return ""

    def _lacks(self, point: Point, line: str) -> bool:
        """Return whether a line does not speak of a demand."""
        check = check_demand(self._request.brief, point.demand, line, whole=False)
        return check.standing == "not met"

    def _kept(self, point: Point, line: str) -> str:
        """Return what of a demand's sentence can stand in the plan; empty if nothing."""
        if foreign_days(line, self._request):
            line = without_foreign_days(line, self._request)
            if line and self._lacks(point, line):
                return ""
        if only_promises(line, f"{point.wanted} {self._request.title}"):
            return ""
        return without_speaker(line)

    async def line(self, wanted: str) -> str:
        """Ask for one more line; return an empty text if the model writes none."""
        assert self._prompt is not None
        prompt = more_prompt(self._prompt, self._answer, wanted)
        try:
            line = await self._ask(prompt, lambda text, cut: read_line(text))
        except LLMError:
            return ""
        line = without_label(line)  # Code writes the day before it.
        return line if fits_line(line, self._request) else ""

    async def costs(self, currency: str, limit: int | None) -> tuple[Cost, ...]:
        """Ask for the items of cost; return none if the model names none."""
        assert self._prompt is not None
        prompt = costs_prompt(self._prompt, self._answer, currency, limit)
        items = await costs_of(self._ask, prompt, currency)
        # Items of the worked example come back where the model finds none of its own.
        shown = f"{self._request.goal} {self._answer}".casefold()
        return tuple(
            item
            for item in items
            if fits_line(item.what, self._request) and not _of_example(item.what, shown)
        )


async def costs_of(ask: Ask, prompt: Prompt, currency: str) -> tuple[Cost, ...]:
    """Return the items of cost that a model names; none if it names none."""
    try:
        items = await ask(prompt, lambda text, cut: read_costs(text))
    except LLMError:
        return ()
    return tuple(item.model_copy(update={"unit": currency}) for item in items)


def _of_example(what: str, shown: str) -> bool:
    """Return whether an item of cost is one of the worked example's, not of the part."""
    words = content_words(what)
    example = " ".join(example_lines()).casefold()
    return any(word[:4] in example and word[:4] not in shown for word in words if len(word) > 3)
