"""`swarm-bot check` against the real wire: its findings and their remedies."""

from __future__ import annotations

from pathlib import Path

import discord
import pytest
from discord.http import Route
from simcord.backend.models import Overwrite
from simcord.enums import OverwriteType

from bot.cli.check import findings
from bot.config import Discord, read
from bot.playground.server import Playground


async def look(folder: Path, where: Discord) -> list[tuple[str, str]]:
    """Return the findings as pairs of mark and text."""
    settings = read({"swarm": {"state_dir": str(folder)}})
    return [(finding.mark, finding.text) async for finding in findings(settings, where)]


async def forbid_everywhere(page: Playground, taken: discord.Permissions) -> None:
    """Take permissions away from everyone in the channels that are there."""
    everyone = Overwrite(page.guild_id, OverwriteType.ROLE, deny=taken.value)
    page.guild.backend.edit_channel(page.channel_id, {}, overwrites=[everyone])


@pytest.fixture(autouse=True)
def back_to_discord(monkeypatch: pytest.MonkeyPatch) -> None:
    """Restore discord.py's API address after the check has changed it."""
    monkeypatch.setattr(Route, "BASE", Route.BASE)


@pytest.mark.asyncio
async def test_a_good_setup_is_told_with_the_invite_link(tmp_path: Path) -> None:
    """All checks pass, and the link asks for the needed permissions and scopes."""
    async with Playground() as page:
        found = await look(tmp_path, Discord(page.token, page.api_base))
    assert [mark for mark, _ in found if mark == "error"] == []
    (link,) = [text for _, text in found if "invite" in text.lower()]
    assert "scope=bot+applications.commands" in link
    wanted = int(link.split("permissions=")[1])
    assert discord.Permissions(wanted).create_public_threads


@pytest.mark.asyncio
async def test_a_channels_own_permissions_are_looked_at(tmp_path: Path) -> None:
    """The finding names the channel, the denied permission, for whom, and where to allow it."""
    async with Playground() as page:
        taken = discord.Permissions(create_public_threads=True, attach_files=True)
        await forbid_everywhere(page, taken)
        page.guild.backend.create_channel(page.guild_id, "free")
        found = await look(tmp_path, Discord(page.token, page.api_base))
    told = [text for mark, text in found if mark == "warning"]
    assert any("has all its permissions in 1 of 2 channels" in text for _, text in found)
    assert any(
        "#plans, the bot is missing permissions: Create Public Threads" in text
        and "(denied for the role @everyone)" in text
        and "Edit Channel, Permissions" in text
        for text in told
    )


@pytest.mark.asyncio
async def test_no_usable_channel_is_an_error(tmp_path: Path) -> None:
    """If no channel gives the bot all its permissions, the check reports an error."""
    async with Playground() as page:
        await forbid_everywhere(page, discord.Permissions(send_messages_in_threads=True))
        found = await look(tmp_path, Discord(page.token, page.api_base))
    errors = [text for mark, text in found if mark == "error"]
    assert len(errors) == 1
    assert "the bot has all its permissions in no channel" in errors[0]


@pytest.mark.asyncio
async def test_a_wrong_token_and_a_full_disk_are_named(tmp_path: Path) -> None:
    """Both errors are reported, each with its remedy, and the token is not shown."""
    blocked = tmp_path / "file"
    blocked.write_text("")
    async with Playground() as page:
        found = await look(blocked, Discord("wrong-token", page.api_base))
    errors = [text for mark, text in found if mark == "error"]
    assert any("--state-dir" in text for text in errors)
    assert any("Reset Token" in text for text in errors)
    assert "wrong-token" not in str(found)


@pytest.mark.asyncio
async def test_discord_out_of_reach_is_told(tmp_path: Path) -> None:
    """Without a network, the finding is a sentence, not a traceback."""
    found = await look(tmp_path, Discord("token", "http://127.0.0.1:9/api/v10"))
    assert found[-1][0] == "error"
    assert "cannot be reached" in found[-1][1]
