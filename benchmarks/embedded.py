"""The embedded model: our server and the bare engine, shared prompts, one and eight peers asking.

    python -m benchmarks.embedded [--quick] [--model smollm2-135m] [--plan]

The bare engine is xllamacpp in this process, called as the server calls it. The server is a
separate process, called over HTTP. They take turns and never run at the same time. The prompts are
those of a real plan: splits by three lenses, three questions about each split, tasks. The small
model's plans are nonsense, but it spends its time in the same places. `--model qwen2.5-coder-1.5b`
measures the default model, and `--plan` measures how long `swarm up` takes with it to print a plan
(some minutes).
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from benchmarks import report
from swarm.brief.part import Part
from swarm.llm.client import prompts
from swarm.llm.client.part_prompts import part_prompt
from swarm.llm.client.prompt import Prompt
from swarm.llm.client.split_prompts import titles_prompt
from swarm.llm.embedded import weights
from swarm.llm.embedded.engine import Completion, Engine, EngineRequest, Piece
from swarm.llm.requests import DoRequest, RateRequest, SplitRequest

MODEL = "smollm2-135m"

GOAL = "Plan a two week trip to Japan"
LENSES = ("place", "activity", "day")
PARTS = tuple(
    Part(title=title, detail=f"What to see in {title}, how to get there, and what to book before.")
    for title in ("Tokyo", "Kyoto", "Osaka", "Hiroshima")
)

SHORT, LONG = 24, 96
"""Tokens of an answer where the prompts matter, and where the answers do."""

SPLITS, QUICK_SPLITS = 2, 1
"""Splits of the plan whose prompts are evaluated twice; a whole plan has three."""

PEERS, QUICK_PEERS = 8, 2
START_SECONDS = 180.0
ANSWER_SECONDS = 300.0
PLAN_SECONDS = 900.0


def calls(splits: int) -> list[Prompt]:
    """Return a plan's calls in order: splits, the questions about each, tasks."""
    made = []
    for lens in LENSES[:splits]:
        made.append(
            titles_prompt(
                SplitRequest(
                    goal=GOAL,
                    title=GOAL,
                    detail="",
                    path=(),
                    language="en",
                    lens=lens,
                    max_parts=5,
                    may_nest=False,
                ),
            )
        )
    for turn in range(splits):
        parts = PARTS[turn:] + PARTS[:turn]
        asked = RateRequest(
            goal=GOAL, title=GOAL, detail="", language="en", parts=parts, atomic=False
        )
        made += prompts.rate_prompts(asked).values()
    return made + [task(part.title) for part in PARTS[: splits + 1]]


def task(title: str) -> Prompt:
    """Return the prompt of one task."""
    request = DoRequest(
        goal=GOAL, title=title, detail="What to see there.", language="en", inputs=()
    )
    return part_prompt(request, small=True)


class Uncached(EngineRequest):
    """A request that evaluates its whole prompt, whatever was asked before."""

    def to_openai(self) -> dict[str, Any]:
        """The request without the cache."""
        return {**super().to_openai(), "cache_prompt": False}


def engine_request(
    prompt: Prompt, tokens: int, kind: type[EngineRequest] = EngineRequest
) -> EngineRequest:
    """Return a prompt as the engine takes it, with a short answer."""
    return kind(
        messages=tuple(prompt.messages),
        schema=prompt.schema,
        max_tokens=min(tokens, prompt.max_tokens),
    )


def ask_bare(engine: Engine, request: EngineRequest) -> tuple[float, Completion]:
    """Ask the engine in this process; return the seconds and the completion."""

    def take(_: Piece) -> bool:
        return True

    began = time.perf_counter()
    done = engine.complete(request, take)
    return time.perf_counter() - began, done


@dataclass(frozen=True, slots=True)
class Answer:
    """What the server reported about one answer: tokens, and seconds until its end."""

    seconds: float
    prompt_tokens: int
    answer_tokens: int


