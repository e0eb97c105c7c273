"""Trust on this machine: the owner's key, and the grants in a file.

`swarm.core.roster` judges who may say what; here is where its grants come from. They are ordinary
records that gossip carries. Each machine keeps in its *grants file* those that it brings along, the
owner all of them, whoever joined by an invite its own, and every peer started there has them from
its first moment (`membership`).

`swarm.trust.folder` makes the folder where all of this lives.

On the owner's machine a peer that this user starts is granted its role by itself: whoever can
run commands under that account has the owner's key anyway. Only what was revoked stays so.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import filelock
import structlog
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from swarm.core.clock import EPOCH, MAX_MS, Stamp
from swarm.core.records import Grant, Record, RecordError, decode, sign
from swarm.core.roster import Roster
from swarm.core.store.limits import Limits
from swarm.trust.identity import KEY_SIZE, IdentityError, folder_of, load_identity, make_private
from swarm.trust.invite import MAX_NAME, Invite, is_name

if TYPE_CHECKING:
    from swarm.config import SwarmSection

log = structlog.get_logger(__name__)

FRESH_MS = 10 * 60 * 1000
"""How long before now the grant of a fresh key begins, so that a machine whose clock is behind the
owner's may speak at once. Nobody has signed anything with that key yet, so nothing is let in."""

MOST_WORDS = Limits().records_of_submitter
"""Grants and revocations that peers keep of one owner: what comes later would reach nobody."""

SPARED_WORDS = 200
"""Of those, how many only a revocation may use: taking roles away must never fail for want of
room, and a swarm has fewer peers than that."""

LOCK_SECONDS = 10.0
"""How long another command may hold the grants file: it takes milliseconds."""

LEAST_DIGITS = 4
"""Of a key, to tell it from others."""

IDENTITY = "identity.key"
"""File in the folder of each peer."""


class TrustError(IdentityError):
    """Keys or grants cannot be used. The message says what to do and shows no secret."""


class WordError(TrustError):
    """A word that was typed is no name, or does not mean one peer: a mistake of usage."""


class LostKeyError(TrustError):
    """The owner's key is not there any more, or cannot be read."""


@dataclass(frozen=True, slots=True)
class Membership:
    """What a peer knows of its swarm's owner when it starts.

    Attributes:
        owner: the owner's public key; None: an open swarm.
        grants: records that it brings along.
    """

    owner: bytes | None = None
    grants: tuple[bytes, ...] = ()


@dataclass(frozen=True, slots=True)
class Holder:
    """Whoever was granted something, as the latest grant has it."""

    author: bytes
    name: str
    roles: tuple[str, ...]
    """Empty: revoked."""


