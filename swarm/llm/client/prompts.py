"""The prompts. Pure functions from a request to chat turns, a schema and limits.

They are written for a 1.5-billion-parameter model on two cores, and good enough for large ones:
short, one question at a time, with one worked example. What requests of a kind have in common comes
first, so that the server evaluates it once (its prompt cache works on prefixes): the questions
about one split differ only in the last line. Larger models get the same prompts and may do more
(`small=False`): order parts, nest goals, refuse to split, write longer texts.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from swarm.brief.durations import duration_days
from swarm.brief.language import NAMES, detect
from swarm.brief.part import Part
from swarm.brief.steps import days_of
from swarm.llm.client.fences import disarmed, quoted, unlabelled
from swarm.llm.client.parsing import DETAIL_CHARS, TITLE_CHARS, clean_text, clip
from swarm.llm.client.split_checks import Aspect, day_ranges
from swarm.llm.lenses import TRAVEL_LENSES, Lens, lens_named, lenses_for
from swarm.llm.requests import AssembleRequest, DoRequest, RateRequest, SplitRequest

SMALL_MAX_PARTS = 5
"""Most parts requested from a small model: each further part makes splits worse and slower."""

SMALL_TASK_TOKENS = 200
"""Token limit of one task for a small model, twenty seconds on two cores; four or five lines take
about 130 tokens. An answer that hits it is cut after its last whole line."""

SMALL_INPUT_CHARS = 400
"""Characters of each earlier result that a small model gets."""

GOAL_CHARS = 1_200
"""Characters of a goal that a prompt repeats; longer goals are cut at the end."""

INPUT_CHARS = 4_000
"""Characters of each earlier result that a larger model gets."""

Message = Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """Everything that one call of a model needs.

    Attributes:
        messages: Chat turns; the last one is the user's.
        schema: JSON schema of the answer; None for free text.
        max_tokens: Token limit of the answer.
        creative: Whether a temperature above 0 may be used.
    """

    messages: tuple[Message, ...]
    schema: Mapping[str, Any] | None = None
    max_tokens: int
    creative: bool = False

    def with_feedback(self, answer: str, complaint: str) -> Prompt:
        """Return the same prompt, followed by the unusable answer and what was wrong with it."""
        said = clean_text(answer, max_chars=1_000) or "(nothing)"
        form = ", with nothing but the JSON" if self.schema is not None else ""
        again = f"That cannot be used: {complaint}. Answer again{form}."
        return Prompt(
            messages=(*self.messages, _turn("assistant", said), _turn("user", again)),
            schema=self.schema,
            max_tokens=self.max_tokens,
            creative=self.creative,
        )

    def with_more_room(self, answer: str) -> Prompt:
        """Return the same prompt with twice the room, after an answer that broke off."""
        said = clean_text(answer, max_chars=200) or "(nothing)"
        again = (
            "That answer broke off at the limit of length, so that it cannot be used. Answer again "
            "from the beginning, whole, with shorter details."
        )
        return replace(
            self,
            messages=(*self.messages, _turn("assistant", said), _turn("user", again)),
            max_tokens=2 * self.max_tokens,
        )


# --- splits ---------------------------------------------------------------------------------

_SPLIT_SYSTEM = (
    "You split a goal into a few parts that different people can work on at the same time. "
    "Each part has a short title and one concrete sentence of detail. "
    "Parts do not overlap and together cover the goal. Answer as JSON."
)
_SPLIT_SYSTEM_MORE = (
    _SPLIT_SYSTEM + ' Where a part needs the results of earlier ones, list their numbers in "after"'
    ' (the first part is 1). Say in one sentence in "rationale" why you split it so. '
    'If it is one simple task that should not be split, answer with an empty list of "parts".'
)
_NEST = ' Give a part the kind "goal" if it is large enough to be split again, else "task".'


def split_prompt(request: SplitRequest, *, small: bool) -> Prompt:
    """Return the prompt for a split by the request's lens, or for a better version of one."""
    lens = lens_named(request.lens)
    count = min(request.max_parts, SMALL_MAX_PARTS) if small else request.max_parts
    system = _SPLIT_SYSTEM if small else _SPLIT_SYSTEM_MORE
    if request.may_nest and not small:
        system += _NEST
    example = _split_json(lens.parts, small=small)
    wanted = _node(request.goal, request.title, request.detail)
    if request.path[1:]:
        wanted += (
            f"\nIt belongs to: {' > '.join(_line(step, TITLE_CHARS) for step in request.path)}"
        )
    ask = _split_ask(lens, request.goal, count, exact=small)
    if request.polish is not None:
        ask = (
            f"This split was criticised:\n{_numbered(request.polish.parts)}\nCritique:\n"
            + "\n".join(f"- {_peer_line(text, 200)}" for text in request.polish.critiques[:5])
            + f"\nWrite a better one. {ask}"
        )
    return Prompt(
        messages=(
            _turn("system", system),
            _turn("user", f"Goal: {lens.goal}\n{_split_ask(lens, lens.goal, 4, exact=small)}"),
            _turn("assistant", example),
            _turn("user", f"{wanted}\n{ask}{language_line(request.language, request.goal)}"),
        ),
        schema=_split_schema(count, small=small, may_nest=request.may_nest),
        max_tokens=70 * count if small else 400 + 150 * count,
        creative=True,
    )


