"""The address book lists live peers of this machine and realm, and no others."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import psutil
import pytest

from swarm.net.discovery.address_book import AddressBook, BookEntry, realm_of
from swarm.net.errors import SettingsError

REALM = realm_of("test", None)


def entry(folder: Path, name: str, **changes: object) -> Path:
    data = {
        "pid": os.getpid(),
        "started": psutil.Process().create_time(),
        "realm": REALM,
        "peer_id": name,
        "addresses": ["/ip4/127.0.0.1/tcp/1"],
        **changes,
    }
    file = folder / f"{name}.peer.json"
    file.write_text(json.dumps(data))
    return file


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    book = tmp_path / "book"
    book.mkdir(mode=0o700)
    return book


def test_peers_find_each_other_and_not_themselves(tmp_path: Path) -> None:
    """An entry that one peer writes can be read by another, until it is removed."""
    folder = tmp_path / "deep" / "book"
    one, two = AddressBook(folder, REALM), AddressBook(folder, REALM)
    one.write("one", ["/ip4/127.0.0.1/tcp/1", "/ip4/127.0.0.1/tcp/2"])
    two.write("two", [])
    assert two.read() == (BookEntry("one", ("/ip4/127.0.0.1/tcp/1", "/ip4/127.0.0.1/tcp/2")),)
    one.remove()
    one.remove()
    assert two.read() == ()


def test_only_the_owner_can_look_inside(tmp_path: Path) -> None:
    """The directory is made for its owner only, and closed if it was open."""
    folder = tmp_path / "book"
    AddressBook(folder, REALM).write("one", [])
    assert folder.stat().st_mode & 0o777 == 0o700
    folder.chmod(0o755)
    AddressBook(folder, REALM).read()
    assert folder.stat().st_mode & 0o777 == 0o700


def test_dead_processes_are_ignored_and_cleaned(folder: Path) -> None:
    """The entry of a process that ended, or whose number was reused, disappears."""
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    gone = entry(folder, "gone", pid=ended.pid)
    reused = entry(folder, "reused", started=1.0)
    entry(folder, "alive")
    assert [e.peer_id for e in AddressBook(folder, REALM).read()] == ["alive"]
    assert not gone.exists()
    assert not reused.exists()


def test_a_zombie_is_dead(folder: Path) -> None:
    """A process that ended but was not collected yet does not count as running."""
    child = subprocess.Popen([sys.executable, "-c", ""], stdout=subprocess.PIPE)
    started = psutil.Process(child.pid).create_time()
    assert child.stdout is not None
    child.stdout.read()
    while psutil.Process(child.pid).status() != psutil.STATUS_ZOMBIE:
        pass
    entry(folder, "zombie", pid=child.pid, started=started)
    assert AddressBook(folder, REALM).read() == ()
    child.wait()


def test_other_realms_are_left_alone(folder: Path) -> None:
    """Peers of another swarm, or of the same name with another key, are not offered."""
    others = [
        entry(folder, str(i), realm=realm_of(*r))
        for i, r in enumerate([("other", None), ("test", "00" * 32)])
    ]
    assert AddressBook(folder, REALM).read() == ()
    assert all(file.exists() for file in others)


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "null", '{"pid": "x"}', '{"peer_id": 1}', "x" * 10_000, "[" * 4_000],
)
def test_garbage_is_cleaned(folder: Path, text: str) -> None:
    """A file that is not an entry raises nothing and is removed."""
    file = folder / "bad.peer.json"
    file.write_text(text)
    assert AddressBook(folder, REALM).read() == ()
    assert not file.exists()


@pytest.mark.parametrize(
    "what", [errno.EMFILE, errno.ENFILE, errno.EIO, errno.EACCES, errno.ENOMEM]
)
@pytest.mark.parametrize("where", ["open", "read", "process"])
def test_an_error_of_the_system_is_no_fault_of_the_entry(
    folder: Path, monkeypatch: pytest.MonkeyPatch, what: int, where: str
) -> None:
    """Whatever step fails for reasons of the machine, the entry stays and is found later."""
    file = entry(folder, "alive")

    def fail(*_: object, **__: object) -> Any:
        raise OSError(what, os.strerror(what))

    with monkeypatch.context() as patch:
        if where == "process":
            patch.setattr(psutil, "Process", fail)
        elif where == "open":
            patch.setattr(Path, "open", fail)
        else:
            patch.setattr(Path, "open", lambda *_: nullcontext(SimpleNamespace(read=fail)))
        AddressBook(folder, REALM).read()
    assert file.exists()
    assert [e.peer_id for e in AddressBook(folder, REALM).read()] == ["alive"]


def test_wrong_types_are_cleaned(folder: Path) -> None:
    """An entry whose fields have wrong types raises nothing."""
    entry(folder, "a", addresses=[1, 2])
    entry(folder, "b", addresses=7)
    entry(folder, "c", peer_id=["x"])
    entry(folder, "d", pid=10**30)
    entry(folder, "e", pid=float("inf"))
    entry(folder, "f", started=10**400)
    assert AddressBook(folder, REALM).read() == ()


def test_no_book_is_no_error(tmp_path: Path) -> None:
    """Reading a book that does not exist finds no peers."""
    assert AddressBook(tmp_path / "none", REALM).read() == ()


def test_a_file_in_the_way_is_explained(tmp_path: Path) -> None:
    """A path that cannot be a directory is refused with what to do."""
    (tmp_path / "book").write_text("")
    with pytest.raises(SettingsError, match="Name another directory"):
        AddressBook(tmp_path / "book", REALM).write("one", [])


def test_a_new_entry_replaces_the_old(folder: Path) -> None:
    """A host that was built again leaves one entry behind, the new one."""
    one, two = AddressBook(folder, REALM), AddressBook(folder, REALM)
    one.write("first", [])
    one.write("second", [])
    assert [e.peer_id for e in two.read()] == ["second"]


def test_the_realm_reveals_nothing() -> None:
    """The realm is the same for all members, differs by name and key, and shows neither."""
    assert realm_of("test", None) == REALM
    assert len({realm_of("a", None), realm_of("b", None), realm_of("a", "00" * 32)}) == 3
    assert "test" not in REALM
