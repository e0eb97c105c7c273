"""Discord's HTTP API: authentication, bodies, errors and headers around the routes.

Every error is Discord's JSON with its code, because discord.py turns exactly that into its
exceptions. The content type has to be `application/json` to the letter: discord.py compares it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import structlog
from aiohttp import web
from simcord.backend.errors import BackendError

from bot.playground.wire.forms import BadBody, TooLarge, read_body
from bot.playground.wire.limits import RateLimiter
from bot.playground.wire.rules import Rules
from bot.playground.world import World

log = structlog.get_logger(__name__)

API_ROUTE = "/api/v{version:[0-9]+}/{tail:.+}"

SENT_THROUGH = "1.1 playground"
"""discord.py takes a 429 for Discord's own only if it has a `Via` header."""

SESSION_STARTS = {"total": 1000, "remaining": 999, "reset_after": 0, "max_concurrency": 1}

MALFORMED = (AttributeError, IndexError, KeyError, OverflowError, TypeError, ValueError)
"""What SimCord's handlers raise for bodies of the wrong shape: they index without checking."""

# Interaction and webhook calls carry their authority in the path.
_TOKEN_IN_PATH = re.compile(r"/(?:interactions/\d+/[^/]+/callback|webhooks/\d+/[^/]+(?:/.*)?)\Z")
_COMMANDS = re.compile(r"/applications/\d+/(?:guilds/\d+/)?commands(?:/|\Z)")
_INTERACTION = re.compile(r"/(?:interactions/\d+|webhooks/\d+)/([^/]+)(?:/|\Z)")


class Rest:
    """The handler behind `API_ROUTE`.

    Args:
        world: the server asked about.
        gateway_url: returns the gateway's address.
        limiter: Discord's rate limits, or nothing for none; may be changed later.
        on_commands: called when the bot has changed its commands.
        on_interaction: called with an interaction's token when the bot has answered or changed
            an answer, for the answers that only one person sees cause no event.
    """

    def __init__(
        self,
        world: World,
        *,
        gateway_url: Callable[[], str],
        limiter: RateLimiter | None,
        on_commands: Callable[[], None],
        on_interaction: Callable[[str], None],
    ) -> None:
        self._world = world
        self._rules = Rules(world.backend, world.bot_id)
        self._gateway_url = gateway_url
        self.limiter = limiter
        self._on_commands = on_commands
        self._on_interaction = on_interaction

    async def handle(self, request: web.Request) -> web.Response:
        """Answer one request of the bot."""
        # The raw path: SimCord unquotes emoji itself.
        path = "/" + request.rel_url.raw_path.split("/", 3)[3].replace("%40", "@")
        if not self._allowed(request, path):
            return answer({"message": "401: Unauthorized", "code": 0}, status=401)
        verdict = None if self.limiter is None else self.limiter.check(request.method, path)
        headers = {} if verdict is None else verdict.headers
        if verdict is not None and verdict.retry_after is not None:
            return answer(
                {
                    "message": "You are being rate limited.",
                    "retry_after": verdict.retry_after,
                    "global": False,
                },
                status=429,
                headers={**headers, "Via": SENT_THROUGH},
            )
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
        if result is None or self._wants_no_content(request, path):
            return web.Response(status=204, headers=headers)
        return answer(result, headers=headers)

    def _allowed(self, request: web.Request, path: str) -> bool:
        if _TOKEN_IN_PATH.match(path):
            return True
        return request.headers.get("Authorization") == f"Bot {self._world.token}"

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
    """Make a JSON response with the exact content type that discord.py compares with."""
    return web.Response(
        body=json.dumps(payload).encode(),
        status=status,
        headers={**(headers or {}), "Content-Type": "application/json"},
    )
