"""Actions of members that a bot has to answer in time: commands, buttons, menus and modals."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

import structlog
from simcord import interactions as simcord_interactions
from simcord.backend import serializers
from simcord.backend.command_access import command_access
from simcord.backend.errors import SetupError
from simcord.components import walk_components

from bot.playground.access import Access, Refused
from bot.playground.feed import Feed
from bot.playground.guild import Guild
from bot.playground.modals import modal_view, submission
from bot.playground.options import Options
from bot.playground.render import BUTTON_TYPE as BUTTON
from bot.playground.render import MENU_KINDS
from bot.playground.views import InteractionState, InteractionView

log = structlog.get_logger(__name__)

ANSWER_SECONDS = 3.0
"""How long Discord waits for a bot's first answer to an interaction."""

APPLICATION_COMMAND, MESSAGE_COMPONENT, MODAL_SUBMIT = 2, 3, 5


class Interacting(Access):
    """Starts interactions and follows whether the bot answers them in time."""

    def __init__(self, guild: Guild, feed: Feed) -> None:
        super().__init__(guild, feed)
        self._options = Options(guild)
        self._deadlines: dict[int, asyncio.TimerHandle] = {}

    def close(self) -> None:
        """Stop all timers for answers."""
        for handle in self._deadlines.values():
            handle.cancel()
        self._deadlines.clear()

    def run_command(
        self,
        member_id: int,
        channel_id: int,
        name: str,
        options: Mapping[str, Any],
        locale: str = "en-US",
    ) -> InteractionView:
        """Run a slash command. Option values are typed text, or JSON of the right type.

        Raises:
            Refused: the bot has no such command, the member may not use it, or an option is wrong.
        """
        self._permit(member_id, channel_id, "use_application_commands")
        root_name, *path = name.split() or [""]
        root = self._guild.backend.find_command(root_name, self._guild.id)
        if root is None:
            raise Refused(f"The bot has no command /{root_name}.", status=404)
        access = command_access(self._guild.backend, root, user_id=member_id, channel_id=channel_id)
        if not access.allowed:
            raise Refused(f"You cannot use /{name} here ({access.reason}).", status=403)
        try:
            leaf, nesting = simcord_interactions.walk_to_subcommand(root, path)
            built, resolved = self._options.of_command(name, leaf, options, member_id)
        except SetupError as error:
            raise Refused(f"{error}.".replace("..", ".")) from error
        data: dict[str, Any] = {"id": root["id"], "name": root["name"], "type": 1}
        data["options"] = simcord_interactions.nest_options(root, nesting, built)
        if resolved:
            data["resolved"] = resolved
        return self._interact(
            APPLICATION_COMMAND, member_id, channel_id, data, {"locale": locale}, command=name
        )

    def press(
        self,
        member_id: int,
        channel_id: int,
        message_id: int,
        custom_id: str,
        values: Sequence[str] | None = None,
    ) -> InteractionView:
        """Press a button of a message or, if `values` is given, choose these in a menu of it.

        Raises:
            Refused: the message has no such button or menu, it is disabled, or a value is wrong.
        """
        self._permit(member_id, channel_id)
        message = self._guild.backend.get_message(channel_id, message_id)
        kinds = (BUTTON,) if values is None else tuple(MENU_KINDS)
        found = [
            item
            for item in walk_components(message.components)
            if item.get("type") in kinds and item.get("custom_id") == custom_id
        ]
        what = "button" if values is None else "menu"
        if not found or not message.visible_to(member_id):
            raise Refused(f"The message no longer has this {what}.", status=404)
        if found[0].get("disabled"):
            raise Refused(f"This {what} is disabled.", status=403)
        data = {"custom_id": custom_id, "component_type": BUTTON}
        if values is not None:
            data = self._options.of_menu(found[0], values, member_id)
        extra = {"message": dict(serializers.message_payload(self._guild.backend, message))}
        return self._interact(
            MESSAGE_COMPONENT, member_id, channel_id, data, extra, source=message_id
        )

    def submit(
        self, member_id: int, interaction_id: int, values: Mapping[str, str]
    ) -> InteractionView:
        """Submit the modal that an interaction opened.

        Raises:
            Refused: the modal does not exist or was already submitted, or a field is wrong.
        """
        record = self._guild.backend.interactions.get(interaction_id)
        if record is None or record.modal is None or record.user_id != member_id:
            raise Refused("There is no such form.", status=404)
        if record.modal_consumed:
            raise Refused("This form was already sent.", status=409)
        try:
            data = submission(record.modal, values, record.channel_id)
        except SetupError as error:
            raise Refused(f"{error}.") from error
        record.modal_consumed = True
        extra: dict[str, Any] = {}
        if record.source_message_id is not None:
            message = self._guild.backend.get_message(record.channel_id, record.source_message_id)
            extra["message"] = dict(serializers.message_payload(self._guild.backend, message))
        return self._interact(
            MODAL_SUBMIT,
            member_id,
            record.channel_id,
            data,
            extra,
            command=record.command_name,
            source=record.source_message_id,
        )

    def interaction(self, interaction_id: int) -> InteractionView:
        """Return the state of an interaction.

        Raises:
            Refused: the interaction does not exist.
        """
        record = self._guild.backend.interactions.get(interaction_id)
        if record is None:
            raise Refused("There is no such interaction.", status=404)
        return self._view(record)

    def answered(self, token: str) -> None:
        """Record that the bot has answered an interaction or changed its answer."""
        interaction_id = self._guild.backend.interaction_tokens.get(token)
        if interaction_id is None:
            return
        record = self._guild.backend.interactions[interaction_id]
        handle = self._deadlines.pop(interaction_id, None)
        if handle is not None:
            handle.cancel()
        self._feed.interaction_answered(record)
        self._feed.interaction(self._view(record))

    def _interact(
        self,
        kind: int,
        member_id: int,
        channel_id: int,
        data: dict[str, Any],
        extra: dict[str, Any],
        *,
        command: str | None = None,
        source: int | None = None,
    ) -> InteractionView:
        record, payload = simcord_interactions.base_payload(
            self._guild.backend,
            type=kind,
            channel_id=channel_id,
            guild_id=self._channel(channel_id).guild_id,
            user_id=member_id,
            data=data,
        )
        payload.update({"locale": "en-US", **extra})
        record.source_message_id = source
        record.command_name = command
        self._deadlines[record.id] = asyncio.get_running_loop().call_later(
            ANSWER_SECONDS, self._expire, record.id
        )
        self._feed.interaction(self._view(record))
        self._guild.backend.emit("INTERACTION_CREATE", payload)
        return self._view(record)

    def _expire(self, interaction_id: int) -> None:
        self._deadlines.pop(interaction_id, None)
        record = self._guild.backend.interactions[interaction_id]
        if not record.responded:
            log.info("playground_interaction_unanswered", command=record.command_name)
            self._feed.interaction(self._view(record, expired=True))

    def _view(self, record: Any, *, expired: bool = False) -> InteractionView:
        late = (
            record.initial_response_deadline is not None
            and self._guild.backend.now_iso() >= record.initial_response_deadline
        )
        state: InteractionState = "waiting"
        if record.responded:
            state = "answered"
        elif expired or late:
            state = "failed"
        return InteractionView(
            id=str(record.id),
            channel_id=str(record.channel_id),
            user_id=str(record.user_id),
            command=record.command_name,
            state=state,
            message_id=str(record.message_id) if record.message_id else None,
            modal=modal_view(record.modal) if record.modal and not record.modal_consumed else None,
        )
