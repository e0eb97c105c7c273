"""The folder of an owned swarm: `swarm init` creates the owner's, `swarm join` everyone else's.

It holds the configuration, the keys (only this user can read them), the grants file of
`swarm.trust.grants`, and the state of the peers.
"""

from __future__ import annotations

import json
import os
import secrets
import stat
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from swarm.core.roles import WORKERS
from swarm.trust.grants import BadNameError, GrantsFile, TrustError
from swarm.trust.identity import (
    IDENTITY_FILE,
    KEY_SIZE,
    file_name,
    folder_of,
    make_private,
    public_key_of,
    write_secret,
)
from swarm.trust.invite import MAX_NAME, Invite, is_name

CONFIG, OWNER_KEY, SWARM_KEY = "swarm.toml", "owner.key", "swarm.key"
GRANTS, STATE = "grants", "state"
"""Names of files and of the state directory in the folder."""


def create(folder: Path, name: str, listen: Sequence[str] = ()) -> bytes:
    """Create an owned swarm in a folder and return its owner's public key.

    Args:
        folder: holds the keys, the configuration and the state; created if missing.
        name: the swarm's name.
        listen: multiaddresses where its peers listen; none: on this machine only.

    Raises:
        BadNameError: the name is invalid.
        TrustError: the folder holds a swarm already, cannot be written, or is open to others.
    """
    if not is_name(name):
        raise BadNameError(f"A swarm's name has 1 to {MAX_NAME} printable characters.")
    _check_private(folder)
    for path in (folder / CONFIG, folder / OWNER_KEY, folder / SWARM_KEY, folder / GRANTS):
        if path.exists():
            raise TrustError(
                f"There is already a swarm in {folder} ({path.name}); nothing was changed. Use it "
                f"with --config {folder / CONFIG}, or make another one with another --name NAME or "
                "--dir DIR."
            )
    key = Ed25519PrivateKey.generate()
    public = public_key_of(key)
    lines = [
        "# An owned swarm, made by `swarm init`. config/swarm.toml explains every key.",
        *_swarm_lines(name, public),
        f"owner_key_file = {_quoted(OWNER_KEY)}  # makes you the owner: keep a copy",
        *([f"listen = {_list(listen)}"] if listen else []),
    ]
    _make_all(
        {
            folder / OWNER_KEY: key.private_bytes_raw(),
            folder / SWARM_KEY: f"{secrets.token_hex(32)}\n".encode(),
            folder / CONFIG: _text(lines),
        }
    )
    return public


def join(invite: Invite, folder: Path, *, replace: bool = False) -> list[Path]:
    """Write what an invite carries into a folder; return the paths of the new identity.

    A folder that already holds this swarm receives one more identity.

    Args:
        invite: the owner's invite.
        folder: holds the keys, the configuration and the state; created if missing.
        replace: if another identity is in the way, rename it to `identity.key.old-N`.

    Raises:
        TrustError: the folder holds another swarm or another peer of this name, cannot be written,
            or is open to others. Nothing was changed.
    """
    _check_private(folder)
    if (folder / CONFIG).exists():
        _check_same(invite, folder)
    grants = GrantsFile(folder / GRANTS, invite.owner, invite.swarm)
    grants.read()
    places = _places(invite, folder)
    others = [path for path in places if _held(path) not in (None, invite.identity)]
    if others and not replace:
        raise TrustError(
            f"There is already another identity in {others[0]}; nothing was changed. If it was "
            "revoked or is no longer needed, join with --replace, which keeps the old one as a "
            "backup. If not, join into another folder with --dir DIR."
        )
    files = dict.fromkeys(places, invite.identity)
    if not (folder / CONFIG).exists():
        lines = [
            "# A swarm joined with `swarm join`. config/swarm.toml explains every key.",
            *_swarm_lines(invite.swarm, invite.owner),
            f"peers = {_list(invite.addresses)}",
            "# Listen beyond this machine, so that peers on the local network find this one. Only",
            "# peers with the swarm key can connect.",
            f"listen = {_list(['/ip4/0.0.0.0/tcp/0'])}",
        ]
        files[folder / SWARM_KEY] = f"{invite.swarm_key.hex()}\n".encode()
        files[folder / CONFIG] = _text(lines)
    with grants.lock():
        aside = _set_aside(others)
        try:
            _make_all({path: data for path, data in files.items() if not path.exists()})
        except TrustError:
            for path, kept in aside.items():
                kept.rename(path)
            raise
        grants.add([invite.grant])
    return places


