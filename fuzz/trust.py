"""What admits others: invites as they are pasted, and the files of an owned swarm."""

from __future__ import annotations

import base64
import os

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from fuzz.choices import Choices, scratch
from fuzz.records import brief
from swarm.core.clock import Stamp
from swarm.core.records import Cancel, Grant, sign
from swarm.trust.grants import GrantsFile, TrustError
from swarm.trust.identity import IdentityError, load_identity
from swarm.trust.invite import ALPHABET_END, PREFIX, VERSION, Invite, InviteError, _checksum, encode
from swarm.trust.invite import read as read_invite
from swarm.trust.owner import Owner

SWARM = "school"
OWNER = Ed25519PrivateKey.from_private_bytes(b"o" * 32)
STRANGER = Ed25519PrivateKey.from_private_bytes(b"s" * 32)
MEMBERS = [Ed25519PrivateKey.from_private_bytes(bytes([n]) * 32) for n in range(1, 6)]
_OWNER = OWNER.public_key().public_bytes_raw()
SWARM_KEY = b"\xa5" * 32

_FOLDER = scratch()

_GRANTS = [
    sign(
        Grant(stamp=Stamp(at), swarm=swarm, subject=member.public_key().public_bytes_raw(),
              roles=roles, name=name),
        key,
    ).raw
    for at, (key, swarm, member, roles, name) in enumerate(
        (
            (OWNER, SWARM, MEMBERS[0], ["scorer"], "attic"),
            (OWNER, SWARM, MEMBERS[0], [], "attic"),
            (OWNER, SWARM, MEMBERS[1], ["scorer", "executor"], "cellar"),
            (OWNER, SWARM, MEMBERS[2], ["submitter"], "attic"),
            (OWNER, SWARM, MEMBERS[3], ["?" * 64], ""),
            (OWNER, "another", MEMBERS[1], ["scorer"], "cellar"),
            (STRANGER, SWARM, MEMBERS[1], ["scorer"], "cellar"),
        )
    )
] + [sign(Cancel(stamp=Stamp(9), goal=bytes(32)), OWNER).raw]  # fmt: skip
"""Grants by the owner and by others, of this swarm and of another, and something else."""

_RARE = (
    b"", b"/ip4/192.168.1.7/tcp/7400", b"/dns4/host.example/tcp/7400/p2p/Qm1", b"\xff", b"x" * 40,
    b"/ip4/192.168.1.7/tcp/7400\n", "swärm".encode(), b"school ", b"a\x1bb",
)  # fmt: skip


def invite(data: bytes) -> None:
    """Any text is a consistent invite, or an error that reveals none of its secrets."""
    choices = Choices(data)
    member = choices.pick(MEMBERS)
    secret = member.private_bytes_raw()
    parts = [SWARM.encode(), _OWNER, SWARM_KEY, secret, choices.pick(_GRANTS)]
    parts += [choices.pick(_RARE) for _ in range(choices.byte() % 4)]
    for _ in range(choices.byte() % 3):
        at = choices.byte() % len(parts)
        parts[at] = choices.pick((choices.pick(_RARE), choices.take(32), parts[at][:-1]))
    if choices.chance(8):
        parts.pop(choices.byte() % len(parts))
    packed = b"".join(len(part).to_bytes(2, "big") + part for part in parts)
    if choices.chance(4):
        packed = packed[: choices.number(len(packed))] + choices.rest()
    sealed = base64.b64encode(packed + _checksum(packed), ALPHABET_END).decode().rstrip("=")
    text = choices.rest().decode("utf-8", "replace")
    at = len(text) * 7 % (len(sealed) + 1)
    words = (
        f"{PREFIX}{VERSION}-{sealed}",
        f"<{PREFIX}{VERSION}-{sealed[:at]}\n {text} {sealed[at:]}>",
        f"{PREFIX}{text}-{sealed}",
        f"{PREFIX}{VERSION}-{text}",
        text,
    )
    for word in words:
        try:
            found = read_invite(word)
        except InviteError as error:
            brief(error, 1_000)
            said = str(error)
            assert secret.hex() not in said
            assert sealed[-24:] not in said
            continue
        check_invite(found)


def check_invite(found: Invite) -> None:
    """What `read` promises of an invite."""
    assert read_invite(encode(found)) == found
    assert isinstance(found.grant.body, Grant)
    assert found.grant.author == found.owner
    assert found.grant.body.subject == found.author
    assert found.roles
    assert found.name
    assert found.swarm == found.grant.body.swarm
    assert found.identity.hex() not in repr(found)
    assert repr(found.swarm_key) not in repr(found)


def grants(data: bytes) -> None:
    """Any grants file is read whole, or refused; what is read can be added to."""
    choices = Choices(data)
    file = _FOLDER / f"{os.getpid()}.grants"
    lines = []
    for _ in range(choices.byte() % 8):
        line = choices.pick(_GRANTS[:5] if choices.chance(3) else _GRANTS).hex().encode()
        if choices.chance(6):
            at = choices.number(len(line) - 1)
            line = line[:at] + choices.take(1 + choices.byte() % 3) + line[at:]
        lines.append(line)
    file.write_bytes(b"\n".join(lines) + choices.rest())
    found = GrantsFile(file, _OWNER, SWARM)
    owner = Owner(SWARM, OWNER, found)
    try:
        records = found.read()
        names = [grantee.name for grantee in owner.grantees()]
        found.add(records[::-1])
    except TrustError as error:
        brief(error, 1_000)
    else:
        assert {record.id for record in found.read()} == {record.id for record in records}
        assert len(names) <= len(records)
        for wanted in (*names, "", "zz", _OWNER.hex()[:5]):
            try:
                grantee = owner.find(wanted)
            except TrustError:
                continue
            assert grantee.name == wanted or grantee.author.hex().startswith(wanted)
    try:
        load_identity(file)
    except IdentityError as error:
        brief(error, 1_000)
