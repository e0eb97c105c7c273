"""Abuse of the gossip protocol by a neighbour that has the swarm's key, on real hosts.

Each test checks a bound on the victim's work or memory, and that an honest record still passes.
"""

from __future__ import annotations

import random
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import Any

import pytest
import trio
import trio.testing
from libp2p.crypto.ed25519 import create_new_key_pair
from libp2p.peer.id import ID
from libp2p.pubsub.gossipsub import PROTOCOL_ID_V11
from libp2p.pubsub.pb import rpc_pb2
from libp2p.pubsub.validators import signature_validator

import swarm.net.pubsub.safe_pubsub as pubsub_module
import swarm.net.sync as sync_module
from swarm.core.records import record_id
from swarm.gossip.admission import DIGESTS_BURST, DIGESTS_PER_SECOND
from swarm.gossip.frames import digest_of, encode_digest
from swarm.gossip.reconcile import SALT_SIZE, Reconciler
from swarm.gossip.record_set import AddResult
from swarm.gossip.scope import ALL, LIVE, Scope
from swarm.gossip.sync_schedule import ANSWERS_BURST, ANSWERS_PER_SECOND
from swarm.net.pubsub.rpc_filter import AGAIN_BYTES, MAX_BACKOFF_SECONDS
from swarm.net.pubsub.safe_pubsub import (
    FORGED_FORGIVEN,
    MAX_GOSSIP_STREAMS,
    MESSAGES_A_TURN,
    SafePubsub,
)
from swarm.net.sync import PROTOCOL, SLICE_SECONDS, Sync
from tests.net.attacker import LEAVE, SUBSCRIBE, attacked, control, signed
from tests.net.hosts import TOPIC, Member, members, rpc, stranger, until
from tests.net.memory import MemoryRecords, history

pytestmark = pytest.mark.trio


class Sent:
    """Counts the bytes of messages that a router sends to one peer."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, peer_id: ID) -> None:
        self.bytes = 0
        write = SafePubsub.write_msg

        async def count(pubsub: SafePubsub, stream: Any, rpc_msg: Any) -> bool:
            if stream.muxed_conn.peer_id == peer_id:
                self.bytes += sum(len(message.data) for message in rpc_msg.publish)
            return await write(pubsub, stream, rpc_msg)

        monkeypatch.setattr(SafePubsub, "write_msg", count)


async def test_a_requested_message_is_sent_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A message requested three hundred times in an RPC, in hex or not, is sent once."""
    async with attacked() as (_, attacker, pubsub):
        sent = Sent(monkeypatch, attacker.id)
        size = 100_000
        message = signed(create_new_key_pair(), 1, b"\x7f" + bytes(size - 1))
        await attacker.send(rpc(publish=[message]))
        identity = message.from_id + message.seqno
        await until(5, lambda: pubsub.router.mcache.get(identity) is not None)
        forms = (identity, identity.hex().encode(), identity.hex().upper().encode())
        wishes = [rpc_pb2.ControlIWant(messageIDs=forms * 50) for _ in range(2)]
        forwarded = sent.bytes
        await attacker.send(control(iwant=wishes))
        assert sent.bytes - forwarded <= size
        for _ in range(9):
            await attacker.send(control(iwant=wishes))
        assert sent.bytes - forwarded <= AGAIN_BYTES


