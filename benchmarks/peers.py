"""Processes for benchmarks: each a real peer and, if asked to, a member of a bare libp2p topic.

The bare topic has the same host, router and settings as ours (`swarm.net.connections.host`,
`swarm.net.pubsub.safe_pubsub`) and as many neighbours, but each record is one message, and nothing
is paced, refused or repeated. Each puts what arrives into its own store, which checks every
signature, so they differ only in how records travel.

Started as `python -m benchmarks.peers '{"role": "submitter", …}'`, a process prints a JSON line
when it runs and then answers each JSON line it reads. `herd` is the other end. Times are of
CLOCK_MONOTONIC, in seconds, which all processes of a machine share.
"""

from __future__ import annotations

import json
import logging
import random
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil
import structlog
import trio
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from benchmarks.report import ROOT
from swarm.core.clock import EPOCH
from swarm.core.policy import Policy
from swarm.core.records import (
    Ballot,
    Claim,
    KnownBody,
    Notice,
    Proposal,
    Record,
    decode,
    sign,
)
from swarm.core.store.store import Store
from swarm.peer.peer import Peer
from swarm.peer.settings import PeerSettings

SWARM = "benchmark"

TEXT_CHARACTERS = 150
"""Padding that makes a record about 450 bytes long, like ballots and claims."""

NEIGHBOURS = 4
"""How many neighbours each member of the bare topic dials, as our peers do (`OUTBOUND`)."""

KINDS: dict[str, type[KnownBody]] = {"proposal": Proposal, "ballot": Ballot, "claim": Claim}
"""The records that a process can be told to publish one by one."""

START_SECONDS = 60
"""Seconds that a process may take to start, on a machine that is busy with all the others."""

LOOK_SECONDS = 0.05
"""Seconds between two questions to a process whether a condition holds."""


@dataclass(slots=True)
class Heard:
    """What one peer received of a goal, by gossip or over the bare topic.

    Attributes:
        folded: Seconds from when each record was due to be published until it was in the plan here.
        told: The same until the peer's owner (a bot, a terminal) was notified.
        last_at: When the last one was folded.
    """

    folded: list[float] = field(default_factory=list)
    told: list[float] = field(default_factory=list)
    last_at: float = 0.0


class Way(ABC):
    """One way for records to travel: a store, what arrived, and how to publish."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.heard = Heard()
        self._waiting: list[float] = []

    @abstractmethod
    async def say(self, body: KnownBody) -> None:
        """Publish a body."""

    def came(self, record: Record) -> None:
        """Fold a record that was just stored, as an agent does, and record when."""
        body = record.body
        if isinstance(body, Notice) and body.code != self.name:
            self.store.plan(body.goal)
            now = time.monotonic()
            due = float(body.text.split()[0])
            self.heard.last_at = now
            self.heard.folded.append(now - due)
            self._waiting.append(due)

    def told(self) -> None:
        """Record that the owner was notified of everything stored."""
        now = time.monotonic()
        self.heard.told += [now - at for at in self._waiting]
        self._waiting.clear()

    name = ""
    """What marks this peer's own records."""


class Ours(Way):
    """Our gossip."""

    def __init__(self, peer: Peer) -> None:
        super().__init__(peer.store)
        self.last_new_at = 0.0
        """When anything was last stored."""
        self._peer = peer
        self._inner = peer.store.on_new
        peer.store.on_new = self._on_new
        peer.on_change = self._on_change

    async def say(self, body: KnownBody) -> None:
        """Publish a body."""
        self._peer.publish(body)

    def _on_new(self, record: Record) -> None:
        assert self._inner is not None
        self._inner(record)
        self.last_new_at = time.monotonic()
        self.came(record)

    def _on_change(self, _: frozenset[bytes]) -> None:
        self.told()


