"""The slash commands: what people can ask of the bot, and its answers.

Each command answers at once or defers; whatever goes wrong ends in a sentence for the person, and
in the log for whoever runs the bot.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import discord
import structlog
from discord import app_commands

from bot.journal import GoalEntry, PostEntry
from bot.rendering import pages, plain
from bot.story import START, start
from bot.texts import PERMISSIONS, Text, say
from bot.tree import GOAL_SHOWN, NAME_SHOWN, TITLE_SHOWN, live_message, numbered, state_text
from swarm.core.explain import why
from swarm.core.plan import Node, Plan

if TYPE_CHECKING:
    from bot.service import Bot

log = structlog.get_logger(__name__)

GOAL_CHARACTERS = 4_000
"""Longest goal a command takes; Discord's own limit for an option is 6,000."""

LISTED_GOALS = 10
SEARCHED_GOALS = 200
"""Newest plans of a server among which an id is looked for."""

LEAST_ID = 4
"""Digits of a plan's id that must be given."""

WHY_PAGES = 3
WHY_LINE = 400

Interaction = discord.Interaction


class Tree(app_commands.CommandTree):
    """The commands, with one answer to everything nobody foresaw."""

    async def on_error(self, interaction: Interaction, error: app_commands.AppCommandError) -> None:
        """Log a defect, and tell the person that it was one."""
        command = interaction.command.name if interaction.command else ""
        log.error("command_failed", command=command, exc_info=error)
        try:
            await _answer(interaction, say(Text.FAULT))
        except discord.HTTPException as second:
            log.warning("command_failure_untold", command=command, reason=str(second))


def add_commands(tree: app_commands.CommandTree, bot: Bot) -> None:
    """Add all commands to a tree."""
    where = app_commands.AppCommandContext(guild=True, dm_channel=False, private_channel=False)
    which = app_commands.describe(plan=say(Text.CMD_WHICH))

    @app_commands.describe(goal=say(Text.CMD_PLAN_GOAL))
    async def plan(
        interaction: Interaction, goal: app_commands.Range[str, 1, GOAL_CHARACTERS]
    ) -> None:
        await _plan(interaction, bot, goal)

    @which
    async def status(interaction: Interaction, plan: str = "") -> None:
        await _status(interaction, bot, plan)

    @which
    async def cancel(interaction: Interaction, plan: str = "") -> None:
        await _cancel(interaction, bot, plan)

    @app_commands.describe(part=say(Text.CMD_WHY_PART), plan=say(Text.CMD_WHICH))
    async def why(interaction: Interaction, part: str = "", plan: str = "") -> None:
        await _why(interaction, bot, part, plan)

    async def peers(interaction: Interaction) -> None:
        await _peers(interaction, bot)

    async def help_(interaction: Interaction) -> None:
        await _answer(interaction, say(Text.HELP))

    for name, text, callback in (
        ("plan", Text.CMD_PLAN, plan),
        ("status", Text.CMD_STATUS, status),
        ("why", Text.CMD_WHY, why),
        ("cancel", Text.CMD_CANCEL, cancel),
        ("peers", Text.CMD_PEERS, peers),
        ("help", Text.CMD_HELP, help_),
    ):
        command: app_commands.Command[Any, ..., None] = app_commands.Command(
            name=name, description=say(text), callback=callback, allowed_contexts=where
        )
        tree.add_command(command)


async def _plan(interaction: Interaction, bot: Bot, goal: str) -> None:
    """Submit a goal, show it in the channel, and let its writer open the thread."""
    refusal = _refusal(interaction, bot)
    if refusal:
        await _answer(interaction, refusal)
        return
    assert interaction.guild_id is not None
    assert interaction.channel_id is not None
    await interaction.response.defer(thinking=True)
    await bot.relay.settled()
    peer = bot.relay.peer
    if peer is None:
        await interaction.edit_original_response(content=_down(bot))
        return
    asker = bot.people.hash(interaction.guild_id, interaction.user.id)
    try:
        goal_id = peer.submit(goal, policy=bot.policy, asker=asker)
    except ValueError as error:
        reason = plain(str(error), TITLE_SHOWN * 2)
        await interaction.edit_original_response(content=say(Text.GOAL_REFUSED, reason=reason))
        return
    log.info("goal_asked", goal=goal_id.hex()[:12], guild=interaction.guild_id)
    submitted = peer.store.plan(goal_id)
    assert submitted is not None
    entry = GoalEntry(
        goal_id,
        interaction.guild_id,
        interaction.channel_id,
        asker,
        created_ms=peer.now(),
        record=submitted.goal.raw,
    )
    bot.journal.open_goal(entry)
    post = start(submitted)
    bot.journal.put_post(goal_id, PostEntry(START, post.digest))
    try:
        message = await interaction.edit_original_response(content=post.content)
    except discord.HTTPException as error:
        # The goal is in the swarm: its writer posts the message in the ordinary way.
        log.warning("answer_lost", goal=goal_id.hex()[:12], reason=str(error))
    else:
        bot.journal.put_post(goal_id, PostEntry(START, post.digest, message.id))
    bot.relay.follow(entry)