class GrantsFile:
    """The owner's records that this machine brings along, one in hex a line."""

    def __init__(self, path: Path, owner: bytes, swarm: str) -> None:
        """Name the file; one that is not there is empty."""
        self.path = path
        self._owner = owner
        self._swarm = swarm

    def read(self) -> list[Record]:
        """Return the grants.

        Raises:
            TrustError: the file cannot be read, or a line is no grant of this swarm's owner.
        """
        try:
            lines = self.path.read_text(encoding="ascii").splitlines()
        except FileNotFoundError:
            return []
        except (OSError, UnicodeDecodeError) as error:
            raise self._unusable(getattr(error, "strerror", None) or "it is no text") from None
        found = []
        for number, line in enumerate(lines, 1):
            try:
                record = decode(bytes.fromhex(line))
            except (ValueError, RecordError):
                raise self._unusable(f"line {number} is no record") from None
            body = record.body
            named = isinstance(body, Grant) and body.swarm == self._swarm
            if record.author != self._owner or not named:
                raise self._unusable(f"line {number} is no grant by the owner of “{self._swarm}”")
            found.append(record)
        return found

    def add(self, records: Iterable[Record]) -> None:
        """Append grants; the file is replaced as a whole or not at all. Call it under `lock`.

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
        """Hold the file against other commands, from reading it to adding to it.

        Raises:
            TrustError: the folder cannot be written, or another command does not let go.
        """
        held = filelock.FileLock(f"{self.path}.lock", timeout=LOCK_SECONDS, mode=0o600)
        try:
            make_private(self.path.parent)
            held.acquire()
        except filelock.Timeout:
            raise self._unusable("another command holds it") from None
        except OSError as error:
            raise self._unusable(error.strerror or str(error)) from None
        try:
            yield
        finally:
            held.release()

    def _unusable(self, why: str) -> TrustError:
        return TrustError(
            f"The grants file {self.path} cannot be used: {why}. Put a copy back, or move it away; "
            "peers that run still have the grants, but nothing new is granted from here without it."
        )


class Owner:
    """Who grants roles in a swarm: the owner's key, and all that it granted."""

    def __init__(self, swarm: str, key: Ed25519PrivateKey, file: GrantsFile) -> None:
        """Speak for a swarm's owner."""
        self.swarm = swarm
        self.public = _public(key)
        self._key = key
        self._file = file

    def holders(self) -> list[Holder]:
        """Return everybody who was ever granted anything, by name.

        Raises:
            TrustError: the grants cannot be read.
        """
        return _holders(self._file.read(), self.public)

    def invite(
        self,
        roles: Sequence[str],
        *,
        name: str | None = None,
        swarm_key: str,
        addresses: Sequence[str] = (),
    ) -> Invite:
        """Grant roles to a fresh key, and return the invite that carries it.

        Args:
            roles: of `swarm.core.roles.ROLES`, at least one.
            name: what the new peer is called; None: the first role and a few digits.
            swarm_key: 64 hex digits.
            addresses: to dial.

        Raises:
            WordError: the name is taken or no name.
            TrustError: the grants file cannot be used.
        """
        identity = Ed25519PrivateKey.generate()
        subject = _public(identity)
        name = f"{roles[0]}-{subject.hex()[:4]}" if name is None else name
        if not is_name(name):
            raise WordError(f"A peer's name has 1 to {MAX_NAME} printable characters.")
        with self._file.lock():
            for holder in self.holders():
                if holder.name == name and holder.roles:
                    raise WordError(
                        f"There is a {name} already, with the key {holder.author.hex()[:8]}. Give "
                        f"this peer another --name, or take that one's roles: swarm revoke {name}"
                    )
            stamp = Stamp(_now_ms() - FRESH_MS)
            grant = self._say(subject, roles, name, stamp)
        return Invite(
            self.swarm,
            self.public,
            bytes.fromhex(swarm_key),
            identity.private_bytes_raw(),
            grant,
            tuple(addresses),
        )

    def grant_own(self, subject: bytes, role: str, name: str) -> None:
        """See that a peer of this machine has a role now and from now on, unless it was revoked.

        A grant that a clock which ran ahead has put into the future is not enough: another is
        stamped now.

        Raises:
            TrustError: the grants file cannot be used.
        """
        now = _now_ms()
        with self._file.lock():
            records = self._of(subject)
            roster = _roster(records, self.public)
            known = [grant for ms in (now, MAX_MS) if (grant := roster.grant_of(subject, ms))]
            if any(not grant.roles for grant in known):
                return
            roles = list(dict.fromkeys([*(r for grant in known for r in grant.roles), role]))
            called = known[-1].name if known else name
            for stamp in _stamps(records, now):
                if not roster.has_role(subject, role, stamp.ms):
                    self._say(subject, roles, called, stamp)

    def revoke(self, holder: Holder) -> list[Record]:
        """Take all roles from somebody, and return the records that say so.

        The first is in force now. There is a second if a clock that ran ahead had put a word on
        them into the future: it outdoes that.

        Raises:
            TrustError: the grants file cannot be used.
        """
        now = _now_ms()
        with self._file.lock():
            records = self._of(holder.author)
            last = max(records, key=lambda record: record.key, default=None)
            if last is not None and last.stamp.ms <= now and not _granted(last).roles:
                # Said before; once more it is only to be heard.
                return [last]
            return [
                self._say(holder.author, [], holder.name, stamp) for stamp in _stamps(records, now)
            ]

    def find(self, text: str) -> Holder:
        """Return whom a name, or a key or its first digits, means.

        A whole key that was granted nothing from here is taken at its word: it may have been
        elsewhere.

        Raises:
            WordError: nobody, or several.
        """
        holders = self.holders()
        named = [holder for holder in holders if holder.name == text]
        digits = text.lower()
        if len(digits) >= LEAST_DIGITS and set(digits) <= set("0123456789abcdef"):
            named += [h for h in holders if h.author.hex().startswith(digits) and h not in named]
            if not named and len(digits) == 64:
                return Holder(bytes.fromhex(digits), "", ())
        able = [holder for holder in named if holder.roles] or named
        if len(able) == 1:
            return able[0]
        shown = able or [holder for holder in holders if holder.roles]
        listed = "".join(
            f"\n  {holder.author.hex()[:16]}  {holder.name}: {', '.join(holder.roles) or 'revoked'}"
            for holder in shown
        )
        if able:
            raise WordError(f"“{text}” means several peers; give more of the key:{listed}")
        whom = f" These were:{listed}" if listed else " Nobody was."
        raise WordError(f"Nobody called “{text}” was granted anything from here.{whom}")

    def _of(self, subject: bytes) -> list[Record]:
        return [record for record in self._file.read() if _granted(record).subject == subject]

    def _say(self, subject: bytes, roles: Sequence[str], name: str, stamp: Stamp) -> Record:
        """Sign a word on somebody and keep it.

        Raises:
            TrustError: peers would not keep it, or the grants file cannot be used.
        """
        said = len(self._file.read())
        if said >= MOST_WORDS - (SPARED_WORDS if roles else 0):
            raise TrustError(
                f"The swarm “{self.swarm}” has {said:,} grants and revocations, and its peers keep "
                f"{MOST_WORDS:,}: {'this grant' if roles else 'this revocation'} would count "
                "nowhere, and was not made. Make a new swarm (swarm init --name NAME), and invite "
                "into it whoever stays; to shut somebody out of this one, change its swarm key."
            )
        body = Grant(
            stamp=stamp, swarm=self.swarm, subject=subject, roles=list(roles), name=name[:MAX_NAME]
        )
        record = sign(body, self._key)
        self._file.add([record])
        return record


