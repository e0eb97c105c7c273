"""Commands that change something: ask, split a part again, stop, vote, change settings, forget."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import discord

from bot.discord_api.components import leave_view
from bot.goals.goals import GOAL_CHARACTERS, Asker
from bot.goals.options import Options
from bot.interactions.ask import ask, down, may_wait, over_quota, queued, refusal, refused
from bot.interactions.replies import (
    Interaction,
    answer,
    begin,
    failed,
    found_plan,
    guild_of,
    is_asker,
    joined,
    may_steer,
    meant,
    part_of,
    shown_split,
    waiting_goal,
)
from bot.rendering import plain
from bot.storage.server_settings import PEOPLE
from bot.swarm_link.swarm_peer import Verdict
from bot.texts import Text, language_of, say, speak, speaking
from bot.thread.ballots import SIGNS
from bot.views.plan_tree import NAME_SHOWN, TITLE_SHOWN, state_text
from bot.views.posts import Press
from bot.views.splits import may_replan
from swarm.core.clock import EPOCH
from swarm.core.fold.node import Node
from swarm.core.fold.plan import Plan
from swarm.core.records import Replan

if TYPE_CHECKING:
    from bot.context import Bot
    from bot.storage.journal import WaitingEntry
    from bot.swarm_link.swarm_peer import SwarmPeer
    from bot.thread.vote_counter import Pressed

REASON_CHARACTERS = 1_000
"""Longest reason for another split, in characters."""


async def plan(interaction: Interaction, bot: Bot, goal: str, options: Options) -> None:
    """Take a goal; without one, open a form for it."""
    # Discord has no Urdu or Bengali locale, but goals in them are answered in them.
    speak(options.language or language_of(goal, otherwise=interaction.locale.value))
    asker = Asker(
        guild_of(interaction),
        interaction.channel_id or 0,
        interaction.user.id,
        interaction.locale.value,
    )
    reason = refusal(bot, interaction.channel, interaction.guild_id, interaction.app_permissions)
    full = None if reason else over_quota(bot, asker)
    if full is not None and not may_wait(bot, full):
        reason = refused(full)
    if reason:
        await answer(interaction, reason)
        return
    if not goal.strip():
        await interaction.response.send_modal(GoalForm(bot, options))
        return
    if full is not None:
        # Only the person who asked needs to know; the channel sees the goal when it starts.
        place = bot.queue.enter(bot.goals.identified(asker), goal, options)
        await answer(interaction, queued(full, place), view=leave_view(place.entry.id))
        return
    await interaction.response.defer(thinking=True)

    async def show(text: str) -> int | None:
        return (await interaction.edit_original_response(content=text)).id

    await ask(bot, asker, goal, options, show)


class _Form(discord.ui.Modal):
    """A form in the person's language that never fails silently."""

    def __init__(self, title: str) -> None:
        super().__init__(title=title)

    async def interaction_check(self, interaction: Interaction, /) -> bool:
        """Use the person's language; anyone who was shown the form may submit it."""
        begin(interaction)
        return True

    async def on_error(  # type: ignore[override]  # discord.py's own Modal differs so too
        self, interaction: Interaction, error: Exception, /
    ) -> None:
        """Log a defect, and tell the person about it."""
        await failed(interaction, "form", error)


class GoalForm(_Form):
    """Asks for a long goal."""

    def __init__(self, bot: Bot, options: Options) -> None:
        super().__init__(say(Text.MODAL_TITLE))
        self._bot = bot
        self._options = options
        self.goal: discord.ui.TextInput[GoalForm] = discord.ui.TextInput(
            label=say(Text.MODAL_GOAL),
            custom_id="leaderless:goal",
            style=discord.TextStyle.paragraph,
            placeholder=say(Text.MODAL_HINT),
            max_length=GOAL_CHARACTERS,
        )
        self.add_item(self.goal)

    async def on_submit(self, interaction: Interaction, /) -> None:
        """Take the goal."""
        if not self.goal.value.strip():
            await answer(interaction, say(Text.GOAL_EMPTY, plan=say(Text.NAME_PLAN)))
            return
        await plan(interaction, self._bot, self.goal.value, self._options)


