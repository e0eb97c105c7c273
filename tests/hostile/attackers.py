"""Attackers: real libp2p peers that do what no honest peer does. Each attack runs until cancelled.

Some speak the gossip protocol by hand (`Stranger`, which has the swarm's key), others only lower
layers. Their messages are correctly signed by their transport key; peers would drop them otherwise.
"""

from __future__ import annotations

import json
import random
import secrets
import socket
import struct
import time
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

import trio
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from libp2p.crypto.keys import KeyPair
from libp2p.pubsub.gossipsub import PROTOCOL_ID_V11
from libp2p.pubsub.pb import rpc_pb2
from libp2p.pubsub.pubsub import PUBSUB_SIGNING_PREFIX
from libp2p.utils.varint import encode_varint_prefixed
from multiaddr import Multiaddr

from swarm.core.clock import Stamp
from swarm.core.records import (
    DOMAIN,
    Claim,
    Goal,
    KnownBody,
    Notice,
    Presence,
    Result,
    sign,
)
from swarm.gossip.frames import encode_bundle
from swarm.net import sync
from swarm.net.addresses import parse_address
from swarm.net.connections.host import build_host, dial, hang_up
from swarm.net.errors import DialError
from swarm.net.streams import peer_id_of

BUNDLE = 200
"""Records in one bundle of a flood."""

IDLE_SOCKETS = 200
"""Silent sockets kept open: several times the handshakes that a peer allows at once."""

CROWD = 1_000
"""How many authors take turns in a flood of tiny records."""

NASTY = (
    "@everyone @here <@123456789012345678> <@&1> <#2> [safe](http://evil.example) "
    "\u202egnp.exe\u202c \u2066x\u2069 z\u200b\u200be\u200dro\ufeff \x1b[31mred\x07 "
    "```\n# not a heading\n```\n" + "a" * 4_000 + "\n" + "e\u0301\u0301\u0301\u0301" * 200
)


@dataclass(frozen=True)
class Prey:
    """An honest peer, as an attacker knows it."""

    addresses: tuple[str, ...]
    peer_id: str
    author: bytes


@dataclass
class Target:
    """The swarm under attack, as an attacker knows it."""

    peers: list[Prey]
    topic: str
    key: str
    goals: list[bytes] = field(default_factory=list)
    records: list[bytes] = field(default_factory=list)
    """The records published so far, which every peer in the swarm has."""

    @property
    def victim(self) -> Prey:
        return self.peers[0]


Attack = Callable[[Target], Awaitable[None]]


class Stranger:
    """A libp2p host that has the swarm's key and follows no rules."""

    def __init__(self, host: Any, target: Target) -> None:
        self.host = host
        self.target = target
        self._keys: KeyPair = KeyPair(host.get_private_key(), host.get_public_key())
        self._seqno = time.time_ns()
        self._streams: list[Any] = []

    async def open(self, protocol: str, peer: Prey) -> Any:
        """Return a stream to a peer of the target, dialling it if necessary."""
        await dial(self.host, peer.addresses[0], self.target.key, 5)
        return await self.host.new_stream(peer_id_of(peer.peer_id), [protocol])

    async def publish(self, *frames: bytes) -> None:
        """Publish correctly signed frames to every peer of the target; redial if all hung up."""
        messages = [self._message(data) for data in frames]
        hello = rpc_pb2.RPC.SubOpts(subscribe=True, topicid=self.target.topic)
        if not self._streams:
            for peer in self.target.peers:
                with suppress(Exception):
                    stream = await self.open(PROTOCOL_ID_V11, peer)
                    await stream.write(_framed(rpc_pb2.RPC(subscriptions=[hello])))
                    self._streams.append(stream)
        for stream in list(self._streams):
            try:
                for message in messages:
                    with trio.move_on_after(1):
                        await stream.write(_framed(rpc_pb2.RPC(publish=[message])))
            except Exception:
                # However the victim closed it, the attacker continues with the other streams.
                self._streams.remove(stream)

    def _message(self, data: bytes) -> Any:
        self._seqno += 1
        message = rpc_pb2.Message(
            from_id=self.host.get_id().to_bytes(),
            data=data,
            topicIDs=[self.target.topic],
            seqno=self._seqno.to_bytes(8, "big"),
        )
        signed = PUBSUB_SIGNING_PREFIX.encode() + message.SerializeToString()
        message.signature = self._keys.private_key.sign(signed)
        message.key = self._keys.public_key.serialize()
        return message


