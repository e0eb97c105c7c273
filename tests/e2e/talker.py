"""A real peer in its own process that publishes what commands on its standard input ask for.

Started as `python -m tests.e2e.talker '{"role": "submitter", …}'`. It prints one JSON line when it
runs, then answers each JSON line that it reads. `Talker` in `talkers.py` is the other end.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

import psutil
import structlog
import trio

from swarm.core.clock import EPOCH
from swarm.core.policy import Policy
from swarm.core.records import Notice
from swarm.core.views.english import reason_text
from swarm.peer.peer import Peer
from swarm.peer.settings import PeerSettings


class Process:
    def __init__(self, options: dict[str, Any]) -> None:
        for key in ("state_dir", "runtime_dir"):
            if options.get(key):
                options[key] = Path(options[key])
        for key in ("listen", "peers"):
            if key in options:
                options[key] = tuple(options[key])
        self.peer = Peer(PeerSettings(**options))

    def answer(self, command: dict[str, Any]) -> dict[str, Any]:
        match command["do"]:
            case "submit":
                policy = Policy.model_validate_json(json.dumps(command["policy"]))
                language = command.get("language", "")
                goal = self.peer.submit(command["text"], policy=policy, language=language)
                return {"goal": goal.hex()}
            case "cancel":
                self.peer.cancel(bytes.fromhex(command["goal"]), "asked to")
                return {}
            case "burst":
                goal = bytes.fromhex(command["goal"])
                for number in range(command["count"]):
                    text = f"{self.peer.name} {number} {command.get('padding', '')}"
                    self.peer.publish(Notice(stamp=EPOCH, goal=goal, code="burst", text=text))
                return {"at": time.time()}
            case "state":
                return self.state()
        raise ValueError(command)

    def state(self) -> dict[str, Any]:
        store = self.peer.store
        store.advance(self.peer.now())
        network = self.peer.network
        return {
            "at": time.time(),
            "cpu": sum(psutil.Process().cpu_times()[:2]),
            "count": len(store),
            "xor": _xor([store.summary(goal)[1] for goal in store.goals()]).hex(),
            "plans": {
                plan.id.hex(): {
                    "state": plan.state,
                    "final": plan.final,
                    "reason": reason_text(plan.reason),
                    "digest": plan.digest.hex(),
                }
                for plan in store.plans()
            },
            "roles": self.peer.roles_present(),
            "authors": {view.name: view.author for view in self.peer.peers()},
            "neighbours": [n.address for n in network.neighbours()] if network else [],
            "counters": vars(network.counters()) if network else {},
        }

    async def main(self) -> None:
        async with trio.open_nursery() as nursery:
            await nursery.start(self.peer.run)
            say({"addresses": self.peer.addresses, "author": self.peer.author.hex()})
            stdin = trio.lowlevel.FdStream(0)
            pending = b""
            async for chunk in stdin:
                pending += chunk
                *lines, pending = pending.split(b"\n")
                for line in lines:
                    try:
                        say(self.answer(json.loads(line)))
                    except ValueError as error:
                        say({"error": str(error)})
            nursery.cancel_scope.cancel()


def _xor(values: list[bytes]) -> bytes:
    total = 0
    for value in values:
        total ^= int.from_bytes(value)
    return total.to_bytes(32)


def say(message: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    structlog.configure(logger_factory=structlog.PrintLoggerFactory(sys.stderr))
    trio.run(Process(json.loads(sys.argv[1])).main)
