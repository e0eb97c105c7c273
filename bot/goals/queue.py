"""The queue: goals that cannot start yet because the limit of running plans is reached.

They wait in the journal, in the order in which they were asked for, and start by themselves as soon
as there is room, also after a restart. No goal waits behind one that only its own asker's plans
hold up. The queue is bounded per person and per server; the person who asked, or a moderator, can
take a goal out again.
"""

from __future__ import annotations

import asyncio
import json
import secrets
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import partial

import structlog

from bot import metrics
from bot.clock import Clock
from bot.goals.goals import Asked, Goals
from bot.goals.options import Options, options_from
from bot.goals.quotas import Refusal, starts
from bot.rendering import plain
from bot.storage.journal import WaitingEntry
from bot.texts import Text, moment, say, speaking
from bot.thread.chat import Chat, ChatError
from bot.views.plan_tree import GOAL_SHOWN, TITLE_SHOWN
from bot.views.posts import Post
from swarm.core.policy import DAY

log = structlog.get_logger(__name__)

CHECK_SECONDS = 5.0
"""Time between checks for room: nothing notifies the queue when a plan ends."""

STALE_MS = 1 * DAY
"""How long a goal may wait, in ms, before it is dropped: hardly anyone still wants it then."""

ID_BYTES = 8
"""Length of a waiting goal's id; it need not be secret, only unique."""


@dataclass(frozen=True, slots=True)
class Place:
    """A goal's place in its server's queue."""

    entry: WaitingEntry
    number: int
    """Counted from 1, which starts next."""
    starts_ms: int
    """When it starts at the latest, in ms."""


class Queue:
    """The goals that wait for room, in all servers."""

    def __init__(self, goals: Goals, chat: Chat, clock: Clock | None = None) -> None:
        """Make the queue; `wake` sets it to work.

        Args:
            goals: starts the goals that have waited.
            chat: where to say that a goal will not start.
            clock: the clock; tests bring their own.
        """
        self._goals = goals
        self._journal = goals.journal
        self._relay = goals.relay
        self._chat = chat
        self._clock = clock or Clock()
        self._wake = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def wake(self) -> None:
        """Start goals as room appears, until none waits."""
        self._wake.set()
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._run(), name="queue")

    async def close(self) -> None:
        """Stop; the goals that wait stay in the journal."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    # What waits.

    def places(self, guild: int) -> list[Place]:
        """Return a server's queue, in order."""
        waiting = self._waiting(guild)
        if not waiting:
            return []
        now = self._goals.now_ms()
        running = [
            (goal.asker, goal.runs_until_ms)
            for goal in self._goals.counted(guild, now)
            if goal.runs_until_ms is not None
        ]
        wanted = [(one.asker, self._goals.lasts_ms(options_from(one.options))) for one in waiting]
        when = starts(self._goals.quotas, running, wanted, now)
        return [
            Place(entry, number, at)
            for number, (entry, at) in enumerate(zip(waiting, when, strict=True), 1)
        ]

    def full(self, guild: int, asker: bytes) -> Refusal | None:
        """Return why another goal of a person cannot wait here; None: it can."""
        quotas = self._goals.quotas
        places = self.places(guild)
        own = [place for place in places if place.entry.asker == asker]
        for most, text, found in (
            (quotas.waiting_per_person, Text.QUEUE_FULL_YOURS, own),
            (quotas.waiting_per_guild, Text.QUEUE_FULL_HERE, places),
        ):
            if found and len(found) >= most:
                return Refusal(text, len(found), min(place.starts_ms for place in found))
        return None

    def find(self, guild: int, wanted: str) -> WaitingEntry | None:
        """Return a server's waiting goal by the beginning of its id in hex."""
        found = [entry for entry in self._waiting(guild) if entry.id.hex().startswith(wanted)]
        return found[0] if len(found) == 1 else None

    # What changes it.

    def enter(self, asked: Asked, goal: str, options: Options) -> Place:
        """Put a goal into the queue; return its place."""
        entry = WaitingEntry(
            secrets.token_bytes(ID_BYTES),
            asked.guild,
            asked.channel,
            asked.person,
            asked.locale,
            goal,
            json.dumps(asdict(options), default=lambda choice: choice.value),
            self._goals.now_ms(),
        )
        self._journal.wait(entry)
        self._count()
        log.info("goal_queued", guild=asked.guild)
        place = next(place for place in self.places(asked.guild) if place.entry.id == entry.id)
        self.wake()
        return place

    def leave(self, entry: WaitingEntry) -> bool:
        """Take a goal out; return whether it was still waiting."""
        left = self._journal.leave_queue(entry.id)
        self._count()
        return left

    # Its turn.

    async def _run(self) -> None:
        while self._journal.waiting():
            self._wake.clear()
            await self._relay.settled()
            await self.start_ready()
            await self._clock.wait(CHECK_SECONDS, self._wake)

    async def start_ready(self) -> None:
        """Start every goal for which there is room."""
        now = self._goals.now_ms()
        # Searched again each time: an answer may take seconds, and other goals start meanwhile.
        while (place := next(self._ready(now), None)) is not None:
            entry = place.entry
            goal = plain(entry.goal, GOAL_SHOWN)
            if now - entry.asked_ms > STALE_MS:
                await self._give_up(entry, Text.QUEUE_STALE, when=moment(entry.asked_ms), goal=goal)
                continue
            try:
                self._start(entry)
            except ValueError as error:
                reason = plain(str(error), TITLE_SHOWN * 2)
                await self._give_up(entry, Text.QUEUE_REFUSED, goal=goal, reason=reason)
            except Exception:
                # A goal that hits a defect must not hold up those behind it.
                metrics.FAULTS.inc()
                log.exception("queued_goal_failed")
                await self._give_up(entry, Text.QUEUE_REFUSED, goal=goal, reason=say(Text.FAULT))

    def _ready(self, now: int) -> Iterator[Place]:
        if self._relay.peer is None:
            return
        for guild in {entry.guild for entry in self._journal.waiting()}:
            for place in self.places(guild):
                if place.starts_ms <= now or now - place.entry.asked_ms > STALE_MS:
                    yield place

    def _start(self, entry: WaitingEntry) -> None:
        asked = Asked(entry.guild, entry.channel, entry.asker, entry.locale)
        note = partial(self._journal.start_waiting, entry.id)
        started = self._goals.start(asked, entry.goal, options_from(entry.options), note)
        self._count()
        self._relay.follow(started)

    async def _give_up(self, entry: WaitingEntry, text: Text, **values: object) -> None:
        """Take out a goal that will not start, and say so where it was asked for."""
        self.leave(entry)
        log.warning("queued_goal_dropped", guild=entry.guild, why=text.name.lower())
        with speaking(entry.locale):
            post = Post("queue", say(text, **values), place="channel", quiet=False)
        try:
            await self._chat.send(entry.channel, post, entry.id.hex())
        except ChatError as error:
            log.warning("queued_goal_answer_lost", guild=entry.guild, reason=str(error))

    def _waiting(self, guild: int) -> list[WaitingEntry]:
        return [entry for entry in self._journal.waiting() if entry.guild == guild]

    def _count(self) -> None:
        metrics.WAITING.set(len(self._journal.waiting()))
