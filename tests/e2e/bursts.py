"""Bursts: some peers publish many records at once, and every peer must get them in time."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import trio

from swarm.core.policy import Policy
from tests.e2e.processes import SWARM
from tests.e2e.talkers import talkers

PADDING = "x" * 150
"""Text that makes a record about 450 bytes long, like a ballot or a claim."""


@dataclass(frozen=True, slots=True)
class Burst:
    """The outcome of a burst.

    Attributes:
        records: how many records were published.
        speakers: how many peers published.
        peers: size of the swarm, including one listener that publishes nothing.
        seconds: from the first record until the last peer had all of them.
        cpu_seconds: used by all peers together; independent of the machine's load.
        messages: published by all peers meanwhile, including repetitions.
        listener_published: what the listener published.
    """

    records: int
    speakers: int
    peers: int
    seconds: float
    cpu_seconds: float
    messages: int
    listener_published: int


async def burst(
    folder: Path, *, speakers: int, each: int, peers: int, limit: float, stalled: int = 0
) -> Burst:
    """Let some peers of a swarm publish many records each, all at once.

    Args:
        folder: for the files of the peers.
        speakers: how many peers publish.
        each: records of each of them.
        peers: size of the swarm, including one listener that publishes nothing.
        limit: seconds until this fails.
        stalled: how many peers that do not publish are stopped meanwhile and read nothing; they
            continue once all others have everything.
    """

    def options(number: int) -> dict[str, Any]:
        return {
            "role": "observer" if number == peers - 1 else "submitter",
            "name": f"peer-{number}",
            "swarm": SWARM,
            "mdns": False,
            "runtime_dir": str(folder / "run"),
            "state_dir": str(folder / f"peer-{number}"),
        }

    async with AsyncExitStack() as stack:
        made = await stack.enter_async_context(
            talkers([options(number) for number in range(peers)], log=folder / "peers.log")
        )
        for one in made:
            await one.until(lambda s: s["roles"].get("submitter") == peers - 1, "all are heard", 60)
        goal = await made[0].submit("Plan a village concert", Policy())
        for one in made:
            await one.until(lambda s: goal in s["plans"], "the goal is everywhere", 60)
        before = [await one.ask("state") for one in made]
        asleep = made[speakers : speakers + stalled]
        for one in asleep:
            one.process.send_signal(signal.SIGSTOP)
        began = time.time()
        async with trio.open_nursery() as nursery:
            for one in made[:speakers]:
                nursery.start_soon(_say, one, goal, each)
        total = 1 + speakers * each
        states = []
        for one in sorted(made, key=asleep.__contains__):
            if one in asleep:
                one.process.send_signal(signal.SIGCONT)
            left = limit - (time.time() - began)
            states.append(
                await one.until(lambda s: s["count"] == total, f"all {total} are there", left)
            )
        assert len({state["xor"] for state in states}) == 1
        assert len({state["plans"][goal]["digest"] for state in states}) == 1

        def spent(what: Callable[[dict[str, Any]], float]) -> float:
            return sum(map(what, states)) - sum(map(what, before))

        listener = (await made[-1].ask("state"))["counters"]
        return Burst(
            records=speakers * each,
            speakers=speakers,
            peers=peers,
            seconds=max(state["at"] for state in states) - began,
            cpu_seconds=spent(lambda state: state["cpu"]),
            messages=int(spent(lambda state: state["counters"]["messages_published"])),
            listener_published=listener["messages_published"],
        )


async def _say(talker: Any, goal: str, count: int) -> None:
    await talker.ask("burst", goal=goal, count=count, padding=PADDING)
