"""Files on disk: replicas, the bot's journal, address books; and what the bot makes of them.

Files are damaged as disks damage them (bytes changed, cut, swapped), or belong to another program.
"""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import psutil

from bot.storage.journal import GoalEntry, Journal, JournalError, PostEntry
from bot.thread.reconciler import EDIT_SECONDS, Edit, Reconciler, Seed, Send, Wait
from bot.views.posts import Post, fingerprint
from fuzz.choices import Choices, scratch
from swarm.net.discovery.address_book import MAX_FILE, AddressBook, realm_of
from swarm.peer.replica import Replica, Row

_FOLDER = scratch()

RECORDS = [
    Row(bytes([n]) * 32, bytes([n]) * (97 + 400 * n), bytes([n % 3]) * 32, n) for n in range(12)
]
GOAL = b"g" * 32

TYPES = ("BLOB", "INTEGER", "TEXT", "REAL", "ANY", "BLOB NOT NULL", "")
VALUES: tuple[Any, ...] = (b"", b"bytes", "text", "\udcff".encode("utf-8", "replace"), 0, 1, -1,
                           10**12, 2**63 - 1, 1.5, None)  # fmt: skip

MOST_STEPS = 400
"""Steps in which a reconciler of a few messages is done, whatever happens to it on the way."""


def replica(data: bytes) -> None:
    """Any file gives records, all of them bytes, and the peer goes on; nothing is raised."""
    choices = Choices(data)
    folder = _fresh("replica")
    path = folder / "replica.sqlite3"
    if choices.chance(3):
        _foreign(path, choices, ("records",), ("id", "raw", "goal", "at", "mac"))
    else:
        path.write_bytes(_damaged(_template_replica(), choices))
    size = path.stat().st_size
    first = Replica(path)
    loaded = _opened(first)
    assert all(type(raw) is bytes for raw in loaded)
    assert sum(map(len, loaded)) <= 2 * size
    saved = first.save([Row(b"new", b"a new record")], [b"gone"])
    assert saved or first.trouble
    kept = saved and not first.trouble
    first.close()
    second = Replica(path)
    again = _opened(second)
    second.close()
    if kept:
        assert b"a new record" in again


def journal(data: bytes) -> None:
    """Any file is a journal that can be read and written, or a `JournalError`."""
    choices = Choices(data)
    path = _fresh("journal") / "journal.sqlite3"
    if choices.chance(3):
        tables = ("goals", "posts", "pressed", "meta")
        _foreign(path, choices, tables, ("goal", "key", "value", "message", "language"))
    else:
        path.write_bytes(_damaged(_template_journal(), choices))
    try:
        found = Journal(path)
    except JournalError as error:
        assert len(str(error)) < 1_000
        return
    with found:
        for entry in [*found.live(), *found.newest(7, 10), *found.asked_since(7, 0)]:
            assert type(entry.goal) is bytes
            assert type(entry.created_ms) is int
            assert isinstance(entry.state, str)
            for key, post in found.posts(entry.goal).items():
                assert post.key == key
                assert type(post.digest) is bytes
        found.by_message(1234)
        found.pressed(GOAL)
        found.get("commands")
        found.by_thread(99)
        new = GoalEntry(b"n" * 32, 7, 8, b"a" * 32, 5)
        found.open_goal(new)
        found.put_post(new.goal, PostEntry("start", b"d"))
        found.set_thread(new.goal, 12)
        found.press(new.goal, b"p" * 32, b"a" * 32, "approve")
        assert found.goal(new.goal) is not None
        assert found.posts(new.goal) == {"start": PostEntry("start", b"d")}
        found.close_goal(new.goal, "finished")
        found.forget_person(b"a" * 32)


