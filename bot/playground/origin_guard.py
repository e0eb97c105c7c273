"""Access control: the playground serves its own page and local programs, but no other web site.

The server listens on loopback and asks for no password, so other web pages in the same browser must
not be able to reach it. Two checks prevent that. The `Host` header must name this server (a site
that rebinds its DNS name to 127.0.0.1 sends its own name). An `Origin` header, which browsers add
to requests from one site to another, must name this server too. Programs send no `Origin`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import structlog
from aiohttp import web

log = structlog.get_logger(__name__)

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


def names(port: int) -> frozenset[str]:
    """Return the `Host` values that name this server."""
    return frozenset(f"{host}:{port}" for host in ("127.0.0.1", "localhost", "[::1]"))


def refusal(request: web.Request, allowed: frozenset[str]) -> str | None:
    """Return why a request must be refused, or None if it is allowed."""
    host = request.headers.get("Host", "")
    if host.lower() not in allowed:
        return "This server answers only at its own address."
    origin = request.headers.get("Origin")
    if origin is not None and origin.lower() not in {f"http://{name}" for name in allowed}:
        return "Other web sites may not use this server."
    if request.headers.get("Sec-Fetch-Site") == "cross-site" and request.method != "GET":
        return "Other web sites may not use this server."
    return None


def middleware(
    allowed: Callable[[], frozenset[str]],
) -> Callable[..., Awaitable[web.StreamResponse]]:
    """Return the middleware; it calls `allowed` on each request, as the port is known late."""

    @web.middleware
    async def guard(request: web.Request, handler: Handler) -> web.StreamResponse:
        reason = refusal(request, allowed())
        if reason is not None:
            log.warning("playground_request_refused", path=request.path, reason=reason)
            return web.json_response({"error": reason}, status=403)
        response = await handler(request)
        if not response.prepared:
            response.headers.setdefault("X-Content-Type-Options", "nosniff")
            response.headers.setdefault("Referrer-Policy", "no-referrer")
            response.headers.setdefault("Cross-Origin-Resource-Policy", "same-origin")
            response.headers.setdefault("X-Frame-Options", "DENY")
        return response

    return guard


def page_policy(host: str) -> str:
    """Return the page's Content-Security-Policy: only its own files may be loaded."""
    return (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
        f"connect-src 'self' ws://{host}; base-uri 'none'; form-action 'none'; "
        "frame-ancestors 'none'"
    )
