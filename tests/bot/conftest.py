"""A bot over a fake peer and SimCord's Discord: real discord.py, real journal, real store."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import discord
import pytest_asyncio
import simcord

from bot.app.run import make_client
from bot.clock import Clock
from bot.config import BotConfig, BotSection
from bot.context import Bot
from bot.storage.journal import Journal
from bot.storage.people import People
from tests.bot.worlds import FakePeer

BOT_PERMISSIONS = discord.Permissions(
    view_channel=True,
    send_messages=True,
    create_public_threads=True,
    send_messages_in_threads=True,
    add_reactions=True,
    attach_files=True,
    read_message_history=True,
    use_application_commands=True,
)


SETTLE_SECONDS = 60.0
"""For a bot to come to rest after each act: much, for machines that do much else."""


class NeverRun(FakePeer):
    """What the guest would run; in these tests the stage hands its own peer to the relay."""

    async def run(self, *, task_status: Any = None) -> None:
        """Never called."""
        raise NotImplementedError


THREAD_CREATED = discord.MessageType.thread_created
"""SimCord's notice in the channel; Discord shows none for a thread that hangs from a message."""


class VirtualClock(Clock):
    """SimCord's time: it passes only when a test says so."""

    def __init__(self) -> None:
        self.env: Any = None

    def now(self) -> float:
        """Return the virtual seconds."""
        return float(self.env.backend.clock.elapsed) if self.env else 0.0

    async def wait(self, seconds: float, event: asyncio.Event | None = None) -> None:
        """Wait in virtual time, in a way that SimCord does not take for a hanging handler."""
        waiting = super().wait(seconds, event)
        await self.env.external_wait(waiting, reason="the bot waits for something to do")


@dataclass
class Stage:
    """A server with one channel and two people, a running bot, and the swarm it speaks to."""

    env: Any
    peer: FakePeer
    bot: Bot
    channel: Any
    asha: Any
    bilal: Any
    make_bot: Callable[[], Bot]

    async def ask(self, goal: str = "Two weeks in Japan") -> bytes:
        """Ask for a plan as Asha; return its goal id."""
        await self.asha.slash(self.channel, "plan", goal=goal)
        await self.look()
        return self.peer.store.plans()[-1].id

    async def look(self, seconds: float = 3.0) -> None:
        """Let the bot catch up with what happened."""
        await self.env.advance_time(seconds)

    @property
    def thread(self) -> Any:
        """The newest thread."""
        return self.channel.threads[-1]

    def answers(self) -> list[str]:
        """What the bot wrote in the channel, oldest first."""
        return [m.content for m in self.channel.history() if m.type is not THREAD_CREATED]

    def messages(self) -> list[str]:
        """Return the messages of the thread, the oldest first."""
        return [m.content for m in self.thread.history() if m.content]

    def message(self, start: str) -> Any:
        """Return the one message in the thread that starts so."""
        (found,) = [m for m in self.thread.history() if m.content.startswith(start)]
        return found

    async def restart(self) -> None:
        """End the bot as a kill would, and start another one over the same journal and swarm."""
        await self.bot.queue.close()
        await self.bot.relay.close()
        quotas = self.bot.goals.quotas
        self.bot = self.make_bot()
        self.bot.goals.quotas = quotas
        await self.env.restart_bot(make_client(self.bot))
        await self.look()


@pytest_asyncio.fixture
async def stage(tmp_path: Path) -> AsyncIterator[Stage]:
    """Return a running stage."""
    async with staged(tmp_path, BotSection(vote_window=(0.0,))) as made:
        yield made


@pytest_asyncio.fixture
async def direct_stage(tmp_path: Path) -> AsyncIterator[Stage]:
    """Return a running stage whose owner opened direct messages."""
    async with staged(tmp_path, BotSection(vote_window=(0.0,), direct_messages=True)) as made:
        yield made


@contextlib.asynccontextmanager
async def staged(tmp_path: Path, section: BotSection) -> AsyncIterator[Stage]:
    """Run a stage with these settings."""
    peer = FakePeer()
    people = People.load(tmp_path / "people.key")
    journal = Journal(tmp_path / "journal.sqlite3")
    config = BotConfig(bot=section)

    clock = VirtualClock()

    def make_bot() -> Bot:
        bot = Bot(
            config,
            journal=journal,
            people=people,
            make_peer=NeverRun,
            settle_seconds=0,
            clock=clock,
        )
        peer.on_change = bot.relay.swarm_changed
        bot.relay.swarm_up(peer)
        return bot

    bot = make_bot()
    env = simcord.Env(make_client(bot, guild_ready_timeout=0), settle_timeout=SETTLE_SECONDS)
    clock.env = env
    await env.start()
    guild = env.create_guild()
    channel = guild.create_text_channel("plans")
    asha = guild.add_member(env.create_user("asha"))
    bilal = guild.add_member(env.create_user("bilal"))
    made = Stage(env, peer, bot, channel, asha, bilal, make_bot)
    try:
        yield made
    finally:
        await made.bot.queue.close()
        await made.bot.relay.close()
        await env.shutdown()
        journal.close()
    env._raise_errors_since(env._errors_acknowledged)