def book(data: bytes) -> None:
    """Any file in the address book is an entry of texts, or is deleted."""
    choices = Choices(data)
    folder = _fresh("book")
    realm = realm_of("fuzz", None)
    shared = AddressBook(folder, realm)
    shared.open()
    me = psutil.Process()
    numbers: tuple[Any, ...] = (
        os.getpid(), me.create_time(), 0, -1, 1, 2**31, 2**63, 10**30, 10**400, float("inf"),
        float("nan"), "1", None, [], True,
    )  # fmt: skip
    for index in range(1 + choices.byte() % 3):
        said: dict[str, Any] = {
            "pid": os.getpid(),
            "started": me.create_time(),
            "realm": realm,
            "peer_id": "peer",
            "addresses": ["/ip4/127.0.0.1/tcp/1"],
        }
        for _ in range(choices.byte() % 3):
            key = choices.pick(tuple(said))
            said[key] = choices.pick((choices.pick(numbers), choices.text(9), [choices.text(9)]))
        text = json.dumps(said).encode()
        if choices.chance(4):
            text = text[: choices.number(len(text))] + choices.rest()
        (folder / f"{index}.peer.json").write_bytes(text)
    for entry in shared.read():
        assert type(entry.peer_id) is str
        assert all(type(address) is str for address in entry.addresses)
        assert sum(map(len, entry.addresses)) <= MAX_FILE


class _Chat:
    """A chat's thread: what was sent, what was deleted, and who pressed send twice."""

    def __init__(self) -> None:
        self.messages: dict[int, tuple[str, str]] = {}
        self.next = 1

    def send(self, post: Post) -> int:
        """Send a message and return its id."""
        number = self.next
        self.next += 1
        self.messages[number] = (post.key, post.content)
        return number

    def find(self, digest: bytes, known: set[int]) -> int | None:
        """Return a message with a digest that is not among the known."""
        for number, (_, content) in self.messages.items():
            if number not in known and fingerprint(content) == digest:
                return number
        return None


def reconciler(data: bytes) -> None:
    """However often the bot is killed, every message is there once, with the right text.

    A message that somebody deleted may be missing, and one too old to edit may remain beside the
    one that replaced it.
    """
    choices = Choices(data)
    chat, now = _Chat(), 100.0
    with Journal(None) as notes:
        wanted = [Post("live", "tree 0"), Post("start", "goal 0"), Post("split:a", "split 0")]
        books = Reconciler(notes.posts(GOAL))
        twice: set[str] = set()
        edited_at = -EDIT_SECONDS
        for _ in range(choices.byte() % 60):
            match choices.byte() % 8:
                case 0:
                    at = choices.byte() % len(wanted)
                    post = wanted[at]
                    text = f"{post.key} {choices.byte() % 3}"
                    wanted[at] = Post(post.key, text, seeds=post.seeds)
                case 1 if len(wanted) < 6:
                    number = len(wanted)
                    seeds = ("+",) if choices.chance() else ()
                    wanted.append(Post(f"result:{number}", f"result {number}", seeds=seeds))
                case 2:
                    now += choices.pick((0.1, 0.5, 1.0, 5.0))
                case 3:
                    books = Reconciler(notes.posts(GOAL))
                    edited_at = -EDIT_SECONDS
                case 4 if chat.messages:
                    gone = choices.pick(tuple(chat.messages))
                    del chat.messages[gone]
                case _:
                    edited_at = _step(books, notes, chat, wanted, now, edited_at, choices, twice)
        quiet = Choices(b"")
        for _ in range(MOST_STEPS):
            step = books.next_step(wanted, now)
            if step is None:
                break
            now = step.until_seconds if isinstance(step, Wait) else now
            edited_at = _step(books, notes, chat, wanted, now, edited_at, quiet, twice)
        else:
            raise AssertionError("a reconciler that is never done")
        for post in wanted:
            entry = books.known[post.key]
            assert notes.posts(GOAL)[post.key] == entry
            there = [number for number, (key, _) in chat.messages.items() if key == post.key]
            assert len(there) <= 1 or post.key in twice, (post.key, there)
            if not entry.gone and entry.message in chat.messages:
                assert chat.messages[entry.message][1] == post.content


