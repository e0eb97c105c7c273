"""Goals as people ask for them: who asked and where, the policy, and how a goal is submitted.

`bot.interactions.ask` takes a goal from the chat, `bot.goals.queue` keeps one that has to wait;
both start it here.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import structlog

from bot import metrics
from bot.goals.options import Options
from bot.goals.quotas import DAY_MS, CountedGoal, Quotas
from bot.storage.journal import GoalEntry, Journal
from bot.storage.people import People
from bot.storage.server_settings import Settings
from bot.texts import known, language_of
from bot.thread.relay import Relay
from swarm.core.policy import Policy
from swarm.core.records import Record

log = structlog.get_logger(__name__)

GOAL_CHARACTERS = 4_000
"""Longest goal that a command takes; also the limit of Discord's forms."""

DIRECT = 0
"""Used in place of a server's id in direct messages."""


@dataclass(frozen=True, slots=True)
class Asker:
    """The person who asks, and where."""

    guild: int
    """`DIRECT` in a direct message."""
    channel: int
    user: int
    locale: str
    """The person's language, as Discord states it."""


@dataclass(frozen=True, slots=True)
class Asked:
    """Where a goal was asked for and by whom, in the form that may be stored."""

    guild: int
    channel: int
    person: bytes
    """Keyed hash of the person who asked."""
    locale: str


class Goals:
    """The goals asked for so far, the rules for new ones, and the only way to start one."""

    def __init__(
        self,
        *,
        journal: Journal,
        people: People,
        relay: Relay,
        settings: Settings,
        policy: Policy,
        quotas: Quotas,
    ) -> None:
        """Put the parts together.

        Args:
            journal: what was asked for so far.
            people: turns people's ids into keyed hashes.
            relay: has the swarm peer and the plans.
            settings: what each server decided.
            policy: the configured policy of goals.
            quotas: what one person and one server may ask for.
        """
        self.journal = journal
        self.people = people
        self.relay = relay
        self.quotas = quotas
        self._settings = settings
        self._policy = policy

    def now_ms(self) -> int:
        """Return the swarm's time in ms, or this machine's while there is no peer."""
        peer = self.relay.peer
        return peer.now() if peer is not None else round(time.time() * 1000)

    def lasts_ms(self, options: Options) -> int:
        """Return how long a goal with these options lasts at most, in ms."""
        return options.deadline_ms or self._policy.deadline_ms

    def identified(self, asker: Asker) -> Asked:
        """Return an asker with the person's hash instead of the id."""
        person = self.people.hash(asker.guild, asker.user)
        return Asked(asker.guild, asker.channel, person, asker.locale)

    def counted(self, guild: int, now_ms: int) -> list[CountedGoal]:
        """Return a server's goals that count against quotas, the oldest first.

        These are live goals, goals of the last day, and goals that wait in the queue.
        """
        found = []
        for entry in self.journal.asked_since(guild, now_ms - DAY_MS):
            runs_until_ms = None
            if entry.state == "live":
                plan = self.relay.plan(entry.goal)
                runs_until_ms = (
                    plan.deadline_ms
                    if plan is not None
                    else entry.created_ms + self._policy.deadline_ms
                )
            found.append(CountedGoal(entry.asker, entry.created_ms, runs_until_ms))
        for waiting in self.journal.waiting():
            if waiting.guild == guild:
                found.append(CountedGoal(waiting.asker, waiting.asked_ms))
        return sorted(found, key=lambda goal: goal.asked_ms)

    def start(
        self, asked: Asked, goal: str, options: Options, note: Callable[[GoalEntry], None]
    ) -> GoalEntry:
        """Submit a goal, which is noted before any other peer can receive it.

        So a goal is submitted exactly once, whenever the bot is killed: before the note no peer has
        the record, and after it the next run publishes the same one.

        Args:
            asked: where it was asked for, and by whom.
            goal: its text.
            options: what the person chose.
            note: writes the goal down.

        Returns:
            what was noted.

        Raises:
            ValueError: it cannot be planned; the message says why.
        """
        peer = self.relay.peer
        assert peer is not None
        rules = self._policy.model_copy(update={"people": self._settings.people(asked.guild)})
        policy = options.policy(rules, peer.roles_present().get("scorer", 0))
        noted: list[GoalEntry] = []

        def signed(record: Record) -> None:
            entry = GoalEntry(
                record.id,
                asked.guild,
                asked.channel,
                asked.person,
                created_ms=record.stamp.ms,
                # Direct messages have no threads: the story is posted where it was asked for.
                thread=asked.channel if asked.guild == DIRECT else None,
                record=record.raw,
                language=known(options.language or language_of(goal, otherwise=asked.locale)),
            )
            note(entry)
            noted.append(entry)

        goal_id = peer.submit(
            goal, policy=policy, language=options.language, asker=asked.person, note=signed
        )
        metrics.ASKED.inc()
        log.info("goal_asked", goal=goal_id.hex()[:12], guild=asked.guild)
        (entry,) = noted
        return entry
