"""A peer's author key: long-lived, Ed25519, in a file that only its user can read.

The functions that make such private folders and files are here too; the owner's keys use them.
"""

from __future__ import annotations

import hashlib
import os
from contextlib import suppress
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from swarm.config.secret_files import exposure

KEY_SIZE = 32
"""Bytes of an Ed25519 private key."""

DERIVED_DOMAIN = b"leaderless/derived/1\n"

IDENTITY_FILE = "identity.key"
"""Name of the key's file in a peer's state directory."""


class IdentityError(Exception):
    """The key cannot be read or created. The message says what to do."""


def load_identity(path: Path) -> Ed25519PrivateKey:
    """Return the key kept in a file; create one on first use.

    The file holds the 32 bytes of the private key and has mode 0600.

    Raises:
        IdentityError: the file cannot be read or written, other users can read it, or it holds
            something else.
    """
    try:
        make_private(path.parent)
        try:
            data = path.read_bytes()
        except FileNotFoundError:
            data = _create(path)
        exposed = exposure(path, "the private key")
    except OSError as error:
        raise IdentityError(
            f"Cannot keep this peer's key in {path}: {error.strerror or error}. "
            "Name a writable directory with --state-dir DIR."
        ) from error
    if len(data) != KEY_SIZE:
        raise IdentityError(
            f"{path} is not a key file: it should be {KEY_SIZE} bytes long and has {len(data)}. "
            "Move it away to get a new identity, or put the right file back."
        )
    if exposed:
        raise IdentityError(f"{exposed}  (otherwise move it away, to get a new key)")
    return Ed25519PrivateKey.from_private_bytes(data)


def make_private(folder: Path) -> None:
    """Create a folder, and its missing parents, for this user only.

    Raises:
        OSError: the folder cannot be created, or something else is in its place.
    """
    for path in (*reversed(folder.parents), folder):
        # Not `mkdir(parents=True)`: it gives the parents the permissions of the umask.
        if not path.is_dir():
            path.mkdir(mode=0o700, exist_ok=True)


def file_name(name: str) -> str:
    """Return a file name for a peer's or swarm's name, whatever characters that has.

    Different names get different file names.
    """
    return _named(name, hashlib.sha256(name.encode(errors="surrogatepass")).hexdigest()[:16])


def folder_of(parent: Path, name: str) -> Path:
    """Return the folder for a name. A folder made by an earlier version stays in use.

    In that version, names in a script other than ASCII shared a folder if their first few letters
    were the same.
    """
    folder = parent / file_name(name)
    if folder.exists():
        return folder
    earlier = parent / _named(name, name.encode(errors="surrogatepass").hex()[:16])
    return earlier if earlier.exists() else folder


def identities_in(state_dir: Path) -> set[bytes]:
    """Return the public keys of all peers with an identity in a state directory.

    Files that cannot be read are left out.
    """
    found = set()
    for pattern in (f"*/{IDENTITY_FILE}", f"peers/*/{IDENTITY_FILE}"):
        for path in state_dir.glob(pattern):
            with suppress(OSError, ValueError):
                key = Ed25519PrivateKey.from_private_bytes(path.read_bytes())
                found.add(public_key_of(key))
    return found


def public_key_of(key: Ed25519PrivateKey) -> bytes:
    """Return the 32 bytes of a key's public half: the author id in records."""
    return key.public_key().public_bytes_raw()


def derived_secret(key: Ed25519PrivateKey, purpose: bytes) -> bytes:
    """Return 32 secret bytes that only the holder of a key can derive, others for each purpose.

    They tell nothing about the key. BLAKE2b is keyed with the private key; `DERIVED_DOMAIN` and the
    purpose are its message.
    """
    return hashlib.blake2b(
        DERIVED_DOMAIN + purpose, key=key.private_bytes_raw(), digest_size=32
    ).digest()


def write_secret(path: Path, data: bytes) -> None:
    """Write a new file that only this user can read.

    Raises:
        FileExistsError: the file exists; it is left as it is.
        OSError: the file cannot be written.
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


def _named(name: str, mark: str) -> str:
    plain = "".join(c if c.isascii() and (c.isalnum() or c in "-_") else "-" for c in name)
    return plain if plain and plain == name else f"{plain[:32]}-{mark}"


def _create(path: Path) -> bytes:
    """Write a new key; if another process was first, return the key it wrote."""
    data = Ed25519PrivateKey.generate().private_bytes_raw()
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    draft.unlink(missing_ok=True)
    write_secret(draft, data)
    try:
        # A link appears whole or not at all, and never replaces an existing key.
        os.link(draft, path)
    except FileExistsError:
        return path.read_bytes()
    finally:
        draft.unlink(missing_ok=True)
    return data