async def ask_server(client: httpx.AsyncClient, model: str, prompt: Prompt, tokens: int) -> Answer:
    """Ask the server over HTTP, streamed, as peers do."""
    body = {
        "model": model,
        "messages": [dict(turn) for turn in prompt.messages],
        "stream": True,
        "options": {"temperature": 0, "num_predict": min(tokens, prompt.max_tokens)},
    }
    if prompt.schema is not None:
        body["format"] = dict(prompt.schema)
    began = time.perf_counter()
    last = ""
    async with client.stream("POST", "/api/chat", json=body) as response:
        response.raise_for_status()
        async for line in response.aiter_lines():
            last = line or last
    end = json.loads(last)
    return Answer(
        time.perf_counter() - began, int(end["prompt_eval_count"]), int(end["eval_count"])
    )


@contextlib.asynccontextmanager
async def server(path: Path, model: str, folder: Path) -> AsyncIterator[httpx.AsyncClient]:
    """Run the embedded server until the block ends."""
    command = [
        sys.executable,
        "-m",
        "swarm.llm.embedded.server",
        "--weights",
        str(path),
        "--model",
        model,
    ]
    process = await asyncio.create_subprocess_exec(
        *command,
        "--state-dir",
        str(folder),
        cwd=report.ROOT,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        state = folder / "state.json"
        async with asyncio.timeout(START_SECONDS):
            while not state.exists():
                if process.returncode is not None:
                    raise RuntimeError("the embedded server ended while it started")
                await asyncio.sleep(0.1)
        url = json.loads(state.read_text())["url"]
        async with (
            httpx.AsyncClient(base_url=url, timeout=ANSWER_SECONDS) as client,
            client.stream("GET", "/lease"),
        ):
            yield client
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


@dataclass(frozen=True, slots=True)
class Evaluated:
    """What the prompts of a plan cost."""

    prompts: int
    tokens: int
    evaluated: int
    prompt_seconds: float


def evaluate(engine: Engine, splits: int, kind: type[EngineRequest]) -> Evaluated:
    """Make the calls of a plan in order, with or without the prompt cache."""
    done = [ask_bare(engine, engine_request(call, 1, kind))[1] for call in calls(splits)]
    return Evaluated(
        prompts=len(done),
        tokens=sum(one.prompt_tokens for one in done),
        evaluated=sum(one.prompt_tokens - one.cached_tokens for one in done),
        prompt_seconds=sum(one.prompt_ms for one in done) / 1000,
    )


async def speed(
    engine: Engine, client: httpx.AsyncClient, model: str, runs: int, tokens: int
) -> report.Paired[float]:
    """Return tokens a second of the same tasks, prompts included, of the engine and the server."""
    results: report.Paired[float] = {"bare": [], "server": []}
    for run in range(runs):
        # A new title each run: the server remembers the answers to identical requests.
        prompt = task(f"Day {run + 1}")
        for who in report.turns(run, list(results)):
            if who == "bare":
                request = engine_request(prompt, tokens)
                took, done = await asyncio.to_thread(ask_bare, engine, request)
                results[who].append(done.answer_tokens / took)
            else:
                answer = await ask_server(client, model, prompt, tokens)
                results[who].append(answer.answer_tokens / answer.seconds)
    return results


@dataclass(frozen=True, slots=True)
class Crowd:
    """Some peers asking at the same time.

    Attributes:
        peers: How many.
        tokens_a_second: Of all peers together.
        waits: Seconds until each peer had its whole answer.
    """

    peers: int
    tokens_a_second: float
    waits: list[float]


async def crowd(
    client: httpx.AsyncClient, model: str, peers: int, requests: int, tokens: int
) -> Crowd:
    """Let each peer ask for different tasks, one after the other."""

    async def one(peer: int) -> list[Answer]:
        titles = [f"Stop {peers}.{peer}.{turn}" for turn in range(requests // peers)]
        return [await ask_server(client, model, task(title), tokens) for title in titles]

    began = time.perf_counter()
    answers = [a for some in await asyncio.gather(*map(one, range(peers))) for a in some]
    took = time.perf_counter() - began
    return Crowd(
        peers, sum(a.answer_tokens for a in answers) / took, sorted(a.seconds for a in answers)
    )


def plan_seconds(model: str) -> float:
    """Return how long `swarm up` takes from the command to the printed plan."""
    with tempfile.TemporaryDirectory() as folder:
        environment = os.environ | {
            "LEADERLESS_SWARM__RUNTIME_DIR": f"{folder}/run",
            "LEADERLESS_MODEL__WEIGHTS": model,
            "LEADERLESS_MODEL__SOURCE": "embedded",
        }
        command = [sys.executable, "-m", "swarm", "up", GOAL, "--state-dir", folder]
        began = time.perf_counter()
        subprocess.run(
            command, env=environment, capture_output=True, check=True, timeout=PLAN_SECONDS
        )
        return time.perf_counter() - began


@dataclass(frozen=True, slots=True)
class Found:
    """All that was measured."""

    load_seconds: float
    before: Evaluated
    after: Evaluated
    speed: report.Paired[float]
    crowds: Sequence[Crowd]


async def measure(path: Path, model: str, runs: int, *, quick: bool) -> Found:
    """Measure one model."""
    splits, peers = (QUICK_SPLITS, QUICK_PEERS) if quick else (SPLITS, PEERS)
    tokens = SHORT if quick else LONG
    began = time.perf_counter()
    engine = await asyncio.to_thread(Engine, path)
    loaded = time.perf_counter() - began
    # With the cache first: the engine would keep what the other run evaluates.
    after = await asyncio.to_thread(evaluate, engine, splits, EngineRequest)
    before = await asyncio.to_thread(evaluate, engine, splits, Uncached)
    with tempfile.TemporaryDirectory() as folder:
        async with server(path, model, Path(folder)) as client:
            # The first call warms up both.
            await ask_server(client, model, task("Warm-up"), SHORT)
            speeds = await speed(engine, client, model, runs, tokens)
            crowds = [await crowd(client, model, count, peers, SHORT) for count in (1, peers)]
    return Found(loaded, before, after, speeds, crowds)


def main() -> None:
    """Measure, and write the report."""
    parser = report.parser(__doc__)
    parser.add_argument("--model", default=MODEL, help="of the catalogue; it must be there")
    parser.add_argument("--runs", type=int, default=5, help="answers compared")
    parser.add_argument("--plan", action="store_true", help="time a whole plan too")
    options = parser.parse_args()
    entry = weights.weights_named(options.model)
    if not weights.is_present(entry):
        sys.exit(f"The weights are not here: swarm model fetch {entry.name}")
    page = report.Page("embedded", "The embedded model beside the bare engine", options)
    found = asyncio.run(
        measure(
            weights.path_of(entry),
            entry.name,
            1 if options.quick else options.runs,
            quick=options.quick,
        )
    )
    before, after = found.before, found.after
    page.say(
        f"{entry.name}, loaded in {found.load_seconds:.1f} s. Tokens a second of the same answers, "
        "prompts included; bare is the engine called in this process."
    )
    page.table(
        ["bare engine", "our server", "of the bare engine"],
        [
            [
                report.spread(found.speed["bare"], "", 1),
                report.spread(found.speed["server"], "", 1),
                report.ratio(found.speed["server"], found.speed["bare"]),
            ]
        ],
    )
    page.say(
        f"The {before.prompts} prompts of a plan (splits, the questions about each, tasks), in "
        "order, with nothing kept and with prefixes kept:"
    )
    page.table(
        ["prefixes", "prompt tokens", "evaluated", "time for prompts"],
        [
            [
                name,
                f"{one.tokens:,}",
                f"{one.evaluated:,} ({100 * one.evaluated / one.tokens:.0f} %)",
                f"{one.prompt_seconds:.1f} s",
            ]
            for name, one in (("evaluated each time", before), ("shared (as we do)", after))
        ],
    )
    most = found.crowds[-1].peers
    page.say(f"{most} different tasks of {SHORT} tokens, asked by one peer and by {most} at once:")
    page.table(
        ["peers asking", "tokens/s in all", "until an answer is whole: median", "longest"],
        [
            [
                str(one.peers),
                f"{one.tokens_a_second:.1f}",
                f"{statistics.median(one.waits):.1f} s",
                f"{one.waits[-1]:.1f} s",
            ]
            for one in found.crowds
        ],
    )
    if options.plan:
        page.say(f"`swarm up GOAL` to the printed plan: {plan_seconds(entry.name):.0f} s.")
    page.write()


if __name__ == "__main__":
    main()
