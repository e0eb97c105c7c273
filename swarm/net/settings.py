"""How a peer takes part in its network, and what is counted there. Imports no libp2p."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from swarm.net.errors import SettingsError

KEY_HEX_LENGTH = 64
"""Hex digits of a swarm key (32 bytes)."""


def check_key(key: str | None) -> str | None:
    """Return a swarm key in lowercase hex, or None.

    Raises:
        SettingsError: it is not 64 hex digits. The message does not repeat it.
    """
    if key is None:
        return None
    lowered = key.lower()
    if len(lowered) == KEY_HEX_LENGTH and set(lowered) <= set("0123456789abcdef"):
        return lowered
    raise SettingsError(
        f"The swarm key is not {KEY_HEX_LENGTH} hex digits (it has {len(key)} characters). "
        "Make one with: openssl rand -hex 32"
    )


@dataclass(frozen=True, kw_only=True)
class NetSettings:
    """How a peer takes part.

    Attributes:
        swarm: name of the swarm; peers of one name and key meet.
        listen: multiaddresses to listen on; port 0 picks a free one.
        peers: addresses of peers to keep dialling, with or without `/p2p/…`.
        swarm_key: 64 hex digits every member has, or None for an open swarm.
        speaks: whether this peer may publish at all.
        may_ask: whether it may use the sync stream (which publishes nothing).
        may_hand_off: whether a peer that may neither speak nor ask may still hand a neighbour over
            that stream what it may be the last to hold.
        mdns: whether to announce and look for peers on the local network.
        address_book: directory shared by this user's peers on this machine, or None.
        allow_open: whether listening beyond loopback without a key is meant.
    """

    swarm: str
    listen: tuple[str, ...] = ("/ip4/127.0.0.1/tcp/0",)
    peers: tuple[str, ...] = ()
    swarm_key: str | None = None
    speaks: bool = True
    may_ask: bool = True
    may_hand_off: bool = False
    mdns: bool = True
    address_book: Path | None = None
    allow_open: bool = False


@dataclass(kw_only=True)
class Counters:
    """What went through the network since it began.

    Attributes:
        messages_published: frames this peer itself published; 0 for a listener, always.
        bytes_published: their bytes.
        records_published: records in them, repetitions for others included.
        messages_received: frames of others that arrived by gossip.
        bytes_received: their bytes.
        records_received: records in them and in syncs.
        duplicates: of those, records already held.
        rejected: of those, records that were malformed, forged or stale.
        bad_frames: frames dropped because they made no sense.
        dropped_frames: frames dropped because the record set fell behind.
        resubscriptions: times a listener announced itself again.
        syncs: reconciliations over a stream that ended well, asked or answered.
        sync_bytes: bytes of theirs, both ways.
        callback_errors: exceptions of the owner's callbacks.
        rebuilds: times the host was built again after it broke.
    """

    messages_published: int = 0
    bytes_published: int = 0
    records_published: int = 0
    messages_received: int = 0
    bytes_received: int = 0
    records_received: int = 0
    duplicates: int = 0
    rejected: int = 0
    bad_frames: int = 0
    dropped_frames: int = 0
    resubscriptions: int = 0
    syncs: int = 0
    sync_bytes: int = 0
    callback_errors: int = 0
    rebuilds: int = 0
