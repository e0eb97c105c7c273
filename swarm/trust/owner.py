"""The owner of a swarm: grants and revokes roles with the owner's key.

Only the machine that ran `swarm init` has that key. What the owner signs is kept in the grants file
(`swarm.trust.grants`) and reaches the other peers by gossip.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from swarm.config.secret_files import exposure
from swarm.core.clock import EPOCH, MAX_MS, Stamp
from swarm.core.records import Grant, Record, sign
from swarm.core.store.limits import Limits
from swarm.trust.grants import (
    BadNameError,
    Grantee,
    GrantsFile,
    LostKeyError,
    TrustError,
    granted,
    grantees,
    now_ms,
    roster_of,
)
from swarm.trust.identity import KEY_SIZE, public_key_of
from swarm.trust.invite import MAX_NAME, Invite, is_name

if TYPE_CHECKING:
    from swarm.config import SwarmSection

BACKDATE_MS = 10 * 60 * 1000
"""How far before now the grant of a fresh key begins, so that a machine whose clock is behind the
owner's can publish at once. Nothing was signed with that key before, so this lets nothing in."""

MAX_GRANTS = Limits().records_of_submitter
"""Grants and revocations of one owner that peers keep: any further one would reach no peer."""

RESERVED_FOR_REVOCATIONS = 200
"""How many of `MAX_GRANTS` only revocations may use: revoking must never fail for lack of room, and
a swarm has fewer peers than that."""

MIN_KEY_DIGITS = 4
"""Hex digits of a key that are enough to look it up."""


