"""Simulated sync sessions: two peers exchange what only one has, unless a session is refused."""

from __future__ import annotations

from swarm.agents.base import Observer, Submitter
from swarm.core.clock import Stamp
from swarm.core.records import Goal, sign
from swarm.gossip.sync_schedule import SESSION_MS, STALL_MS
from swarm.sim.world.peer import SimPeer
from swarm.sim.world.wire import StreamEnd
from swarm.sim.world.world import SWARM, World


def linked(*agents: type[Submitter] | type[Observer]) -> tuple[World, list[SimPeer]]:
    """Return a world whose peers are connected and have settled."""
    world = World(4, dials=3)
    peers = [world.add(agent) for agent in agents]
    world.run(seconds=5)
    return world, peers


def hide(world: World, peer: SimPeer) -> bytes:
    """Give one peer a goal that it does not publish; return its id."""
    record = sign(Goal(stamp=Stamp(world.now_ms), swarm=SWARM, text="hidden"), peer.key)
    peer.store.add(record.raw, peer.wall())
    return record.id


def test_neighbours_that_meet_hold_one_session_about_each_scope() -> None:
    """The side that dialled asks for what lives, then for all; each serves the other too."""
    _, (one, other) = linked(Submitter, Submitter)
    assert one.traffic.syncs == other.traffic.syncs == 2


def test_a_session_brings_a_peer_what_it_lacks() -> None:
    """A record that its holder never published is at the neighbour after one session."""
    world, (one, other) = linked(Submitter, Submitter)
    goal = hide(world, one)
    other.sync.lacking()
    world.run(seconds=2)
    assert goal in other.store


def test_a_listener_answers_nobody() -> None:
    """It refuses the stream, and the asking peer turns to its next neighbour."""
    world, (one, listener, other) = linked(Submitter, Observer, Submitter)
    goal = hide(world, other)
    one.sync.lacking()
    world.run(seconds=2)
    assert goal in one.store
    assert listener.traffic.syncs == 0


def test_a_session_with_a_peer_that_stops_is_given_up() -> None:
    """The asking peer is free to ask others once a message has stalled or the link has broken."""
    world, (one, other, third) = linked(Submitter, Submitter, Submitter)
    other.freeze()
    goal = hide(world, third)
    one.sync.lacking()
    world.run(seconds=(STALL_MS + SESSION_MS) / 1000)
    assert goal in one.store


def test_a_stream_breaks_at_both_ends_when_its_link_ends() -> None:
    """Neither side waits for the other."""
    world, (one, other) = linked(Submitter, Submitter)
    stream = one.open_stream(other.transport)
    assert isinstance(stream, StreamEnd)
    ended: list[bool] = []
    stream.on_end = lambda *, finished: ended.append(finished)
    (link,) = one.links.values()
    world.wire.hang_up(link)
    world.run(seconds=0.01)
    assert ended == [False]
    assert one.open_stream(other.transport) is None
