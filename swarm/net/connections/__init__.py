"""The libp2p host and its connections: which to dial, which to accept, and when to close them."""
