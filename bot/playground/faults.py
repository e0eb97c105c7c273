"""Making the playground misbehave as Discord sometimes does, to see how the bot bears it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping

Fault = Callable[[], Awaitable[None]]

FAULTS: Mapping[str, str] = {
    "drop": "Drop the bot's connection; it resumes",
    "forget": "Drop it and forget its session; it logs in anew",
    "reconnect": "Ask the bot to reconnect",
    "errors": "Answer its next 5 requests with an error 500",
    "limits": "Switch rate limits on or off",
}
"""What can be done -> how people read it."""

FAILING_REQUESTS = 5
