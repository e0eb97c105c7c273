"""The `swarm-bot` command: `run` (Discord) and `playground` (no account needed)."""
