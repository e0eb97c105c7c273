"""Putting parts together by code loses nothing."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from swarm.llm.client import assembly
from swarm.llm.client.parsing import TEXT_CHARS

texts = st.lists(
    st.tuples(st.from_regex(r"[A-Z][a-z]{2,9}", fullmatch=True), st.text(max_size=400)), max_size=6
)


@given(st.text(max_size=50), texts, texts, st.integers(1, 60))
def test_assembly_is_bounded_and_names_everything(
    intro: str, done: list[tuple[str, str]], missing: list[tuple[str, str]], times: int
) -> None:
    """However long the parts are, the result is bounded and names each part and each failure."""
    long = [(title, text * times) for title, text in done]
    document = assembly.compose(intro, long, missing)
    assert len(document) <= TEXT_CHARS
    for title, _ in done:
        assert f"## {title}" in document
    for title, _ in missing:
        assert f"- **{title}**" in document
    assert (assembly.MISSING_HEADING in document) >= bool(missing)


def test_short_parts_are_kept_word_for_word_beside_a_huge_one() -> None:
    """Only the long part is shortened."""
    document = assembly.compose("", [("Long", "x" * 50_000), ("Short", "exactly this")], [])
    assert "exactly this" in document
    assert len(document) <= TEXT_CHARS


def test_headings_of_parts_go_below_their_own() -> None:
    """A part's headings are moved below level two, keep their order, and code stays as it was."""
    text = "# Top\n\n```\n# not a heading\n```\n\n### Sub"
    assert assembly.demote(text) == "### Top\n\n```\n# not a heading\n```\n\n##### Sub"


def test_a_model_cannot_hide_what_failed() -> None:
    """Code adds the section about failed parts to any text of a model, even a huge one."""
    for text in ("All is well.", "x" * 20_000):
        document = assembly.with_missing(text, [("Budget", "no executor was left")])
        assert "- **Budget**: no executor was left" in document
        assert len(document) <= TEXT_CHARS
