"""Two processes under one key: both notice, one works, and a restart is no second process."""

from __future__ import annotations

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from swarm.core.clock import MAX_DRIFT_MS, Stamp
from swarm.core.records import SHARED_KEY, Presence, Record, can_work, sign
from swarm.core.store.presences import EVERY_MS, gone_after_ms
from swarm.core.store.store import Store
from swarm.gossip.presence import GONE_MS, LASTING_MS, WATCH_MS, PresenceTracker
from swarm.gossip.shared_key import MAX_OTHERS, SURE_AFTER_MS, SharedKey

START_MS = 1_700_000_000_000
"""The wall time at which the virtual clock begins, in ms since the epoch."""

STEP_MS = 100
SHARED = Ed25519PrivateKey.from_private_bytes(b"\x05" * 32)
OTHER = Ed25519PrivateKey.from_private_bytes(b"\x06" * 32)


class Process:
    """One process: a store and a tracker, driven as the presence loop drives them."""

    def __init__(
        self, world: World, transport: str, key: Ed25519PrivateKey = SHARED, *, offset_ms: int = 0
    ) -> None:
        self.world, self.transport, self.key, self.offset_ms = world, transport, key, offset_ms
        author = key.public_key().public_bytes_raw()
        self.store = Store("test", on_new=self._on_new)
        self.tracker = PresenceTracker(self.store, author, transport=lambda: transport)
        world.processes.append(self)

    def _on_new(self, record: Record) -> None:
        self.tracker.heard(record, self.world.now_ms)

    def wall(self) -> int:
        return START_MS + self.world.now_ms + self.offset_ms

    def hear(self, raw: bytes) -> None:
        self.store.add(raw, self.wall())

    def step(self) -> None:
        to_say = self.tracker.poll(self.world.now_ms)
        if to_say.own:
            stamp: Stamp = self.store.clock.tick(self.wall())
            body = Presence(stamp=stamp, swarm="test", role="executor", peer=self.transport)
            raw = sign(body, self.key).raw
            self.hear(raw)
            self.world.publish(self, raw)
        for raw in to_say.repeated:
            self.world.publish(self, raw)
        if self.world.now_ms % WATCH_MS == 0:
            self.tracker.watch(self.world.connected(self), self.world.now_ms)


class World:
    """Processes under a virtual clock. Frames reach all of them; connections may not."""

    def __init__(self, *, unlinked: frozenset[str] = frozenset()) -> None:
        self.now_ms = 0
        self.processes: list[Process] = []
        self.unlinked = unlinked
        """Transport ids of processes that have no connection to each other."""

    def publish(self, by: Process, raw: bytes) -> None:
        for process in self.processes:
            if process is not by:
                process.hear(raw)

    def connected(self, process: Process) -> list[str]:
        return [
            other.transport
            for other in self.processes
            if other is not process and not {process.transport, other.transport} <= self.unlinked
        ]

    def run(self, seconds: float) -> None:
        for _ in range(int(seconds * 1000 / STEP_MS)):
            self.now_ms += STEP_MS
            for process in list(self.processes):
                process.step()

    def newcomer(self) -> None:
        """Let everybody greet one that has just come."""
        for process in self.processes:
            process.tracker.newcomer(self.now_ms)


def test_two_neighbours_under_one_key_notice_at_once_and_one_waits() -> None:
    """Both know within seconds; the smaller transport id works; when it is gone the other does."""
    world = World()
    first = Process(world, "b")
    world.run(60)
    assert not first.tracker.sharing
    second = Process(world, "c")
    world.run(4)
    assert first.tracker.sharing == {"c"}
    assert second.tracker.sharing == {"b"}
    assert (first.tracker.waits, second.tracker.waits) == (False, True)
    world.run(300)
    assert (first.tracker.waits, second.tracker.waits) == (False, True)
    world.processes.remove(first)
    world.run(GONE_MS / 1000 + 3)
    assert not second.tracker.sharing
    assert not second.tracker.waits


def test_two_processes_that_are_no_neighbours_notice_by_their_stamps() -> None:
    """Presences that others relay are enough, and silence shows that the other is gone."""
    world = World(unlinked=frozenset({"b", "c"}))
    Process(world, "x", OTHER)
    first, second = Process(world, "b"), Process(world, "c")
    world.run((EVERY_MS + SURE_AFTER_MS) / 1000 + 2)
    assert (first.tracker.waits, second.tracker.waits) == (False, True)
    world.processes.remove(first)
    world.run(gone_after_ms(2, LASTING_MS) / 1000 + EVERY_MS / 1000)
    assert not second.tracker.sharing


def test_a_restart_within_seconds_is_no_second_process() -> None:
    """Others repeat the previous process's last presence, also if the clock was stepped back."""
    for offset_ms in (0, -MAX_DRIFT_MS):
        world = World()
        witness, before = Process(world, "x", OTHER), Process(world, "a")
        world.run(45.5)
        before.tracker.hurry()
        world.run(1.5)
        last = next(r for r in witness.store.presences() if r.author == before.tracker._author)
        world.processes.remove(before)
        world.run(0.5)
        again = Process(world, "b", offset_ms=offset_ms)
        again.hear(last.raw)
        world.newcomer()
        for _ in range(120):
            world.run(1)
            again.hear(last.raw)
            assert not again.tracker.sharing
            assert not again.tracker.waits


def test_a_restarted_twin_is_noticed_again() -> None:
    """Of a process that keeps running, and another one that is restarted, one waits each time."""
    world = World()
    first = Process(world, "m")
    Process(world, "x", OTHER)
    world.run(30)
    for transport, waits in (("z", False), ("c", True), ("q", False)):
        second = Process(world, transport)
        world.run(5)
        assert first.tracker.sharing == {transport}
        assert (first.tracker.waits, second.tracker.waits) == (waits, not waits)
        world.processes.remove(second)
        world.run(GONE_MS / 1000 + 3)
        assert not first.tracker.sharing


def test_of_many_processes_one_works() -> None:
    """Whatever their number and order, exactly one starts model calls."""
    world = World()
    processes = [Process(world, transport) for transport in "dbeac"]
    world.run(10)
    assert [p.transport for p in processes if not p.tracker.waits] == ["a"]


def test_memory_is_bounded() -> None:
    """The key's holder can name any number of transport ids."""
    shared = SharedKey()
    shared.shown(0)
    for number in range(10 * MAX_OTHERS):
        shared.heard(str(number), SURE_AFTER_MS + 1, 0)
    assert len(shared.others) == MAX_OTHERS


def test_a_peer_with_a_shared_key_counts_as_able() -> None:
    """One of its processes works, so quorums and assignments count it; other trouble excludes."""
    assert can_work("")
    assert can_work(f"{SHARED_KEY}: stop one")
    assert not can_work("no model server")
