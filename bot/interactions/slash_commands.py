"""The slash commands: their names, options and descriptions, in Discord's locales."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import discord
from discord import app_commands

from bot import metrics
from bot.goals.goals import GOAL_CHARACTERS
from bot.goals.options import (
    CAPABILITY_CHARACTERS,
    DEADLINES_MS,
    DEPTHS,
    PARTS,
    REVIEWS,
    Care,
    Effort,
    Options,
)
from bot.interactions import actions, queries
from bot.interactions.replies import Interaction, answer, begin, failed
from bot.texts import LANGUAGES, Text, catalogue_of, duration, known, say

if TYPE_CHECKING:
    from bot.context import Bot

_BY_VALUE = {text.value: text for text in Text}


class Translator(app_commands.Translator):
    """Translates names and descriptions into the locales that Discord has."""

    async def translate(
        self,
        string: app_commands.locale_str,
        locale: discord.Locale,
        context: app_commands.TranslationContextTypes,
    ) -> str | None:
        """Return a text in a locale; None: it is not translated."""
        language = locale.value.split("-")[0]
        text = _BY_VALUE.get(string.message)
        if text is None or language == "en" or known(locale.value) != language:
            return None
        return catalogue_of(language).get(text)


class CommandTree(app_commands.CommandTree[discord.Client]):
    """The commands, with one answer to every unexpected error."""

    async def interaction_check(self, interaction: Interaction, /) -> bool:
        """Use the person's language; everyone may use the commands."""
        begin(interaction)
        name = interaction.command.name if interaction.command else ""
        metrics.COMMANDS.labels(name).inc()
        return True

    async def on_error(
        self, interaction: Interaction, error: app_commands.AppCommandError, /
    ) -> None:
        """Log a defect, and tell the person about it."""
        await failed(interaction, interaction.command.name if interaction.command else "", error)


def _localised(text: Text) -> app_commands.locale_str:
    return app_commands.locale_str(text.value)


