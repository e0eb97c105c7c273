"""The day of rest that a goal asks for: code keeps one day of the plan free of anything else.

A small model that is asked for a rest day puts it on the day of a journey, or plans sights for it.
"""

from __future__ import annotations

from swarm.brief.part import Part
from swarm.brief.skeleton import steps_of
from swarm.brief.steps import UNIT_WORDS
from swarm.brief.words import folded, tokens
from swarm.core.brief import Brief, Demand

_REST = folded(
    "rest resting relax relaxing free off rehat berehat bebas santai cuti istirahat "
    "आराम विश्राम खाली छुट्टी آرام خالی چھٹی বিশ্রাম বিশ্রামের খালি ছুটি ছুটির ruhetag frei"
)
NEAR = 2
"""Words from "day" within which it is rested: "day of rest", not "free museum on the last day"."""

_OFTEN = folded(
    "every each always two three days setiap sentiasa dua tiga हर हमेशा दो तीन ہر ہمیشہ دو تین "
    "প্রতি প্রতিটি সবসময় দুই তিন "
    "monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays "
    "thursdays fridays saturdays sundays isnin selasa rabu khamis jumaat sabtu ahad"
)
"""Words by which it is more than one day, or a certain day of the week."""


def is_rest_day(demand: Demand) -> bool:
    """Return whether a demand is to have one day of rest: "a rest day without sightseeing"."""
    words = [token.word for token in tokens(demand.text)]
    if demand.kind != "must" or not _OFTEN.isdisjoint(words):
        return False
    days = [at for at, word in enumerate(words) if UNIT_WORDS.get(word) == "day"]
    return any(
        word in _REST and abs(at - day) <= NEAR for at, word in enumerate(words) for day in days
    )


def rest_day_of(brief: Brief, part: Part, *, arrives: bool) -> int | None:
    """Return the day of a part that suits a rest best; None: it has none to spare.

    Neither a day of a journey nor the first or the last day of the plan is a day of rest.

    Args:
        brief: What the goal demands.
        part: The part that keeps the demand.
        arrives: Whether its first day is that of the journey to it.
    """
    unit, total = steps_of(brief)
    if unit != "day" or part.first is None or part.last is None:
        return None
    days = [day for day in range(part.first + arrives, part.last + 1) if 1 < day < total]
    return days[len(days) // 2] if days else None
