"""The real bot over the real wire, in the test's process, with a fake swarm behind it.

The swarm is a fake peer with a real store, so that each test is about the chat alone.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path

import discord

from bot.app.run import run_client
from bot.config import BotConfig, BotSection, Discord
from bot.context import Bot
from bot.interactions.client import point_to
from bot.playground.client import PlaygroundClient
from bot.playground.server import Playground
from bot.playground.views import InteractionView, MessageView, Snapshot
from bot.storage.journal import Journal
from bot.storage.people import People
from tests.bot.playground.conftest import STARTUP_SECONDS
from tests.bot.worlds import FakePeer

TREE, SPLIT = "### 🗺️", "### 🗳️"
FOR, AGAINST = "leaderless:approve", "leaderless:reject"

RESTART_SECONDS = 0.1
"""Until a client that was ended is started again; a real bot waits longer."""


@dataclass
class Scene:
    """A server with the real bot and the fake swarm behind it."""

    page: Playground
    people: PlaygroundClient
    peer: FakePeer
    folder: Path

    @contextlib.asynccontextmanager
    async def bot(self, name: str = "bot", *, direct: bool = False) -> AsyncIterator[Bot]:
        """Run a bot with a state of this name until the block ends.

        Args:
            name: of its state.
            direct: whether its owner allows direct messages.
        """
        state = self.folder / name
        state.mkdir(exist_ok=True)
        bot = Bot(
            BotConfig(bot=BotSection(vote_window=(0.0,), cooldown=0, direct_messages=direct)),
            journal=Journal(state / "journal.sqlite3"),
            people=People.load(state / "people.key"),
            make_peer=FakePeer,  # type: ignore[arg-type]  # never run: the scene hands it over
            settle_seconds=0,
        )
        self.peer.on_change = bot.relay.swarm_changed
        bot.relay.swarm_up(self.peer)
        running = asyncio.create_task(run_client(bot, self.page.token, pauses=(RESTART_SECONDS,)))
        try:
            await self.people.wait_for_bot(command="plan", seconds=STARTUP_SECONDS)
            yield bot
        finally:
            await bot.queue.close()
            await bot.relay.close()
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)

    async def said(self, text: str, *, times: int = 1) -> MessageView:
        """Wait until so many messages hold a text; return the newest."""

        def found(state: Snapshot) -> list[MessageView]:
            return [message for message in state.messages if text in message.content]

        state = await self.people.wait_for(
            lambda state: len(found(state)) >= times, seconds=STARTUP_SECONDS
        )
        assert len(found(state)) == times, [message.content for message in found(state)]
        return found(state)[-1]

    async def ask(self, goal: str = "A day in Goa") -> tuple[MessageView, bytes]:
        """Ask for a plan, with one split to vote on; return its message and the proposal."""
        known = {plan.id for plan in self.peer.store.plans()}
        await self.people.run_command("Asha", "plan", {"goal": goal})
        await self.said(f"{TREE} {goal}")
        (plan,) = [plan for plan in self.peer.store.plans() if plan.id not in known]
        proposal = self.peer.propose(plan.id, ["Beach", "Market"])
        await self.said(SPLIT)
        return await self.seeded(), proposal

    async def seeded(self) -> MessageView:
        """Wait until the split has the bot's own reactions."""
        state = await self.people.wait_for(
            lambda state: any(len(m.reactions) == 2 for m in state.messages),
            seconds=STARTUP_SECONDS,
        )
        return next(m for m in state.messages if len(m.reactions) == 2)

    async def settled(self, started: list[InteractionView]) -> list[str]:
        """Wait until all interactions are answered or have failed, and return their states."""
        async with asyncio.timeout(STARTUP_SECONDS), self.people.events() as (_, events):
            while True:
                found = [await self.people.interaction(one.id) for one in started]
                if all(one.state != "waiting" for one in found):
                    return [one.state for one in found]
                await anext(events)


@contextlib.contextmanager
def led_to(playground: Playground) -> Iterator[None]:
    """Point this process's discord.py to a playground until the block ends."""
    gateway = discord.gateway.DiscordWebSocket
    before = discord.http.Route.BASE, gateway.DEFAULT_GATEWAY
    point_to(Discord(playground.token, playground.api_base, playground.gateway_url))
    try:
        yield
    finally:
        discord.http.Route.BASE, gateway.DEFAULT_GATEWAY = before
