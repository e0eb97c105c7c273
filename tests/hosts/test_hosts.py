"""Peers on separate hosts: discovery, a partitioned network, a slow line, new addresses."""

from __future__ import annotations

import contextlib
import secrets
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import trio

from swarm.core.policy import SECOND, Policy
from tests.e2e.processes import SWARM, Processes, scripted_ollama
from tests.e2e.talkers import ROOT, Talker, talkers
from tests.hosts.network import Network, network, why_not

REASON = why_not()
pytestmark = pytest.mark.skipif(bool(REASON), reason=REASON)

ANYWHERE = "/ip4/0.0.0.0/tcp/0"
PORT = 7400

CUT_SECONDS = 30
"""How long the network is partitioned."""

HEALED_SECONDS = 60
"""Time after healing within which all goals are done and all peers agree: silent neighbours are
dropped and dialled again within some 15 s each way."""

POLICY = Policy(
    max_depth=1, max_children=5, lease_ms=5 * SECOND, patience_ms=90 * SECOND, revote_ms=5 * SECOND
)
"""Scorers wait a third of the patience for decomposers that are present and silent, such as those
beyond a cut. The patience is long enough that none ends while the network is cut."""


@dataclass
class World:
    """Hosts with a model server each, and the peers that run on them.

    Args:
        network: joins the hosts.
        folder: where everything is kept; each host has its own subfolder.
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
        """Return the end of every log, to explain a failure."""
        return "\n".join(
            f"== {path}\n{path.read_text(errors='replace')[-3_000:]}"
            for path in sorted(self.folder.rglob("*.log"))
        )


@contextlib.contextmanager
def world(folder: Path, hosts: list[str], *, mdns: bool = True) -> Iterator[World]:
    """Make hosts with a model server each; stop and remove everything at the end."""
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
    """Return a condition on a talker's state: that a goal has this state."""
    return lambda seen: seen["plans"].get(goal, {}).get("state") == state


async def same_plan(goal: str, *all_of_them: Talker) -> None:
    """Wait until all talkers have the same digest of a goal."""
    with trio.fail_after(30):
        while True:
            seen = [(await one.ask("state"))["plans"].get(goal, {}) for one in all_of_them]
            if len({plan.get("digest") for plan in seen}) == 1 and seen[0]:
                return
            await trio.sleep(0.2)


