"""`swarm-bot playground`: the real bot on a simulated Discord server, with a page and a swarm."""

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
"""The page's port if it is free; with --goal, any free port is used."""

BOT_ONLINE = "The bot is online. Type /plan in the page."
"""The line that says that everything is ready."""

BOT_SECONDS = 60.0
"""How long the bot may take to log in while eight peers start on the same machine."""

EXTRA_SECONDS = 120.0
"""Reserve on top of a goal's own deadline, until its plan must be in the thread."""

SESSIONS = 8
"""Most playgrounds that can run at the same time on one machine."""


@dataclass(frozen=True, slots=True)
class Choices:
    """The choices made on the command line."""

    port: int | None
    with_swarm: bool
    goal: str | None
    counts: dict[str, int]
    model: str | None
    server: str | None
    config: str | None


@click.command(
    epilog="""
    \b
    Examples:
      swarm-bot playground --with-swarm
      swarm-bot playground --with-swarm --goal "Plan a two week trip to Japan"
      swarm-bot playground --swarm school         join a swarm that is already running

    Open the printed address in a browser. Type /plan and a goal, watch the thread and vote with the
    reactions. You can act as several members. Everything is reachable from this machine only and is
    deleted at the end. Ctrl-C stops the page, the bot and the swarm.

    With --goal, the command asks for the plan as a member would, shows the thread, prints the plan
    and exits. Exit code 0: the plan is done or partly done. 1: it failed. 3: no model is available.
    """
)
@click.option("--port", type=click.IntRange(0, 65_535), help="The page's port; 0: any free port.")
@click.option("--with-swarm", is_flag=True, help="Also start a swarm on this machine.")
@click.option("--goal", metavar="TEXT", help="Ask for a plan for this goal, print it and exit.")
@click.option(
    "--decomposers",
    type=click.IntRange(0, 64),
    default=3,
    show_default=True,
    help="Number of decomposers, which propose splits.",
)
@click.option(
    "--scorers",
    type=click.IntRange(0, 64),
    default=3,
    show_default=True,
    help="Number of scorers, which rate the proposals.",
)
@click.option(
    "--executors",
    type=click.IntRange(0, 64),
    default=2,
    show_default=True,
    help="Number of executors, which do the parts.",
)
@click.option("--model", metavar="NAME", help="The model's name on its server.")
@click.option(
    "--server",
    "--ollama",
    "server",
    metavar="URL",
    help="Address of a model server: Ollama, or one with OpenAI's interface.",
)
@click.option(
    "--swarm",
    metavar="NAME",
    help="Name of the swarm to join.  [default: a new one with --with-swarm, else leaderless]",
)
@click.option("--state-dir", metavar="DIR", help="Where logs and state are stored.")
@click.option("--config", metavar="FILE", help="A TOML file with your settings.")
def playground(
    port: int | None,
    with_swarm: bool,
    goal: str | None,
    decomposers: int,
    scorers: int,
    executors: int,
    model: str | None,
    server: str | None,
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
    choices = Choices(port, with_swarm, goal, counts, model, server, config)
    screen = Screen()
    try:
        return asyncio.run(_until_stopped(_Session(settings, choices, screen)))
    finally:
        screen.close()


async def _until_stopped(session: _Session) -> int:
    """Run a session until it ends, or until Ctrl-C or SIGTERM."""
    from bot.app.run import wait_for_signal

    stop = asyncio.create_task(wait_for_signal())
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
    """A page, a bot and possibly a swarm that run together."""

    def __init__(self, config: BotConfig, choices: Choices, screen: Screen) -> None:
        self._config = config
        self._choices = choices
        self._screen = screen

    async def run(self) -> int:
        """Run until cancelled or, with a goal, until its plan is finished."""
        with _folder(self._config.swarm.state_dir / "playground") as folder:
            async with contextlib.AsyncExitStack() as stack:
                return await self._run(folder, stack)

    async def _run(self, folder: Path, stack: contextlib.AsyncExitStack) -> int:
        from bot.playground.client import PlaygroundClient

        page = await stack.enter_async_context(self._page())
        client = await stack.enter_async_context(PlaygroundClient(page.url))
        background: list[asyncio.Task[Any]] = []
        stack.push_async_callback(_end, background)
        ready = asyncio.Event()
        if self._choices.with_swarm:
            from bot.cli.local_swarm import LocalSwarm
            from swarm.config import server_variables

            self._screen.say(f"Starting a swarm. Its logs are in {folder / 'logs'}.")
            swarm = LocalSwarm(
                self._swarm_arguments(folder),
                environment=server_variables(self._choices.server or ""),
                on_model=self._screen.loading,
                on_note=self._screen.say,
            )
            ready = swarm.ready
            background.append(asyncio.create_task(swarm.run()))
        else:
            ready.set()
        if self._choices.goal is None:
            self._screen.say(f"The playground is at  {page.url}  (Ctrl-C stops it)", style="bold")
        else:
            # A goal's policy depends on the scorers that are present, so wait for the swarm.
            await _while_running(background, ready.wait())
        background.append(asyncio.create_task(self._bot(folder, page.bot_environment())))
        await _while_running(background, client.wait_for_bot(command="plan", seconds=BOT_SECONDS))
        if self._choices.goal is None:
            self._screen.say(BOT_ONLINE)
            await _while_running(background, asyncio.Event().wait())
            return OK
        from bot.cli.ask import ask

        self._screen.say(f"You can also follow the thread at  {page.url}", style="bold")
        seconds = self._config.policy.deadline + EXTRA_SECONDS
        asked = ask(client, self._choices.goal, self._screen, seconds=seconds)
        code = await _while_running(background, asked)
        assert isinstance(code, int)
        return code

    @contextlib.asynccontextmanager
    async def _page(self) -> AsyncIterator[Any]:
        from bot.playground.server import Playground

        port = self._choices.port
        first = port if port is not None else (0 if self._choices.goal else DEFAULT_PORT)
        page = Playground(first)
        try:
            await page.__aenter__()
        except OSError as error:
            if port is not None:
                raise CommandError(
                    f"Port {port} cannot be used ({error.strerror}). Choose another with "
                    "--port, or 0 for any free one.",
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
            CommandError: the bot cannot run.
        """
        from bot.cli.child_process import keep_running

        log_path = folder / "logs" / "bot.log"
        if self._choices.goal is not None:
            # Nobody is there to vote, so scorers need not wait for people.
            environment |= {"LEADERLESS_BOT__VOTE_WINDOW": "0s"}
        arguments = ["run", "--swarm", self._config.swarm.name, "--state-dir", str(folder)]
        if self._choices.config:
            arguments += ["--config", self._choices.config]
        code = await keep_running(
            "bot",
            arguments,
            environment=environment,
            log_path=log_path,
            fatal=frozenset((USAGE,)),
        )
        raise CommandError(f"The bot cannot run. See its log: {log_path}", exit_code=code)

    def _swarm_arguments(self, folder: Path) -> list[str]:
        arguments = ["--swarm", self._config.swarm.name, "--state-dir", str(folder)]
        for option, count in self._choices.counts.items():
            arguments += [f"--{option}", str(count)]
        for option in ("model", "config"):
            value = getattr(self._choices, option)
            if value:
                arguments += [f"--{option}", value]
        return arguments


async def _while_running(
    background: list[asyncio.Task[Any]], work: Coroutine[Any, Any, Any]
) -> Any:
    """Do some work while background tasks run; if one of them ends first, raise its error."""
    main = asyncio.ensure_future(work)
    try:
        await asyncio.wait([main, *background], return_when=asyncio.FIRST_COMPLETED)
        for task in background:
            if task.done():
                task.result()
        try:
            return main.result()
        except TimeoutError:
            raise CommandError(
                f"The bot did not log in within {BOT_SECONDS:.0f} seconds. Its log has the "
                "details.",
                exit_code=ENVIRONMENT,
            ) from None
    finally:
        main.cancel()
        await asyncio.gather(main, return_exceptions=True)


async def _end(background: list[asyncio.Task[Any]]) -> None:
    for task in background:
        task.cancel()
    await asyncio.gather(*background, return_exceptions=True)


@contextlib.contextmanager
def _folder(parent: Path) -> Iterator[Path]:
    """Yield an empty folder for this session, after removing files of an earlier one.

    The logs stay after the session, until the next one.
    """
    try:
        parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        lock, folder = _free(parent)
    except OSError as error:
        raise CommandError(
            f"The playground cannot write to {parent}: {error.strerror or error}. Choose a "
            "writable directory with --state-dir.",
            exit_code=ENVIRONMENT,
        ) from None
    with lock:
        yield folder


def _free(parent: Path) -> tuple[filelock.BaseFileLock, Path]:
    """Lock and empty the first folder that no other playground uses."""
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
        f"{SESSIONS} playgrounds are already running on this machine. Stop one of them first.",
        exit_code=ENVIRONMENT,
    )