def _refusal(interaction: Interaction, bot: Bot) -> str:
    """Return why nobody can ask for a plan here and now; empty: one can."""
    if interaction.guild_id is None or interaction.channel is None:
        return say(Text.NOT_HERE)
    if not isinstance(interaction.channel, discord.TextChannel):
        return say(Text.ASK_IN_CHANNEL)
    allowed = interaction.app_permissions
    lacking = [name for key, name in PERMISSIONS.items() if not getattr(allowed, key)]
    if lacking:
        return say(Text.MISSING_PERMISSIONS, permissions=", ".join(f"**{one}**" for one in lacking))
    if bot.relay.peer is None and bot.guest.state.reason:
        return _down(bot)
    return ""


def _down(bot: Bot) -> str:
    reason = bot.guest.state.reason
    if not reason:
        return say(Text.SWARM_STARTING)
    return say(Text.SWARM_DOWN, reason=plain(reason, TITLE_SHOWN))


async def _joined(interaction: Interaction, bot: Bot) -> bool:
    """Wait for a swarm peer that is only just starting; if there is none, say so."""
    if bot.relay.peer is None and not bot.guest.state.reason:
        await interaction.response.defer(ephemeral=True)
        await bot.relay.joined()
    if bot.relay.peer is None:
        await _answer(interaction, _down(bot))
        return False
    return True


async def _status(interaction: Interaction, bot: Bot, wanted: str) -> None:
    if not await _joined(interaction, bot):
        return
    entry = _find(interaction, bot, wanted)
    peer = bot.relay.peer
    plan = bot.relay.plan(entry.goal) if entry else None
    if plan is not None and peer is not None:
        others = sum(not view.is_me for view in peer.peers())
        text = live_message(plan, name=peer.name_of, others=others)
        writer = bot.relay.writer(plan.id)
        if writer is not None and writer.trouble:
            await _answer(interaction, text, say(Text.WRITER_TROUBLE, reason=plain(writer.trouble)))
            return
        await _answer(interaction, text)
        return
    if wanted:
        await _answer(interaction, say(Text.UNKNOWN_PLAN, plan=plain(wanted, NAME_SHOWN)))
        return
    assert interaction.guild_id is not None
    entries = bot.journal.newest(interaction.guild_id, LISTED_GOALS)
    if not entries:
        await _answer(interaction, say(Text.STATUS_NONE))
        return
    lines = [say(Text.STATUS_TITLE), *(_status_line(bot, entry) for entry in entries)]
    await _answer(interaction, *pages(lines))


def _status_line(bot: Bot, entry: GoalEntry) -> str:
    plan = bot.relay.plan(entry.goal)
    return say(
        Text.STATUS_LINE,
        state=state_text(plan.state) if plan else say(Text.STATUS_UNKNOWN),
        goal=plain(plan.root.title, TITLE_SHOWN) if plan else "…",
        where=f"<#{entry.thread}>" if entry.thread else say(Text.STATUS_NO_THREAD),
        id=entry.goal.hex()[:8],
    )


async def _cancel(interaction: Interaction, bot: Bot, wanted: str) -> None:
    if not await _joined(interaction, bot):
        return
    entry = _find(interaction, bot, wanted)
    plan = bot.relay.plan(entry.goal) if entry else None
    if entry is None or plan is None:
        await _answer(interaction, _not_found(wanted))
        return
    asker = entry.asker == bot.people.hash(entry.guild, interaction.user.id)
    if not asker and not interaction.permissions.manage_messages:
        await _answer(interaction, say(Text.CANCEL_NOT_YOURS))
        return
    if plan.final:
        await _answer(interaction, say(Text.CANCEL_OVER, state=state_text(plan.state)))
        return
    peer = bot.relay.peer
    if peer is None:
        await _answer(interaction, _down(bot))
        return
    reason = Text.CANCEL_REASON if asker else Text.CANCEL_REASON_MODERATOR
    try:
        peer.cancel(plan.id, say(reason))
    except ValueError as error:
        await _answer(interaction, plain(str(error), TITLE_SHOWN * 2))
        return
    await _answer(interaction, say(Text.CANCELLED_NOW))


