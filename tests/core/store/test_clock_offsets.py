"""Presences stamped by wrong clocks are noted; they count for nothing, and few can mislead."""

from __future__ import annotations

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given, settings
from hypothesis import strategies as st

from swarm.core.clock import MAX_DRIFT_MS, Stamp
from swarm.core.records import Presence, Record, sign
from swarm.core.store.clock_offsets import JUDGES
from swarm.core.store.limits import Limits
from swarm.core.store.store import Store
from tests.core.store.samples import NOW

ME = b"me" * 16
HOUR = 3_600_000
BEAT = 20_000
KEYS = [Ed25519PrivateKey.from_private_bytes(bytes([seed]) * 32) for seed in range(1, 60)]
LATER = NOW + 100 * 24 * HOUR

wrong = st.sampled_from([-HOUR, -20_000, 20_000, HOUR, 30 * 24 * HOUR])


def beat(peer: int, ms: int, *, swarm: str = "test") -> Record:
    return sign(
        Presence(stamp=Stamp(ms), swarm=swarm, role="executor", name=f"p{peer}"), KEYS[peer]
    )


class Heard:
    """A store that hears the presences of peers, each by a clock of its own."""

    def __init__(self, *offsets: int, limits: Limits | None = None) -> None:
        self.store = Store("test", limits=limits)
        self.offsets = list(offsets)
        self.now = LATER

    def beats(self, times: int = 2) -> None:
        """Let every peer show itself at its usual interval."""
        for _ in range(times):
            self.now += BEAT
            for peer, offset in enumerate(self.offsets):
                self.store.add(beat(peer, self.now + offset).raw, self.now)
            self.store.advance(self.now)

    @property
    def differing(self) -> dict[str, int]:
        return {
            record.body.name: offset
            for record, offset, _ in self.store.clocks.differing()
            if isinstance(record.body, Presence)
        }

    def behind(self, *, hint: bool = False) -> int:
        own = self.store.clocks.own(ME, hint=hint)
        return 0 if own is None else own.behind_ms


@given(wrong)
@settings(deadline=None)
def test_one_odd_peer_is_noted_with_its_offset_and_moves_nothing_else(off: int) -> None:
    """Ahead or behind, by 20 s or more: its offset is known, and this clock is not blamed."""
    heard = Heard(0, 0, off)
    heard.beats()
    assert heard.differing == {"p2": off}
    assert heard.behind() == heard.behind(hint=True) == 0
    if abs(off) >= HOUR:
        assert heard.store.present == 2, "it does not count as present"


@given(wrong)
@settings(deadline=None)
def test_a_wrong_clock_of_ones_own_is_known_by_how_much(off: int) -> None:
    """If this machine is the odd one, the median of the others tells by how much."""
    heard = Heard(-off, -off + 300, -off - 300)
    heard.beats()
    assert heard.behind() == -off


@given(wrong)
@settings(deadline=None)
def test_a_command_knows_after_each_peer_was_heard_once(off: int) -> None:
    """A command hears each peer once, and that is enough to tell its user."""
    heard = Heard(-off, -off, -off)
    heard.beats(1)
    assert heard.behind(hint=True) == -off


def test_of_two_clocks_neither_is_called_wrong() -> None:
    """One other peer alone, or half of the peers, cannot make this clock look wrong."""
    for offsets in ([HOUR], [HOUR, 0], [HOUR, HOUR, 0, 0], [-HOUR], [-HOUR, 0]):
        heard = Heard(*offsets)
        heard.beats()
        assert heard.behind() == heard.behind(hint=True) == 0
        assert heard.differing


@given(st.lists(st.integers(7_000, 69_000), min_size=1, max_size=8))
@settings(deadline=None)
def test_old_presences_that_were_repeated_are_no_wrong_clocks(ages: list[int]) -> None:
    """A newcomer hears old presences of others beside a fresh one: no clock looks wrong."""
    heard = Heard()
    for peer, age in enumerate(ages):
        heard.store.add(beat(peer, heard.now - age).raw, heard.now)
    heard.store.add(beat(50, heard.now - 100).raw, heard.now)
    assert heard.differing == {}
    assert heard.behind() == heard.behind(hint=True) == 0


def test_presences_replayed_by_a_liar_do_not_outlive_a_fresh_one() -> None:
    """Old presences of an honest peer, replayed, are cleared by its next and ignored afterwards."""
    heard = Heard()
    old = [beat(0, heard.now - HOUR + ms).raw for ms in (0, BEAT)]
    heard.store.add(old[0], heard.now)
    assert [certain for _, _, certain in heard.store.clocks.differing()] == [False]
    heard.store.add(beat(0, heard.now).raw, heard.now)
    assert heard.differing == {}
    heard.store.add(old[1], heard.now + 1_000)
    assert heard.differing == {}


def test_a_crowd_that_comes_later_does_not_outvote_the_peers_known_longest() -> None:
    """Forty made-up authors with another clock change nothing; those known longest decide."""
    heard = Heard(*[0] * JUDGES)
    heard.beats()
    heard.offsets += [HOUR] * 40
    heard.beats()
    assert heard.behind() == heard.behind(hint=True) == 0


def test_a_clock_that_is_set_right_is_cleared() -> None:
    """The peer restarts with the right time: it counts, and is no longer called wrong."""
    for off in (HOUR, -HOUR, 20_000, -20_000):
        heard = Heard(0, off)
        heard.beats()
        assert heard.differing == {"p1": off}
        heard.offsets[1] = 0
        heard.now += 1
        heard.beats(1)
        assert heard.differing == {}
        assert heard.store.present == 2


def test_setting_ones_own_clock_clears_what_was_known() -> None:
    """After this machine's clock was set back or ahead, nothing is judged by the old time."""
    for off in (-HOUR, HOUR):
        heard = Heard(off, off, off)
        heard.beats()
        assert heard.behind() == off
        heard.now += off
        heard.offsets = [0, 0, 0]
        heard.beats()
        assert heard.behind() == 0
        assert heard.differing == {}


def test_what_is_noted_is_bounded_and_runs_out() -> None:
    """No more authors are kept than may be present; each is forgotten when it falls silent."""
    heard = Heard(*[HOUR] * 40, limits=Limits(presences=10))
    heard.beats()
    assert len(heard.store.clocks) == 10
    heard.store.advance(heard.now + heard.store.limits.presence_ms + 1)
    assert len(heard.store.clocks) == 0


def test_other_swarms_and_ones_own_presence_reveal_nothing() -> None:
    """Presences of another swarm are not noted, and one's own, repeated by others, is no judge."""
    heard = Heard()
    for times in range(2):
        now = heard.now + times * BEAT
        heard.store.add(beat(0, now + HOUR, swarm="other").raw, now)
        heard.store.add(beat(1, now + HOUR).raw, now)
        heard.store.add(beat(2, now + HOUR).raw, now)
    me = KEYS[1].public_key().public_bytes_raw()
    assert set(heard.differing) == {"p1", "p2"}
    assert heard.store.clocks.own(me) is None
    assert heard.store.clocks.own(ME) is not None
    assert MAX_DRIFT_MS < HOUR