def _framed(rpc: Any) -> bytes:
    return bytes(encode_varint_prefixed(rpc.SerializeToString()))


@asynccontextmanager
async def stranger(target: Target, *, reads: bool = True) -> AsyncIterator[Stranger]:
    """Run a stranger's host."""
    listen = "/ip4/127.0.0.1/tcp/0"
    host = build_host((listen,), target.key)

    async def sink(stream: Any) -> None:
        if not reads:
            await trio.sleep_forever()
        # An exception that leaves a handler would stop the host, and with it the attack.
        with suppress(Exception):
            while await stream.read(65536):
                pass

    host.set_stream_handler(PROTOCOL_ID_V11, sink)
    async with host.run(listen_addrs=[Multiaddr(listen)]):
        try:
            yield Stranger(host, target)
        finally:
            await hang_up(host)


# --- attackers that are not let in ----------------------------------------------------------------


async def plaintext_only(target: Target) -> None:
    """Offers only plaintext in the multistream handshake, again and again."""
    _, host, port = parse_address(target.victim.addresses[0])
    while True:
        with suppress(OSError, trio.BrokenResourceError):
            async with await trio.open_tcp_stream(host, port) as tcp:
                await tcp.send_all(b"\x13/multistream/1.0.0\n\x11/plaintext/2.0.0\n")
                with trio.move_on_after(0.2):
                    await tcp.receive_some()
        await trio.sleep(0.05)


async def wrong_swarm_key(target: Target) -> None:
    """Has a key, but not this swarm's."""
    listen = "/ip4/127.0.0.1/tcp/0"
    key = secrets.token_hex(32)
    host = build_host((listen,), key)
    async with host.run(listen_addrs=[Multiaddr(listen)]):
        while True:
            with suppress(DialError):
                peer = await dial(host, target.victim.addresses[0], key, 1)
                raise AssertionError(f"let in as {peer}")
            await trio.sleep(0.05)


async def socket_noise(target: Target) -> None:
    """Opens sockets that send nothing, send garbage or are reset."""
    _, host, port = parse_address(target.victim.addresses[0])
    idle: deque[trio.SocketStream] = deque()
    while True:
        with suppress(OSError, trio.BrokenResourceError):
            for said in (b"", random.randbytes(300), b"\x13/multistream/1.0.0\n" + bytes(200)):
                tcp = await trio.open_tcp_stream(host, port)
                await tcp.send_all(said)
                idle.append(tcp)
            tcp = await trio.open_tcp_stream(host, port)
            tcp.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            tcp.socket.close()
        while len(idle) > IDLE_SOCKETS:
            await idle.popleft().aclose()
        await trio.sleep(0.02)


# --- streams --------------------------------------------------------------------------------------


async def huge_frames(target: Target) -> None:
    """Sends messages of 1 and 10 MiB, on the gossip stream and on the sync stream."""
    async with stranger(target) as attacker:
        while True:
            for size in (1 << 20, 10 << 20):
                with suppress(Exception):
                    stream = await attacker.open(PROTOCOL_ID_V11, target.victim)
                    await stream.write(bytes(encode_varint_prefixed(bytes(size))))
                with suppress(Exception):
                    stream = await attacker.open(sync.PROTOCOL, target.victim)
                    await stream.write(bytes(16) + size.to_bytes(4) + bytes(size))
            await trio.sleep(0.1)


