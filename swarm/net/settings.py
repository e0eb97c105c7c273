"""How a peer takes part in its network, and what is counted there. Does not import libp2p."""

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
        swarm: name of the swarm; peers with the same name and key connect.
        listen: multiaddresses to listen on; port 0 picks a free one.
        peers: addresses of peers to keep dialling, with or without `/p2p/…`.
        swarm_key: 64 hex digits that every member has, or None for an open swarm.
        speaks: whether this peer may publish at all.
        may_ask: whether it may use the sync stream (which publishes nothing).
        may_hand_off: whether a peer that may neither publish nor ask may still use the sync stream
            to hand a neighbour what it may be the last to hold.
        asks_on_meeting: whether a peer that may not ask otherwise may ask new neighbours.
        history: whether to ask new neighbours for goals that have ended, too.
        mdns: whether to announce and look for peers on the local network.
        address_book: directory shared by this user's peers on this machine, or None.
        allow_open: whether listening beyond loopback without a key is intended.
    """

    swarm: str
    listen: tuple[str, ...] = ("/ip4/127.0.0.1/tcp/0",)
    peers: tuple[str, ...] = ()
    swarm_key: str | None = None
    speaks: bool = True
    may_ask: bool = True
    may_hand_off: bool = False
    asks_on_meeting: bool = False
    history: bool = True
    mdns: bool = True
    address_book: Path | None = None
    allow_open: bool = False


@dataclass(kw_only=True)
class Counters:
    """What went through the network since it started.

    Attributes:
        messages_published: frames that this peer itself published; always 0 for a listener.
        bytes_published: their bytes.
        records_published: records in them, including repetitions for others.
        messages_received: frames of other peers that arrived by gossip.
        bytes_received: their bytes.
        records_received: records in them and in syncs.
        duplicates: of those, records that were already held.
        rejected: of those, records that were malformed, forged or stale.
        bad_frames: frames dropped because they were malformed.
        dropped_frames: frames dropped because the record set fell behind.
        resubscriptions: how often a listener announced its subscription again.
        syncs: completed sync sessions, whether asked or answered.
        sync_bytes: their bytes, in both directions.
        callback_errors: exceptions in the owner's callbacks.
        rebuilds: how often the host was built again after it failed.
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