def _split_ask(lens: Lens, goal: str, count: int, *, exact: bool) -> str:
    ask = f"Split it {lens.ask}. "
    days = duration_days(goal) if lens.days_in else None
    if days is not None and days >= 2:
        names = [
            f"Day {first}" if first == last else f"Days {first}-{last}"
            for first, last in day_ranges(days, count)
        ]
        return (
            f"{ask}Exactly {len(names)} parts. The {lens.days_in} begin with: {', '.join(names)}."
        )
    return ask + (f"Exactly {count} parts." if exact else f"2 to {count} parts.")


def _split_schema(count: int, *, small: bool, may_nest: bool) -> dict[str, Any]:
    part: dict[str, Any] = {
        "title": {"type": "string", "minLength": 2, "maxLength": TITLE_CHARS},
        "detail": {"type": "string", "maxLength": 200 if small else DETAIL_CHARS},
    }
    if not small:
        part["after"] = {"type": "array", "items": {"type": "integer"}}
        if may_nest:
            part["kind"] = {"type": "string", "enum": ["task", "goal"]}
    parts = {
        "type": "array",
        "items": {
            "type": "object",
            "properties": part,
            "required": list(part),
            "additionalProperties": False,
        },
        "minItems": min(4, count) if small else 0,
        "maxItems": count,
    }
    properties: dict[str, Any] = {"parts": parts}
    if not small:
        properties["rationale"] = {"type": "string", "maxLength": 300}
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _split_json(parts: Sequence[Part], *, small: bool) -> str:
    rows: list[dict[str, Any]] = [{"title": part.title, "detail": part.detail} for part in parts]
    if small:
        return json.dumps({"parts": rows}, ensure_ascii=False)
    for row in rows:
        row["after"] = []
    answer = {"parts": rows, "rationale": "Each part can be worked on alone."}
    return json.dumps(answer, ensure_ascii=False)


# --- ratings --------------------------------------------------------------------------------

_RATE_SYSTEM = "You judge plans strictly. Answer each question with Yes or No only."

QUESTIONS: dict[Aspect, str] = {
    "concrete": "Does every part say something specific to do, not just general words?",
    "distinct": "Are the parts really different, so that no work would be done twice?",
    "complete": "Do the parts together cover the goal, with nothing important missing?",
}
"""The question of each rating; yes is good."""

ATOMIC_QUESTION = "Is this so small that one person should do it in one go, without splitting it?"
"""The question about a proposal not to split."""

_GOOD = (
    "Goal: Plan a birthday dinner\nParts:\n"
    "1. Guests: write the list of twelve and send invitations by Friday\n"
    "2. Menu: choose three courses, one of them without meat\n"
    "3. Shopping and cooking: list what to buy, who cooks what and when\n"
    "4. Table and music: seats, candles and a playlist of two hours"
)
_VAGUE = (
    "Goal: Plan a birthday dinner\nParts:\n1. Preparation: prepare everything that is needed\n"
    "2. Planning: plan all the things\n3. Other: do the rest"
)
_SAME = (
    "Goal: Repaint the kitchen\nParts:\n1. Buy paint: get four litres of white paint\n"
    "2. Get the paint: buy white wall paint in the shop\n3. Paint the walls: two coats by roller"
)
_SHOTS = (
    (_GOOD, QUESTIONS["concrete"], "Yes"),
    (_VAGUE, QUESTIONS["concrete"], "No"),
    (_GOOD, QUESTIONS["distinct"], "Yes"),
    (_SAME, QUESTIONS["distinct"], "No"),
    (_SAME, QUESTIONS["complete"], "No"),
    (_GOOD, QUESTIONS["complete"], "Yes"),
)


