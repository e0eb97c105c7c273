"""How one peer runs: its role and swarm, where it listens, what it keeps on disk.

`PeerSettings.from_config` is the one way from the configuration to a peer. The commands and the bot
use it; tests and benchmarks may give the values themselves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Self

from swarm.core.roles import Role
from swarm.net.addresses import any_port
from swarm.trust.membership import membership

if TYPE_CHECKING:
    from swarm.config import SwarmSection


@dataclass(frozen=True, kw_only=True)
class PeerSettings:
    """How one peer runs.

    Attributes:
        role: what it does.
        swarm: name of the swarm.
        name: its human-readable name.
        listen: multiaddresses to listen on.
        peers: multiaddresses to keep dialling.
        swarm_key: 64 hex digits that all members share; None: an open swarm.
        owner: public key of the peer that grants roles; None: every peer may act in every role.
        grants: encoded grants of the owner that it starts with (`swarm.trust.grants`).
        mdns: whether to look for peers on the local network.
        allow_open: whether listening beyond loopback without a swarm key is intended.
        state_dir: where its identity and replica are kept; None: a fresh identity, nothing on disk.
        runtime_dir: where the machine's address book is; None: no address book.
        capabilities: what this executor can do beyond the ordinary.
        slots: model calls at a time.
        visits: it stays for the time of a command. Only its identity is on disk, and it gets goals
            that have ended only when it asks for them.
    """

    role: Role
    swarm: str = "leaderless"
    name: str = ""
    listen: tuple[str, ...] = ("/ip4/127.0.0.1/tcp/0",)
    peers: tuple[str, ...] = ()
    swarm_key: str | None = None
    owner: bytes | None = None
    grants: tuple[bytes, ...] = ()
    mdns: bool = True
    allow_open: bool = False
    state_dir: Path | None = None
    runtime_dir: Path | None = None
    capabilities: tuple[str, ...] = ()
    slots: int = 1
    visits: bool = False

    @classmethod
    def from_config(
        cls,
        section: SwarmSection,
        role: Role,
        *,
        state_dir: Path | None,
        name: str = "",
        grant_name: str = "",
        listen: Sequence[str] | None = None,
        capabilities: tuple[str, ...] = (),
        visits: bool = False,
    ) -> Self:
        """Return the settings of a peer of a configured swarm.

        On the owner's machine this also grants the peer its role (`swarm.trust.membership`).

        Args:
            section: the swarm's configuration.
            role: what the peer does.
            state_dir: where its identity and replica are kept; None: nothing on disk.
            name: its human-readable name.
            grant_name: its name in a grant made here; empty: the name of `state_dir`.
            listen: multiaddresses to listen on; None: those of the configuration.
            capabilities: what an executor can do beyond the ordinary.
            visits: it stays for the time of a command.

        Raises:
            TrustError: the keys or grants of an owned swarm cannot be used.
        """
        known = membership(section, role, state_dir, grant_name)
        return cls(
            role=role,
            swarm=section.name,
            name=name,
            listen=section.listen if listen is None else tuple(listen),
            peers=section.peers,
            swarm_key=section.key(),
            owner=known.owner,
            grants=known.grants,
            mdns=section.mdns,
            allow_open=section.allow_open,
            state_dir=state_dir,
            runtime_dir=section.runtime_dir,
            capabilities=capabilities,
            visits=visits,
        )


def on_free_ports(listen: Sequence[str]) -> tuple[str, ...]:
    """Return addresses with their ports left to the system.

    A peer that does not own the configured ports listens on these: a command's, or the bot's.
    """
    return tuple(dict.fromkeys(map(any_port, listen)))
