"""`/metrics` and `/healthz` on loopback, for the operator of the bot."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import structlog
from aiohttp import web
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

from bot import metrics
from swarm.console.errors import ENVIRONMENT, CommandError

if TYPE_CHECKING:
    from bot.context import Bot

log = structlog.get_logger(__name__)

LOOPBACK = "127.0.0.1"


async def serve(bot: Bot, port: int) -> None:
    """Serve both addresses until cancelled.

    Raises:
        CommandError: the port is taken.
    """
    runner = web.AppRunner(make_app(bot), access_log=None)
    await runner.setup()
    try:
        await web.TCPSite(runner, LOOPBACK, port).start()
        log.info("metrics_listening", port=port)
        await asyncio.Event().wait()
    except OSError as error:
        raise CommandError(
            f"The port {port} for metrics cannot be used: {error.strerror or error}. Choose "
            "another metrics_port in [bot], or 0 for none.",
            exit_code=ENVIRONMENT,
        ) from None
    finally:
        await runner.cleanup()


def make_app(bot: Bot) -> web.Application:
    """Return the web application that serves both addresses."""

    async def show_metrics(_: web.Request) -> web.Response:
        body = generate_latest(metrics.REGISTRY)
        return web.Response(body=body, headers={"Content-Type": CONTENT_TYPE_LATEST})

    async def show_health(_: web.Request) -> web.Response:
        client = bot.chat.client
        connected = client is not None and client.is_ready() and not client.is_closed()
        peer = bot.relay.peer
        state = {
            "ok": connected and peer is not None,
            "discord": connected,
            "swarm": peer is not None,
            "swarm_restarts": bot.guest.state.restarts,
            "swarm_reason": bot.guest.state.reason,
            "peers": 0 if peer is None else sum(not view.is_me for view in peer.peers()),
        }
        return web.json_response(state, status=200 if state["ok"] else 503)

    app = web.Application()
    app.router.add_get("/metrics", show_metrics)
    app.router.add_get("/healthz", show_health)
    return app
