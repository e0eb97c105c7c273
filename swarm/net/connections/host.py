"""The libp2p host of one peer: which connections it accepts, and how it dials others.

Only noise is offered (the stock host also accepts plaintext), over TCP and yamux. The transport key
is fresh in every process, so that nobody confuses a restarted peer with its stale connections. The
author of a record is proven by the key inside the record, never by the transport.

libp2p 0.8.1 is pinned because this module and `pubsub` override its internals:

- its resource manager refuses connections when memory is short (which is normal beside a local
  model) or after failures: replaced by plain limits;
- at its connection limit it refuses every connection, even those that this peer dials, for as long
  as the first ones stay: `inbound_slots` decides which connection makes room;
- its auto-connector dials every address it ever learned, whatever the watermarks: disabled;
- it keeps a slot of the inbound limiter, and a task, for every connection there ever was, so that a
  long-lived peer ends up deaf: `_serve_inbound` releases both when the connection closes;
- its dialer requires the peer id before it dials, remembers a failed peer for a minute, and drops
  loopback addresses when it knows others: `dial` is our own, with a time limit.
"""

from __future__ import annotations

import logging
import random
import socket
from contextlib import suppress
from typing import Any

import anyio
import trio
from libp2p import new_host
from libp2p.crypto.ed25519 import create_new_key_pair
from libp2p.crypto.x25519 import create_new_key_pair as create_new_x25519_key_pair
from libp2p.network.config import ConnectionConfig
from libp2p.network.connection.raw_connection import RawConnection
from libp2p.protocol_muxer.multiselect_client import MultiselectClient
from libp2p.protocol_muxer.multiselect_communicator import MultiselectCommunicator
from libp2p.rcmgr.manager import ResourceLimits, ResourceManager
from libp2p.security.noise.transport import PROTOCOL_ID as NOISE
from libp2p.security.noise.transport import Transport as NoiseTransport
from libp2p.security.pnet.protector import new_protected_conn
from libp2p.stream_muxer.yamux.yamux import PROTOCOL_ID as YAMUX
from libp2p.stream_muxer.yamux.yamux import Yamux
from multiaddr import Multiaddr

from swarm.net.addresses import parse_address
from swarm.net.connections.descriptors import warn_rarely
from swarm.net.connections.inbound_slots import MAX_INBOUND, InboundSlots
from swarm.net.errors import DialError, ListenError
from swarm.net.patches.yamux import BufferedTCPStream

SHUTDOWN_SECONDS = 4.0
"""Seconds that the host may take to shut down; 0.2 s is usual."""

MAX_OUTBOUND = 16
"""Connections at once that this peer dialled. Inbound connections cannot use up this room."""

MAX_CONNECTIONS = MAX_INBOUND + MAX_OUTBOUND
"""Connections at once, in both directions; the gossip mesh holds them all. Four to sixteen are
usual, more where many peers were given the same address."""

BACKSTOP = 2 * MAX_CONNECTIONS
"""Connections from which libp2p itself would refuse more, even own dials; never reached."""

MAX_STREAMS = 2_000
"""Streams at once over all connections; a few for each neighbour are used."""

MAX_HANDSHAKES = 64
"""Inbound handshakes at once. Further connections are closed and may try again."""

UPGRADE_SECONDS = 5.0
"""Seconds for the handshakes of a connection. On loopback they take 0.1 s; with a wrong swarm key
they never finish."""

HANG_UP_SECONDS = 1.0
"""Seconds to close all connections at shutdown; libp2p itself waits 0.1 s for each."""


def quiet_libp2p() -> None:
    """Keep libp2p's own log lines off the terminal, and most of those about listeners.

    libp2p logs every failed handshake as an error. It also calls the module function
    `logging.debug`, which installs a handler on the program's root logger when there is none.
    """
    logging.getLogger("libp2p").setLevel(logging.CRITICAL)
    root = logging.getLogger()
    if not root.handlers:
        root.addHandler(logging.NullHandler())
    warn_rarely()


