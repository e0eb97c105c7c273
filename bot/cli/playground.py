"""`swarm-bot playground`: the real bot in a local Discord with a page, and a swarm behind it."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import shutil
import signal
from collections.abc import AsyncIterator, Coroutine, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from swarm.console.errors import ENVIRONMENT, INTERRUPTED, OK, USAGE, CommandError

if TYPE_CHECKING:
    import filelock

    from bot.cli.screen import Screen
    from bot.config import BotConfig

DEFAULT_PORT = 8420
"""Where the page is, unless another program has the port; any port for a goal from the terminal."""

BOT_SECONDS = 60.0
"""How long the bot may take to log in, on a machine that starts eight peers at the same time."""

EXTRA_SECONDS = 120.0
"""On top of a goal's own deadline, until its plan must be in the thread."""

SESSIONS = 8
"""Playgrounds that may run side by side on a machine."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the command line asks for."""

    port: int | None
    with_swarm: bool
    goal: str | None
    counts: dict[str, int]
    model: str | None
    ollama: str | None
    config: str | None


@click.command(
    epilog="""
    \b
    Examples:
      swarm-bot playground --with-swarm
      swarm-bot playground --with-swarm --goal "Plan a two week trip to Japan"
      swarm-bot playground --swarm school         the bot joins a swarm that runs already

    Open the address that is printed. Type /plan and a goal, watch the thread, vote with the
    reactions; several members are there to act as. Everything listens on this machine only and is
    forgotten when it ends. Ctrl-C ends the page, the bot and the swarm.

    With --goal the command asks as a member would, shows the thread, prints the plan and ends:
    0 the plan is done or partial, 1 it failed, 3 no model can be had.
    """
)
@click.option("--port", type=click.IntRange(0, 65_535), help="Port of the page; 0: any free one.")
@click.option("--with-swarm", is_flag=True, help="Start a swarm on this machine too.")
@click.option("--goal", metavar="TEXT", help="Ask for this plan, print it, and end.")
@click.option("--decomposers", type=click.IntRange(0, 64), default=3, show_default=True)
@click.option("--scorers", type=click.IntRange(0, 64), default=3, show_default=True)
@click.option("--executors", type=click.IntRange(0, 64), default=2, show_default=True)
@click.option("--model", metavar="NAME", help="The model, as Ollama calls it.")
@click.option("--ollama", metavar="URL", help="An Ollama server.")
@click.option("--swarm", metavar="NAME", help="Join this swarm.  [default: one of its own]")
@click.option("--state-dir", metavar="DIR", help="Where logs and state are kept.")
@click.option("--config", metavar="FILE", help="A TOML file with your settings.")
def playground(
    port: int | None,
    with_swarm: bool,
    goal: str | None,
    decomposers: int,
    scorers: int,
    executors: int,
    model: str | None,
    ollama: str | None,
    swarm: str | None,
    state_dir: str | None,
    config: str | None,
) -> int:
    """Try the bot in a page on this machine, without a Discord account."""
    from bot.app.logs import log_to_stderr
    from bot.cli.screen import Screen
    from bot.config import read
    from swarm.config import ConfigError

    if goal is not None and not goal.strip():
        raise CommandError("The goal is empty. Say in a sentence what to plan.", exit_code=USAGE)
    name = swarm or (f"playground-{secrets.token_hex(3)}" if with_swarm else None)
    try:
        settings = read({"swarm": {"name": name, "state_dir": state_dir}}, config)
    except ConfigError as error:
        raise CommandError(str(error), exit_code=USAGE) from None
    log_to_stderr("warning", settings.log.format)
    counts = {"decomposers": decomposers, "scorers": scorers, "executors": executors}
    wanted = Wanted(port, with_swarm, goal, counts, model, ollama, config)
    screen = Screen()
    try:
        return asyncio.run(_until_told(_Session(settings, wanted, screen)))
    finally:
        screen.close()


async def _until_told(session: _Session) -> int:
    """Run a session until it ends, or until Ctrl-C or SIGTERM."""
    from bot.app.run import told_to_stop

    stop = asyncio.create_task(told_to_stop())
    work = asyncio.create_task(session.run())
    await asyncio.wait([stop, work], return_when=asyncio.FIRST_COMPLETED)
    told = stop.result() if stop.done() else None
    for task in (stop, work):
        task.cancel()
    await asyncio.gather(stop, work, return_exceptions=True)
    if told is not None:
        return INTERRUPTED if told == signal.SIGINT else OK
    return work.result()


