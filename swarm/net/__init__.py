"""The network of a peer: how records get from one record set to all others.

Start at `network.Network`. This package is the only importer of libp2p. What needs no wire
(`frames`, `outbox`, `trickle`, `compare`, `anti_entropy`, `lacking`, `gossip`, `reconcile`) is
sans-I/O and runs in the simulator as it does here; the rest (`host`, `pubsub`, `links`,
`discovery`, `address_book`, `exchange`, `sync`, `messages`) is the wire.
Importing this package alone imports neither.
"""

from swarm.net.patches import no_ecdsa  # noqa: F401  has to come before libp2p
