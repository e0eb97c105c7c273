"""The frame of the benchmarks: what it writes, and where. Nothing here depends on timing."""

import argparse
import importlib.util
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks import report
from benchmarks.__main__ import BENCHMARKS

DOCUMENT = "# Title\n\nBy hand.\n\n<!-- bench:one -->\nold\n<!-- /bench:one -->\n\nAfter.\n"


def test_only_its_own_section_is_replaced() -> None:
    """What people wrote around a benchmark's markers stays as it was."""
    written = report.replaced(DOCUMENT, "one", "One", "new")
    assert written == DOCUMENT.replace("old", "new")


def test_a_new_section_goes_to_the_end_and_is_found_again() -> None:
    """A benchmark's first run adds its section; its second replaces it."""
    first = report.replaced(DOCUMENT, "two", "Two", "a")
    assert first.startswith(DOCUMENT.rstrip())
    assert "## Two\n\n<!-- bench:two -->\na\n<!-- /bench:two -->\n" in first
    assert report.replaced(first, "two", "Two", "b") == first.replace("\na\n", "\nb\n")


@pytest.mark.parametrize(
    "broken", ["<!-- bench:one -->", "<!-- /bench:one -->", "<!-- /bench:one --><!-- bench:one -->"]
)
def test_broken_markers_are_an_error(broken: str) -> None:
    """Half a section must not swallow the rest of the document."""
    with pytest.raises(ValueError, match="must both stand"):
        report.replaced(broken, "one", "One", "new")


def test_a_page_is_written_with_its_circumstances(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Date, command, commit and load stand above the figures; a quick run writes nothing."""
    document = tmp_path / "measurements.md"
    document.write_text(DOCUMENT)
    monkeypatch.setattr(report, "DOCUMENT", document)
    for quick in (True, False):
        page = report.Page("one", "One", argparse.Namespace(quick=quick, dry=False))
        page.say("Plain words.")
        page.table(["what", "took"], [["this", report.spread([1.0, 3.0, 2.0])]])
        page.write()
        assert (document.read_text() == DOCUMENT) is quick
    text = document.read_text()
    assert "| what | took |\n| --- | --- |\n| this | 2.00 s (1.00 - 3.00) |" in text
    for said in ("`python -m benchmarks.one", "commit ", "load ", "UTC"):
        assert said in text


def test_runs_are_paired_and_none_always_goes_first() -> None:
    """Each run measures everything, in an order that rotates."""
    order: list[str] = []

    def measure(name: str) -> int:
        order.append(name)
        return len(order)

    results = report.paired(3, {name: partial(measure, name) for name in "abc"})
    assert order == list("abcbcacab")
    assert {name: len(values) for name, values in results.items()} == {"a": 3, "b": 3, "c": 3}


@given(st.lists(st.floats(0, 1e6), min_size=1), st.floats(0, 1))
def test_a_percentile_is_one_of_the_values_and_grows(values: list[float], share: float) -> None:
    """Nearest rank: never an invented value; all of them at 1."""
    found = report.percentile(values, share)
    assert min(values) <= found <= report.percentile(values, 1.0) == max(values)
    assert found in values


def test_the_median_of_ratios_is_of_pairs() -> None:
    """Ratios are taken run by run before the median is."""
    assert report.ratio([1.0, 4.0, 9.0], [1.0, 2.0, 3.0]) == "2.00 (1.00 - 3.00)"


@pytest.mark.parametrize("name", BENCHMARKS)
def test_every_benchmark_is_there(name: str) -> None:
    """`make bench` names no module that does not exist."""
    assert importlib.util.find_spec(f"benchmarks.{name}") is not None
