"""Asking for a plan: what is missing in the swarm is reported."""

from __future__ import annotations

from swarm.cli.plan_run import absent
from swarm.core.clock import Stamp
from swarm.core.fold.plan import Plan
from swarm.core.policy import Policy
from swarm.core.records import Goal, Presence, sign
from swarm.peer.peer import Peer
from swarm.peer.settings import PeerSettings
from tests.cli.plans import SCORER


def observer() -> Peer:
    """Return a peer that is not connected to anything."""
    return Peer(PeerSettings(role="observer"))


def asked(peer: Peer, *capabilities: str) -> Plan:
    """Return the plan of a goal that the peer has heard of just now."""
    policy = Policy(quorum=1, capabilities=list(capabilities))
    goal = Goal(stamp=Stamp(peer.now()), swarm="leaderless", text="a goal", policy=policy)
    peer.store.add(sign(goal, SCORER).raw, peer.now())
    plan = peer.store.plans()[0]
    assert isinstance(plan, Plan)
    return plan


def test_missing_roles_are_reported_with_the_command_that_helps() -> None:
    """In an empty swarm each missing role is reported with the command that starts it."""
    peer = observer()
    lines = absent(peer, asked(peer))
    assert [
        f"swarm peer {role}" in line
        for role, line in zip(("decomposer", "scorer", "executor"), lines, strict=True)
    ] == [True] * 3


def test_a_capability_that_no_executor_offers_is_reported() -> None:
    """A missing capability is reported with the command that starts such an executor."""
    peer = observer()
    now = peer.now()
    plan = asked(peer, "web")

    def lines_with(*offered: str) -> list[str]:
        body = Presence(
            stamp=Stamp(now + len(offered)),
            swarm="leaderless",
            role="executor",
            capabilities=list(offered),
        )
        peer.store.add(sign(body, SCORER).raw, now + len(offered))
        return [line for line in absent(peer, plan) if "web" in line]

    assert ["--capability web" in line for line in lines_with("gpu")] == [True]
    assert lines_with("gpu", "web") == []


def test_what_a_peer_says_of_itself_cannot_steer_the_terminal() -> None:
    """Escapes in a peer's name and trouble are not printed."""
    peer = observer()
    now = peer.now()
    body = Presence(
        stamp=Stamp(now), swarm="leaderless", role="scorer", name="\x1b[2Jx", trouble="\x9bno\n"
    )
    peer.store.add(sign(body, SCORER).raw, now)
    assert absent(peer, asked(peer))[-1] == "[2Jx: no"