async def ask_for_cancel(interaction: Interaction, bot: Bot) -> None:
    """Ask for confirmation before a button stops a plan: it is easily pressed by mistake."""
    found = await found_plan(interaction, bot, "")
    if found is None:
        return
    entry, plan = found
    if not may_steer(bot, entry, interaction):
        await answer(interaction, say(Text.NOT_YOURS))
    elif plan.final:
        await answer(interaction, say(Text.PLAN_OVER, state=state_text(plan.state)))
    else:
        await answer(interaction, say(Text.CANCEL_SURE), buttons=(Press.SURE,))


async def leave(interaction: Interaction, bot: Bot, entry: WaitingEntry | None) -> None:
    """Take a goal out of the queue."""
    if entry is None:
        await answer(interaction, say(Text.NOT_QUEUED))
        return
    asked_it = entry.asker == bot.people.hash(entry.guild, interaction.user.id)
    if not asked_it and not interaction.permissions.manage_messages:
        await answer(interaction, say(Text.NOT_YOURS))
        return
    left = bot.queue.leave(entry)
    goal = plain(entry.goal, TITLE_SHOWN)
    await answer(interaction, say(Text.UNQUEUED, goal=goal) if left else say(Text.NOT_QUEUED))


async def cancel(interaction: Interaction, bot: Bot, wanted: str) -> None:
    """Stop a plan, or take it out of the queue."""
    if (waiting := waiting_goal(interaction, bot, wanted)) is not None:
        await leave(interaction, bot, waiting)
        return
    found = await meant(interaction, bot, wanted)
    if found is None:
        return
    peer, entry, plan = found
    if not may_steer(bot, entry, interaction):
        await answer(interaction, say(Text.NOT_YOURS))
        return
    if plan.final:
        await answer(interaction, say(Text.PLAN_OVER, state=state_text(plan.state)))
        return
    by_asker = is_asker(bot, entry, interaction)
    with speaking(entry.language):
        # It is posted in the thread, for everyone who reads there.
        reason = say(Text.CANCEL_REASON if by_asker else Text.CANCEL_REASON_MODERATOR)
    try:
        peer.cancel(plan.id, reason)
    except ValueError as error:
        await answer(interaction, plain(str(error), TITLE_SHOWN * 2))
        return
    await answer(interaction, say(Text.CANCELLED_NOW))


async def replan(interaction: Interaction, bot: Bot, part: str, reason: str, wanted: str) -> None:
    """Have a part, or the whole plan, split again."""
    found = await meant(interaction, bot, wanted)
    if found is None:
        return
    peer, entry, plan = found
    node = part_of(plan, part)
    if node is None:
        await answer(interaction, say(Text.WHY_NO_PART, part=plain(part, NAME_SHOWN)))
    elif not may_steer(bot, entry, interaction):
        await answer(interaction, say(Text.NOT_YOURS))
    elif refused := _no_replan(plan, node):
        await answer(interaction, refused)
    else:
        await _replan(interaction, peer, plan, node, reason)


async def _replan(
    interaction: Interaction, peer: SwarmPeer, plan: Plan, node: Node, reason: str
) -> None:
    peer.publish(Replan(stamp=EPOCH, goal=plan.id, node=node.id, reason=reason.strip()))
    await answer(interaction, say(Text.REPLANNED, part=plain(node.title, TITLE_SHOWN)))


def _no_replan(plan: Plan, node: Node) -> str:
    """Return why a part cannot be split again; empty: it can."""
    title = plain(node.title, TITLE_SHOWN)
    if plan.final:
        return say(Text.PLAN_OVER, state=state_text(plan.state))
    if node.vote is None:
        return say(Text.REPLAN_NO_VOTE, part=title)
    if node.settled is not None:
        return say(Text.REPLAN_SETTLED, part=title)
    if node.decision is None:
        return say(Text.REPLAN_UNDECIDED, part=title)
    if not may_replan(plan, node):
        return say(Text.REPLAN_USED_UP, part=title, count=len(node.rounds))
    return ""


async def ask_for_replan(interaction: Interaction, bot: Bot) -> None:
    """Open a form that asks what should be different about the split whose button was pressed."""
    shown = shown_split(interaction, bot)
    if shown is None:
        await answer(interaction, say(Text.VOTE_LATER))
        return
    entry, split = shown
    if not may_steer(bot, entry, interaction):
        await answer(interaction, say(Text.NOT_YOURS))
    elif refused := _no_replan(split.plan, split.node):
        await answer(interaction, refused)
    else:
        await interaction.response.send_modal(ReplanForm(bot, split.plan.id, split.node.id))


