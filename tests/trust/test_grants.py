"""The grants file: a damaged one is refused with a message."""

from __future__ import annotations

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from swarm.config import SwarmSection
from swarm.core.clock import Stamp
from swarm.core.records import Grant, sign
from swarm.trust.grants import TrustError
from swarm.trust.identity import load_identity
from swarm.trust.membership import membership


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("no hex", "line 1 is not a record"),
        ("ab" * 200, "line 1 is not a record"),
        ("é", "it is not text"),
        ("STRANGER", "line 1 is not a grant by the owner"),
        ("OTHER SWARM", "line 1 is not a grant by the owner"),
    ],
)
def test_a_damaged_grants_file_is_a_message(owned: SwarmSection, line: str, said: str) -> None:
    """Anything but a grant by this owner is refused, and the message names the line."""
    assert owned.grants_file is not None
    assert owned.owner_key_file is not None
    key = load_identity(owned.owner_key_file)
    own = key.public_key().public_bytes_raw()
    if line == "STRANGER":
        key, name = Ed25519PrivateKey.generate(), "school"
    else:
        name = "other"
    if line.isupper():
        line = sign(Grant(stamp=Stamp(1), swarm=name, subject=own, roles=[]), key).raw.hex()
    owned.grants_file.write_text(f"{line}\n")
    with pytest.raises(TrustError, match=said):
        membership(owned, "observer", None)
