"""Whether a person may ask now, and if not, when: cooldowns and quotas per person and per server.

Pure: it looks only at the time and at the goals that were asked for. Those are in the journal, so
quotas survive a restart, and nothing about a person is stored beyond what the journal holds
anyway. A goal that is refused only because too many plans run can wait in the queue
(`bot.goals.queue`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bot.texts import Text

DAY_MS = 24 * 3600 * 1000


@dataclass(frozen=True, slots=True)
class Quotas:
    """Limits on what one person and one server may ask for; 0 switches a limit off."""

    cooldown_ms: int = 30_000
    """Time between two goals of one person, in ms."""
    live_per_person: int = 2
    live_per_guild: int = 50
    daily_per_person: int = 20
    """Most goals of one person in any 24 hours."""
    waiting_per_person: int = 2
    """Most goals of one person that may wait in a server's queue; 0: no queue."""
    waiting_per_guild: int = 50


@dataclass(frozen=True, slots=True)
class CountedGoal:
    """A goal that counts against quotas."""

    asker: bytes
    """Keyed hash of the person who asked."""
    asked_ms: int
    runs_until_ms: int | None = None
    """When it ends at the latest, in ms; None: it does not run, it is over or waits."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a person may not ask now."""

    text: Text
    count: int
    again_ms: int
    """When the same person can ask again at the latest, in ms."""

    @property
    def passes(self) -> bool:
        """Whether only running plans are in the way, so that waiting in the queue helps."""
        return self.text in (Text.TOO_MANY_YOURS, Text.TOO_MANY_HERE)


def refuse(
    quotas: Quotas,
    asked: Sequence[CountedGoal],
    asker: bytes,
    now_ms: int,
) -> Refusal | None:
    """Return why a person may not ask now; None: they may.

    Args:
        quotas: the limits.
        asked: the server's goals that are live, wait, or were asked for in the last day.
        asker: the person's hash.
        now_ms: the time, in ms.
    """
    own = [goal for goal in asked if goal.asker == asker]
    last = max((goal.asked_ms for goal in own), default=None)
    if last is not None and now_ms < last + quotas.cooldown_ms:
        return Refusal(Text.TOO_SOON, 1, last + quotas.cooldown_ms)
    today = [goal.asked_ms for goal in own if goal.asked_ms > now_ms - DAY_MS]
    if 0 < quotas.daily_per_person <= len(today):
        again = sorted(today)[-quotas.daily_per_person] + DAY_MS
        return Refusal(Text.TOO_MANY_TODAY, len(today), again)
    for most, text, found in (
        (quotas.live_per_person, Text.TOO_MANY_YOURS, own),
        (quotas.live_per_guild, Text.TOO_MANY_HERE, asked),
    ):
        ends = sorted(goal.runs_until_ms for goal in found if goal.runs_until_ms is not None)
        if 0 < most <= len(ends):
            return Refusal(text, len(ends), ends[len(ends) - most])
    return None


def starts(
    quotas: Quotas,
    running: Sequence[tuple[bytes, int]],
    waiting: Sequence[tuple[bytes, int]],
    now_ms: int,
) -> list[int]:
    """Return when each waiting goal starts at the latest, in ms; at `now_ms`: it can start now.

    Goals start in order, but none waits behind a goal that only its own asker's plans hold up.

    Args:
        quotas: the limits.
        running: who asked for each live goal of the server, and when it ends at the latest, in ms.
        waiting: who asked for each waiting goal, and how long it lasts at most, in ms; in the
            order of the queue.
        now_ms: the time, in ms.
    """
    found = [now_ms] * len(waiting)
    left = list(range(len(waiting)))
    live = list(running)
    while left:
        for number in list(left):
            person, lasts_ms = waiting[number]
            own = sum(asker == person for asker, _ in live)
            if 0 < quotas.live_per_guild <= len(live) or 0 < quotas.live_per_person <= own:
                continue
            live.append((person, now_ms + lasts_ms))
            found[number] = now_ms
            left.remove(number)
        if left:
            # Goals past their deadline end soon: the journal closes them once everything is posted.
            now_ms = max(now_ms + 1, min(ends for _, ends in live))
            live = [(asker, ends) for asker, ends in live if ends > now_ms]
    return found
