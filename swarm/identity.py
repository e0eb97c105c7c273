"""A peer's author key: long-lived, Ed25519, in a file that only its owner reads."""

from __future__ import annotations

import os
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
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
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


def file_name(name: str) -> str:
    """Return a file name for a peer's name, whatever characters it has."""
    plain = "".join(c if c.isascii() and (c.isalnum() or c in "-_") else "-" for c in name)
    return plain if plain == name else f"{plain[:32]}-{name.encode().hex()[:16]}"


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
