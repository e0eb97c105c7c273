"""What people do in Discord, done in their names: write, react, run commands, press buttons.

Everything is checked as Discord's own client and server would check it, so a command that goes
through here would have gone through there.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import structlog
from simcord import interactions as simcord_interactions
from simcord.backend import serializers
from simcord.backend.access import reaction_permissions
from simcord.backend.command_access import command_access
from simcord.backend.errors import BackendError, SetupError

from bot.playground.feed import Feed
from bot.playground.forms import form_view, submission
from bot.playground.views import InteractionState, InteractionView, MessageView
from bot.playground.world import World

log = structlog.get_logger(__name__)

ANSWER_SECONDS = 3.0
"""How long Discord waits for a bot's first answer to an interaction."""

APPLICATION_COMMAND, MESSAGE_COMPONENT, FORM_SUBMIT = 2, 3, 5
BUTTON = 2
TEXT, INTEGER, BOOLEAN, USER, CHANNEL, NUMBER = 3, 4, 5, 6, 7, 10

MAX_EMOJI_CHARACTERS = 32
"""Longest emoji taken: joined ones (families, flags) are long; words are not emoji."""


class Refused(Exception):
    """What the person wanted cannot be done; the message says why, for people."""

    def __init__(self, message: str, *, status: int = 400) -> None:
        super().__init__(message)
        self.status = status


