"""The grants file: the owner's records that this machine gives to the peers it starts.

`swarm.core.roster` decides which roles an author has; its grants come from here. They are ordinary
records that gossip also carries. On the owner's machine the file holds all grants and revocations;
on a machine that joined by an invite it holds that machine's own.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import filelock

from swarm.core.clock import MAX_MS
from swarm.core.records import Grant, Record, RecordError, decode
from swarm.core.roster import Roster
from swarm.trust.identity import IdentityError, make_private, write_secret

LOCK_SECONDS = 10.0
"""How long to wait while another command holds the grants file: it needs only milliseconds."""


class TrustError(IdentityError):
    """Keys or grants cannot be used. The message says what to do and shows no secret."""


class BadNameError(TrustError):
    """A name or key that was typed is invalid, taken, unknown or ambiguous: a usage error."""


class LostKeyError(TrustError):
    """The owner's key is missing or cannot be read."""


@dataclass(frozen=True, slots=True)
class Grantee:
    """A peer that was granted roles.

    Attributes:
        author: its public key.
        name: its name in its latest grant.
        roles: its roles in its latest grant; empty if they were revoked.
    """

    author: bytes
    name: str
    roles: tuple[str, ...]


class GrantsFile:
    """A file of grants and revocations by one owner for one swarm: one record in hex per line."""

    def __init__(self, path: Path, owner: bytes, swarm: str) -> None:
        """Name the file; a missing file counts as empty."""
        self.path = path
        self._owner = owner
        self._swarm = swarm

    def read(self) -> list[Record]:
        """Return the records in the order in which they were added.

        Raises:
            TrustError: the file cannot be read, or a line is not a grant by this swarm's owner.
        """
        try:
            lines = self.path.read_text(encoding="ascii").splitlines()
        except FileNotFoundError:
            return []
        except (OSError, UnicodeDecodeError) as error:
            raise self._unusable(getattr(error, "strerror", None) or "it is not text") from None
        found = []
        for number, line in enumerate(lines, 1):
            try:
                record = decode(bytes.fromhex(line))
            except (ValueError, RecordError):
                raise self._unusable(f"line {number} is not a record") from None
            body = record.body
            named = isinstance(body, Grant) and body.swarm == self._swarm
            if record.author != self._owner or not named:
                raise self._unusable(
                    f"line {number} is not a grant by the owner of “{self._swarm}”"
                )
            found.append(record)
        return found

    def add(self, records: Iterable[Record]) -> None:
        """Append records. The file is replaced as a whole or not at all. Call this under `lock`.

        Raises:
            TrustError: the file cannot be written.
        """
        known = {record.id: record for record in self.read()}
        known.update((record.id, record) for record in records)
        draft = self.path.with_name(f".{self.path.name}.{os.getpid()}")
        try:
            draft.unlink(missing_ok=True)
            write_secret(draft, "".join(f"{r.raw.hex()}\n" for r in known.values()).encode())
            draft.replace(self.path)
        except OSError as error:
            raise self._unusable(error.strerror or str(error)) from None

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Keep other commands off the file, from reading it to adding to it.

        Raises:
            TrustError: the folder cannot be written, or another command keeps the lock for longer
                than `LOCK_SECONDS`.
        """
        held = filelock.FileLock(f"{self.path}.lock", timeout=LOCK_SECONDS, mode=0o600)
        try:
            make_private(self.path.parent)
            held.acquire()
        except filelock.Timeout:
            raise self._unusable("another command is using it") from None
        except OSError as error:
            raise self._unusable(error.strerror or str(error)) from None
        try:
            yield
        finally:
            held.release()

    def _unusable(self, why: str) -> TrustError:
        return TrustError(
            f"The grants file {self.path} cannot be used: {why}. Restore a copy, or move the file "
            "away. Peers that are running keep their grants, but this machine cannot grant "
            "anything new without the file."
        )


def granted(record: Record) -> Grant:
    """Return the grant in a record of a grants file, which holds nothing else."""
    assert isinstance(record.body, Grant), "a grants file holds nothing else"
    return record.body


def roster_of(records: Iterable[Record], owner: bytes) -> Roster:
    """Return the roster that an owner's records give."""
    roster = Roster(owner)
    for record in records:
        roster.apply(record)
    return roster


def grantees(records: Iterable[Record], owner: bytes) -> list[Grantee]:
    """Return all peers that were ever granted anything, sorted by name."""
    roster = roster_of(records, owner)
    found = []
    for subject in roster.subjects():
        grant = roster.grant_of(subject, MAX_MS)
        assert grant is not None, "a subject has a grant"
        found.append(Grantee(subject, grant.name, tuple(grant.roles)))
    return sorted(found, key=lambda grantee: (grantee.name, grantee.author))


def now_ms() -> int:
    """Return this machine's time in ms since the epoch, as stamps count it."""
    return int(time.time() * 1000)
