"""The discord.py client: it hears, and hands on; it decides nothing.

It asks for the few intents it needs (servers and reactions; no message content), keeps no messages
in memory, and mentions nobody whatever a text says.
"""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

import discord
import structlog
import yarl
from discord.gateway import DiscordWebSocket
from discord.http import Route

from bot.commands import Tree, add_commands

if TYPE_CHECKING:
    from bot.config import Discord
    from bot.service import Bot

log = structlog.get_logger(__name__)

SYNCED = "commands"
"""The journal's note of which commands Discord was last given."""


def point_to(where: Discord) -> None:
    """Lead discord.py to another server than Discord's, if one is named. Call it before start."""
    if where.api:
        Route.BASE = where.api.rstrip("/")
    if where.gateway:
        DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(where.gateway)


class Client(discord.Client):
    """The bot's connection to Discord. It cannot be started twice: make a new one."""

    def __init__(self, bot: Bot, **options: Any) -> None:
        intents = discord.Intents.none()
        intents.guilds = True
        intents.guild_reactions = True
        super().__init__(
            intents=intents,
            allowed_mentions=discord.AllowedMentions.none(),
            max_messages=None,
            member_cache_flags=discord.MemberCacheFlags.none(),
            chunk_guilds_at_startup=False,
            **options,
        )
        self.bot = bot
        self.tree = Tree(self)
        add_commands(self.tree, bot)

    async def setup_hook(self) -> None:
        """Register the commands if they are not what Discord has."""
        await self.sync_commands()

    async def sync_commands(self) -> None:
        """Give Discord the commands, unless it was given these very ones before."""
        payload = [command.to_dict(self.tree) for command in self.tree.get_commands()]
        about = [Route.BASE, self.application_id, payload]
        digest = hashlib.sha256(json.dumps(about, sort_keys=True).encode()).hexdigest()
        if self.bot.journal.get(SYNCED) == digest:
            return
        await self.tree.sync()
        self.bot.journal.put(SYNCED, digest)
        log.info("commands_synced", count=len(payload))

    async def on_ready(self) -> None:
        """Pick up all goals, and count again what may have been missed."""
        log.info("discord_ready", guilds=len(self.guilds))
        self.bot.relay.follow_all()
        self.bot.relay.wake_all()
        self.bot.relay.recount_all()

    async def on_raw_reaction_add(self, payload: discord.RawReactionActionEvent) -> None:
        """Count a vote, unless it is a bot's."""
        if payload.member is not None and payload.member.bot:
            return
        self._reacted(payload, added=True)

    async def on_raw_reaction_remove(self, payload: discord.RawReactionActionEvent) -> None:
        """Take a vote back."""
        self._reacted(payload, added=False)

    async def on_raw_reaction_clear(self, payload: discord.RawReactionClearEvent) -> None:
        """Count again: a moderator removed all reactions of a message."""
        self.bot.relay.recount_message(payload.message_id)

    async def on_raw_reaction_clear_emoji(
        self, payload: discord.RawReactionClearEmojiEvent
    ) -> None:
        """Count again: a moderator removed one kind of reaction."""
        self.bot.relay.recount_message(payload.message_id)

    async def on_error(self, event_method: str, /, *_: Any, **__: Any) -> None:
        """Log a defect in handling one event; the next ones are handled as usual."""
        log.exception("event_failed", event_name=event_method)

    def _reacted(self, payload: discord.RawReactionActionEvent, *, added: bool) -> None:
        me = self.user
        if payload.guild_id is None or (me is not None and payload.user_id == me.id):
            return
        self.bot.relay.reacted(
            guild=payload.guild_id,
            message=payload.message_id,
            user=payload.user_id,
            emoji=str(payload.emoji),
            added=added,
        )
