"""What the `swarm` command shows: trees, live views, changes and documents. No networking."""
