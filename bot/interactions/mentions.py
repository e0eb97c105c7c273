"""Messages to the bot: a mention asks for a plan in a channel, and for its state in its thread.

Discord gives the text of a message that mentions the bot, or is sent to it directly, even without
the privileged message content intent. If it gives no text, the person is told to use `/plan`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import discord
import structlog

from bot import metrics
from bot.goals.goals import DIRECT, GOAL_CHARACTERS, Asker
from bot.goals.options import Options
from bot.interactions.ask import ask, down, may_wait, over_quota, refusal, refused
from bot.rendering import pages
from bot.storage.journal import GoalEntry
from bot.texts import ENGLISH, Text, language_of, say, speak
from bot.views.plan_tree import live_message

if TYPE_CHECKING:
    from bot.context import Bot

log = structlog.get_logger(__name__)


async def heard(bot: Bot, me: discord.abc.Snowflake, message: discord.Message) -> None:
    """Answer a message, if a person wrote it and it is meant for the bot.

    Args:
        bot: the bot.
        me: its account.
        message: what was written.
    """
    if message.author.bot or message.webhook_id is not None:
        return
    direct = message.guild is None
    if not direct and not any(user.id == me.id for user in message.mentions):
        # Mentions of @everyone and of roles are not meant for the bot.
        return
    if not bot.antispam.allows(message.author.id):
        # Answering each message would help the person flood the channel.
        metrics.COMMANDS.labels("message-unanswered").inc()
        return
    text = re.sub(rf"<@!?{me.id}>", " ", message.content).strip()[:GOAL_CHARACTERS]
    speak(_language(message, text))
    metrics.COMMANDS.labels("message").inc()
    try:
        entry = bot.journal.by_thread(message.channel.id)
        if entry is not None and not direct:
            await _tell_status(bot, message, entry)
        else:
            await _take(bot, message, text)
    except Exception:
        # Nobody should wait for an answer that never comes.
        metrics.FAULTS.inc()
        log.exception("message_failed")
        await _reply(message, say(Text.FAULT))


def _language(message: discord.Message, text: str) -> str:
    spoken = message.guild.preferred_locale.value if message.guild is not None else ENGLISH
    return language_of(text, otherwise=spoken)


async def _take(bot: Bot, message: discord.Message, text: str) -> None:
    allowed = message.channel.permissions_for(message.guild.me) if message.guild else None
    asker = Asker(
        message.guild.id if message.guild else DIRECT,
        message.channel.id,
        message.author.id,
        _language(message, text),
    )
    reason = refusal(
        bot,
        message.channel,
        message.guild.id if message.guild else None,
        allowed or discord.Permissions.all(),
    )
    refusal_now = over_quota(bot, asker)
    if not reason and refusal_now is not None and not may_wait(bot, refusal_now):
        reason = refused(refusal_now)
    if not reason and not text:
        reason = say(Text.GOAL_EMPTY, plan=say(Text.NAME_PLAN))
    if reason:
        await _reply(message, reason)
        return

    async def show(answer: str) -> int | None:
        return await _reply(message, answer)

    async with message.channel.typing():
        await ask(bot, asker, text, Options(), show)


async def _tell_status(bot: Bot, message: discord.Message, entry: GoalEntry) -> None:
    peer, plan = bot.relay.peer, bot.relay.plan(entry.goal)
    if peer is None or plan is None:
        await _reply(message, down(bot) if peer is None else say(Text.LOST))
        return
    others = sum(not view.is_me for view in peer.peers())
    text = live_message(plan, name=peer.name_of, others=others)
    await _reply(message, pages(text.splitlines())[0])


async def _reply(message: discord.Message, text: str) -> int | None:
    """Reply without mentioning anyone; return the id, or None where the bot may not reply."""
    try:
        sent = await message.reply(
            text,
            mention_author=False,
            suppress_embeds=True,
            allowed_mentions=discord.AllowedMentions.none(),
        )
    except discord.Forbidden as error:
        log.warning("reply_not_allowed", reason=str(error))
        return None
    return sent.id
