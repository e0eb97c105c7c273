"""The discord.py client: it receives events and passes them on; it decides nothing.

It requests only the intents it needs: servers, reactions and messages. It does not need the
privileged message content, since Discord gives the text of messages that mention the bot without
it. It keeps no messages in memory, and mentions nobody, whatever a text contains.
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

from bot import metrics
from bot.discord_api.rate_limit import RateLimit
from bot.goals.goals import DIRECT
from bot.interactions import mentions
from bot.interactions.buttons import Buttons, Leave, answer_unknown
from bot.interactions.slash_commands import CommandTree, Translator, add_commands
from bot.texts import PERMISSIONS

if TYPE_CHECKING:
    from bot.config import Discord
    from bot.context import Bot

log = structlog.get_logger(__name__)

SYNCED = "commands"
"""Journal key of the digest of the commands last registered with Discord."""


def invite_link(application: int) -> str:
    """Return the link that invites the bot to a server with the permissions it needs."""
    permissions = discord.Permissions(**dict.fromkeys(PERMISSIONS, True))
    return discord.utils.oauth_url(
        application, permissions=permissions, scopes=("bot", "applications.commands")
    )


def point_to(where: Discord) -> None:
    """Point discord.py at another Discord, if one is configured. Call it before start."""
    if where.api:
        Route.BASE = where.api.rstrip("/")
    if where.gateway:
        DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(where.gateway)


class Client(discord.Client):
    """The bot's connection to Discord. It cannot be started twice: make a new one instead."""

    def __init__(self, bot: Bot, **options: Any) -> None:
        intents = discord.Intents.none()
        intents.guilds = True
        intents.guild_reactions = True
        intents.guild_messages = True
        intents.dm_messages = bot.direct_messages
        intents.dm_reactions = bot.direct_messages
        super().__init__(
            http_trace=RateLimit().trace(),
            intents=intents,
            allowed_mentions=discord.AllowedMentions.none(),
            max_messages=None,
            member_cache_flags=discord.MemberCacheFlags.none(),
            chunk_guilds_at_startup=False,
            **options,
        )
        self.bot = bot
        self.tree = CommandTree(self)
        add_commands(self.tree, bot)

    async def setup_hook(self) -> None:
        """Handle buttons, and register the commands if they differ from those that Discord has."""
        self.add_view(Buttons(self.bot))
        self.add_dynamic_items(Leave)
        await self.tree.set_translator(Translator())
        await self.sync_commands()

    async def sync_commands(self) -> None:
        """Register the commands with Discord, unless exactly these are registered."""
        translator = self.tree.translator
        assert translator is not None
        payload = [
            await command.get_translated_payload(self.tree, translator)
            for command in self.tree.get_commands()
        ]
        about = [Route.BASE, self.application_id, payload]
        digest = hashlib.sha256(json.dumps(about, sort_keys=True).encode()).hexdigest()
        if self.bot.journal.get(SYNCED) == digest:
            return
        await self.tree.sync()
        self.bot.journal.put(SYNCED, digest)
        log.info("commands_synced", count=len(payload))

    async def on_ready(self) -> None:
        """Follow all live goals, and recount votes that may have been missed."""
        log.info("discord_ready", guilds=len(self.guilds))
        metrics.CONNECTED.labels("discord").set(1)
        if not self.guilds:
            log.warning("in_no_server", invite=invite_link(self.application_id or 0))
        self.bot.relay.follow_all()
        self.bot.queue.wake()
        self.bot.relay.wake_all()
        self.bot.votes.recount_all()

    async def on_resumed(self) -> None:
        """Recount votes: Discord replays missed events, but some may still be lost."""
        metrics.CONNECTED.labels("discord").set(1)
        self.bot.relay.wake_all()
        self.bot.votes.recount_all()

    async def on_disconnect(self) -> None:
        """Note that the connection is lost; discord.py restores it."""
        metrics.CONNECTED.labels("discord").set(0)

    async def on_interaction(self, interaction: discord.Interaction[discord.Client]) -> None:
        """Answer buttons of older versions."""
        await answer_unknown(interaction)

    async def on_message(self, message: discord.Message) -> None:
        """Answer a message that mentions the bot or is sent to it directly."""
        if self.user is not None:
            await mentions.heard(self.bot, self.user, message)

    async def on_raw_reaction_add(self, payload: discord.RawReactionActionEvent) -> None:
        """Count a vote, unless a bot or a person without the required role cast it."""
        member = payload.member
        if member is not None:
            voters = self.bot.settings.voters(member.guild.id)
            if member.bot or not voters.allow(member.roles):
                return
        self._reacted(payload, added=True)

    async def on_raw_reaction_remove(self, payload: discord.RawReactionActionEvent) -> None:
        """Take a vote back."""
        self._reacted(payload, added=False)

    async def on_raw_reaction_clear(self, payload: discord.RawReactionClearEvent) -> None:
        """Recount votes: a moderator removed all reactions of a message."""
        self.bot.votes.recount_message(payload.message_id)

    async def on_raw_reaction_clear_emoji(
        self, payload: discord.RawReactionClearEmojiEvent
    ) -> None:
        """Recount votes: a moderator removed one kind of reaction."""
        self.bot.votes.recount_message(payload.message_id)

    async def on_error(self, event_method: str, /, *_: Any, **__: Any) -> None:
        """Log a defect in the handling of one event; later events are handled as usual."""
        metrics.FAULTS.inc()
        log.exception("event_failed", event_name=event_method)

    def _reacted(self, payload: discord.RawReactionActionEvent, *, added: bool) -> None:
        me = self.user
        if me is not None and payload.user_id == me.id:
            return
        self.bot.votes.reacted(
            guild=payload.guild_id or DIRECT,
            message=payload.message_id,
            user=payload.user_id,
            emoji=str(payload.emoji),
            added=added,
        )