class Owner:
    """Grants roles in a swarm: the owner's key, and all that was granted with it."""

    def __init__(self, swarm: str, key: Ed25519PrivateKey, file: GrantsFile) -> None:
        """Act as the owner of a swarm."""
        self.swarm = swarm
        self.public = public_key_of(key)
        self._key = key
        self._file = file

    def grantees(self) -> list[Grantee]:
        """Return all peers that were ever granted anything, sorted by name.

        Raises:
            TrustError: the grants cannot be read.
        """
        return grantees(self._file.read(), self.public)

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
            roles: at least one of `swarm.core.roles.ROLES`.
            name: the new peer's name; None: the first role and a few digits of the key.
            swarm_key: 64 hex digits.
            addresses: multiaddresses the new peer dials.

        Raises:
            BadNameError: the name is invalid or taken.
            TrustError: the grants file cannot be used.
        """
        identity = Ed25519PrivateKey.generate()
        subject = public_key_of(identity)
        name = f"{roles[0]}-{subject.hex()[:4]}" if name is None else name
        if not is_name(name):
            raise BadNameError(f"A peer's name has 1 to {MAX_NAME} printable characters.")
        with self._file.lock():
            for grantee in self.grantees():
                if grantee.name == name and grantee.roles:
                    raise BadNameError(
                        f"There is already a peer named {name}, with the key "
                        f"{grantee.author.hex()[:8]}. Give the new peer another --name, or revoke "
                        f"the other one first: swarm revoke {name}"
                    )
            stamp = Stamp(now_ms() - BACKDATE_MS)
            grant = self._sign(subject, roles, name, stamp)
        return Invite(
            self.swarm,
            self.public,
            bytes.fromhex(swarm_key),
            identity.private_bytes_raw(),
            grant,
            tuple(addresses),
        )

    def grant_own(self, subject: bytes, role: str, name: str) -> None:
        """Make sure that a peer of this machine has a role from now on, unless it was revoked.

        A grant in the future, stamped while a clock ran ahead, is not enough: another is stamped
        now.

        Raises:
            TrustError: the grants file cannot be used.
        """
        now = now_ms()
        with self._file.lock():
            records = self._of(subject)
            roster = roster_of(records, self.public)
            known = [grant for ms in (now, MAX_MS) if (grant := roster.grant_of(subject, ms))]
            if any(not grant.roles for grant in known):
                return
            roles = list(dict.fromkeys([*(r for grant in known for r in grant.roles), role]))
            called = known[-1].name if known else name
            for stamp in _stamps(records, now):
                if not roster.has_role(subject, role, stamp.ms):
                    self._sign(subject, roles, called, stamp)

    def revoke(self, grantee: Grantee) -> list[Record]:
        """Take all roles from a peer, and return the records that do so.

        The first record takes effect now. If a clock that ran ahead had stamped a grant of the peer
        in the future, a second record supersedes that grant.

        Raises:
            TrustError: the grants file cannot be used.
        """
        now = now_ms()
        with self._file.lock():
            records = self._of(grantee.author)
            last = max(records, key=lambda record: record.key, default=None)
            if last is not None and last.stamp.ms <= now and not granted(last).roles:
                # Already revoked: publish the same record once more.
                return [last]
            return [
                self._sign(grantee.author, [], grantee.name, stamp)
                for stamp in _stamps(records, now)
            ]

    def find(self, text: str) -> Grantee:
        """Return the peer with a name, a key, or a key that begins with the given digits.

        A whole key is accepted even if this machine granted it nothing: another copy of the owner's
        key may have.

        Raises:
            BadNameError: no peer fits, or several do.
        """
        everyone = self.grantees()
        fitting = [grantee for grantee in everyone if grantee.name == text]
        digits = text.lower()
        if len(digits) >= MIN_KEY_DIGITS and set(digits) <= set("0123456789abcdef"):
            fitting += [
                g for g in everyone if g.author.hex().startswith(digits) and g not in fitting
            ]
            if not fitting and len(digits) == 64:
                return Grantee(bytes.fromhex(digits), "", ())
        active = [grantee for grantee in fitting if grantee.roles] or fitting
        if len(active) == 1:
            return active[0]
        shown = active or [grantee for grantee in everyone if grantee.roles]
        listed = "".join(
            f"\n  {g.author.hex()[:16]}  {g.name}: {', '.join(g.roles) or 'revoked'}" for g in shown
        )
        if active:
            raise BadNameError(f"“{text}” fits several peers; give more digits of the key:{listed}")
        others = f" These peers have roles:{listed}" if listed else " No peer has a role."
        raise BadNameError(f"This machine has not granted anything to a peer “{text}”.{others}")

    def _of(self, subject: bytes) -> list[Record]:
        return [record for record in self._file.read() if granted(record).subject == subject]

    def _sign(self, subject: bytes, roles: Sequence[str], name: str, stamp: Stamp) -> Record:
        """Sign a grant, or a revocation if there are no roles, and keep it in the grants file.

        Raises:
            TrustError: peers would not keep the record, or the grants file cannot be used.
        """
        count = len(self._file.read())
        if count >= MAX_GRANTS - (RESERVED_FOR_REVOCATIONS if roles else 0):
            raise TrustError(
                f"The swarm “{self.swarm}” has {count:,} grants and revocations, and its peers "
                f"keep at most {MAX_GRANTS:,}. This {'grant' if roles else 'revocation'} would "
                "have no effect and was not made. Make a new swarm (swarm init --name NAME) and "
                "invite everyone who stays into it. To shut a peer out of this swarm, change the "
                "swarm key."
            )
        body = Grant(
            stamp=stamp, swarm=self.swarm, subject=subject, roles=list(roles), name=name[:MAX_NAME]
        )
        record = sign(body, self._key)
        self._file.add([record])
        return record


def owner_of(section: SwarmSection) -> Owner:
    """Return the swarm's owner, on the owner's machine.

    Raises:
        TrustError: this is not the owner's machine, or the key cannot be used.
    """
    public, path = section.owner_key(), section.owner_key_file
    if public is None or path is None or section.grants_file is None:
        what = "belongs to another owner" if public else "is open and has no owner"
        raise TrustError(
            f"According to this configuration, the swarm “{section.name}” {what}. `swarm init` "
            "makes an owned swarm; name its file with --config FILE or LEADERLESS_CONFIG=FILE."
        )
    key = _private_key(path)
    if public_key_of(key) != public:
        raise TrustError(
            f"The key in {path} does not belong to the owner that the configuration names."
        )
    return Owner(section.name, key, GrantsFile(section.grants_file, public, section.name))


def _private_key(path: Path) -> Ed25519PrivateKey:
    try:
        exposed = exposure(path, "the owner's key")
        with path.open("rb") as source:
            data = source.read(KEY_SIZE + 1)
    except OSError as error:
        raise LostKeyError(
            f"The owner's key {path} cannot be read: {error.strerror}. Restore a copy: without it "
            "this machine cannot grant or revoke anything, not even for its own new peers. "
            "Earlier grants stay valid."
        ) from None
    if exposed:
        raise TrustError(exposed)
    if len(data) != KEY_SIZE:
        raise TrustError(
            f"{path} is not a key file: it should be {KEY_SIZE} bytes long. Restore a copy of the "
            "owner's key; no other key can replace it."
        )
    return Ed25519PrivateKey.from_private_bytes(data)


def _stamps(records: Iterable[Record], now: int) -> list[Stamp]:
    """Return the stamps a new grant needs in order to be a peer's last one, now and later.

    Args:
        records: all earlier grants and revocations of the peer.
        now: the time in ms since the epoch.
    """
    stamps = sorted(record.stamp for record in records)
    latest = stamps[-1] if stamps else EPOCH
    so_far = max((stamp for stamp in stamps if stamp.ms <= now), default=EPOCH)
    found = [max(Stamp(now), Stamp(so_far.ms, so_far.counter + 1))]
    return found if latest.ms <= now else [*found, Stamp(latest.ms, latest.counter + 1)]