def _step(
    books: Reconciler,
    notes: Journal,
    chat: _Chat,
    wanted: list[Post],
    now: float,
    edited_at: float,
    choices: Choices,
    twice: set[str],
) -> float:
    """Do one step as the writer does it, perhaps killed before the outcome is recorded."""
    step = books.next_step(wanted, now)
    match step:
        case Send(post=post):
            if step.maybe_there is not None:
                known = {e.message for e in books.known.values() if e.message is not None}
                found = chat.find(step.maybe_there, known)
                if found is not None:
                    notes.put_post(GOAL, books.adopted(step, found))
                    return edited_at
            fate = choices.byte() % 8
            if fate == 1:
                notes.put_post(GOAL, books.given_up(step))
                return edited_at
            notes.put_post(GOAL, books.sending(step))
            if fate == 2:
                return edited_at
            number = chat.send(post)
            if fate == 3:
                # Killed: the next run knows only that the message was about to be sent.
                books.__init__(notes.posts(GOAL))  # type: ignore[misc]
                return -EDIT_SECONDS
            notes.put_post(GOAL, books.sent(post, number, now))
        case Edit(post=post, message=message):
            assert now >= edited_at + EDIT_SECONDS
            if message not in chat.messages:
                notes.put_post(GOAL, books.deleted(post.key))
            elif choices.byte() % 8 == 1:
                twice.add(post.key)
                notes.put_post(GOAL, books.replaced(post.key))
            else:
                chat.messages[message] = (post.key, post.content)
                notes.put_post(GOAL, books.edited(post, now))
                return now
        case Seed(post=post, message=message):
            known_there = message in chat.messages
            entry = books.seeded(post) if known_there else books.deleted(post.key)
            notes.put_post(GOAL, entry)
    return edited_at


def _opened(disk: Replica) -> list[bytes]:
    disk.open()
    return [stored.raw for batch in disk.batches() for stored in batch]


def _fresh(name: str) -> Path:
    folder = _FOLDER / f"{os.getpid()}-{name}"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(mode=0o700)
    return folder


_TEMPLATES: dict[str, bytes] = {}


def _template_replica() -> bytes:
    if "replica" not in _TEMPLATES:
        path = _fresh("template") / "replica.sqlite3"
        whole = Replica(path)
        whole.open()
        whole.save(RECORDS)
        whole.close()
        _TEMPLATES["replica"] = path.read_bytes()
    return _TEMPLATES["replica"]


def _template_journal() -> bytes:
    if "journal" not in _TEMPLATES:
        path = _fresh("template") / "journal.sqlite3"
        with Journal(path) as whole:
            for number in range(3):
                goal = bytes([number]) * 32
                whole.open_goal(GoalEntry(goal, 7, 8, b"a" * 32, number, 99, record=b"r" * 500))
                for key in ("start", "live", f"split:{goal.hex()}"):
                    whole.put_post(goal, PostEntry(key, b"d" * 32, 1234 + number))
                whole.press(goal, GOAL, b"a" * 32, "approve")
            whole.put("commands", "hash")
        _TEMPLATES["journal"] = path.read_bytes()
    return _TEMPLATES["journal"]


def _damaged(whole: bytes, choices: Choices) -> bytes:
    """A file as a broken disk returns it."""
    data = bytearray(whole)
    page = 4_096
    for _ in range(choices.byte() % 6):
        at = choices.number(len(data) - 1) if data else 0
        match choices.byte() % 5:
            case 0:
                data[at : at + 4] = choices.take(4)
            case 1:
                del data[at:]
            case 2:
                # The head of a page holds its tree.
                at -= at % page
                data[at : at + 8] = choices.take(8)
            case 3:
                other = choices.number(max(0, len(data) - 1))
                other -= other % page
                at -= at % page
                data[at : at + page] = data[other : other + page]
            case 4:
                data[at : at + 1 + choices.byte()] = b""
    return bytes(data)


def _foreign(
    path: Path, choices: Choices, tables: tuple[str, ...], columns: tuple[str, ...]
) -> None:
    """A database that another program or another version made."""
    with suppress(sqlite3.Error), closing(sqlite3.connect(path)) as db, db:
        for _ in range(1 + choices.byte() % 3):
            table = choices.pick(tables)
            some = [column for column in columns if not choices.chance(4)] or ["other"]
            made = ", ".join(f"{column} {choices.pick(TYPES)}" for column in some)
            kind = choices.pick(("TABLE", "TABLE", "VIEW"))
            if kind == "VIEW":
                db.execute(f"CREATE VIEW {table} AS SELECT 1 AS {some[0]}")
                continue
            db.execute(f"CREATE TABLE {table} ({made})")
            for _ in range(choices.byte() % 4):
                row = [choices.pick(VALUES) for _ in some]
                db.execute(f"INSERT INTO {table} VALUES ({', '.join('?' * len(some))})", row)
    path.touch()
