"""Discord's rate limits for bots, as headers and 429s.

Discord documents the format of its limits (headers, bodies, scopes) but not their values. The
format here follows the documentation; the values are those that bots see in practice, each with its
source. Routes without a limit here count only towards the global one. discord.py reads the headers
and paces itself; a bot that does not gets 429s.
"""

from __future__ import annotations

import hashlib
import math
import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

MAX_BUCKETS = 1000
"""Most buckets kept; beyond that, expired ones are dropped."""

GLOBAL_CALLS, GLOBAL_SECONDS = 50, 1.0
"""The global limit for a bot's requests, as documented by Discord."""

SENT_THROUGH = "1.1 playground"
"""Value of the `Via` header: discord.py accepts a 429 as Discord's own only if it has one."""


@dataclass(frozen=True)
class Limit:
    """At most `calls` in `seconds` for each channel, webhook or guild.

    Attributes:
        methods: the HTTP methods that share this bucket.
        path: the routes that share it; requests are counted by the pattern's group, if it has one.
        scope: `user` if the limit is per bot, `shared` if all bots share it.
    """

    methods: tuple[str, ...]
    path: re.Pattern[str]
    calls: int
    seconds: float
    scope: str = "user"

    @property
    def bucket(self) -> str:
        """The bucket's opaque name in Discord's headers, the same for all its routes."""
        about = f"{self.methods} {self.path.pattern}"
        return hashlib.sha256(about.encode()).hexdigest()[:32]


_SEND = re.compile(r"/channels/(\d+)/messages\Z")
_EDIT = re.compile(r"/channels/(\d+)/messages/\d+\Z")
_REACT = re.compile(r"/channels/(\d+)/messages/\d+/reactions(?:/|\Z)")
_THREAD = re.compile(r"/channels/\d+(?:/messages/\d+)?/threads\Z")
_WEBHOOK = re.compile(r"/webhooks/\d+/([^/]+)(?:/|\Z)")
_INTERACTION = re.compile(r"/(?:interactions|webhooks)/\d+/")

SEND = Limit(("POST",), _SEND, 5, 5.0)
EDIT = Limit(("PATCH",), _EDIT, 5, 5.0)
REACT = Limit(("PUT", "DELETE"), _REACT, 1, 0.25)
"""Adding and removing share a bucket (discord-api-docs issues 182 and 981)."""

THREAD = Limit(("POST",), _THREAD, 50, 300.0, "shared")
"""Undocumented. Bots see waits of up to five minutes in a bucket that the whole guild shares
(discord-api-docs issues 7816 and 8082), and report 50 threads."""

WEBHOOK = Limit(("POST", "PATCH", "DELETE"), _WEBHOOK, 5, 2.0)
"""Follow-ups of one interaction."""

LIMITS = (SEND, EDIT, REACT, THREAD, WEBHOOK)


@dataclass(frozen=True)
class Verdict:
    """The limits' decision about one request.

    Attributes:
        headers: the rate limit headers of the response.
        retry_after: seconds to wait if the request is refused, else None.
        everywhere: whether the refusal applies to all of the bot's requests.
    """

    headers: dict[str, str]
    retry_after: float | None = None
    everywhere: bool = False

    def body(self) -> dict[str, Any]:
        """Return the body of the 429."""
        return {
            "message": "You are being rate limited.",
            "retry_after": self.retry_after,
            "global": self.everywhere,
        }


def global_limit_refusal(seconds: float) -> Verdict:
    """Return the refusal of a request by the global limit, which lasts this long."""
    headers = {
        "Via": SENT_THROUGH,
        "Retry-After": str(math.ceil(seconds)),
        "X-RateLimit-Global": "true",
        "X-RateLimit-Scope": "global",
    }
    return Verdict(headers, _milliseconds(seconds), everywhere=True)


def _milliseconds(seconds: float) -> float:
    """Round up to milliseconds: a bot that waits that long must not be refused again."""
    return math.ceil(seconds * 1000 + 0.001) / 1000


class RateLimiter:
    """Counts requests in fixed windows.

    Args:
        now: returns monotonic seconds.
        limits: the limits in addition to the global one.
    """

    def __init__(self, now: Callable[[], float], limits: tuple[Limit, ...] = LIMITS) -> None:
        self._now = now
        self._limits = limits
        self._windows: dict[tuple[str, str], tuple[float, int]] = {}
        self._all = (0.0, 0)

    def check(self, method: str, path: str) -> Verdict:
        """Count one request and return the decision; `retry_after` is set if it is refused."""
        # Answers to interactions do not count towards the global limit.
        wait = 0.0 if _INTERACTION.match(path) else self._count_globally()
        if wait > 0:
            return global_limit_refusal(wait)
        for limit in self._limits:
            match = limit.path.match(path) if method in limit.methods else None
            if match is not None:
                return self._count(limit, match.group(1) if match.groups() else "")
        return Verdict({})

    def _count_globally(self) -> float:
        now = self._now()
        ends, used = self._all
        if ends <= now:
            ends, used = now + GLOBAL_SECONDS, 0
        if used >= GLOBAL_CALLS:
            return ends - now
        self._all = ends, used + 1
        return 0.0

    def _count(self, limit: Limit, place: str) -> Verdict:
        now = self._now()
        key = (limit.bucket, place)
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
            "X-RateLimit-Reset": f"{time.time() + _milliseconds(left):.3f}",
            "X-RateLimit-Reset-After": f"{_milliseconds(left):.3f}",
            "X-RateLimit-Bucket": limit.bucket,
        }
        if not refused:
            return Verdict(headers)
        headers |= {
            "Via": SENT_THROUGH,
            "Retry-After": str(math.ceil(left)),
            "X-RateLimit-Scope": limit.scope,
        }
        return Verdict(headers, _milliseconds(left))

    def _forget(self, now: float) -> None:
        if len(self._windows) > MAX_BUCKETS:
            self._windows = {k: v for k, v in self._windows.items() if v[0] > now}
