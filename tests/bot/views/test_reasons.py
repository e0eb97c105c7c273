"""Every reason of the fold has a text in every language of the bot."""

from __future__ import annotations

import re

import pytest

from bot.texts import LANGUAGES, speaking
from bot.views.reasons import REASON_SHOWN, reason_text
from swarm.core.fold.reasons import (
    REASONS,
    Cancelled,
    HolderSilent,
    NotAssembled,
    PartsMissing,
    Reason,
    Reported,
)
from tests.core.fold.reason_examples import EXAMPLES

OTHERS = [language for language in LANGUAGES if language != "en"]
NOT_LATIN = [language for language in OTHERS if language != "id"]
OURS_IN_LATIN = {"executor"}
"""Latin words that our texts in other scripts have too."""


def spoken(language: str, reason: Reason) -> str:
    """Return a reason in a language."""
    with speaking(language):
        return reason_text(reason)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("reason", EXAMPLES, ids=lambda reason: type(reason).__name__)
def test_every_reason_has_a_text_in_every_language(reason: Reason, language: str) -> None:
    """It is not empty, has no placeholder left, and is not the English one."""
    text = spoken(language, reason)
    assert text.strip()
    assert "{" not in text
    if language != "en":
        assert text != spoken("en", reason)
    if language in NOT_LATIN:
        assert set(re.findall(r"[A-Za-z]{3,}", text)) <= OURS_IN_LATIN


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_two_reasons_share_a_text(language: str) -> None:
    """A reader can tell them apart; and no reason is left out."""
    texts = {spoken(language, reason) for reason in EXAMPLES}
    assert len(texts) == len(EXAMPLES) == len(REASONS)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("wrap", [Cancelled, Reported, lambda said: NotAssembled(Reported(said))])
def test_what_somebody_wrote_is_shown_as_it_is(language: str, wrap: type[Reported]) -> None:
    """It is escaped, and cut; even if it reads like a reason of the fold, it is not translated."""
    assert spoken(language, wrap("the oven *broke*")).endswith(r"the oven \*broke\*")
    assert spoken(language, wrap("all its parts failed")).endswith("all its parts failed")
    assert len(spoken(language, wrap("x" * 5_000))) <= REASON_SHOWN + 100


@pytest.mark.parametrize("language", LANGUAGES)
def test_why_putting_together_failed_is_told_within(language: str) -> None:
    """The inner reason is in the same language."""
    outer = spoken(language, NotAssembled(HolderSilent()))
    assert outer.endswith(spoken(language, HolderSilent()))


def test_a_few_missing_parts_are_named() -> None:
    """Three titles, each short, and a sign that there are more."""
    text = spoken("en", PartsMissing(("a", "b", "c" * 200, "d")))
    assert "“a”, “b”, “ccc" in text
    assert "…” …" in text
    assert "“d”" not in text
