"""The playground's side of the wire, and the embedded model server's requests."""

from __future__ import annotations

import asyncio
import json
import logging
from typing import Any, cast

import structlog
from aiohttp import MultipartReader, StreamReader, web
from aiohttp.base_protocol import BaseProtocol
from multidict import CIMultiDict
from pydantic import ValidationError
from simcord.backend.errors import BackendError

from bot.playground.acting import Acting, Refused
from bot.playground.control import _Button, _Command, _Message, _Reaction
from bot.playground.feed import Feed
from bot.playground.wire.forms import BadBody, TooLarge, read_body
from bot.playground.wire.gateway import Connection, Gateway
from bot.playground.wire.rest import MALFORMED
from bot.playground.wire.rules import Rules
from bot.playground.world import World
from fuzz.choices import Choices
from swarm.llm.engine import EngineError
from swarm.llm.server import _parse_call

structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
_LOOP = asyncio.new_event_loop()

METHODS = ("POST", "GET", "PATCH", "PUT", "DELETE")
PATHS = (
    "/channels/{channel}/messages",
    "/channels/{channel}/messages/{message}",
    "/channels/{channel}/messages/{message}/threads",
    "/channels/{channel}/messages/{message}/reactions/%F0%9F%91%8D/@me",
    "/channels/{channel}/threads",
    "/channels/{channel}",
    "/channels/{channel}/pins/{message}",
    "/channels/{channel}/thread-members/@me",
    "/applications/{bot}/commands",
    "/applications/{bot}/guilds/{guild}/commands",
    "/guilds/{guild}",
    "/guilds/{guild}/members/{person}",
    "/users/@me",
    "/users/@me/channels",
    "/interactions/{message}/token/callback",
    "/webhooks/{bot}/token",
    "/webhooks/{bot}/token/messages/@original",
)
KEYS = (
    "content", "embeds", "components", "nonce", "enforce_nonce", "name", "type", "options",
    "data", "flags", "message_reference", "allowed_mentions", "attachments", "archived", "locked",
    "auto_archive_duration", "description", "custom_id", "id", "message_id", "recipient_id",
    "choices", "value", "title", "fields", "label", "style", "emoji", "required", "guild_id",
    "user_ids", "limit", "query", "token", "intents", "seq", "session_id", "op", "d",
)  # fmt: skip
VALUES: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 2**63, 2**70, 1.5, float("inf"), float("nan"), "", "text", "0",
    "1" * 30, "\ud83d", [], {}, [None], [[]], [{}], "/" * 200, 3, 4, 5, "plan",
)  # fmt: skip


def rest(data: bytes) -> None:
    """Requests of a bot are answered or refused; nothing else is raised."""
    choices = Choices(data)
    world = World()
    message = world.backend.create_message(world.channel_id, world.bot_id, "hello").id
    names = {
        "channel": world.channel_id, "message": message, "bot": world.bot_id,
        "guild": world.guild_id, "person": next(iter(world.people.values())),
    }  # fmt: skip
    rules = Rules(world.backend, world.bot_id)
    for _ in range(6):
        if not choices.left:
            return
        path = choices.pick(PATHS).format(**names)
        if choices.chance(8):
            path += choices.text(30)
        try:
            rules.dispatch(
                choices.pick(METHODS),
                path,
                body=value(choices),
                params={"limit": choices.text(5)} if choices.chance(4) else {},
                files=[],
                reason=None,
            )
        except (BackendError, *MALFORMED):
            continue


def value(choices: Choices, depth: int = 0) -> Any:
    """Some JSON value, of names that mean something to Discord."""
    kind = choices.byte() % (8 if depth < 4 else 2)
    if kind == 0:
        return choices.pick(VALUES)
    if kind == 1:
        return choices.text(60)
    if kind < 4:
        return [value(choices, depth + 1) for _ in range(choices.byte() % 4)]
    return {choices.pick(KEYS): value(choices, depth + 1) for _ in range(choices.byte() % 6)}


class _Socket:
    """A bot's socket that is closed the first time the gateway wants it closed."""

    closed = False
    close_code: int | None = None

    async def close(self, *, code: int, message: bytes = b"") -> None:
        self.closed = True
        self.close_code = code


def gateway(data: bytes) -> None:
    """Frames of a bot are answered, or its socket is closed; nothing is raised."""
    _LOOP.run_until_complete(_gateway(Choices(data)))


