"""Headings of a part go below the heading that the part gets."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from swarm.core.headings import demote

lines = st.lists(st.sampled_from(["# a", "### b", "###### c", "#tag", "```", "x", ""]), max_size=9)


def test_headings_of_parts_go_below_their_own() -> None:
    """A part's headings are moved below level two, keep their order, and code stays as it was."""
    text = "# Top\n\n```\n# not a heading\n```\n\n### Sub"
    assert demote(text, 3) == "### Top\n\n```\n# not a heading\n```\n\n##### Sub"


@given(lines, st.integers(1, 6))
def test_demoting_twice_changes_nothing_more(written: list[str], top: int) -> None:
    """The highest heading is of the given level, nothing else changes, and again nothing."""
    text = "\n".join(written)
    once = demote(text, top)
    assert demote(once, top) == once
    assert [line.lstrip("#") for line in once.split("\n")] == [
        s.lstrip("#") for s in text.split("\n")
    ]
