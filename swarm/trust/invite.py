"""Invites: one line of text to paste, with all that another machine needs to join an owned swarm.

An invite is `leaderless-invite-1-` followed by base64 of length-prefixed fields and a checksum. It
carries the swarm's key and a fresh private key, so anyone who reads it can act as that peer: it is
a secret until it is used, and goes to one machine only. Nothing here touches the disk or the
network: `swarm.trust.owner` makes the grant in an invite, `swarm.trust.folder` writes what it
carries to disk.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from swarm.core.records import Grant, Record, RecordError, decode
from swarm.net.addresses import is_dialable, is_listenable, is_plain

PREFIX = "leaderless-invite-"
VERSION = 1

ALPHABET_END = b"._"
"""The last two letters of the base64 alphabet. They are safe in URLs, as the usual `-` and `_` are,
but a piece of a wrapped invite that began with `-` would be taken for an option."""

CHECKSUM_BYTES = 8
"""Bytes of the checksum, a SHA-256 over prefix and fields. It detects copying mistakes; it need not
stop a forger, who would have to sign a grant as the owner."""

MAX_CHARACTERS = 16_384
"""Most characters of an invite. A usual one has fewer than 1,000, which terminals accept as one
line."""

MAX_ADDRESSES = 16
"""Most addresses to dial in one invite; a peer dials three or four."""

MAX_NAME = 64
"""Most characters of a swarm's or peer's name: what a record can hold."""

MAX_READ = 4 * MAX_CHARACTERS
"""Most characters searched for an invite's end. Line breaks and quote marks add to its length."""

MAX_PIECES = 1_024
"""Most lines into which an invite may be wrapped: the longest invite at 16 letters a line."""

MAX_CLOSING = 4
"""Most full stops and underscores right after an invite; they are in its alphabet too."""

# Mail and chats also break lines at hyphens, quote them with ">", capitalise the first letter, and
# turn hyphens into dashes ("–").
_BEGINNING = re.compile(
    r"[\s>]*".join("[-\u2010-\u2015]" if letter == "-" else letter for letter in PREFIX)
    + r"[\s>]*(\d{1,4})[\s>]*[-\u2010-\u2015]",
    re.IGNORECASE,
)
_PIECE = re.compile(r"[A-Za-z0-9._]+")


class InviteError(ValueError):
    """A text is not a usable invite. The message is shown to the user and repeats none of it."""


