"""Attackers in their own process: `python -m tests.hostile.attack_process NAME...`.

Their effect is measured in the process under attack; their own cost does not matter, so they do not
share it. The first line of standard input names the peers to attack. Each further line lists the
swarm's goals and records so far. The attacks start with the second line and stop when standard
input closes.
"""

from __future__ import annotations

import json
import sys
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from functools import partial
from subprocess import PIPE
from typing import Any

import trio

from tests.hostile.attackers import FLOODS, Prey, Target
from tests.hostile.protocol_attackers import ATTACKS


def introduce(target: Target) -> bytes:
    """Return the first line: the peers to attack."""
    peers = [[list(p.addresses), p.peer_id, p.author.hex()] for p in target.peers]
    return _line({"topic": target.topic, "key": target.key, "peers": peers})


def tell(target: Target) -> bytes:
    """Return a further line: the goals and their records."""
    return _line(
        {
            "goals": [goal.hex() for goal in target.goals],
            "records": [raw.hex() for raw in target.records],
        }
    )


def _line(said: dict[str, Any]) -> bytes:
    return json.dumps(said).encode() + b"\n"


@asynccontextmanager
async def attacked(names: Iterable[str], target: Target) -> AsyncIterator[trio.Process]:
    """Run these attacks; write `tell` lines to the process to update it about new records."""
    command = [sys.executable, "-m", "tests.hostile.attack_process", *names]
    start = partial(trio.run_process, command, stdin=PIPE, stdout=PIPE, check=False)
    async with trio.open_nursery() as nursery:
        process: trio.Process = await nursery.start(start)
        assert process.stdin is not None
        assert process.stdout is not None
        await process.stdin.send_all(introduce(target) + tell(target))
        await process.stdout.receive_some(1)
        try:
            yield process
        finally:
            nursery.cancel_scope.cancel()


async def main(names: list[str]) -> None:
    lines = _lines()
    first = json.loads(await anext(lines))
    target = Target(
        [Prey(tuple(a), peer_id, bytes.fromhex(author)) for a, peer_id, author in first["peers"]],
        first["topic"],
        first["key"],
    )
    async with trio.open_nursery() as nursery:
        begun = False
        async for line in lines:
            said = json.loads(line)
            target.goals[:] = [bytes.fromhex(goal) for goal in said["goals"]]
            target.records[:] = [bytes.fromhex(raw) for raw in said["records"]]
            if not begun:
                begun = True
                for name in names:
                    nursery.start_soon({**ATTACKS, **FLOODS}[name], target)
                sys.stdout.write("!")
                sys.stdout.flush()
        nursery.cancel_scope.cancel()


async def _lines() -> AsyncIterator[bytes]:
    stdin = trio.wrap_file(sys.stdin.buffer)
    async for line in stdin:
        yield line


if __name__ == "__main__":
    trio.run(main, sys.argv[1:])