def default_folder(parent: Path, swarm: str) -> Path:
    """Return the default folder for the keys and configuration of a swarm.

    Args:
        parent: holds the folders of all swarms.
        swarm: the swarm's name.
    """
    folder = folder_of(parent, swarm)
    # In an earlier version, names in another script with the same first letters shared a folder.
    return folder if _name_in(folder) in ("", swarm) else parent / file_name(swarm)


def _places(invite: Invite, folder: Path) -> list[Path]:
    """Return the paths at which the identity of an invite belongs."""
    found = []
    if any(role in WORKERS for role in invite.roles):
        peers = folder / STATE / "peers"
        place = folder_of(peers, invite.name)
        if _held(place / IDENTITY_FILE) not in (None, invite.identity):
            # An earlier version's folder, of another peer whose name begins with the same letters.
            place = peers / file_name(invite.name)
        found.append(place / IDENTITY_FILE)
    if "submitter" in invite.roles:
        found += [folder / STATE / place / IDENTITY_FILE for place in ("submitter", "bot")]
    return found


def _held(path: Path) -> bytes | None:
    """Return the contents of an identity file; None: there is no such file.

    Raises:
        TrustError: the file cannot be read.
    """
    try:
        with path.open("rb") as source:
            return source.read(KEY_SIZE + 1)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise TrustError(
            f"{path} cannot be read: {error.strerror}. Move it away, or join into another folder "
            "with --dir DIR; nothing was changed."
        ) from None


def _set_aside(paths: Iterable[Path]) -> dict[Path, Path]:
    """Rename identities that are no longer used; return the old and new paths.

    Raises:
        TrustError: one of them cannot be renamed; then none is.
    """
    done: dict[Path, Path] = {}
    try:
        for path in paths:
            number = 1
            while (kept := path.with_name(f"{IDENTITY_FILE}.old-{number}")).exists():
                number += 1
            path.rename(kept)
            done[path] = kept
    except OSError as error:
        for path, kept in done.items():
            kept.rename(path)
        raise TrustError(
            f"{path} cannot be renamed: {error.strerror}; nothing was changed."
        ) from None
    return done


def _name_in(folder: Path) -> str:
    """Return the swarm's name in a folder's configuration; empty if there is none."""
    import tomllib

    try:
        with (folder / CONFIG).open("rb") as source:
            return str(tomllib.load(source)["swarm"]["name"])
    except (OSError, ValueError, KeyError, TypeError):
        return ""


def _check_private(folder: Path) -> None:
    """Check that no other user could replace the keys in an existing folder.

    An empty folder of this user's is closed to others first.

    Raises:
        TrustError: other users can write to the folder.
    """
    if os.name == "posix" and folder.is_dir():
        about = folder.stat()
        mode = stat.S_IMODE(about.st_mode)
        if about.st_uid == os.getuid() and not any(folder.iterdir()):
            folder.chmod(0o700)
        elif mode & 0o022:
            raise TrustError(
                f"Other users can write to {folder} (mode {mode:o}) and could replace the keys in "
                f"it; nothing was changed. Close it (chmod go-w {folder}) or name another --dir "
                "DIR."
            )


def _make_all(files: dict[Path, bytes]) -> None:
    """Write new files, or none of them.

    Raises:
        TrustError: one of them cannot be written.
    """
    made: list[Path] = []
    try:
        for path, data in files.items():
            make_private(path.parent)
            write_secret(path, data)
            made.append(path)
    except OSError as error:
        for done in made:
            with suppress(OSError):
                done.unlink()
        raise TrustError(
            f"{path} cannot be written: {error.strerror or error}. Nothing was changed. Name a "
            "writable directory with --dir DIR."
        ) from None


def _check_same(invite: Invite, folder: Path) -> None:
    """Check that a folder's swarm is the one that the invite is for.

    Raises:
        TrustError: it is another swarm, or has another key.
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
    """Return a printable text as a TOML string.

    JSON's escapes are valid in TOML too, except the surrogate pairs that it would use for emoji.
    """
    return json.dumps(text, ensure_ascii=False)


def _list(texts: Iterable[str]) -> str:
    return f"[{', '.join(map(_quoted, texts))}]"


def _text(lines: Iterable[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()
