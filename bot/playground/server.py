"""The playground's HTTP server on loopback, which serves the bot, the page and programs.

```python
async with Playground() as playground:
    print(playground.url)  # the page
    environment = playground.bot_environment()  # for the bot's process
```
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Sequence
from types import TracebackType
from typing import Any, Self

import structlog
from aiohttp import web

from bot.playground import origin_guard
from bot.playground.control import Control
from bot.playground.faults import Faults
from bot.playground.feed import Feed
from bot.playground.guild import BOT_NAME, PEOPLE, Guild
from bot.playground.members import Members
from bot.playground.wire.bodies import MAX_BODY_BYTES
from bot.playground.wire.gateway import Gateway
from bot.playground.wire.limits import RateLimiter
from bot.playground.wire.rest import API_ROUTE, Rest

log = structlog.get_logger(__name__)

LOOPBACK = "127.0.0.1"

SHUTDOWN_SECONDS = 2.0
"""How long open requests may take to finish when the server stops."""


class Playground:
    """A local Discord server with a web page. An async context manager.

    Args:
        port: port to listen on at 127.0.0.1; 0 chooses a free one.
        people: names of the people that can be acted as; the first owns the server.
        bot_name: the bot's name.
        token: the bot's token; random by default.
        rate_limits: whether to answer 429, as Discord does, to a bot that sends too fast.
        message_content: whether the bot may have the message content intent.

    Attributes:
        guild: the simulated server.
        feed: the stream of all events.
        members: the actions of people, for use in the same process.
        control: the page's sockets; `close()` drops them, and pages reconnect.
        gateway: the bots' connections, which can be closed, cut and forgotten.
        rest: the HTTP API, whose responses can be late, lost or refused. `faults` lists the faults
            of both.

    Raises:
        OSError: on entering, if the port is taken.
    """

    def __init__(
        self,
        port: int = 0,
        *,
        people: Sequence[str] = PEOPLE,
        bot_name: str = BOT_NAME,
        token: str | None = None,
        rate_limits: bool = False,
        message_content: bool = True,
    ) -> None:
        self.guild = Guild(people=people, bot_name=bot_name, token=token)
        self._port = port
        self._rate_limits = rate_limits
        self._message_content = message_content
        self._stack = contextlib.AsyncExitStack()
        self.feed: Feed
        self.members: Members
        self.gateway: Gateway
        self.control: Control
        self.rest: Rest

    # ------------------------------------------------------------------ addresses

    @property
    def url(self) -> str:
        """The address of the page, also used by `PlaygroundClient`."""
        return f"http://{LOOPBACK}:{self._port}/"

    @property
    def api_base(self) -> str:
        """The value for discord.py's `Route.BASE`."""
        return f"http://{LOOPBACK}:{self._port}/api/v10"

    @property
    def gateway_url(self) -> str:
        """The value for discord.py's `DiscordWebSocket.DEFAULT_GATEWAY`."""
        return f"ws://{LOOPBACK}:{self._port}/gateway/"

    @property
    def token(self) -> str:
        """The token that the bot logs in with; it is valid only for this server."""
        return self.guild.token

    @property
    def guild_id(self) -> int:
        """The server's id."""
        return self.guild.id

    @property
    def channel_id(self) -> int:
        """The id of the channel where people ask for plans."""
        return self.guild.channel_id

    def bot_environment(self) -> dict[str, str]:
        """Return the environment variables that point the bot's process to this server."""
        return {
            "LEADERLESS_DISCORD_TOKEN": self.token,
            "LEADERLESS_DISCORD_API": self.api_base,
            "LEADERLESS_DISCORD_GATEWAY": self.gateway_url,
        }

    # ------------------------------------------------------------------ life

    async def __aenter__(self) -> Self:
        """Start listening."""
        self.gateway = Gateway(
            self.guild,
            gateway_url=lambda: self.gateway_url,
            on_change=lambda: self.feed.bot_changed(),
            message_content=self._message_content,
        )
        self.feed = Feed(self.guild, lambda: self.gateway.online)
        self.members = Members(self.guild, self.feed)
        self._stack.callback(self.members.close)
        rest = self.rest = Rest(
            self.guild,
            gateway_url=lambda: self.gateway_url,
            limiter=RateLimiter(asyncio.get_running_loop().time) if self._rate_limits else None,
            on_commands=self.feed.commands_changed,
            on_interaction=self.members.answered,
        )
        faults = Faults(self.gateway, rest).by_name()
        self.control = Control(self.guild, self.feed, self.members, faults)
        app = web.Application(
            client_max_size=MAX_BODY_BYTES,
            middlewares=[origin_guard.middleware(lambda: origin_guard.names(self._port)), _errors],
        )
        self.control.add_routes(app)
        app.router.add_get("/gateway/", self.gateway.handle)
        app.router.add_route("*", API_ROUTE, rest.handle)
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=SHUTDOWN_SECONDS)
        await runner.setup()
        self._stack.push_async_callback(runner.cleanup)
        # Sockets are requests that never finish: close them first, or the cleanup waits for them.
        self._stack.push_async_callback(self.control.close)
        self._stack.push_async_callback(self.gateway.drop, code=1012)
        site = web.TCPSite(runner, LOOPBACK, self._port)
        try:
            await site.start()
        except OSError:
            await self._stack.aclose()
            raise
        self._port = runner.addresses[0][1]
        self.guild.attachments.base_url = self.url.rstrip("/")
        log.info("playground_listening", url=self.url)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Stop listening and close every socket."""
        await self._stack.aclose()

    # ------------------------------------------------------------------ faults

    def fail_next(
        self, method: str, path: str, *, status: int, code: int = 0, times: int = 1
    ) -> None:
        """Answer the next matching requests of the bot with an error.

        Args:
            method: an HTTP method, or `*`.
            path: a shell pattern for the path after the version, such as `/channels/*/messages`.
            status: the HTTP status.
            code: Discord's error code.
            times: how many requests fail.
        """
        self.rest.fail_next(method, path, status=status, code=code, times=times)


@web.middleware
async def _errors(request: web.Request, handler: Any) -> web.StreamResponse:
    """Answer with JSON for internal errors, which are logged, and for aiohttp's own errors."""
    try:
        response: web.StreamResponse = await handler(request)
    except web.HTTPException as error:
        return web.json_response(
            {"error": error.reason, "message": error.reason, "code": 0}, status=error.status
        )
    except Exception:
        # The client needs a JSON response, and the log needs the traceback.
        log.exception("playground_internal_error", method=request.method, path=request.path)
        return web.json_response(
            {"error": "The playground hit a bug; its log has the details.", "code": 0}, status=500
        )
    return response


@contextlib.asynccontextmanager
async def serve_playground(
    port: int = 0, *, people: Sequence[str] = PEOPLE, rate_limits: bool = False
) -> AsyncIterator[Playground]:
    """Run a playground until the block ends; see `Playground`."""
    async with Playground(port, people=people, rate_limits=rate_limits) as playground:
        yield playground
