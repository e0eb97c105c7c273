"""A simulated swarm in one process: real stores, agents and records, a virtual clock."""
