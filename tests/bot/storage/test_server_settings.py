"""The settings of a server: who votes, and how people's votes count."""

from __future__ import annotations

from pathlib import Path

import discord
import pytest

from bot.config import read
from bot.storage.journal import Journal
from bot.storage.server_settings import Settings
from swarm.config import ConfigError
from tests.bot.conftest import Stage


@pytest.mark.asyncio
async def test_a_servers_manager_chooses_who_votes(stage: Stage) -> None:
    """A choice in `/settings` applies at once and after a restart; @everyone lifts the limit."""
    guild = stage.env.guild
    planners = guild.create_role("planners")
    managers = guild.create_role("mods", permissions=discord.Permissions(manage_guild=True))
    boss = guild.add_member(stage.env.create_user("boss"), roles=[managers])
    citra = guild.add_member(stage.env.create_user("citra"), roles=[planners])
    goal = await stage.ask()
    split = stage.peer.propose(goal, ["a", "b"])
    await stage.look()
    await stage.asha.react(stage.message("### 🗳️"), "👍")
    assert stage.peer.votes == [(split, "approve")]
    done = await boss.slash(stage.channel, "settings", voters=planners)
    assert "Who can vote: **planners**" in done.response.content
    await stage.look()
    assert stage.peer.votes == [(split, "approve"), (split, "abstain")]
    assert "Only these roles can vote here: **planners**" in stage.message("### 🗳️").content
    await stage.restart()
    await citra.react(stage.message("### 🗳️"), "👍")
    await stage.bilal.react(stage.message("### 🗳️"), "👍")
    assert stage.peer.votes[2:] == [(split, "approve")]
    await boss.slash(stage.channel, "settings", voters=guild.default_role)
    assert stage.bot.settings.voters(guild.id).everyone


@pytest.mark.asyncio
async def test_people_who_do_not_manage_can_look_but_not_change(stage: Stage) -> None:
    """A person to whom a server's own rules show the command still needs the permission."""
    command = stage.env.backend.find_command("settings", stage.env.guild.id)
    assert int(command["default_member_permissions"]) == discord.Permissions.manage_guild.flag
    interaction = await _settings_as(stage, people="off", may=False)
    assert "Only someone with Manage Server" in interaction
    assert stage.bot.settings.people(stage.env.guild.id) == "count"
    assert "Who can vote: everyone" in await _settings_as(stage, people="", may=False)
    assert "off: only scorers vote" in await _settings_as(stage, people="off", may=True)


async def _settings_as(stage: Stage, *, people: str, may: bool) -> str:
    """Run the command past Discord's own check of who sees it."""
    from bot.interactions import actions

    said: list[str] = []

    class Response:
        def is_done(self) -> bool:
            return False

        async def send_message(self, text: str, **_: object) -> None:
            said.append(text)

    class Fake:
        guild = stage.bot.chat.client.guilds[0]  # type: ignore[union-attr]
        guild_id = guild.id
        permissions = discord.Permissions(manage_guild=may)
        response = Response()

    await actions.settings(Fake(), stage.bot, people, [])  # type: ignore[arg-type]
    return said[-1]


@pytest.mark.asyncio
async def test_what_votes_count_is_signed_into_the_next_goal(stage: Stage) -> None:
    """Another server's choice changes nothing here."""
    stage.bot.settings.choose(stage.env.guild.id, people="advisory")
    stage.bot.settings.choose(4_711, people="off")
    await stage.ask()
    assert stage.peer.store.plans()[-1].policy.people == "advisory"


def test_single_servers_can_be_configured(tmp_path: Path) -> None:
    """A manager's choice overrides the file's settings for the server, and these the defaults."""
    file = tmp_path / "my.toml"
    file.write_text(
        '[bot]\nvoter_roles = ["all"]\n[bot.servers.77]\nvoter_roles = ["few"]\npeople = "off"\n'
        "[bot.servers.78]\nvoter_roles = []\n"
    )
    config = read({}, str(file))
    with Journal(tmp_path / "journal.sqlite3") as journal:
        made = Settings(journal, roles=config.bot.voter_roles, servers=config.bot.of_servers())
        assert [made.voters(guild).text for guild in (1, 77, 78)] == ["**all**", "**few**", ""]
        assert [made.people(guild) for guild in (1, 77)] == ["count", "off"]
        made.choose(77, people="advisory")
        again = Settings(journal, servers=config.bot.of_servers())
        assert (again.people(77), again.voters(77).text) == ("advisory", "**few**")
        journal.put("server:77", "{broken")
        damaged = Settings(journal, servers=config.bot.of_servers())
        assert damaged.people(77) == "off"
    file.write_text("[bot.servers.my-server]\n")
    with pytest.raises(ConfigError, match="servers"):
        read({}, str(file))
