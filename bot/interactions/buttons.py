"""What buttons do. They work as long as their message exists, also after restarts.

One view with fixed ids handles them all; the journal knows which plan and split a message belongs
to. Buttons of older versions, which discord.py would ignore silently, are answered too.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

import discord

from bot import metrics
from bot.interactions import actions, queries
from bot.interactions.replies import Interaction, answer, begin, failed, waiting_goal
from bot.texts import Text, say
from bot.views.posts import LEAVE, OURS, Press

if TYPE_CHECKING:
    from bot.context import Bot

_IDS = frozenset(press.value for press in Press)


class _Button(discord.ui.Button["Buttons"]):
    def __init__(self, press: Press, do: Callable[[Interaction], Awaitable[None]]) -> None:
        super().__init__(custom_id=press.value, label=press.name)
        self._press = press
        self._do = do

    async def callback(self, interaction: Interaction, /) -> None:
        """Perform the button's action."""
        metrics.COMMANDS.labels(f"button-{self._press.name.lower()}").inc()
        await self._do(interaction)


class Buttons(discord.ui.View):
    """Handles every button of every message; added once to each client."""

    def __init__(self, bot: Bot) -> None:
        super().__init__(timeout=None)

        def press(what: Press, do: Callable[[Interaction], Awaitable[None]]) -> None:
            self.add_item(_Button(what, do))

        press(Press.APPROVE, lambda i: actions.vote(i, bot, "approve"))
        press(Press.REJECT, lambda i: actions.vote(i, bot, "reject"))
        press(Press.SAID, lambda i: queries.said(i, bot))
        press(Press.WHY, lambda i: queries.why(i, bot, "", ""))
        press(Press.REPLAN, lambda i: actions.ask_for_replan(i, bot))
        press(Press.PICTURE, lambda i: queries.picture(i, bot, ""))
        press(Press.EXPORT, lambda i: queries.export(i, bot, ""))
        press(Press.CANCEL, lambda i: actions.ask_for_cancel(i, bot))
        press(Press.SURE, lambda i: actions.cancel(i, bot, ""))

    async def interaction_check(self, interaction: Interaction, /) -> bool:
        """Use the person's language; each action decides who may perform it."""
        begin(interaction)
        return True

    async def on_error(
        self, interaction: Interaction, error: Exception, item: discord.ui.Item[Buttons], /
    ) -> None:
        """Log a defect, and tell the person about it."""
        await failed(interaction, "button", error)


class Leave(discord.ui.DynamicItem[discord.ui.Button[Any]], template=LEAVE + "(?P<id>[0-9a-f]+)"):
    """Takes a goal out of the queue; its id names the goal."""

    def __init__(self, waiting: str) -> None:
        super().__init__(discord.ui.Button(custom_id=LEAVE + waiting))
        self._waiting = waiting

    @classmethod
    async def from_custom_id(
        cls, _: Interaction, item: discord.ui.Item[Any], match: re.Match[str], /
    ) -> Leave:
        """Return the item for a button that was pressed."""
        return cls(match["id"])

    async def callback(self, interaction: Interaction, /) -> None:
        """Take the goal out."""
        begin(interaction)
        metrics.COMMANDS.labels("button-leave").inc()
        bot: Bot = interaction.client.bot  # type: ignore[attr-defined]  # it is a bot.interactions.client.Client
        try:
            entry = waiting_goal(interaction, bot, self._waiting)
            await actions.leave(interaction, bot, entry)
        except Exception as error:
            # discord.py would only log it, and the person would get no answer.
            await failed(interaction, "button-leave", error)


async def answer_unknown(interaction: Interaction) -> None:
    """Answer a button of ours that this version does not know."""
    if interaction.type is not discord.InteractionType.component:
        return
    pressed = str(dict(interaction.data or {}).get("custom_id", ""))
    ours = pressed.startswith(OURS) and not pressed.startswith(LEAVE)
    if ours and pressed not in _IDS:
        begin(interaction)
        await answer(interaction, say(Text.OLD_BUTTON))