class Acting:
    """The people's side of the server."""

    def __init__(self, world: World, feed: Feed) -> None:
        self._world = world
        self._feed = feed
        self._deadlines: dict[int, asyncio.TimerHandle] = {}

    def close(self) -> None:
        """Stop waiting for answers."""
        for handle in self._deadlines.values():
            handle.cancel()
        self._deadlines.clear()

    # ------------------------------------------------------------------ writing and reacting

    def send(
        self, member_id: int, channel_id: int, content: str, reply_to: int | None = None
    ) -> MessageView:
        """Write a message as a member.

        Raises:
            Refused: there is no such person or channel, or it is not allowed there.
            BackendError: Discord would refuse the text.
        """
        channel = self._channel(channel_id)
        state = channel.thread_metadata
        if state is not None and state.archived:
            if state.locked:
                raise Refused("This thread is locked: nobody can write in it.", status=403)
            self._world.backend.edit_channel(channel_id, {}, thread_metadata={"archived": False})
        self._permit(
            member_id,
            channel_id,
            "send_messages_in_threads" if channel.is_thread else "send_messages",
        )
        reference = None
        if reply_to is not None:
            self._world.backend.get_message(channel_id, reply_to)
            reference = {"channel_id": str(channel_id), "message_id": str(reply_to)}
        if not content.strip():
            raise Refused("Write something first: Discord takes no empty messages.")
        message = self._world.backend.create_message(
            channel_id, member_id, content, reference=reference
        )
        return self._feed.message(channel_id, message.id)

    def react(
        self,
        member_id: int,
        channel_id: int,
        message_id: int,
        emoji: str,
        reacted: bool | None = None,
    ) -> MessageView:
        """Add or remove a reaction; without `reacted`, the opposite of what is there."""
        if not emoji.strip() or len(emoji) > MAX_EMOJI_CHARACTERS:
            raise Refused("That is not an emoji.")
        message = self._world.backend.get_message(channel_id, message_id)
        if not message.visible_to(member_id):
            raise Refused("There is no such message.", status=404)
        state = self._channel(channel_id).thread_metadata
        if state is not None and state.archived:
            raise Refused("This thread is archived; write in it to open it again.", status=403)
        if reacted is None:
            reaction = message.reaction_for(emoji)
            reacted = reaction is None or member_id not in reaction.user_ids
        self._permit(member_id, channel_id, *reaction_permissions(message, emoji, reacted=reacted))
        self._world.backend.set_reaction(channel_id, message_id, emoji, member_id, reacted)
        return self._feed.message(channel_id, message_id)

    # ------------------------------------------------------------------ interactions

    def run_command(
        self,
        member_id: int,
        channel_id: int,
        name: str,
        options: Mapping[str, Any],
        locale: str = "en-US",
    ) -> InteractionView:
        """Run a slash command. Option values are text as typed, or JSON of the right type.

        Raises:
            Refused: the bot is away, or there is no such command, or an option is wrong.
        """
        self._permit(member_id, channel_id, "use_application_commands")
        root_name, *path = name.split() or [""]
        root = self._world.backend.find_command(root_name, self._world.guild_id)
        if root is None:
            raise Refused(f"The bot has no command /{root_name}.", status=404)
        access = command_access(self._world.backend, root, user_id=member_id, channel_id=channel_id)
        if not access.allowed:
            raise Refused(f"You may not use /{name} here ({access.reason}).", status=403)
        try:
            leaf, nesting = simcord_interactions.walk_to_subcommand(root, path)
            built, resolved = self._options(name, leaf, options, channel_id, member_id)
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
        self, member_id: int, channel_id: int, message_id: int, custom_id: str
    ) -> InteractionView:
        """Press a button of a message.

        Raises:
            Refused: the message has no such button, or it is disabled.
        """
        self._permit(member_id, channel_id)
        message = self._world.backend.get_message(channel_id, message_id)
        buttons = [
            item
            for row in message.components
            for item in row.get("components") or ()
            if item.get("type") == BUTTON and item.get("custom_id") == custom_id
        ]
        if not buttons or not message.visible_to(member_id):
            raise Refused("The message has no such button any more.", status=404)
        if buttons[0].get("disabled"):
            raise Refused("That button is disabled.", status=403)
        data = {"custom_id": custom_id, "component_type": BUTTON}
        extra = {"message": dict(serializers.message_payload(self._world.backend, message))}
        return self._interact(
            MESSAGE_COMPONENT, member_id, channel_id, data, extra, source=message_id
        )

    def submit(
        self, member_id: int, interaction_id: int, values: Mapping[str, str]
    ) -> InteractionView:
        """Send the form that an interaction opened.

        Raises:
            Refused: there is no such form, or a field is wrong.
        """
        record = self._world.backend.interactions.get(interaction_id)
        if record is None or record.modal is None or record.user_id != member_id:
            raise Refused("There is no such form.", status=404)
        if record.modal_consumed:
            raise Refused("This form was sent already.", status=409)
        try:
            data = submission(record.modal, values, record.channel_id)
        except SetupError as error:
            raise Refused(f"{error}.") from error
        record.modal_consumed = True
        extra: dict[str, Any] = {}
        if record.source_message_id is not None:
            message = self._world.backend.get_message(record.channel_id, record.source_message_id)
            extra["message"] = dict(serializers.message_payload(self._world.backend, message))
        return self._interact(
            FORM_SUBMIT,
            member_id,
            record.channel_id,
            data,
            extra,
            command=record.command_name,
            source=record.source_message_id,
        )

    def interaction(self, interaction_id: int) -> InteractionView:
        """Return how an interaction stands.

        Raises:
            Refused: there is no such interaction.
        """
        record = self._world.backend.interactions.get(interaction_id)
        if record is None:
            raise Refused("There is no such interaction.", status=404)
        return self._view(record)

    def answered(self, token: str) -> None:
        """Note that the bot has answered an interaction, or changed its answer."""
        interaction_id = self._world.backend.interaction_tokens.get(token)
        if interaction_id is None:
            return
        record = self._world.backend.interactions[interaction_id]
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
            self._world.backend,
            type=kind,
            channel_id=channel_id,
            guild_id=self._world.guild_id,
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
        self._world.backend.emit("INTERACTION_CREATE", payload)
        return self._view(record)

    def _expire(self, interaction_id: int) -> None:
        self._deadlines.pop(interaction_id, None)
        record = self._world.backend.interactions[interaction_id]
        if not record.responded:
            log.info("playground_interaction_unanswered", command=record.command_name)
            self._feed.interaction(self._view(record, expired=True))

    def _view(self, record: Any, *, expired: bool = False) -> InteractionView:
        late = (
            record.initial_response_deadline is not None
            and self._world.backend.now_iso() >= record.initial_response_deadline
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
            form=form_view(record.modal) if record.modal and not record.modal_consumed else None,
        )

    # ------------------------------------------------------------------ options

    def _options(
        self,
        name: str,
        leaf: Mapping[str, Any],
        given: Mapping[str, Any],
        channel_id: int,
        member_id: int,
    ) -> tuple[list[dict[str, Any]], dict[str, Any]]:
        declared = {option["name"]: option for option in leaf.get("options") or ()}
        built: list[dict[str, Any]] = []
        resolved: dict[str, Any] = {}
        for key, raw in given.items():
            option = declared.get(key)
            if option is None:
                known = ", ".join(sorted(declared)) or "none"
                raise Refused(f"/{name} has no option “{key}”. It has: {known}.")
            if option["type"] in (USER, CHANNEL):
                value: Any = self._resolve(option, raw, resolved, member_id)
            elif option["type"] in (TEXT, INTEGER, NUMBER, BOOLEAN):
                value = simcord_interactions.parse_option_input(name, option, _typed(option, raw))
            else:
                raise Refused(f"The playground cannot fill in the option “{key}” of /{name}.")
            built.append({"name": key, "type": option["type"], "value": value})
        for key, option in declared.items():
            if option.get("required") and key not in given:
                raise Refused(f"/{name} needs the option “{key}”: {option.get('description')}")
        return built, resolved

    def _resolve(
        self, option: Mapping[str, Any], raw: object, resolved: dict[str, Any], member_id: int
    ) -> str:
        backend = self._world.backend
        wanted = int(str(raw)) if str(raw).isdecimal() else 0
        guild = backend.guilds[self._world.guild_id]
        if option["type"] == USER and wanted in guild.members:
            user = dict(serializers.user_payload(backend.users[wanted]))
            member = dict(
                serializers.member_payload(backend, guild, guild.members[wanted], with_user=False)
            )
            resolved.setdefault("users", {})[str(wanted)] = user
            resolved.setdefault("members", {})[str(wanted)] = member
        elif option["type"] == CHANNEL and wanted in backend.channels:
            channel = dict(serializers.channel_payload(backend, backend.channels[wanted]))
            permissions = backend.compute_permissions(guild.id, member_id, wanted)
            channel["permissions"] = str(permissions)
            resolved.setdefault("channels", {})[str(wanted)] = channel
        else:
            raise Refused(f"The option “{option['name']}” names nobody and nothing here.")
        return str(wanted)

    # ------------------------------------------------------------------ checks

    def _channel(self, channel_id: int) -> Any:
        channel = self._world.backend.channels.get(channel_id)
        if channel is None or channel.guild_id != self._world.guild_id:
            raise Refused("There is no such channel.", status=404)
        return channel

    def _permit(self, member_id: int, channel_id: int, *permissions: str) -> None:
        if member_id not in self._world.people.values():
            raise Refused("There is no such person here.", status=404)
        self._channel(channel_id)
        try:
            self._world.backend.require_permissions(
                self._world.guild_id, member_id, channel_id, *permissions
            )
        except BackendError as error:
            raise Refused("This person may not do that here.", status=403) from error


def _typed(option: Mapping[str, Any], raw: object) -> object:
    """Bring JSON numbers and typed yes or no into the form that SimCord parses."""
    if option["type"] == BOOLEAN:
        words = {"true": True, "yes": True, "false": False, "no": False}
        return words.get(raw.lower(), raw) if isinstance(raw, str) else raw
    if option["type"] in (INTEGER, NUMBER) and isinstance(raw, int | float):
        return raw if isinstance(raw, bool) else str(raw)
    return raw
