"""Modals, the forms that a bot opens: their view, and the data sent when they are submitted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from simcord._modal import _modal_submit_nodes

from bot.playground.views import FieldView, ModalView

ROW, TEXT_INPUT, LABEL = 1, 4, 18
PARAGRAPH = 2


def modal_view(spec: Mapping[str, Any]) -> ModalView:
    """Return the view of a modal; only text fields can be filled in here."""
    fields = [
        FieldView(
            custom_id=str(field["custom_id"]),
            label=str(label or field.get("label") or ""),
            long=field.get("style") == PARAGRAPH,
            required=bool(field.get("required", True)),
            max_length=field.get("max_length"),
            placeholder=field.get("placeholder"),
            value=field.get("value"),
        )
        for label, field in _fields(spec)
    ]
    return ModalView(title=str(spec.get("title", "")), fields=fields)


def submission(
    spec: Mapping[str, Any], values: Mapping[str, str], channel_id: int
) -> dict[str, Any]:
    """Return the data of a modal that was filled in.

    Raises:
        SetupError: Discord's client would not submit it; the message says why.
    """
    known = {field["custom_id"] for _, field in _fields(spec)}
    given = {key: value for key, value in values.items() if key in known}
    components = _modal_submit_nodes(spec["components"], None, given, {}, channel_id, [])
    return {"custom_id": spec["custom_id"], "components": components}


def _fields(spec: Mapping[str, Any]) -> Iterator[tuple[str | None, Mapping[str, Any]]]:
    """Yield the text fields with their labels."""
    for item in spec.get("components") or ():
        if item.get("type") == ROW:
            yield from ((None, c) for c in item["components"] if c.get("type") == TEXT_INPUT)
        elif item.get("type") == LABEL and item["component"].get("type") == TEXT_INPUT:
            yield item.get("label"), item["component"]
