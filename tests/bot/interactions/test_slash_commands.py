"""A command with a defect behind it is answered."""

from __future__ import annotations

import pytest

from tests.bot.conftest import Stage


@pytest.mark.asyncio
async def test_a_defect_in_a_command_is_reported_to_the_person(stage: Stage) -> None:
    """Complaint: "The application did not respond". Whatever breaks, an answer comes."""

    def broken(*_: object, **__: object) -> bytes:
        raise KeyError("a defect")

    stage.peer.submit = broken  # type: ignore[method-assign]
    result = await stage.asha.slash(stage.channel, "plan", goal="x")
    assert any(
        "Something went wrong in the bot" in f.content for f in [result.response, *result.followups]
    )
    assert "a defect" in str(stage.env.errors)
