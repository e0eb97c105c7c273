"""Running the bot in one process: chat client, swarm peer, journal, and what keeps them running.

Two supervised halves share one asyncio loop: the chat client and the swarm peer. When one crashes,
the crash is logged, the half is started again after a pause, and the other half continues. An error
that no restart can fix (a wrong token, a missing intent) stops the bot with a message that says
what to do.
"""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections.abc import Iterator

import aiohttp
import discord
import filelock
import structlog

from bot import metrics
from bot.app import metrics_server
from bot.app.watchdog import Watchdog
from bot.config import BotConfig, Discord
from bot.context import Bot
from bot.interactions.client import Client, point_to
from bot.storage.journal import Journal, JournalError
from bot.storage.people import People
from swarm.console.errors import ENVIRONMENT, USAGE, CommandError
from swarm.peer.peer import Peer
from swarm.peer.settings import PeerSettings, on_free_ports
from swarm.processes.restarts import RestartPauses
from swarm.trust.identity import IdentityError

log = structlog.get_logger(__name__)

PAUSES_SECONDS = (1.0, 5.0, 15.0, 60.0)
"""Pauses before the chat client is started again; the last one repeats."""

HEALTHY_SECONDS = 120.0
"""A client that ran this long counts as healthy: the pauses start again from the first."""

CLOSE_SECONDS = 3.0
"""How long the client may take to close its connection: less than a lifeline's grace."""

LOGIN_REFUSED = (
    "Discord rejected the token. Copy it again from the developer portal (Bot, Reset Token); "
    "the application id and the client secret are not the token."
)
INTENTS_REFUSED = (
    "Discord rejected the bot's intents. In the developer portal, under Bot, switch on the "
    "privileged gateway intents that the message above names, or update the bot."
)


def make_client(bot: Bot, **options: object) -> Client:
    """Return a new client, which the bot uses from now on."""
    client = Client(bot, **options)
    bot.chat.client = client
    return client


def peer_settings(config: BotConfig) -> PeerSettings:
    """Return how the bot's own peer runs.

    Raises:
        TrustError: the keys or grants of an owned swarm cannot be used.
    """
    return PeerSettings.from_config(
        config.swarm,
        "submitter",
        state_dir=config.state_dir,
        name=config.bot.name,
        listen=config.bot.listen or on_free_ports(config.swarm.listen),
    )


async def run_bot(config: BotConfig, where: Discord) -> int:
    """Run the bot until SIGINT or SIGTERM; return the signal's number.

    Raises:
        CommandError: it cannot run; the message says what to do.
    """
    point_to(where)
    with _state(config) as (journal, people):
        try:
            settings = peer_settings(config)
        except IdentityError as error:
            raise CommandError(str(error), exit_code=ENVIRONMENT) from error
        bot = Bot(config, journal=journal, people=people, make_peer=lambda: Peer(settings))
        stop = asyncio.create_task(wait_for_signal(), name="signals")
        halves = [
            asyncio.create_task(bot.guest.run(), name="swarm"),
            asyncio.create_task(run_client(bot, where.token), name="chat"),
        ]
        if config.bot.metrics_port:
            halves.append(
                asyncio.create_task(
                    metrics_server.serve(bot, config.bot.metrics_port), name="health"
                )
            )
        helpers = [
            asyncio.create_task(Watchdog().run(), name="watchdog"),
            asyncio.create_task(journal.keep_short(), name="journal"),
        ]
        try:
            done, _ = await asyncio.wait([stop, *halves], return_when=asyncio.FIRST_COMPLETED)
        finally:
            await bot.queue.close()
            await bot.relay.close()
            for task in (stop, *helpers, *halves):
                task.cancel()
            await asyncio.gather(stop, *helpers, *halves, return_exceptions=True)
            log.info("bot_stopped")
        for half in done - {stop}:
            # A half that stopped by itself raises an error that no restart can fix.
            half.result()
        return stop.result()


@contextlib.contextmanager
def _state(config: BotConfig) -> Iterator[tuple[Journal, People]]:
    """Open the bot's state on disk, and lock it against a second bot."""
    folder = config.state_dir
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        lock = filelock.FileLock(folder / "bot.lock", blocking=False)
        lock.acquire()
    except filelock.Timeout:
        raise CommandError(
            f"A bot runs already with its state in {folder}: two would answer everything twice. "
            "Stop it, or give this one another --state-dir.",
            exit_code=ENVIRONMENT,
        ) from None
    except OSError as error:
        raise CommandError(
            f"The bot cannot keep its state in {folder}: {error.strerror or error}. Give it a "
            "writable directory with --state-dir.",
            exit_code=ENVIRONMENT,
        ) from None
    with lock:
        try:
            people = People.load(folder / "people.key")
            journal = Journal(folder / "journal.sqlite3")
        except (IdentityError, JournalError) as error:
            raise CommandError(str(error), exit_code=ENVIRONMENT) from error
        with journal:
            yield journal, people


async def wait_for_signal() -> int:
    """Wait for SIGINT or SIGTERM; return the signal's number."""
    loop = asyncio.get_running_loop()
    told: asyncio.Future[int] = loop.create_future()

    def hear(number: int) -> None:
        if not told.done():
            told.set_result(number)

    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, hear, number)
    return await told


async def run_client(bot: Bot, token: str, *, pauses: tuple[float, ...] = PAUSES_SECONDS) -> None:
    """Keep a client connected until cancelled.

    Raises:
        CommandError: Discord rejects the bot, which no restart can fix.
    """
    loop = asyncio.get_running_loop()
    restarts = RestartPauses(pauses, HEALTHY_SECONDS)
    while True:
        started = loop.time()
        client = make_client(bot)
        try:
            await client.start(token)
            reason = "the connection was closed"
        except discord.LoginFailure:
            raise CommandError(LOGIN_REFUSED, exit_code=USAGE) from None
        except discord.PrivilegedIntentsRequired as error:
            raise CommandError(f"{error}\n{INTENTS_REFUSED}", exit_code=USAGE) from None
        except (aiohttp.ClientError, OSError, discord.HTTPException) as error:
            reason = f"Discord cannot be reached ({type(error).__name__}: {error})"
        except Exception as error:
            # A malformed event, a library defect: whatever stopped the client, the bot goes on.
            log.exception("discord_client_crashed")
            reason = f"{type(error).__name__}: {error}"
        finally:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(CLOSE_SECONDS):
                    await client.close()
        pause = restarts.after(loop.time() - started)
        metrics.RESTARTS.labels("discord").inc()
        metrics.CONNECTED.labels("discord").set(0)
        log.warning("discord_client_restarts", reason=reason, in_seconds=pause)
        await asyncio.sleep(pause)
