"""Characters that must never reach a terminal."""

from __future__ import annotations

STEERING = (
    *map(chr, range(0x20)), *map(chr, range(0x7F, 0xA0)),
    *map(chr, (0x61C, 0x200B, 0x200E, 0x200F, *range(0x2028, 0x202F), *range(0x2060, 0x2070))),
    "\ufeff", "\u00ad", "\U000e0041", "\U000e0001", "\ud800",
)  # fmt: skip
"""Escapes, returns, changes of direction, line breaks, zero-width characters, surrogates."""
