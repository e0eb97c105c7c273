"""What one neighbour or origin can take of a peer: admission, turns, sync, disk."""

from __future__ import annotations

from pathlib import Path

import pytest
import trio
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from swarm.core.clock import Stamp
from swarm.core.records import Goal, Notice, record_id, sign
from swarm.core.store.limits import Limits
from swarm.core.store.store import Store
from swarm.gossip.admission import (
    FORGIVEN,
    FORWARD_BYTES_BURST,
    MUTED_MS,
    PAUSE_MOST_MS,
    Admission,
    ReadingPace,
)
from swarm.gossip.frames import FrameError
from swarm.gossip.outbox import Outbox
from swarm.gossip.reconcile import MAX_MESSAGE, SALT_SIZE, Reconciler
from swarm.net.pubsub.fair_queue import (
    FORGOTTEN_PER_SECOND,
    FREE_SECONDS,
    MAX_BYTES,
    MAX_WAITING,
    MAX_WAITING_BYTES,
    FairQueue,
)
from swarm.peer.peer import Peer
from swarm.peer.replica import Replica
from swarm.peer.settings import PeerSettings

KEY = Ed25519PrivateKey.from_private_bytes(b"\x07" * 32)


def test_an_honest_pace_is_never_refused() -> None:
    """Whoever keeps the outbox's own pace, with as much as it lets out, is heard every time."""
    admission = Admission()
    outbox = Outbox(lambda _: None)
    now = 0
    for number in range(20_000):
        outbox.put(number.to_bytes(450, "big"), now)
    while not outbox.empty:
        due = outbox.due(now)
        assert due is not None
        now = max(now, due)
        sending = outbox.drain(now)
        if sending is not None:
            assert admission.admit("neighbour", b"honest", len(sending.frame), now)
    assert now < 40_000


def test_who_is_over_its_share_is_refused_before_its_signature_is_looked_at() -> None:
    """What an origin may not say now is known from its name and size; others are not affected."""
    admission = Admission()
    assert not admission.is_over(b"loud", 1_000_000, 0)
    while admission.admit("neighbour", b"loud", 100_000, 0):
        pass
    assert admission.is_over(b"loud", 100_000, 0)
    assert not admission.is_over(b"quiet", 100_000, 0)
    pause = admission.pause(b"loud", 100_000, 0)
    assert 0 < pause <= PAUSE_MOST_MS
    assert admission.admit("neighbour", b"loud", 100_000, pause)


def test_only_so_much_of_an_origin_is_sent_on() -> None:
    """Of what is admitted, a burst and a steady flow are forwarded; it refills with time."""
    admission = Admission()
    admission.admit("neighbour", b"loud", 1_000, 0)
    sent = 0
    while admission.may_forward(b"loud", 1_000, 0):
        sent += 1_000
    assert sent <= FORWARD_BYTES_BURST
    assert admission.may_forward(b"loud", 1_000, 1_000)
    assert not admission.may_forward(b"unknown", 1_000, 0)


def test_a_flooding_origin_is_heard_at_a_bounded_pace_and_others_as_ever() -> None:
    """A thousand messages a second come down to a few; another origin loses none."""
    admission = Admission()
    loud = quiet = 0
    for now in range(60_000):
        loud += admission.admit("neighbour", b"loud", 1_000, now)
        if now % 500 == 0:
            quiet += admission.admit("neighbour", b"quiet", 1_000, now)
    assert loud < 60 * 10
    assert quiet == 120


def test_fresh_identities_do_not_multiply_a_neighbours_share() -> None:
    """A new origin for every message is let in at the pace of newcomers, and only there."""
    admission = Admission()
    heard = sum(admission.admit("sybil", str(n).encode(), 100, n) for n in range(60_000))
    assert heard < 256 + 60 * 5
    assert admission.admit("another", b"honest", 100, 60_000)


def test_who_sends_forgeries_is_muted_for_a_while() -> None:
    """A few malformed records are forgiven, more are not, and it ends."""
    admission = Admission()
    assert admission.admit("n", b"forger", 1, 0)
    assert not any(admission.report_fault(b"forger", 0) for _ in range(FORGIVEN))
    assert admission.report_fault(b"forger", 0)
    assert not admission.admit("n", b"forger", 1, MUTED_MS - 1)
    assert admission.admit("n", b"forger", 1, MUTED_MS)


def test_a_fast_neighbour_is_read_more_slowly() -> None:
    """A megabyte a millisecond makes reading wait; a swarm's usual traffic does not."""
    pace = ReadingPace()
    assert not any(pace.pause(2_000, now * 20) for now in range(1_000))
    assert max(pace.pause(1_000_000, 20_000 + now) for now in range(100)) > 5_000


@pytest.mark.trio
async def test_who_says_little_comes_before_who_says_much(autojump_clock: object) -> None:
    """A queue full of one origin's messages holds up another's by the slice at hand only."""
    inbox = FairQueue(lambda origin, data: (data[:1],) * 100)
    for _ in range(2 * MAX_WAITING):
        inbox.put(b"loud", b"x" * 100)
    for _ in range(5):
        origin, _ = await inbox.turn()
        assert origin == b"loud"
        inbox.end(origin, seconds=0.003, whole=False)
    inbox.put(b"quiet", b"y")
    origin, _ = await inbox.turn()
    assert origin == b"quiet"