class Bare(Way):
    """A bare libp2p topic: one message a record, and the plan is folded after each."""

    def __init__(self) -> None:
        super().__init__(Store(SWARM, on_new=self.came))
        self.address = ""
        self._host: Any = None
        self._pubsub: Any = None
        self._key = Ed25519PrivateKey.generate()
        self._topic = f"/bare/{SWARM}"

    async def say(self, body: KnownBody) -> None:
        """Publish a body."""
        now = round(time.time() * 1000)
        record = sign(body.model_copy(update={"stamp": self.store.clock.tick(now)}), self._key)
        self.store.add_record(record, now)
        await self._pubsub.publish(self._topic, record.raw)

    async def dial(self, addresses: Sequence[str]) -> None:
        """Connect to others."""
        from swarm.net.connections.host import dial

        for address in addresses:
            await dial(self._host, address, None, START_SECONDS)

    async def run(self, *, task_status: Any) -> None:
        """Listen and receive until cancelled."""
        from libp2p.peer.id import ID
        from libp2p.pubsub.pubsub import Pubsub
        from libp2p.tools.anyio_service import background_trio_service
        from multiaddr import Multiaddr

        from swarm.gossip.admission import Admission
        from swarm.net.connections.host import build_host, hang_up
        from swarm.net.pubsub.safe_pubsub import SafePubsub
        from swarm.net.pubsub.safe_router import build_router

        class Plain(SafePubsub):
            """Adds nothing to messages."""

            async def publish(self, topic_id: str | list[str], data: bytes) -> None:
                await Pubsub.publish(self, topic_id, data)

        class Everyone(Admission):
            """Refuses nobody."""

            def is_over(self, *_: object) -> bool:
                return False

            def admit(self, *_: object) -> bool:
                return True

            def may_forward(self, *_: object) -> bool:
                return True

        def ignore(*_: object) -> None:
            pass

        listen = "/ip4/127.0.0.1/tcp/0"
        self._host = host = build_host((listen,), None)
        router = build_router()
        self._pubsub = pubsub = Plain(
            host,
            router,
            self._topic,
            has_room=lambda *_: True,
            on_subscriber=ignore,
            on_bad_frame=ignore,
        )
        pubsub.admission = Everyone()
        async with background_trio_service(router), background_trio_service(pubsub):
            await pubsub.wait_until_ready()
            subscription = await pubsub.subscribe(self._topic)
            async with host.run(listen_addrs=[Multiaddr(listen)]):
                own = host.get_id()
                self.address = f"{host.get_transport_addrs()[0]}/p2p/{own}"
                task_status.started()
                try:
                    while True:
                        message = await subscription.get()
                        if ID(message.from_id) != own:
                            self.store.add(message.data, round(time.time() * 1000))
                            self.told()
                finally:
                    await hang_up(host)


