"""What keeps the chat client running, and what stops the bot."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import aiohttp
import discord
import pytest

from bot.app.run import run_bot, run_client
from bot.config import BotConfig, Discord, read
from bot.context import Bot
from bot.interactions.client import Client
from bot.storage.journal import Journal
from bot.storage.people import People
from swarm.console.errors import CommandError
from tests.bot.conftest import NeverRun

pytestmark = pytest.mark.asyncio
TOKEN = "MTk4NjIyNDgzNDcx.secret-token"


def make_bot() -> Bot:
    """Return a bot with nothing on disk."""
    return Bot(BotConfig(), journal=Journal(None), people=People.load(None), make_peer=NeverRun)


def starts(monkeypatch: pytest.MonkeyPatch, *outcomes: Exception | None) -> list[Client]:
    """Let clients end like this, one after the other, then stay; return those that started."""
    rest = iter(outcomes)
    started: list[Client] = []

    async def start(self: Client, token: str, **_: Any) -> None:
        started.append(self)
        for outcome in rest:
            if outcome is not None:
                raise outcome
            return
        await asyncio.sleep(3600)

    monkeypatch.setattr(Client, "start", start)
    return started


async def test_a_crash_of_the_client_starts_another_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Complaint: one malformed event ends the bot. A new client takes over, the old one closes."""
    started = starts(
        monkeypatch,
        KeyError("malformed event"),
        aiohttp.ClientConnectionError("no network"),
        None,
    )
    bot = make_bot()
    task = asyncio.create_task(run_client(bot, TOKEN, pauses=(0.0,)))
    async with asyncio.timeout(5):
        while len(started) < 4:  # noqa: ASYNC110  # the client has no event for it
            await asyncio.sleep(0)
    assert len(set(started)) == 4
    assert all(client.is_closed() for client in started[:-1])
    assert bot.chat.client is started[-1]
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    assert started[-1].is_closed()


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (lambda: discord.LoginFailure("Improper token"), "rejected the token"),
        (lambda: discord.PrivilegedIntentsRequired(None), "privileged gateway intents"),
    ],
)
async def test_errors_that_no_restart_can_fix_stop_the_bot_with_the_remedy(
    monkeypatch: pytest.MonkeyPatch, error: Callable[[], Exception], said: str
) -> None:
    """A wrong token or missing intents stop the bot with a message instead of a restart loop."""
    started = starts(monkeypatch, error())
    with pytest.raises(CommandError, match=said):
        await run_client(make_bot(), TOKEN, pauses=(0.0,))
    assert len(started) == 1


async def test_two_bots_do_not_share_a_state_directory(tmp_path: Path) -> None:
    """The second one exits with a message instead of answering everything twice."""
    config = read({"swarm": {"state_dir": str(tmp_path)}})
    from bot.app.run import _state

    with _state(config), pytest.raises(CommandError, match="A bot runs already"):
        await run_bot(config, Discord(TOKEN))
