"""Discord, as the chat that goals are written to (`bot.thread.chat`).

Failures of Discord become the few kinds of `ChatError` that a writer can handle.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence

import aiohttp
import discord

from bot.discord_api.components import attachments, view_of
from bot.rendering import MESSAGE_LIMIT
from bot.storage.voters import Voters
from bot.swarm_link.swarm_peer import Verdict
from bot.texts import PERMISSIONS, Text, say
from bot.thread.ballots import meaning
from bot.thread.chat import (
    ChatError,
    MessageGone,
    MessageTooOld,
    NotAllowed,
    ThreadGone,
    ThreadLocked,
    Unavailable,
)
from bot.views.posts import OURS, Post, fingerprint

THREAD_ARCHIVED = 50083
MISSING_ACCESS = 50001
THREAD_EXISTS = 160004
"""Code for a message that already has a thread; the thread has the message's id."""

OPENING_SECONDS = 15.0
"""How long opening a thread may take. discord.py waits for an exhausted rate limit inside the
request that exhausted it, although Discord has opened the thread: for threads, minutes."""

OPENINGS = 8
"""Threads that may be opening at the same time. discord.py counts pending requests twice: with more
than half of a limit (50 for threads) pending, it delays all of them until the limit resets."""

THREAD_SECONDS = 60.0
"""Time between attempts when Discord opens no more threads."""

SEARCHED_MESSAGES = 200
"""How many messages to search for one that an earlier run may have sent."""

ROLES_SECONDS = 600.0
"""How long a member's roles are cached for recounting votes."""

_FAILURES = (discord.HTTPException, aiohttp.ClientError, OSError, TimeoutError)


