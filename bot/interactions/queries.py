"""Commands that only read: they answer ephemerally and change nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.interactions.replies import (
    Interaction,
    answer,
    find,
    found_plan,
    guild_of,
    joined,
    meant,
    not_found,
    part_of,
    shown_split,
)
from bot.rendering import pages, plain
from bot.storage.journal import GoalEntry
from bot.texts import Text, say
from bot.views.document import documents
from bot.views.plan_tree import NAME_SHOWN, TITLE_SHOWN, live_message, state_text
from bot.views.splits import critiques
from bot.views.why import why as why_lines

if TYPE_CHECKING:
    from bot.context import Bot

LISTED_GOALS = 10
WHY_PAGES = 3

MOST_CHOICES = 25
"""Most suggestions that Discord shows while a person types."""


async def status(interaction: Interaction, bot: Bot, wanted: str) -> None:
    """Show the state of one plan, or list the plans."""
    peer = await joined(interaction, bot)
    if peer is None:
        return
    entry = find(interaction, bot, wanted)
    plan = bot.relay.plan(entry.goal) if entry else None
    if plan is not None:
        others = sum(not view.is_me for view in peer.peers())
        texts = [live_message(plan, name=peer.name_of, others=others)]
        writer = bot.relay.writer(plan.id)
        if writer is not None and writer.trouble:
            # Contains only our own texts and Discord's names of permissions.
            texts.append(say(Text.WRITER_TROUBLE, reason=writer.trouble))
        await answer(interaction, *texts)
        return
    if wanted:
        await answer(interaction, not_found(wanted))
        return
    entries = bot.journal.newest(guild_of(interaction), LISTED_GOALS)
    waiting = _waiting_lines(interaction, bot)
    if not entries and not waiting:
        await answer(interaction, say(Text.STATUS_NONE))
        return
    lines = [say(Text.STATUS_TITLE), *waiting, *(_status_line(bot, entry) for entry in entries)]
    await answer(interaction, *pages(lines))


def _waiting_lines(interaction: Interaction, bot: Bot) -> list[str]:
    """Return lines about the queue: the person's own goals, and how many others wait."""
    guild = guild_of(interaction)
    places = bot.queue.places(guild)
    person = bot.people.hash(guild, interaction.user.id)
    own = [place for place in places if place.entry.asker == person]
    lines = [
        say(
            Text.STATUS_WAITING,
            place=place.number,
            goal=plain(place.entry.goal, TITLE_SHOWN),
            id=place.entry.id.hex()[:8],
        )
        for place in own
    ]
    if others := len(places) - len(own):
        lines.append(say(Text.STATUS_WAITING_OTHERS, count=others))
    return lines


def _status_line(bot: Bot, entry: GoalEntry) -> str:
    plan = bot.relay.plan(entry.goal)
    return say(
        Text.STATUS_LINE,
        state=state_text(plan.state) if plan else say(Text.STATUS_UNKNOWN),
        goal=plain(plan.root.title, TITLE_SHOWN) if plan else "…",
        where=f"<#{entry.thread}>" if entry.thread else say(Text.STATUS_NO_THREAD),
        id=entry.goal.hex()[:8],
    )


async def why(interaction: Interaction, bot: Bot, part: str, wanted: str) -> None:
    """Say who proposed, voted and did what."""
    found = await meant(interaction, bot, wanted)
    if found is None:
        return
    peer, _, plan = found
    node = part_of(plan, part)
    if node is None:
        await answer(interaction, say(Text.WHY_NO_PART, part=plain(part, NAME_SHOWN)))
        return
    title, *told = why_lines(plan, node, peer.name_of, heard=peer.heard())
    lines = [f"{'  - ' if line.inner else '- '}{line.text}" for line in told]
    await answer(interaction, *pages([f"**{title.text}**", *lines])[:WHY_PAGES])


async def said(interaction: Interaction, bot: Bot) -> None:
    """Show what scorers think of the split whose button was pressed."""
    peer = await joined(interaction, bot)
    if peer is None:
        return
    shown = shown_split(interaction, bot)
    if shown is None:
        await answer(interaction, say(Text.VOTE_LATER))
        return
    await answer(interaction, *critiques(shown[1], name=peer.name_of))


async def picture(interaction: Interaction, bot: Bot, wanted: str, *, dark: bool = True) -> None:
    """Show the tree as a picture."""
    found = await found_plan(interaction, bot, wanted)
    if found is None:
        return
    if not interaction.response.is_done():
        # Drawing takes longer than three seconds on a busy machine.
        await interaction.response.defer(ephemeral=True, thinking=True)
    files = await bot.draw(found[1], dark=dark)
    text = say(Text.PICTURE) if files else say(Text.PICTURE_FAILED)
    await answer(interaction, text, files=files)


async def export(interaction: Interaction, bot: Bot, wanted: str) -> None:
    """Give the plan as files."""
    found = await meant(interaction, bot, wanted)
    if found is None:
        return
    peer, _, plan = found
    if not interaction.response.is_done():
        await interaction.response.defer(ephemeral=True, thinking=True)
    files = documents(plan, peer.name_of)
    for dark in (False, True):
        files += await bot.draw(plan, dark=dark)
    await answer(interaction, say(Text.EXPORTED), files=files)


def offers(bot: Bot, typed: str) -> list[str]:
    """Return the capabilities of present executors that begin with the typed text, by name."""
    peer = bot.relay.peer
    views = peer.peers() if peer is not None else []
    found = {name for view in views if view.role == "executor" for name in view.capabilities}
    return sorted(name for name in found if name.startswith(typed) and name)[:MOST_CHOICES]


async def peers(interaction: Interaction, bot: Bot) -> None:
    """Show the peers present and the state of the link to the swarm."""
    peer, state = bot.relay.peer, bot.guest.state
    reason = plain(state.reason, TITLE_SHOWN)
    lines: list[str] = []
    if peer is None:
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
        lines.append(say(Text.PEERS_RESTARTS, count=state.restarts, reason=reason))
    await answer(interaction, *pages(lines)[:WHY_PAGES])