async def half_open_streams(target: Target) -> None:
    """Opens streams of every protocol, sends half a message, and waits."""
    async with stranger(target) as attacker:
        kept = []
        for protocol, beginning in (
            (PROTOCOL_ID_V11, b"\xff\xff\x03half"),
            (sync.PROTOCOL, bytes(16) + b"\x00\x00\x01"),
            (sync.PROTOCOL, b"sal"),
        ):
            for peer in target.peers:
                for _ in range(12):
                    with suppress(Exception):
                        stream = await attacker.open(protocol, peer)
                        await stream.write(beginning)
                        kept.append(stream)
        await trio.sleep_forever()


async def never_reads(target: Target) -> None:
    """Subscribes at every peer, and reads nothing that it is sent."""
    async with stranger(target, reads=False) as attacker:
        await attacker.publish()
        await trio.sleep_forever()


# --- records --------------------------------------------------------------------------------------


async def replays(target: Target) -> None:
    """Repeats records that every peer has."""
    async with stranger(target) as attacker:
        while True:
            records = list(target.records)
            random.shuffle(records)
            await attacker.publish(encode_bundle(records[:BUNDLE]))
            await trio.sleep(0.02)


def forgeries(target: Target) -> Iterator[bytes]:
    """Yield records that no peer may keep, or not yet."""
    key = Ed25519PrivateKey.generate()
    now = int(time.time() * 1000)
    goal = target.goals[-1] if target.goals else bytes(32)
    good = sign(Notice(stamp=Stamp(now), goal=goal, code="x", text="x"), key).raw
    honest = target.victim.author
    year = 365 * 86_400_000
    yield good[:40] + bytes(64) + good[104:]
    yield good[:1] + honest + good[33:]
    yield b"\x02" + good[1:]
    yield sign(Goal(stamp=Stamp(now + year), swarm="hostile", text="later"), key).raw
    yield by_hand(key, b'{"a":' * 10_000 + b"1" + b"}" * 10_000)
    yield by_hand(key, b"[" * 60_000)
    yield by_hand(key, many_children(goal, now, 4_000))
    yield by_hand(key, many_children(goal, now, 10_000)[: 65_536 - 97])
    unknown = {"v": 9, "kind": "future", "stamp": [now, 0], "goal": goal.hex(), "x": "y" * 60_000}
    yield by_hand(key, json.dumps(unknown).encode())
    yield by_hand(key, b'{"v":1,"kind":"notice","code":"x","text":"\\ud83d","stamp":[1,1]}')


def many_children(goal: bytes, now: int, count: int) -> bytes:
    """Return the body of a proposal with far too many parts."""
    head = {"v": 1, "kind": "proposal", "stamp": [now, 0], "goal": goal.hex(), "node": goal.hex()}
    return json.dumps({**head, "parts": [{"title": "x"}] * count}, separators=(",", ":")).encode()


def by_hand(key: Ed25519PrivateKey, body: bytes) -> bytes:
    """Sign any bytes as a record."""
    author = key.public_key().public_bytes_raw()
    return b"\x01" + author + key.sign(DOMAIN + author + body) + body


async def forged_records(target: Target) -> None:
    """Sends broken signatures, others' keys, unknown versions, stamps a year ahead, deep JSON."""
    async with stranger(target) as attacker:
        while True:
            for raw in forgeries(target):
                await attacker.publish(encode_bundle([raw]))
            await trio.sleep(0.05)


async def tiny_records(target: Target) -> None:
    """Sends tiny genuine records for the newest goal, by many authors, as fast as they can be made.

    The claims are for a second attempt, so that they cost work and not a lease: claiming a task and
    doing nothing is another attack, whose cost the policy sets (docs/security.md).
    """
    crowd = [Ed25519PrivateKey.generate() for _ in range(CROWD)]
    async with stranger(target) as attacker:
        number = 0
        while True:
            goal = target.goals[-1] if target.goals else bytes(32)
            now = int(time.time() * 1000)
            bundle = []
            for _ in range(BUNDLE):
                number += 1
                body: KnownBody = Claim(stamp=Stamp(now, number), goal=goal, node=goal, attempt=2)
                if number % 2:
                    body = Notice(stamp=Stamp(now, number), goal=goal, code="x", text="x")
                bundle.append(sign(body, crowd[number % CROWD]).raw)
            await attacker.publish(encode_bundle(bundle))
            await trio.sleep(0.05)


