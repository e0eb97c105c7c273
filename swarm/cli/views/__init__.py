"""What the `swarm` command shows: trees, live displays, changes and documents. No networking."""
