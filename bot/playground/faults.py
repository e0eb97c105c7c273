"""Making the playground misbehave as Discord sometimes does, to see how the bot bears it."""

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
"""discord.py tries a request five times: as many as it can bear in a row, and one more fails."""

SLOW_SECONDS = 4.0
"""How long a slow answer takes: longer than the three seconds that an interaction waits."""

PAUSE_SECONDS = 3.0
"""How long everything is refused when the bot is told to wait with all it does."""

FAULTS: Mapping[str, str] = {
    "drop": "Close the bot's connection; it resumes",
    "cut": "Cut its connection without a word; it resumes",
    "forget": "Drop it and forget its session; it logs in anew",
    "invalid": "Tell it that its session is invalid; it logs in anew",
    "timeout": "Tell it that its session timed out (4009)",
    "reconnect": "Ask the bot to reconnect",
    "garbage": "Send it an event that makes no sense",
    "token": "Refuse its token (4004)",
    "intents": "Refuse its intents (4014)",
    "errors": f"Answer its next {FAILING_REQUESTS} requests with an error 500",
    "slow": f"Answer its next {FAILING_REQUESTS} requests {SLOW_SECONDS:.0f} seconds late",
    "lost": "Do what it asks for next, and lose the answer",
    "wait": f"Rate-limit all it does for {PAUSE_SECONDS:.0f} seconds",
    "limits": "Switch rate limits on or off",
}
"""What can be done -> how people read it."""

SENSELESS_EVENT: Mapping[str, Any] = {"channel_id": None, "id": "x", "author": 7}


class Faults:
    """The ways of misbehaving, each by its name in `FAULTS`."""

    def __init__(self, gateway: Gateway, rest: Rest) -> None:
        self._gateway = gateway
        self._rest = rest

    def named(self) -> dict[str, Fault]:
        """Return all of them."""
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