class ReplanForm(_Form):
    """Asks what should be different."""

    def __init__(self, bot: Bot, goal: bytes, node: bytes) -> None:
        super().__init__(say(Text.REPLAN_TITLE))
        self._bot = bot
        self._goal = goal
        self._node = node
        self.wish: discord.ui.TextInput[ReplanForm] = discord.ui.TextInput(
            label=say(Text.REPLAN_WISH),
            custom_id="leaderless:wish",
            style=discord.TextStyle.paragraph,
            required=False,
            max_length=REASON_CHARACTERS,
        )
        self.add_item(self.wish)

    async def on_submit(self, interaction: Interaction, /) -> None:
        """Ask for another split."""
        peer = await joined(interaction, self._bot)
        plan = self._bot.relay.plan(self._goal)
        node = plan.node(self._node) if plan is not None else None
        if peer is None:
            return
        if plan is None or node is None:
            await answer(interaction, say(Text.VOTE_OVER))
        elif refused := _no_replan(plan, node):
            await answer(interaction, refused)
        else:
            await _replan(interaction, peer, plan, node, self.wish.value)


async def vote(interaction: Interaction, bot: Bot, verdict: Verdict) -> None:
    """Count a vote by button."""
    assert interaction.message is not None
    voters = bot.settings.voters(guild_of(interaction))
    if isinstance(interaction.user, discord.Member):
        allowed = voters.allow(interaction.user.roles)
    else:
        allowed = voters.everyone
    if not allowed:
        await answer(interaction, say(Text.VOTE_NOT_ALLOWED, roles=voters.text))
        return
    outcome = bot.votes.pressed(
        guild=guild_of(interaction),
        message=interaction.message.id,
        user=interaction.user.id,
        verdict=verdict,
    )
    await answer(interaction, _voted(bot, interaction.message.id, outcome, SIGNS[verdict]))


def _voted(bot: Bot, message: int, outcome: Pressed, sign: str) -> str:
    match outcome:
        case "counted":
            known = bot.votes.split_of(message)
            plan = bot.relay.plan(known[0]) if known else None
            text = say(Text.VOTE_COUNTED, sign=sign)
            if plan is not None and plan.policy.people == "advisory":
                text += " " + say(Text.VOTE_ADVISORY)
            return text
        case "taken back":
            return say(Text.VOTE_TAKEN_BACK)
        case "by reaction":
            return say(Text.VOTE_BY_REACTION, sign=sign)
        case "over":
            return say(Text.VOTE_OVER)
        case "unknown":
            return say(Text.VOTE_LATER)
        case "down":
            return down(bot)


async def settings(
    interaction: Interaction, bot: Bot, people: str, roles: Sequence[discord.Role]
) -> None:
    """Show this server's settings for votes, and change those that were chosen."""
    guild = interaction.guild
    if guild is None:
        await answer(interaction, say(Text.NO_SERVER))
        return
    if people or roles:
        if not interaction.permissions.manage_guild:
            # Discord hides the command from others, unless the server's settings show it.
            await answer(interaction, say(Text.NOT_MANAGER))
            return
        everyone = any(role.id == guild.id for role in roles)
        chosen = () if everyone else tuple((str(role.id), role.name) for role in roles)
        bot.settings.choose(
            guild.id,
            people=next((one for one in PEOPLE if one == people), None),
            roles=chosen if roles else None,
        )
        if roles:
            bot.chat.forget_roles()
            bot.votes.recount_all()
            bot.relay.wake_all()
    counted = {
        "count": Text.PEOPLE_COUNT,
        "advisory": Text.PEOPLE_ADVISORY,
        "off": Text.PEOPLE_OFF,
    }[bot.settings.people(guild.id)]
    voters = bot.settings.voters(guild.id).text or say(Text.SETTINGS_EVERYONE)
    await answer(interaction, say(Text.SETTINGS, voters=voters, people=say(counted)))


async def forget(interaction: Interaction, bot: Bot) -> None:
    """Remove what is stored about a person here."""
    person = bot.people.hash(guild_of(interaction), interaction.user.id)
    votes, goals = bot.votes.forget(person)
    await answer(interaction, say(Text.FORGOTTEN, votes=votes, goals=goals))
