"""The answers of scripted models: deterministic, plausible, cheap. Standard library only, pure.

Shared by the scripted server (`swarm.testing.scripted_server`) and the in-process brain
(`swarm.testing.scripted_brain`), so that a plan made by either has the same shape: five parts that
pass every check in code, ratings that differ between splits, short Markdown texts.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from typing import Any

from swarm.llm.other_goals import OTHER_GOALS

PARTS_BY_LENS: dict[str, tuple[tuple[str, str], ...]] = {
    "place": (
        ("Capital", "Old quarter on foot, one great museum, an evening at the market."),
        ("Coast", "Cliffs, a fishing harbour and a slow train along the sea."),
        ("Hills", "A mountain village, hot springs and an easy ridge walk."),
        ("River town", "Bridges, a boat trip and workshops of local craft."),
        ("Borderland", "A castle, vineyards and the way back home."),
    ),
    "activity": (
        ("Getting around", "Flights, a rail pass and the two longest transfers."),
        ("Places to stay", "Kind of room and area for each night, two alternatives."),
        ("Sights", "Seven places worth the detour, three to book ahead."),
        ("Food", "Dishes to try, a cooking class, what to avoid with allergies."),
        ("Money and papers", "Budget by category, insurance, passports, cash or card."),
    ),
    "day": (
        ("Arrival", "Land, check in, a short walk and an early night."),
        ("First stop", "Museums in the morning, parks later, concert after dinner."),
        ("Second stop", "Train north, castle tour, sunset from the tower."),
        ("Third stop", "Island ferry, swimming, bicycles around the bay."),
        ("Return", "Souvenirs, packing and the journey to the airport."),
    ),
    "phase": (
        ("Set the frame", "Purpose, date, money and who decides what."),
        ("Find people", "Ask helpers, share out roles, agree on meetings."),
        ("Prepare", "Order material, reserve rooms, write the schedule."),
        ("Try it out", "One rehearsal with five guests, list of repairs."),
        ("Run and close", "The day itself, cleaning up, thanks and accounts."),
    ),
    "component": (
        ("Space", "Room, furniture, electricity and emergency exits."),
        ("Programme", "Speakers, order of events, breaks, a fallback for rain."),
        ("Publicity", "Poster, website text, letters to neighbours."),
        ("Catering", "Drinks, vegetarian lunch, dishes and washing-up."),
        ("Budget", "Income, spending limits, receipts and reserve."),
    ),
    "stakeholder": (
        ("Organisers", "Tasks, contact list, decision rules for trouble."),
        ("Guests", "Invitation, directions, accessibility, what to bring."),
        ("Helpers", "Shifts, training hour, meals and a small gift."),
        ("Neighbours", "Noise times, parking plan, an open phone line."),
        ("Sponsors", "Offer in three sizes, logo places, report afterwards."),
    ),
}
"""Five (title, detail) for each lens slug."""

YES_LOW = 0.55
YES_HIGH = 0.95
"""Range of the scripted probability of "yes": every split can be approved, none is perfect."""

_LENS_WORD = re.compile(r"\bby (place|activity|day|phase|component|stakeholder)\b")
_SUBJECT = re.compile(r"^(?:Your part|Part of it to look at now|Goal): (.+)$", re.MULTILINE)


def fraction(*texts: str) -> float:
    """Return a number in [0, 1) that depends on the texts and nothing else."""
    digest = hashlib.sha256("\x00".join(texts).encode("utf-8", "replace")).digest()
    return int.from_bytes(digest[:6], "big") / 2**48


def parts_for(lens: str, count: int, title: str = "") -> tuple[tuple[str, str], ...]:
    """Return up to five (title, detail); an unknown lens picks one by the title.

    A part is never split into one that only repeats it: scorers would find that.
    """
    names = sorted(PARTS_BY_LENS)
    if lens not in PARTS_BY_LENS:
        lens = names[int(fraction(title) * len(names))]
    if title in dict(PARTS_BY_LENS[lens]):
        lens = names[(names.index(lens) + 1) % len(names)]
    return PARTS_BY_LENS[lens][: max(2, count)]


NOT_ATOMIC = 0.2
"""The scripted probability that a goal is small enough for one task."""


ASKS_FOR_LETTER = "Answer with the letter"
"""Words of the question for which of several goals a split was made."""


def letters_in(question: str) -> tuple[str, str]:
    """Return the letter of a split's own goal and that of another one, from such a question."""
    found = re.findall(r"^([A-Z])\. (.+)$", question.partition("\nGoals:\n")[2], re.MULTILINE)
    own = next((letter for letter, goal in found if goal not in OTHER_GOALS), "A")
    return own, next((letter for letter, _ in found if letter != own), "B")


def asks_for_size(question: str) -> bool:
    """Return whether a question is if a goal is small enough for one task."""
    return "so small that one person" in question


def yes_share(*texts: str) -> float:
    """Return a probability of "yes" for what the texts describe."""
    if asks_for_size(texts[-1]):
        return NOT_ATOMIC
    if "Does the text do what the demand asks?" in texts[-1]:
        demand = texts[-1].rpartition("The demand: ")[2].split("\n")[0]
        return YES_HIGH if keeps(texts[-1], demand) else 1 - YES_HIGH
    return YES_LOW + (YES_HIGH - YES_LOW) * fraction(*texts)


