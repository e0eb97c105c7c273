"""The simulated network floods, loses, repeats, cuts, heals and redials as it should."""

from __future__ import annotations

from swarm.agents.base import Observer, Submitter
from swarm.core.records import Notice, sign
from swarm.gossip import frames
from swarm.sim.world.peer import SimPeer
from swarm.sim.world.wire import Quality
from swarm.sim.world.world import World


def village(count: int, quality: Quality | None = None, dials: int = 2) -> World:
    """Return a connected world of peers that publish presences and decide nothing."""
    world = World(3, quality=quality or Quality(), dials=dials)
    for _ in range(count):
        world.add(Submitter)
    world.run(seconds=5)
    return world


def send_note(world: World, peer: SimPeer) -> bytes:
    """Put a record on the wire, bypassing outbox and repair; return its id."""
    body = Notice(stamp=(world.now_ms, 1), goal=bytes(32), code="n", text="hello")
    record = sign(body, peer.key)
    peer.send(frames.encode_bundle([record.raw]))
    return record.id


def reached(world: World, rid: bytes) -> int:
    return sum(rid in peer.store for peer in world.peers)


def test_a_frame_floods_to_everyone_once() -> None:
    """Every peer gets a frame, though each has few links, and forwards it once."""
    world = village(12)
    hops = world.wire.counters.hops
    rid = send_note(world, world.peers[0])
    world.run(seconds=0.4)
    assert reached(world, rid) == 11
    links = sum(1 for _ in world.wire.links())
    assert world.wire.counters.hops - hops <= 2 * links


def test_loss_loses_its_share() -> None:
    """Links lose about the configured share of frames."""
    world = village(12, Quality(loss=0.3))
    world.run(seconds=200)
    counters = world.wire.counters
    assert 0.25 < counters.lost / counters.hops < 0.35


def test_a_partition_lets_nothing_through_until_it_heals() -> None:
    """Nothing crosses the cut; after healing all peers have the goal."""
    world = village(8)
    left, right = world.peers[:4], world.peers[4:]
    world.wire.partition({peer.index: int(peer in right) for peer in world.peers})
    goal = world.submit(left[0], "a goal")
    world.run(seconds=60)
    assert all(peer.knows(goal) for peer in left)
    assert not any(peer.knows(goal) for peer in right)
    world.wire.heal()
    world.run(seconds=20)
    assert all(peer.knows(goal) for peer in right)


def test_a_listener_in_a_lossy_swarm_hears_all_and_sends_nothing() -> None:
    """An observer that joins late has everything and has never published a frame."""
    world = village(5, Quality(loss=0.3))
    goals = [world.submit(world.peers[0], f"goal {number}") for number in range(5)]
    world.run(seconds=30)
    listener = world.add(Observer)
    world.run(seconds=30)
    assert all(listener.knows(goal) for goal in goals)
    assert listener.traffic.frames_out == 0
    assert listener.traffic.stream_bytes_out == 0


def test_a_frozen_peer_does_nothing_until_it_continues() -> None:
    """While stopped it takes in nothing; when it continues, it reads what waited in its sockets."""
    world = village(5)
    peer = world.peers[4]
    peer.freeze()
    goal = world.submit(world.peers[0], "a goal")
    world.run(seconds=5)
    assert not peer.knows(goal)
    peer.thaw()
    world.run(seconds=1)
    assert peer.knows(goal)


def test_a_long_freeze_costs_the_links_and_they_come_back() -> None:
    """Neighbours disconnect a peer that does not answer, and it dials again when it can."""
    world = village(5)
    peer = world.peers[4]
    peer.freeze()
    world.run(seconds=20)
    assert not peer.links
    peer.thaw()
    world.run(seconds=5)
    assert peer.links


def test_a_killed_peer_is_missed_and_a_restarted_one_dials_again() -> None:
    """Its neighbours drop their links at once; a restarted peer has new links and the same key."""
    world = village(5)
    peer = world.peers[4]
    author = peer.author
    peer.kill()
    world.run(seconds=2)
    assert not any(peer.index in other.links for other in world.peers)
    peer.restart(disk=False)
    world.run(seconds=3)
    assert peer.links
    assert peer.author == author


def test_a_disk_is_kept_or_lost() -> None:
    """A restarted peer has its earlier records with its disk, and none without."""
    world = village(3)
    goal = world.submit(world.peers[0], "a goal")
    world.run(seconds=5)
    peer = world.peers[2]
    peer.kill()
    peer.restart(disk=True)
    assert peer.knows(goal)
    peer.kill()
    peer.restart(disk=False)
    assert not peer.knows(goal)
    world.run(seconds=5)
    assert peer.knows(goal)


def test_repeated_frames_change_nothing() -> None:
    """A link that repeats every frame, later and out of order, ends with the same records."""
    world = village(6, Quality(duplicate=1.0, straggle=0.3))
    goal = world.submit(world.peers[0], "a goal")
    world.run(seconds=30)
    assert {peer.store.summary(goal) for peer in world.peers} == {(1, goal)}