def owner_of(section: SwarmSection) -> Owner:
    """Return the owner, on the owner's machine.

    Raises:
        TrustError: this is not the owner's machine, or the key cannot be used.
    """
    public, path = section.owner_key(), section.owner_key_file
    if public is None or path is None or section.grants_file is None:
        what = "belongs to somebody else" if public else "is open and has no owner"
        raise TrustError(
            f"The swarm “{section.name}” {what}, as far as this configuration goes. `swarm init` "
            "makes an owned one; name its file with --config FILE or LEADERLESS_CONFIG=FILE."
        )
    key = _private_key(path)
    if _public(key) != public:
        raise TrustError(f"The key in {path} is not that of the owner whom the configuration names")
    return Owner(section.name, key, GrantsFile(section.grants_file, public, section.name))


def membership(
    section: SwarmSection, role: str, state_dir: Path | None, name: str = ""
) -> Membership:
    """Return what a peer of this machine brings along; on the owner's machine it is granted here.

    Args:
        section: the swarm.
        role: the peer's.
        state_dir: where its identity lives; None: it has none that lasts, and is granted nothing.
        name: what people call it; empty: as that folder.

    Raises:
        TrustError: a key or the grants file cannot be used.
    """
    public = section.owner_key()
    if public is None:
        return Membership()
    if section.grants_file is None:
        return Membership(public)
    file = GrantsFile(section.grants_file, public, section.name)
    if section.owner_key_file is not None and state_dir is not None and role != "observer":
        subject = _public(load_identity(state_dir / IDENTITY))
        try:
            owner_of(section).grant_own(subject, role, name or state_dir.name)
        except LostKeyError as error:
            if not _roster(file.read(), public).has_role(subject, role, _now_ms()):
                raise
            log.warning("owner_key_lost", meaning=str(error))
    return Membership(public, tuple(record.raw for record in file.read()))