async def test_repeated_subscriptions_replay_messages_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A peer that announces itself fifty times at once gets the recent messages once."""
    async with attacked() as (victim, attacker, pubsub):
        sent = Sent(monkeypatch, attacker.id)
        await until(5, lambda: victim.linked == 2)
        for number in range(3):
            author = create_new_key_pair()
            await attacker.send(rpc(publish=[signed(author, number, b"\x7f" + bytes(200_000))]))
        await until(5, lambda: len(pubsub.router.mcache.window(TOPIC)) >= 3)
        size = sum(
            len(pubsub.router.mcache.get(i).data) for i in pubsub.router.mcache.window(TOPIC)
        )
        before = sent.bytes
        for _ in range(5):
            await attacker.send(rpc(subscriptions=[LEAVE, SUBSCRIBE] * 10))
        await trio.testing.wait_all_tasks_blocked(0.05)
        assert sent.bytes - before <= AGAIN_BYTES + size


@pytest.mark.parametrize("kind", ["ihave", "graft", "prune", "subscriptions"])
async def test_topics_that_nobody_has_leave_no_trace(kind: str) -> None:
    """Thousands of made-up topics fill no table, not even after their sender has left."""
    async with attacked() as (_, attacker, pubsub):
        router = pubsub.router
        answers: list[Any] = []
        router.emit_control_message = _note(answers)
        names = [f"made up {i}" for i in range(4_000)]
        match kind:
            case "ihave":
                ids = [i.to_bytes(8) for i in range(5)]
                entries = [rpc_pb2.ControlIHave(topicID=n, messageIDs=ids) for n in names]
                frame = control(ihave=entries)
            case "graft":
                frame = control(graft=[rpc_pb2.ControlGraft(topicID=n) for n in names])
            case "prune":
                frame = control(
                    prune=[rpc_pb2.ControlPrune(topicID=n, backoff=2**60) for n in names]
                )
            case _:
                opts = [rpc_pb2.RPC.SubOpts(subscribe=True, topicid=n) for n in names]
                frame = rpc(subscriptions=opts)
        await attacker.send(frame)
        await trio.testing.wait_all_tasks_blocked(0.05)
        for table in (
            router.back_off,
            pubsub.peer_topics,
            router.mesh,
            *router.graft_flood_tracking.values(),
            *router.ihave_message_limits.values(),
        ):
            assert set(table) <= {TOPIC}
        assert len(answers) <= 1


def _note(answers: list[Any]) -> Any:
    async def note(message: Any, peer: Any) -> None:
        answers.append((message, peer))
        await trio.lowlevel.checkpoint()

    return note


def is_noted(pubsub: SafePubsub, peer: ID) -> bool:
    tables = (pubsub.router.mesh, pubsub.router.back_off)
    return any(peer in table.get(TOPIC, ()) for table in tables)


async def test_a_peer_that_leaves_remains_in_neither_mesh_nor_backoff() -> None:
    """Strangers that accept none of our streams graft, prune and leave; no table grows."""
    graft = control(graft=[rpc_pb2.ControlGraft(topicID=TOPIC)])
    prune = control(prune=[rpc_pb2.ControlPrune(topicID=TOPIC, backoff=2**60)])
    async with attacked() as (victim, _, pubsub):
        for frame in (graft, prune):
            async with stranger(victim) as passer:
                passer.host.remove_stream_handler(PROTOCOL_ID_V11)
                me = passer.host.get_id()
                await passer.send(frame)
                await until(5, partial(is_noted, pubsub, me))
                assert me not in pubsub.peers
                latest = pubsub.router.back_off.get(TOPIC, {}).get(me, 0)
                assert latest <= time.time() + MAX_BACKOFF_SECONDS + 1
            await until(10, lambda me=me: not is_noted(pubsub, me))  # type: ignore[misc]


async def test_a_neighbour_that_forwards_forgeries_is_disconnected_soon(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Hundreds of forged messages in one RPC cost a few checks, and their sender its connection."""
    checks: list[Any] = []
    check = signature_validator

    def count(message: Any) -> Any:
        checks.append(message)
        return check(message)

    monkeypatch.setattr(pubsub_module, "signature_validator", count)
    authors = [ID.from_pubkey(create_new_key_pair().public_key).to_bytes() for _ in range(5)]
    forged = [
        rpc_pb2.Message(
            from_id=authors[i % 5],
            data=b"\x02",
            topicIDs=[TOPIC],
            seqno=i.to_bytes(8),
            signature=bytes(64),
        )
        for i in range(400)
    ]
    async with attacked() as (_, attacker, pubsub):
        await until(5, lambda: str(attacker.id) in pubsub.subscribers())
        await attacker.send(rpc(publish=forged))
        await until(5, lambda: checks)
        await until(10, lambda: str(attacker.id) not in pubsub.subscribers())
        assert len(checks) <= FORGED_FORGIVEN + 1
        assert pubsub.bad_frames >= FORGED_FORGIVEN


async def test_many_messages_in_one_frame_let_other_tasks_run() -> None:
    """While a frame with hundreds of messages is handled, other tasks run in between."""
    async with attacked() as (_, attacker, pubsub):
        keys = create_new_key_pair()
        batch = [signed(keys, i, b"\x7f") for i in range(200)]
        handled: list[int] = []
        turns = 0
        push = pubsub.push_msg

        async def count(forwarder: Any, message: Any) -> None:
            await push(forwarder, message)
            handled.append(turns)

        pubsub.push_msg = count  # type: ignore[method-assign, assignment]
        async with trio.open_nursery() as nursery:
            nursery.start_soon(attacker.send, rpc(publish=batch))
            while len(handled) < len(batch):
                turns += 1
                await trio.lowlevel.checkpoint()
        most = max(handled.count(turn) for turn in set(handled))
        # Between two turns of this task, the other task may finish one turn and start its next.
        assert most <= 2 * MESSAGES_A_TURN


async def test_a_message_counts_once_however_often_it_names_the_topic() -> None:
    """A message that names our topic a thousand times, or hides bytes, is not delivered."""
    async with attacked() as (victim, attacker, pubsub):
        keys = create_new_key_pair()
        often = signed(keys, 1, b"\x7f", topics=(TOPIC,) * 1_000)
        padded = signed(keys, 2, b"\x7f")
        padded.key = bytes(500_000)
        received = victim.network.counters().messages_received
        await attacker.send(rpc(publish=[often, padded]))
        await until(5, lambda: pubsub.bad_frames >= 2)
        await trio.testing.wait_all_tasks_blocked(0.05)
        assert victim.network.counters().messages_received == received
        assert not pubsub.router.mcache.window(TOPIC)


