"""Everything that a bot sends can be shown to people or is refused."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from simcord.backend.errors import BackendError

from bot.playground.feed import Feed
from bot.playground.guild import Guild
from bot.playground.views import Event, Snapshot
from bot.playground.wire.bodies import BadBody, _parse
from bot.playground.wire.rest import MALFORMED
from bot.playground.wire.rules import Rules

text = st.text(min_size=1, max_size=12)
odd = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | text


def mostly(valid: st.SearchStrategy[Any], share: int = 12) -> st.SearchStrategy[Any]:
    """Draw something valid or, sometimes, something of any type."""
    return st.integers(0, share).flatmap(lambda n: odd if n == share else valid)


embed = st.fixed_dictionaries(
    {"description": mostly(text)},
    optional={
        "title": mostly(text),
        "color": mostly(st.integers(0, 0xFFFFFF)),
        "url": mostly(st.just("https://example.org/")),
        "timestamp": mostly(st.just("2026-01-01T00:00:00+00:00")),
        "author": mostly(st.fixed_dictionaries({"name": mostly(text)})),
        "footer": mostly(st.fixed_dictionaries({"text": mostly(text)})),
        "image": mostly(st.fixed_dictionaries({"url": mostly(st.just("attachment://x.png"))})),
        "fields": mostly(
            st.lists(
                mostly(
                    st.fixed_dictionaries(
                        {"name": mostly(text), "value": mostly(text)},
                        optional={"inline": mostly(st.booleans())},
                    )
                ),
                max_size=3,
            )
        ),
    },
)
button = st.fixed_dictionaries(
    {"type": st.just(2), "style": mostly(st.integers(1, 4)), "label": mostly(text)},
    optional={
        "emoji": mostly(st.fixed_dictionaries({"name": mostly(st.just("👍"))})),
        "disabled": mostly(st.booleans()),
    },
)
rows = st.lists(st.lists(button, min_size=1, max_size=3), max_size=2).map(
    lambda found: [
        {
            "type": 1,
            "components": [{**b, "custom_id": f"{r}-{i}"} for i, b in enumerate(row)],
        }
        for r, row in enumerate(found)
    ]
)
bodies = st.fixed_dictionaries(
    {"content": mostly(text)},
    optional={
        "embeds": mostly(st.lists(mostly(embed), max_size=2)),
        "components": mostly(rows),
        "flags": mostly(st.just(0)),
        "allowed_mentions": mostly(st.fixed_dictionaries({"parse": st.just([])})),
        "nonce": mostly(text),
        "enforce_nonce": mostly(st.booleans()),
    },
)


@settings(max_examples=250, deadline=None)
@given(body=bodies, edit=bodies)
def test_any_message_is_refused_or_shown(body: dict[str, Any], edit: dict[str, Any]) -> None:
    """A message or edit of any shape gets one of Discord's errors or can be shown."""
    guild = Guild()
    feed = Feed(guild, lambda: True)
    _, subscription = feed.subscribe()
    rules = Rules(guild.backend, guild.bot_id)
    path = f"/channels/{guild.channel_id}/messages"

    def request(method: str, path: str, body: Any) -> Any:
        try:
            return rules.dispatch(method, path, body=body, params={}, files=[], reason=None)
        except (BackendError, *MALFORMED):
            return None

    sent = request("POST", path, body)
    if sent is not None:
        request("PATCH", f"{path}/{sent['id']}", edit)
        assert [m.id for m in feed.snapshot().messages] == [sent["id"]]
    Snapshot.model_validate_json(feed.snapshot().model_dump_json())
    while not subscription.events.empty():
        event = subscription.events.get_nowait()
        assert event is not None
        assert Event.model_validate(event.payload()) == event


@pytest.mark.parametrize("raw", [b'"\\ud800"', b'{"content": "\\udfff x"}', b"nope", b"[" * 9999])
def test_text_that_is_none_is_refused(raw: bytes) -> None:
    """Lone surrogates and broken JSON are refused before anything is stored."""
    with pytest.raises(BadBody):
        _parse(raw)
