"""How soon the bot shows what it hears, and answers commands, while 50 goals run.

    python -m benchmarks.bot_latency [--quick]

The bot is a separate process, as in production, and talks to the playground's server with Discord's
rate limits on. Two more processes are the swarm: they split each goal and then claim its parts one
after the other, one part every few seconds. Meanwhile people run commands.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil

from benchmarks import report
from benchmarks.peers import START_SECONDS, SWARM
from bot.playground.client import PlaygroundClient
from bot.playground.server import Playground
from bot.playground.wire.limits import RateLimiter
from bot.thread.writer import GATHER_SECONDS
from swarm.core.records import child_id

GOALS, QUICK_GOALS = 50, 4
PARTS, QUICK_PARTS = 5, 2
"""Parts of each goal; each is claimed once, which is one change to show."""

EVERY = 2.5
"""Seconds between changes of one goal: more than the second that the bot waits between edits."""

COMMANDS = ("help", "peers", "status")
COMMANDS_EVERY = 0.25
"""Commands that people run meanwhile, and seconds between them."""

PATIENCE = 240.0
"""Seconds allowed for each step of the preparation, which is not measured. Generous, because on a
busy machine the bot's peer alone takes half a minute to start."""
TICK = 0.02
SETTLE = 3.0
"""Seconds of quiet before anything is measured."""

DEFER_AIM = 0.2
"""Seconds within which a command should be answered, at the 99th percentile."""

_EDIT = re.compile(r"/channels/(\d+)/messages/\d+\Z")
_ANSWER = re.compile(r"/interactions/(\d+)/[^/]+/callback\Z")


@dataclass(slots=True)
class Wire:
    """What arrived at the playground's server, and when."""

    edits: dict[int, list[float]] = field(default_factory=dict)
    """By channel."""
    answers: dict[int, float] = field(default_factory=dict)
    """By interaction."""
    requests: int = 0
    refused: int = 0


class Watching(RateLimiter):
    """Discord's limits, and when each request arrived."""

    def __init__(self, now: Callable[[], float], wire: Wire) -> None:
        super().__init__(now)
        self._wire = wire

    def check(self, method: str, path: str) -> Any:
        """Record a request."""
        verdict = super().check(method, path)
        self._wire.requests += 1
        if verdict.retry_after is not None:
            self._wire.refused += 1
        elif method == "PATCH" and (edit := _EDIT.match(path)):
            self._wire.edits.setdefault(int(edit[1]), []).append(time.monotonic())
        elif answered := _ANSWER.match(path):
            self._wire.answers[int(answered[1])] = time.monotonic()
        return verdict


