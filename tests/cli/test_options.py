"""Options of the commands: texts that no record could carry are refused at once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import click
import pytest

from swarm.cli.app import run
from swarm.cli.options import (
    MAX_CAPABILITIES,
    MAX_LANGUAGE,
    MAX_NAME,
    MAX_REASON,
    RecordText,
)
from swarm.core.clock import EPOCH
from swarm.core.records import Cancel, Goal, KnownBody, Presence

KEY = b"k" * 32


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["peer", "executor", "--name", ""], "is empty"),
        (["peer", "executor", "--name", "n" * 65], "65 characters"),
        (["peer", "executor", "--capability", "c" * 65], "65 characters"),
        (["peer", "executor", "--capability", "\udce9"], "UTF-8"),
        (["peer", "executor", *["--capability", "c"] * 17], "17 capabilities"),
        (["submit", "x", "--language", "l" * 36], "36 characters"),
        (["submit", "a \udce9"], "UTF-8"),
        (["up", "a \udce9"], "UTF-8"),
        (["cancel", "abcd", "--reason", "r" * 2_001], "2,001 characters"),
        (["init", "--name", ""], "1 to 64 printable"),
        (["init", "--name", "\udce9"], "1 to 64 printable"),
    ],
)
def test_what_no_record_can_carry_is_refused_before_anything_starts(
    arguments: list[str],
    said: str,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The message is plain and comes at once, and nothing is created on disk."""
    for name in ("HOME", "XDG_CONFIG_HOME", "LEADERLESS_SWARM__STATE_DIR"):
        monkeypatch.setenv(name, str(tmp_path))
    assert run(arguments) == 2
    shown = capsys.readouterr()
    assert said in shown.err
    assert "pydantic" not in shown.err
    assert list(tmp_path.iterdir()) == []


def test_options_accept_exactly_what_records_hold() -> None:
    """The bounds of the options are those of the records."""

    def fits(body: Callable[[], KnownBody]) -> bool:
        try:
            body()
        except ValueError:
            return False
        return True

    for more in (0, 1):
        word = "w" * (MAX_NAME + more)
        some = ["w"] * (MAX_CAPABILITIES + more)
        language, reason = "l" * (MAX_LANGUAGE + more), "r" * (MAX_REASON + more)
        for body in (
            lambda: Presence(stamp=EPOCH, swarm="s", role="r", name=word),  # noqa: B023
            lambda: Presence(stamp=EPOCH, swarm="s", role="r", capabilities=[word]),  # noqa: B023
            lambda: Presence(stamp=EPOCH, swarm="s", role="r", capabilities=some),  # noqa: B023
            lambda: Goal(stamp=EPOCH, swarm="s", text="t", language=language),  # noqa: B023
            lambda: Cancel(stamp=EPOCH, goal=KEY, reason=reason),  # noqa: B023
        ):
            assert fits(body) == (not more)
    with pytest.raises(click.BadParameter):
        RecordText(3).convert("four", None, None)
