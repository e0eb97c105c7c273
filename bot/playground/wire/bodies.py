"""Reading of request bodies as discord.py writes them: JSON, or multipart with JSON and files."""

from __future__ import annotations

import io
import json
import re
from dataclasses import dataclass
from typing import Any

from aiohttp import BodyPartReader, web
from aiohttp.http_exceptions import HttpProcessingError

MAX_BODY_BYTES = 32 * 1024 * 1024
"""Largest accepted request: three files of Discord's 10 MiB limit, and room for the text."""

MAX_FILE_BYTES = 10 * 1024 * 1024
"""Largest file, as for a Discord server without boosts."""

_FILE_PART = re.compile(r"files?\[(\d+)\]\Z|file\Z")


class BadBody(Exception):
    """The body cannot be read; the message says why."""


class TooLarge(Exception):
    """A file is larger than Discord accepts."""


@dataclass
class Upload:
    """One uploaded file, with the attributes that SimCord reads."""

    filename: str
    fp: io.BytesIO
    description: str | None = None


async def read_body(request: web.Request) -> tuple[Any, list[Upload]]:
    """Return the JSON of a request and its files, in the order of their indices.

    Raises:
        BadBody: it is neither JSON nor a form with JSON in it.
        TooLarge: a file is over the limit.
    """
    if request.content_type == "multipart/form-data":
        return await _read_form(request)
    raw = await request.read()
    if not raw:
        return None, []
    return _parse(raw), []


def _parse(raw: bytes | str) -> Any:
    try:
        payload = json.loads(raw)
        # JSON escapes can hold a lone surrogate, but such text cannot be encoded and passed on.
        json.dumps(payload, ensure_ascii=False).encode()
    except (ValueError, RecursionError) as error:
        raise BadBody("the request body is not valid JSON") from error
    return payload


async def _read_form(request: web.Request) -> tuple[Any, list[Upload]]:
    payload: Any = None
    fields: dict[str, str] = {}
    files: dict[int, Upload] = {}
    try:
        async for part in await request.multipart():
            if not isinstance(part, BodyPartReader) or part.name is None:
                raise BadBody("the form has an unnamed or nested part")
            # Undecodable bytes in a header arrive as lone surrogates; encoding them fails here.
            f"{part.name}{part.filename or ''}".encode()
            data = bytes(await part.read(decode=True))
            index = _FILE_PART.match(part.name)
            if part.name == "payload_json":
                payload = _parse(data)
            elif index is not None:
                if len(data) > MAX_FILE_BYTES:
                    raise TooLarge
                number = int(index.group(1) or 0)
                files[number] = Upload(part.filename or f"file-{number}", io.BytesIO(data))
            else:
                fields[part.name] = data.decode("utf-8", "replace")
    except (ValueError, AssertionError, RuntimeError, HttpProcessingError) as error:
        # RuntimeError: unknown Content-Encoding of a part. HttpProcessingError: bad headers of a
        # part, which aiohttp reads with its server's parser.
        raise BadBody("the form cannot be read") from error
    if payload is None and fields:
        payload = fields
    _describe(files, payload)
    return payload, [files[number] for number in sorted(files)]


def _describe(files: dict[int, Upload], payload: Any) -> None:
    """Set the names and descriptions of files from the JSON sent with them."""
    attachments = payload.get("attachments") if isinstance(payload, dict) else None
    if not isinstance(attachments, list):
        return
    for item in attachments:
        if not isinstance(item, dict) or not str(item.get("id", "")).isdecimal():
            continue
        upload = files.get(int(item["id"]))
        if upload is None:
            continue
        if isinstance(item.get("filename"), str):
            upload.filename = item["filename"]
        if isinstance(item.get("description"), str):
            upload.description = item["description"]