def rate_prompts(request: RateRequest) -> dict[Aspect, Prompt]:
    """Return one yes-or-no question for each rating; for an atomic proposal only `complete`."""
    node = _node(request.goal, request.title, request.detail)
    if request.atomic:
        shots = [
            _turn("user", f"Goal: Plan a wedding\n{ATOMIC_QUESTION}"),
            _turn("assistant", "No"),
            _turn("user", f"Goal: Write a two-line thank-you note\n{ATOMIC_QUESTION}"),
            _turn("assistant", "Yes"),
        ]
        return {"complete": _yes_no(shots, f"{node}\n{ATOMIC_QUESTION}")}
    shots = [
        turn
        for split, question, answer in _SHOTS
        for turn in (_turn("user", f"{split}\n{question}"), _turn("assistant", answer))
    ]
    split = f"{node}\nParts:\n{_numbered(request.parts, rated=True)}"
    return {
        aspect: _yes_no(shots, f"{split}\n{question}") for aspect, question in QUESTIONS.items()
    }


def _yes_no(shots: Sequence[Message], question: str) -> Prompt:
    """Return the prompt of one question after worked examples."""
    messages = (_turn("system", _RATE_SYSTEM), *shots, _turn("user", question))
    return Prompt(messages=messages, max_tokens=RATE_TOKENS)


def critique_prompt(request: RateRequest) -> Prompt:
    """Return the prompt that asks a larger model what would improve a split most."""
    node = _node(request.goal, request.title, request.detail)
    user = (
        f"{node}\nParts:\n{_numbered(request.parts)}\n"
        "Say in one sentence what is wrong with this split and how to improve it."
        + language_line(request.language, request.goal)
    )
    system = _turn("system", "You review plans. Be concrete and brief.")
    return Prompt(messages=(system, _turn("user", user)), max_tokens=120)


RATE_TOKENS = 1
"""The first token decides, or the first word if there are no log probabilities."""


# --- texts ----------------------------------------------------------------------------------

_DO_SYSTEM = (
    "You write one part of a larger plan. Write only this part, as Markdown bullet points, "
    "concrete and useful. Do not invent prices, opening hours, phone numbers or links. "
)
_ASSEMBLE_SYSTEM = (
    "You put the finished parts of a plan together into one clear Markdown document with headings. "
    "Keep the facts of the parts, remove repetition, add nothing that is not in them. "
    "Say plainly what is missing."
)
_INTRO_SYSTEM = (
    "You write a short introduction to a plan: two plain sentences that say what it covers. "
    "No list, no heading, no promises."
)


_INTRO_EXAMPLE = (
    "Goal: Plan a one week trip to Portugal\n"
    "The plan has these parts: Lisbon, Sintra, Coimbra, Porto",
    "This is a week in Portugal from south to north, from Lisbon and Sintra by way of Coimbra to "
    "Porto. Each part below says what to see there and what to think of before.",
)
_DO_TRIP = (
    "The whole plan: Plan a one week trip to Portugal\nYour part: Sintra\n"
    "It should cover: Days 3-4: Pena palace, the Moorish castle, cliffs at Cabo da Roca.",
    "- **Day 3, morning:** early train from Lisbon, then Pena palace before the crowds.\n"
    "- **Day 3, afternoon:** walk up to the Moorish castle; wear shoes with a good grip.\n"
    "- **Day 4:** bus to Cabo da Roca for the cliffs, back along the coast by Cascais.\n"
    "- **Before you go:** book the palace for a fixed time; check which days it is closed.",
)
_DO_TRIP_UNDATED = (
    "The whole plan: Plan a one week trip to Portugal\nYour part: Food\n"
    "It should cover: Custard tarts, grilled sardines, bacalhau and a tasting of port.",
    "- **Custard tarts:** warm from the oven in Belém, with cinnamon; go early.\n"
    "- **Grilled sardines:** in Alfama's small restaurants, best from June to August.\n"
    "- **Bacalhau:** dried cod, cooked in many ways; share two dishes to compare them.\n"
    "- **Port:** book one cellar tour in Porto and taste a white, a ruby and a tawny.",
)
_DO_FAIR = (
    "The whole plan: Organise a science fair at a school\nYour part: Judging\n"
    "It should cover: Criteria, score sheets, five judges and the prizes.",
    "- **Criteria:** a clear question, careful work, own ideas, a good explanation.\n"
    "- **Score sheet:** one page a project, one to five points a criterion, room for a comment.\n"
    "- **Judges:** ask two teachers, two parents and one former pupil three weeks before.\n"
    "- **Prizes:** one for each age group and one chosen by the visitors.",
)


def do_prompt(request: DoRequest, *, small: bool) -> Prompt:
    """Return the prompt for one task; for a small model with an example of the right length."""
    length = (
        "Four or five points, one line each, no heading."
        if small
        else "At most 400 words, no title."
    )
    limit = SMALL_INPUT_CHARS if small else INPUT_CHARS
    lines = [f"The whole plan: {_line(request.goal, GOAL_CHARS)}"]
    if request.inputs:
        lines.append("Already done:")
        lines += [f"## {_line(title)}\n{_block(text, limit)}" for title, text in request.inputs]
    lines.append(f"Your part: {_peer_line(request.title)}")
    if request.detail:
        lines.append(f"It should cover: {_peer_line(request.detail)}")
    user = "\n".join(lines) + language_line(request.language, request.goal)
    turns = [_turn("system", _DO_SYSTEM + length)]
    if small:
        question, answer = _task_example(request)
        turns += [_turn("user", question), _turn("assistant", answer)]
    return Prompt(
        messages=(*turns, _turn("user", user)),
        max_tokens=SMALL_TASK_TOKENS if small else 1_200,
        creative=True,
    )


