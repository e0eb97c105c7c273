"""Characters that a text from a peer, a model or a person must not carry to a reader.

This is the only list of them. Each place that shows or signs such texts builds its own rule from
it, because their readers differ: a terminal can be steered by direction marks that a chat shows
well, a chat needs flags spelled with tag characters, a signed text must be encodable. Whatever a
place keeps besides, it never keeps anything in `UNSAFE`.

The constants are the inside of a character class of a regular expression, such as
`re.compile(f"[{UNSAFE}]")`; code points are written as escapes, so that this file itself is safe.
"""

from __future__ import annotations

CONTROLS = "\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f"
"""Control characters of ASCII and of Latin-1 (C0, DEL, C1), except newline and tab."""

SURROGATES = "\\ud800-\\udfff"
"""Halves of characters, which no encoding takes: neither signed nor sent to a terminal."""

OVERRIDES = "\\u202a-\\u202e\\u2066-\\u2069\\u206a-\\u206f"
"""Embeddings, overrides and isolates of the writing direction, and their deprecated relatives: they
reorder what follows and so disguise it (CVE-2021-42574)."""

MARKS = "\\u061c\\u200e\\u200f"
"""Direction marks of single characters. Right-to-left text needs them where it is laid out well;
in a terminal they can still reorder a line."""

INVISIBLE = (
    "\\u00ad\\u180e\\u200b\\u2060-\\u2065\\ufeff\\ufff9-\\ufffb\\U0001d173-\\U0001d17a"
    "\\U000e0000-\\U000e0fff"
)
"""Characters that have no width and that no script needs: soft hyphen, zero-width space, word
joiner, byte order mark, annotations, musical controls, and the plane of tags and supplementary
variants, in which a whole message can be hidden. The joiners U+200C and U+200D are not among them:
many scripts and emoji need them."""

BREAKS = "\\u2028\\u2029"
"""Separators of lines and paragraphs, which only some programs take for line breaks."""

UNSAFE = CONTROLS + SURROGATES + OVERRIDES + INVISIBLE
"""What no reader is ever shown."""
