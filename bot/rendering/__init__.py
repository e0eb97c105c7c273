"""The one door to the chat: everything a model, a peer or a person wrote goes out through here.

- `plain`: a title or a short text as one line, shown literally.
- `chunks`: Markdown as Discord really shows it, in messages that Discord takes.
- `pages`: finished lines, put together to messages.

Pure text in, pure text out; nothing here knows of discord.py. What leaves this package

- mentions nobody and links nowhere but where it says (`escape`),
- is never longer than Discord allows and never cut inside a grapheme (`fitting`),
- keeps code blocks closed and styles balanced, message by message (`inline`, `blocks`, `packing`),
- has no characters that turn the direction of other people's text around.
"""

from __future__ import annotations

from bot.rendering.escape import clean, plain
from bot.rendering.fitting import MESSAGE_LIMIT, length
from bot.rendering.packing import chunks, pages

__all__ = ["MESSAGE_LIMIT", "chunks", "clean", "length", "pages", "plain"]
