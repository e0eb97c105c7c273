"""The brain of a peer with a model behind a server: Ollama, a compatible one, or the embedded one.

It turns a request of `swarm.llm.requests` into a validated answer: build the prompt, call the
model, parse the answer. If the answer is unusable it tells the model what was wrong, at most twice,
and then raises `BadAnswer`. Prompts and limits depend on what the server reports about the model.
Runs under trio and asyncio.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import zip_longest
from typing import Any, TypeVar

import anyio
import structlog

from swarm.brief.costs import cost_table
from swarm.brief.gate import refuse_split
from swarm.brief.mend import mend_plan
from swarm.brief.outline import outline_titles
from swarm.brief.part import Part
from swarm.brief.phrases import phrases, primary
from swarm.brief.quotes import with_quotes
from swarm.brief.skeleton import fit, steps_of
from swarm.brief.subject import subject_of
from swarm.core.brief import Cost, DemandKind
from swarm.llm.client import assembly, belonging, continuation, parsing, prompts
from swarm.llm.client.code_rating import (
    faults_of,
    rate_atomic,
    rate_by_code,
    ratings_of,
    refusal,
)
from swarm.llm.client.judge import Judge
from swarm.llm.client.model_client import ModelClient, Profile
from swarm.llm.client.ollama import ChatClient
from swarm.llm.client.part_chat import Ask
from swarm.llm.client.part_prompts import plain_prompt
from swarm.llm.client.part_revision import revise_small
from swarm.llm.client.part_writer import write_large, write_outline, write_small
from swarm.llm.client.prompt import Prompt, language_line, line
from swarm.llm.client.reviewing import review
from swarm.llm.client.server_calls import ATTEMPTS
from swarm.llm.client.split_answers import CopiedError, read_details, read_titles
from swarm.llm.client.split_prompts import (
    details_prompt,
    known_titles,
    parts_wanted,
    split_prompt,
    titles_prompt,
)
from swarm.llm.client.thinking_client import ThinkingClient
from swarm.llm.client.token_budget import room
from swarm.llm.errors import BadAnswer, LLMError, TimedOut, printable
from swarm.llm.lenses import EXAMPLES, WHOLE, lens_named
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
from swarm.llm.settings import ModelSettings
from swarm.llm.viewpoints import Question

log = structlog.get_logger(__name__)

FEEDBACK_ROUNDS = 2
"""How often a model is told what was wrong with its answer before the call fails."""

SMALL_PARAMETERS = 4_000_000_000
"""Models with fewer parameters get the prompts for small models."""

TEMPERATURE = 0.4
"""Temperature of splits and texts of larger models. Small models and all ratings use 0: answers
repeat exactly, so the embedded server answers identical requests of several peers only once."""

ONE_STEP = 0.565
"""Probability of "yes" from which a short goal is one task for a small model. The embedded one says
0.58 to 0.75 of nine one-step goals but one and 0.39 to 0.55 of ten plans (2026-12-01)."""

MOST_WORDS_OF_ONE_STEP = 12
"""A longer goal is never one step for a small model."""

MANY_STEPS: tuple[DemandKind, ...] = (
    *("duration", "start_date", "end_date", "start_place", "end_place", "place"),
    *("people", "count", "budget", "costs"),
)
"""Kinds of demands that make a goal a plan."""

NOT_WRITTEN = frozenset(("hi", "ur", "bn"))
"""Languages that the embedded model cannot write: what it says in them is no sense (measured and
read, docs/measurements.md). In them code makes an outline of the goal's own words, and says so."""

REPEAT_PENALTY = 1.1
"""Penalty of repetition for what a small model writes. Without it the model names one sight on all
days of a part; with it every thing is another one (measured, docs/measurements.md)."""

FEEDBACK_TEMPERATURE = 0.6
"""Temperature after an unusable answer: at 0 a small model would repeat it."""

DOUBT = 0.2
"""Probability of "yes" below which the critique mentions the model's doubt."""

LOOP_CHARS = 4_000
"""Longer texts, in characters, are parsed in a worker thread: unusual ones take up to half a
second, and the peer's event loop must not stop."""

