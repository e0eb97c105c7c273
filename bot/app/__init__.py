"""Running the bot: start-up, restarts, signals, the watchdog, logs and the metrics server."""
