"""Conversion of SimCord's models to views: what a person sees of a message or a channel."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from simcord.enums import ChannelType, MessageType
from simcord.interactions import command_leaves

from bot.playground.guild import Guild
from bot.playground.views import (
    AttachmentView,
    ButtonView,
    CausedBy,
    ChannelView,
    Choice,
    CommandView,
    EmbedField,
    EmbedView,
    MenuOption,
    MenuView,
    MessageView,
    OptionView,
    Person,
    Pings,
    ReactionView,
    RoleView,
)

LOADING_FLAG = 1 << 7
BUTTON_TYPE, STRING_SELECT, USER_SELECT, CHANNEL_SELECT = 2, 3, 5, 8
MENU_KINDS: Mapping[int, Literal["options", "people", "channels"]] = {
    STRING_SELECT: "options",
    USER_SELECT: "people",
    CHANNEL_SELECT: "channels",
}
CHAT_INPUT = 1

_PEOPLES_MESSAGES = {
    MessageType.DEFAULT,
    MessageType.REPLY,
    MessageType.CHAT_INPUT_COMMAND,
    MessageType.CONTEXT_MENU_COMMAND,
}


def person_view(guild: Guild, user_id: int) -> Person:
    """Return the view of a member; someone who has left keeps the name."""
    user = guild.backend.users[user_id]
    server = guild.backend.guilds[guild.id]
    member = server.members.get(user_id)
    return Person(
        id=str(user_id),
        name=user.name,
        bot=user.bot,
        owner=server.owner_id == user_id,
        roles=[name for name, role in guild.roles.items() if member and role in member.role_ids],
    )


def role_views(guild: Guild) -> list[RoleView]:
    """Return the views of the roles that can be chosen."""
    everyone = RoleView(id=str(guild.id), name="@everyone")
    return [everyone, *(RoleView(id=str(key), name=name) for name, key in guild.roles.items())]


def channel_view(guild: Guild, channel: Any) -> ChannelView | None:
    """Return the view of a text channel, a thread or direct messages; None for other kinds."""
    direct = channel.type == ChannelType.DM
    if not channel.is_thread and not direct and channel.type != ChannelType.TEXT:
        return None
    state = channel.thread_metadata
    return ChannelView(
        id=str(channel.id),
        name=guild.backend.bot_user.name if direct else channel.name or "",
        topic=channel.topic,
        parent_id=str(channel.parent_id) if channel.is_thread else None,
        archived=state is not None and state.archived,
        locked=state is not None and state.locked,
        only_for=str(channel.recipient_ids[0]) if direct and channel.recipient_ids else None,
        message_count=channel.message_count,
        last_message_id=str(channel.last_message_id) if channel.last_message_id else None,
    )


def message_view(guild: Guild, message: Any, *, edited: bool) -> MessageView:
    """Return the view of a message. `edited` states whether people see the edited mark."""
    backend = guild.backend
    meta = message.interaction_metadata
    author = person_view(guild, message.author_id)
    if message.author_name is not None:
        author = author.model_copy(update={"name": message.author_name})
    caused_by = None
    if meta is not None:
        caused_by = CausedBy(
            interaction_id=str(meta["id"]),
            command=meta.get("name"),
            user_id=str(meta["user"]["id"]),
            user_name=meta["user"]["username"],
        )
    thread = backend.channels.get(message.id)
    return MessageView(
        id=str(message.id),
        channel_id=str(message.channel_id),
        author=author,
        content=message.content,
        timestamp=message.timestamp,
        edited_timestamp=message.edited_timestamp if edited else None,
        kind="message" if message.type in _PEOPLES_MESSAGES else "system",
        loading=bool(message.flags & LOADING_FLAG and meta is not None),
        only_for=caused_by.user_id if message.is_ephemeral and caused_by is not None else None,
        reply_to=_reply_target(message),
        caused_by=caused_by,
        thread_id=str(message.id) if thread is not None and thread.is_thread else None,
        embeds=[_embed_view(embed, message.attachments) for embed in message.embeds],
        buttons=_buttons(message.components),
        menus=_menus(message.components),
        attachments=[
            AttachmentView(
                id=item["id"],
                filename=item["filename"],
                size=item["size"],
                url=_path(item["url"], guild),
                content_type=item["content_type"],
                description=item.get("description"),
            )
            for item in message.attachments
        ],
        reactions=[
            ReactionView(emoji=r.emoji, user_ids=[str(user_id) for user_id in r.user_ids])
            for r in message.reactions
            if r.user_ids
        ],
        pings=Pings(
            everyone=message.mention_everyone,
            user_ids=[str(user_id) for user_id in message.ping_user_ids],
            role_ids=[str(role_id) for role_id in message.ping_role_ids],
        ),
    )


def _reply_target(message: Any) -> str | None:
    reference = message.reference
    if reference is None or reference.get("type", 0) != 0:
        return None
    return str(reference["message_id"])


def _path(url: str, guild: Guild) -> str:
    """Make a URL of this server relative, so that the page works under any of its host names."""
    return url.removeprefix(guild.attachments.base_url)


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def _nested(embed: Mapping[str, Any], key: str, field: str) -> str | None:
    value = embed.get(key)
    return _text(value.get(field)) if isinstance(value, Mapping) else None


def _embed_view(embed: Mapping[str, Any], attachments: list[dict[str, Any]]) -> EmbedView:
    color = embed.get("color")
    images: dict[str, str | None] = {}
    for key in ("image", "thumbnail"):
        url = _nested(embed, key, "url")
        if url is not None and url.startswith("attachment://"):
            name = url.removeprefix("attachment://")
            urls = [item["url"] for item in attachments if item["filename"] == name]
            url = urls[0] if urls else None
        images[key] = url
    return EmbedView(
        title=_text(embed.get("title")),
        description=_text(embed.get("description")),
        url=_text(embed.get("url")),
        color=color if isinstance(color, int) else None,
        author=_nested(embed, "author", "name"),
        footer=_nested(embed, "footer", "text"),
        image=images["image"],
        thumbnail=images["thumbnail"],
        timestamp=_text(embed.get("timestamp")),
        fields=[
            EmbedField(
                name=str(field.get("name", "")),
                value=str(field.get("value", "")),
                inline=bool(field.get("inline", False)),
            )
            for field in embed.get("fields") or ()
        ],
    )


def _buttons(components: list[dict[str, Any]]) -> list[list[ButtonView]]:
    rows = [
        [
            ButtonView(
                label=str(item.get("label") or ""),
                style=int(item.get("style", 2)),
                custom_id=_text(item.get("custom_id")),
                url=_text(item.get("url")),
                emoji=_nested(item, "emoji", "name"),
                disabled=bool(item.get("disabled", False)),
            )
            for item in row.get("components") or ()
            if item.get("type") == BUTTON_TYPE
        ]
        for row in components
    ]
    return rows if any(rows) else []


def _menus(components: list[dict[str, Any]]) -> list[MenuView]:
    return [
        MenuView(
            custom_id=str(item["custom_id"]),
            row=number,
            kind=MENU_KINDS[item["type"]],
            placeholder=_text(item.get("placeholder")),
            least=int(item.get("min_values", 1)),
            most=int(item.get("max_values", 1)),
            disabled=bool(item.get("disabled", False)),
            options=[
                MenuOption(
                    label=str(option.get("label") or ""),
                    value=str(option.get("value") or ""),
                    description=_text(option.get("description")),
                    chosen=bool(option.get("default", False)),
                )
                for option in item.get("options") or ()
            ],
        )
        for number, row in enumerate(components)
        for item in row.get("components") or ()
        if item.get("type") in MENU_KINDS
    ]


def command_views(guild: Guild) -> list[CommandView]:
    """Return the views of all slash commands in the bot's order, one for each subcommand.

    A server command hides a global one of the same name, as in Discord.
    """
    views: dict[str, CommandView] = {}
    for scope in (guild.id, None):
        for command in guild.backend.commands.get(scope, {}).values():
            if command.get("type", CHAT_INPUT) != CHAT_INPUT:
                continue
            for path, leaf in command_leaves(command):
                view = _command_view(" ".join(path), leaf)
                where = command.get("contexts")
                direct = command.get("dm_permission", True) if where is None else 1 in where
                views.setdefault(
                    view.name,
                    view.model_copy(
                        update={
                            "in_server": where is None or 0 in where,
                            "in_direct": scope is None and direct is not False,
                        }
                    ),
                )
    return list(views.values())


def _command_view(name: str, leaf: Mapping[str, Any]) -> CommandView:
    # A subcommand's localized name would have to be joined with its parents' names, so
    # subcommands keep the plain name.
    names = {} if " " in name else leaf.get("name_localizations") or {}
    return CommandView(
        name=name,
        description=leaf.get("description") or "",
        name_localizations=names,
        description_localizations=leaf.get("description_localizations") or {},
        options=[
            OptionView(
                name=option["name"],
                description=option.get("description") or "",
                type=option["type"],
                required=bool(option.get("required", False)),
                choices=[
                    Choice(
                        name=choice["name"],
                        value=choice["value"],
                        name_localizations=choice.get("name_localizations") or {},
                    )
                    for choice in option.get("choices") or ()
                ],
                min_value=option.get("min_value"),
                max_value=option.get("max_value"),
                min_length=option.get("min_length"),
                max_length=option.get("max_length"),
                name_localizations=option.get("name_localizations") or {},
                description_localizations=option.get("description_localizations") or {},
            )
            for option in leaf.get("options") or ()
        ],
    )