@pytest.mark.trio
async def test_hosts_find_each_other_and_plan(tmp_path: Path) -> None:
    """With multicast alone and no router, peers on two hosts meet and finish a goal together."""
    with world(tmp_path, ["a", "b"]) as here:
        here.start("a", "decomposer", "decomposer")
        here.start("b", "scorer", "scorer")
        here.start("b", "executor", "executor")
        async with here.talkers(a={}) as (talker,):
            await talker.until(lambda s: len(s["roles"]) >= 4, "all roles are heard", 25)
            goal = await talker.submit("Plan a village concert", POLICY)
            await talker.until(ended(goal), "the goal is done")


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.trio
async def test_each_side_of_a_cut_goes_on_as_its_quorum_allows(tmp_path: Path) -> None:
    """For 30 s two hosts cannot hear the third: the side with the quorum plans, the other waits.

    Two of the electorate's three scorers are on one side. A goal asked there is done during the
    cut. A goal asked on the other side stays in its vote, and is done once the network heals. Then
    both sides have the same plans of both goals.
    """
    with world(tmp_path, ["a", "b", "c"]) as here:
        for host in "abc":
            here.start(host, "decomposer", f"decomposer-{host}")
            here.start(host, "scorer", f"scorer-{host}")
            here.start(host, "executor", f"executor-{host}")
        async with here.talkers(a={}, c={}) as (left, right):
            both = (left, right)
            for one in both:
                seen = await one.until(
                    lambda s: s["roles"].get("executor") == 3 and s["roles"].get("scorer") == 3,
                    "everyone is heard",
                    40,
                )
            electorate = [seen["authors"][f"scorer-{host}"] for host in "abc"]
            policy = POLICY.model_copy(
                update={"electorate": [bytes.fromhex(key) for key in electorate], "quorum": 2}
            )
            before = await left.submit("Plan a school fair", policy)
            for one in both:
                await one.until(ended(before), "a goal is done across three hosts")

            here.network.part(["a", "b"], ["c"])
            cut_at = trio.current_time()
            with_quorum = await left.submit("Plan a village concert", policy)
            without = await right.submit("Plan a street party", policy)
            await left.until(ended(with_quorum), "the side with the quorum is done", 60)
            await trio.sleep(max(0.0, cut_at + CUT_SECONDS - trio.current_time()))
            apart = await right.ask("state")
            assert with_quorum not in apart["plans"], "the cut lets something through"
            assert apart["plans"][without]["state"] == "voting", apart["plans"][without]
            assert without not in (await left.ask("state"))["plans"]

            here.network.part(["a", "b", "c"])
            healed_at = trio.current_time()
            for one in both:
                await one.until(ended(with_quorum), "the other side hears of it", 60)
                await one.until(ended(without), "the waiting goal is done", 60)
            for goal in (before, with_quorum, without):
                await same_plan(goal, *both)
            took = trio.current_time() - healed_at
            assert took < HEALED_SECONDS, f"one plan only {took:.0f} s after healing"


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.trio
async def test_a_slow_line_that_hangs_up_is_enough(tmp_path: Path) -> None:
    """Two hosts joined only by a proxy that delays by 0.1 s and hangs up every few seconds."""
    with world(tmp_path, ["a", "b", "line"], mdns=False) as here:
        near, far = here.network.addresses["a"], here.network.addresses["line"]
        here.start("a", "decomposer", "decomposer", listen=f"/ip4/{near}/tcp/{PORT}")
        arguments = [far, str(PORT), near, str(PORT), "--delay", "0.1", "--lasts", "5"]
        process = await trio.lowlevel.open_process(
            [*here.network.on("line"), sys.executable, "-m", "tests.hosts.relay", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=ROOT,
        )
        try:
            assert process.stdout is not None
            await process.stdout.receive_some(16)
            through = f"/ip4/{far}/tcp/{PORT}"
            here.network.deaf("a", to=here.network.addresses["b"])
            here.start("b", "scorer", "scorer", "--peers", through)
            here.start("b", "executor", "executor", "--peers", through)
            async with here.talkers(b={"peers": [through]}) as (talker,):
                await talker.until(lambda s: len(s["roles"]) >= 4, "all roles are heard", 40)
                for text in ("Plan a school fair", "Plan a village concert"):
                    goal = await talker.submit(text, POLICY)
                    await talker.until(ended(goal), "the goal is done", 90)
        finally:
            process.kill()
            await process.wait()


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.trio
async def test_a_peer_comes_back_with_a_new_address(tmp_path: Path) -> None:
    """The only executor's host gets a new address, first while the peer runs, then while down."""
    with world(tmp_path, ["a", "b"]) as here:
        here.start("a", "decomposer", "decomposer")
        here.start("a", "scorer", "scorer")
        here.start("b", "executor", "executor")
        async with here.talkers(a={}) as (talker,):
            await talker.until(lambda s: len(s["roles"]) >= 4, "all roles are heard", 40)
            goal = await talker.submit("Plan a school fair", POLICY)
            await talker.until(ended(goal), "the goal is done at the first address")
            author = (await talker.ask("state"))["authors"]["executor"]

            here.network.move("b", "10.77.0.52")
            goal = await talker.submit("Plan a street party", POLICY)
            await talker.until(ended(goal), "done though the host moved under its peer", 90)

            here.groups["b"].kill("executor")
            here.network.move("b", "10.77.0.53")
            goal = await talker.submit("Plan a village concert", POLICY)
            here.start("b", "executor", "executor")
            state = await talker.until(ended(goal), "done by the peer at its new address", 90)
            assert state["authors"]["executor"] == author
