"""Faults for a swarm of real processes, drawn from a seed and logged as they happen.

The faults and their times depend on the seed alone; their effect on the swarm depends on the
machine too. So a failure prints the timeline as well as the seed.
"""

from __future__ import annotations

import random
import signal
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

import trio

from tests.e2e.processes import Processes

PAUSE_SECONDS = (0.3, 2.0)
"""Pause between two faults, in seconds."""

DOWN_SECONDS = (0.5, 4.0)
"""How long a killed peer is down, in seconds."""

STOPPED_SECONDS = (1.0, 6.0)
"""How long a peer is stopped, in seconds: around a lease, and less than its links survive."""

LONG_STOP_SECONDS = (14.0, 18.0)
"""A stop after which neighbours drop a peer, in seconds (two pings of 3 s after 5 s of silence)."""

HARMED_AT_ONCE = 4
"""How many peers are down or stopped at once, besides a whole role that is away."""

WIPE_APART_SECONDS = 8.0
"""Pause between two peers that lose their disks, in seconds: a record that only one of them has
needs time to reach others. A record that is only on lost disks is lost."""

AUTHOR = slice(1, 33)
"""The position of the author's key in a record's bytes."""


@dataclass
class Chaos:
    """Injects faults into a group of peers.

    It blocks only in threads, because a listener runs in this process.

    Args:
        group: the processes.
        seed: decides every fault.
        long_stops: whether peers may be stopped until their neighbours drop them.
    """

    group: Processes
    seed: int
    long_stops: bool = False
    timeline: list[str] = field(default_factory=list)
    faults: int = 0
    heard: set[bytes] = field(default_factory=set)
    """Ids of other peers' records on lost disks. A peer's own record may never have left it: the
    peer may have been killed between signing and sending."""

    def __post_init__(self) -> None:
        self.rng = random.Random(self.seed)
        self.roles: dict[str, str] = {}
        self._harmed: set[str] = set()
        self._wiped_at = -WIPE_APART_SECONDS
        self._began = 0.0

    def start(self, roles: dict[str, int]) -> None:
        """Start this many peers of each role."""
        for role, count in roles.items():
            for number in range(1, count + 1):
                name = f"{role}-{number}"
                self.roles[name] = role
                self.group.start(role, name)

    def note(self, what: str) -> None:
        """Add a line to the timeline."""
        self.timeline.append(f"{trio.current_time() - self._began:6.1f} s  {what}")

    @contextmanager
    def told(self) -> Iterator[None]:
        """Print the seed and the timeline if the block fails."""
        self._began = trio.current_time()
        try:
            yield
        except BaseException as error:
            story = "\n".join(self.timeline)
            error.add_note(f"chaos with seed {self.seed}:\n{story}")
            raise

    async def rage(self, seconds: float, *, away: Sequence[str] = ()) -> None:
        """Inject faults for some seconds; return when every peer is up again.

        Args:
            seconds: how long new faults are injected.
            away: roles all of whose peers are down for a while, one role after the other.
        """
        ends = trio.current_time() + seconds
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._roles_away, away, seconds)
            while True:
                await trio.sleep(self.rng.uniform(*PAUSE_SECONDS))
                if trio.current_time() >= ends:
                    break
                name = self.rng.choice(sorted(self.roles))
                harm = self.rng.choice([self._killed, self._killed, self._stopped, self._restarted])
                draw = self.rng.random()
                if name not in self._harmed and len(self._harmed) < HARMED_AT_ONCE:
                    self._harmed.add(name)
                    self.faults += 1
                    nursery.start_soon(harm, name, draw)

    async def _roles_away(self, roles: Sequence[str], seconds: float) -> None:
        for role in roles:
            await trio.sleep(seconds / (len(roles) + 1) * 0.5)
            names = [n for n in sorted(self.roles) if self.roles[n] == role]
            names = [n for n in names if n not in self._harmed]
            self._harmed.update(names)
            self.faults += len(names)
            self.note(f"all of role {role} killed: {', '.join(names)}")
            for name in names:
                await trio.to_thread.run_sync(self.group.kill, name)
            await trio.sleep(seconds / (len(roles) + 1) * 0.5)
            for name in names:
                await self._up(name)

    async def _killed(self, name: str, draw: float) -> None:
        down = DOWN_SECONDS[0] + draw * (DOWN_SECONDS[1] - DOWN_SECONDS[0])
        wipe = draw < 0.4 and trio.current_time() - self._wiped_at > WIPE_APART_SECONDS
        await trio.to_thread.run_sync(self.group.kill, name)
        if wipe:
            self._wiped_at = trio.current_time()
            self.heard |= await trio.to_thread.run_sync(self._lose_disk, name)
        self.note(f"{name} killed{' and its disk emptied' if wipe else ''}")
        await trio.sleep(down)
        await self._up(name)

    def _lose_disk(self, name: str) -> set[bytes]:
        """Empty a peer's disk; return the ids of the records by others on it."""
        own = self.group.author(name)
        raws = self.group.records(name)
        self.group.wipe(name)
        return {rid for rid, raw in raws.items() if raw[AUTHOR] != own}

    async def _stopped(self, name: str, draw: float) -> None:
        low, high = STOPPED_SECONDS
        if self.long_stops and draw < 0.3:
            low, high = LONG_STOP_SECONDS
        self.group.signal(name, signal.SIGSTOP)
        self.note(f"{name} stopped")
        await trio.sleep(low + draw * (high - low))
        self.group.signal(name, signal.SIGCONT)
        self.note(f"{name} continues")
        self._harmed.discard(name)

    async def _restarted(self, name: str, draw: float) -> None:
        self.note(f"{name} asked to exit")
        await trio.to_thread.run_sync(self.group.end, name)
        await self._up(name)

    async def _up(self, name: str) -> None:
        self.note(f"{name} started again")
        await trio.to_thread.run_sync(self.group.start, self.roles[name], name)
        self._harmed.discard(name)
