"""How the scripted server reads and writes OpenAI's API."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any


class OpenAIWire:
    """Answers as OpenAI's API has them: server-sent events for streams."""

    stream_type = b"text/event-stream; charset=utf-8"

    def whole(
        self, name: str, text: str, reason: str, logprobs: dict[str, Any] | None
    ) -> dict[str, Any]:
        """Return an answer that is not streamed; `logprobs` are those of its first token."""
        choice: dict[str, Any] = {
            "index": 0,
            "message": {"role": "assistant", "content": text},
            "finish_reason": reason,
            "logprobs": None if logprobs is None else {"content": [logprobs]},
        }
        return {"id": "scripted", "object": "chat.completion", "model": name, "choices": [choice]}

    def piece(self, name: str, text: str) -> bytes:
        """Return the event with a piece of the text."""
        return _event(_chunk(name, {"delta": {"content": text}, "finish_reason": None}))

    def end(self, name: str, reason: str) -> bytes:
        """Return the last events of a stream."""
        last = _chunk(name, {"delta": {}, "finish_reason": reason})
        return _event(last) + b"data: [DONE]\n\n"

    def failure(self) -> bytes:
        """Return the event of an error within a stream."""
        return _event({"error": {"message": "scripted failure", "code": 500}})


def as_ollama(body: Mapping[str, Any]) -> dict[str, Any]:
    """Return a request in the form that Ollama takes, as far as the script looks at it."""
    form = body.get("response_format") or {}
    schema = form.get("json_schema", {}).get("schema")
    if schema is None:
        schema = _schema_in(str(body["messages"][0].get("content", "")))
    return {**body, "format": schema, "stream": body.get("stream", False)}


def refused_field(body: Mapping[str, Any], refuses: Sequence[str]) -> str:
    """Return the first field of a request, or kind of its answer's format, that is refused."""
    kind = (body.get("response_format") or {}).get("type")
    return next((name for name in refuses if name in body or name == kind), "")


def refusal(name: str) -> dict[str, Any]:
    """Return the error about a field that is refused."""
    return {"error": {"message": f"Unsupported parameter: '{name}'", "param": name}}


def _schema_in(text: str) -> object:
    """Return the schema that a prompt ends with; None if it has none."""
    _, mark, schema = text.rpartition("follows this schema: ")
    return json.loads(schema) if mark else None


def _chunk(name: str, choice: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": "scripted",
        "object": "chat.completion.chunk",
        "model": name,
        "choices": [{"index": 0, **choice}],
    }


def _event(value: object) -> bytes:
    return b"data: " + json.dumps(value, ensure_ascii=False).encode() + b"\n\n"
