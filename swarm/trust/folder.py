"""The folder of an owned swarm: `swarm init` makes the owner's, `swarm join` everybody else's.

What is in it: the configuration, the keys (only their owner may read them), the grants file of
`swarm.trust.owner` and the state of the peers.
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
from swarm.trust.identity import KEY_SIZE, file_name, folder_of, make_private
from swarm.trust.invite import MAX_NAME, Invite, is_name
from swarm.trust.owner import IDENTITY, GrantsFile, TrustError, WordError, write_secret

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
        WordError: the name is none.
        TrustError: there is a swarm already, or the folder cannot be written or is open to others.
    """
    if not is_name(name):
        raise WordError(f"A swarm's name has 1 to {MAX_NAME} printable characters.")
    _check_private(folder)
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
        {
            folder / OWNER_KEY: key.private_bytes_raw(),
            folder / SWARM_KEY: f"{secrets.token_hex(32)}\n".encode(),
            folder / CONFIG: _text(lines),
        }
    )
    return public


def join(invite: Invite, folder: Path, *, replace: bool = False) -> list[Path]:
    """Write down what an invite carries; return where the new identity was put.

    A folder that holds the same swarm already takes in one more identity.

    Args:
        invite: what the owner gave.
        folder: for the keys, the configuration and the state; made if it is not there.
        replace: set aside another identity in the place of this one, as `identity.key.old-…`.

    Raises:
        TrustError: the folder holds another swarm or another peer of the name, cannot be written
            or is open to others. Nothing was changed then.
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
            f"There is another identity in {others[0]} already; nothing was changed. If it was "
            "revoked, or is no longer needed, join with --replace: that sets it aside. If not, "
            "join into another folder with --dir DIR."
        )
    files = dict.fromkeys(places, invite.identity)
    if not (folder / CONFIG).exists():
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
    """Return where the keys and configuration of a swarm are kept unless told otherwise.

    Args:
        parent: of the folders of all swarms.
        swarm: its name.
    """
    folder = folder_of(parent, swarm)
    # Before, names with the same first letters of another script shared a folder.
    return folder if _name_in(folder) in ("", swarm) else parent / file_name(swarm)


def _places(invite: Invite, folder: Path) -> list[Path]:
    """Return where the identity of an invite belongs."""
    found = []
    if any(role in WORKERS for role in invite.roles):
        peers = folder / STATE / "peers"
        place = folder_of(peers, invite.name)
        if _held(place / IDENTITY) not in (None, invite.identity):
            # Not the folder of another peer whose name begins with the same letters.
            place = peers / file_name(invite.name)
        found.append(place / IDENTITY)
    if "submitter" in invite.roles:
        found += [folder / STATE / place / IDENTITY for place in ("submitter", "bot")]
    return found


def _held(path: Path) -> bytes | None:
    """Return what an identity's file holds; None: there is none.

    Raises:
        TrustError: it cannot be read.
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
    """Rename identities that are no longer to be used; return what they are called now.

    Raises:
        TrustError: one cannot be renamed; none is then.
    """
    done: dict[Path, Path] = {}
    try:
        for path in paths:
            number = 1
            while (kept := path.with_name(f"{IDENTITY}.old-{number}")).exists():
                number += 1
            path.rename(kept)
            done[path] = kept
    except OSError as error:
        for path, kept in done.items():
            kept.rename(path)
        raise TrustError(
            f"{path} cannot be set aside: {error.strerror}; nothing was changed."
        ) from None
    return done


def _name_in(folder: Path) -> str:
    """Return the name of the swarm that a folder's configuration names; empty: it names none."""
    import tomllib

    try:
        with (folder / CONFIG).open("rb") as source:
            return str(tomllib.load(source)["swarm"]["name"])
    except (OSError, ValueError, KeyError, TypeError):
        return ""


def _check_private(folder: Path) -> None:
    """See that nobody else could exchange the keys in a folder that is there already.

    An empty one of this user's is closed to others.

    Raises:
        TrustError: others may write in it.
    """
    if os.name == "posix" and folder.is_dir():
        about = folder.stat()
        mode = stat.S_IMODE(about.st_mode)
        if about.st_uid == os.getuid() and not any(folder.iterdir()):
            folder.chmod(0o700)
        elif mode & 0o022:
            raise TrustError(
                f"Others may write in {folder} (mode {mode:o}), and could exchange the keys in it; "
                f"nothing was changed. Close it (chmod go-w {folder}), or give another --dir DIR."
            )


def _make_all(files: dict[Path, bytes]) -> None:
    """Write new files, or none of them.

    Raises:
        TrustError: one cannot be written.
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
    """Return a printable text as a TOML string.

    JSON's escapes are TOML's, but for the pairs of surrogates by which it would write emoji.
    """
    return json.dumps(text, ensure_ascii=False)


def _list(texts: Iterable[str]) -> str:
    return f"[{', '.join(map(_quoted, texts))}]"


def _text(lines: Iterable[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()