class DiscordChat:
    """Discord, through whichever discord.py client is connected now."""

    def __init__(self, voters: Callable[[int], Voters] = lambda _: Voters()) -> None:
        """Make the chat; it works once it has a client.

        Args:
            voters: returns who may vote in a server.
        """
        self.client: discord.Client | None = None
        self._voters = voters
        self._may: dict[tuple[int, int], tuple[float, bool]] = {}
        self._openings = asyncio.Semaphore(OPENINGS)

    @property
    def _client(self) -> discord.Client:
        if self.client is None or self.client.is_closed() or self.client.user is None:
            raise Unavailable("The bot is not connected to Discord.")
        return self.client

    async def send(self, channel: int, post: Post, nonce: str) -> int:
        """Send a message and return its id; a nonce sent again within minutes sends nothing."""
        assert len(post.content) <= MESSAGE_LIMIT
        try:
            message = await self._channel(channel).send(
                post.content,
                files=attachments(post.files),
                view=view_of(post.buttons) or discord.utils.MISSING,
                nonce=nonce,
                suppress_embeds=True,
                silent=post.quiet,
                allowed_mentions=discord.AllowedMentions.none(),
            )
        except _FAILURES as error:
            raise self._named(channel, error) from error
        return message.id

    async def edit(self, channel: int, message: int, post: Post) -> None:
        """Replace a message's content; an archived thread is reopened for it."""
        partial = self._channel(channel).get_partial_message(message)

        async def edit() -> None:
            await partial.edit(
                content=post.content,
                view=view_of(post.buttons),
                allowed_mentions=discord.AllowedMentions.none(),
            )

        try:
            try:
                await edit()
            except discord.HTTPException as error:
                if error.code != THREAD_ARCHIVED:
                    raise
                await self._unarchive(channel)
                await edit()
        except _FAILURES as error:
            raise self._named(channel, error) from error

    async def seed(self, channel: int, message: int, emoji: Sequence[str]) -> None:
        """Add reactions, one after the other as Discord requires."""
        partial = self._channel(channel).get_partial_message(message)
        try:
            for one in emoji:
                await partial.add_reaction(one)
        except _FAILURES as error:
            raise self._named(channel, error) from error

    async def open_thread(self, channel: int, message: int, name: str) -> int:
        """Open a thread from a message, if it has none, and return the thread's id."""
        http = self._client.http
        try:
            try:
                async with self._openings, asyncio.timeout(OPENING_SECONDS):
                    thread = await http.start_thread_with_message(
                        channel, message, name=name, auto_archive_duration=1440
                    )
            except TimeoutError as late:
                try:
                    # A thread started from a message has the message's id.
                    await http.get_channel(message)
                    return message
                except discord.NotFound:
                    raise Unavailable(say(Text.TOO_MANY_THREADS), THREAD_SECONDS) from late
        except discord.HTTPException as error:
            if error.code == THREAD_EXISTS:
                return message
            raise self._named(channel, error) from error
        except _FAILURES as error:
            raise self._named(channel, error) from error
        return int(thread["id"])

    async def direct(self, user: int) -> int:
        """Return the channel for direct messages to a person."""
        try:
            return (await self._client.create_dm(discord.Object(user))).id
        except _FAILURES as error:
            raise self._named(0, error) from error

    async def find(self, channel: int, digest: bytes, known: set[int]) -> int | None:
        """Return the bot's newest message with this content that is not among the known ones."""
        me = self._client.user
        assert me is not None
        try:
            async for message in self._channel(channel).history(limit=SEARCHED_MESSAGES):
                if (
                    message.author.id == me.id
                    and message.id not in known
                    and fingerprint(message.content, _buttons(message)) == digest
                ):
                    return message.id
        except _FAILURES as error:
            raise self._named(channel, error) from error
        return None

    async def reactions(self, guild: int, channel: int, message: int) -> list[tuple[Verdict, int]]:
        """Return the reactions that are votes, by people who may vote: verdict and user."""
        try:
            found = await self._channel(channel).fetch_message(message)
            return [
                (verdict, user.id)
                for reaction in found.reactions
                if reaction.count > reaction.me
                and (verdict := meaning(str(reaction.emoji))) is not None
                async for user in reaction.users()
                if not user.bot and await self._may_vote(guild, user)
            ]
        except _FAILURES as error:
            raise self._named(channel, error) from error

    def lacking(self, channel: int) -> list[str]:
        """Return the permissions that the bot lacks in a channel, by Discord's names, if known."""
        found = self._client.get_channel(channel) if self.client is not None else None
        if not isinstance(found, discord.TextChannel | discord.Thread):
            return []
        allowed = found.permissions_for(found.guild.me)
        return [name for key, name in PERMISSIONS.items() if not getattr(allowed, key)]

    def forget_roles(self) -> None:
        """Drop cached roles: the rule about who may vote has changed."""
        self._may.clear()

    async def _may_vote(self, guild: int, user: discord.User | discord.Member) -> bool:
        """Return whether a person who reacted may vote; ask Discord for roles if necessary."""
        voters = self._voters(guild)
        if voters.everyone:
            return True
        if isinstance(user, discord.Member):
            return voters.allow(user.roles)
        now = time.monotonic()
        until, may = self._may.get((guild, user.id), (0.0, False))
        if now < until:
            return may
        server = self._client.get_guild(guild)
        try:
            member = await server.fetch_member(user.id) if server is not None else None
        except discord.NotFound:
            member = None
        may = member is not None and voters.allow(member.roles)
        self._may[guild, user.id] = now + ROLES_SECONDS, may
        return may

    def _channel(self, channel: int) -> discord.PartialMessageable:
        return self._client.get_partial_messageable(channel)

    async def _unarchive(self, channel: int) -> None:
        try:
            await self._client.http.edit_channel(channel, archived=False)
        except discord.Forbidden as error:
            # Reopening a locked thread needs the permission to manage threads.
            raise ThreadLocked(str(error)) from error

    def _named(self, channel: int, error: Exception) -> ChatError:
        """Turn an error of discord.py into a `ChatError`, with the remedy if known."""
        named = _kind(error)
        if not isinstance(named, NotAllowed):
            return named
        lacking = self.lacking(channel)
        if not lacking and getattr(error, "code", 0) == MISSING_ACCESS:
            # A channel that the bot may not see is not cached either.
            lacking = [PERMISSIONS["view_channel"]]
        if not lacking:
            return named
        names = ", ".join(f"**{one}**" for one in lacking)
        return NotAllowed(say(Text.CHAT_LACKS, permissions=names))


def _buttons(message: discord.Message) -> list[str]:
    """Return the ids of a message's buttons, in order."""
    return [
        item.custom_id
        for row in message.components
        if isinstance(row, discord.ActionRow)
        for item in row.children
        if item.custom_id is not None and item.custom_id.startswith(OURS)
    ]


def _kind(error: Exception) -> ChatError:
    if not isinstance(error, discord.HTTPException):
        return Unavailable(f"Discord cannot be reached: {error}")
    text = f"Discord says: {error.text or error.status} (code {error.code})"
    match error.code:
        case 10003 | 10004:  # unknown channel, unknown guild
            return ThreadGone(text)
        case 50083 | 160005:  # still archived or locked after reopening it
            return ThreadLocked(text)
        case 30046:  # too many edits of a message older than an hour
            return MessageTooOld(text)
    if error.status == 403:
        return NotAllowed(text)
    if error.status == 404:
        return MessageGone(text)
    if error.status >= 500 or error.status == 429:
        return Unavailable(text)
    return ChatError(text)