def names_granted(section: SwarmSection, role: str) -> list[str]:
    """Return the names under which this machine joined with a role, the newest grant first.

    Raises:
        TrustError: the grants file cannot be used.
        IdentityError: an identity cannot be read.
    """
    public = section.owner_key()
    if public is None or section.grants_file is None or section.owner_key_file is not None:
        return []
    records = GrantsFile(section.grants_file, public, section.name).read()
    # Of two within one millisecond the later in the file is the newer.
    newest = {_granted(record).subject: (record.stamp, at) for at, record in enumerate(records)}
    return [
        holder.name
        for holder in sorted(
            _holders(records, public), key=lambda holder: newest[holder.author], reverse=True
        )
        if role in holder.roles
        and (path := folder_of(section.state_dir / "peers", holder.name) / IDENTITY).exists()
        # An identity may have been set aside for one that was invited later by the same name.
        and _public(load_identity(path)) == holder.author
    ]


def write_secret(path: Path, data: bytes) -> None:
    """Write a new file that only its owner reads.

    Raises:
        FileExistsError: there is one; it is left as it is.
        OSError: it cannot be written.
    """
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(handle, "wb") as target:
            target.write(data)
            target.flush()
            os.fsync(target.fileno())
    except OSError:
        path.unlink(missing_ok=True)
        raise


def _private_key(path: Path) -> Ed25519PrivateKey:
    try:
        mode = path.stat().st_mode
        with path.open("rb") as source:
            data = source.read(KEY_SIZE + 1)
    except OSError as error:
        raise LostKeyError(
            f"The owner's key {path} cannot be read: {error.strerror}. Put a copy of it back: "
            "without it nothing can be granted or revoked from here, not even to a new peer of "
            "this machine. What was granted before goes on."
        ) from None
    if os.name == "posix" and stat.S_IMODE(mode) & 0o077:
        raise TrustError(
            f"The owner's key {path} can be read by others. If nobody did: chmod 600 {path}"
        )
    if len(data) != KEY_SIZE:
        raise TrustError(
            f"{path} is no key: it has not {KEY_SIZE} bytes. Put a copy of the owner's key back; "
            "no other can take its place."
        )
    return Ed25519PrivateKey.from_private_bytes(data)


def _public(key: Ed25519PrivateKey) -> bytes:
    return key.public_key().public_bytes_raw()


def _granted(record: Record) -> Grant:
    assert isinstance(record.body, Grant), "a grants file holds nothing else"
    return record.body


def _stamps(records: Iterable[Record], now: int) -> list[Stamp]:
    """Return the stamps under which a word on somebody is the last one, now and for ever.

    Args:
        records: all earlier words on them.
        now: the time in ms.
    """
    stamps = sorted(record.stamp for record in records)
    latest = stamps[-1] if stamps else EPOCH
    so_far = max((stamp for stamp in stamps if stamp.ms <= now), default=EPOCH)
    found = [max(Stamp(now), Stamp(so_far.ms, so_far.counter + 1))]
    return found if latest.ms <= now else [*found, Stamp(latest.ms, latest.counter + 1)]


def _roster(records: Iterable[Record], owner: bytes) -> Roster:
    roster = Roster(owner)
    for record in records:
        roster.apply(record)
    return roster


def _holders(records: Iterable[Record], owner: bytes) -> list[Holder]:
    roster = _roster(records, owner)
    found = []
    for subject in roster.subjects():
        grant = roster.grant_of(subject, MAX_MS)
        assert grant is not None, "a subject has a grant"
        found.append(Holder(subject, grant.name, tuple(grant.roles)))
    return sorted(found, key=lambda holder: (holder.name, holder.author))


def _now_ms() -> int:
    return int(time.time() * 1000)
