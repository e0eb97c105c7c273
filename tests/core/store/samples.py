"""Small records that the tests of the store share."""

from __future__ import annotations

from swarm.core.clock import Stamp
from swarm.core.records import (
    Goal,
    Notice,
    Record,
    sign,
)
from tests.core.worlds import BOT, SCORERS

NOW = 10_000_000


def goal_at(ms: int, text: str = "plan", swarm: str = "test") -> Record:
    return sign(Goal(stamp=Stamp(ms), swarm=swarm, text=text), BOT)


def note(goal: Record, ms: int, text: str = "x") -> Record:
    return sign(Notice(stamp=Stamp(ms), goal=goal.id, code="n", text=text), SCORERS[0])