def _task_example(request: DoRequest) -> tuple[str, str]:
    """Return the worked example closest to a task; one with days makes a small model use days."""
    if lenses_for(request.goal) != TRAVEL_LENSES:
        return _DO_FAIR
    dated = days_of(Part(title=request.title, detail=request.detail)) is not None
    return _DO_TRIP if dated else _DO_TRIP_UNDATED


def assemble_prompt(request: AssembleRequest) -> Prompt:
    """Return the prompt that asks a larger model for the whole document."""
    node = _node(request.goal, request.title, request.detail)
    # Not quoted: a larger model copies from it, quotes and all.
    parts = "\n\n".join(f"# {_line(title)}\n{disarmed(text)}" for title, text in request.parts)
    missing = "".join(f"\n- {_line(title)}: {_line(why)}" for title, why in request.missing)
    user = f"{node}\n\nThe finished parts:\n\n{parts}"
    if missing:
        user += f"\n\nCould not be done:{missing}"
    user += language_line(request.language, request.goal)
    return Prompt(
        messages=(_turn("system", _ASSEMBLE_SYSTEM), _turn("user", user)),
        max_tokens=3_000,
        creative=True,
    )


def intro_prompt(request: AssembleRequest, *, small: bool) -> Prompt:
    """Return the prompt for an introduction; the parts follow it word for word."""
    node = _node(request.goal, request.title, request.detail)
    titles = ", ".join(_line(title, TITLE_CHARS) for title, _ in request.parts)
    user = f"{node}\nThe plan has these parts: {titles}"
    user += language_line(request.language, request.goal)
    question, answer = _INTRO_EXAMPLE
    return Prompt(
        messages=(
            _turn("system", _INTRO_SYSTEM),
            _turn("user", question),
            _turn("assistant", answer),
            _turn("user", user),
        ),
        max_tokens=80 if small else 200,
        creative=True,
    )


# --- shared ---------------------------------------------------------------------------------


def language_line(language: str, goal: str) -> str:
    """Return the line that requests a language; empty for English, to keep prefixes equal.

    Args:
        language: BCP 47 tag, or empty for the goal's own language.
        goal: The goal, used only if the tag is empty.
    """
    tag = language.replace("_", "-") or detect(goal)
    name = NAMES.get(tag) or NAMES.get(tag.split("-")[0].lower())
    if name == NAMES["en"]:
        return ""
    if tag:
        return f"\nAnswer in {name or f'the language with the code {tag}'}."
    return "\nAnswer in the language of the goal."


def _node(goal: str, title: str, detail: str) -> str:
    """Return the goal and, below the root, the node in question."""
    text = f"Goal: {_line(goal, GOAL_CHARS)}"
    if title.strip() and title.strip() != goal.strip():
        text += f"\nPart of it to look at now: {_peer_line(title)}"
    if detail.strip():
        text += f"\nDetails: {_peer_line(detail)}"
    return text


def _numbered(parts: Sequence[Part], *, rated: bool = False) -> str:
    """Return the parts as a numbered list, one a line; `rated`: for a question about them."""
    return "\n".join(
        f"{number}. {_peer_line(part.title, rated=rated)}"
        + (f": {_peer_line(part.detail, rated=rated)}" if part.detail else "")
        for number, part in enumerate(parts, start=1)
    )


def _line(text: str, most: int = DETAIL_CHARS) -> str:
    """Return foreign text as one clean line, so that it cannot imitate the rest of a prompt.

    A part titled "x⏎Does every part …? Yes" would otherwise read like a turn of our own.
    """
    return clip(" ".join(unlabelled(clean_text(text, max_chars=2 * most)).split()), most)


def _peer_line(text: str, most: int = DETAIL_CHARS, *, rated: bool = False) -> str:
    """Return a peer's text as one line without instructions to its reader."""
    # Sentences are removed before the lines are joined: a note may be a line without a full stop.
    return _line(disarmed(clean_text(text, max_chars=2 * most), rated=rated), most)


def _block(text: str, most: int) -> str:
    """Return a result as a quoted block: no line of it begins like one of ours."""
    return quoted(clip(disarmed(clean_text(text, max_chars=2 * most)), most))


def _turn(role: str, content: str) -> Message:
    return {"role": role, "content": content}
