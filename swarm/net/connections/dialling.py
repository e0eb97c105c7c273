"""When a peer dials one more peer: the numbers that real and simulated peers share.

Nothing here imports libp2p, so that the simulator can use it.
"""

OUTBOUND = 4
"""Outbound connections that each peer keeps. Four random ones keep a swarm of a few hundred peers
connected even while some fail; many more would make every message more expensive."""

ALONE_SECONDS = 30.0
"""Seconds without a connected peer that has ever published, after which one more peer is dialled.
Listeners cannot bring a newcomer up to date, and every speaker publishes within this time."""

SILENT_SECONDS = 75.0
"""Seconds without a message of a peer that used to publish, after which it is dialled: when a swarm
is cut in two, each side fills its connections, and the sides would never meet again. Every speaker
publishes its presence at least twice in this time, and its messages pass through all connected
peers, so in a swarm that is whole no peer is dialled for this."""

SEEK_PAUSE_SECONDS = 10.0
"""Seconds between two dials of peers that went silent."""
