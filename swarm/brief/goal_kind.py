"""What kind of plan a goal asks for, where the kind decides how it is split and written.

A journey goes from place to place, training and learning go from easy to hard, and a meal plan has
its meals on each day. All other plans follow the steps of the work.
"""

from __future__ import annotations

from itertools import zip_longest
from typing import Literal

from swarm.brief.passage import Passage
from swarm.brief.trip import is_trip
from swarm.brief.words import folded

GoalKind = Literal["trip", "learning", "meals", "work"]

_LEARNING = folded(
    "training workout workouts marathon fitness study studying revise revision learn "
    "learning exam exams examination practise practice syllabus latihan berlatih belajar pelajaran "
    "peperiksaan ujian larian ulang kaji अभ्यास पढ़ाई पढ़ने परीक्षा सीखना सीखने प्रशिक्षण मैराथन مشق پڑھائی "
    "امتحان سیکھنا سیکھنے تربیت تربیتی میراتھن پرچے অনুশীলন অনুশীলনের পড়া পড়ার পরীক্ষা পরীক্ষার শেখা "
    "ম্যারাথন lernen üben prüfung training apprendre examen aprender entrenamiento"
)
_OTHERWISE = folded("staff employees course session sessions camp workshop team party trip tour")
"""After "training" or "marathon" these make something else of it: "a training session"."""

_MOVES = folded(
    "move moving relocate relocating relocation pindah berpindah perpindahan pindahan umzug "
    "déménagement mudanza"
)
_HOME = folded("house home household flat apartment office rumah pejabat kantor wohnung")
_MOVES_ELSEWHERE = (
    *("घर बदल", "जाकर बसना", "मकान बदल", "منتقل ہونا", "گھر بدل", "শিফট"),
    *("বাসা বদল", "বাড়ি বদল", "বাসা পাল্ট"),
)

_MEALS = folded(
    "meal meals menu menus dinners breakfasts lunches recipes diet hidangan makanan "
    "खाने भोजन आहार मेन्यू मेनू کھانے کھانوں مینو খাবার খাবারের মেনু essensplan speiseplan repas comidas"
)
_PLANS = folded(
    "plan plans planner planning menu menus weekly our my meal meals menus dinners breakfasts "
    "lunches recipes diet rancang rancangan jadual pelan buatkan योजना तालिका मेन्यू मेनू منصوبہ مینو "
    "পরিকল্পনা তালিকা মেনু"
)


def goal_kind(passage: Passage) -> GoalKind:
    """Return the kind of plan that a goal asks for; its first two sentences say it."""
    sentences = passage.sentences[:2]
    words = [passage.word(at) for first, last in sentences for at in range(first, last)]
    opening = {passage.word(at) for first, last in sentences[:1] for at in range(first, last)}
    if not _MEALS.isdisjoint(opening) and not _PLANS.isdisjoint(words):
        return "meals"
    for word, after in zip_longest(words, words[1:], fillvalue=""):
        if word in _LEARNING and after not in _OTHERWISE:
            return "learning"
    if _is_move(passage, opening):
        return "work"
    return "trip" if is_trip(passage) else "work"


def _is_move(passage: Passage, opening: set[str]) -> bool:
    """Return whether a goal is to move house: it has two towns, and is no journey."""
    if not _MOVES.isdisjoint(opening):
        return not _HOME.isdisjoint(opening) or bool(opening & {"our", "my", "kami"})
    first, last = passage.sentences[0] if passage.sentences else (0, 0)
    said = passage.raw(first, last)
    return any(words in said for words in _MOVES_ELSEWHERE)
