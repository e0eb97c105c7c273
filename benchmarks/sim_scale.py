"""How a swarm grows: one goal among 30 to 1,000 simulated peers that lose a tenth of all frames.

    python -m benchmarks.sim_scale                 the table (some minutes)
    python -m benchmarks.sim_scale 100 1000        these sizes only

Every peer dials four others; gossip floods all links. Five decomposers, seven scorers and eight
executors do the work; the rest are executors that listen, stand by and publish presence like any
other. Everything is real except the wire, the clock and the models (`swarm.sim`). The signature of
each record is checked once for the whole process, not once a peer; this changes only the last
column below.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass

from swarm.agents.base import Observer, Submitter
from swarm.agents.decomposer import Decomposer
from swarm.agents.executor import Executor
from swarm.agents.scorer import Scorer
from swarm.core.policy import MINUTE, SECOND, Policy
from swarm.core.store.presences import presence_every_ms
from swarm.sim.world.peer import SimPeer
from swarm.sim.world.wire import Quality
from swarm.sim.world.world import World

SIZES = (30, 100, 300, 1_000)
DECOMPOSERS, SCORERS, EXECUTORS = 5, 7, 8
LOSS = 0.1
WARM_UP_S = 25.0
STEP_SECONDS = 0.1
LIMIT_S = 900.0
QUIET_S = 60.0
"""Virtual seconds to watch after the end, for the cost of an idle swarm; in a large one, long
enough for every peer to publish its presence once."""


@dataclass(frozen=True)
class Line:
    """One row of the table; times in virtual seconds."""

    peers: int
    done_s: float
    same_s: float
    records: int
    frames: float
    sent_kb: float
    hop_kb: float
    stream_kb: float
    quiet_kb: float
    cpu_s: float


def build(peers: int, *, extra: type = Executor) -> tuple[World, SimPeer]:
    """Make a world of this many peers; return it and the peer that submits."""
    world = World(peers, quality=Quality(delay_ms=(5, 60), loss=LOSS), watching=False)
    asker = world.add(Submitter)
    for make, count in ((Decomposer, DECOMPOSERS), (Scorer, SCORERS), (Executor, EXECUTORS)):
        for _ in range(count):
            world.add(make)
    world.add(Observer)
    while len(world.peers) < peers:
        world.add(extra)
    return world, asker


def measure(peers: int) -> Line:
    """Let one goal be planned among this many peers, and count."""
    began = time.process_time()
    world, asker = build(peers)
    world.run(seconds=WARM_UP_S)
    before = totals(world)
    policy = Policy(
        quorum=SCORERS // 2 + 1, max_depth=1, lease_ms=30 * SECOND, deadline_ms=20 * MINUTE
    )
    asked_ms = world.now_ms
    goal = world.submit(asker, "two weeks in Japan", policy)
    done_ms: int | None = None
    while world.now_ms - asked_ms < LIMIT_S * 1000:
        world.run(seconds=STEP_SECONDS)
        if done_ms is None and world.plan(asker, goal).final:
            done_ms = world.now_ms
        if done_ms is not None and same_everywhere(world, goal):
            break
    same_ms = world.now_ms
    after = totals(world)
    quiet_s = max(QUIET_S, presence_every_ms(peers) / 1000)
    world.run(seconds=quiet_s)
    quiet = totals(world)
    used = [(b - a) / peers for a, b in zip(before, after, strict=True)]
    return Line(
        peers=peers,
        done_s=((done_ms or same_ms) - asked_ms) / 1000,
        same_s=(same_ms - (done_ms or same_ms)) / 1000,
        records=len(asker.store),
        frames=used[0],
        sent_kb=used[1] / 1024,
        hop_kb=used[2] / 1024,
        stream_kb=used[3] / 1024,
        quiet_kb=(quiet[2] - after[2]) / peers / 1024 / (quiet_s / 60),
        cpu_s=time.process_time() - began,
    )


def totals(world: World) -> tuple[int, int, int, int]:
    """Return frames and bytes of all peers: published, forwarded, over streams."""
    counters = [peer.traffic for peer in world.peers]
    return (
        sum(c.frames_out for c in counters),
        sum(c.bytes_out for c in counters),
        sum(c.hop_bytes_out for c in counters),
        sum(c.stream_bytes_out for c in counters),
    )


def same_everywhere(world: World, goal: bytes) -> bool:
    """Return whether all peers hold the same records of a goal and see the same plan."""
    first = world.peers[0].store
    return all(
        peer.store.summary(goal) == first.summary(goal)
        and world.plan(peer, goal).digest == world.plan(world.peers[0], goal).digest
        for peer in world.peers
    )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    least = DECOMPOSERS + SCORERS + EXECUTORS + 1
    parser.add_argument("sizes", nargs="*", type=int, default=SIZES, help=f"peers, {least} or more")
    sizes = parser.parse_args().sizes
    if min(sizes) < least:
        parser.error(f"{least} peers at least: those that work and the one that asks")
    print(f"loss {LOSS:.0%} a link and frame, {DECOMPOSERS} decomposers, {SCORERS} scorers")
    print(
        "peers  done after  same everywhere  records  frames a peer  published a peer  "
        "forwarded a peer  streams a peer  at rest a peer  CPU"
    )
    for peers in sizes:
        line = measure(peers)
        print(
            f"{line.peers:>5}  {line.done_s:>8.1f} s  {'+':>8}{line.same_s:>5.1f} s  "
            f"{line.records:>7}  {line.frames:>13.1f}  {line.sent_kb:>13.1f} KB  "
            f"{line.hop_kb:>13.1f} KB  {line.stream_kb:>11.1f} KB  {line.quiet_kb:>7.1f} KB/min  "
            f"{line.cpu_s:>4.0f} s",
            flush=True,
        )


if __name__ == "__main__":
    main()
