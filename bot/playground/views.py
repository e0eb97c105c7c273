"""Views: the data types of the control interface's JSON.

They describe what a person sees in Discord, not how Discord's API represents it. Ids are snowflakes
as decimal strings, because JavaScript numbers cannot hold them. Times are ISO 8601 in UTC.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict


class View(BaseModel):
    """Base of all views: immutable, and ignores fields that a newer server adds."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class Person(View):
    """A member of the server. `bot` marks the bot; `owner` may do everything."""

    id: str
    name: str
    bot: bool = False
    owner: bool = False
    roles: list[str] = []
    """Names of the roles that this person has, besides everyone's."""


class RoleView(View):
    """A role of the server; the role @everyone has the server's id."""

    id: str
    name: str


class ChannelView(View):
    """A channel, a thread (with a `parent_id`) or a person's direct messages (`only_for`).

    A thread opened from a message has that message's id.
    """

    id: str
    name: str
    topic: str | None = None
    parent_id: str | None = None
    archived: bool = False
    locked: bool = False
    only_for: str | None = None
    message_count: int = 0
    last_message_id: str | None = None


class AttachmentView(View):
    """A file. `url` is relative to the page's server; `size` is in bytes."""

    id: str
    filename: str
    size: int
    url: str
    content_type: str
    description: str | None = None


class ReactionView(View):
    """The people who reacted with one emoji, in the order of their reactions."""

    emoji: str
    user_ids: list[str]


class EmbedField(View):
    """One named field of an embed."""

    name: str
    value: str
    inline: bool = False


class EmbedView(View):
    """A framed box in a message. `color` is 0xRRGGBB; URLs of images are as sent."""

    title: str | None = None
    description: str | None = None
    url: str | None = None
    color: int | None = None
    author: str | None = None
    footer: str | None = None
    image: str | None = None
    thumbnail: str | None = None
    timestamp: str | None = None
    fields: list[EmbedField] = []


class ButtonView(View):
    """A button. `style` is Discord's number; a link button has `url` and no `custom_id`."""

    label: str
    style: int
    custom_id: str | None = None
    url: str | None = None
    emoji: str | None = None
    disabled: bool = False


class MenuOption(View):
    """One option of a menu."""

    label: str
    value: str
    description: str | None = None
    chosen: bool = False


class MenuView(View):
    """A menu. `row` is its row's number among the message's rows of components.

    `kind` states what can be chosen: the menu's own `options`, or people or channels of the server.
    """

    custom_id: str
    row: int
    kind: Literal["options", "people", "channels"]
    placeholder: str | None = None
    least: int = 1
    most: int = 1
    disabled: bool = False
    options: list[MenuOption] = []


class CausedBy(View):
    """The slash command that a message answers."""

    interaction_id: str
    command: str | None = None
    user_id: str
    user_name: str


class Pings(View):
    """The people and roles that a message notified; the bot promises to notify nobody."""

    everyone: bool
    user_ids: list[str]
    role_ids: list[str]


class MessageView(View):
    """A message as a person sees it.

    `loading` is Discord's "is thinking"; `only_for` is the id of the one person who can see an
    ephemeral message; `kind` is `system` for Discord's own notices, such as pins.
    """

    id: str
    channel_id: str
    author: Person
    content: str
    timestamp: str
    edited_timestamp: str | None = None
    kind: Literal["message", "system"] = "message"
    loading: bool = False
    only_for: str | None = None
    reply_to: str | None = None
    caused_by: CausedBy | None = None
    thread_id: str | None = None
    embeds: list[EmbedView] = []
    buttons: list[list[ButtonView]] = []
    """By row; a row that holds a menu has no buttons."""
    menus: list[MenuView] = []
    attachments: list[AttachmentView] = []
    reactions: list[ReactionView] = []
    pings: Pings


class Choice(View):
    """One of the values that an option allows."""

    name: str
    value: str | int | float
    name_localizations: dict[str, str] = {}


class OptionView(View):
    """An option of a command. `type` is Discord's number: 3 text, 4 integer, 5 yes or no, ..."""

    name: str
    description: str
    type: int
    required: bool = False
    choices: list[Choice] = []
    min_value: float | None = None
    max_value: float | None = None
    min_length: int | None = None
    max_length: int | None = None
    name_localizations: dict[str, str] = {}
    description_localizations: dict[str, str] = {}


class CommandView(View):
    """A slash command. `name` is as typed, so subcommands contain spaces.

    `in_server` and `in_direct` state where it works: in channels and threads, in direct messages.
    """

    name: str
    description: str
    in_server: bool = True
    in_direct: bool = True
    options: list[OptionView] = []
    name_localizations: dict[str, str] = {}
    description_localizations: dict[str, str] = {}


InteractionState = Literal["waiting", "answered", "failed"]


class FieldView(View):
    """A text field of a modal."""

    custom_id: str
    label: str
    long: bool
    required: bool
    max_length: int | None = None
    placeholder: str | None = None
    value: str | None = None


class ModalView(View):
    """A modal (a form) that the bot opened for one person."""

    title: str
    fields: list[FieldView]


class InteractionView(View):
    """A command that was run, a button that was pressed or a modal that was submitted.

    It fails if the bot does not answer within Discord's three seconds.
    """

    id: str
    channel_id: str
    user_id: str
    command: str | None = None
    state: InteractionState
    message_id: str | None = None
    modal: ModalView | None = None
    """The modal that the bot answered with, until it is submitted."""


class Snapshot(View):
    """The complete state after event number `seq`."""

    type: Literal["snapshot"] = "snapshot"
    seq: int
    guild: str
    channel_id: str
    bot_id: str
    bot_online: bool
    people: list[Person]
    roles: list[RoleView] = []
    channels: list[ChannelView]
    commands: list[CommandView]
    messages: list[MessageView]


class Event(View):
    """One change; `type` determines which fields are set.

    `message` and `channel` carry the whole state of something new or changed, `message_deleted` and
    `channel_deleted` carry ids. `bot` states whether it is `online`, `commands` lists all commands,
    `typing` has a user and a channel, and `interaction` carries an interaction's state.
    """

    type: Literal[
        "message",
        "message_deleted",
        "channel",
        "channel_deleted",
        "bot",
        "commands",
        "typing",
        "interaction",
    ]
    seq: int
    message: MessageView | None = None
    channel: ChannelView | None = None
    interaction: InteractionView | None = None
    commands: list[CommandView] | None = None
    channel_id: str | None = None
    message_id: str | None = None
    user_id: str | None = None
    online: bool | None = None

    def payload(self) -> dict[str, Any]:
        """Return the event as JSON data, without unused fields."""
        # Drop null only at the top level: within a message it has a meaning.
        return {key: value for key, value in self.model_dump().items() if value is not None}
