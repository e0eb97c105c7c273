"""Permission checks for the people of the server, by Discord's rules."""

from __future__ import annotations

from typing import Any

from simcord.backend.errors import BackendError

from bot.playground.feed import Feed
from bot.playground.guild import Guild


class Refused(Exception):
    """The person cannot do this; the message, which is shown to them, says why."""

    def __init__(self, message: str, *, status: int = 400) -> None:
        super().__init__(message)
        self.status = status


class Access:
    """The checks that every action of a member must pass first."""

    def __init__(self, guild: Guild, feed: Feed) -> None:
        self._guild = guild
        self._feed = feed

    def _channel(self, channel_id: int) -> Any:
        channel = self._guild.backend.channels.get(channel_id)
        if channel is None or channel.guild_id not in (self._guild.id, None):
            raise Refused("There is no such channel.", status=404)
        return channel

    def _permit(self, member_id: int, channel_id: int, *permissions: str) -> None:
        """Check that the person exists and has these permissions in the channel.

        Raises:
            Refused: the person or the channel does not exist, or a permission is missing.
        """
        if member_id not in self._guild.people.values():
            raise Refused("There is no such person here.", status=404)
        channel = self._channel(channel_id)
        try:
            self._guild.backend.require_permissions(
                channel.guild_id, member_id, channel_id, *permissions
            )
        except BackendError as error:
            raise Refused(
                "This person does not have permission to do that here.", status=403
            ) from error

    def _require_open(self, channel_id: int) -> None:
        state = self._channel(channel_id).thread_metadata
        if state is not None and state.archived:
            raise Refused("This thread is archived. Write in it to reopen it.", status=403)

    def _message(self, member_id: int, channel_id: int, message_id: int) -> Any:
        """Return a message that this person can see."""
        message = self._guild.backend.get_message(channel_id, message_id)
        if not message.visible_to(member_id):
            raise Refused("There is no such message.", status=404)
        return message