class Process:
    """What runs in the separate process."""

    def __init__(self, options: dict[str, Any]) -> None:
        self._with_bare = bool(options.pop("bare", False))
        known = options.pop("known", None)
        for key in ("state_dir", "runtime_dir"):
            if options.get(key):
                options[key] = Path(options[key])
        for key in ("listen", "peers"):
            if key in options:
                options[key] = tuple(options[key])
        self._peer = Peer(PeerSettings(swarm=SWARM, mdns=False, **options))
        if known:
            self._load(Path(known))
        self._bare = Bare()
        self._ours = Ours(self._peer)
        self._ways: dict[str, Way] = {"ours": self._ours, "bare": self._bare}
        for way in self._ways.values():
            way.name = self._peer.name
        self._sent = 0
        self._nursery: trio.Nursery | None = None

    def _load(self, file: Path) -> None:
        """Hold records from the start, like a peer that had them on disk."""
        now = round(time.time() * 1000)
        for line in file.read_text().split():
            self._peer.store.add_record(decode(bytes.fromhex(line), verify=False), now)

    async def main(self) -> None:
        """Run until standard input ends."""
        self._count_bytes()
        async with trio.open_nursery() as nursery:
            self._nursery = nursery
            await nursery.start(self._peer.run)
            if self._with_bare:
                await nursery.start(self._bare.run)
            addresses = {"ours": self._peer.addresses[0], "bare": self._bare.address}
            _print({"addresses": addresses, "name": self._peer.name, "at": time.monotonic()})
            pending = b""
            async for chunk in trio.lowlevel.FdStream(0):
                pending += chunk
                *lines, pending = pending.split(b"\n")
                for line in lines:
                    _print(await self._answer(json.loads(line)))
            nursery.cancel_scope.cancel()

    def _count_bytes(self) -> None:
        """Count the bytes sent through sockets: encrypted, with everything that libp2p adds."""
        import swarm.net.patches.slim_import  # noqa: F401, I001  has to come before libp2p
        from libp2p.io.trio import TrioTCPStream

        write = TrioTCPStream.write

        async def counting(stream: Any, data: bytes) -> None:
            self._sent += len(data)
            await write(stream, data)

        TrioTCPStream.write = counting

    async def _answer(self, command: dict[str, Any]) -> dict[str, Any]:
        assert self._nursery is not None
        match command["do"]:
            case "dial":
                await self._bare.dial(command["addresses"])
                return {}
            case "submit":
                goal = self._peer.submit("Plan a village concert", policy=Policy())
                raw = self._peer.store.raw(goal)
                assert raw is not None
                return {"goal": raw.hex()}
            case "goal":
                self._bare.store.add_record(decode(bytes.fromhex(command["goal"])), 2**50)
                return {}
            case "goals":
                plans = self._peer.store.plans()
                return {"goals": {plan.body.text: plan.id.hex() for plan in plans}}
            case "publish":
                body = KINDS[command["body"]["kind"]].model_validate_json(
                    json.dumps({"stamp": [0, 0]} | command["body"])
                )
                at = time.monotonic()
                return {"id": self._peer.publish(body).id.hex(), "at": at}
            case "say":
                self._nursery.start_soon(self._say, command)
                return {}
            case "state":
                return self._state(command)
            case "take":
                heard = self._ways[command["way"]].heard
                self._ways[command["way"]].heard = Heard()
                return {"folded": heard.folded, "told": heard.told, "last_at": heard.last_at}
        raise ValueError(command)

    async def _say(self, command: dict[str, Any]) -> None:
        """Publish records at set times; a delay makes the next ones late, not fewer."""
        way = self._ways[command["way"]]
        assert self._nursery is not None
        padding = "x" * TEXT_CHARACTERS
        for due in command["at"]:
            await trio.sleep(max(0.0, due - time.monotonic()))
            text = f"{due:.6f} {padding}"
            body = Notice(
                stamp=EPOCH, goal=bytes.fromhex(command["goal"]), code=way.name, text=text
            )
            # libp2p's `publish` waits until the message has passed through it.
            self._nursery.start_soon(way.say, body)

    def _state(self, command: dict[str, Any]) -> dict[str, Any]:
        store = self._ways[command.get("way", "ours")].store
        goal = bytes.fromhex(command.get("goal", ""))
        network = self._peer.network
        return {
            "at": time.monotonic(),
            "count": store.summary(goal)[0] if goal else len(store),
            "last_new_at": self._ours.last_new_at,
            "roles": self._peer.roles_present(),
            "neighbours": len(network.neighbours()) if network else 0,
            "cpu": sum(psutil.Process().cpu_times()[:2]),
            "sent": self._sent,
            "counters": vars(network.counters()) if network else {},
        }