class Speaker:
    """A process of `benchmarks.peers`, steered from asyncio."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self._turn = asyncio.Lock()

    async def line(self) -> dict[str, Any]:
        """Return the next line that it prints."""
        assert self._process.stdout is not None
        async with asyncio.timeout(START_SECONDS):
            answer: dict[str, Any] = json.loads(await self._process.stdout.readline())
        return answer

    async def ask(self, do: str, **more: Any) -> dict[str, Any]:
        """Send it a command and return its answer."""
        assert self._process.stdin is not None
        async with self._turn:
            self._process.stdin.write(json.dumps({"do": do, **more}).encode() + b"\n")
            return await self.line()


@asynccontextmanager
async def running(arguments: Sequence[str], log: Path, **more: Any) -> AsyncIterator[Any]:
    """Run a Python module until the block ends."""
    with log.open("ab") as errors:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", *arguments, cwd=report.ROOT, stderr=errors, **more
        )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


@asynccontextmanager
async def speaker(folder: Path, name: str) -> AsyncIterator[Speaker]:
    """Run a process that publishes records."""
    options = {"role": "submitter", "name": name, "runtime_dir": str(folder / "run")}
    pipe = asyncio.subprocess.PIPE
    arguments = ["benchmarks.peers", json.dumps(options)]
    async with running(arguments, folder / f"{name}.log", stdin=pipe, stdout=pipe) as process:
        made = Speaker(process)
        await made.line()
        yield made


async def until(true: Callable[[], bool]) -> None:
    """Wait until a condition holds.

    Raises:
        TimeoutError: The condition did not hold in time.
    """
    async with asyncio.timeout(PATIENCE):
        while not true():  # noqa: ASYNC110  what is waited for has no event
            await asyncio.sleep(TICK)


@dataclass(frozen=True, slots=True)
class Found:
    """What was measured, in seconds, sorted."""

    shown: list[float]
    answered: list[float]
    never_shown: int
    never_answered: int
    requests: int
    refused: int
    seconds: float
    cpu: float
    """Of the bot, in seconds."""


class Scene:
    """The server, its people, the swarm and the goals."""

    def __init__(
        self, page: Playground, wire: Wire, swarm: tuple[Speaker, Speaker], bot: int
    ) -> None:
        self._page = page
        self._bot = bot
        """Its process id."""
        self._wire = wire
        self._decomposer, self._scorer = swarm
        self._people = list(page.guild.people.values())
        self._threads: dict[str, int] = {}
        """By the goal's text."""
        self._parts: dict[str, list[tuple[str, str]]] = {}
        """By the goal's text: goal and node, in hex, of each of its parts."""

    async def prepare(self, goals: int, parts: int) -> None:
        """Submit the goals, and have each of them split."""
        members, channel = self._page.members, self._page.channel_id
        texts = [f"Goal number {number}" for number in range(goals)]
        for person, text in zip(self._people, texts, strict=False):
            members.run_command(person, channel, "plan", {"goal": text})
        await until(lambda: len(self._find(texts, "### 🗺️")) == goals)
        self._threads = self._find(texts, "### 🗺️")
        known: dict[str, str] = {}
        async with asyncio.timeout(PATIENCE):
            while not set(texts) <= set(known):
                await asyncio.sleep(TICK)
                known = (await self._decomposer.ask("goals"))["goals"]
        splits = {text: await self._split(text, known[text], parts) for text in texts}
        async with asyncio.timeout(PATIENCE):
            # A ballot must be stamped later than the split it is about.
            while (await self._scorer.ask("state"))["count"] < 2 * goals:  # noqa: ASYNC110
                await asyncio.sleep(TICK)
        for text, proposal in splits.items():
            await self._approve(known[text], proposal)
        await until(lambda: len(self._find(texts, f"of {parts} parts")) == goals)

    async def _split(self, text: str, goal: str, parts: int) -> str:
        split = {
            "kind": "proposal",
            "goal": goal,
            "node": goal,
            "parts": [{"title": f"Part {place + 1}"} for place in range(parts)],
        }
        proposal = str((await self._decomposer.ask("publish", body=split))["id"])
        nodes = [child_id(bytes.fromhex(proposal), place).hex() for place in range(parts)]
        self._parts[text] = [(goal, node) for node in nodes]
        return proposal

    async def _approve(self, goal: str, proposal: str) -> None:
        ballot = {
            "kind": "ballot",
            "goal": goal,
            "node": goal,
            "proposal": proposal,
            "verdict": "approve",
            "concrete": 0.9,
            "distinct": 0.9,
            "complete": 0.9,
        }
        await self._scorer.ask("publish", body=ballot)

    def _find(self, texts: Sequence[str], sign: str) -> dict[str, int]:
        """Return the threads with a message that contains a mark, by the text of their goal."""
        backend = self._page.guild.backend
        found = {}
        for channel in backend.channels.values():
            if channel.is_thread:
                contents = [m.content for m in backend.messages.get(channel.id, {}).values()]
                for text in texts:
                    # With the end of the line; else goal 1 would be found in goal 10.
                    title = f"### 🗺️ {text}\n"
                    if any(title in content and sign in content for content in contents):
                        found[text] = channel.id
        return found

    async def play(self, parts: int) -> Found:
        """Make changes and run commands; measure how soon the bot shows and answers them."""
        self._wire.requests = self._wire.refused = 0
        cpu = self._bot_cpu()
        begin = time.monotonic()
        end = begin + EVERY * parts
        commands = asyncio.create_task(self._command(end))
        said: list[tuple[int, float]] = []
        for place in range(parts):
            for number, (text, ids) in enumerate(self._parts.items()):
                due = begin + EVERY * (place + number / len(self._parts))
                await asyncio.sleep(max(0.0, due - time.monotonic()))
                goal, node = ids[place]
                body = {"kind": "claim", "goal": goal, "node": node, "attempt": 1}
                answer = await self._decomposer.ask("publish", body=body)
                said.append((self._threads[text], answer["at"]))
        asked = await commands
        await asyncio.sleep(EVERY)
        seconds = time.monotonic() - begin
        shown = [self._shown(thread, at) for thread, at in said]
        answered = [
            self._wire.answers[number] - at for number, at in asked if number in self._wire.answers
        ]
        return Found(
            shown=sorted(value for value in shown if value is not None),
            answered=sorted(answered),
            never_shown=shown.count(None),
            never_answered=len(asked) - len(answered),
            requests=self._wire.requests,
            refused=self._wire.refused,
            seconds=seconds,
            cpu=self._bot_cpu() - cpu,
        )

    def _bot_cpu(self) -> float:
        return sum(psutil.Process(self._bot).cpu_times()[:2])

    def _shown(self, thread: int, at: float) -> float | None:
        later = [edit - at for edit in self._wire.edits.get(thread, ()) if edit > at]
        return min((value for value in later if value <= EVERY), default=None)

    async def _command(self, end: float) -> list[tuple[int, float]]:
        """Run commands until the end; return their interactions and when they were run."""
        threads = list(self._threads.values())
        asked: list[tuple[int, float]] = []
        while time.monotonic() < end:
            number = len(asked)
            name = COMMANDS[number % len(COMMANDS)]
            channel = threads[number % len(threads)] if name == "status" else self._page.channel_id
            person = self._people[number % len(self._people)]
            at = time.monotonic()
            view = self._page.members.run_command(person, channel, name, {})
            asked.append((int(view.id), at))
            await asyncio.sleep(COMMANDS_EVERY)
        return asked


