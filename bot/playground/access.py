"""Who may do what: Discord's permissions, asked for the people one acts as."""

from __future__ import annotations

from typing import Any

from simcord.backend.errors import BackendError

from bot.playground.feed import Feed
from bot.playground.guild import Guild


class Refused(Exception):
    """What the person wanted cannot be done; the message says why, for people."""

    def __init__(self, message: str, *, status: int = 400) -> None:
        super().__init__(message)
        self.status = status


class Access:
    """The checks before anything is done in somebody's name."""

    def __init__(self, guild: Guild, feed: Feed) -> None:
        self._guild = guild
        self._feed = feed

    def _channel(self, channel_id: int) -> Any:
        channel = self._guild.backend.channels.get(channel_id)
        if channel is None or channel.guild_id not in (self._guild.id, None):
            raise Refused("There is no such channel.", status=404)
        return channel

    def _permit(self, member_id: int, channel_id: int, *permissions: str) -> None:
        """Check that there is such a person, who may do this there.

        Raises:
            Refused: not so.
        """
        if member_id not in self._guild.people.values():
            raise Refused("There is no such person here.", status=404)
        channel = self._channel(channel_id)
        try:
            self._guild.backend.require_permissions(
                channel.guild_id, member_id, channel_id, *permissions
            )
        except BackendError as error:
            raise Refused("This person may not do that here.", status=403) from error

    def _require_open(self, channel_id: int) -> None:
        state = self._channel(channel_id).thread_metadata
        if state is not None and state.archived:
            raise Refused("This thread is archived; write in it to open it again.", status=403)

    def _message(self, member_id: int, channel_id: int, message_id: int) -> Any:
        """Return a message that this person sees."""
        message = self._guild.backend.get_message(channel_id, message_id)
        if not message.visible_to(member_id):
            raise Refused("There is no such message.", status=404)
        return message
