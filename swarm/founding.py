"""The folder of an owned swarm: `swarm init` makes the owner's, `swarm join` everybody else's.

What is in it: the configuration, the keys (only their owner may read them), the grants file of
`swarm.trust` and the state of the peers.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from swarm.identity import file_name
from swarm.invite import MAX_NAME, Invite, is_name
from swarm.trust import IDENTITY, WORKERS, GrantsFile, TrustError, write_secret

CONFIG, OWNER_KEY, SWARM_KEY = "swarm.toml", "owner.key", "swarm.key"
GRANTS, STATE = "grants", "state"
"""Names in the folder."""


def found(folder: Path, name: str, listen: Sequence[str] = ()) -> bytes:
    """Make an owned swarm in a folder and return its owner's public key.

    Args:
        folder: for the keys, the configuration and the state; made if it is not there.
        name: the swarm's.
        listen: multiaddresses where its peers listen; none: on this machine only.

    Raises:
        TrustError: there is a swarm already, or the folder cannot be written.
    """
    if not is_name(name):
        raise TrustError(f"A swarm's name has 1 to {MAX_NAME} printable characters.")
    for path in (folder / CONFIG, folder / OWNER_KEY, folder / SWARM_KEY, folder / GRANTS):
        if path.exists():
            raise TrustError(
                f"There is a swarm in {folder} already ({path.name}); nothing was changed. Use it "
                f"with --config {folder / CONFIG}, or make another: swarm init --name NAME, or "
                "--dir DIR."
            )
    key = Ed25519PrivateKey.generate()
    public = key.public_key().public_bytes_raw()
    lines = [
        "# An owned swarm, made by `swarm init`. config/swarm.toml explains every key.",
        *_swarm_lines(name, public),
        f"owner_key_file = {_quoted(OWNER_KEY)}  # with this key you are its owner: keep a copy",
        *([f"listen = {_list(listen)}"] if listen else []),
    ]
    _make_all(
        folder,
        {
            folder / OWNER_KEY: key.private_bytes_raw(),
            folder / SWARM_KEY: f"{secrets.token_hex(32)}\n".encode(),
            folder / CONFIG: _text(lines),
        },
    )
    return public


def join(invite: Invite, folder: Path) -> list[Path]:
    """Write down what an invite carries; return where the new identity was put.

    A folder that holds the same swarm already takes in one more identity.

    Raises:
        TrustError: the folder holds another swarm or another peer of the name, or cannot be
            written. Nothing was changed then.
    """
    places = []
    if any(role in WORKERS for role in invite.roles):
        places.append(folder / STATE / "peers" / file_name(invite.name) / IDENTITY)
    if "submitter" in invite.roles:
        places += [folder / STATE / place / IDENTITY for place in ("submitter", "bot")]
    files = dict.fromkeys(places, invite.identity)
    for path in places:
        if path.exists() and path.read_bytes() != invite.identity:
            raise TrustError(
                f"There is another identity in {path} already; nothing was changed. Ask for an "
                "invite with another --name, or join into another folder with --dir DIR."
            )
    if (folder / CONFIG).exists():
        _check_same(invite, folder)
    else:
        lines = [
            "# Joined by `swarm join`. config/swarm.toml explains every key.",
            *_swarm_lines(invite.swarm, invite.owner),
            f"peers = {_list(invite.addresses)}",
            "# Beyond this machine, so that peers of the local network find it; only who has the",
            "# swarm key gets in.",
            f"listen = {_list(['/ip4/0.0.0.0/tcp/0'])}",
        ]
        files[folder / SWARM_KEY] = f"{invite.swarm_key.hex()}\n".encode()
        files[folder / CONFIG] = _text(lines)
    _make_all(folder, {path: data for path, data in files.items() if not path.exists()})
    grants = GrantsFile(folder / GRANTS, invite.owner, invite.swarm)
    with grants.lock():
        grants.add([invite.grant])
    return places


def _make_all(folder: Path, files: dict[Path, bytes]) -> None:
    """Write new files, or none of them."""
    made: list[Path] = []
    try:
        for path, data in files.items():
            for parent in reversed([path.parent, *path.parent.parents]):
                if parent == folder or folder in parent.parents:
                    parent.mkdir(mode=0o700, exist_ok=True)
                elif not parent.exists():
                    parent.mkdir(exist_ok=True)
            write_secret(path, data)
            made.append(path)
    except OSError as error:
        for done in made:
            with suppress(OSError):
                done.unlink()
        raise TrustError(
            f"{path} cannot be written: {error.strerror or error}. Give a writable directory with "
            "--dir DIR; nothing was changed."
        ) from None


def _check_same(invite: Invite, folder: Path) -> None:
    """See that a folder's swarm is the invite's.

    Raises:
        TrustError: it is another.
    """
    from swarm.config import ConfigError, SwarmConfig, load

    try:
        known = load(SwarmConfig, file=folder / CONFIG).swarm
        same = (
            known.name == invite.swarm
            and known.owner_key() == invite.owner
            and known.key() == invite.swarm_key.hex()
        )
    except ConfigError as error:
        raise TrustError(f"{error}\nJoin into another folder with --dir DIR.") from None
    if not same:
        raise TrustError(
            f"{folder} holds another swarm, or this one with another key; nothing was changed. "
            "Join into another folder with --dir DIR."
        )


def _swarm_lines(name: str, owner: bytes) -> list[str]:
    return [
        "[swarm]",
        f"name = {_quoted(name)}",
        f"owner = {_quoted(owner.hex())}",
        f"swarm_key_file = {_quoted(SWARM_KEY)}",
        f"grants_file = {_quoted(GRANTS)}",
        f"state_dir = {_quoted(STATE)}",
    ]


def _quoted(text: str) -> str:
    """Return a printable text as a TOML string; JSON's escapes are TOML's."""
    return json.dumps(text)


def _list(texts: Iterable[str]) -> str:
    return f"[{', '.join(map(_quoted, texts))}]"


def _text(lines: Iterable[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()
