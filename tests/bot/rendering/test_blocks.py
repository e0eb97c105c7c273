"""Blocks: code, tables, lists and quotes as Discord can show them."""

from __future__ import annotations

from bot.rendering import chunks
from tests.bot.rendering.strategies import fences


def test_backticks_inside_a_block_do_not_end_it() -> None:
    """A fence of four backticks may contain three, which would end the block in Discord."""
    (message,) = chunks("````\n```\n@everyone\n```\n````")
    assert fences(message) == 2
    assert message.endswith("\n```")


def test_narrow_tables_are_aligned_and_wide_ones_become_lists() -> None:
    """Discord has no tables; both replacements keep every cell."""
    (narrow,) = chunks("| Day | City |\n|--|--|\n| 1 | 東京 |\n| 2 | Kyoto |")
    assert "Day │ City" in narrow
    assert "1   │ 東京" in narrow
    (wide,) = chunks(f"| Day | What |\n|--|--|\n| 1 | {'long ' * 20}|")
    assert wide.startswith("- **Day**: 1\n  - **What**: long")


def test_lists_quotes_and_numbers_survive() -> None:
    """Nested lists keep their depth, ordered lists their numbers, and quotes their marks."""
    (message,) = chunks("3. a\n4. b\n   - c\n\n> q\n>\n> - r")
    assert message == "3. a\n4. b\n   - c\n\n> q\n> - r"