async def measure(folder: Path, goals: int, parts: int) -> Found:
    """Prepare everything, measure, and return the result."""
    wire = Wire()
    people = [f"person {number}" for number in range(goals)]
    environment = {
        "LEADERLESS_SWARM__MDNS": "false",
        "LEADERLESS_SWARM__RUNTIME_DIR": str(folder / "run"),
        "LEADERLESS_BOT__VOTE_WINDOW": "0s",
        "LEADERLESS_BOT__COOLDOWN": "0s",
        "LEADERLESS_BOT__LIVE_PER_GUILD": "0",
    }
    arguments = ["bot", "run", "--swarm", SWARM, "--state-dir", str(folder / "bot")]
    async with (
        Playground(people=people) as page,
        PlaygroundClient(page.url) as client,
        speaker(folder, "decomposer") as decomposer,
        speaker(folder, "scorer") as scorer,
        running(
            arguments,
            folder / "bot.log",
            env={**os.environ, **page.bot_environment(), **environment},
        ) as bot,
    ):
        await client.wait_for_bot(command="plan", seconds=PATIENCE)
        scene = Scene(page, wire, (decomposer, scorer), bot.pid)
        await scene.prepare(goals, parts)
        # Only now: under the limits, opening so many threads takes minutes, and is not measured.
        page.rest.limiter = Watching(asyncio.get_running_loop().time, wire)
        await asyncio.sleep(SETTLE)
        return await scene.play(parts)


def main() -> None:
    """Measure, and write the report."""
    parser = report.parser(__doc__)
    options = parser.parse_args()
    page = report.Page("bot_latency", "The bot: how soon it shows and answers", options)
    goals, parts = (QUICK_GOALS, QUICK_PARTS) if options.quick else (GOALS, PARTS)
    with tempfile.TemporaryDirectory() as folder:
        found = asyncio.run(measure(Path(folder), goals, parts))
    page.say(
        f"The bot as a process, {goals} live goals in one server, {goals / EVERY:.0f} changes and "
        f"{1 / COMMANDS_EVERY:.0f} commands a second for {found.seconds:.0f} s; it made "
        f"{found.requests / found.seconds:.0f} requests a second, of which {found.refused} were "
        f"answered 429, and used {100 * found.cpu / found.seconds:.0f} % of a core. A "
        "change is shown when the edit of the goal's message reaches the server; "
        "its time runs from the record's publishing at another peer, so gossip and the "
        f"{1000 * GATHER_SECONDS:.0f} ms for which the bot gathers changes are in it. A command is "
        "answered when its acknowledgement reaches the server."
    )
    page.table(
        ["what", "how many", "median", "99th percentile", "never", "aim"],
        [
            _row("a change shown", found.shown, found.never_shown, "2 s"),
            _row("a command answered", found.answered, found.never_answered,
                 f"{1000 * DEFER_AIM:.0f} ms at the 99th"),
        ],
    )  # fmt: skip
    page.write()


def _row(what: str, values: list[float], never: int, aim: str) -> list[str]:
    if not values:
        return [what, "0", "-", "-", str(never), aim]
    return [
        what,
        str(len(values) + never),
        f"{1000 * statistics.median(values):.0f} ms",
        f"{1000 * report.percentile(values, 0.99):.0f} ms",
        str(never),
        aim,
    ]


if __name__ == "__main__":
    main()
