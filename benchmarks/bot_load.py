"""The bot under load: 200 people reacting at once, 50 goals at once, 5,000 messages of history.

    python -m benchmarks.bot_load

The bot is the real one, with the real discord.py over HTTP and a WebSocket to the playground, whose
rate limits are on. Only the swarm is simulated, so that just the chat is measured. The bot and the
playground share one process, so the lag of the event loop is that of both.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import structlog

sys.path.insert(0, str(Path(__file__).parents[1]))

from bot.app.run import make_client
from bot.config import BotConfig, BotSection, Discord
from bot.context import Bot
from bot.interactions.client import point_to
from bot.playground.server import Playground
from bot.playground.wire.limits import RateLimiter
from bot.storage.journal import Journal
from bot.storage.people import People
from tests.bot.worlds import FakePeer

PEOPLE = 200
GOALS = 50
HISTORY = 5_000
PATIENCE_S = 240.0
TICK_S = 0.02


@dataclass
class Watch:
    """What happens during a measurement."""

    refused: int = 0
    requests: int = 0
    worst_lag_s: float = 0.0

    def reset(self) -> None:
        """Count from zero."""
        self.refused, self.requests, self.worst_lag_s = 0, 0, 0.0


class CountingLimiter(RateLimiter):
    """Discord's limits, counted."""

    def __init__(self, now: Callable[[], float], watch: Watch) -> None:
        super().__init__(now)
        self._watch = watch

    def check(self, method: str, path: str) -> Any:
        """Count a request, and whether the limits refused it."""
        verdict = super().check(method, path)
        self._watch.requests += 1
        self._watch.refused += verdict.retry_after is not None
        return verdict


class Stage:
    """A playground, a bot, and a simulated swarm."""

    def __init__(self, page: Playground, folder: Path) -> None:
        self.page = page
        self.watch = Watch()
        self.peer = FakePeer()
        self.folder = folder
        self.journal = Journal(folder / "journal.sqlite3")
        self.people = People.load(folder / "people.key")

    def limit(self) -> None:
        """Reset Discord's limits."""
        self.page.rest.limiter = CountingLimiter(asyncio.get_running_loop().time, self.watch)

    @asynccontextmanager
    async def bot(self) -> AsyncIterator[Bot]:
        """Run a bot until the block ends."""
        section = BotSection(
            vote_window=(0.0,), cooldown=0, live_per_person=0, live_per_guild=0, daily_per_person=0
        )
        bot = Bot(
            BotConfig(bot=section),
            journal=self.journal,
            people=self.people,
            make_peer=FakePeer,  # type: ignore[arg-type]  # never run: the stage passes records to the bot itself
            settle_seconds=0,
        )
        self.peer.on_change = bot.relay.swarm_changed
        bot.relay.swarm_up(self.peer)
        client = make_client(bot, guild_ready_timeout=0)
        running = asyncio.create_task(client.start(self.page.token))
        await until(lambda: client.is_ready())
        try:
            yield bot
        finally:
            await bot.queue.close()
            await bot.relay.close()
            await client.close()
            await asyncio.gather(running, return_exceptions=True)

    def messages(self, channel: int) -> list[Any]:
        """Return a channel's messages."""
        return list(self.page.guild.backend.messages.get(channel, {}).values())

    def threads(self) -> list[int]:
        """Return the threads' ids."""
        channels = self.page.guild.backend.channels.values()
        return [channel.id for channel in channels if channel.is_thread]


async def until(true: Callable[[], bool]) -> float:
    """Wait until a condition holds; return the seconds that this took."""
    started = time.monotonic()
    async with asyncio.timeout(PATIENCE_S):
        while not true():  # noqa: ASYNC110  # what is waited for has no event
            await asyncio.sleep(TICK_S)
    return time.monotonic() - started


async def watch_lag(watch: Watch) -> None:
    """Record how late the event loop wakes up."""
    while True:
        due = time.monotonic() + TICK_S
        await asyncio.sleep(TICK_S)
        watch.worst_lag_s = max(watch.worst_lag_s, time.monotonic() - due)


def row(what: str, seconds: float, watch: Watch, more: str) -> None:
    """Print a line of the table."""
    print(
        f"| {what} | {seconds:.1f} s | {watch.requests} | {watch.refused} "
        f"| {watch.worst_lag_s * 1000:.0f} ms | {more} |",
        flush=True,
    )


