"""The playground as a whole: how it starts and how it stops."""

from __future__ import annotations

import asyncio

import aiohttp
import pytest

from bot.playground.client import PlaygroundClient
from bot.playground.guild import Guild
from bot.playground.server import Playground, serve_playground

pytestmark = pytest.mark.asyncio

STOP_SECONDS = 3.0
"""How long stopping may take with sockets open; a person pressing Ctrl-C waits for it."""


async def test_a_taken_port_is_an_error_at_once(playground: Playground) -> None:
    """Starting on a port in use raises, and the first server keeps working."""
    port = int(playground.url.rstrip("/").rsplit(":", 1)[1])
    with pytest.raises(OSError, match="address already in use"):
        async with Playground(port):
            pass
    async with PlaygroundClient(playground.url) as client:
        assert (await client.state()).guild == "Leaderless playground"


async def test_stopping_does_not_wait_for_open_sockets() -> None:
    """With a page and a silent bot connected, the server still stops at once."""
    async with aiohttp.ClientSession() as http:
        async with serve_playground() as playground:
            page = await http.ws_connect(playground.url + "play/events")
            await page.receive_json()
            gateway = await http.ws_connect(playground.gateway_url)
            await gateway.receive_json()
            reading = [asyncio.create_task(socket.receive()) for socket in (page, gateway)]
            started = asyncio.get_running_loop().time()
        assert asyncio.get_running_loop().time() - started < STOP_SECONDS
        closed = await asyncio.gather(*reading)
        assert [message.data for message in closed] == [1001, 1012]


async def test_it_listens_on_loopback_only(playground: Playground) -> None:
    """All its addresses are on this machine and contain its actual port."""
    environment = playground.bot_environment()
    assert environment["LEADERLESS_DISCORD_API"] == playground.url + "api/v10"
    assert environment["LEADERLESS_DISCORD_GATEWAY"].startswith("ws://127.0.0.1:")
    assert environment["LEADERLESS_DISCORD_TOKEN"] == playground.token
    assert ":0/" not in playground.url


async def test_people_need_different_names() -> None:
    """Every named person can be acted as, and duplicate names are refused."""
    async with (
        Playground(people=["Dewi", "Ekta"]) as playground,
        PlaygroundClient(playground.url) as client,
    ):
        state = await client.state()
    assert [p.name for p in state.people] == ["Dewi", "Ekta", "Leaderless"]
    assert [p.owner for p in state.people] == [True, False, False]
    for names in ([], ["A", "A"]):
        with pytest.raises(ValueError, match="different names"):
            Guild(people=names)
