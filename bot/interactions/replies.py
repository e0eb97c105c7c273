"""What all commands and buttons share: answering, and finding the plan or part that is meant."""

from __future__ import annotations

from typing import TYPE_CHECKING

import discord
import structlog

from bot import metrics
from bot.discord_api.components import attachments, view_of
from bot.goals.goals import DIRECT
from bot.interactions.ask import down
from bot.rendering import plain
from bot.storage.journal import GoalEntry, WaitingEntry
from bot.texts import Text, say, speak
from bot.views.plan_tree import NAME_SHOWN, numbered
from bot.views.posts import File, Press
from bot.views.splits import Split
from bot.views.splits import find as find_split
from swarm.core.fold.node import Node
from swarm.core.fold.plan import Plan

if TYPE_CHECKING:
    from bot.context import Bot
    from bot.swarm_link.swarm_peer import SwarmPeer

log = structlog.get_logger(__name__)

LEAST_ID = 4
"""Fewest digits of a plan's id that a person must give."""

SEARCHED_GOALS = 200
"""How many of a server's newest plans are searched for an id."""

Interaction = discord.Interaction[discord.Client]


def begin(interaction: Interaction) -> None:
    """Use the person's language from now on in this task."""
    speak(interaction.locale.value)


async def answer(
    interaction: Interaction,
    *texts: str,
    files: tuple[File, ...] = (),
    buttons: tuple[Press, ...] = (),
    view: discord.ui.View | None = None,
) -> None:
    """Send an answer that only the person sees; files and buttons go with the last text.

    Args:
        interaction: the interaction to answer.
        texts: the messages.
        files: attachments.
        buttons: our buttons, by their fixed ids.
        view: other buttons instead.
    """
    shown = view or view_of(buttons) or discord.utils.MISSING
    for number, text in enumerate(texts, 1):
        last = number == len(texts)
        attached = attachments(files) if last else []
        under = shown if last else discord.utils.MISSING
        send = (
            interaction.followup.send
            if interaction.response.is_done()
            else interaction.response.send_message
        )
        await send(text, ephemeral=True, suppress_embeds=True, files=attached, view=under)


async def failed(interaction: Interaction, what: str, error: Exception) -> None:
    """Log a defect in an answer, and tell the person about it."""
    metrics.FAULTS.inc()
    log.error("command_failed", command=what, exc_info=error)
    try:
        await answer(interaction, say(Text.FAULT))
    except discord.HTTPException as second:
        log.warning("command_failure_not_shown", command=what, reason=str(second))


async def joined(interaction: Interaction, bot: Bot) -> SwarmPeer | None:
    """Wait for a swarm peer that is just starting; if there is none, say so."""
    if bot.relay.peer is None and not bot.guest.state.reason:
        await interaction.response.defer(ephemeral=True)
        await bot.relay.joined()
    if bot.relay.peer is None:
        await answer(interaction, down(bot))
    return bot.relay.peer


def guild_of(interaction: Interaction) -> int:
    """Return the server's id, `DIRECT` in a direct message."""
    return interaction.guild_id or DIRECT


def find(interaction: Interaction, bot: Bot, wanted: str) -> GoalEntry | None:
    """Return the plan that is meant, by its id or by the thread of the interaction."""
    wanted = _id(wanted)
    if wanted:
        if len(wanted) < LEAST_ID:
            return None
        found = [
            entry
            for entry in bot.journal.newest(guild_of(interaction), SEARCHED_GOALS)
            if entry.goal.hex().startswith(wanted)
        ]
        return found[0] if len(found) == 1 else None
    if interaction.message is not None:
        noted = bot.journal.by_message(interaction.message.id)
        if noted is not None:
            return bot.journal.goal(noted[0])
    return bot.journal.by_thread(interaction.channel_id) if interaction.channel_id else None


def waiting_goal(interaction: Interaction, bot: Bot, wanted: str) -> WaitingEntry | None:
    """Return the goal in the queue that is meant by its id, if one is."""
    wanted = _id(wanted)
    if len(wanted) < LEAST_ID:
        return None
    return bot.queue.find(guild_of(interaction), wanted)


def _id(wanted: str) -> str:
    return wanted.strip().strip("`").lower()


async def found_plan(
    interaction: Interaction, bot: Bot, wanted: str
) -> tuple[GoalEntry, Plan] | None:
    """Return the plan that is meant; if there is none, say so."""
    entry = find(interaction, bot, wanted)
    plan = bot.relay.plan(entry.goal) if entry else None
    if entry is None or plan is None:
        await answer(interaction, not_found(wanted))
        return None
    return entry, plan


async def meant(
    interaction: Interaction, bot: Bot, wanted: str
) -> tuple[SwarmPeer, GoalEntry, Plan] | None:
    """Return the bot's peer and the plan that is meant; if one is missing, say so."""
    peer = await joined(interaction, bot)
    found = await found_plan(interaction, bot, wanted) if peer is not None else None
    return None if peer is None or found is None else (peer, *found)


def shown_split(interaction: Interaction, bot: Bot) -> tuple[GoalEntry, Split] | None:
    """Return the split whose message's button was pressed, with its goal."""
    known = bot.votes.split_of(interaction.message.id) if interaction.message else None
    if known is None:
        return None
    entry, plan = bot.journal.goal(known[0]), bot.relay.plan(known[0])
    split = find_split(plan, known[1]) if plan is not None else None
    return None if entry is None or split is None else (entry, split)


def not_found(wanted: str) -> str:
    """Return the message that no such plan is known."""
    if wanted:
        return say(Text.UNKNOWN_PLAN, plan=plain(wanted, NAME_SHOWN))
    return say(Text.NO_PLAN_HERE)


def part_of(plan: Plan, number: str) -> Node | None:
    """Return a part by its number in the tree; the whole plan if none is given."""
    number = number.strip().rstrip(".")
    if not number:
        return plan.root
    return dict(numbered(plan)).get(number)


def is_asker(bot: Bot, entry: GoalEntry, interaction: Interaction) -> bool:
    """Return whether this person asked for the plan."""
    return bool(entry.asker) and entry.asker == bot.people.hash(entry.guild, interaction.user.id)


def may_steer(bot: Bot, entry: GoalEntry, interaction: Interaction) -> bool:
    """Return whether this person may stop the plan or have it split again."""
    return is_asker(bot, entry, interaction) or interaction.permissions.manage_messages