def spread(waits: list[float]) -> str:
    """Return when the median, the last but one and the last were shown, as text."""
    middle, before, last = waits[len(waits) // 2], waits[-2], waits[-1]
    return (
        f"shown after {middle:.1f} s (median), {before:.1f} s (last but one), {last:.1f} s (last)"
    )


async def reactions(stage: Stage) -> None:
    """Let 200 people react to one split at once, and half of them withdraw their reaction."""
    persons = list(stage.page.guild.people.values())
    async with stage.bot():
        stage.page.members.run_command(persons[0], stage.page.channel_id, "plan", {"goal": "Crowd"})
        await until(lambda: bool(stage.threads()))
        (thread,) = stage.threads()
        goal = stage.peer.store.plans()[0].id
        split = stage.peer.propose(goal, ["a", "b"])
        await until(lambda: any(m.content.startswith("### 🗳️") for m in stage.messages(thread)))
        message = next(m for m in stage.messages(thread) if m.content.startswith("### 🗳️"))
        await until(lambda: len(message.reactions) == 2)
        stage.watch.reset()
        started = time.monotonic()
        for person in persons:
            stage.page.members.react(person, thread, message.id, "👍", True)
        tally = stage.peer.plan(goal).root.vote
        assert tally is not None
        await until(lambda: tally.tallies[split].people_for == PEOPLE)
        counted = time.monotonic() - started
        await until(lambda: f"👍 {PEOPLE}" in message.content)
        shown = time.monotonic() - started
        row(f"{PEOPLE} people react at once", counted, stage.watch, f"shown after {shown:.1f} s")
        stage.watch.reset()
        started = time.monotonic()
        for person in persons[::2]:
            stage.page.members.react(person, thread, message.id, "👍", False)
        await until(lambda: f"👍 {PEOPLE // 2}" in message.content)
        row("half of them take it back", time.monotonic() - started, stage.watch, "as shown")


async def history(stage: Stage) -> None:
    """Fill the thread while the bot is away; it must find its messages and the votes again."""
    (thread,) = stage.threads()
    backend = stage.page.guild.backend
    persons = list(stage.page.guild.people.values())
    for number in range(HISTORY):
        backend.create_message(thread, persons[number % PEOPLE], f"message {number}")
    message = next(m for m in stage.messages(thread) if m.content.startswith("### 🗳️"))
    for person in persons[::2]:
        backend.set_reaction(thread, message.id, "👎", person, True)
    # Filling the thread blocked the loop; that lag is not the bot's.
    await asyncio.sleep(1)
    stage.watch.reset()
    started = time.monotonic()
    before = sum(m.author_id == backend.bot_user.id for m in stage.messages(thread))
    async with stage.bot():
        await until(lambda: f"👎 {PEOPLE // 2}" in message.content)
    after = sum(m.author_id == backend.bot_user.id for m in stage.messages(thread))
    row(
        f"restart over {HISTORY:,} messages, {PEOPLE // 2} votes changed meanwhile",
        time.monotonic() - started,
        stage.watch,
        f"{after - before} posted again",
    )


async def goals(stage: Stage) -> None:
    """Run 50 goals at once in one channel; each has a split accepted and all its parts done."""
    persons = list(stage.page.guild.people.values())
    known = set(stage.threads())
    # Start in a fresh window of Discord's thread limit, which the previous thread has begun to use.
    stage.limit()
    async with stage.bot():
        stage.watch.reset()
        started = time.monotonic()
        for number in range(GOALS):
            stage.page.members.run_command(
                persons[number], stage.page.channel_id, "plan", {"goal": f"Goal {number}"}
            )
        fresh: Callable[[], list[int]] = lambda: [t for t in stage.threads() if t not in known]  # noqa: E731
        waits: list[float] = []
        seen: set[int] = set()

        def shown(text: str) -> bool:
            for thread in fresh():
                if thread not in seen and any(text in m.content for m in stage.messages(thread)):
                    seen.add(thread)
                    waits.append(time.monotonic() - started)
            return len(seen) == GOALS

        await until(lambda: shown("### 🗺️"))
        row(f"{GOALS} goals at once", waits[-1], stage.watch, spread(waits))
        stage.watch.reset()
        started = time.monotonic()
        plans = [plan for plan in stage.peer.store.plans() if plan.body.text.startswith("Goal")]
        for plan in plans:
            stage.peer.accept(stage.peer.propose(plan.id, ["a", "b", "c"]))
        waits.clear()
        seen.clear()
        await until(lambda: shown("of 3 parts"))
        row("a split accepted in each", waits[-1], stage.watch, spread(waits))


async def main() -> None:
    """Print the table."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(50))
    names = [f"person {number}" for number in range(PEOPLE)]
    with tempfile.TemporaryDirectory() as folder:
        async with Playground(people=names) as page:
            point_to(Discord(page.token, page.api_base, page.gateway_url))
            stage = Stage(page, Path(folder))
            stage.limit()
            lag = asyncio.create_task(watch_lag(stage.watch))
            print("| what | done after | requests | 429s | worst lag of the loop | |")
            print("|---|---|---|---|---|---|")
            await reactions(stage)
            await history(stage)
            await goals(stage)
            lag.cancel()


if __name__ == "__main__":
    asyncio.run(main())
