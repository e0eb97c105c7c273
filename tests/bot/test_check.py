"""`swarm-bot check` against a real wire: what is well, what is not, and what to do."""

from __future__ import annotations

from pathlib import Path

import discord
import pytest
from discord.http import Route

from bot.cli.check import findings
from bot.config import Discord, read
from bot.playground.server import Playground

pytestmark = pytest.mark.asyncio


async def look(folder: Path, where: Discord) -> list[tuple[str, str]]:
    """Return what is found."""
    settings = read({"swarm": {"state_dir": str(folder)}})
    return [(finding.mark, finding.text) async for finding in findings(settings, where)]


@pytest.fixture(autouse=True)
def back_to_discord(monkeypatch: pytest.MonkeyPatch) -> None:
    """Undo where the check leads discord.py."""
    monkeypatch.setattr(Route, "BASE", Route.BASE)


async def test_a_good_setup_is_told_with_the_invite_link(tmp_path: Path) -> None:
    """Everything is ticked, and the link asks for the permissions and scopes that are needed."""
    async with Playground() as page:
        found = await look(tmp_path, Discord(page.token, page.api_base))
    assert [mark for mark, _ in found if mark == "error"] == []
    (link,) = [text for _, text in found if "invite" in text.lower()]
    assert "scope=bot+applications.commands" in link
    wanted = int(link.split("permissions=")[1])
    assert discord.Permissions(wanted).create_public_threads


async def test_a_wrong_token_and_a_full_disk_are_named(tmp_path: Path) -> None:
    """Both errors are found in one go, each with its remedy; the token is shown nowhere."""
    blocked = tmp_path / "file"
    blocked.write_text("")
    async with Playground() as page:
        found = await look(blocked, Discord("wrong-token", page.api_base))
    errors = [text for mark, text in found if mark == "error"]
    assert any("--state-dir" in text for text in errors)
    assert any("Reset Token" in text for text in errors)
    assert "wrong-token" not in str(found)


async def test_discord_out_of_reach_is_told(tmp_path: Path) -> None:
    """No traceback where there is no network."""
    found = await look(tmp_path, Discord("token", "http://127.0.0.1:9/api/v10"))
    assert found[-1][0] == "error"
    assert "cannot be reached" in found[-1][1]
