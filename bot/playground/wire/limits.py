"""Discord's rate limits for what a bot sends: the per-channel buckets, as headers and 429s.

The numbers are those that bots meet in practice: five sends and five edits a channel in five
seconds, four reactions a channel in a second. Everything else is left unlimited here. discord.py
reads the headers and paces itself; a bot that does not gets the 429.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

MAX_BUCKETS = 1000
"""Buckets remembered; beyond it those that have run out are dropped."""


@dataclass(frozen=True)
class Limit:
    """At most `calls` in `seconds` for each channel."""

    name: str
    method: str
    path: re.Pattern[str]
    calls: int
    seconds: float


LIMITS = (
    Limit("send", "POST", re.compile(r"/channels/(\d+)/messages\Z"), 5, 5.0),
    Limit("edit", "PATCH", re.compile(r"/channels/(\d+)/messages/\d+\Z"), 5, 5.0),
    Limit("react", "PUT", re.compile(r"/channels/(\d+)/messages/\d+/reactions/"), 4, 1.0),
)


@dataclass(frozen=True)
class Verdict:
    """What the limits say of one request."""

    headers: dict[str, str]
    retry_after: float | None = None


class RateLimiter:
    """Counts requests in fixed windows. `now` gives monotonic seconds."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._windows: dict[tuple[str, str], tuple[float, int]] = {}

    def check(self, method: str, path: str) -> Verdict:
        """Count one request; `retry_after` is set when it is one too many."""
        for limit in LIMITS:
            match = limit.path.match(path) if method == limit.method else None
            if match is not None:
                return self._count(limit, match.group(1))
        return Verdict({})

    def _count(self, limit: Limit, channel: str) -> Verdict:
        now = self._now()
        key = (limit.name, channel)
        ends, used = self._windows.get(key, (0.0, 0))
        if ends <= now:
            self._forget(now)
            ends, used = now + limit.seconds, 0
        refused = used >= limit.calls
        if not refused:
            used += 1
            self._windows[key] = (ends, used)
        left = ends - now
        headers = {
            "X-RateLimit-Limit": str(limit.calls),
            "X-RateLimit-Remaining": str(limit.calls - used),
            "X-RateLimit-Reset-After": f"{left:.3f}",
            "X-RateLimit-Bucket": limit.name,
        }
        if refused:
            headers["Retry-After"] = f"{left:.3f}"
            headers["X-RateLimit-Scope"] = "user"
        return Verdict(headers, left if refused else None)

    def _forget(self, now: float) -> None:
        if len(self._windows) > MAX_BUCKETS:
            self._windows = {k: v for k, v in self._windows.items() if v[0] > now}
