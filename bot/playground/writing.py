"""Actions of members that a bot need not answer: messages, reactions, threads, direct messages."""

from __future__ import annotations

from typing import Any

from simcord.backend.access import reaction_permissions

from bot.playground.access import Access, Refused
from bot.playground.views import ChannelView, MessageView

MAX_EMOJI_CHARACTERS = 32
"""Longest accepted emoji: joined ones (families, flags) are long, but words are not emoji."""

THREAD_NAME_MAX = 100
"""Longest name of a thread, as in Discord."""


class Writing(Access):
    """Actions on messages and threads.

    Every method raises `Refused` if the person, channel or message does not exist or the person has
    no permission, and SimCord's `BackendError` if Discord would refuse the content.
    """

    def send(
        self, member_id: int, channel_id: int, content: str, reply_to: int | None = None
    ) -> MessageView:
        """Send a message, which also reopens an archived thread."""
        channel = self._channel(channel_id)
        state = channel.thread_metadata
        if state is not None and state.archived:
            if state.locked:
                raise Refused("This thread is locked, so nobody can write in it.", status=403)
            self._guild.backend.edit_channel(channel_id, {}, thread_metadata={"archived": False})
        self._permit(
            member_id,
            channel_id,
            "send_messages_in_threads" if channel.is_thread else "send_messages",
        )
        reference = None
        if reply_to is not None:
            self._guild.backend.get_message(channel_id, reply_to)
            reference = {"channel_id": str(channel_id), "message_id": str(reply_to)}
        _require_text(content)
        message = self._guild.backend.create_message(
            channel_id, member_id, content, reference=reference
        )
        return self._feed.message(channel_id, message.id)

    def edit(self, member_id: int, channel_id: int, message_id: int, content: str) -> MessageView:
        """Edit one of the member's own messages."""
        self._permit(member_id, channel_id)
        self._require_open(channel_id)
        if self._message(member_id, channel_id, message_id).author_id != member_id:
            raise Refused("Only the author of a message can edit it.", status=403)
        _require_text(content)
        self._guild.backend.edit_message(channel_id, message_id, {"content": content})
        return self._feed.message(channel_id, message_id)

    def delete(self, member_id: int, channel_id: int, message_id: int) -> MessageView:
        """Delete a message and return its last state.

        Members can delete their own messages; with Manage Messages, those of others too.
        """
        self._permit(member_id, channel_id)
        message = self._message(member_id, channel_id, message_id)
        if message.author_id != member_id:
            if self._channel(channel_id).guild_id is None:
                raise Refused("Nobody can delete another person's direct message.", status=403)
            self._permit(member_id, channel_id, "manage_messages")
        view = self._feed.message(channel_id, message_id)
        self._guild.backend.delete_message(channel_id, message_id)
        return view

    def react(
        self,
        member_id: int,
        channel_id: int,
        message_id: int,
        emoji: str,
        reacted: bool | None = None,
    ) -> MessageView:
        """Add or remove a reaction; if `reacted` is None, toggle it."""
        if not emoji.strip() or len(emoji) > MAX_EMOJI_CHARACTERS:
            raise Refused("That is not an emoji.")
        message = self._message(member_id, channel_id, message_id)
        self._require_open(channel_id)
        if reacted is None:
            reaction = message.reaction_for(emoji)
            reacted = reaction is None or member_id not in reaction.user_ids
        self._permit(member_id, channel_id, *reaction_permissions(message, emoji, reacted=reacted))
        self._guild.backend.set_reaction(channel_id, message_id, emoji, member_id, reacted)
        return self._feed.message(channel_id, message_id)

    def clear_reactions(self, member_id: int, channel_id: int, message_id: int) -> MessageView:
        """Remove everybody's reactions from a message; this needs Manage Messages."""
        self._permit(member_id, channel_id, "manage_messages")
        self._message(member_id, channel_id, message_id)
        self._require_open(channel_id)
        self._guild.backend.clear_reactions(channel_id, message_id)
        return self._feed.message(channel_id, message_id)

    # ------------------------------------------------------------------ threads

    def change_thread(
        self,
        member_id: int,
        channel_id: int,
        *,
        name: str | None = None,
        archived: bool | None = None,
        locked: bool | None = None,
    ) -> ChannelView:
        """Rename, archive, reopen, lock or unlock a thread; this needs Manage Threads."""
        self._permit(member_id, channel_id, "manage_threads")
        if not self._channel(channel_id).is_thread:
            raise Refused("That is not a thread.")
        changes: dict[str, Any] = {}
        if name is not None:
            if not 1 <= len(name.strip()) <= THREAD_NAME_MAX:
                raise Refused(f"A thread's name must have 1 to {THREAD_NAME_MAX} characters.")
            changes["name"] = name.strip()
        states = {"archived": archived, "locked": locked}
        self._guild.backend.edit_channel(
            channel_id,
            changes,
            thread_metadata={key: value for key, value in states.items() if value is not None},
        )
        return self._feed.channel(channel_id)

    def delete_thread(self, member_id: int, channel_id: int) -> ChannelView:
        """Delete a thread with all its messages and return its last state."""
        self._permit(member_id, channel_id, "manage_threads")
        if not self._channel(channel_id).is_thread:
            raise Refused("That is not a thread.")
        view = self._feed.channel(channel_id)
        self._guild.backend.delete_channel(channel_id)
        return view

    def open_direct(self, member_id: int) -> ChannelView:
        """Return a person's direct messages with the bot, opening them if needed."""
        if member_id not in self._guild.people.values():
            raise Refused("There is no such person here.", status=404)
        channel = self._guild.backend.get_dm_channel(member_id)
        return self._feed.direct_opened(channel.id)


def _require_text(content: str) -> None:
    if not content.strip():
        raise Refused("Write something first: Discord does not accept empty messages.")