@pytest.mark.trio
async def test_who_says_much_gets_what_is_left_but_not_all(autojump_clock: object) -> None:
    """Over its free time an origin has a fifth of a core, and another's message breaks a rest."""
    inbox = FairQueue(lambda origin, data: (data[:1],) * 100)
    for _ in range(MAX_WAITING):
        inbox.put(b"loud", b"x")
    worked, began = 0.0, trio.current_time()
    while trio.current_time() < began + 10:
        origin, _ = await inbox.turn()
        worked += 0.002
        inbox.end(origin, seconds=0.002, whole=False)
    assert 1.5 < worked < 2.7
    async with trio.open_nursery() as nursery:
        at = trio.current_time()

        async def say() -> None:
            await trio.sleep(0.001)
            inbox.put(b"quiet", b"y")

        nursery.start_soon(say)
        origin, _ = await inbox.turn()
    assert origin == b"quiet"
    assert trio.current_time() - at < 0.002


@pytest.mark.trio
async def test_what_reading_a_message_costs_is_charged_too(
    autojump_clock: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Digests are acted on while they are read: whoever sends many of them waits like others."""
    spent = 0.0
    monkeypatch.setattr("swarm.net.pubsub.fair_queue.time.thread_time", lambda: spent)

    def read(origin: bytes, data: bytes) -> tuple[bytes, ...]:
        nonlocal spent
        spent += 0.01
        return ()

    inbox = FairQueue(read)
    began = trio.current_time()
    while trio.current_time() < began + 10:
        inbox.put(b"loud", b"x")
        origin, _ = await inbox.turn()
        inbox.end(origin, seconds=0.0)
    assert 1.5 < spent < 2.7


@pytest.mark.trio
async def test_work_is_forgiven_with_time(autojump_clock: object) -> None:
    """Who said much, and then little for a while, comes at once again."""
    inbox = FairQueue(lambda origin, data: (data,))
    inbox.put(b"loud", b"x")
    origin, _ = await inbox.turn()
    inbox.end(origin, seconds=FREE_SECONDS)
    await trio.sleep(1 / FORGOTTEN_PER_SECOND)
    inbox.put(b"loud", b"x")
    at = trio.current_time()
    origin, _ = await inbox.turn()
    inbox.end(origin, seconds=0.01)
    assert trio.current_time() == at


@pytest.mark.trio
async def test_an_inbox_is_bounded_and_gives_its_room_back(autojump_clock: object) -> None:
    """Over its bytes nothing more waits; what is done with makes room again."""
    inbox = FairQueue(lambda origin, data: (data,))
    big = bytes(MAX_WAITING_BYTES)
    count = MAX_BYTES // len(big)
    kept = [inbox.put(bytes([number]), big) for number in range(count + 2)]
    assert kept == [True] * count + [False] * 2
    assert not inbox.has_room(bytes([0]), 1)
    origin, _ = await inbox.turn()
    inbox.end(origin, seconds=0.0)
    assert inbox.put(b"late", big)


@pytest.mark.parametrize("part", [b"\x04\x00", b"\x02\x00\x00"], ids=["all", "an empty list"])
def test_a_sync_partner_may_not_ask_for_everything_again_and_again(part: bytes) -> None:
    """Two bytes ask for all ids; 384 KiB of them would cost minutes, so it is cut off."""
    ids = [n.to_bytes(32, "little") for n in range(20_000)]
    side = Reconciler(ids, lambda _: b"r" * 100, bytes(SALT_SIZE))
    with pytest.raises(FrameError, match="repeats"):
        side.receive(part * (MAX_MESSAGE // len(part)))


@pytest.mark.trio
async def test_what_is_let_go_leaves_the_disk_too(tmp_path: Path) -> None:
    """A flood that displaces itself without end does not fill the replica."""
    peer = Peer(PeerSettings(role="observer", swarm="test", mdns=False, state_dir=tmp_path))
    limits = Limits(records_per_author=10)
    peer.store = Store("test", limits=limits, on_new=peer._on_new, on_gone=peer._on_gone)
    now = peer.now()
    goal = sign(
        Goal(stamp=Stamp(now - 10_000), swarm="test", text="x"), Ed25519PrivateKey.generate()
    )
    async with trio.open_nursery() as nursery:
        await nursery.start(peer.run)
        peer.store.add(goal.raw, now)
        for number in range(200):
            body = Notice(stamp=Stamp(now - number), goal=goal.id, code="c", text="t")
            peer.store.add(sign(body, KEY).raw, now)
        await trio.sleep(0.5)
        nursery.cancel_scope.cancel()
    replica = Replica(tmp_path / "replica-test.sqlite3")
    on_disk = {record_id(raw) for raw in replica.load()}
    replica.close()
    assert on_disk == set(peer.store.ids(goal.id))
    assert len(on_disk) == 11


@pytest.mark.trio
async def test_a_large_replica_is_loaded_whole_in_any_order(tmp_path: Path) -> None:
    """Records whose goal comes later in the file than there is room for orphans are kept too."""
    peer = Peer(PeerSettings(role="observer", swarm="test", mdns=False, state_dir=tmp_path))
    peer.store = Store("test", limits=Limits(orphans=5), on_new=peer._on_new, on_gone=peer._on_gone)
    goal = sign(Goal(stamp=Stamp(peer.now()), swarm="test", text="x"), KEY)
    notes = [
        sign(Notice(stamp=Stamp(peer.now(), n), goal=goal.id, code="c", text="t"), KEY)
        for n in range(40)
    ]
    replica = Replica(tmp_path / "replica-test.sqlite3")
    replica.load()
    replica.save([(record.id, record.raw) for record in [goal, *notes]])
    replica.close()
    await peer._load_replica()
    assert len(peer.store) == 41
