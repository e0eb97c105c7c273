"""No list of addresses, however long and from however many, closes the table to better ones."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from swarm.net.connections import candidates
from swarm.net.connections.candidates import MAX_OF_ONE, Candidates, Source
from tests.net.connections.test_manager import peer

LISTED = "/dns4/listed.example/tcp/1"


def address(name: str, port: int = 1) -> str:
    return f"/ip4/192.0.2.1/tcp/{port}/p2p/{peer(name)}"


def table() -> Candidates:
    return Candidates([LISTED], peer("own"), random.Random(1))


said = st.tuples(
    st.integers(0, 12).map(lambda n: f"p{n}"),
    st.integers(1, 9),
    st.sampled_from([Source.NAMED, Source.ANNOUNCED, Source.BOOK]),
    st.sampled_from(["t0", "t1", "t2"]),
    st.booleans(),
)


@settings(max_examples=100)
@given(st.lists(said, max_size=120))
def test_whatever_is_said_the_table_keeps_its_bounds(
    says: list[tuple[str, int, Source, str, bool]],
) -> None:
    """The table is bounded in all, per peer id and per neighbour; configured addresses stay."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(candidates, "MAX_CANDIDATES", 20)
        patch.setattr(candidates, "MAX_NAMED", 6)
        subject = table()
        for name, port, source, source_peer, is_failing in says:
            told_by = source_peer if source is Source.NAMED else None
            subject.add(address(name, port), source, told_by, {peer("p0")})
            if is_failing:
                next(iter(subject)).failures += 1
        found = [c for c in subject if not c.listed]
        assert LISTED in {c.address for c in subject}
        assert len(found) <= 20
        assert max(Counter(c.peer_id for c in found).values(), default=0) <= MAX_OF_ONE
        assert max(Counter(c.source_peer for c in found if c.source_peer).values(), default=0) <= 6


@pytest.mark.parametrize("liars", [1, 300])
@pytest.mark.parametrize("source", [Source.ANNOUNCED, Source.BOOK])
def test_addresses_from_strangers_crowd_out_no_better_ones(liars: int, source: Source) -> None:
    """However much neighbours name, addresses from the network or machine are accepted."""
    subject = table()
    for n in range(1_100):
        source_peer = peer(f"liar{n % liars}")
        subject.add(address(f"made up {n}"), Source.NAMED, source_peer, {source_peer})
    assert subject.add(address("honest"), source, None, ())
    assert address("honest") in {c.address for c in subject}
    assert len(subject) <= candidates.MAX_CANDIDATES + 1


@pytest.mark.parametrize("source", [Source.NAMED, Source.ANNOUNCED])
def test_a_full_table_takes_what_comes_last_of_the_same_kind(source: Source) -> None:
    """A source that names most keeps out neither later ones nor what others name for that peer."""
    subject = table()
    told = source is Source.NAMED
    for n in range(1_100):
        subject.add(address(f"made up {n}"), source, peer(f"liar{n}") if told else None, ())
    for port in range(2, 40):
        subject.add(address("honest", port), source, peer("liar") if told else None, ())
    assert subject.add(address("honest"), source, peer("friend") if told else None, ())


def test_a_neighbour_known_anyway_is_forgotten_first() -> None:
    """An attacker that is connected takes no room with what it says of itself."""
    subject = table()
    for n in range(candidates.MAX_CANDIDATES - MAX_OF_ONE):
        subject.add(address(f"p{n}"), Source.NAMED, peer(f"t{n}"), ())
    met = {peer("met"), *(peer(f"t{n}") for n in range(2_000))}
    for port in range(1, MAX_OF_ONE + 1):
        subject.add(address("met", port), Source.NAMED, peer("met"), met)
    for n in range(1, MAX_OF_ONE + 1):
        subject.add(address(f"q{n}"), Source.NAMED, peer("t1"), met)
    assert not subject.of_peer(peer("met"))


def test_addresses_that_were_named_and_found_take_turns() -> None:
    """Neither the crowd of the one kind nor that of the other is dialled alone; listed come first.

    Fails when one kind always goes first: two machines with many peers each would come apart.
    """
    subject = table()
    for n in range(40):
        subject.add(address(f"book{n}"), Source.BOOK, None, ())
        subject.add(address(f"mdns{n}"), Source.ANNOUNCED, None, ())
    for n in range(400):
        subject.add(address(f"told{n}"), Source.NAMED, peer(f"t{n}"), ())
    ready = subject.ready(0.0, {peer("told1")})
    assert ready[0].listed
    assert len(ready) == len(subject) - 1
    kinds = Counter(c.source for c in ready[1:61])
    assert min(kinds[source] for source in (Source.BOOK, Source.ANNOUNCED, Source.NAMED)) >= 5


def test_the_better_source_counts() -> None:
    """An address named by a neighbour and then found in the book counts as the book's."""
    subject = table()
    subject.add(address("p"), Source.NAMED, peer("t"), ())
    assert not subject.add(address("p"), Source.BOOK, None, ())
    assert not subject.add(address("p"), Source.NAMED, peer("t"), ())
    (known,) = subject.of_peer(peer("p"))
    assert (known.source, known.source_peer) == (Source.BOOK, None)


@pytest.mark.parametrize("text", ["", "nonsense", "/ip4/1.2.3.4/udp/1", address("own")])
def test_addresses_that_cannot_be_dialled_are_not_kept(text: str) -> None:
    """Nonsense, this peer itself and addresses without end."""
    subject = table()
    assert not subject.add(text, Source.BOOK, None, ())
    assert not subject.add(f"/dns4/{'x' * 300}/tcp/1", Source.BOOK, None, ())
    assert len(subject) == 1
