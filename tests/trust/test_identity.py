"""The key of a peer on disk: created once, private to its user, never overwritten."""

from __future__ import annotations

import errno
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given

from swarm.trust.identity import IdentityError, file_name, load_identity
from tests.trust.owned import NAMES


def test_a_key_is_created_once_and_only_its_user_can_read_it(tmp_path: Path) -> None:
    """The same key comes back, from a file of mode 0600 in a directory of mode 0700."""
    path = tmp_path / "new" / "identity.key"
    first = load_identity(path)
    again = load_identity(path)
    assert first.private_bytes_raw() == again.private_bytes_raw()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert os.listdir(path.parent) == ["identity.key"]


def test_processes_that_start_together_get_one_key(tmp_path: Path) -> None:
    """Eight processes that race to create a key all get the same one."""
    code = (
        "import sys; from pathlib import Path; from swarm.trust.identity import load_identity;"
        "print(load_identity(Path(sys.argv[1])).private_bytes_raw().hex())"
    )
    path = tmp_path / "identity.key"
    racing = [
        subprocess.Popen([sys.executable, "-c", code, str(path)], stdout=subprocess.PIPE)
        for _ in range(8)
    ]
    assert len({process.communicate()[0] for process in racing}) == 1


def test_a_wrong_key_file_is_explained(tmp_path: Path) -> None:
    """A file of another size is named, not overwritten."""
    path = tmp_path / "identity.key"
    path.write_bytes(b"short")
    with pytest.raises(IdentityError, match="is not a key file"):
        load_identity(path)
    assert path.read_bytes() == b"short"


def test_a_directory_that_cannot_be_created_is_explained(tmp_path: Path) -> None:
    """The message names the path and the option."""
    (tmp_path / "file").write_text("")
    with pytest.raises(IdentityError, match="--state-dir"):
        load_identity(tmp_path / "file" / "identity.key")


@pytest.mark.parametrize("mode", [0o640, 0o644, 0o604, 0o622])
def test_a_key_that_others_can_open_is_refused(tmp_path: Path, mode: int) -> None:
    """The message has the command that closes the file; then the same key is used."""
    path = tmp_path / "identity.key"
    key = load_identity(path)
    path.chmod(mode)
    with pytest.raises(IdentityError, match=rf"Other users can read.*chmod 600 {path}"):
        load_identity(path)
    path.chmod(0o600)
    assert load_identity(path).private_bytes_raw() == key.private_bytes_raw()


def test_a_full_disk_leaves_no_draft_of_a_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If the key cannot be written, the error is explained and nothing stays in the folder."""

    def full(handle: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(IdentityError, match="No space left"):
        load_identity(tmp_path / "identity.key")
    assert os.listdir(tmp_path) == []


@given(NAMES, NAMES)
def test_no_two_names_share_a_folder(one: str, other: str) -> None:
    """Different names in any script get different file names, each a plain one."""
    for name in (one, other):
        assert file_name(name).isascii()
        assert not set(file_name(name)) & set("/\0")
        assert 0 < len(file_name(name)) <= 64
    assert (file_name(one) == file_name(other)) == (one == other)
    assert file_name(f"東京都{one}") != file_name(f"東京都{other}") or one == other
