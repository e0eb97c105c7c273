"""The network of a peer: how records get from one record set to all others.

Start at `network.Network`. This package is the only one that imports libp2p. The gossip protocol
itself needs no network: it is in `swarm.gossip`, and runs in the simulator as it does here. Here is
everything else: connections, discovery, pubsub, and the streams between neighbours.

Importing this package alone does not import libp2p.
"""

# libp2p cannot be imported without this: its dependency fastecdsa is not installed.
from swarm.net.patches import no_ecdsa  # noqa: F401  for its effect, before anything imports libp2p
