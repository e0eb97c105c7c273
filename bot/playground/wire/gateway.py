"""The gateway: one WebSocket per bot, with Discord's opcodes in JSON text frames.

A bot may ask for `compress=zlib-stream`, but discord.py also accepts plain text frames, so nothing
is compressed. Close codes are Discord's: discord.py treats 4004 and 4010 to 4014 as final and
reconnects after the others.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

import structlog
from aiohttp import WSCloseCode, WSMsgType, web
from simcord import intents as simcord_intents
from simcord.backend import serializers

from bot.playground.guild import Guild
from bot.playground.wire.intents import member_chunks, parse_intents
from bot.playground.wire.session import Session, SessionStore

log = structlog.get_logger(__name__)

HEARTBEAT_MS = 41_250
"""The heartbeat interval that Discord asks for. A bot silent for twice as long is disconnected."""

IDENTIFY_SECONDS = 30.0
"""How long a new socket may stay open without identifying or resuming."""

OUTBOX_FRAMES = 4096
"""Most frames queued for a slow bot; beyond that its socket is closed, and it resumes."""

MAX_FRAME_BYTES = 64 * 1024
"""Largest frame accepted from a bot; Discord's own limit is even smaller."""

DISPATCH, HEARTBEAT, IDENTIFY, PRESENCE, VOICE, RESUME = 0, 1, 2, 3, 4, 6
RECONNECT, REQUEST_MEMBERS, INVALID_SESSION, HELLO, HEARTBEAT_ACK = 7, 8, 9, 10, 11
REQUEST_SOUNDS = 31

UNKNOWN_ERROR, UNKNOWN_OPCODE, DECODE_ERROR, NOT_AUTHENTICATED = 4000, 4001, 4002, 4003
AUTHENTICATION_FAILED, ALREADY_AUTHENTICATED, SESSION_TIMED_OUT = 4004, 4005, 4009
INVALID_INTENTS, DISALLOWED_INTENTS = 4013, 4014


class Gateway:
    """All connections, and the sessions behind them.

    Args:
        guild: the server whose events are sent.
        gateway_url: returns the URL for resuming, once it is known.
        on_change: called whenever the number of connected bots may have changed.
        message_content: whether this application may have the message content intent, which the
            real Discord grants in its developer portal. If not, asking for it closes with 4014.
    """

    def __init__(
        self,
        guild: Guild,
        *,
        gateway_url: Callable[[], str],
        on_change: Callable[[], None],
        message_content: bool = True,
    ) -> None:
        self.guild = guild
        self.sessions = SessionStore(guild.backend, asyncio.get_running_loop().time)
        self.gateway_url = gateway_url
        self.approved = parse_intents((1 << 32) - 1)
        if self.approved is not None:
            self.approved.message_content = message_content
        self._on_change = on_change
        self._connections: set[Connection] = set()
        guild.backend.subscribers.append(self.sessions.dispatch)

    @property
    def online(self) -> bool:
        """Whether a bot is logged in and connected."""
        return self.sessions.connected > 0

    async def handle(self, request: web.Request) -> web.WebSocketResponse:
        """Serve one bot until its socket closes."""
        connection = Connection(self)
        self._connections.add(connection)
        try:
            return await connection.serve(request)
        finally:
            self._connections.discard(connection)
            self._on_change()

    def changed(self) -> None:
        """Report that a bot has connected or disconnected."""
        self._on_change()

    async def drop(self, code: int = UNKNOWN_ERROR) -> None:
        """Close every socket, as in a network fault; the bots may resume."""
        await asyncio.gather(*(connection.close(code) for connection in list(self._connections)))

    def cut(self) -> None:
        """Cut every socket without a closing frame, as if a cable was pulled."""
        for connection in list(self._connections):
            connection.cut()

    def ask_reconnect(self) -> None:
        """Send op 7 to every bot, which asks it to reconnect and resume."""
        for connection in self._connections:
            connection.send(RECONNECT)

    def invalidate(self) -> None:
        """Forget every session and send op 9: the bots have to identify again."""
        self.sessions.forget()
        for connection in self._connections:
            connection.send(INVALID_SESSION, False)


