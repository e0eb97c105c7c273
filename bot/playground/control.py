"""The control interface: the page, its live events and people's actions, over HTTP and a WebSocket.

- `GET /` and `/static/...`: the page.
- `GET /play/state`: a `Snapshot`. `GET /play/events`: a WebSocket that sends a `Snapshot` and then
  `Event`s, as JSON text frames. A reader that is too slow is closed with 1013 and must reconnect.
- `GET /play/channels/ID/messages?before=ID&limit=N`: older `MessageView`s.
- `POST /play/messages {member_id, channel_id, content, reply_to?}`: the new `MessageView`;
  `POST /play/messages/edit {..., message_id, content}`: the edited one;
  `POST /play/messages/delete {..., message_id}`: its last state.
- `POST /play/reactions {member_id, channel_id, message_id, emoji, reacted?}`: a `MessageView`;
  `POST /play/reactions/clear {..., message_id}`: removes everybody's reactions.
- `POST /play/threads {member_id, channel_id, name?, archived?, locked?}` and
  `POST /play/threads/delete {member_id, channel_id}`: a `ChannelView`.
- `POST /play/direct {member_id}`: the `ChannelView` of the member's direct messages with the bot.
- `POST /play/commands {member_id, channel_id, command, options?, locale?}` and
  `POST /play/buttons {member_id, channel_id, message_id, custom_id, values?}`, where
  `values` are those chosen in a menu: an `InteractionView`.
- `POST /play/modals {member_id, interaction_id, values}`: submits the modal of an interaction.
- `GET /play/faults`: the faults that can be simulated; `POST /play/faults {fault}`: causes one.
- `GET /play/interactions/ID`: an `InteractionView`.
- `GET /attachments/...`: an uploaded file, always as a download.

Errors are `{"error": "a human-readable sentence"}` with a matching status.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Awaitable, Callable, Mapping
from importlib import resources
from typing import Annotated, Any, TypeVar

import structlog
from aiohttp import WSCloseCode, WSMsgType, web
from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError
from simcord.backend.errors import BackendError

from bot.playground.faults import FAULTS, Fault
from bot.playground.feed import Feed, Subscription
from bot.playground.guild import Guild
from bot.playground.members import Members, Refused
from bot.playground.origin_guard import page_policy
from bot.playground.views import View

log = structlog.get_logger(__name__)

PAGE_TYPES = {
    ".html": "text/html",
    ".css": "text/css",
    ".js": "text/javascript",
    ".svg": "image/svg+xml",
}

MAX_HISTORY = 100
"""Most messages returned at once."""

KEEPALIVE_SECONDS = 20.0
"""Ping interval of the event socket, which detects pages that have gone to sleep."""

_NUMBER = re.compile(r"[0-9]{1,20}")

Snowflake = Annotated[str, StringConstraints(pattern=r"^[0-9]{1,20}$")]


class _Body(BaseModel):
    model_config = ConfigDict(extra="forbid")
    member_id: Snowflake
    channel_id: Snowflake


class _Message(_Body):
    content: str
    reply_to: Snowflake | None = None


class _Reaction(_Body):
    message_id: Snowflake
    emoji: str
    reacted: bool | None = None


class _Command(_Body):
    command: str
    options: dict[str, str | bool | int | float] = Field(default_factory=dict)
    locale: Annotated[str, StringConstraints(pattern=r"^[A-Za-z-]{2,8}$")] = "en-US"


class _Button(_Body):
    message_id: Snowflake
    custom_id: str
    values: list[str] | None = None


class _MessageRef(_Body):
    message_id: Snowflake


class _Edit(_MessageRef):
    content: str


class _Thread(_Body):
    name: str | None = None
    archived: bool | None = None
    locked: bool | None = None


class _Person(BaseModel):
    model_config = ConfigDict(extra="forbid")
    member_id: Snowflake


_B = TypeVar("_B", bound=BaseModel)


class _Modal(BaseModel):
    model_config = ConfigDict(extra="forbid")
    member_id: Snowflake
    interaction_id: Snowflake
    values: dict[str, Annotated[str, StringConstraints(max_length=4_000)]]


class _Fault(BaseModel):
    model_config = ConfigDict(extra="forbid")
    fault: str


class Control:
    """The request handlers of the control interface."""

    def __init__(
        self, guild: Guild, feed: Feed, members: Members, faults: Mapping[str, Fault] | None = None
    ) -> None:
        self._guild = guild
        self._faults = faults or {}
        self._feed = feed
        self._members = members
        self._sockets: set[web.WebSocketResponse] = set()

    def add_routes(self, app: web.Application) -> None:
        """Add the page, its events and its actions to the application."""
        app.router.add_get("/", self._page)
        app.router.add_get("/static/{name}", self._page)
        app.router.add_get("/play/state", self._errors(self._state))
        app.router.add_get("/play/events", self._events)
        app.router.add_get("/play/channels/{id:[0-9]{1,20}}/messages", self._errors(self._history))
        app.router.add_get("/play/interactions/{id:[0-9]{1,20}}", self._errors(self._interaction))
        actions: dict[str, Callable[[web.Request], Awaitable[View]]] = {
            "messages": self._send,
            "messages/edit": self._edit,
            "messages/delete": self._delete,
            "reactions": self._react,
            "reactions/clear": self._clear,
            "threads": self._change_thread,
            "threads/delete": self._delete_thread,
            "direct": self._direct,
            "commands": self._command,
            "buttons": self._press,
            "modals": self._submit,
        }
        for path, action in actions.items():
            app.router.add_post(f"/play/{path}", self._errors(action))
        app.router.add_get("/play/faults", self._list_faults)
        app.router.add_post("/play/faults", self._inject_fault)
        app.router.add_get("/attachments/{path:.+}", self._attachment)

    async def close(self) -> None:
        """Close the event sockets, so that the server can stop."""
        await asyncio.gather(
            *(socket.close(code=WSCloseCode.GOING_AWAY) for socket in list(self._sockets))
        )

    # ------------------------------------------------------------------ the page and files

    async def _page(self, request: web.Request) -> web.Response:
        name = request.match_info.get("name", "index.html")
        suffix = name[name.rfind(".") :]
        source = resources.files("bot.playground") / "static" / name
        if "/" in name or "\\" in name or suffix not in PAGE_TYPES or not source.is_file():
            raise web.HTTPNotFound
        return web.Response(
            body=source.read_bytes(),
            content_type=PAGE_TYPES[suffix],
            charset="utf-8",
            headers={
                "Content-Security-Policy": page_policy(request.host),
                "Cache-Control": "no-cache",
            },
        )

    async def _attachment(self, request: web.Request) -> web.Response:
        data = self._guild.attachments.get(request.rel_url.raw_path)
        if data is None:
            raise web.HTTPNotFound
        # A download and a sandbox: a file from a bot must never run as a page of this server.
        return web.Response(
            body=data,
            content_type="application/octet-stream"
            if not request.path.lower().endswith((".png", ".jpg", ".jpeg", ".gif", ".webp", ".svg"))
            else _image_type(request.path),
            headers={
                "Content-Disposition": "attachment",
                "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
            },
        )

    # ------------------------------------------------------------------ queries

    async def _state(self, request: web.Request) -> View:
        return self._feed.snapshot()

    async def _history(self, request: web.Request) -> list[View]:
        before = request.query.get("before", "")
        limit = request.query.get("limit", str(MAX_HISTORY))
        if not (_NUMBER.fullmatch(before) or not before) or not _NUMBER.fullmatch(limit):
            raise Refused("before and limit must be numbers.")
        return list(
            self._feed.messages(
                int(request.match_info["id"]),
                limit=max(1, min(int(limit[:4]), MAX_HISTORY)),
                before=int(before) if before else None,
            )
        )

    async def _interaction(self, request: web.Request) -> View:
        return self._members.interaction(int(request.match_info["id"]))

    async def _events(self, request: web.Request) -> web.WebSocketResponse:
        socket = web.WebSocketResponse(heartbeat=KEEPALIVE_SECONDS, max_msg_size=1024)
        await socket.prepare(request)
        snapshot, subscription = self._feed.subscribe()
        self._sockets.add(socket)
        writer = asyncio.create_task(self._write(socket, subscription, snapshot.model_dump_json()))
        try:
            async for message in socket:
                if message.type is not WSMsgType.TEXT:
                    break
        finally:
            writer.cancel()
            await asyncio.gather(writer, return_exceptions=True)
            self._feed.unsubscribe(subscription)
            self._sockets.discard(socket)
        return socket

    async def _write(
        self, socket: web.WebSocketResponse, subscription: Subscription, snapshot: str
    ) -> None:
        try:
            await socket.send_str(snapshot)
            while (event := await subscription.events.get()) is not None:
                await socket.send_str(json.dumps(event.payload(), ensure_ascii=False))
        except ConnectionError:
            return
        await socket.close(code=WSCloseCode.TRY_AGAIN_LATER, message=b"too slow: start again")

    # ------------------------------------------------------------------ actions

    async def _send(self, request: web.Request) -> View:
        body = await _read(request, _Message)
        reply_to = int(body.reply_to) if body.reply_to is not None else None
        return self._members.send(int(body.member_id), int(body.channel_id), body.content, reply_to)

    async def _react(self, request: web.Request) -> View:
        body = await _read(request, _Reaction)
        return self._members.react(
            int(body.member_id),
            int(body.channel_id),
            int(body.message_id),
            body.emoji,
            body.reacted,
        )

    async def _edit(self, request: web.Request) -> View:
        body = await _read(request, _Edit)
        return self._members.edit(
            int(body.member_id), int(body.channel_id), int(body.message_id), body.content
        )

    async def _delete(self, request: web.Request) -> View:
        body = await _read(request, _MessageRef)
        return self._members.delete(int(body.member_id), int(body.channel_id), int(body.message_id))

    async def _clear(self, request: web.Request) -> View:
        body = await _read(request, _MessageRef)
        return self._members.clear_reactions(
            int(body.member_id), int(body.channel_id), int(body.message_id)
        )

    async def _change_thread(self, request: web.Request) -> View:
        body = await _read(request, _Thread)
        return self._members.change_thread(
            int(body.member_id),
            int(body.channel_id),
            name=body.name,
            archived=body.archived,
            locked=body.locked,
        )

    async def _delete_thread(self, request: web.Request) -> View:
        body = await _read(request, _Body)
        return self._members.delete_thread(int(body.member_id), int(body.channel_id))

    async def _direct(self, request: web.Request) -> View:
        body = await _read(request, _Person)
        return self._members.open_direct(int(body.member_id))

    async def _command(self, request: web.Request) -> View:
        body = await _read(request, _Command)
        return self._members.run_command(
            int(body.member_id), int(body.channel_id), body.command, body.options, body.locale
        )

    async def _press(self, request: web.Request) -> View:
        body = await _read(request, _Button)
        return self._members.press(
            int(body.member_id),
            int(body.channel_id),
            int(body.message_id),
            body.custom_id,
            body.values,
        )

    async def _submit(self, request: web.Request) -> View:
        body = await _read(request, _Modal)
        return self._members.submit(int(body.member_id), int(body.interaction_id), body.values)

    async def _list_faults(self, _: web.Request) -> web.Response:
        return web.json_response({fault: FAULTS[fault] for fault in self._faults})

    async def _inject_fault(self, request: web.Request) -> web.Response:
        try:
            body = await _read(request, _Fault)
        except Refused as error:
            return web.json_response({"error": str(error)}, status=error.status)
        fault = self._faults.get(body.fault)
        if fault is None:
            known = ", ".join(self._faults)
            return web.json_response(
                {"error": f"There is no such fault. Known faults: {known}."}, status=400
            )
        await fault()
        return web.json_response({})

    def _errors(
        self, handler: Callable[[web.Request], Awaitable[View | list[View]]]
    ) -> Callable[[web.Request], Awaitable[web.Response]]:
        async def answer(request: web.Request) -> web.Response:
            try:
                result = await handler(request)
            except Refused as error:
                return web.json_response({"error": str(error)}, status=error.status)
            except BackendError as error:
                return web.json_response({"error": error.message}, status=error.status)
            if isinstance(result, list):
                return web.json_response([view.model_dump() for view in result])
            return web.json_response(result.model_dump())

        return answer


async def _read(request: web.Request, model: type[_B]) -> _B:
    if request.content_type != "application/json":
        raise Refused("Send JSON, with Content-Type: application/json.", status=415)
    try:
        return model.model_validate_json(await request.read())
    except ValidationError as error:
        first: Any = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"]) or "the body"
        raise Refused(f"The request is not valid at {place}: {first['msg']}.") from error


def _image_type(path: str) -> str:
    suffix = path.lower().rsplit(".", 1)[-1]
    return {"jpg": "image/jpeg", "svg": "image/svg+xml"}.get(suffix, f"image/{suffix}")
