"""One real peer in its own process, controlled through its standard input and output.

Started as `python -m tests.net.peer_process '{"swarm": …}'`. It prints one JSON line when it is
ready, then answers each JSON line it reads. `Peer` in `processes.py` is the other end.
"""

from __future__ import annotations

import json
import random
import sys
import time
from pathlib import Path
from typing import Any

import psutil
import structlog
import trio

from swarm.core.records import record_id
from swarm.gossip.record_set import AddResult
from swarm.net.network import NetSettings, Network
from tests.net.memory import MemoryRecords, history, make


def wall_clock_ms() -> int:
    return time.time_ns() // 1_000_000


class Process:
    def __init__(self, options: dict[str, Any]) -> None:
        book = options.pop("address_book", None)
        seed = options.pop("history", 0)
        self.records = MemoryRecords(*(history(seed) if seed else ()))
        self.arrived: dict[str, float] = {}
        self.newcomers = 0
        self.network = Network(
            NetSettings(
                address_book=Path(book) if book else None,
                listen=tuple(options.pop("listen", ["/ip4/127.0.0.1/tcp/0"])),
                peers=tuple(options.pop("peers", [])),
                mdns=options.pop("mdns", False),
                **options,
            ),
            self.records,
            now=wall_clock_ms,
            on_record=self.on_record,
            on_newcomer=self.on_newcomer,
            rng=random.Random(),
        )

    def on_record(self, raw: bytes, outcome: Any) -> None:
        if outcome is AddResult.NEW:
            self.arrived[record_id(raw).hex()] = time.time()

    def on_newcomer(self) -> None:
        self.newcomers += 1

    def answer(self, command: dict[str, Any]) -> dict[str, Any]:
        match command["do"]:
            case "publish":
                raws = [bytes.fromhex(text) for text in command["records"]]
                for raw in raws:
                    self.records.add(raw, wall_clock_ms())
                    self.network.publish(raw)
                return {"at": time.time()}
            case "presence":
                goal = bytes(32)
                self.network.publish(make(goal, str(time.time()), kind="presence"))
                return {}
            case "forget":
                for text in command["ids"]:
                    self.records.forget(bytes.fromhex(text))
                return {}
            case "end":
                self.records.ended.update(self.records.goals())
                return {}
            case "state":
                process = psutil.Process()
                pubsub = self.network._pubsub
                return {
                    "count": len(self.records),
                    "digest": self.records.digest(),
                    "arrived": self.arrived if command.get("arrived") else {},
                    "presence": len(self.records.presence),
                    "newcomers": self.newcomers,
                    "counters": vars(self.network.counters()),
                    "libp2p_published": pubsub.published if pubsub else None,
                    "neighbours": [n.peer_id for n in self.network.neighbours() if n.subscribed],
                    "rss": process.memory_info().rss,
                    "cpu": sum(process.cpu_times()[:2]),
                }
        raise ValueError(command)

    async def main(self) -> None:
        async with trio.open_nursery() as nursery:
            await nursery.start(self.network.run)
            say({"addresses": self.network.addresses, "peer_id": self.network.peer_id})
            stdin = trio.lowlevel.FdStream(0)
            pending = b""
            async for chunk in stdin:
                pending += chunk
                *lines, pending = pending.split(b"\n")
                for line in lines:
                    say(self.answer(json.loads(line)))
            nursery.cancel_scope.cancel()


def say(message: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    structlog.configure(logger_factory=structlog.PrintLoggerFactory(sys.stderr))
    trio.run(Process(json.loads(sys.argv[1])).main)
