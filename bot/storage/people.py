"""People as the swarm knows them: keyed hashes that only this bot can compute.

The key stays in the bot's state directory. Without it nobody can find out whose vote a record
holds, not even by trying all of Discord's ids. A person has a different hash in each server.
"""

from __future__ import annotations

import hmac
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from swarm.trust.identity import load_identity

_DOMAIN = b"leaderless/person/1\n"


class People:
    """Turns Discord's ids into keyed hashes."""

    def __init__(self, key: bytes) -> None:
        self._key = key

    @classmethod
    def load(cls, path: Path | None) -> People:
        """Read the key from a file, or create it; None makes a key for this run only.

        Raises:
            IdentityError: the file cannot be read or written.
        """
        key = Ed25519PrivateKey.generate() if path is None else load_identity(path)
        return cls(key.private_bytes_raw())

    def hash(self, guild: int, user: int) -> bytes:
        """Return a person's hash in a server, 32 bytes."""
        return hmac.digest(self._key, _DOMAIN + f"{guild}/{user}".encode(), "sha256")
