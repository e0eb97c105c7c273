"""`swarm config show`."""

from __future__ import annotations

from pathlib import Path

import pytest

from swarm.cli.app import run
from tests.config.environment import environment


def test_a_password_in_an_address_is_never_shown(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Neither `config show`, in both formats, nor the message about a wrong value shows it."""
    path = tmp_path / "own.toml"
    path.write_text('[model]\nollama_url = "http://me:geheim@host:1"\n[swarm]\nname = ""\n')
    with environment():
        assert run(["config", "show", "--config", str(path)]) == 2
        path.write_text('[model]\nollama_url = "http://me:geheim@host:1"\n')
        for more in ([], ["--json"]):
            assert run(["config", "show", "--config", str(path), *more]) == 0
        path.write_text('[model]\nollama_url = ["http://me:geheim@host:1"]\n')
        assert run(["config", "show", "--config", str(path)]) == 2
    shown = capsys.readouterr()
    assert "http://***@host:1" in shown.out
    assert "geheim" not in shown.out + shown.err
