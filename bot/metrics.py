"""The bot's metrics, for Prometheus. No label or value identifies a person, a server or a text."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

REGISTRY = CollectorRegistry(auto_describe=True)

ASKED = Counter("leaderless_bot_goals_asked", "Goals accepted.", registry=REGISTRY)
REFUSED = Counter(
    "leaderless_bot_goals_refused", "Goals refused by a quota.", ["quota"], registry=REGISTRY
)
COMMANDS = Counter(
    "leaderless_bot_commands", "Commands run and buttons pressed.", ["name"], registry=REGISTRY
)
FAULTS = Counter(
    "leaderless_bot_faults",
    "Commands and events that failed because of a defect.",
    registry=REGISTRY,
)
VOTES = Counter("leaderless_bot_votes", "People's votes attested.", registry=REGISTRY)
SENT = Counter(
    "leaderless_bot_messages", "Messages sent and edited.", ["action"], registry=REGISTRY
)
CHAT_FAILURES = Counter(
    "leaderless_bot_chat_failures",
    "Refusals and outages of Discord, by kind.",
    ["kind"],
    registry=REGISTRY,
)
RESTARTS = Counter(
    "leaderless_bot_restarts", "Restarts of the bot's halves.", ["half"], registry=REGISTRY
)
WAITING = Gauge("leaderless_bot_waiting_goals", "Goals in the queue.", registry=REGISTRY)
LIVE = Gauge(
    "leaderless_bot_live_goals", "Goals whose threads are kept up to date.", registry=REGISTRY
)
PEERS = Gauge("leaderless_bot_peers", "Other peers heard from recently.", registry=REGISTRY)
CONNECTED = Gauge("leaderless_bot_connected", "1 while a half is up.", ["half"], registry=REGISTRY)
SHOWN = Histogram(
    "leaderless_bot_shown_seconds",
    "Time from receiving a change from the swarm until a message of its thread shows it.",
    buckets=(0.1, 0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 5.0, 10.0, 30.0),
    registry=REGISTRY,
)
BLOCKED = Counter(
    "leaderless_bot_loop_blocked",
    "Times the event loop was blocked for a second or more.",
    registry=REGISTRY,
)
LAG = Histogram(
    "leaderless_bot_loop_lag_seconds",
    "How late the event loop wakes up: the delay that a slow call causes for everyone.",
    buckets=(0.005, 0.02, 0.1, 0.5, 1.0, 2.0, 5.0),
    registry=REGISTRY,
)
