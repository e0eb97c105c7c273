"""Buttons and files as Discord takes them: fixed ids, labels in the current language."""

from __future__ import annotations

import io
from collections.abc import Sequence

import discord

from bot.texts import Text, say
from bot.views.posts import LEAVE, File, Press

_LOOKS: dict[Press, tuple[Text, str, discord.ButtonStyle]] = {
    Press.APPROVE: (Text.BUTTON_FOR, "👍", discord.ButtonStyle.success),
    Press.REJECT: (Text.BUTTON_AGAINST, "👎", discord.ButtonStyle.danger),
    Press.SAID: (Text.BUTTON_SAID, "💬", discord.ButtonStyle.secondary),
    Press.WHY: (Text.BUTTON_WHY, "❓", discord.ButtonStyle.secondary),
    Press.REPLAN: (Text.BUTTON_REPLAN, "🔁", discord.ButtonStyle.secondary),
    Press.PICTURE: (Text.BUTTON_PICTURE, "🖼️", discord.ButtonStyle.secondary),
    Press.EXPORT: (Text.BUTTON_EXPORT, "📦", discord.ButtonStyle.secondary),
    Press.CANCEL: (Text.BUTTON_CANCEL, "🛑", discord.ButtonStyle.secondary),
    Press.SURE: (Text.BUTTON_SURE, "🛑", discord.ButtonStyle.danger),
}


def attachments(files: Sequence[File]) -> list[discord.File]:
    """Return files as discord.py takes them; each can be sent once."""
    return [
        discord.File(io.BytesIO(file.data), file.name, description=file.about or None)
        for file in files
    ]


def leave_view(waiting: bytes) -> discord.ui.View:
    """Return the button that takes a goal out of the queue; `buttons.Leave` handles it."""
    view = discord.ui.View(timeout=None)
    view.add_item(
        discord.ui.Button(
            custom_id=LEAVE + waiting.hex(),
            label=say(Text.BUTTON_LEAVE),
            emoji="↩️",
            style=discord.ButtonStyle.secondary,
        )
    )
    view.stop()
    return view


def view_of(presses: Sequence[Press]) -> discord.ui.View | None:
    """Return a message's buttons, which `buttons.Buttons` handles; None: it has none."""
    if not presses:
        return None
    view = discord.ui.View(timeout=None)
    for press in presses:
        text, emoji, style = _LOOKS[press]
        view.add_item(
            discord.ui.Button(custom_id=press.value, label=say(text), emoji=emoji, style=style)
        )
    # Stopped at once, so that discord.py does not keep it for every message.
    view.stop()
    return view
