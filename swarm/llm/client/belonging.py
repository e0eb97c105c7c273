"""The question for which of several goals a split was made.

Asked whether a split suits its goal, a small model says yes to nearly all. Shown the parts and four
goals, it picks theirs: it rates a split of another goal, even one with this goal's days and places,
below the goal's own in 99 of 100 pairs, and vague parts below good ones (`benchmarks.raters`).
"""

from __future__ import annotations

from collections.abc import Mapping

from swarm.brief.goal_kind import GoalKind, goal_kind
from swarm.brief.passage import Passage
from swarm.brief.skeleton import without_label
from swarm.brief.subject import subject_of
from swarm.llm.client.prompt import Message, line, peer_line, turn
from swarm.llm.requests import RateRequest

LETTERS = "ABCD"
"""What the goals are called in the question."""

_SYSTEM = (
    "You are given the parts of a plan and several goals. "
    "Answer with the letter of the goal that the parts were made for."
)

_KINDS: tuple[GoalKind, ...] = (
    *("work", "work", "learning", "learning"),
    *("work", "meals", "work", "trip"),
)
"""What kind of plan each of the other goals is, in their order."""

_OTHERS: Mapping[str, tuple[str, ...]] = {
    "en": (
        "A celebration with guests",
        "Moving house",
        "Training for a race",
        "Studying for an exam",
        "Building and launching a product",
        "Cooking meals for a week",
        "Renovating a room",
        "A journey through several cities",
    ),
    "ms": (
        "Majlis dengan tetamu",
        "Berpindah rumah",
        "Berlatih untuk larian",
        "Belajar untuk peperiksaan",
        "Membina dan melancarkan produk",
        "Memasak hidangan untuk seminggu",
        "Mengubah suai bilik",
        "Perjalanan ke beberapa bandar",
    ),
    "hi": (
        "मेहमानों के साथ समारोह",
        "घर बदलना",
        "दौड़ की तैयारी",
        "परीक्षा की पढ़ाई",
        "उत्पाद बनाना और शुरू करना",
        "एक सप्ताह का खाना बनाना",
        "कमरे की मरम्मत",
        "कई शहरों की यात्रा",
    ),
    "ur": (
        "مہمانوں کے ساتھ تقریب",
        "گھر بدلنا",
        "دوڑ کی تیاری",
        "امتحان کی پڑھائی",
        "مصنوعات بنانا اور شروع کرنا",
        "ایک ہفتے کا کھانا پکانا",
        "کمرے کی مرمت",
        "کئی شہروں کا سفر",
    ),
    "bn": (
        "অতিথিদের নিয়ে অনুষ্ঠান",
        "বাসা বদল",
        "দৌড়ের প্রস্তুতি",
        "পরীক্ষার পড়া",
        "পণ্য তৈরি ও চালু করা",
        "এক সপ্তাহের রান্না",
        "ঘর মেরামত",
        "কয়েকটি শহরে ভ্রমণ",
    ),
}
"""Other goals, in the languages of the seeds: in another language than the parts none would be
chosen. A goal in any other language is compared with English ones."""


OTHER_GOALS = frozenset(goal for goals in _OTHERS.values() for goal in goals)
"""All goals that the question may name beside the split's own."""


def asked(request: RateRequest) -> tuple[Message, ...]:
    """Return the question about a split; its turn chooses the other goals and the letters."""
    others, at = _others(request), LETTERS.index(letter_of(request))
    options = [*others[:at], _own(request), *others[at:]]
    goals = "\n".join(f"{letter}. {goal}" for letter, goal in zip(LETTERS, options, strict=True))
    parts = "\n".join(
        f"- {peer_line(without_label(part.title), rated=True)}: "
        f"{peer_line(part.detail, rated=True)}"
        for part in request.parts
    )
    question = f"Parts:\n{parts}\n\nGoals:\n{goals}\n\nWhich goal? Answer with one letter."
    return turn("system", _SYSTEM), turn("user", question)


def letter_of(request: RateRequest) -> str:
    """Return what a split's own goal is called in the question: another letter at each turn."""
    return LETTERS[(request.viewpoint.turn + 1) % len(LETTERS)]


def _own(request: RateRequest) -> str:
    """Return what the node is about: the goal without its demands, and which part of it."""
    subject = line(subject_of(request.goal, request.brief))
    title = request.title.strip()
    if not title or title == request.goal.strip():
        return subject
    return f"{peer_line(without_label(title))} ({subject})"


def _others(request: RateRequest) -> list[str]:
    """Return three goals of other kinds, others at each turn."""
    language = request.language or request.brief.language
    goals = _OTHERS.get(language.partition("-")[0], _OTHERS["en"])
    kind = goal_kind(Passage.of(request.goal, request.brief.language))
    # Work is of so many kinds that the goal is hardly one of these.
    other = [goal for goal, its in zip(goals, _KINDS, strict=True) if its != kind or kind == "work"]
    first = (request.viewpoint.turn + 1) % len(other)
    return (other[first:] + other[:first])[: len(LETTERS) - 1]