async def test_a_neighbour_has_few_gossip_streams() -> None:
    """Incomplete frames of a megabyte wait on a few streams at most; the newest stream is read."""
    async with attacked() as (_, attacker, pubsub):
        streams = [await attacker.open() for _ in range(3 * MAX_GOSSIP_STREAMS)]
        for stream in streams:
            with trio.move_on_after(1):
                try:
                    await stream.write(b"\xff\xff\x03half")
                except Exception:
                    continue
        reading = pubsub._intakes[attacker.id].streams
        await until(5, lambda: len(reading) == MAX_GOSSIP_STREAMS)
        newest = await attacker.open()
        await newest.write(rpc(subscriptions=[LEAVE]))
        await until(5, lambda: str(attacker.id) not in pubsub.subscribers())
        assert len(reading) == MAX_GOSSIP_STREAMS
        for stream in (*streams, newest):
            with suppress(Exception):
                await stream.reset()
        await until(5, lambda: not reading)


async def test_an_origin_has_few_digests_compared() -> None:
    """Of many digests at once, a few are compared; records still arrive."""
    async with attacked(*history(5)) as (victim, attacker, _):
        gossip = victim.network._gossip
        assert gossip is not None
        compared: list[str] = []

        def note(digest: Any, now_ms: int, origin: str = "") -> None:
            compared.append(origin)

        gossip.digest = note  # type: ignore[method-assign]
        keys = create_new_key_pair()
        received = victim.network.counters().messages_received
        began = trio.current_time()
        for number in range(int(2 * DIGESTS_BURST)):
            frame = encode_digest([digest_of(bytes(32), [number.to_bytes(32)])])
            await attacker.send(rpc(publish=[signed(keys, number, frame)]))
        mine = str(ID.from_pubkey(keys.public_key))
        await until(10, lambda: victim.network.counters().messages_received - received >= 10)
        await until(5, lambda: compared.count(mine) >= DIGESTS_BURST)
        await trio.testing.wait_all_tasks_blocked(0.05)
        elapsed = trio.current_time() - began
        assert compared.count(mine) <= DIGESTS_BURST + DIGESTS_PER_SECOND * elapsed + 1


async def test_a_neighbour_is_answered_a_few_sync_sessions() -> None:
    """A peer that opens session after session makes us index our records only a few times."""
    victim = Member(*history(20))
    async with members(victim), stranger(victim) as attacker:
        sync = victim.network._sync
        assert sync is not None
        looks = 0
        side = sync._side

        async def count(salt: bytes, scope: Scope, *, packs: bool = False) -> Any:
            nonlocal looks
            looks += 1
            return await side(salt, scope, packs=packs)

        sync._side = count  # type: ignore[method-assign]
        began = trio.current_time()
        for _ in range(40):
            stream = await attacker.open(PROTOCOL)
            with suppress(Exception):
                await stream.write(bytes(SALT_SIZE) + LIVE.encode())
                await stream.reset()
        await until(5, lambda: looks)
        elapsed = trio.current_time() - began
        assert looks <= ANSWERS_BURST + ANSWERS_PER_SECOND * elapsed + 1
        late = Member(peers=(victim.address,), speaks=False)
        async with members(late):
            await until(5, lambda: len(late.records) == 20)


class Quiet:
    """A host of which only `set_stream_handler` is used."""

    def set_stream_handler(self, protocol: str, handler: Any) -> None:
        """Do nothing."""


def lone_sync(*raws: bytes) -> Sync:
    return Sync(
        Quiet(),
        MemoryRecords(*raws),
        take=lambda _: AddResult.NEW,
        subscribers=frozenset,
        finished=lambda peer, size: None,
        rng=random.Random(1),
    )


@asynccontextmanager
async def others() -> AsyncIterator[list[None]]:
    """Run another task, which counts its turns."""
    turns: list[None] = []

    async def run() -> None:
        while True:
            turns.append(None)
            await trio.lowlevel.checkpoint()

    async with trio.open_nursery() as nursery:
        nursery.start_soon(run)
        yield turns
        nursery.cancel_scope.cancel()


async def test_indexing_all_records_lets_other_tasks_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Other tasks run between two parts of the index, and its prints are the same."""
    monkeypatch.setattr(sync_module, "FOLD", 10)
    raws = history(200)
    sync = lone_sync(*raws)
    async with others() as turns:
        mine, seconds = await sync._side(bytes(SALT_SIZE), ALL)
    assert len(turns) > len(raws) // 20
    assert seconds > 0
    other = Reconciler([record_id(raw) for raw in raws], lambda _: None, bytes(16))
    for side in (mine, other):
        side.begin()
    assert mine.take() == other.take()


async def test_a_costly_sync_message_lets_other_tasks_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A sync message that repeats its questions is not read in one go."""
    clock = 0.0

    def tick() -> float:
        nonlocal clock
        clock += 0.0001
        return clock

    monkeypatch.setattr("swarm.net.sync.time.thread_time", tick)
    sync = lone_sync(*history(200))
    side, _ = await sync._side(bytes(SALT_SIZE), ALL)
    root = b"\x01\x00\x01" + bytes(8)
    async with others() as turns:
        assert not await sync._read(side, root * 2_000)
    assert len(turns) > 2_000 * 0.0001 / SLICE_SECONDS / 2
