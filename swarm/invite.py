"""The line that lets another machine into an owned swarm: one word to paste, and what it holds.

An invite is text, `leaderless-invite-1-` and base64: length-prefixed fields and a checksum. It
carries the swarm's key and a fresh private key, so whoever reads it can be that peer: it is a
secret until it is used, and is handed to one machine only. Nothing in here touches the disk or the
network (`swarm.trust` does the first, nobody needs the second).
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from swarm.core.records import Grant, Record, RecordError, decode

PREFIX = "leaderless-invite-"
VERSION = 1

ALPHABET_END = b"._"
"""The last two of base64's letters: safe in URLs as `-` and `_` are, but a piece of a wrapped
invite that began with `-` would be taken for an option."""

CHECKSUM_BYTES = 8
"""Of the SHA-256 over prefix and fields: tells a slip of the mouse, not a forger, who would have
to sign a grant as the owner."""

MAX_CHARACTERS = 16_384
"""Of an invite; a usual one has below 1,000, which terminals take as one line."""

MAX_ADDRESSES = 16
"""Addresses to dial in one invite; a peer dials three or four."""

MAX_NAME = 64
"""Characters of a swarm's or peer's name: what a record holds."""

_ADDRESS = re.compile(
    r"/(?:ip4/[0-9.]{7,15}|ip6/[0-9A-Fa-f:.]{2,45}|dns[46]?/[A-Za-z0-9._-]{1,253})"
    r"/tcp/[0-9]{1,5}(?:/p2p/[A-Za-z0-9]{1,128})?"
)


class InviteError(ValueError):
    """A text is no invite that can be used. The message is for people and repeats none of it."""


@dataclass(frozen=True, slots=True)
class Invite:
    """What another machine needs to be a peer.

    Attributes:
        swarm: the swarm's name.
        owner: public key of its owner.
        swarm_key: the secret all members share, 32 bytes.
        identity: the new peer's private key, 32 bytes.
        grant: the owner's record that says what this key may do.
        addresses: multiaddresses to dial.
    """

    swarm: str
    owner: bytes
    swarm_key: bytes = field(repr=False)
    identity: bytes = field(repr=False)
    grant: Record
    addresses: tuple[str, ...] = ()

    @property
    def author(self) -> bytes:
        """The new peer's public key."""
        return Ed25519PrivateKey.from_private_bytes(self.identity).public_key().public_bytes_raw()

    @property
    def name(self) -> str:
        """What the owner calls the new peer."""
        return self._granted.name

    @property
    def roles(self) -> tuple[str, ...]:
        """What it may do."""
        return tuple(self._granted.roles)

    @property
    def _granted(self) -> Grant:
        assert isinstance(self.grant.body, Grant), "checked when it was read"
        return self.grant.body


def encode(invite: Invite) -> str:
    """Return an invite as one line without blanks."""
    fields = [
        invite.swarm.encode(),
        invite.owner,
        invite.swarm_key,
        invite.identity,
        invite.grant.raw,
        *(address.encode() for address in invite.addresses),
    ]
    packed = b"".join(len(part).to_bytes(2, "big") + part for part in fields)
    sealed = packed + _checksum(packed)
    return f"{PREFIX}{VERSION}-{base64.b64encode(sealed, ALPHABET_END).decode().rstrip('=')}"


def read(text: str) -> Invite:
    """Read an invite; line breaks and blanks that came in on the way are ignored.

    Raises:
        InviteError: it cannot be used; the message says why, and what to do.
    """
    word = "".join(text.split()).strip("\"'<>")
    if len(word) > MAX_CHARACTERS:
        raise InviteError("This is far too long to be an invite.")
    found = re.fullmatch(rf"{PREFIX}(\d{{1,4}})-(.*)", word)
    if found is None:
        raise InviteError(
            f"This is no invite: one is a long word that begins with {PREFIX}{VERSION}-. The owner "
            "of the swarm makes one with `swarm invite --role ROLE`."
        )
    version = int(found[1])
    if version != VERSION:
        whose = "an older" if version < VERSION else "a newer"
        todo = "Ask for a new one." if version < VERSION else "Update leaderless on this machine."
        raise InviteError(
            f"This invite was made by {whose} version of leaderless (format {version}; this one "
            f"reads {VERSION}). {todo}"
        )
    try:
        sealed = base64.b64decode(
            found[2] + "=" * (-len(found[2]) % 4), ALPHABET_END, validate=True
        )
    except (binascii.Error, ValueError):
        raise _damaged() from None
    packed, checksum = sealed[:-CHECKSUM_BYTES], sealed[-CHECKSUM_BYTES:]
    if len(sealed) <= CHECKSUM_BYTES or _checksum(packed) != checksum:
        raise _damaged()
    return _checked(_fields(packed))


def is_name(text: str) -> bool:
    """Return whether a text can name a swarm or a peer: 1 to 64 printable characters."""
    return 0 < len(text) <= MAX_NAME and text.isprintable() and text == text.strip()


def is_address(text: str) -> bool:
    """Return whether a text is a multiaddress that can be dialled."""
    return _ADDRESS.fullmatch(text) is not None


def check_addresses(addresses: Iterable[str]) -> tuple[str, ...]:
    """Return addresses as an invite takes them.

    Raises:
        InviteError: one cannot be dialled, or there are too many.
    """
    unique = tuple(dict.fromkeys(addresses))
    for address in unique:
        if not is_address(address):
            raise InviteError(
                f"“{address}” is no address that can be dialled; write it like "
                "/ip4/192.168.1.7/tcp/7400 or /dns4/host.example/tcp/7400."
            )
    if len(unique) > MAX_ADDRESSES:
        raise InviteError(f"{len(unique)} addresses; an invite takes {MAX_ADDRESSES}.")
    return unique


def _checksum(packed: bytes) -> bytes:
    return hashlib.sha256(f"{PREFIX}{VERSION}\n".encode() + packed).digest()[:CHECKSUM_BYTES]


def _damaged() -> InviteError:
    return InviteError(
        "This invite is cut off or damaged. Copy the whole line once more, from "
        f"{PREFIX}{VERSION}- to its last letter."
    )


def _fields(packed: bytes) -> list[bytes]:
    found, at = [], 0
    while at < len(packed):
        size = int.from_bytes(packed[at : at + 2], "big")
        part = packed[at + 2 : at + 2 + size]
        if len(part) != size:
            raise _wrong("its parts do not add up")
        found.append(part)
        at += 2 + size
    return found


def _checked(fields: list[bytes]) -> Invite:
    """Return the fields as an invite that holds together, whoever made it."""
    if not 5 <= len(fields) <= 5 + MAX_ADDRESSES:
        raise _wrong("its parts are not those of an invite")
    try:
        swarm = fields[0].decode()
        addresses = check_addresses(part.decode() for part in fields[5:])
        grant = decode(fields[4])
    except UnicodeDecodeError:
        raise _wrong("its texts cannot be read") from None
    except RecordError as error:
        raise _wrong(f"its grant is not valid: {error}") from None
    if not is_name(swarm) or any(len(part) != 32 for part in fields[1:4]):
        raise _wrong("its parts are not those of an invite")
    invite = Invite(swarm, fields[1], fields[2], fields[3], grant, addresses)
    body = grant.body
    if not (
        isinstance(body, Grant)
        and grant.author == invite.owner
        and body.swarm == swarm
        and body.subject == invite.author
        and body.roles
        and is_name(body.name)
    ):
        raise _wrong("its grant is for another peer or swarm")
    return invite


def _wrong(why: str) -> InviteError:
    return InviteError(f"This invite was not made rightly: {why}. Ask for a new one.")