@dataclass(frozen=True, slots=True)
class Invite:
    """What another machine needs to join a swarm as a peer.

    Attributes:
        swarm: the swarm's name.
        owner: public key of its owner.
        swarm_key: the secret that all members share, 32 bytes.
        identity: the new peer's private key, 32 bytes.
        grant: the owner's record that grants roles to this key.
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
        """The name that the owner gave the new peer."""
        return self._granted.name

    @property
    def roles(self) -> tuple[str, ...]:
        """The roles that the new peer is granted."""
        return tuple(self._granted.roles)

    @property
    def _granted(self) -> Grant:
        assert isinstance(self.grant.body, Grant), "checked when it was read"
        return self.grant.body


def encode(invite: Invite) -> str:
    """Return an invite as one line without spaces."""
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
    """Find and read the invite in a pasted text.

    What mail and chats do to a line is undone: text before and after it, line breaks, quotation
    marks, Markdown, ">" quoting, invisible characters.

    Raises:
        InviteError: there is no usable invite; the message says why and what to do.
    """
    shown = "".join(char for char in text if unicodedata.category(char) != "Cf")
    found = _BEGINNING.search(shown)
    if found is None:
        if len(text) > MAX_CHARACTERS:
            raise InviteError("This is far too long to be an invite.")
        raise InviteError(
            f"This is not an invite. An invite is one long word that begins with "
            f"{PREFIX}{VERSION}-; the owner of the swarm makes one with `swarm invite --role ROLE`."
        )
    version = int(found[1])
    if version != VERSION:
        whose = "an older" if version < VERSION else "a newer"
        todo = (
            "Ask the owner for a new one."
            if version < VERSION
            else "Update Leaderless on this machine."
        )
        raise InviteError(
            f"This invite was made by {whose} version of Leaderless (it has format {version}; this "
            f"version reads {VERSION}). {todo}"
        )
    packed = _sealed(shown[found.end() :])
    if packed is None:
        raise InviteError(
            "This invite is incomplete or damaged. Copy the whole line again, from "
            f"{PREFIX}{VERSION}- to its last letter."
        )
    return _checked(_fields(packed))


def _sealed(text: str) -> bytes | None:
    """Return the packed fields of the invite that a text begins with; None if no checksum fits.

    The end of an invite is not marked, and a word or full stop after it has the same alphabet: only
    the checksum shows where it ends.
    """
    pieces = _PIECE.findall(text[:MAX_READ])
    letters, ends = "", []
    for piece in pieces[:MAX_PIECES]:
        letters += piece
        ends.append(len(letters))
    for end in ends:
        for closing in range(min(MAX_CLOSING, end) + 1):
            if closing and letters[end - closing] not in "._":
                break
            packed = _opened(letters[: end - closing])
            if packed is not None:
                return packed
    return None


def _opened(letters: str) -> bytes | None:
    """Return the packed fields in a base64 text; None if the checksum does not fit."""
    if len(letters) > MAX_CHARACTERS:
        return None
    try:
        sealed = base64.b64decode(letters + "=" * (-len(letters) % 4), ALPHABET_END, validate=True)
    except (binascii.Error, ValueError):
        return None
    packed, checksum = sealed[:-CHECKSUM_BYTES], sealed[-CHECKSUM_BYTES:]
    return packed if packed and _checksum(packed) == checksum else None


def is_name(text: str) -> bool:
    """Return whether a text can name a swarm or a peer: 1 to 64 printable characters."""
    return 0 < len(text) <= MAX_NAME and text.isprintable() and text == text.strip()


def check_addresses(addresses: Iterable[str]) -> tuple[str, ...]:
    """Return the addresses to dial in an invite, without duplicates.

    Raises:
        InviteError: an address cannot be dialled, or there are too many.
    """
    return _unique(
        addresses,
        is_dialable,
        "is not an address that can be dialled; write it like /ip4/192.168.1.7/tcp/7400 or "
        "/dns4/host.example/tcp/7400.",
    )


def check_listen(addresses: Iterable[str]) -> tuple[str, ...]:
    """Return the addresses to listen on, without duplicates.

    Raises:
        InviteError: a text is not an address, or there are too many.
    """
    return _unique(
        addresses,
        is_listenable,
        "is not an address to listen on; write it like /ip4/0.0.0.0/tcp/7400 (all of this "
        "machine) or "
        "/ip4/192.168.1.7/tcp/7400.",
    )


def _unique(addresses: Iterable[str], good: Callable[[str], bool], trouble: str) -> tuple[str, ...]:
    unique = tuple(dict.fromkeys(addresses))
    for address in unique:
        if not good(address):
            raise InviteError(f"“{address}” {trouble}")
    if len(unique) > MAX_ADDRESSES:
        raise InviteError(
            f"There are {len(unique)} addresses; an invite can carry {MAX_ADDRESSES}.",
        )
    return unique


def _checksum(packed: bytes) -> bytes:
    return hashlib.sha256(f"{PREFIX}{VERSION}\n".encode() + packed).digest()[:CHECKSUM_BYTES]


def _fields(packed: bytes) -> list[bytes]:
    found, at = [], 0
    while at < len(packed):
        size = int.from_bytes(packed[at : at + 2], "big")
        part = packed[at + 2 : at + 2 + size]
        if len(part) != size:
            raise _wrong("its fields are cut off")
        found.append(part)
        at += 2 + size
    return found


def _checked(fields: list[bytes]) -> Invite:
    """Return the fields as an invite, checked for consistency, because anyone can have made it."""
    if not 5 <= len(fields) <= 5 + MAX_ADDRESSES:
        raise _wrong("it does not have the fields of an invite")
    try:
        swarm = fields[0].decode()
        # An earlier version allowed addresses that cannot be dialled; they do no harm.
        addresses = _unique((part.decode() for part in fields[5:]), is_plain, "is not an address.")
        grant = decode(fields[4])
    except UnicodeDecodeError:
        raise _wrong("its text is not UTF-8") from None
    except RecordError as error:
        raise _wrong(f"its grant is not valid: {error}") from None
    if not is_name(swarm) or any(len(part) != 32 for part in fields[1:4]):
        raise _wrong("it does not have the fields of an invite")
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
    return InviteError(f"This invite is invalid: {why}. Ask the owner for a new one.")