REWRITTEN_CHARS = 12_000
"""Longest parts, in characters together, that a larger model may rewrite: an answer as long as they
are fits the token limit of that prompt. Longer plans are composed by code."""

CHARS_PER_TOKEN = 3
"""Characters a token, a cautious estimate of what fits a context; English has about four."""


_DOUBTS: dict[Question, str] = {
    "belongs": "The model thinks that the parts were made for another goal.",
    "concrete": "The model finds the parts too general.",
    "complete": "The model thinks that something important is missing.",
}

T = TypeVar("T")


class ServerBrain:
    """A `Brain` on one model of one server.

    Args:
        client: Calls the model.
        settings: Limits and style; the address and name in it are ignored.
        seed: Seed of sampling, so that peers with one model differ and runs repeat.
    """

    def __init__(
        self, client: ModelClient, *, settings: ModelSettings | None = None, seed: int = 0
    ) -> None:
        self._settings = settings or ModelSettings()
        self._chat = ThinkingClient(client)
        self._judge = Judge(self._chat, self._options, seed=seed)
        self._seed = seed
        self._profile: Profile | None = None

    @property
    def model(self) -> str:
        """The model's name, as it can be signed and shown."""
        return printable(self._chat.model)

    async def check(self) -> None:
        """Check that the server answers and has the model, and remember the model's profile.

        Raises:
            LLMError: `ServerUnreachable`, `ModelMissing`, `TimedOut` or `ServerError`.
        """
        self._profile = await self._chat.profile()

    async def close(self) -> None:
        """Close the connections to the server."""
        await self._chat.close()

    async def perform(
        self, request: Request, *, on_text: Callable[[str], None] | None = None
    ) -> Answer:
        """Answer one request; see `swarm.llm.requests.Brain`."""
        rating = isinstance(request, RateRequest | ReviewRequest)
        limit = self._settings.rate_limit_seconds if rating else self._settings.time_limit_seconds
        try:
            with anyio.fail_after(limit):
                if self._profile is None:
                    await self.check()
                return await self._answer(request, on_text)
        except TimeoutError as error:
            raise TimedOut(
                f"The model {self.model} did not finish within {limit:g} s. It may be busy with "
                "other peers' requests, or too large for this machine."
            ) from error

    async def _answer(self, request: Request, on_text: Callable[[str], None] | None) -> Answer:
        if isinstance(request, SplitRequest):
            return await self._split(request)
        if isinstance(request, RateRequest):
            return await self._rate(request)
        if isinstance(request, ReviewRequest):
            # A small model finds nothing wrong: code alone reviews.
            none = ReviewAnswer()
            return none if self._small else await review(request, self._judge.yes_probability)
        if isinstance(request, DoRequest):
            return await self._do(request, on_text)
        return await self._assemble(request, on_text)

    async def _do(self, request: DoRequest, on_text: Callable[[str], None] | None) -> TextAnswer:
        """Write a task; a whole plan ends with how it meets the request."""
        if not request.whole:
            text, costs = await self._write(request, on_text)
            return TextAnswer(text=text, draft=self._embedded, costs=costs)
        text = request.earlier
        if not text or request.critiques:
            text = await self._write_whole(request, on_text)
        return assembly.whole(request.brief, text, language=request.language, draft=self._embedded)

    async def _write_whole(self, request: DoRequest, on_text: Callable[[str], None] | None) -> str:
        """Write a whole plan in one go, with its costs."""
        text, costs = await self._write(request, on_text)
        language = request.language or request.brief.language
        about = subject_of(request.goal, request.brief)
        table = cost_table(request.brief, [(about, costs)], language) if costs else ""
        return "\n\n".join(filter(None, [text, table]))

    async def _write(
        self, request: DoRequest, on_text: Callable[[str], None] | None
    ) -> tuple[str, tuple[Cost, ...]]:
        ask = self._asking(request)
        if self._cannot_write(request.language or request.brief.language):
            return write_outline(request)
        if self._small and request.whole and steps_of(request.brief)[1] == 0:
            prompt = _sized(plain_prompt(request), request)
            text = await self._text(prompt, on_text, bool)
            return mend_plan(request.brief, text) or text, ()
        if self._small and request.part is not None and request.critiques:
            return await revise_small(request, ask, on_text)
        if self._small:
            return await write_small(request, ask, on_text)

        async def write(prompt: Prompt, on_text: Callable[[str], None] | None) -> str:
            return await self._text(_sized(prompt, request), on_text, _never_enough)

        return await write_large(request, write, ask, on_text)

    def _asking(self, request: Request) -> Ask:
        """Return what calls the model with a prompt sized for the request's language."""

        async def ask(
            prompt: Prompt,
            read: Callable[[str, bool], T],
            on_text: Callable[[str], None] | None = None,
        ) -> T:
            return await self._until_usable(_sized(prompt, request), read, on_text)

        return ask

    async def _split(self, request: SplitRequest) -> SplitAnswer:
        if request.lens == WHOLE:
            return await self._whole(request)
        if self._small:
            return await self._split_small(request)

        def read(text: str, cut: bool) -> SplitAnswer:
            answer = parsing.read_split(
                text,
                max_parts=request.max_parts,
                may_nest=request.may_nest,
                may_be_one=True,
                cut=cut,
            )
            brief = request.brief
            if request.part is None:
                brief = with_quotes(request.goal, brief, answer.quotes)
            return replace(answer, parts=_fitted(replace(request, brief=brief), answer.parts))

        answer = await self._until_usable(_sized(split_prompt(request), request), read)
        return replace(answer, rationale=answer.rationale or _rationale(request))

    async def _split_small(self, request: SplitRequest) -> SplitAnswer:
        """Ask for the titles, of which code knows some, and then for a sentence about each."""
        if self._cannot_write(request.language or request.brief.language):
            return _outlined(request)
        ask = self._asking(request)
        if await self._is_one_step(request):
            return SplitAnswer(parts=(), rationale="It is one step.")
        prompt = titles_prompt(request)
        titles = known_titles(request)
        if not all(titles):
            # A split by code would take the vote from the others, which know more than the route.
            count = len(titles)

            def read_all(text: str, cut: bool) -> tuple[str, ...]:
                return read_titles(text, request, count)

            def read_own(text: str, cut: bool) -> tuple[str, ...]:
                try:
                    return read_all(text, cut)
                except CopiedError:
                    return ()  # It would copy the example for as long as it sees it.

            try:
                titles = await ask(prompt, read_own)
            except BadAnswer:
                titles = ()
            if not titles:
                prompt = titles_prompt(request, example=False)
                titles = await ask(prompt, read_all)
        if len(set(titles)) < len(titles):  # Meals: each part has the same, on other days.
            return SplitAnswer(parts=_fit(request, _parts(titles)), rationale=_rationale(request))

        def read(text: str, cut: bool) -> tuple[Part, ...]:
            return _fitted(request, _parts(titles, read_details(text, len(titles))))

        try:
            parts = await ask(details_prompt(request, prompt, titles), read)
        except BadAnswer:
            log.info("split_without_details", model=self.model)
            parts = _fit(request, _parts(titles))
        return SplitAnswer(parts=parts, rationale=_rationale(request))

    async def _is_one_step(self, request: SplitRequest) -> bool:
        """Return whether a short goal without demands is one task: "write a haiku"."""
        demands = request.brief.of(*MANY_STEPS)
        # Who criticises a split, or asks for another one, wants a split.
        if request.path[1:] or request.detail.strip() or request.polish is not None:
            return False
        if demands or len(request.goal.split()) > MOST_WORDS_OF_ONE_STEP:
            return False
        try:
            yes = await self._judge.yes_probability(
                prompts.one_step_prompt(f"Goal: {line(request.goal)}")
            )
        except LLMError:
            return False
        return yes is not None and yes >= ONE_STEP

    async def _whole(self, request: SplitRequest) -> SplitAnswer:
        """Write the whole plan in one go, to compete with the splits."""
        task = DoRequest(
            goal=request.goal,
            title=request.title,
            detail=request.detail,
            language=request.language,
            inputs=(),
            brief=request.brief,
            today=request.today,
        )
        if self._cannot_write(request.language or request.brief.language):
            text = _outlined_whole(request, task)
        else:
            text = await self._write_whole(task, None)
        return SplitAnswer(parts=(), rationale="The whole plan in one go.", draft=text)

    async def _rate(self, request: RateRequest) -> RateAnswer:
        size = len(request.goal) + len(request.draft)
        size += sum(len(part.title + part.detail) for part in request.parts)
        if why := await _aside(size, partial(refusal, request)):
            return RateAnswer(concrete=0.0, distinct=0.0, complete=0.0, critique=why)
        yes = await self._yes_probabilities(request)
        if not yes:
            log.info("rated_by_code", model=self.model)
            return await _aside(size, partial(rate_by_code, request))
        if request.atomic:
            return await _aside(size, partial(rate_atomic, request, yes["complete"]))
        found = await _aside(size, partial(faults_of, request))
        ratings = ratings_of(yes, found)
        faults = [finding.text for finding in found]
        faults += [_DOUBTS[question] for question, value in yes.items() if value < DOUBT]
        if not self._small and min(ratings.values()) < 0.5:
            faults = [*faults[:3], await self._critique(request)]
        critique = parsing.clean_text(" ".join(dict.fromkeys(faults)), max_chars=600)
        return RateAnswer(critique=critique, **ratings)

    async def _critique(self, request: RateRequest) -> str:
        """Return one sentence by the model, or nothing: the ratings are valid without it."""
        try:
            prompt = _sized(prompts.critique_prompt(request), request)
            return parsing.clean_line(await self._text(prompt, None, bool))
        except BadAnswer:
            return ""

    async def _yes_probabilities(self, request: RateRequest) -> dict[Question, float]:
        """Ask the viewpoint's questions; leave out those without a usable answer."""
        yes: dict[Question, float] = {}
        errors: list[LLMError] = []

        async def ask(question: Question, prompt: Prompt) -> None:
            try:
                if question == "belongs":
                    probability = await self._judge.own_probability(
                        prompt, belonging.letter_of(request)
                    )
                else:
                    probability = await self._judge.yes_probability(prompt)
            except LLMError as error:
                errors.append(error)
                return
            if probability is not None:
                yes[question] = probability

        questions = prompts.rate_prompts(request).items()
        if self._small:
            # In sequence: a small model evaluates the shared prefix of the questions only once.
            for question, prompt in questions:
                if not errors:
                    await ask(question, prompt)
        else:
            async with anyio.create_task_group() as group:
                for question, prompt in questions:
                    group.start_soon(ask, question, prompt)
        if errors:
            raise errors[0]
        return yes

    async def _assemble(
        self, request: AssembleRequest, on_text: Callable[[str], None] | None
    ) -> TextAnswer:
        if not self._small and request.parts and self._fits(request):
            prompt = _sized(prompts.assemble_prompt(request), request)
            try:
                text = await self._text(prompt, on_text, _never_enough)
                size = len(text) + sum(len(part) for _, part in request.parts)
                check = partial(assembly.rewritten, request, text, draft=self._embedded)
                if (whole := await _aside(size, check)) is not None:
                    return whole
                log.info("rewriting_refused", model=self.model)
            except BadAnswer:
                log.info("rewriting_left_out", model=self.model)
        intro = ""
        language = request.language or request.brief.language
        if request.parts and self._cannot_write(language):
            note = f"*{phrases(language).skeleton_note}*"
            intro = f"{note}\n\n{assembly.overview(request)}"
        elif request.parts and not self._small:
            # A small model's introduction is a copy of the example; the titles say more.
            prompt = _sized(prompts.intro_prompt(request), request)
            try:
                intro = await self._text(prompt, on_text, bool)
            except BadAnswer:
                log.info("introduction_left_out", model=self.model)
        size = sum(map(len, (*request.drafts, *(text for _, text in request.parts))))
        work = partial(assembly.composed, request, intro, draft=self._embedded)
        return await _aside(size, work)

    def _fits(self, request: AssembleRequest) -> bool:
        """Return whether a model's context holds all parts twice: read, and written again."""
        chars = sum(len(title) + len(text) for title, text in request.parts)
        known = self._profile.context_tokens if self._profile is not None else 0
        context = min(self._settings.context_tokens, known or self._settings.context_tokens)
        return chars < REWRITTEN_CHARS and 2 * chars / CHARS_PER_TOKEN + 500 < context

    async def _text(
        self,
        prompt: Prompt,
        on_text: Callable[[str], None] | None,
        enough: Callable[[str], bool],
    ) -> str:
        """Return a text that is whole, or says that it was cut.

        Args:
            prompt: The prompt.
            on_text: See `perform`.
            enough: Whether the whole sentences of an answer that hit the token limit are an answer.
        """

        def read(text: str, cut: bool) -> tuple[str, str]:
            """Return the text, and the raw answer if more of it is wanted."""
            if not cut:
                return parsing.read_text(text, cut=False, terse=self._small), ""
            raw = parsing.strip_thinking(text)
            clean = parsing.read_text(text, cut=True, terse=self._small)
            return clean, "" if enough(parsing.whole_part(raw)) else raw

        text, raw = await self._until_usable(prompt, read, on_text)
        return await self._continued(prompt, text, raw, on_text) if raw else text

    async def _continued(
        self, prompt: Prompt, text: str, raw: str, on_text: Callable[[str], None] | None
    ) -> str:
        """Return a text that was cut with what the model adds when asked once to go on.

        Args:
            prompt: What was asked.
            text: The text without its broken end.
            raw: The answer as written.
            on_text: See `perform`.
        """
        kept = parsing.whole_part(raw)
        if not kept or len(raw) >= parsing.TEXT_CHARS:
            return continuation.marked(text)
        options = self._options(TEMPERATURE if prompt.creative and not self._small else 0.0)
        try:
            reply = await self._chat.complete(
                continuation.go_on_prompt(prompt, kept), options=options, on_text=on_text
            )
        except LLMError as error:
            log.info("continuation_failed", model=self.model, kind=type(error).__name__)
            return continuation.marked(text)
        whole = continuation.joined(raw, kept, parsing.strip_thinking(reply.text))
        read = partial(parsing.read_text, whole, cut=reply.cut, terse=self._small)
        text = await _aside(len(whole), read)
        ends = whole != kept and not reply.cut
        return text if ends else continuation.marked(text)

    async def _until_usable(
        self,
        prompt: Prompt,
        read: Callable[[str, bool], T],
        on_text: Callable[[str], None] | None = None,
    ) -> T:
        """Call the model until its answer can be parsed, telling it what was wrong in between.

        Raises:
            BadAnswer: No answer was usable.
        """
        temperature = TEMPERATURE if prompt.creative and not self._small else 0.0
        complaint = ""
        for round_number in range(1 + FEEDBACK_ROUNDS):
            options = self._options(temperature, seed=self._seed + round_number)
            if prompt.creative and self._small:
                options["repeat_penalty"] = REPEAT_PENALTY
            reply = await self._chat.complete(prompt, options=options, on_text=on_text)
            try:
                return await _aside(len(reply.text), partial(read, reply.text, reply.cut))
            except parsing.Unusable as error:
                complaint = str(error)
                log.info("unusable_answer", model=self.model, why=complaint, round=round_number)
                broken_off = isinstance(error, parsing.BrokenOff)
                prompt = (
                    prompt.with_more_room(reply.text)
                    if broken_off
                    else prompt.with_feedback(parsing.strip_thinking(reply.text), complaint)
                )
                temperature = FEEDBACK_TEMPERATURE
        raise BadAnswer(
            f"The model {self.model} gave no usable answer in {1 + FEEDBACK_ROUNDS} tries: "
            f"{complaint}. A larger model may do better."
        )

    def _options(self, temperature: float, *, seed: int | None = None) -> dict[str, Any]:
        options: dict[str, Any] = {"temperature": temperature}
        if temperature > 0:
            options["seed"] = self._seed if seed is None else seed
        if not self._embedded:
            # The same in every call: Ollama reloads the model for another context length.
            options["num_ctx"] = self._settings.context_tokens
        return options

    @property
    def _embedded(self) -> bool:
        return self._profile is not None and self._profile.embedded

    def _cannot_write(self, language: str) -> bool:
        """Return whether the model is known to write no sense in a language."""
        return self._embedded and primary(language) in NOT_WRITTEN

    @property
    def _small(self) -> bool:
        if self._settings.style != "auto":
            return self._settings.style == "small"
        size = self._profile.parameters if self._profile is not None else 0
        return self._embedded or 0 < size < SMALL_PARAMETERS


