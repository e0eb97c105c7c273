"""The leaderless swarm. It knows nothing of Discord."""
