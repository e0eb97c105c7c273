"""Safe rendering for Discord of everything that a model, a peer or a person wrote.

- `plain`: a title or a short text as one line, shown literally.
- `chunks`: Markdown converted to what Discord supports, in messages that Discord accepts.
- `pages`: rendered lines, joined to messages.

The functions convert text to text and do not need discord.py. Their output

- mentions nobody and shows where each link leads (`escape`),
- is never longer than Discord allows and never cut inside a grapheme (`fitting`),
- has closed code blocks and balanced styles in each message (`inline`, `blocks`, `packing`),
- has no characters that reverse the direction of other text.
"""

from __future__ import annotations

from bot.rendering.escape import clean, plain
from bot.rendering.fitting import MESSAGE_LIMIT, length
from bot.rendering.packing import chunks, pages

__all__ = ["MESSAGE_LIMIT", "chunks", "clean", "length", "pages", "plain"]
