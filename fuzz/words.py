"""The words of a target's inputs: mutations that know them get further, sooner."""

from __future__ import annotations

import json
from typing import Any

from pydantic import BaseModel


def words(name: str) -> list[bytes]:
    """Return the words of a target whose inputs are text; none for those that are choices."""
    match name:
        case "record":
            return _record()
        case "config":
            return _config()
        case "model_calls":
            return [json.dumps(word).encode() for word in MODEL_CALL]
        case "answers" | "rendering" | "story":
            from fuzz.texts import TOKENS

            return [token.encode("utf-8", "replace") for token in TOKENS if len(token) < 40]
        case "forms":
            from fuzz.wire import HEADERS

            return [*(header.encode() for header in HEADERS), b"--b\r\n", b"--b--", b"\r\n\r\n"]
        case "addresses":
            return [b'["', b'","', b'"]', *(f"/{part}/".encode() for part in ADDRESS)]
    return []


ADDRESS = ("ip4", "ip6", "dns4", "tcp", "udp", "p2p", "ip4/127.0.0.1/tcp/1/p2p/Qm")
MODEL_CALL = (
    "model", "messages", "role", "user", "content", "prompt", "system", "format", "json",
    "options", "num_predict", "temperature", "seed", "top_p", "repeat_penalty", "stop", "stream",
    "logprobs", "top_logprobs",
)  # fmt: skip


def _record() -> list[bytes]:
    from swarm.core import records
    from swarm.core.policy import Policy

    kinds = [
        value
        for value in vars(records).values()
        if isinstance(value, type) and issubclass(value, BaseModel)
    ]
    names = {name for kind in (*kinds, Policy) for name in fields(kind)}
    names |= {kind.__name__.lower() for kind in kinds}
    names |= {"approve", "reject", "abstain", "task", "done", "failed", "f" * 64, "0" * 64}
    return [f'"{name}":'.encode() for name in sorted(names)] + [b"[1,0]", b"null", b"0.5", b"[["]


def fields(kind: Any) -> list[str]:
    """The names of a model's fields."""
    return list(kind.model_fields)


def _config() -> list[bytes]:
    from fuzz.settings import KEYS, VALUES

    found = [f"[{section}]\n" for section in dict(KEYS)]
    found += [f"\n{key} = " for _, key in KEYS]
    return [word.encode() for word in [*found, *map(_toml, VALUES)] if len(word) < 80]


def _toml(value: Any) -> str:
    return json.dumps(value)
