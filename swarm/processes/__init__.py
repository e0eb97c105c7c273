"""Processes on this machine: starting, supervising and ending the peers of a local swarm."""
