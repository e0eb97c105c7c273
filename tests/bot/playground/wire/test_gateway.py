"""The gateway's protocol, frame by frame."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import discord
import pytest
import pytest_asyncio

from bot.playground.client import PlaygroundClient
from bot.playground.server import Playground

ALL_INTENTS = discord.Intents.all().value
PATIENCE = 10.0


class Wire:
    """One raw WebSocket to the gateway."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self.socket = socket

    async def send(self, opcode: object, data: object = None) -> None:
        """Send one frame."""
        await self.socket.send_str(json.dumps({"op": opcode, "d": data}))

    async def receive(self) -> dict[str, Any]:
        """Return the next frame."""
        frame = json.loads(await self.socket.receive_str(timeout=PATIENCE))
        assert isinstance(frame, dict)
        return frame

    async def event(self, name: str) -> dict[str, Any]:
        """Return the next dispatch of this name, skipping others."""
        while (frame := await self.receive())["t"] != name:
            pass
        return frame

    async def close_code(self) -> int | None:
        """Return the code the server closes with, skipping frames before."""
        while (await self.socket.receive(timeout=PATIENCE)).type is aiohttp.WSMsgType.TEXT:
            pass
        return self.socket.close_code

    async def identify(self, playground: Playground, intents: int = ALL_INTENTS) -> dict[str, Any]:
        """Log in; return READY."""
        await self.send(2, {"token": playground.token, "intents": intents, "properties": {}})
        return await self.event("READY")


@pytest_asyncio.fixture
async def http() -> AsyncIterator[aiohttp.ClientSession]:
    """An HTTP session."""
    async with aiohttp.ClientSession() as session:
        yield session


async def open_wire(http: aiohttp.ClientSession, playground: Playground) -> Wire:
    """Connect, and take the hello."""
    url = playground.gateway_url + "?v=10&encoding=json&compress=zlib-stream"
    wire = Wire(await http.ws_connect(url, autoclose=True))
    hello = await wire.receive()
    assert hello["op"] == 10
    assert hello["d"]["heartbeat_interval"] > 1000
    return wire


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("frame", "code"),
    [
        ("this is not JSON", 4002),
        ("[1, 2]", 4002),
        ('{"d": 1}', 4002),
        ('{"op": 3, "d": {}}', 4003),
        ('{"op": 8, "d": {}}', 4003),
        ('{"op": 2, "d": []}', 4002),
        ('{"op": 2, "d": {"token": "wrong", "intents": 0}}', 4004),
        ('{"op": 6, "d": {"token": "wrong", "session_id": "x", "seq": 1}}', 4004),
    ],
)
async def test_bad_frames_close_with_discords_codes(
    playground: Playground, http: aiohttp.ClientSession, frame: str, code: int
) -> None:
    """A bad frame closes the socket with Discord's code, and the server keeps running."""
    wire = await open_wire(http, playground)
    await wire.socket.send_str(frame)
    assert await wire.close_code() == code
    assert (await (await open_wire(http, playground)).identify(playground))["s"] == 1


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("frame", "code"),
    [
        ({"op": 2, "d": {"token": "any"}}, 4005),
        ({"op": 99, "d": None}, 4001),
        ({"op": 8, "d": {"guild_id": "no number"}}, 4002),
    ],
)
async def test_bad_frames_after_login(
    playground: Playground, http: aiohttp.ClientSession, frame: dict[str, Any], code: int
) -> None:
    """After login, a bad frame also closes the socket with its code and nothing else."""
    wire = await open_wire(http, playground)
    await wire.identify(playground)
    await wire.socket.send_str(json.dumps(frame))
    assert await wire.close_code() == code


@pytest.mark.asyncio
async def test_bad_intents_are_refused(playground: Playground, http: aiohttp.ClientSession) -> None:
    """Invalid intents close the socket with 4013."""
    wire = await open_wire(http, playground)
    await wire.send(2, {"token": playground.token, "intents": "many", "properties": {}})
    assert await wire.close_code() == 4013


