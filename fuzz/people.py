"""The user's side of the playground: what its page sends."""

from __future__ import annotations

import json
from typing import Any

from pydantic import ValidationError
from simcord.backend.errors import BackendError

from bot.playground.control import _Button, _Command, _Message, _Modal, _Reaction
from bot.playground.feed import Feed
from bot.playground.guild import Guild
from bot.playground.members import Members, Refused
from bot.playground.wire.rest import MALFORMED
from bot.playground.wire.rules import Rules
from fuzz.choices import Choices
from fuzz.loop import LOOP
from fuzz.wire import value

OPTION_TYPES = (3, 4, 5, 6, 7, 8, 10)
COMMANDS = [
    {
        "name": "plan",
        "description": "all kinds of options",
        "options": [
            {"name": f"o{kind}", "type": kind, "description": "an option", "required": kind == 3}
            for kind in OPTION_TYPES
        ],
    },
    {
        "name": "tree",
        "description": "with parts",
        "options": [
            {"name": "look", "type": 1, "description": "a part", "options": [
                {"name": "depth", "type": 4, "description": "a number", "min_value": 0,
                 "max_value": 3},
                {"name": "care", "type": 3, "description": "a choice",
                 "choices": [{"name": "much", "value": "much"}]},
            ]},
        ],
    },
    {"name": "bare", "description": "nothing"},
]  # fmt: skip
FORM = {
    "title": "Ask",
    "custom_id": "ask",
    "components": [
        {"type": 1, "components": [
            {"type": 4, "custom_id": "goal", "label": "Goal", "style": 2, "min_length": 1,
             "max_length": 50, "required": True},
        ]},
        {"type": 18, "label": "Why", "component":
            {"type": 4, "custom_id": "why", "style": 1, "required": False, "max_length": 10}},
    ],
}  # fmt: skip
BUTTONS = [
    {"type": 1, "components": [
        {"type": 2, "style": 1, "custom_id": "yes", "label": "Yes"},
        {"type": 2, "style": 2, "custom_id": "no", "label": "No", "disabled": True},
    ]},
]  # fmt: skip
WORDS = (
    "plan", "tree look", "tree", "tree look more", "bare", "bare x", "", " ", "/", "yes", "no",
    "\u2705",
    "\U0001f44d", "a:1", "<:a:1>", "text", "0", "-1", "9" * 30, "true", "yes", "x" * 2_100,
    "\ud83d", "\x00",
    "@everyone", "much", "3", "1e9", "NaN",
)  # fmt: skip
OPTIONS = (*(f"o{kind}" for kind in OPTION_TYPES), "depth", "care", "look", "none")
MODELS: tuple[Any, ...] = (_Message, _Reaction, _Command, _Button, _Modal)


def control(data: bytes) -> None:
    """Any request to the page's interface is carried out, or refused with a sentence."""
    LOOP.run_until_complete(_control(Choices(data)))


async def _control(choices: Choices) -> None:
    guild = Guild()
    feed = Feed(guild, lambda: True)
    members = Members(guild, feed)
    rules = Rules(guild.backend, guild.bot_id)
    rules.dispatch("PUT", f"/applications/{guild.bot_id}/commands", body=COMMANDS, params={},
                   files=[], reason=None)  # fmt: skip
    sent = rules.dispatch("POST", f"/channels/{guild.channel_id}/messages",
                          body={"content": "hello", "components": BUTTONS}, params={}, files=[],
                          reason=None)  # fmt: skip
    asked = members.press(
        next(iter(guild.people.values())), guild.channel_id, int(sent["id"]), "yes"
    )
    _open_modal(rules, guild, int(asked.id))
    try:
        for _ in range(6):
            if not choices.left:
                return
            _act(choices, guild, members, rules, int(sent["id"]), int(asked.id))
            feed.snapshot().model_dump_json()
    finally:
        members.close()


def _open_modal(rules: Rules, guild: Guild, interaction: int) -> None:
    """Answer an interaction with a form, as the bot does."""
    token = guild.backend.interactions[interaction].token
    rules.dispatch("POST", f"/interactions/{interaction}/{token}/callback",
                   body={"type": 9, "data": FORM}, params={}, files=[], reason=None)  # fmt: skip


def _act(
    choices: Choices, guild: Guild, members: Members, rules: Rules, message: int, asked: int
) -> None:
    ids = tuple(guild.people.values())
    raw: dict[str, Any] = {"member_id": str(choices.pick((*ids, 0, 10**19)))}
    model = choices.pick(MODELS)
    if model is not _Modal:
        raw["channel_id"] = str(choices.pick((guild.channel_id, guild.channel_id, 0, message)))
    word: Any = choices.text(40) if choices.chance(3) else choices.pick(WORDS)
    if model in (_Reaction, _Button):
        raw["message_id"] = str(choices.pick((message, message, 0)))
    given: Any = {
        choices.pick(OPTIONS): choices.pick((choices.pick(WORDS), choices.byte(), True, 1.5))
        for _ in range(choices.byte() % 4)
    }
    fields: Any = {choices.pick(("goal", "why", "x")): choices.pick(WORDS) for _ in range(2)}
    said: dict[Any, dict[str, Any]] = {
        _Message: {"content": word, "reply_to": str(message) if choices.chance() else None},
        _Reaction: {"emoji": word, "reacted": choices.pick((None, True, False))},
        _Command: {"command": word, "options": given},
        _Button: {"custom_id": word},
        _Modal: {"interaction_id": str(choices.pick((asked, asked, 0))), "values": fields},
    }
    raw |= said[model]
    if choices.chance(8):
        raw[choices.pick(tuple(raw))] = value(choices)
    try:
        body = model.model_validate_json(json.dumps(raw))
    except ValidationError:
        return
    try:
        _do(body, members, rules, guild)
    except (Refused, BackendError) as error:
        assert str(error)


def _do(body: Any, members: Members, rules: Rules, guild: Guild) -> None:
    """Do what `control` does with a request."""
    member = int(body.member_id)
    match body:
        case _Message():
            reply = int(body.reply_to) if body.reply_to is not None else None
            members.send(member, int(body.channel_id), body.content, reply)
        case _Reaction():
            members.react(
                member, int(body.channel_id), int(body.message_id), body.emoji, body.reacted
            )
        case _Command():
            seen = members.run_command(
                member, int(body.channel_id), body.command, body.options, body.locale
            )
            members.interaction(int(seen.id))
            try:
                _open_modal(rules, guild, int(seen.id))
            except MALFORMED:
                return
        case _Button():
            members.press(member, int(body.channel_id), int(body.message_id), body.custom_id)
        case _Modal():
            members.submit(member, int(body.interaction_id), body.values)