class OllamaBrain(ServerBrain):
    """A `Brain` on one model of an Ollama, or of the embedded server, which speaks its API.

    Args:
        url: The server's address; empty for `OLLAMA_HOST` or Ollama's default.
        model: The model's name there.
        settings: Limits and style; the address and name in it are ignored.
        seed: Seed of sampling, as for `ServerBrain`.
        tries: Tries of a call whose failure may be transient.
    """

    def __init__(
        self,
        url: str,
        model: str,
        *,
        settings: ModelSettings | None = None,
        seed: int = 0,
        tries: int = ATTEMPTS,
    ) -> None:
        super().__init__(ChatClient(url, model, tries=tries), settings=settings, seed=seed)


def _sized(prompt: Prompt, request: Request) -> Prompt:
    """Return a prompt whose token limit fits the language of the answer."""
    if not language_line(request.language, request.goal):
        return prompt  # English
    return replace(prompt, max_tokens=room(prompt.max_tokens, request.language, request.goal))


def _fitted(request: SplitRequest, parts: tuple[Part, ...]) -> tuple[Part, ...]:
    """Return a model's parts with their skeleton.

    Raises:
        Unusable: They cannot be meant for the goal.
    """
    # Before the skeleton is added: what the model itself wrote has to fit the goal.
    why = refuse_split(request.brief, request.goal, parts, examples=EXAMPLES) if parts else ""
    if why:
        raise parsing.Unusable(why)
    return _fit(request, parts)


