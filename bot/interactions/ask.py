"""Taking a goal: whether this person may ask here and now, and what happens then.

Commands, forms and mentions all pass through here, so that the same rules apply to them.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

import discord
import structlog

from bot import metrics
from bot.goals.goals import Asker
from bot.goals.options import Options
from bot.goals.quotas import Refusal, refuse
from bot.rendering import plain
from bot.storage.journal import PostEntry
from bot.texts import PERMISSIONS, Text, moment, say, speak
from bot.thread.story import START, start
from bot.views.plan_tree import TITLE_SHOWN

if TYPE_CHECKING:
    from bot.context import Bot
    from bot.goals.queue import Place

log = structlog.get_logger(__name__)

Answer = Callable[[str], Awaitable[int | None]]
"""Posts a text where the goal's message belongs; returns its id, or None if that failed."""


def refusal(bot: Bot, channel: object, guild: int | None, allowed: discord.Permissions) -> str:
    """Return why nobody can ask for a plan here; empty: people can.

    Args:
        bot: the bot.
        channel: where the goal is asked for.
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
    """Return the message that the link to the swarm is down or starting."""
    reason = bot.guest.state.reason
    if not reason:
        return say(Text.SWARM_STARTING)
    return say(Text.SWARM_DOWN, reason=plain(reason, TITLE_SHOWN))


def over_quota(bot: Bot, asker: Asker) -> Refusal | None:
    """Return why this person may not ask now; None: they may.

    A refusal that `passes` does not apply when the queue takes the goal.
    """
    if bot.relay.peer is None:
        return None
    goals = bot.goals
    now = goals.now_ms()
    person = bot.people.hash(asker.guild, asker.user)
    found = refuse(goals.quotas, goals.counted(asker.guild, now), person, now)
    if found is not None and found.passes and goals.quotas.waiting_per_person:
        return bot.queue.full(asker.guild, person) or found
    return found


def may_wait(bot: Bot, refusal: Refusal | None) -> bool:
    """Return whether a goal with this refusal can wait in the queue."""
    return refusal is not None and refusal.passes and bot.goals.quotas.waiting_per_person > 0


def refused(refusal: Refusal) -> str:
    """Return the message of a refusal, with the time to ask again."""
    metrics.REFUSED.labels(refusal.text.name.lower()).inc()
    return say(refusal.text, count=refusal.count, when=moment(refusal.again_ms))


def queued(refusal: Refusal, place: Place) -> str:
    """Return the message that a goal waits: its place, and when it starts at the latest."""
    yours = refusal.text is Text.TOO_MANY_YOURS
    why = say(Text.QUEUED_YOURS if yours else Text.QUEUED_HERE, count=refusal.count)
    return say(Text.QUEUED, why=why, place=place.number, when=moment(place.starts_ms))


async def ask(bot: Bot, asker: Asker, goal: str, options: Options, answer: Answer) -> None:
    """Submit a goal, answer where it was asked, and let its writer open the thread."""
    await bot.relay.settled()
    if bot.relay.peer is None:
        await answer(down(bot))
        return
    # Waiting goals come before this one.
    await bot.queue.start_ready()
    refusal = over_quota(bot, asker)
    asked = bot.goals.identified(asker)
    if refusal is not None:
        if may_wait(bot, refusal):
            await answer(queued(refusal, bot.queue.enter(asked, goal, options)))
        else:
            await answer(refused(refusal))
        return
    try:
        entry = bot.goals.start(asked, goal, options, bot.journal.open_goal)
    except ValueError as error:
        await answer(say(Text.GOAL_REFUSED, reason=plain(str(error), TITLE_SHOWN * 2)))
        return
    goal_id = entry.goal
    speak(entry.language)
    submitted = bot.relay.plan(goal_id)
    assert submitted is not None
    post = start(submitted)
    bot.journal.put_post(goal_id, PostEntry(START, post.digest))
    try:
        message = await answer(post.content)
    except discord.HTTPException as error:
        # The goal is in the swarm: its writer posts the message as usual.
        log.warning("answer_lost", goal=goal_id.hex()[:12], reason=str(error))
    else:
        bot.journal.put_post(goal_id, PostEntry(START, post.digest, message))
    bot.relay.follow(entry, asker=asker.user)
