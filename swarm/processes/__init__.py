"""Processes on this machine: starting, supervising and stopping the peers of a local swarm."""
