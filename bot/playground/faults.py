"""Simulated faults: the playground can fail in the ways Discord sometimes does."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from bot.playground.wire.gateway import (
    AUTHENTICATION_FAILED,
    DISALLOWED_INTENTS,
    SESSION_TIMED_OUT,
    Gateway,
)
from bot.playground.wire.limits import RateLimiter
from bot.playground.wire.rest import Rest

Fault = Callable[[], Awaitable[None]]

FAILING_REQUESTS = 5
"""Number of failing requests. discord.py tries a request five times, so this makes one fail."""

SLOW_SECONDS = 4.0
"""How late a slow response is: later than the three seconds that an interaction waits."""

PAUSE_SECONDS = 3.0
"""How long every request is refused while the global rate limit is simulated."""

FAULTS: Mapping[str, str] = {
    "drop": "Close the bot's connection; it resumes",
    "cut": "Cut the connection without a closing frame; it resumes",
    "forget": "Close the connection and forget the session; it logs in again",
    "invalid": "Declare the session invalid; it logs in again",
    "timeout": "Declare the session timed out (4009)",
    "reconnect": "Ask the bot to reconnect",
    "garbage": "Send a malformed event",
    "token": "Refuse the token (4004)",
    "intents": "Refuse the intents (4014)",
    "errors": f"Answer the next {FAILING_REQUESTS} requests with error 500",
    "slow": f"Answer the next {FAILING_REQUESTS} requests {SLOW_SECONDS:.0f} seconds late",
    "lost": "Carry out the next request but lose the response",
    "wait": f"Rate-limit all requests for {PAUSE_SECONDS:.0f} seconds",
    "limits": "Switch rate limits on or off",
}
"""Faults by name, each with its description on the page."""

SENSELESS_EVENT: Mapping[str, Any] = {"channel_id": None, "id": "x", "author": 7}


class Faults:
    """The faults, each under its name in `FAULTS`."""

    def __init__(self, gateway: Gateway, rest: Rest) -> None:
        self._gateway = gateway
        self._rest = rest

    def by_name(self) -> dict[str, Fault]:
        """Return all faults by name."""
        return {name: getattr(self, f"_{name}") for name in FAULTS}

    async def _drop(self) -> None:
        await self._gateway.drop()

    async def _cut(self) -> None:
        self._gateway.cut()

    async def _forget(self) -> None:
        self._gateway.sessions.forget()
        await self._gateway.drop()

    async def _invalid(self) -> None:
        self._gateway.invalidate()

    async def _timeout(self) -> None:
        self._gateway.sessions.forget()
        await self._gateway.drop(SESSION_TIMED_OUT)

    async def _reconnect(self) -> None:
        self._gateway.ask_reconnect()

    async def _garbage(self) -> None:
        self._gateway.sessions.dispatch("MESSAGE_CREATE", SENSELESS_EVENT)

    async def _token(self) -> None:
        self._gateway.sessions.forget()
        await self._gateway.drop(AUTHENTICATION_FAILED)

    async def _intents(self) -> None:
        self._gateway.sessions.forget()
        await self._gateway.drop(DISALLOWED_INTENTS)

    async def _errors(self) -> None:
        self._rest.fail_next("*", "*", status=500, times=FAILING_REQUESTS)

    async def _slow(self) -> None:
        self._rest.slow(FAILING_REQUESTS, SLOW_SECONDS)

    async def _lost(self) -> None:
        self._rest.lose_answers(1)

    async def _wait(self) -> None:
        self._rest.pause(PAUSE_SECONDS)

    async def _limits(self) -> None:
        on = self._rest.limiter is None
        self._rest.limiter = RateLimiter(asyncio.get_running_loop().time) if on else None
