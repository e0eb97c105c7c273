"""Discord's HTTP API: authentication, bodies, errors and headers around the routes.

Every error is JSON with Discord's code, which discord.py turns into its exceptions. The content
type must be exactly `application/json`, because discord.py compares the string.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable
from typing import Any

import structlog
from aiohttp import web
from simcord.backend.errors import BackendError

from bot.playground.guild import Guild
from bot.playground.wire.bodies import BadBody, TooLarge, read_body
from bot.playground.wire.limits import RateLimiter, Verdict, global_limit_refusal
from bot.playground.wire.rules import Rules

log = structlog.get_logger(__name__)

API_ROUTE = "/api/v{version:[0-9]+}/{tail:.+}"

SESSION_STARTS = {"total": 1000, "remaining": 999, "reset_after": 0, "max_concurrency": 1}

MALFORMED = (AttributeError, IndexError, KeyError, OverflowError, TypeError, ValueError)
"""Exceptions of SimCord's handlers for malformed bodies, which they index without checking."""

# Interaction and webhook calls carry their token in the path.
_TOKEN_IN_PATH = re.compile(r"/(?:interactions/\d+/[^/]+/callback|webhooks/\d+/[^/]+(?:/.*)?)\Z")
_COMMANDS = re.compile(r"/applications/\d+/(?:guilds/\d+/)?commands(?:/|\Z)")
_INTERACTION = re.compile(r"/(?:interactions/\d+|webhooks/\d+)/([^/]+)(?:/|\Z)")


class Rest:
    """The handler behind `API_ROUTE`.

    Args:
        guild: the server that the requests are about.
        gateway_url: returns the gateway's URL.
        limiter: the rate limits, or None for no limits; may be changed later.
        on_commands: called when the bot has changed its commands.
        on_interaction: called with an interaction's token when the bot has answered or changed its
            answer, because ephemeral answers cause no event.
    """

    def __init__(
        self,
        guild: Guild,
        *,
        gateway_url: Callable[[], str],
        limiter: RateLimiter | None,
        on_commands: Callable[[], None],
        on_interaction: Callable[[str], None],
    ) -> None:
        self._guild = guild
        self._rules = Rules(guild.backend, guild.bot_id)
        self._gateway_url = gateway_url
        self.limiter = limiter
        self._on_commands = on_commands
        self._on_interaction = on_interaction
        self._paused_until = 0.0
        self._slow_answers = (0, 0.0)
        self._lost_answers = 0

    # ------------------------------------------------------------------ faults

    def fail_next(
        self, method: str, path: str, *, status: int, code: int = 0, times: int = 1
    ) -> None:
        """Answer the next matching requests with an error; see `Playground.fail_next`."""
        self._guild.backend.faults.append(
            {
                "method": method,
                "path": path,
                "status": status,
                "code": code,
                "message": "fault asked for by a test",
                "times": times,
            }
        )

    def slow(self, requests: int, seconds: float) -> None:
        """Carry out the next requests only after a delay."""
        self._slow_answers = requests, seconds

    def lose_answers(self, requests: int) -> None:
        """Carry out the next requests that change something, but cut the connection afterwards."""
        self._lost_answers = requests

    def pause(self, seconds: float) -> None:
        """Refuse all requests by the global rate limit for this long."""
        self._paused_until = asyncio.get_running_loop().time() + seconds

    # ------------------------------------------------------------------ answering

    async def handle(self, request: web.Request) -> web.Response:
        """Answer one request of the bot."""
        # Use the raw path, because SimCord unquotes emoji itself.
        path = "/" + request.rel_url.raw_path.split("/", 3)[3].replace("%40", "@")
        if not self._allowed(request, path):
            return answer({"message": "401: Unauthorized", "code": 0}, status=401)
        verdict = self._limit(request.method, path)
        headers = verdict.headers
        if verdict.retry_after is not None:
            return answer(verdict.body(), status=429, headers=headers)
        await self._be_slow()
        try:
            body, files = await read_body(request)
            if path == "/gateway" or path == "/gateway/bot":
                return answer(self._gateway_info(), headers=headers)
            result = self._rules.dispatch(
                request.method,
                path,
                body=body,
                params=dict(request.query),
                files=files,
                reason=request.headers.get("X-Audit-Log-Reason"),
            )
        except BackendError as error:
            log.debug("playground_refused", method=request.method, path=path, code=error.code)
            return answer(error.to_json(), status=error.status, headers=headers)
        except BadBody as error:
            return answer({"code": 50109, "message": str(error)}, status=400, headers=headers)
        except TooLarge:
            return answer({"code": 40005, "message": "Request entity too large"}, status=413)
        except MALFORMED as error:
            log.info("playground_malformed_request", path=path, error=repr(error))
            return answer({"code": 50035, "message": f"Invalid Form Body: {error!r}"}, status=400)
        self._notify(request.method, path)
        if self._lost_answers and request.method != "GET" and request.transport is not None:
            self._lost_answers -= 1
            request.transport.close()
        if result is None or self._wants_no_content(request, path):
            return web.Response(status=204, headers=headers)
        return answer(result, headers=headers)

    def _limit(self, method: str, path: str) -> Verdict:
        wait = self._paused_until - asyncio.get_running_loop().time()
        if wait > 0:
            return global_limit_refusal(wait)
        return Verdict({}) if self.limiter is None else self.limiter.check(method, path)

    async def _be_slow(self) -> None:
        left, seconds = self._slow_answers
        if left:
            self._slow_answers = left - 1, seconds
            await asyncio.sleep(seconds)

    def _allowed(self, request: web.Request, path: str) -> bool:
        if _TOKEN_IN_PATH.match(path):
            return True
        return request.headers.get("Authorization") == f"Bot {self._guild.token}"

    def _gateway_info(self) -> dict[str, Any]:
        return {"url": self._gateway_url(), "shards": 1, "session_start_limit": SESSION_STARTS}

    @staticmethod
    def _wants_no_content(request: web.Request, path: str) -> bool:
        asked = request.query.get("with_response", "").lower() in ("1", "true")
        return path.endswith("/callback") and not asked

    def _notify(self, method: str, path: str) -> None:
        if method != "GET" and _COMMANDS.match(path):
            self._on_commands()
        match = _INTERACTION.match(path)
        if match is not None and method != "GET":
            self._on_interaction(match[1])


def answer(
    payload: Any, *, status: int = 200, headers: dict[str, str] | None = None
) -> web.Response:
    """Return a JSON response with the exact content type that discord.py expects."""
    return web.Response(
        body=json.dumps(payload).encode(),
        status=status,
        headers={**(headers or {}), "Content-Type": "application/json"},
    )