def check_free(listen: tuple[str, ...]) -> None:
    """Make sure that no program listens at these addresses yet.

    libp2p's listeners share their port (SO_REUSEPORT): a second peer on the same port would start
    silently and get half of the first one's connections.

    Raises:
        ListenError: some program does, or the address is not one of this machine.
    """
    for text in listen:
        _, name, port = parse_address(text)
        if port == 0:
            continue
        family = socket.AF_INET6 if ":" in name else socket.AF_INET
        try:
            with socket.socket(family, socket.SOCK_STREAM) as probe:
                # Lets a restarted peer use its port again while old connections time out.
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                probe.bind((name, port))
        except OSError as error:
            raise ListenError(
                f"Cannot listen on {text} ({error.strerror or error}). The port is probably taken "
                "by another program, or the address is not one of this machine; /tcp/0 picks a "
                "free port."
            ) from error


def build_host(listen: tuple[str, ...], key: str | None) -> Any:
    """Return a libp2p host with a fresh transport key, not running yet.

    Args:
        listen: multiaddresses it will listen on.
        key: the swarm key, 64 hex digits, or None.
    """
    quiet_libp2p()
    key_pair = create_new_key_pair()
    noise = NoiseTransport(key_pair, noise_privkey=create_new_x25519_key_pair().private_key)
    host = new_host(
        key_pair=key_pair,
        listen_addrs=[Multiaddr(text) for text in listen],
        sec_opt={NOISE: noise},
        muxer_opt={YAMUX: Yamux},
        psk=key,
        connection_config=ConnectionConfig(
            max_connections=BACKSTOP,
            min_connections=0,
            low_watermark=0,
            high_watermark=BACKSTOP,
            inbound_upgrade_timeout=UPGRADE_SECONDS,
            outbound_upgrade_timeout=UPGRADE_SECONDS,
            outbound_stream_protocol_negotiation_timeout=UPGRADE_SECONDS,
            inbound_stream_protocol_negotiation_timeout=UPGRADE_SECONDS,
        ),
        resource_manager=ResourceManager(
            limits=ResourceLimits(max_connections=2 * BACKSTOP, max_streams=MAX_STREAMS),
            enable_memory_limits=False,
            enable_circuit_breaker=False,
            enable_graceful_degradation=False,
            enable_connection_tracking=False,
            enable_metrics=False,
        ),
        disable_identify_address_discovery=True,
    )
    network = host.get_network()

    handshakes = trio.CapacityLimiter(MAX_HANDSHAKES)
    # Unpredictable, so that no peer can arrange to keep its slot.
    slots = InboundSlots(random.SystemRandom())

    async def serve(stream: Any, maddr: Any) -> None:
        await _serve_inbound(network, slots, handshakes, stream, maddr)

    async def stay() -> None:
        """Dial nobody: the connection manager decides which peers to dial."""
        await trio.lowlevel.checkpoint()

    network._handle_inbound_connection = serve
    network.auto_connector.maybe_connect = stay
    return host


async def _serve_inbound(
    network: Any, slots: InboundSlots, handshakes: trio.CapacityLimiter, stream: Any, maddr: Any
) -> None:
    """Upgrade one inbound connection, and wait until it closes (returning closes it)."""
    try:
        if not slots.has_room(trio.current_time()):
            return
        handshakes.acquire_on_behalf_of_nowait(stream)
        try:
            raw = RawConnection(BufferedTCPStream(stream.stream), False)
            muxed = await network.upgrade_inbound_raw_conn(raw, maddr)
        finally:
            handshakes.release_on_behalf_of(stream)
        for connection in network.get_connections(muxed.peer_id):
            if connection.muxed_conn is muxed:
                await _hold(slots, connection)
    except Exception:
        # A stranger's handshake may raise anything; only its own connection is lost.
        logging.getLogger("libp2p").debug("inbound connection failed", exc_info=True)
    finally:
        with anyio.move_on_after(1, shield=True), suppress(Exception):
            await stream.close()


