"""The libp2p host of one peer: who may connect to it, and how it reaches others.

Only noise is offered (the stock host also takes plaintext), over TCP and yamux. The transport key
is fresh in every process: a restarted peer is a new one to libp2p, so nobody confuses it with its
stale connections. Who *wrote* a record is proven by the author key inside the record, never by
the transport.

libp2p 0.8.1 is pinned because this module and `pubsub` override its insides:

- its resource manager refuses connections when memory is short (which a local model makes normal)
  or after failures: replaced by plain caps;
- at its limit of connections it refuses everybody, also whom this peer dials, for as long as those
  who came first stay: `door` decides whom to let go;
- its auto-connector dials everything it ever heard of, whatever the watermarks: disarmed;
- a slot of the inbound limiter, and a task, is kept for every connection there ever was, so a
  long-lived peer ends up deaf: `_serve_inbound` gives both back when the connection closes;
- its dialer insists on knowing the peer id before it dials, remembers a failed peer for a minute,
  and drops loopback addresses when it knows others: `dial` is our own and bounded.
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
"""Seconds the host may take to end; 0.2 s is usual."""

MAX_OUTBOUND = 16
"""Connections at once that this peer dialled: room that nobody who comes in can take."""

MAX_CONNECTIONS = MAX_INBOUND + MAX_OUTBOUND
"""Connections at once, both ways; the gossip mesh holds them all. Four to sixteen are usual, more
where many peers were given the same address."""

BACKSTOP = 2 * MAX_CONNECTIONS
"""Connections at which libp2p itself would refuse any, own dials too: never reached."""

MAX_STREAMS = 2_000
"""Streams at once over all connections: a few a neighbour are used."""

MAX_HANDSHAKES = 64
"""Inbound connections that may be shaking hands at once; more are closed and may try again."""

UPGRADE_SECONDS = 5.0
"""Seconds for the handshakes of a connection. On loopback they take 0.1 s; a wrong swarm key
never finishes them."""

HANG_UP_SECONDS = 1.0
"""Seconds for saying goodbye at the end; libp2p itself waits 0.1 s a connection."""


def quiet_libp2p() -> None:
    """Keep libp2p's own log lines off the terminal, and most of what listeners say.

    It logs every failed handshake as an error, and calls `logging.debug` of the module, which
    installs a handler on the root logger of the whole program when there is none.
    """
    logging.getLogger("libp2p").setLevel(logging.CRITICAL)
    root = logging.getLogger()
    if not root.handlers:
        root.addHandler(logging.NullHandler())
    warn_rarely()


def check_free(listen: tuple[str, ...]) -> None:
    """Make sure that nobody listens at these addresses yet.

    libp2p's listeners share their port (SO_REUSEPORT): a second peer on it would start without a
    word and take half of the first one's connections.

    Raises:
        ListenError: somebody does, or the address is not one of this machine.
    """
    for text in listen:
        _, name, port = parse_address(text)
        if port == 0:
            continue
        family = socket.AF_INET6 if ":" in name else socket.AF_INET
        try:
            with socket.socket(family, socket.SOCK_STREAM) as probe:
                # Lets a restarted peer have its port back while old connections time out.
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                probe.bind((name, port))
        except OSError as error:
            raise ListenError(
                f"Cannot listen on {text} ({error.strerror or error}). The port is probably taken "
                "by another program, or the address is not one of this machine; /tcp/0 picks a "
                "free port."
            ) from error


def build_host(listen: tuple[str, ...], key: str | None) -> Any:
    """A libp2p host with a fresh transport key, not running yet.

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
    # Whom to let go cannot be foreseen by somebody who wants to stay.
    slots = InboundSlots(random.SystemRandom())

    async def serve(stream: Any, maddr: Any) -> None:
        await _serve_inbound(network, slots, handshakes, stream, maddr)

    async def stay() -> None:
        """Whom to dial is for `links` to decide."""
        await trio.lowlevel.checkpoint()

    network._handle_inbound_connection = serve
    network.auto_connector.maybe_connect = stay
    return host


async def _serve_inbound(
    network: Any, slots: InboundSlots, handshakes: trio.CapacityLimiter, stream: Any, maddr: Any
) -> None:
    """Upgrade one inbound connection and stay until it closes (returning closes it)."""
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
        # A stranger's handshake may raise anything; it costs that connection only.
        logging.getLogger("libp2p").debug("inbound connection failed", exc_info=True)
    finally:
        with anyio.move_on_after(1, shield=True), suppress(Exception):
            await stream.close()


async def _hold(slots: InboundSlots, connection: Any) -> None:
    """Stay with a connection until it closes, or the door shows it out and it is closed."""
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
    """Connect to whoever answers at an address, and return its peer id.

    The peer id in the address is a hint and not required to match: transport keys are fresh in
    every process, and membership is proven by the swarm key.

    Args:
        host: a running host of `build_host`.
        text: a multiaddress, with or without `/p2p/…`.
        key: the swarm key, or None.
        limit_seconds: seconds for everything together.

    Raises:
        DialError: nobody answered in time, the handshake failed, or it is this very peer.
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

    libp2p does both only while it is being cancelled, which leaves the sockets open; and as its
    listeners share their port, a dead one would go on taking half of a new host's connections.
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
    """The noise handshake as the one who dials, whoever answers."""
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
    """When cancelled, let a host end in order, and by force if that takes too long."""
    try:
        await trio.sleep_forever()
    finally:
        living.cancel()
        shield.deadline = trio.current_time() + SHUTDOWN_SECONDS


async def end_with(manager: Any) -> None:
    """A service of libp2p that ended leaves a deaf host behind: make that an error."""
    await manager.wait_finished()
    raise RuntimeError("a service of libp2p ended by itself")