async def sham_work(target: Target) -> None:
    """Sends results without claims, goals of other swarms, presences of peers that do not exist."""
    async with stranger(target) as attacker:
        while True:
            goal = target.goals[-1] if target.goals else bytes(32)
            now = Stamp(int(time.time() * 1000))
            key = Ed25519PrivateKey.generate()
            said: list[KnownBody] = [
                Presence(stamp=now, swarm="hostile", role="observer", name=NASTY[:64]),
                Goal(stamp=now, swarm="elsewhere", text="not here"),
                Result(stamp=now, goal=goal, node=goal, claim=goal, outcome="done", text=NASTY),
            ]
            await attacker.publish(encode_bundle([sign(body, key).raw for body in said]))
            await trio.sleep(0.1)


async def nasty_texts(target: Target) -> None:
    """Sends mentions, control characters, direction overrides, invisible and very long lines."""
    async with stranger(target) as attacker:
        while True:
            goal = target.goals[-1] if target.goals else bytes(32)
            now = Stamp(int(time.time() * 1000))
            key = Ed25519PrivateKey.generate()
            said: list[KnownBody] = [
                Notice(stamp=now, goal=goal, code="@everyone", text=NASTY[:2_000]),
                Result(
                    stamp=now, goal=goal, node=goal, claim=goal, outcome="done", text="x" * 60_000
                ),
            ]
            await attacker.publish(encode_bundle([sign(body, key).raw for body in said]))
            await trio.sleep(0.1)


SYBILS = 200
"""How many keys a flood of goals by made-up authors uses."""


async def goal_flood(target: Target) -> None:
    """Submits goals, all of one author, as fast as they can be made.

    Every peer keeps as many of them as of any author and plans them: the author is a stranger, but
    in an open swarm strangers may ask.
    """
    await _submit(target, [Ed25519PrivateKey.generate()])


async def sybil_flood(target: Target) -> None:
    """Submits goals of two hundred made-up authors in turn, as fast as they can be made."""
    await _submit(target, [Ed25519PrivateKey.generate() for _ in range(SYBILS)])


async def _submit(target: Target, keys: list[Ed25519PrivateKey]) -> None:
    async with stranger(target) as attacker:
        number = 0
        while True:
            now = int(time.time() * 1000)
            bundle = []
            for _ in range(BUNDLE // 4):
                number += 1
                stamp = Stamp(now, number)
                goal = Goal(stamp=stamp, swarm="hostile", text=f"No {number}")
                bundle.append(sign(goal, keys[number % len(keys)]))
            await attacker.publish(encode_bundle([goal.raw for goal in bundle]))
            await trio.sleep(0.02)


async def notice_flood(target: Target) -> None:
    """Sends notices for the newest goal, all of one author, as fast as they can be made."""
    key = Ed25519PrivateKey.generate()
    async with stranger(target) as attacker:
        number = 0
        while True:
            goal = target.goals[-1] if target.goals else bytes(32)
            now = int(time.time() * 1000)
            bundle = []
            for _ in range(BUNDLE):
                number += 1
                body = Notice(stamp=Stamp(now, number), goal=goal, code="x", text="x")
                bundle.append(sign(body, key))
            await attacker.publish(encode_bundle([notice.raw for notice in bundle]))
            await trio.sleep(0.02)


ATTACKS: dict[str, Attack] = {
    attack.__name__: attack
    for attack in (
        plaintext_only,
        wrong_swarm_key,
        socket_noise,
        huge_frames,
        half_open_streams,
        never_reads,
        replays,
        forged_records,
        tiny_records,
        sham_work,
        nasty_texts,
    )
}

FLOODS: dict[str, Attack] = {
    attack.__name__: attack for attack in (goal_flood, sybil_flood, notice_flood)
}
"""Floods by strangers. Agents also do what it asks for, so they are measured apart from the
attacks that only cost work at the protocol."""