def _fit(request: SplitRequest, parts: tuple[Part, ...]) -> tuple[Part, ...]:
    """Return parts that are meant for the goal with their skeleton."""
    lens = lens_named(request.lens)
    return fit(
        request.brief,
        parts,
        whole=request.part,
        dated=lens.ordered,
        by_place=lens.slug == "place",
    )


def _parts(titles: Sequence[str], details: Sequence[str] = ()) -> tuple[Part, ...]:
    return tuple(
        Part(title=title, detail=detail)
        for title, detail in zip_longest(titles, details, fillvalue="")
    )


def _outlined(request: SplitRequest) -> SplitAnswer:
    """Return the split that code makes alone: by the goal's places, else by general stages."""
    titles = outline_titles(request.brief, parts_wanted(request, small=True))
    by_place = any(demand.name in titles for demand in request.brief.demands if demand.name)
    parts = fit(request.brief, _parts(titles), whole=request.part, by_place=by_place)
    return SplitAnswer(parts=parts, rationale=_rationale(request))


def _outlined_whole(request: SplitRequest, task: DoRequest) -> str:
    """Return the outlines of all parts as one draft, which says what the parts say."""
    parts = _outlined(request).parts
    texts = []
    before = ""
    for part in parts:
        one = replace(task, title=part.title, part=part, outline=parts, place_before=before)
        texts.append((part.title, write_outline(one)[0]))
        before = part.place
    return assembly.document("", texts)


def _rationale(request: SplitRequest) -> str:
    """Return why a split is as it is, if the model did not say it; empty in other languages."""
    if request.language.split("-")[0] not in ("", "en"):
        return ""
    return f"Split {lens_named(request.lens).ask}."


def _never_enough(text: str) -> bool:
    """Return that no cut text will do: a larger model was given all the room it needs."""
    return False


async def _aside(size: int, work: Callable[[], T]) -> T:
    """Do pure work on a text of `size` characters: directly if it is small, else in a thread."""
    if size <= LOOP_CHARS:
        return work()
    return await anyio.to_thread.run_sync(work, abandon_on_cancel=True)
