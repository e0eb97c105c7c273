"""The command: a smoke test with an obedient model, judging by hand, and what it writes down."""

from pathlib import Path

import pytest

from benchmarks import report
from benchmarks.quality import __main__ as command
from benchmarks.quality import obedient, perfect
from benchmarks.quality.goals import TUNE, generate

DOCUMENT = "# Title\n\n<!-- bench:quality -->\nwritten before\n<!-- /bench:quality -->\n"


def _run(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> None:
    monkeypatch.setattr("sys.argv", ["quality", *arguments])
    command.main()


def test_the_smoke_test_keeps_everything(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """With a model of perfect obedience one call keeps all, and the table says so."""
    _run(monkeypatch, "--quick", "--arms", "one")
    said = capsys.readouterr().out
    assert "| one call | 1.00 (1.00 - 1.00) | 1.00 (1.00 - 1.00) |" in said


def test_a_text_is_judged_by_hand(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Any text can be judged against the goal of a seed and language."""
    file = tmp_path / "plan.md"
    file.write_text(perfect.write(generate(30_000, "hi")), encoding="utf-8")
    _run(monkeypatch, "--check", str(file), "--goal", "30000:hi")
    assert "demand: 1.00\nform: 1.00\nall: 1.00" in capsys.readouterr().out


def test_a_goal_is_printed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The text of a goal can be given to any other program."""
    _run(monkeypatch, "--print-goal", "30000:ur")
    assert capsys.readouterr().out.strip() == generate(30_000, "ur").text


@pytest.mark.parametrize(("seeds", "written"), [("tune", False), ("report", True)])
def test_only_reported_seeds_are_written_down(
    seeds: str, written: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A table of goals that somebody tunes on stays out of the document."""
    document = tmp_path / "measurements.md"
    document.write_text(DOCUMENT)
    monkeypatch.setattr(report, "DOCUMENT", document)
    # Goals to tune on stand in for those to report on, which a test must not look at either.
    monkeypatch.setattr(command, "REPORT", TUNE)
    file = str(tmp_path / "results.jsonl")
    goals = [generate(seed) for seed in TUNE[:1]]
    with obedient.serving(goals) as server:
        server.behaviour.models.append("m:latest")
        given = ("--ollama", server.url, "--model", "m", "--cache", str(tmp_path), "--arms", "one")
        _run(monkeypatch, "--goals", "1", "--seeds", seeds, "--results", file, *given)
        calls = server.counts.total()
        _run(monkeypatch, "--goals", "1", "--seeds", seeds, "--results", file, *given)
        assert server.counts.total() == calls, "the second run had nothing left to do"
    assert ("written before" not in document.read_text()) == written
