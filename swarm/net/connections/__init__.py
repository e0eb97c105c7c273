"""The libp2p host and its connections: whom to dial, whom to accept, when to let go."""
