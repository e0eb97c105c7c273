"""Taking a goal: may this person ask here and now, and what happens when they may.

Commands, forms and mentions all come through here, so that they obey the same rules.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import discord
import structlog

from bot import metrics
from bot.journal import GoalEntry, PostEntry
from bot.options import Options
from bot.quotas import DAY_MS, refuse
from bot.rendering import plain
from bot.story import START, start
from bot.texts import PERMISSIONS, Text, language_of, moment, say, speak, spoken
from bot.tree import TITLE_SHOWN

if TYPE_CHECKING:
    from bot.service import Bot

log = structlog.get_logger(__name__)

GOAL_CHARACTERS = 4_000
"""Longest goal a command takes; a form's limit, too."""

DIRECT = 0
"""Stands for the server in direct messages."""

Answer = Callable[[str], Awaitable[int | None]]
"""Puts a text where the goal's message belongs; returns its id, None if it got lost."""


@dataclass(frozen=True, slots=True)
class Asker:
    """Who asks, and where."""

    guild: int
    """`DIRECT` in a direct message."""
    channel: int
    user: int
    locale: str
    """What they speak, as Discord says."""


def refusal(bot: Bot, channel: object, guild: int | None, allowed: discord.Permissions) -> str:
    """Return why nobody can ask for a plan here; empty: one can.

    Args:
        bot: the bot.
        channel: where it is asked.
        guild: the server's id; None: a direct message.
        allowed: what the bot may do there.
    """
    if guild is None:
        return "" if bot.direct_messages else say(Text.NO_DMS)
    if not isinstance(channel, discord.TextChannel):
        return say(Text.ASK_IN_CHANNEL)
    lacking = [name for key, name in PERMISSIONS.items() if not getattr(allowed, key)]
    if lacking:
        return say(Text.MISSING_PERMISSIONS, permissions=", ".join(f"**{one}**" for one in lacking))
    if bot.relay.peer is None and bot.guest.state.reason:
        return down(bot)
    return ""


def down(bot: Bot) -> str:
    """Return how the link to the swarm stands while it is down."""
    reason = bot.guest.state.reason
    if not reason:
        return say(Text.SWARM_STARTING)
    return say(Text.SWARM_DOWN, reason=plain(reason, TITLE_SHOWN))


def too_much(bot: Bot, asker: Asker) -> str:
    """Return why this person may not ask now, and when again; empty: they may."""
    peer = bot.relay.peer
    if peer is None:
        return ""
    now = peer.now()
    asked = []
    for entry in bot.journal.asked_since(asker.guild, now - DAY_MS):
        plan = bot.relay.plan(entry.goal)
        ends = plan.deadline_ms if plan is not None else entry.created_ms + bot.policy.deadline_ms
        asked.append((entry, ends))
    found = refuse(bot.quotas, asked, bot.people.hash(asker.guild, asker.user), now)
    if found is None:
        return ""
    metrics.REFUSED.labels(found.text.name.lower()).inc()
    return say(found.text, count=found.count, when=moment(found.again_ms))


async def ask(bot: Bot, asker: Asker, goal: str, options: Options, answer: Answer) -> None:
    """Submit a goal, show it where it was asked, and let its writer open the thread."""
    await bot.relay.settled()
    peer = bot.relay.peer
    if peer is None:
        await answer(down(bot))
        return
    if reason := too_much(bot, asker):
        await answer(reason)
        return
    person = bot.people.hash(asker.guild, asker.user)
    policy = options.policy(bot.policy, peer.roles_present().get("scorer", 0))
    try:
        goal_id = peer.submit(goal, policy=policy, language=options.language, asker=person)
    except ValueError as error:
        await answer(say(Text.GOAL_REFUSED, reason=plain(str(error), TITLE_SHOWN * 2)))
        return
    metrics.ASKED.inc()
    log.info("goal_asked", goal=goal_id.hex()[:12], guild=asker.guild)
    submitted = peer.store.plan(goal_id)
    assert submitted is not None
    speak(options.language or language_of(goal, otherwise=asker.locale))
    entry = GoalEntry(
        goal_id,
        asker.guild,
        asker.channel,
        person,
        created_ms=peer.now(),
        # Direct messages have no threads: the story is told where it was asked for.
        thread=asker.channel if asker.guild == DIRECT else None,
        record=submitted.goal.raw,
        language=spoken(),
    )
    bot.journal.open_goal(entry)
    post = start(submitted)
    bot.journal.put_post(goal_id, PostEntry(START, post.digest))
    try:
        message = await answer(post.content)
    except discord.HTTPException as error:
        # The goal is in the swarm: its writer posts the message in the ordinary way.
        log.warning("answer_lost", goal=goal_id.hex()[:12], reason=str(error))
    else:
        bot.journal.put_post(goal_id, PostEntry(START, post.digest, message))
    bot.relay.follow(entry)
