"""Numbers of every script and language that goals come in."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from swarm.brief.numbers import digits, number_at
from swarm.brief.words import tokens


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("6,000", 6_000),
        ("6.000", 6_000),
        ("6 000", 6_000),
        ("1,50,000", 150_000),
        ("6.000,50", 6_000.5),
        ("6 k", 6_000),
        ("6k", 6_000),
        ("1.5 lakh", 150_000),
        ("2 juta", 2_000_000),
        ("1,5 juta", 1_500_000),
        ("twenty-five", 25),
        ("two hundred and fifty", 250),
        ("a dozen", None),
        ("dua belas", 12),
        ("dua puluh lima", 25),
        ("seratus lima puluh ribu", 150_000),
        ("seribu lima ratus", 1_500),
        ("६०,०००", 60_000),
        ("साढ़े तीन लाख", 350_000),
        ("डेढ़ लाख", 150_000),
        ("पाँच हज़ार", 5_000),
        ("۶۰ ہزار", 60_000),
        ("ڈیڑھ لاکھ", 150_000),
        ("৫০ হাজার", 50_000),
        ("দেড় লাখ", 150_000),
        ("5 lakh 50 thousand", 550_000),
        ("12.05.2027", None),
        ("6 K-pop songs", 6),
    ],
)
def test_reads_numbers(text: str, value: float | None) -> None:
    """A number has its value in every script, with separators and words that multiply it."""
    number = number_at(tokens(text), 0)
    assert (number.value if number is not None else None) == value


@given(st.integers(1, 10**9))
def test_reads_back_grouped_digits(number: int) -> None:
    """A number that Python groups by thousands is read as what it was."""
    assert digits(f"{number:,}") == number
    assert digits(f"{number:,}".replace(",", ".")) == number


@given(st.text(max_size=40))
def test_never_raises(text: str) -> None:
    """Any text can be looked at."""
    words = tokens(text)
    for at in range(len(words)):
        number_at(words, at)
