"""What all calls of a model server have in common: limits, retries, and failures of the connection.

The clients add the API that their server speaks. Nothing here knows one.
"""

from __future__ import annotations

import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import TypeVar

import anyio
import httpx
import structlog
from tenacity import AsyncRetrying, retry_if_exception, stop_after_attempt, wait_exponential_jitter

from swarm.llm.client.server_address import ServerAddress
from swarm.llm.errors import LLMError, ServerError, ServerUnreachable, ServerUnusable, TimedOut

log = structlog.get_logger(__name__)

T = TypeVar("T")

ATTEMPTS = 4
"""Tries of one call if failures are transient: about ten seconds, enough for a restart."""

FIRST_PAUSE_SECONDS = 1.4
"""Shortest pause before the second try, in seconds; it doubles each time, to 9.8 s in all. Up to
half of it is added at random, so that peers that lost one server together do not return in step.
(With pauses drawn from zero upwards, all tries were measured to end after about 1.8 s.)"""

LONGEST_PAUSE_SECONDS = 7.0
"""Longest pause between tries, in seconds."""

MOST_BYTES = 8 * 1024 * 1024
"""Most bytes of one answer: about 25,000 streamed tokens, far more than is ever requested. An
answer that never stops, or never ends a line, is cut off there."""

CONNECT_LIMIT_SECONDS = 5.0
"""Time to connect, in seconds; a server on this machine or LAN answers in milliseconds."""

LOOK_LIMIT_SECONDS = 10.0
"""Time for a question about the server itself, in seconds; a busy server answers late."""

AWAY_STATUSES = (429, 502, 503, 504)
"""Statuses that mean "try again later": from a server that is starting or overloaded, or from a
proxy whose server is away."""

REFUSED_STATUSES = (401, 403)
"""Statuses that mean "not without another key or password"."""

KEY_VARIABLE = "LEADERLESS_MODEL__API_KEY"
"""The environment variable of the key for a server that wants one (`[model] api_key`)."""

CERTIFICATE_VARIABLE = "SSL_CERT_FILE"
"""The environment variable that names a file of trusted certificates; httpx reads it."""


def http_options(address: ServerAddress, key: str = "") -> dict[str, object]:
    """Return the arguments of an `httpx.AsyncClient` for a server, besides its address.

    Args:
        address: Where the server is. A user and password in it are sent, and take precedence over
            the key: both need the same header.
        key: A bearer token; empty for none.
    """
    headers = {
        # The size of compressed data cannot be bounded before it is unpacked.
        "Accept-Encoding": "identity",
    }
    if key and address.user is None:
        headers["Authorization"] = f"Bearer {key}"
    return {
        "timeout": httpx.Timeout(None, connect=CONNECT_LIMIT_SECONDS),
        # Loading all certificates takes 30 ms and a megabyte; plain HTTP needs none.
        "verify": address.scheme == "https",
        "headers": headers,
        "auth": httpx.BasicAuth(*address.user) if address.user is not None else None,
        "event_hooks": {"response": [bound]},
    }


async def with_retries(call: Callable[[], Awaitable[T]], *, tries: int) -> T:
    """Make a call; repeat it after growing pauses as long as its failure may be transient.

    Raises:
        LLMError: What the last try raised.
    """
    retrying = AsyncRetrying(
        sleep=anyio.sleep,
        stop=stop_after_attempt(tries),
        wait=wait_exponential_jitter(
            multiplier=FIRST_PAUSE_SECONDS,
            max=LONGEST_PAUSE_SECONDS,
            jitter=FIRST_PAUSE_SECONDS / 2,
        ),
        retry=retry_if_exception(_may_pass),
        reraise=True,
    )
    async for attempt in retrying:
        with attempt:
            return await call()
    raise AssertionError("tenacity either returns or raises")


def _may_pass(error: BaseException) -> bool:
    """Return whether a retry may help; after a timeout the time limit is used up."""
    return isinstance(error, LLMError) and error.retryable and not isinstance(error, TimedOut)


def connection_failure(error: BaseException, address: ServerAddress, remedy: str) -> LLMError:
    """Return what it means that no answer came, or none that can be read.

    Args:
        error: What the HTTP library raised.
        address: Where the server was looked for.
        remedy: What to do if nobody answers there, as a sentence.
    """
    place = address.public
    if isinstance(error, httpx.TimeoutException) and not isinstance(error, httpx.ConnectTimeout):
        return TimedOut(f"The model server at {place} took too long.")
    if isinstance(error, TooLong):
        return ServerError(f"The server at {place} answers without end.", status=502)
    for cause in _causes(error):
        if isinstance(cause, ssl.SSLCertVerificationError):
            return ServerUnusable(
                f"The certificate of the model server at {place} is not trusted "
                f"({cause.verify_message}). Nothing was sent to it. If it is your own server, name "
                f"the file with its certificate, or its authority's, in {CERTIFICATE_VARIABLE}."
            )
        if isinstance(cause, ssl.SSLError) and address.scheme == "https":
            return ServerUnusable(
                f"The server at {place} does not speak TLS as expected "
                f"({(cause.reason or 'no reason given').lower().replace('_', ' ')}). "
                f"If it is a plain server, write http://{place} instead of https://."
            )
    if isinstance(error, httpx.TooManyRedirects):
        return ServerUnusable(f"The server at {place} redirects in circles. {remedy}")
    return ServerUnreachable(
        f"No model server answers at {place}, or the connection broke. {remedy}"
    )


def refusal(place: str, status: int, *, with_credentials: bool) -> ServerUnusable:
    """Return what it means that a server answers with one of `REFUSED_STATUSES`.

    Args:
        place: The server's host and port.
        status: The HTTP status.
        with_credentials: Whether a key or password was sent.
    """
    had = "does not accept the key or password" if with_credentials else "wants a key or password"
    return ServerUnusable(
        f"The model server at {place} {had} (status {status}). Set {KEY_VARIABLE} in the "
        "environment, or write user and password into the address: https://user:password@host."
    )


def _causes(error: BaseException) -> Iterator[BaseException]:
    """Yield an error and everything that it was raised because of, or while handling."""
    seen: set[int] = set()
    waiting: list[BaseException | None] = [error]
    while waiting:
        one = waiting.pop(0)
        if one is not None and id(one) not in seen:
            seen.add(id(one))
            yield one
            waiting += [one.__cause__, one.__context__]


class TooLong(ValueError):
    """An answer is longer than `MOST_BYTES`, or comes in a form that may hide how long it is."""


class Bounded(httpx.AsyncByteStream):
    """A byte stream that raises `TooLong` beyond `MOST_BYTES`."""

    def __init__(self, inner: httpx.AsyncByteStream) -> None:
        self._inner = inner

    async def __aiter__(self) -> AsyncIterator[bytes]:
        """Yield the bytes until there are too many."""
        left = MOST_BYTES
        async for chunk in self._inner:
            left -= len(chunk)
            if left < 0:
                raise TooLong("too many bytes")
            yield chunk

    async def aclose(self) -> None:
        """Close the stream."""
        await self._inner.aclose()


async def bound(response: httpx.Response) -> None:
    """Bound the body of a response before it is read."""
    if response.headers.get("Content-Encoding", "identity").lower() != "identity":
        raise TooLong("compressed, though that was not asked for")
    if isinstance(response.stream, httpx.AsyncByteStream):
        response.stream = Bounded(response.stream)
