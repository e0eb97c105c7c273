"""A peer's author key: long-lived, Ed25519, in a file that only its owner reads."""

from __future__ import annotations

import hashlib
import os
from contextlib import suppress
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

KEY_SIZE = 32


class IdentityError(Exception):
    """The key cannot be read or made. The message says what to do."""


def load_identity(path: Path) -> Ed25519PrivateKey:
    """Return the key kept in a file; make one on the first use.

    The file holds the 32 bytes of the private key and has mode 0600.

    Raises:
        IdentityError: the file cannot be read or written, or holds something else.
    """
    try:
        make_private(path.parent)
        try:
            data = path.read_bytes()
        except FileNotFoundError:
            data = _create(path)
    except OSError as error:
        raise IdentityError(
            f"Cannot keep this peer's key in {path}: {error.strerror or error}. "
            "Give it a writable directory with --state-dir."
        ) from error
    if len(data) != KEY_SIZE:
        raise IdentityError(
            f"{path} is no key file ({len(data)} bytes, not {KEY_SIZE}). Move it away to get a new "
            "identity, or put back the right file."
        )
    return Ed25519PrivateKey.from_private_bytes(data)


def make_private(folder: Path) -> None:
    """Make a folder, and those above it that are not there, for this user only.

    Raises:
        OSError: it cannot be made, or something else is in its place.
    """
    for path in (*reversed(folder.parents), folder):
        # Not `mkdir(parents=True)`, which opens those above to whomever the umask lets in.
        if not path.is_dir():
            path.mkdir(mode=0o700, exist_ok=True)


def file_name(name: str) -> str:
    """Return a file name for a peer's or swarm's name, whatever characters it has.

    Different names have different ones.
    """
    return _named(name, hashlib.sha256(name.encode(errors="surrogatepass")).hexdigest()[:16])


def folder_of(parent: Path, name: str) -> Path:
    """Return the folder for a name; one that an earlier version made is kept.

    Names that began with the same few letters of another script shared one then.
    """
    folder = parent / file_name(name)
    if folder.exists():
        return folder
    earlier = parent / _named(name, name.encode(errors="surrogatepass").hex()[:16])
    return earlier if earlier.exists() else folder


def identities_in(state_dir: Path) -> set[bytes]:
    """Return the public keys of the peers that have lived in a state directory.

    What cannot be read is left out.
    """
    found = set()
    for pattern in ("*/identity.key", "peers/*/identity.key"):
        for path in state_dir.glob(pattern):
            with suppress(OSError, ValueError):
                key = Ed25519PrivateKey.from_private_bytes(path.read_bytes())
                found.add(key.public_key().public_bytes_raw())
    return found


def _named(name: str, mark: str) -> str:
    plain = "".join(c if c.isascii() and (c.isalnum() or c in "-_") else "-" for c in name)
    return plain if plain and plain == name else f"{plain[:32]}-{mark}"


def _create(path: Path) -> bytes:
    """Write a new key; if another process was first, return that one's."""
    data = Ed25519PrivateKey.generate().private_bytes_raw()
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    draft.unlink(missing_ok=True)
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        os.write(handle, data)
        os.fsync(handle)
    finally:
        os.close(handle)
    try:
        # A link appears whole or not at all, and never replaces a key that is there.
        os.link(draft, path)
    except FileExistsError:
        return path.read_bytes()
    finally:
        draft.unlink(missing_ok=True)
    return data
