"""Peers on hosts of their own: discovery, a cut network, a slow line, new addresses."""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import trio

from swarm.core.policy import MINUTE, SECOND, Policy
from tests.e2e.processes import SWARM, Processes, scripted_ollama
from tests.e2e.talkers import Talker, talkers
from tests.hosts.network import Network, network, why_not

REASON = why_not()
pytestmark = pytest.mark.skipif(bool(REASON), reason=REASON)

ANYWHERE = "/ip4/0.0.0.0/tcp/0"
PORT = 7400

POLICY = Policy(
    max_depth=1, max_children=5, lease_ms=5 * SECOND, patience_ms=4 * MINUTE, revote_ms=5 * SECOND
)


@dataclass
class World:
    """Hosts with a model server each, and what runs on them.

    Args:
        network: joins them.
        folder: where everything is kept; each host has a folder of its own.
        mdns: whether peers look for others by multicast.
    """

    network: Network
    folder: Path
    mdns: bool = True
    groups: dict[str, Processes] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.key = secrets.token_hex(32)
        self.key_file = self.folder / "key"
        self.key_file.write_text(self.key)
        self.key_file.chmod(0o600)

    def start(self, host: str, role: str, name: str, *more: str, listen: str = ANYWHERE) -> None:
        """Start a peer on a host."""
        options = ("--listen", listen, "--swarm-key-file", str(self.key_file), *more)
        self.groups[host].start(role, name, *options)

    @contextlib.asynccontextmanager
    async def talkers(self, **hosts: dict[str, Any]) -> AsyncIterator[list[Talker]]:
        """Start one talker on each of some hosts."""
        options = [
            {
                "role": "submitter",
                "name": f"talker-{host}",
                "swarm": SWARM,
                "swarm_key": self.key,
                "mdns": self.mdns,
                "listen": [ANYWHERE],
                "runtime_dir": str(self.groups[host].runtime_dir),
                "state_dir": str(self.groups[host].state_dir("talker")),
                **more,
            }
            for host, more in hosts.items()
        ]
        prefixes = [self.network.on(host) for host in hosts]
        async with talkers(options, log=self.folder / "talkers.log", prefixes=prefixes) as made:
            yield made

    def log(self) -> str:
        """Return what everyone has logged, for a failure."""
        return "\n".join(
            f"== {path}\n{path.read_text(errors='replace')[-3_000:]}"
            for path in sorted(self.folder.rglob("*.log"))
        )


@contextlib.contextmanager
def world(folder: Path, hosts: list[str], *, mdns: bool = True) -> Iterator[World]:
    """Make hosts with a model server each; stop all and remove them in the end."""
    with network(hosts) as made, contextlib.ExitStack() as stack:
        result = World(made, folder, mdns)
        for host in hosts:
            url = stack.enter_context(scripted_ollama("--latency", "0.1", prefix=made.on(host)))
            group = Processes(folder / host, url, prefix=made.on(host), mdns=mdns)
            result.groups[host] = group
            stack.callback(group.stop)
        try:
            yield result
        except BaseException as error:
            error.add_note(result.log())
            raise


def ended(goal: str, *, state: str = "done") -> Any:
    """Return a condition on a talker's state: that a goal ended so."""
    return lambda seen: seen["plans"].get(goal, {}).get("state") == state


async def same_plan(goal: str, *all_of_them: Talker) -> None:
    """Wait until all see one digest of a goal."""
    with trio.fail_after(30):
        while True:
            seen = [(await one.ask("state"))["plans"].get(goal, {}) for one in all_of_them]
            if len({plan.get("digest") for plan in seen}) == 1 and seen[0]:
                return
            await trio.sleep(0.2)


@pytest.mark.trio
async def test_hosts_find_each_other_and_plan(tmp_path: Path) -> None:
    """By multicast alone, on a network without a router: a goal is done by peers on two hosts."""
    with world(tmp_path, ["a", "b"]) as here:
        here.start("a", "decomposer", "decomposer")
        here.start("b", "scorer", "scorer")
        here.start("b", "executor", "executor")
        async with here.talkers(a={}) as (talker,):
            await talker.until(lambda s: len(s["roles"]) >= 4, "all roles are heard", 25)
            goal = await talker.submit("Plan a two week trip to Japan", POLICY)
            await talker.until(ended(goal), "the goal is done")