async def _hold(slots: InboundSlots, connection: Any) -> None:
    """Hold a slot for a connection until it closes or has to make room; then close it."""
    with trio.CancelScope() as stay:
        inbound = slots.admit(trio.current_time(), stay.cancel)
        if inbound is not None:
            try:
                await connection.event_closed.wait()
            finally:
                slots.release(inbound)
    with anyio.move_on_after(HANG_UP_SECONDS):
        await _close(connection)


async def dial(host: Any, text: str, key: str | None, limit_seconds: float) -> str:
    """Connect to the peer that answers at an address, and return its peer id.

    The peer id in the address is only a hint and need not match: transport keys are fresh in every
    process, and membership is proven by the swarm key.

    Args:
        host: a running host of `build_host`.
        text: a multiaddress, with or without `/p2p/…`.
        key: the swarm key, or None.
        limit_seconds: the time for everything together.

    Raises:
        DialError: no peer answered in time, the handshake failed, or the peer is this one.
    """
    _, name, port = parse_address(text)
    network = host.get_network()
    tcp: Any = None
    try:
        with trio.fail_after(limit_seconds):
            tcp = await trio.open_tcp_stream(name, port)
            tcp.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            raw: Any = RawConnection(BufferedTCPStream(tcp), True)
            if key is not None:
                raw = new_protected_conn(raw, key)
            secured = await _handshake(network, raw)
            peer_id = secured.get_remote_peer()
            if peer_id == host.get_id():
                raise DialError(f"{text} is this peer itself")
            if any(not c.is_closed for c in network.get_connections(peer_id)):
                await tcp.aclose()
                return str(peer_id)
            muxed = await network.upgrader.upgrade_connection(secured, peer_id)
            await network.add_conn(muxed, direction="outbound")
            return str(peer_id)
    except trio.TooSlowError as error:
        await _drop(tcp)
        raise DialError(
            f"no answer from {text} within {limit_seconds:g} s (another swarm key looks the same)"
        ) from error
    except DialError:
        await _drop(tcp)
        raise
    except Exception as error:
        # However it failed, the caller tries another address; libp2p has no common error.
        await _drop(tcp)
        raise DialError(f"could not connect to {text}: {type(error).__name__}: {error}") from error


async def hang_up(host: Any) -> None:
    """Stop listening and close every connection, so that neighbours notice at once.

    libp2p does both only while it is being cancelled, which leaves the sockets open. Its listeners
    share their port, so a dead one would go on taking half of a new host's connections.
    """
    network = host.get_network()
    with anyio.move_on_after(HANG_UP_SECONDS, shield=True):
        async with trio.open_nursery() as nursery:
            for part in (*network.listeners.values(), *network.get_connections()):
                nursery.start_soon(_close, part)


async def _close(part: Any) -> None:
    with suppress(Exception):
        await part.close()


async def _handshake(network: Any, raw: Any) -> Any:
    """Perform the noise handshake as the dialling side, with any peer that answers."""
    noise = network.upgrader.security_multistream.transports[NOISE]
    await MultiselectClient().select_one_of([NOISE], MultiselectCommunicator(raw))
    secured = await noise.get_pattern().handshake_outbound(raw, None)
    secured.negotiated_security_protocol = str(NOISE)
    return secured


async def _drop(tcp: Any) -> None:
    if tcp is not None:
        with anyio.move_on_after(1, shield=True), suppress(Exception):
            await tcp.aclose()


async def pass_on_cancel(living: trio.CancelScope, shield: trio.CancelScope) -> None:
    """When cancelled, let a host shut down in order, or by force if that takes too long."""
    try:
        await trio.sleep_forever()
    finally:
        living.cancel()
        shield.deadline = trio.current_time() + SHUTDOWN_SECONDS


async def end_with(manager: Any) -> None:
    """Raise an error when a service of libp2p ends, because the host is deaf without it."""
    await manager.wait_finished()
    raise RuntimeError("a service of libp2p ended by itself")