async def _why(interaction: Interaction, bot: Bot, part: str, wanted: str) -> None:
    if not await _joined(interaction, bot):
        return
    entry = _find(interaction, bot, wanted)
    plan = bot.relay.plan(entry.goal) if entry else None
    peer = bot.relay.peer
    if plan is None:
        await _answer(interaction, _not_found(wanted))
        return
    if peer is None:
        await _answer(interaction, _down(bot))
        return
    node = _part(plan, part)
    if node is None:
        await _answer(interaction, say(Text.WHY_NO_PART, part=plain(part, NAME_SHOWN)))
        return
    told = why(plan, node, peer.name_of)
    lines = [
        f"{'  - ' if line.startswith('  ') else '- '}{plain(line, WHY_LINE)}" for line in told[1:]
    ]
    title = f"**{plain(told[0], GOAL_SHOWN)}**"
    await _answer(interaction, *pages([title, *lines])[:WHY_PAGES])


async def _peers(interaction: Interaction, bot: Bot) -> None:
    peer, state = bot.relay.peer, bot.guest.state
    lines: list[str] = []
    if peer is None:
        reason = plain(state.reason, TITLE_SHOWN) if state.reason else ""
        lines.append(say(Text.PEERS_DOWN, reason=reason) if reason else say(Text.SWARM_STARTING))
    else:
        views = peer.peers()
        lines.append(say(Text.PEERS_TITLE, swarm=plain(bot.swarm_name, NAME_SHOWN)))
        for view in views:
            name = plain(view.name, NAME_SHOWN)
            if view.is_me:
                lines.append(say(Text.PEERS_ME, name=name))
                continue
            trouble = plain(view.trouble, TITLE_SHOWN)
            lines.append(
                say(
                    Text.PEERS_LINE,
                    name=name,
                    role=plain(view.role, NAME_SHOWN),
                    model=say(Text.PEERS_MODEL, model=plain(view.model)) if view.model else "",
                    load=say(Text.PEERS_LOAD, load=view.load) if view.load else "",
                    foreign=say(Text.PEERS_FOREIGN) if view.foreign else "",
                    trouble=say(Text.PEERS_TROUBLE, trouble=trouble) if trouble else "",
                )
            )
        if all(view.is_me for view in views):
            lines.append(say(Text.PEERS_NONE))
    if state.restarts:
        lines.append(say(Text.PEERS_RESTARTS, count=state.restarts))
    await _answer(interaction, *pages(lines)[:WHY_PAGES])


# Helpers.


def _find(interaction: Interaction, bot: Bot, wanted: str) -> GoalEntry | None:
    """Return the plan that is meant: by its id, or the one whose thread this is."""
    if interaction.guild_id is None:
        return None
    wanted = wanted.strip().strip("`").lower()
    if wanted:
        if len(wanted) < LEAST_ID:
            return None
        found = [
            entry
            for entry in bot.journal.newest(interaction.guild_id, SEARCHED_GOALS)
            if entry.goal.hex().startswith(wanted)
        ]
        return found[0] if len(found) == 1 else None
    return bot.journal.by_thread(interaction.channel_id) if interaction.channel_id else None


def _not_found(wanted: str) -> str:
    if wanted:
        return say(Text.UNKNOWN_PLAN, plan=plain(wanted, NAME_SHOWN))
    return say(Text.NO_PLAN_HERE)


def _part(plan: Plan, number: str) -> Node | None:
    number = number.strip().rstrip(".")
    if not number:
        return plan.root
    return dict(numbered(plan)).get(number)


async def _answer(interaction: Interaction, *texts: str) -> None:
    """Answer so that only the person sees it."""
    for text in texts:
        if interaction.response.is_done():
            await interaction.followup.send(text, ephemeral=True, suppress_embeds=True)
        else:
            await interaction.response.send_message(text, ephemeral=True, suppress_embeds=True)