def kept_row(demand: str) -> str:
    """Return the line with which a scripted text says that it keeps a demand."""
    return f"- Kept: {demand}."


def keeps(text: str, demand: str) -> bool:
    """Return whether a scripted text says that it keeps a demand, in its words or in others."""
    return f"Kept: {demand}" in text or paraphrase(demand) in text


def paraphrase(demand: str) -> str:
    """Return words that mean a demand to scripted models, and nothing to checks in code."""
    return f"Done as asked under number {int(fraction(demand) * 9_000) + 1_000}"


def text_for(title: str, detail: str = "") -> str:
    """Return a short Markdown text about a task."""
    reference = int(fraction(title, detail) * 9_000) + 1_000
    points = [word.strip(" .") for word in detail.split(",") if word.strip(" .")]
    rows = [
        f"- **{point[:1].upper()}{point[1:]}:** settled, with one alternative." for point in points
    ]
    rows = rows or [f"- **{title}:** settled, with one alternative."]
    return "\n".join([*rows, f"- Written by a scripted model (reference {reference})."])


_KEPT = re.compile(r"^This part has to keep:\n((?:- .*\n?)+)", re.MULTILINE)
_DEMANDED = re.compile(r"^The goal demands:\n((?:- .*\n?)+)", re.MULTILINE)
_STEPS = re.compile(
    r"^One bullet point for each \w+ from (\d+) to (\d+), each beginning like this: "
    r"\*\*(\D+)\d+:\*\*",
    re.MULTILINE,
)


def part_text(prompt: str) -> str:
    """Return the answer to the prompt for one task: it obeys whatever the prompt asks for."""
    title = subject_in(prompt)
    whole = "\nWrite the whole plan." in prompt
    detail = prompt.rpartition("It should cover: ")[2] if "It should cover: " in prompt else ""
    steps = _STEPS.search(prompt)
    rows = []
    if steps is not None:
        first, last = int(steps[1]), int(steps[2])
        rows = [
            f"- **{steps[3]}{number}:** {_done_on(title, number)}"
            for number in range(first, last + 1)
        ]
    kept = (_DEMANDED if whole else _KEPT).search(prompt)
    if kept is not None:
        rows += [kept_row(row[2:]) for row in kept[1].splitlines()]
    return "\n".join([*rows, text_for(title, detail.split("\n")[0])])


def _done_on(title: str, number: int) -> str:
    reference = int(fraction(title, str(number)) * 9_000) + 1_000
    return f"what was agreed under number {reference}, with one alternative."


def form_answer(schema: Mapping[str, Any], prompt: str) -> dict[str, Any]:
    """Return an answer in the form that a schema of lines, points and costs forces."""
    title = subject_in(prompt)
    answer: dict[str, Any] = {}
    for name, about in schema.get("properties", {}).items():
        if name == "costs":
            limit = about["items"]["properties"]["amount"].get("maximum", 300)
            answer[name] = [
                {"what": "Materials", "amount": limit // 3},
                {"what": "Reserve", "amount": limit // 5},
            ]
        elif about.get("type") == "array":
            wanted = re.search(r'^"points": one line each about: (.*)\.$', prompt, re.MULTILINE)
            topics = wanted[1].split("; ") if wanted and name == "points" else []
            answer[name] = [
                f"Kept: {topics[number]}, as agreed."
                if number < len(topics)
                else f"Settled here: {_done_on(title + name, number)}"
                for number in range(about.get("minItems", 1))
            ]
        else:
            topic = prompt.rpartition("for this part about: ")[2].split("\n")[0]
            answer[name] = f"Settled here: {topic}, as agreed under number {len(topic) + 1_000}."
    return answer


def assembled(title: str, prompt: str) -> str:
    """Return the answer to a prompt that brings finished parts: an introduction and the parts."""
    parts = prompt.partition("The finished parts:\n\n")[2].partition("\n\nCould not be done:")[0]
    parts = parts.partition("\nAnswer in ")[0]
    parts = re.sub(r"^# ", "## ", parts, flags=re.MULTILINE)
    return f"{title}, put together by a scripted model.\n\n{parts}".strip()[:12_000]


def lens_in(prompt: str) -> str:
    """Return the lens that a prompt asks for; empty if none."""
    match = _LENS_WORD.search(prompt)
    return match.group(1) if match else ""


def subject_in(prompt: str) -> str:
    """Return what a prompt is about: the task, part or goal that it names, else its first line."""
    found = _SUBJECT.findall(prompt)
    return str(found[-1] if found else prompt.strip().split("\n", 1)[0])[:200]


def max_items_in(schema: object) -> int:
    """Return how many parts a schema allows; five if it does not say."""
    try:
        value = schema["properties"]["parts"]["maxItems"]  # type: ignore[index]
    except (TypeError, KeyError):
        return 5
    return value if isinstance(value, int) and value >= 2 else 5


def pieces_of(text: str) -> Sequence[str]:
    """Return a text in the pieces in which it is streamed: words with the space before them."""
    return re.findall(r"\s*\S+", text) or [text]
