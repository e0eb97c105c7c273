"""A bot that is killed while it asks the swarm for a goal; a process of its own, for `test_killed`.

Its swarm's replica is a file: what is in there, others may have heard.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path

from bot.config import BotConfig, BotSection
from bot.context import Bot
from bot.goals.goals import Asked, Asker
from bot.goals.options import Options
from bot.interactions.ask import ask
from bot.storage.journal import Journal
from bot.storage.people import People
from swarm.core.records import KnownBody, Record
from tests.bot.worlds import FakePeer

GOAL = "Once and only once"
GUILD, CHANNEL, USER = 1, 2, 3


def bot_in(folder: Path) -> Bot:
    """Return a bot whose state is in a folder; it is not connected to Discord."""
    section = BotSection(vote_window=(0.0,), cooldown=0, live_per_person=1)
    return Bot(
        BotConfig(bot=section),
        journal=Journal(folder / "journal.sqlite3"),
        people=People.load(folder / "people.key"),
        make_peer=FakePeer,  # type: ignore[arg-type]  # never run: it is handed to the relay
        settle_seconds=0,
    )


def replica(folder: Path) -> Path:
    """Return the file that holds what the swarm heard."""
    return folder / "replica"


def kill() -> None:
    """End this process as `kill -9` does."""
    os.kill(os.getpid(), signal.SIGKILL)


class Dying(FakePeer):
    """A peer in whose `say` the process is killed: `before` the note, `noted`, or `published`."""

    def __init__(self, folder: Path, when: str) -> None:
        super().__init__()
        self._folder = folder
        self._when = when

    def say(
        self, body: KnownBody, who: str = "", *, note: Callable[[Record], object] | None = None
    ) -> Record:
        """Say something, and be killed at the moment that was chosen."""

        def noting(record: Record) -> None:
            if self._when == "before":
                kill()
            if note is not None:
                note(record)
            if self._when == "noted":
                kill()

        record = super().say(body, who, note=noting)
        replica(self._folder).write_bytes(record.raw)
        kill()
        return record


async def main(folder: Path, way: str, when: str) -> None:
    """Ask for the goal by the queue or by command."""
    bot = bot_in(folder)
    peer = Dying(folder, when)
    person = bot.people.hash(GUILD, USER)
    bot.relay.swarm_up(peer)
    if way == "queue":
        bot.queue.enter(Asked(GUILD, CHANNEL, person, "en-US"), GOAL, Options())
        await bot.queue.start_ready()
    else:

        async def answer(_: str) -> int | None:
            return 4

        await ask(bot, Asker(GUILD, CHANNEL, USER, "en-US"), GOAL, Options(), answer)


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), sys.argv[2], sys.argv[3]))
