"""What `swarm` and `swarm-bot` share at the terminal: errors, help, text and logs."""
