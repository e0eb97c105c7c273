"""The bot's side of the playground: requests, bodies and gateway frames."""

from __future__ import annotations

import asyncio
import json
import logging
from typing import Any, cast

import structlog
from aiohttp import MultipartReader, StreamReader, web
from aiohttp.base_protocol import BaseProtocol
from multidict import CIMultiDict
from simcord.backend.errors import BackendError

from bot.playground.guild import Guild
from bot.playground.wire.bodies import MAX_FILE_BYTES, BadBody, TooLarge, read_body
from bot.playground.wire.gateway import Connection, Gateway
from bot.playground.wire.rest import MALFORMED
from bot.playground.wire.rules import Rules
from fuzz.choices import Choices
from fuzz.loop import LOOP

structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))

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
    guild = Guild()
    message = guild.backend.create_message(guild.channel_id, guild.bot_id, "hello").id
    names = {
        "channel": guild.channel_id, "message": message, "bot": guild.bot_id,
        "guild": guild.id, "person": next(iter(guild.people.values())),
    }  # fmt: skip
    rules = Rules(guild.backend, guild.bot_id)
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
    """Some JSON value with names that mean something to Discord."""
    kind = choices.byte() % (8 if depth < 4 else 2)
    if kind == 0:
        return choices.pick(VALUES)
    if kind == 1:
        return choices.text(60)
    if kind < 4:
        return [value(choices, depth + 1) for _ in range(choices.byte() % 4)]
    return {choices.pick(KEYS): value(choices, depth + 1) for _ in range(choices.byte() % 6)}


class _Socket:
    """A bot's socket that closes the first time the gateway asks for it."""

    closed = False
    close_code: int | None = None

    async def close(self, *, code: int, message: bytes = b"") -> None:
        self.closed = True
        self.close_code = code


def gateway(data: bytes) -> None:
    """Frames of a bot are answered, or its socket is closed; nothing is raised."""
    LOOP.run_until_complete(_gateway(Choices(data)))


async def _gateway(choices: Choices) -> None:
    guild = Guild()
    served = Gateway(guild, gateway_url=lambda: "ws://local", on_change=lambda: None)
    connection = Connection(served)
    connection._socket = cast("web.WebSocketResponse", _Socket())
    if choices.chance():
        await connection._answer(2, {"token": guild.token, "intents": 513})
    for _ in range(6):
        if not choices.left or connection._socket.closed:
            break
        frame = value(choices)
        if isinstance(frame, dict) and choices.chance():
            frame = {**frame, "token": guild.token, "guild_id": str(guild.id)}
        # A value that JSON cannot carry cannot arrive.
        frame = json.loads(json.dumps(frame))
        await connection._answer(choices.pick((1, 2, 6, 8, 3, 4, 31, 99, None)), frame)
        guild.backend.create_message(guild.channel_id, guild.bot_id, "hello")


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
    LOOP.run_until_complete(_forms(Choices(data)))


async def _forms(choices: Choices) -> None:
    kind = choices.pick(("application/json", "multipart/form-data; boundary=b"))
    loop = asyncio.get_running_loop()
    stream = StreamReader(BaseProtocol(loop), limit=2**16, loop=loop)
    stream.feed_data(_form(choices) if choices.chance() else choices.rest())
    stream.feed_eof()
    try:
        payload, files = await read_body(cast("web.Request", _Request(kind, stream)))
    except (BadBody, TooLarge):
        return
    json.dumps(payload, ensure_ascii=False).encode()
    for file in files:
        json.dumps([file.filename, file.description], ensure_ascii=False).encode()
        assert len(file.fp.getvalue()) <= MAX_FILE_BYTES


HEADERS = (
    'Content-Disposition: form-data; name="payload_json"',
    'Content-Disposition: form-data; name="files[0]"; filename="plan.md"',
    "Content-Disposition: form-data; name=\"files[1]\"; filename*=UTF-8''%e2%82%ac",
    'Content-Disposition: form-data; name="file"',
    'Content-Disposition: form-data; name="files[99999999999999999999]"; filename=""',
    'Content-Disposition: form-data; name="content"',
    "Content-Disposition: form-data",
    "Content-Disposition: ;;=",
    "Content-Type: application/json",
    "Content-Type: multipart/mixed; boundary=c",
    "Content-Transfer-Encoding: base64",
    "Content-Transfer-Encoding: quoted-printable",
    "Content-Transfer-Encoding: x-unknown",
    "Content-Encoding: gzip",
    "Content-Encoding: deflate",
    "Content-Length: 5",
    "Content-Length: x",
)


def _form(choices: Choices) -> bytes:
    """A form of about the right shape."""
    out = b""
    for _ in range(choices.byte() % 5):
        out += b"--b\r\n"
        for _ in range(choices.byte() % 4):
            header = choices.pick(HEADERS).encode()
            if choices.chance(6):
                header += choices.take(3)
            out += header + b"\r\n"
        out += b"\r\n"
        if choices.chance():
            said: Any = value(choices)
            if isinstance(said, dict) and choices.chance():
                said["attachments"] = [{"id": choices.pick(("0", 1, "²", None)), "filename": "x"}]
            out += json.dumps(said).encode()
        else:
            out += choices.take(choices.byte() % 20)
        out += b"\r\n"
    return out + choices.pick((b"--b--\r\n", b"--b", b"", b"--b--"))
