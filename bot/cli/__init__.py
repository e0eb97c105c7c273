"""The `swarm-bot` command: `run` (on Discord), `check` and `playground` (without an account)."""
