"""What a peer of this machine knows of its swarm's owner when it starts.

On the owner's machine, a peer that this user starts is granted its role automatically: anyone who
can run commands under that account has the owner's key anyway. What was revoked stays revoked.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import structlog

from swarm.trust.grants import GrantsFile, LostKeyError, granted, grantees, now_ms, roster_of
from swarm.trust.identity import IDENTITY_FILE, folder_of, load_identity, public_key_of
from swarm.trust.owner import owner_of

if TYPE_CHECKING:
    from swarm.config import SwarmSection

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Membership:
    """What a peer knows of its swarm's owner when it starts.

    Attributes:
        owner: the owner's public key; None: the swarm is open.
        grants: encoded records of the owner's that the peer starts with.
    """

    owner: bytes | None = None
    grants: tuple[bytes, ...] = ()


def membership(
    section: SwarmSection, role: str, state_dir: Path | None, name: str = ""
) -> Membership:
    """Return the owner and grants a peer starts with; on the owner's machine, grant it its role.

    Args:
        section: the swarm's configuration.
        role: the peer's role.
        state_dir: where its identity is kept; None: the identity is temporary and is granted
            nothing.
        name: the peer's name; empty: the name of `state_dir`.

    Raises:
        TrustError: a key or the grants file cannot be used.
    """
    public = section.owner_key()
    if public is None:
        return Membership()
    if section.grants_file is None:
        return Membership(public)
    file = GrantsFile(section.grants_file, public, section.name)
    if section.owner_key_file is not None and state_dir is not None and role != "observer":
        subject = public_key_of(load_identity(state_dir / IDENTITY_FILE))
        try:
            owner_of(section).grant_own(subject, role, name or state_dir.name)
        except LostKeyError as error:
            if not roster_of(file.read(), public).has_role(subject, role, now_ms()):
                raise
            log.warning("owner_key_lost", meaning=str(error))
    return Membership(public, tuple(record.raw for record in file.read()))


def names_granted(section: SwarmSection, role: str) -> list[str]:
    """Return the names under which this machine joined with a role, the newest grant first.

    Raises:
        TrustError: the grants file cannot be used.
        IdentityError: an identity cannot be read.
    """
    public = section.owner_key()
    if public is None or section.grants_file is None or section.owner_key_file is not None:
        return []
    records = GrantsFile(section.grants_file, public, section.name).read()
    # Of two grants stamped in one millisecond, the later one in the file is newer.
    newest = {granted(record).subject: (record.stamp, at) for at, record in enumerate(records)}
    return [
        grantee.name
        for grantee in sorted(
            grantees(records, public), key=lambda grantee: newest[grantee.author], reverse=True
        )
        if role in grantee.roles
        and (path := folder_of(section.state_dir / "peers", grantee.name) / IDENTITY_FILE).exists()
        # The identity may have been set aside for one that was invited later under this name.
        and public_key_of(load_identity(path)) == grantee.author
    ]