def _print(message: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


# The other end.


class Member:
    """One such process, as seen from the benchmark."""

    def __init__(self, process: trio.Process) -> None:
        self.process = process
        self.name = ""
        self.addresses: dict[str, str] = {}
        self.ready_at = 0.0
        self._pending = b""
        self._turn = trio.Lock()

    async def ready(self) -> None:
        """Wait until it is ready.

        Raises:
            trio.TooSlowError: It was not ready in time.
        """
        with trio.fail_after(START_SECONDS):
            first = await self._line()
        self.name, self.addresses, self.ready_at = first["name"], first["addresses"], first["at"]

    async def ask(self, do: str, **more: Any) -> dict[str, Any]:
        """Send it a command and return its answer."""
        assert self.process.stdin is not None
        async with self._turn:
            line = json.dumps({"do": do, **more}).encode() + b"\n"
            await self.process.stdin.send_all(line)
            return await self._line()

    async def end(self) -> None:
        """Stop it, if it still runs."""
        if self.process.returncode is None:
            self.process.kill()
        await self.process.wait()

    async def _line(self) -> dict[str, Any]:
        stdout = self.process.stdout
        assert stdout is not None
        while b"\n" not in self._pending:
            chunk = await stdout.receive_some(1 << 20)
            if not chunk:
                raise EOFError("a process of the benchmark ended")
            self._pending += chunk
        line, _, self._pending = self._pending.partition(b"\n")
        answer: dict[str, Any] = json.loads(line)
        return answer


async def start(options: dict[str, Any], log: Path) -> Member:
    """Start a process without waiting until it is ready.

    Args:
        options: As `PeerSettings` takes them; `bare`, whether to join the bare topic too; `known`,
        a
            file of records that it holds from the start, one a line in hex.
        log: The file for its errors.
    """
    with log.open("ab") as errors:
        return Member(
            await trio.lowlevel.open_process(
                [sys.executable, "-m", "benchmarks.peers", json.dumps(options)],
                stdin=-1,
                stdout=-1,
                stderr=errors,
                cwd=ROOT,
            )
        )


@asynccontextmanager
async def herd(
    folder: Path, count: int, *, bare: bool = False, **options: Any
) -> AsyncIterator[list[Member]]:
    """Run some submitters until the block ends; all know each other.

    Args:
        folder: Where they keep their address book and log.
        count: How many.
        bare: Whether they join a bare topic too.
        options: Further options for all of them.
    """
    await trio.Path(folder).mkdir(parents=True, exist_ok=True)
    members = []
    try:
        for number in range(count):
            own = {"role": "submitter", "name": f"peer-{number}", "bare": bare}
            own["runtime_dir"] = str(folder / "run")
            members.append(await start(own | options, folder / "log"))
        for member in members:
            await member.ready()
        for member in members:
            await until(member, lambda s: s["roles"].get("submitter", 0) >= count, START_SECONDS)
        if bare:
            await _connect(members)
        yield members
    finally:
        with trio.CancelScope(shield=True):
            for member in members:
                await member.end()


async def _connect(members: Sequence[Member]) -> None:
    """Let each dial some others on the bare topic, and wait for the mesh to form."""
    rng = random.Random(len(members))
    for place, member in enumerate(members):
        # Always the next one too, so that nobody is left out.
        others = [*members[place + 1 :], *members[:place]]
        chosen = [others[0], *rng.sample(others[1:], min(NEIGHBOURS, len(others)) - 1)]
        await member.ask("dial", addresses=[other.addresses["bare"] for other in chosen])
    await trio.sleep(MESH_SECONDS)


MESH_SECONDS = 3.0
"""Seconds: a little over two heartbeats of the router; then all neighbours are in the mesh."""


async def until(
    member: Member, condition: Callable[[dict[str, Any]], object], seconds: float, **about: Any
) -> dict[str, Any] | None:
    """Ask for a member's state until a condition holds; None if it does not in time."""
    deadline = trio.current_time() + seconds
    while True:
        state = await member.ask("state", **about)
        if condition(state):
            return state
        if trio.current_time() > deadline:
            return None
        await trio.sleep(LOOK_SECONDS)


if __name__ == "__main__":
    structlog.configure(
        wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
    )
    trio.run(Process(json.loads(sys.argv[1])).main)
