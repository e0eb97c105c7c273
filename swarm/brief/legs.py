"""Whether the journeys of a plan connect: each starts where an earlier one ended."""

from __future__ import annotations

import re
from dataclasses import dataclass

from rapidfuzz import fuzz

from swarm.brief.check import Check, met, not_checked, not_met
from swarm.brief.mentions import SAME_NAME

MEMORY = 3
"""How many of the latest journeys a new one may start from: the return of a day trip often goes
without saying."""

_NAME = r"[A-Z\u00c0-\u00de][\w'’-]+(?:[ -][A-Z\u00c0-\u00de][\w'’-]+){0,2}"
_LEG = re.compile(
    r"\b(?:[Tt]rain|[Ff]light|[Ff]ly|[Bb]us|[Ff]erry|[Dd]rive|[Tt]ravel|[Ss]hinkansen|[Ii]ntercity|"
    r"[Tt]ake [^.\n]{0,40}|[Jj]ourney|[Tt]ransfer|[Rr]ide)\b[^.\n]{0,40}?\b(?:from|From) "
    rf"(?P<start>{_NAME}) to (?P<end>{_NAME})"
)
_LOCAL = re.compile(
    r"\b(?:hotel|airport|station|terminal|port|museum|park|temple|home|city|centre)\b", re.I
)


@dataclass(frozen=True, slots=True)
class Leg:
    """A journey between two places that a text names."""

    start: str
    end: str


def legs_in(text: str) -> tuple[Leg, ...]:
    """Return the journeys between towns that an English text names, in order."""
    return tuple(
        Leg(match["start"], match["end"])
        for match in _LEG.finditer(text)
        if not _LOCAL.search(match["start"]) and not _LOCAL.search(match["end"])
    )


def check_legs(text: str) -> Check:
    """Return whether each journey of a plan starts where one of the latest ended or began."""
    legs = legs_in(text)
    if len(legs) < 2:
        return not_checked("legs", "Code reads fewer than two journeys in the text.")
    for index, leg in enumerate(legs[1:], start=1):
        known = [
            place
            for past in legs[max(0, index - MEMORY) : index]
            for place in (past.end, past.start)
        ]
        if not any(_same(leg.start, place) for place in known):
            at = legs[index - 1].end
            return not_met(
                "legs", f"A journey from {leg.start} to {leg.end} comes after one to {at}."
            )
    return met("legs", "Each journey starts where the last one ended.")


def _same(one: str, other: str) -> bool:
    one, other = one.casefold(), other.casefold()
    return one in other or other in one or fuzz.ratio(one, other) >= SAME_NAME