@pytest.mark.asyncio
async def test_heartbeats_are_answered(playground: Playground, http: aiohttp.ClientSession) -> None:
    """A heartbeat gets its acknowledgement, before and after login."""
    wire = await open_wire(http, playground)
    await wire.send(1)
    assert (await wire.receive())["op"] == 11


@pytest.mark.asyncio
async def test_resume_replays_exactly_what_was_missed(
    playground: Playground, http: aiohttp.ClientSession
) -> None:
    """A resume replays the missed events once and in order, then sends RESUMED."""
    wire = await open_wire(http, playground)
    ready = await wire.identify(playground)
    asha = playground.guild.people["Asha"]
    playground.members.send(asha, playground.channel_id, "seen")
    last = await wire.event("MESSAGE_CREATE")
    await wire.socket.close(code=4000)
    for number in range(3):
        playground.members.send(asha, playground.channel_id, f"missed {number}")
    resumed = await open_wire(http, playground)
    await resumed.send(
        6,
        {
            "token": playground.token,
            "session_id": ready["d"]["session_id"],
            "seq": last["s"],
        },
    )
    frames = [await resumed.receive() for _ in range(4)]
    assert [f["d"].get("content") for f in frames[:3]] == ["missed 0", "missed 1", "missed 2"]
    assert [f["s"] for f in frames] == [last["s"] + i for i in range(1, 5)]
    assert frames[3]["t"] == "RESUMED"
    assert isinstance(frames[3]["d"], dict)


@pytest.mark.asyncio
@pytest.mark.parametrize("sequence", [10_000, None, "x"])
async def test_impossible_resumes_are_refused(
    playground: Playground, http: aiohttp.ClientSession, sequence: object
) -> None:
    """Resuming from a number never sent gets op 9 with false; the bot can then identify."""
    wire = await open_wire(http, playground)
    ready = await wire.identify(playground)
    await wire.socket.close(code=4000)
    again = await open_wire(http, playground)
    session_id = ready["d"]["session_id"]
    await again.send(6, {"token": playground.token, "session_id": session_id, "seq": sequence})
    refusal = await again.receive()
    assert (refusal["op"], refusal["d"]) == (9, False)
    assert (await again.identify(playground))["s"] == 1


@pytest.mark.asyncio
async def test_events_are_shaped_by_intents(
    playground: Playground, http: aiohttp.ClientSession
) -> None:
    """A bot without the content intent gets messages without content, as on Discord."""
    wire = await open_wire(http, playground)
    blind = discord.Intents(guilds=True, guild_messages=True).value
    await wire.identify(playground, blind)
    playground.members.send(playground.guild.people["Bilal"], playground.channel_id, "secret")
    assert (await wire.event("MESSAGE_CREATE"))["d"]["content"] == ""


@pytest.mark.asyncio
async def test_a_slow_bot_is_cut_off_and_can_resume(
    playground: Playground,
    http: aiohttp.ClientSession,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A bot that does not read is disconnected, and it can resume its session."""
    monkeypatch.setattr("bot.playground.wire.gateway.OUTBOX_FRAMES", 20)
    wire = await open_wire(http, playground)
    ready = await wire.identify(playground)
    asha = playground.guild.people["Asha"]
    for number in range(60):  # without a pause: nothing can be written in between
        playground.members.send(asha, playground.channel_id, f"{number}")
    assert await wire.close_code() == 4000
    async with PlaygroundClient(playground.url) as client:
        await client.wait_for(lambda state: not state.bot_online, seconds=PATIENCE)
    monkeypatch.undo()
    again = await open_wire(http, playground)
    session_id = ready["d"]["session_id"]
    await again.send(6, {"token": playground.token, "session_id": session_id, "seq": 1})
    contents = []
    while (frame := await again.receive())["t"] != "RESUMED":
        if frame["t"] == "MESSAGE_CREATE":
            contents.append(frame["d"]["content"])
    assert contents == [str(number) for number in range(60)]