class Connection:
    """One socket: reads opcodes and writes frames from its own queue."""

    def __init__(self, gateway: Gateway) -> None:
        self._gateway = gateway
        self._socket = web.WebSocketResponse(max_msg_size=MAX_FRAME_BYTES, compress=False)
        self._outbox: asyncio.Queue[str] = asyncio.Queue(OUTBOX_FRAMES)
        self._overflowed = asyncio.Event()
        self._session: Session | None = None
        self._transport: asyncio.Transport | None = None
        # aiohttp reports the code of the bot's close frame even if we closed the socket.
        self._closed_by_us = False

    # ------------------------------------------------------------------ writing

    def send(self, opcode: int, data: Any = None) -> None:
        """Queue a frame that is not an event."""
        self.send_text(json.dumps({"op": opcode, "d": data, "s": None, "t": None}))

    def send_text(self, text: str) -> None:
        """Queue a frame; if the queue is full, the socket is closed and the bot resumes."""
        try:
            self._outbox.put_nowait(text)
        except asyncio.QueueFull:
            self._overflowed.set()

    async def _write(self) -> None:
        with suppress(ConnectionError):
            while True:
                await self._socket.send_str(await self._outbox.get())

    async def _watch_overflow(self) -> None:
        await self._overflowed.wait()
        log.warning("playground_bot_reads_too_slowly", waiting=OUTBOX_FRAMES)
        await self.close(UNKNOWN_ERROR, "too many events are queued")

    async def close(self, code: int, reason: str = "") -> None:
        """Close the socket with one of Discord's close codes."""
        self._closed_by_us = True
        await self._socket.close(code=code, message=reason.encode())

    def cut(self) -> None:
        """Cut the connection without a closing frame."""
        self._closed_by_us = True
        if self._transport is not None:
            self._transport.close()

    # ------------------------------------------------------------------ reading

    async def serve(self, request: web.Request) -> web.WebSocketResponse:
        """Send the hello frame and answer opcodes until the socket closes."""
        self._transport = request.transport
        await self._socket.prepare(request)
        tasks = [asyncio.create_task(self._write()), asyncio.create_task(self._watch_overflow())]
        try:
            self.send(HELLO, {"heartbeat_interval": HEARTBEAT_MS, "_trace": []})
            await self._read()
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            self._leave()
        return self._socket

    async def _read(self) -> None:
        while not self._socket.closed:
            patience = IDENTIFY_SECONDS if self._session is None else HEARTBEAT_MS * 2 / 1000
            try:
                message = await self._socket.receive(timeout=patience)
            except TimeoutError:
                await self.close(SESSION_TIMED_OUT, "no heartbeat")
                return
            if message.type is not WSMsgType.TEXT:
                if message.type is WSMsgType.BINARY:
                    await self.close(DECODE_ERROR, "send JSON in text frames")
                return
            try:
                frame = json.loads(message.data)
                opcode, data = frame["op"], frame.get("d")
            except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
                await self.close(DECODE_ERROR, "not a gateway payload")
                return
            await self._answer(opcode, data)

    async def _answer(self, opcode: object, data: Any) -> None:
        if opcode == HEARTBEAT:
            self.send(HEARTBEAT_ACK)
        elif opcode == IDENTIFY:
            await self._identify(data)
        elif opcode == RESUME:
            await self._resume(data)
        elif self._session is None:
            await self.close(NOT_AUTHENTICATED, "identify first")
        elif opcode == REQUEST_MEMBERS and isinstance(data, Mapping):
            try:
                chunks = member_chunks(self._gateway.guild.backend, data)
            except (TypeError, ValueError, OverflowError):
                await self.close(DECODE_ERROR, "bad request for members")
                return
            for chunk in chunks:
                self._session.dispatch("GUILD_MEMBERS_CHUNK", chunk)
        elif opcode not in (PRESENCE, VOICE, REQUEST_SOUNDS):
            await self.close(UNKNOWN_OPCODE, "unknown opcode")

    async def _identify(self, data: Any) -> None:
        if self._session is not None:
            await self.close(ALREADY_AUTHENTICATED, "already identified")
            return
        if not isinstance(data, Mapping):
            await self.close(DECODE_ERROR, "identify needs an object")
            return
        if not self._token_matches(data):
            await self.close(AUTHENTICATION_FAILED, "authentication failed")
            return
        intents = parse_intents(data.get("intents"))
        if intents is None:
            await self.close(INVALID_INTENTS, "invalid intents")
            return
        refused = simcord_intents.missing_privileged_intents(intents, self._gateway.approved)
        if refused:
            await self.close(DISALLOWED_INTENTS, f"disallowed intents: {', '.join(refused)}")
            return
        session = self._session = self._gateway.sessions.open(intents, self)
        self._greet(session)
        log.info("playground_bot_identified", session=session.id[:8])
        self._gateway.changed()

    def _greet(self, session: Session) -> None:
        backend = self._gateway.guild.backend
        guilds = list(backend.guilds.values())
        session.dispatch(
            "READY",
            {
                "v": 10,
                "user": dict(serializers.user_payload(backend.bot_user)),
                "guilds": [{"id": str(guild.id), "unavailable": True} for guild in guilds],
                "session_id": session.id,
                "session_type": "normal",
                "resume_gateway_url": self._gateway.gateway_url(),
                "shard": [0, 1],
                "application": {"id": str(backend.application_id), "flags": 0},
                "private_channels": [],
                "relationships": [],
            },
        )
        for guild in guilds:
            session.dispatch("GUILD_CREATE", serializers.guild_create_payload(backend, guild))

    async def _resume(self, data: Any) -> None:
        if self._session is not None:
            await self.close(ALREADY_AUTHENTICATED, "already identified")
            return
        if not isinstance(data, Mapping):
            await self.close(DECODE_ERROR, "resume needs an object")
            return
        if not self._token_matches(data):
            await self.close(AUTHENTICATION_FAILED, "authentication failed")
            return
        after = data.get("seq")
        session = None
        if isinstance(after, int):
            session = self._gateway.sessions.resume(str(data.get("session_id")), after, self)
        if session is None:
            self.send(INVALID_SESSION, False)
            return
        self._session = session
        session.dispatch("RESUMED", {"_trace": []})
        log.info("playground_bot_resumed", session=session.id[:8], after=after)
        self._gateway.changed()

    def _token_matches(self, data: Mapping[str, Any]) -> bool:
        return str(data.get("token", "")).removeprefix("Bot ") == self._gateway.guild.token

    def _leave(self) -> None:
        if self._session is None:
            return
        logged_out = self._socket.close_code in (WSCloseCode.OK, WSCloseCode.GOING_AWAY)
        if logged_out and not self._closed_by_us:
            # A bot that closes with 1000 or 1001 ends its session; otherwise it may resume.
            self._gateway.sessions.close(self._session)
        else:
            self._gateway.sessions.detach(self._session, self)
        log.info("playground_bot_left", code=self._socket.close_code)
