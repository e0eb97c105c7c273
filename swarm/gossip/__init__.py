"""The gossip protocol, sans-I/O: frames, batching, anti-entropy, pull and handoff. No libp2p."""
