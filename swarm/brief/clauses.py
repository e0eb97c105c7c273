"""Give a wish the words of its whole clause: "An electrician has to check the wiring".

A demand's text stands alone in prompts, in the plan and in its report. "has to check the wiring"
does not say who; a wish about a rest day "without sightseeing" is no ban on sightseeing.
"""

from __future__ import annotations

from collections.abc import Sequence, Set

from swarm.brief.passage import Found, Passage
from swarm.brief.requests import is_form
from swarm.brief.steps import UNIT_WORDS
from swarm.brief.words import folded
from swarm.core.brief import DemandKind

MOST_WORDS = 24
"""Words of a clause above which a wish keeps its own words."""

NAME_WORDS = 3
"""Most words of the subject that join a wish's name."""

_MODALS = folded(
    "must should needs need has have requires require mesti perlu harus wajib hendaklah mestilah "
    "cannot can't don't not never muss müssen soll doit debe"
)
"""Words before which a clause has its subject."""

_BREAKS = folded(", ، ; : ( ) – — and but dan tetapi und aber et mais y pero so because")
_NOBODY = folded(
    "we i you they it there this that he she one kami saya kita anda ia ini itu wir ich es on je "
    "nous the a an our my please also juga also it's do does will in"
)
"""Subjects that say nothing, and little words."""

_GIVING = folded(
    "put add include keep leave plan reserve sediakan masukkan letakkan tambah simpan sertakan"
)
"""Verbs that ask for a thing; "without" then belongs to the thing."""

_WITHOUT = folded("without tanpa ohne sans sin")
_FORGET = folded(
    "forget forgetting miss lupa lupakan छूटने छूटे भूलना भूलें भूलिए رہ بھولنا بھولیں ভুলবেন ভুলে"
)
"""After a "not" these ask for something: "do not forget the keys"."""

_DANGLING = folded(
    "with a an the of for in at to by per on within dengan bagi untuk di mit für von avec de con"
)
"""Words that end no clause."""

_FORM = folded("langkahnya rancangannya steps step own")
"""Words of a wish for a plan step by step, which says nothing of what is in it."""

_GOING = folded(
    "इनमें ان میں में শুরু শেষ "
    "see visit go include including stop pass singgah lawati melawat melihat di ke in at to the "
    "and dan be sure"
)


def whole_clauses(
    passage: Passage, wished: Sequence[Found], others: Sequence[Found]
) -> list[Found]:
    """Return wishes with their whole clauses, each once.

    Args:
        passage: The goal.
        wished: What it wishes and rules out, as `swarm.brief.wishes` reads it.
        others: Its other demands, whose words no wish takes.
    """
    taken = {at for one in others for at in range(one.at, one.end)}
    places = {
        word
        for one in others
        if "place" in one.demand.kind
        for word in (one.demand.name or "").casefold().split()
    }
    found: list[Found] = []
    for one in wished:
        if one.demand.kind == "must" and (_only_places(one, places) or _is_form(passage, one)):
            continue
        whole = _given(passage, one, taken) or _with_subject(passage, one, taken)
        whole = _reminder(passage, whole)
        if whole.demand.kind == "must" and _only_places(whole, places):
            continue
        if not any(whole.at == other.at and whole.end == other.end for other in found):
            found.append(whole)
    return found


def whole_costs(passage: Passage, wanted: Found, others: Sequence[Found]) -> Found:
    """Return the wish for a list of costs with the words of its whole clause.

    "List the costs with" says nothing without its "total". Only the text grows: what stands in
    those words may be a demand of its own.

    Args:
        passage: The goal.
        wanted: The wish, as `swarm.brief.money` reads it.
        others: The goal's other demands, whose words it does not take.
    """
    taken = {at for one in others for at in range(one.at, one.end)}
    _, last = passage.sentence(wanted.at)
    end = wanted.end
    while end < last and passage.word(end) not in _BREAKS and end not in taken:
        end += 1
    if end - wanted.at > MOST_WORDS:
        end = wanted.end
    while end > wanted.at + 1 and passage.word(end - 1) in _DANGLING:
        end -= 1
    text = passage.found("costs", wanted.at, end).demand
    return Found(text, wanted.at, wanted.end)


def _only_places(one: Found, places: Set[str]) -> bool:
    """Return whether a wish only says to go to places that are demands themselves."""
    words = [word for word in (one.demand.name or "").casefold().split() if word not in _GOING]
    return all(word.strip(",.") in places for word in words)


def _is_form(passage: Passage, one: Found) -> bool:
    """Return whether a wish only asks for steps: "setiap minggu mesti ada langkahnya"."""
    first, last = passage.sentence(one.at)
    words = [passage.word(at) for at in range(first, last)]
    if first > 0 and is_form(words):
        return True
    said = set(words)
    return not said.isdisjoint(UNIT_WORDS) and not said.isdisjoint(_FORM) and len(words) <= 8


def _reminder(passage: Passage, one: Found) -> Found:
    """Return "do not forget the keys" as what it is: a wish."""
    if one.demand.kind != "must_not":
        return one
    at = next((at for at in range(one.at, one.end) if passage.word(at) in _FORGET), None)
    if at is None:
        return one
    behind = passage.language in ("hi", "ur", "bn")
    words = [
        passage.words[index].raw
        for index in (range(one.at, at) if behind else range(at + 1, one.end))
        if passage.word(index) not in _NOBODY and passage.word(index)[:1].isalnum()
    ]
    return passage.found("must", one.at, one.end, name=" ".join(words[:6])) if words else one


def _given(passage: Passage, one: Found, taken: Set[int]) -> Found | None:
    """Return the wish of "put in a rest day without sightseeing": the whole sentence."""
    first, last = passage.sentence(one.at)
    if (
        first == 0
        or passage.word(first) not in _GIVING
        or not any(passage.word(at) in _WITHOUT for at in range(one.at, one.end))
        or last - first > MOST_WORDS
        or any(at in taken for at in range(first, last))
    ):
        return None
    words = [at for at in range(first + 1, last) if passage.word(at)[:1].isalnum()]
    name = " ".join(passage.words[at].raw for at in words if passage.word(at) not in _NOBODY)
    return passage.found("must", first, last, name=name)


def _with_subject(passage: Passage, one: Found, taken: Set[int]) -> Found:
    """Return a wish that begins with its subject, and ends where its clause does."""
    if passage.language in ("hi", "ur", "bn") or passage.word(one.at) not in _MODALS:
        return one
    first, last = passage.sentence(one.at)
    begin = one.at
    while begin > first and passage.word(begin - 1) not in _BREAKS and begin - 1 not in taken:
        begin -= 1
    end = one.end
    while end < last and passage.word(end) not in _BREAKS and end not in taken:
        end += 1
    if end - begin > MOST_WORDS or (begin == one.at and end == one.end):
        return one
    subject = [
        passage.words[at].raw
        for at in range(begin, one.at)
        if passage.word(at) not in _NOBODY and passage.word(at)[:1].isalnum()
    ][-NAME_WORDS:]
    rest = passage.raw(one.end, end) if end > one.end else ""
    tail = " ".join(word for word in rest.split() if word.casefold() not in _NOBODY)
    name = " ".join(filter(None, (*subject, one.demand.name or "", *tail.split()[:NAME_WORDS])))
    kind: DemandKind = "must_not" if one.demand.kind == "must_not" else "must"
    return passage.found(kind, begin, end, name=name)