async def _gateway(choices: Choices) -> None:
    world = World()
    served = Gateway(world, gateway_url=lambda: "ws://local", on_change=lambda: None)
    connection = Connection(served)
    connection._socket = cast("web.WebSocketResponse", _Socket())
    if choices.chance():
        await connection._answer(2, {"token": world.token, "intents": 513})
    for _ in range(6):
        if not choices.left or connection._socket.closed:
            break
        frame = value(choices)
        if isinstance(frame, dict) and choices.chance():
            frame = {**frame, "token": world.token, "guild_id": str(world.guild_id)}
        # What JSON cannot carry cannot arrive.
        frame = json.loads(json.dumps(frame))
        await connection._answer(choices.pick((1, 2, 6, 8, 3, 4, 31, 99, None)), frame)
        world.backend.create_message(world.channel_id, world.bot_id, "hello")


class _Request:
    """As much of a request as reading its body needs."""

    def __init__(self, content_type: str, stream: StreamReader) -> None:
        self.content_type = content_type.partition(";")[0]
        self._headers = CIMultiDict({"Content-Type": content_type})
        self._stream = stream

    async def read(self) -> bytes:
        return bytes(await self._stream.read())

    async def multipart(self) -> MultipartReader:
        return MultipartReader(self._headers, self._stream)


def forms(data: bytes) -> None:
    """Any body of a request is read, or refused with a reason."""
    _LOOP.run_until_complete(_forms(Choices(data)))


async def _forms(choices: Choices) -> None:
    kind = choices.pick(("application/json", "multipart/form-data; boundary=b"))
    loop = asyncio.get_running_loop()
    stream = StreamReader(BaseProtocol(loop), limit=2**16, loop=loop)
    stream.feed_data(choices.rest())
    stream.feed_eof()
    try:
        payload, files = await read_body(cast("web.Request", _Request(kind, stream)))
    except (BadBody, TooLarge):
        return
    json.dumps(payload, ensure_ascii=False).encode()
    assert all(isinstance(file.filename, str) for file in files)


def control(data: bytes) -> None:
    """Whatever the page's interface is sent is done, or refused with a sentence."""
    _LOOP.run_until_complete(_control(Choices(data)))


async def _control(choices: Choices) -> None:
    world = World()
    feed = Feed(world, lambda: True)
    acting = Acting(world, feed)
    people = list(world.people.values())
    message = world.backend.create_message(world.channel_id, world.bot_id, "hello").id
    models: tuple[Any, ...] = (_Message, _Reaction, _Command, _Button)
    try:
        for _ in range(4):
            if not choices.left:
                return
            model = choices.pick(models)
            raw: dict[str, Any] = {
                "member_id": str(choices.pick((*people, 0, 10**19))),
                "channel_id": str(choices.pick((world.channel_id, 0, message))),
            }
            if model is not _Command:
                raw["message_id"] = str(choices.pick((message, 0)))
            extra = value(choices)
            text = choices.text(80)
            said: dict[Any, dict[str, Any]] = {
                _Message: {"content": text, "reply_to": str(message)},
                _Reaction: {"emoji": text},
                _Command: {"command": text, "options": extra if isinstance(extra, dict) else {}},
                _Button: {"custom_id": text},
            }
            raw |= said[model]
            if model is _Message:
                del raw["message_id"]
            try:
                body = model.model_validate_json(json.dumps(raw))
            except ValidationError:
                continue
            ids = int(body.member_id), int(body.channel_id)
            try:
                match body:
                    case _Message():
                        reply = int(body.reply_to) if body.reply_to else None
                        acting.send(*ids, body.content, reply if choices.chance() else None)
                    case _Reaction():
                        acting.react(*ids, int(body.message_id), body.emoji, body.reacted)
                    case _Command():
                        acting.run_command(*ids, body.command, body.options, body.locale)
                    case _Button():
                        acting.press(*ids, int(body.message_id), body.custom_id)
            except (Refused, BackendError):
                continue
            feed.snapshot().model_dump_json()
    finally:
        acting.close()


def model_calls(data: bytes) -> None:
    """Any JSON object is a call of the embedded model, or an `EngineError`."""
    try:
        body = json.loads(data)
    except (ValueError, RecursionError):
        return
    if not isinstance(body, dict):
        return
    try:
        call = _parse_call(body)
    except EngineError:
        return
    request = call.to_engine(call.messages)
    assert request.max_tokens >= 1
