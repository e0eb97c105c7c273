"""Buttons: those of older versions, and those with a defect behind them."""

from __future__ import annotations

from typing import Any

import pytest

from bot.views.posts import Press
from tests.bot.conftest import Stage


@pytest.mark.asyncio
async def test_a_button_of_an_older_version_is_answered(stage: Stage) -> None:
    """Complaint: a click that nothing answers. An unknown button of ours says what to do."""
    await stage.ask()
    message = stage.message("### 🗺️")
    stored = stage.env.backend.get_message(message.channel.id, message.id)
    stored.components[0]["components"][0]["custom_id"] = "leaderless:gone"
    said = await stage.asha.click(message, custom_id="leaderless:gone")
    assert "older version" in said.response.content


@pytest.mark.asyncio
async def test_a_defect_behind_a_button_is_reported(stage: Stage) -> None:
    """Complaint: an error told to nobody."""
    await stage.ask()

    def broken(*_: Any) -> None:
        raise KeyError("a defect")

    stage.bot.journal.by_message = broken  # type: ignore[method-assign, assignment]
    said = await stage.asha.click(stage.message("### 🗺️"), custom_id=Press.WHY.value)
    assert "Something went wrong" in said.response.content
    del stage.bot.journal.by_message
    assert "a defect" in str(stage.env.errors)
