"""`swarm sim` at the command line."""

from __future__ import annotations

import json

import pytest

from swarm.cli.app import run
from swarm.sim.invariants import Auditor
from swarm.sim.scenarios.scenarios import SCENARIOS


def test_a_run_is_told_as_a_timeline(capsys: pytest.CaptureFixture[str]) -> None:
    """Without a terminal it is plain text: who did what when, and how it ended."""
    assert run(["sim", "--seed", "4"]) == 0
    out = capsys.readouterr().out
    assert "submits “two weeks in Japan”" in out
    assert "\x1b" not in out
    assert "goals 1 done" in out


def test_a_run_as_json_has_all_of_it(capsys: pytest.CaptureFixture[str]) -> None:
    """--json prints one object with the timeline in it."""
    assert run(["sim", "--scenario", "lossy", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["states"] == {"done": 1}
    assert {"at_ms", "who", "kind", "what"} == set(told["timeline"][0])


def test_the_scenarios_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    """--list names every scenario with what happens in it."""
    assert run(["sim", "--list"]) == 0
    out = capsys.readouterr().out
    assert all(name in out and story.about in out for name, story in SCENARIOS.items())


def test_an_unknown_scenario_is_refused_with_a_hint(capsys: pytest.CaptureFixture[str]) -> None:
    """A slip of the finger gets the name that was meant."""
    assert run(["sim", "--scenario", "partiton"]) == 2
    assert "Did you mean 'partition'?" in capsys.readouterr().err


def test_many_seeds_make_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    """--seeds plays a range and counts."""
    assert run(["sim", "--scenario", "calm", "--seeds", "3"]) == 0
    assert "3 runs, 0 with a broken promise." in capsys.readouterr().out


def test_a_broken_promise_prints_the_command_that_plays_it_again(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Exit code 1, what broke, and how to see it again."""
    monkeypatch.setattr(
        Auditor, "verdict", lambda self: Auditor.fail(self, "one digest", "made up")
    )
    assert run(["sim", "--scenario", "calm", "--seed", "9", "--peers", "6"]) == 1
    err = capsys.readouterr().err
    assert "one digest" in err
    assert "swarm sim --scenario calm --seed 9 --peers 6" in err


def test_what_adversaries_write_does_not_steer_the_terminal(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Texts of models and adversaries are shown without characters that steer the cursor."""
    assert run(["sim", "--scenario", "junk-models", "--seed", "3"]) == 0
    assert "\u202e" not in capsys.readouterr().out
