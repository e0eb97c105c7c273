"""Find out what answers at an address: Ollama, a server with OpenAI's API, or neither.

The path that tells them apart is `/api/version`: only Ollama (and our embedded server) answers it
with a version. llama.cpp answers `/api/tags` and `/api/show` too, though its `/api/chat` is not
Ollama's; LM Studio answers every path with status 200.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Literal, cast

import anyio
import httpx

from swarm.llm.client.openai_client import API_PATH, FAILURES
from swarm.llm.client.server_address import ServerAddress
from swarm.llm.client.server_calls import (
    AWAY_STATUSES,
    KEY_VARIABLE,
    LOOK_LIMIT_SECONDS,
    REFUSED_STATUSES,
    connection_failure,
    http_options,
    refusal,
)
from swarm.llm.errors import ServerError, ServerUnusable, TimedOut

Api = Literal["ollama", "openai"]

UNCLEAR_STATUSES = (400, 500)
"""How LiteLLM, without a database, answers a key that is wrong and one that is missing (seen)."""

OWNERS = {"llamacpp": "llama.cpp", "vllm": "vLLM", "organization_owner": "LM Studio"}
"""What servers with OpenAI's API write as the owner of a model, and what they are called."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerKind:
    """What answers at an address.

    Attributes:
        api: The API that it speaks.
        product: Its name, for messages.
    """

    api: Api
    product: str


async def probe(
    address: ServerAddress, *, key: str = "", limit_seconds: float = LOOK_LIMIT_SECONDS
) -> ServerKind:
    """Ask a server what it is.

    Args:
        address: Where to ask. If its path ends with `/v1`, only OpenAI's API is meant.
        key: A bearer token; empty for none.
        limit_seconds: Longest time for all questions together, in seconds.

    Raises:
        ServerUnreachable: Nobody answers.
        TimedOut: The server did not answer in time.
        ServerUnusable: It refuses the key, has no trusted certificate, or is no model server.
        ServerError: It answers that it is starting or overloaded.
    """
    options = cast("dict[str, Any]", http_options(address, key))
    try:
        with anyio.fail_after(limit_seconds):
            async with httpx.AsyncClient(follow_redirects=True, **options) as client:
                return await _ask(client, address, with_credentials=bool(key or address.user))
    except TimeoutError as error:
        raise TimedOut(
            f"The model server at {address.public} accepts connections but does not answer within "
            f"{limit_seconds:g} s."
        ) from error
    except FAILURES as error:
        remedy = "Start the model server there, or give another address with --server."
        raise connection_failure(error, address, remedy) from error


async def _ask(
    client: httpx.AsyncClient, address: ServerAddress, *, with_credentials: bool
) -> ServerKind:
    root = address.url.removesuffix(API_PATH)
    if root == address.url:
        _, about = await _json(client, f"{root}/api/version")
        if isinstance(about.get("version"), str):
            return ServerKind(api="ollama", product="Ollama")
    status, listed = await _json(client, f"{root}{API_PATH}/models")
    data = listed.get("data")
    if status == 200 and isinstance(data, list):
        return ServerKind(api="openai", product=_product(data))
    if status in REFUSED_STATUSES:
        raise refusal(address.public, status, with_credentials=with_credentials)
    if status in AWAY_STATUSES:
        raise ServerError(
            f"The server at {address.public} is starting or overloaded (status {status}). Try "
            "again in a moment.",
            status=status,
            away=True,
        )
    if status in UNCLEAR_STATUSES:
        raise ServerUnusable(
            f"The server at {address.public} answers {API_PATH}/models with status {status}. "
            f"LiteLLM does so if the key is missing or wrong: set {KEY_VARIABLE} in the "
            "environment. Otherwise look into its log, or give another address with --server."
        )
    raise ServerUnusable(
        f"The server at {address.public} is not a model server: it has neither Ollama's paths nor "
        f"{API_PATH}/models (status {status}). Give the address of Ollama, LM Studio, llama.cpp, "
        "vLLM or LiteLLM with --server."
    )


async def _json(client: httpx.AsyncClient, url: str) -> tuple[int, dict[str, Any]]:
    """Return status and JSON object of an answer; `{}` for any other content."""
    response = await client.get(url)
    try:
        value = json.loads(response.content)
    except (ValueError, RecursionError):
        value = {}
    return response.status_code, value if isinstance(value, dict) else {}


def _product(data: list[Any]) -> str:
    owners = {str(one.get("owned_by")) for one in data if isinstance(one, dict)}
    known = [product for owner, product in OWNERS.items() if owner in owners]
    return known[0] if known else "a server with OpenAI's interface"