class _Session:
    """A page, a bot, and perhaps a swarm, for as long as it runs."""

    def __init__(self, config: BotConfig, wanted: Wanted, screen: Screen) -> None:
        self._config = config
        self._wanted = wanted
        self._screen = screen

    async def run(self) -> int:
        """Run until cancelled, or until the plan that was asked for is there."""
        with _folder(self._config.swarm.state_dir / "playground") as folder:
            async with contextlib.AsyncExitStack() as stack:
                return await self._run(folder, stack)

    async def _run(self, folder: Path, stack: contextlib.AsyncExitStack) -> int:
        from bot.playground.client import PlaygroundClient

        page = await stack.enter_async_context(self._page())
        client = await stack.enter_async_context(PlaygroundClient(page.url))
        halves: list[asyncio.Task[Any]] = []
        stack.push_async_callback(_end, halves)
        ready = asyncio.Event()
        if self._wanted.with_swarm:
            from bot.cli.local_swarm import LocalSwarm

            self._screen.say(f"Starting a swarm; its logs are in {folder / 'logs'}.")
            swarm = LocalSwarm(
                self._swarm_arguments(folder),
                on_model=self._screen.loading,
                on_note=self._screen.say,
            )
            ready = swarm.ready
            halves.append(asyncio.create_task(swarm.run()))
        else:
            ready.set()
        if self._wanted.goal is None:
            self._screen.say(f"The playground is at  {page.url}  (Ctrl-C ends it)", style="bold")
        else:
            # A goal is signed for the scorers who are there: they come first.
            await _either(halves, ready.wait())
        halves.append(asyncio.create_task(self._bot(folder, page.bot_environment())))
        await _either(halves, client.wait_for_bot(command="plan", seconds=BOT_SECONDS))
        if self._wanted.goal is None:
            self._screen.say("The bot is there. Type /plan in the page.")
            await _either(halves, asyncio.Event().wait())
            return OK
        from bot.cli.ask import ask

        self._screen.say(f"The thread can be followed at  {page.url}", style="bold")
        seconds = self._config.policy.deadline + EXTRA_SECONDS
        asked = ask(client, self._wanted.goal, self._screen, seconds=seconds)
        code = await _either(halves, asked)
        assert isinstance(code, int)
        return code

    @contextlib.asynccontextmanager
    async def _page(self) -> AsyncIterator[Any]:
        from bot.playground.server import Playground

        port = self._wanted.port
        first = port if port is not None else (0 if self._wanted.goal else DEFAULT_PORT)
        page = Playground(first)
        try:
            await page.__aenter__()
        except OSError as error:
            if port is not None:
                raise CommandError(
                    f"Port {port} is taken by another program ({error.strerror}). Choose another "
                    "with --port, or 0 for any free one.",
                    exit_code=ENVIRONMENT,
                ) from None
            page = Playground(0)
            await page.__aenter__()
        try:
            yield page
        finally:
            await page.__aexit__(None, None, None)

    async def _bot(self, folder: Path, environment: dict[str, str]) -> None:
        """Keep the bot running against the page.

        Raises:
            CommandError: it cannot run.
        """
        from bot.cli.child_process import keep_running

        log_path = folder / "logs" / "bot.log"
        log_path.parent.mkdir(parents=True, exist_ok=True)
        if self._wanted.goal is not None:
            # Nobody is there to vote: scorers need not wait for people.
            environment |= {"LEADERLESS_BOT__VOTE_WINDOW": "0s"}
        arguments = ["run", "--swarm", self._config.swarm.name, "--state-dir", str(folder)]
        if self._wanted.config:
            arguments += ["--config", self._wanted.config]
        code = await keep_running(
            "bot",
            arguments,
            environment=environment,
            log_path=log_path,
            fatal=frozenset((USAGE,)),
        )
        raise CommandError(f"The bot cannot run; its log {log_path} says why.", exit_code=code)

    def _swarm_arguments(self, folder: Path) -> list[str]:
        arguments = ["--swarm", self._config.swarm.name, "--state-dir", str(folder)]
        for option, count in self._wanted.counts.items():
            arguments += [f"--{option}", str(count)]
        for option in ("model", "ollama", "config"):
            value = getattr(self._wanted, option)
            if value:
                arguments += [f"--{option}", value]
        return arguments


async def _either(halves: list[asyncio.Task[Any]], work: Coroutine[Any, Any, Any]) -> Any:
    """Do something while the halves run; if one of them ends first, say what it says."""
    task = asyncio.ensure_future(work)
    try:
        await asyncio.wait([task, *halves], return_when=asyncio.FIRST_COMPLETED)
        for half in halves:
            if half.done():
                half.result()
        try:
            return task.result()
        except TimeoutError:
            raise CommandError(
                f"The bot did not log in within {BOT_SECONDS:.0f} seconds; its log says more.",
                exit_code=ENVIRONMENT,
            ) from None
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def _end(halves: list[asyncio.Task[Any]]) -> None:
    for half in halves:
        half.cancel()
    await asyncio.gather(*halves, return_exceptions=True)


@contextlib.contextmanager
def _folder(parent: Path) -> Iterator[Path]:
    """Give an empty folder for this session; what an earlier one left there is removed.

    The logs stay after the end, until the next session.
    """
    try:
        parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        lock, folder = _free(parent)
    except OSError as error:
        raise CommandError(
            f"The playground cannot keep its state in {parent}: {error.strerror or error}. Give it "
            "a writable directory with --state-dir.",
            exit_code=ENVIRONMENT,
        ) from None
    with lock:
        yield folder


def _free(parent: Path) -> tuple[filelock.BaseFileLock, Path]:
    """Hold the first folder that no other playground uses, and empty it."""
    import filelock

    for number in range(1, SESSIONS + 1):
        lock = filelock.FileLock(parent / f"{number}.lock", blocking=False)
        try:
            lock.acquire()
        except filelock.Timeout:
            continue
        folder = parent / str(number)
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(mode=0o700)
        return lock, folder
    raise CommandError(
        f"{SESSIONS} playgrounds run on this machine already; end one of them.",
        exit_code=ENVIRONMENT,
    )