def _plan_choices() -> dict[str, list[app_commands.Choice[Any]]]:
    return {
        "depth": [app_commands.Choice(name=str(depth), value=depth) for depth in DEPTHS],
        "reviews": [app_commands.Choice(name=str(count), value=count) for count in REVIEWS],
        "parts": [app_commands.Choice(name=str(parts), value=parts) for parts in PARTS],
        "effort": [
            app_commands.Choice(name=_localised(effort.text), value=effort.value)
            for effort in Effort
        ],
        "care": [
            app_commands.Choice(name=_localised(care.text), value=care.value) for care in Care
        ],
        "deadline": [
            app_commands.Choice(name=duration(ms), value=ms // 60_000) for ms in DEADLINES_MS
        ],
        "language": [app_commands.Choice(name=name, value=tag) for tag, name in LANGUAGES.items()],
    }


def add_commands(tree: app_commands.CommandTree[discord.Client], bot: Bot) -> None:
    """Add all commands to a tree."""
    where = app_commands.AppCommandContext(
        guild=True, dm_channel=bot.direct_messages, private_channel=False
    )
    in_servers = app_commands.AppCommandContext(guild=True, dm_channel=False, private_channel=False)
    which = app_commands.describe(plan=_localised(Text.CMD_WHICH))

    async def offered(_: Interaction, typed: str) -> list[app_commands.Choice[str]]:
        return [app_commands.Choice(name=name, value=name) for name in queries.offers(bot, typed)]

    @app_commands.describe(
        goal=_localised(Text.CMD_PLAN_GOAL),
        depth=_localised(Text.CMD_PLAN_DEPTH),
        parts=_localised(Text.CMD_PLAN_PARTS),
        effort=_localised(Text.CMD_PLAN_EFFORT),
        care=_localised(Text.CMD_PLAN_CARE),
        reviews=_localised(Text.CMD_PLAN_REVIEWS),
        deadline=_localised(Text.CMD_PLAN_DEADLINE),
        capability=_localised(Text.CMD_PLAN_CAPABILITY),
        language=_localised(Text.CMD_PLAN_LANGUAGE),
    )
    @app_commands.choices(**_plan_choices())
    @app_commands.autocomplete(capability=offered)
    async def plan(
        interaction: Interaction,
        goal: app_commands.Range[str, 0, GOAL_CHARACTERS] = "",
        depth: int = 0,
        parts: int = 0,
        effort: str = Effort.NORMAL.value,
        care: str = Care.NORMAL.value,
        reviews: int | None = None,
        deadline: int = 0,
        capability: app_commands.Range[str, 0, CAPABILITY_CHARACTERS] = "",
        language: str = "",
    ) -> None:
        options = Options(
            care=Care(care),
            effort=Effort(effort),
            parts=parts or None,
            depth=depth or None,
            reviews=reviews,
            deadline_ms=deadline * 60_000 or None,
            capability=capability.strip(),
            language=language,
        )
        await actions.plan(interaction, bot, goal, options)

    @which
    async def status(interaction: Interaction, plan: str = "") -> None:
        await queries.status(interaction, bot, plan)

    @which
    @app_commands.describe(part=_localised(Text.CMD_PART))
    async def why(interaction: Interaction, part: str = "", plan: str = "") -> None:
        await queries.why(interaction, bot, part, plan)

    @which
    @app_commands.describe(dark=_localised(Text.CMD_PICTURE_DARK))
    async def picture(interaction: Interaction, dark: bool = True, plan: str = "") -> None:
        await queries.picture(interaction, bot, plan, dark=dark)

    @which
    async def export(interaction: Interaction, plan: str = "") -> None:
        await queries.export(interaction, bot, plan)

    @which
    @app_commands.describe(
        part=_localised(Text.CMD_PART), reason=_localised(Text.CMD_REPLAN_REASON)
    )
    async def replan(
        interaction: Interaction,
        part: str = "",
        reason: app_commands.Range[str, 0, actions.REASON_CHARACTERS] = "",
        plan: str = "",
    ) -> None:
        await actions.replan(interaction, bot, part, reason, plan)

    @which
    async def cancel(interaction: Interaction, plan: str = "") -> None:
        await actions.cancel(interaction, bot, plan)

    async def peers(interaction: Interaction) -> None:
        await queries.peers(interaction, bot)

    async def help_(interaction: Interaction) -> None:
        await answer(interaction, say(Text.HELP))

    async def privacy(interaction: Interaction) -> None:
        await answer(interaction, say(Text.PRIVACY))

    async def forget(interaction: Interaction) -> None:
        await actions.forget(interaction, bot)

    @app_commands.describe(
        people=_localised(Text.CMD_SETTINGS_PEOPLE),
        voters=_localised(Text.CMD_SETTINGS_ROLE),
        voters2=_localised(Text.CMD_SETTINGS_ROLE2),
        voters3=_localised(Text.CMD_SETTINGS_ROLE2),
    )
    @app_commands.choices(
        people=[
            app_commands.Choice(name=_localised(text), value=value)
            for value, text in (
                ("count", Text.PEOPLE_COUNT),
                ("advisory", Text.PEOPLE_ADVISORY),
                ("off", Text.PEOPLE_OFF),
            )
        ]
    )
    @app_commands.default_permissions(manage_guild=True)
    async def settings(
        interaction: Interaction,
        people: str = "",
        voters: discord.Role | None = None,
        voters2: discord.Role | None = None,
        voters3: discord.Role | None = None,
    ) -> None:
        roles = [role for role in (voters, voters2, voters3) if role is not None]
        await actions.settings(interaction, bot, people, roles)

    for name, text, callback in (
        (Text.NAME_PLAN, Text.CMD_PLAN, plan),
        (Text.NAME_STATUS, Text.CMD_STATUS, status),
        (Text.NAME_WHY, Text.CMD_WHY, why),
        (Text.NAME_PICTURE, Text.CMD_PICTURE, picture),
        (Text.NAME_EXPORT, Text.CMD_EXPORT, export),
        (Text.NAME_REPLAN, Text.CMD_REPLAN, replan),
        (Text.NAME_CANCEL, Text.CMD_CANCEL, cancel),
        (Text.NAME_PEERS, Text.CMD_PEERS, peers),
        (Text.NAME_HELP, Text.CMD_HELP, help_),
        (Text.NAME_PRIVACY, Text.CMD_PRIVACY, privacy),
        (Text.NAME_FORGET, Text.CMD_FORGET, forget),
        (Text.NAME_SETTINGS, Text.CMD_SETTINGS, settings),
    ):
        command: app_commands.Command[Any, ..., None] = app_commands.Command(
            name=_localised(name),
            description=_localised(text),
            callback=callback,
            allowed_contexts=in_servers if callback is settings else where,
        )
        tree.add_command(command)
