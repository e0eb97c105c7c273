"""libp2p's GossipSub router, changed so that it survives its own mistakes and sends nothing twice.

libp2p 0.8.1 is pinned because this class overrides its internals. Each override and its reason:

======================================  ==========================================================
what                                    why
======================================  ==========================================================
heartbeat every second                  the default of 120 s leaves a new peer out of the mesh
heartbeats on whole seconds             all that a peer does every second it does in one wake-up
heartbeat safe                          an exception in it ended the whole process
spam, adaptive, eclipse protection off  they drop messages silently (10 a second, own ones too)
GossipSub 1.1 only                      1.2 sends an IDONTWANT a message and lost 40 % at 20 msg/s
degree = all connections                mesh = all connections; PRUNE and GRAFT refusals livelock
direct recipients left out              where all are connected, each peer forwarded to each what
                                        its origin had sent them already: 50 copies among 9 for 8
backoffs forgotten with their peers     libp2p keeps one for each peer there ever was
sender records not made                 0.1 ms a frame to sign what `SafePubsub.write_msg` drops
======================================  ==========================================================

`tests/net/pubsub/test_safe_router.py` and `tests/net/test_abuse.py` hold the regression tests.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libp2p.pubsub.gossipsub as libp2p_gossipsub
import structlog
import trio
from libp2p.pubsub.gossipsub import PROTOCOL_ID_V11, GossipSub

from swarm.gossip import frames
from swarm.net.connections.host import MAX_CONNECTIONS
from swarm.net.errors import blame
from swarm.net.timers import until_tick

log = structlog.get_logger(__name__)

HEARTBEAT_SECONDS = 1
"""Seconds between heartbeats of the router."""

MESH_DEGREE = MAX_CONNECTIONS
MESH_DEGREE_HIGH = 2 * MAX_CONNECTIONS
"""Neighbours in the mesh: all that are connected, so that none is ever pruned or refused."""

GOSSIP_WINDOW = 3
GOSSIP_HISTORY = 5
"""For how many heartbeats messages are replayed to a newcomer, and for how many they are kept."""

HEARTBEAT_RETRY_SECONDS = 1.0
"""Seconds until a router whose heartbeat failed tries again."""

# What this makes is dropped by `SafePubsub.write_msg`.
libp2p_gossipsub.env_to_send_in_RPC = lambda _: (b"", False)


class SafeGossipSub(GossipSub):  # type: ignore[misc]  # libp2p's types are not followed
    """A router whose heartbeat survives errors, and that sends no peer a message twice."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self._recipients: dict[bytes | None, frozenset[bytes]] = {}
        """For each message being forwarded, the marks of its direct recipients."""

    @property
    def heartbeat_interval(self) -> float:
        """Seconds until the next heartbeat."""
        return until_tick(HEARTBEAT_SECONDS)

    @heartbeat_interval.setter
    def heartbeat_interval(self, _: float) -> None:
        """Ignore the value, which libp2p sets when the router is built."""

    async def heartbeat(self) -> None:
        """Run heartbeats for ever; an exception costs one of them."""
        while True:
            try:
                await super().heartbeat()
            except Exception as error:
                # Stock libp2p ends the whole process on any exception here.
                log.warning("gossip_heartbeat_failed", reason=blame(error))
                await trio.sleep(HEARTBEAT_RETRY_SECONDS)

    def remove_peer(self, peer_id: Any) -> None:
        """Forget a peer, including how long it asked to stay out of the mesh."""
        super().remove_peer(peer_id)
        for waiting in self.back_off.values():
            waiting.pop(peer_id, None)

    async def publish(self, msg_forwarder: Any, pubsub_msg: Any) -> None:
        """Forward a message unless its origin publishes too much.

        The delivery times that libp2p notes are cleared, which only adaptive gossip would do.
        """
        own = msg_forwarder == self.pubsub.host.get_id()
        sender, size = bytes(pubsub_msg.from_id), len(pubsub_msg.data)
        if not own and not self.pubsub.admission.may_forward(sender, size, _now_ms()):
            return
        identity = self.pubsub.get_message_id(pubsub_msg)
        self._recipients[identity] = frames.recipients(pubsub_msg.data)
        try:
            await super().publish(msg_forwarder, pubsub_msg)
        finally:
            del self._recipients[identity]
        self.recent_message_deliveries.clear()

    def _get_peers_to_send(
        self, topic_ids: Any, msg_forwarder: Any, origin: Any, msg_id: bytes | None = None
    ) -> Iterator[Any]:
        """Leave out the direct recipients of the message."""
        recipients = (
            frozenset()
            if origin == self.pubsub.my_id
            else self._recipients.get(msg_id, frozenset())
        )
        for peer in super()._get_peers_to_send(topic_ids, msg_forwarder, origin, msg_id):
            if frames.mark_of(peer.to_bytes()) not in recipients:
                yield peer


def build_router() -> SafeGossipSub:
    """Return a router with the settings that delivered every message (see the module's table)."""
    return SafeGossipSub(
        protocols=[PROTOCOL_ID_V11],
        degree=MESH_DEGREE,
        degree_low=MESH_DEGREE,
        degree_high=MESH_DEGREE_HIGH,
        heartbeat_interval=HEARTBEAT_SECONDS,
        gossip_window=GOSSIP_WINDOW,
        gossip_history=GOSSIP_HISTORY,
        adaptive_gossip_enabled=False,
        spam_protection_enabled=False,
        eclipse_protection_enabled=False,
    )


def _now_ms() -> int:
    return int(trio.current_time() * 1000)
