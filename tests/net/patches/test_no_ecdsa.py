"""libp2p imports without `fastecdsa`, and asking it for an ECDSA key says what is missing."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

USE_IT = """
import importlib.machinery, json, sys
find = importlib.machinery.PathFinder.find_spec
importlib.machinery.PathFinder.find_spec = lambda name, *rest: (
    None if name.partition(".")[0] == "fastecdsa" else find(name, *rest)
)
import swarm.net
import libp2p.crypto.ecc as ecc
import libp2p.crypto.key_exchange
from libp2p.crypto.serialization import deserialize_public_key
said = {}
for name, use in {
    "new": lambda: ecc.create_new_key_pair("P-256"),
    "read": lambda: ecc.ECCPublicKey.from_bytes(bytes(65), "P-256"),
    "length": lambda: libp2p.crypto.key_exchange.int_bytelen(256),
}.items():
    try:
        use()
    except NotImplementedError as error:
        said[name] = f"{type(error).__name__}: {error}"
try:
    deserialize_public_key(bytes([8, 3, 18, 1, 0]))  # key type 3: ECDSA
except Exception as error:
    said["remote"] = type(error).__name__
print(json.dumps(said))
"""


@pytest.fixture(scope="module")
def errors() -> dict[str, str]:
    """What a process without `fastecdsa` raises, by what it tried."""
    done = subprocess.run(
        [sys.executable, "-c", USE_IT], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    answer: dict[str, str] = json.loads(done.stdout)
    return answer


@pytest.mark.parametrize("use", ["new", "read", "length"])
def test_using_an_ecdsa_key_names_the_missing_package(errors: dict[str, str], use: str) -> None:
    """Making or reading an ECDSA key raises an error that names what to install."""
    assert errors[use].startswith("EcdsaUnavailableError: ECDSA keys need the package fastecdsa")


def test_a_remote_ecdsa_key_is_refused_as_before(errors: dict[str, str]) -> None:
    """libp2p never reads ECDSA keys of remote peers, so a handshake meets its usual error."""
    assert errors["remote"] == "MissingDeserializerError"
