"""Anti-entropy: how all peers get the same records although gossip loses messages.

Speakers publish digests of the goals that matter now (`trickle` decides when). A peer that holds
records which a digest lacks plans to repeat them after a random delay, and so does every speaker
when a newcomer subscribes. It removes from its plan whatever it overhears meanwhile, so that one
holder publishes and the rest stay silent. The history for a newcomer is shared among speakers: each
bucket of ids has an order of speakers, and each waits for what the one before it publishes. So even
a peer that only listens gets everything, and a swarm at rest is silent.

Bounds against a hostile or broken peer: repetitions of one record for digests, and services to a
subscriber that comes and goes, have doubling pauses; plans are few; the outbox caps the bytes a
minute.

Sans-I/O: time is passed in, in milliseconds on any clock that only goes forward.
"""

from __future__ import annotations

import hashlib
import random
from collections import deque
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from swarm.core.bounded import BoundedDict, BoundedSet
from swarm.gossip import frames
from swarm.gossip.comparison import IN_FLIGHT_MS, MAX_EXPLAINED, Comparison, LocalView
from swarm.gossip.frames import BUCKETS, bucket_of
from swarm.gossip.outbox import AGAIN_BYTES_PER_SECOND, Outbox
from swarm.gossip.record_set import RecordSet
from swarm.gossip.trickle import Trickle

DELAY_MIN_MS = 50
DELAY_MAX_MS = 500
"""The shortest and longest random delay in milliseconds before records are repeated: wide enough
that the first holder's bundle (45 ms to arrive) silences most others."""

UNSURE_MS = 1_500
"""Milliseconds more when the digest may instead show that *we* lack something, so that the answer
to our own digest comes first."""

LATE_SHARE = 4
"""How many times its own lateness a peer waits in addition. A starved machine also reads late: what
seems to be missing is probably in its sockets, and repeating it would take its last time."""

LATE_MS = 500
"""Milliseconds of lateness from which a peer withholds its digests, because they are outdated."""

LATE_MOST_MS = 5_000
"""Milliseconds of lateness that count at most: a peer suspended for a night is not busy."""

LATE_FADES = 2
"""In how many milliseconds one millisecond of lateness is forgotten."""

WITHHELD_MOST_MS = 8_000
"""Milliseconds for which digests are withheld at most, however late or busy the peer is: without
them nobody notices what is really lost."""

REPEAT_FIRST_MS = 2_000
REPEAT_MOST_MS = 600_000
"""Milliseconds between repetitions of one record for digests, doubling from the first to the second
value: two peers whose limits keep different records must not repeat them for ever."""

NEWCOMER_FIRST_MS = 2_000
NEWCOMER_MOST_MS = 30_000
"""Milliseconds between two services to one subscriber, doubling from the first to the second."""

RANK_MS = 1_500
"""Milliseconds that a peer waits for each speaker that comes before it in publishing a bucket of
the history for a newcomer: what that one publishes need not be repeated."""

HISTORY_MS = 10_000
"""Extra milliseconds before a newcomer's share of the history is published: goals that ended and
did not change lately. A newcomer that can asks for them over a stream before that, and then none of
it is published."""

RANK_MOST = 3
"""Speakers that a peer waits for at most, because each may be gone or only listening."""

RECORD_BYTES = 500
"""Bytes of a usual record, to estimate how long it takes to publish a share of the history."""

ALL_BUCKETS = frozenset(range(BUCKETS))

NEWCOMER_FORGET_MS = 900_000
"""Milliseconds after which a subscriber that came and went counts as new."""

CHANGED_MS = 120_000
"""Milliseconds for which a goal that changed stays in digests although it has ended: its last
records can be lost like any other."""

ASKED_MS = 60_000
MAX_ASKED = 64
"""For how many milliseconds, and for how many goals at once, our digests include goals that others'
digests named and we lack parts of. That is how we ask for them."""

BURST = BUCKETS * MAX_EXPLAINED
"""Records that arrive within `IN_FLIGHT_MS` and make a digest useless, because others could not
tell a loss from records on their way. Busy machines once spent their time on such digests."""

MAX_REMEMBERED = 16_384
"""Entries in each memory of what was heard and published; the oldest are forgotten."""

MAX_PLANS = 64
"""Plans at once."""


@dataclass(slots=True)
class _Plan:
    """Records to repeat at `due_ms`, unless overheard after `since_ms`.

    A plan serves either new subscribers (`peers`, with the goals in our digests or with all others,
    the history) or digests that lack records.
    """

    since_ms: int
    due_ms: int
    peers: set[str] = field(default_factory=set)
    buckets: frozenset[int] = ALL_BUCKETS
    history: bool = False
    digests: dict[bytes, frames.GoalDigest] = field(default_factory=dict)


class AntiEntropy:
    """Anti-entropy of one peer that may publish.

    Call `poll` when `due` says. How much later it is called tells how busy the machine is.

    Args:
        records: what this peer holds.
        view: the same records, ready to compare.
        outbox: where digests and repetitions go.
        rng: draws the delays.
        now_ms: the time.
    """

    def __init__(
        self, records: RecordSet, view: LocalView, outbox: Outbox, rng: random.Random, now_ms: int
    ) -> None:
        self._records = records
        self._view = view
        self._outbox = outbox
        self._rng = rng
        self._trickle = Trickle(rng, now_ms)
        self._plans: list[_Plan] = []
        self._heard: BoundedDict[bytes, int] = BoundedDict(MAX_REMEMBERED)
        self._repeated: BoundedDict[bytes, tuple[int, int]] = BoundedDict(MAX_REMEMBERED)
        self._newcomers: BoundedDict[str, tuple[int, int]] = BoundedDict(MAX_REMEMBERED)
        self._disputes: BoundedSet[tuple[bytes, bytes, bytes]] = BoundedSet(MAX_REMEMBERED)
        self._asked: dict[bytes, int] = {}
        self._changed: dict[bytes, int] = {}
        self._turn = 0
        self._arrivals: deque[int] = deque(maxlen=BURST)
        self._late = (0, now_ms)
        """By how many milliseconds this peer was last late, and when."""
        self._withheld_since_ms: int | None = None
        """Since when digests are withheld."""

    def arrived(self, record_id: bytes, now_ms: int) -> None:
        """Note a new record, which will make digests differ soon."""
        goal = self._records.goal_of(record_id)
        if goal is not None:
            self._changed[goal] = now_ms
        self._trickle.reset(now_ms)
        self._arrivals.append(now_ms)

    def heard(self, record_id: bytes, now_ms: int) -> None:
        """Note that a record was on the topic, so that it need not be repeated."""
        self._heard[record_id] = now_ms
        self._outbox.heard(record_id)

    def newcomer(
        self, peer: str, now_ms: int, ranks: Mapping[int, int] | None = None, speakers: int = 1
    ) -> bool:
        """Plan to publish everything held for a new subscriber.

        One that was served lately only gets the goals in our digests, because it cannot have
        noticed that it lacks anything else.

        Args:
            peer: the subscriber.
            now_ms: the time.
            ranks: for each bucket of ids, how many speakers publish it before this peer
                (`ranks_in`); None means none do.
            speakers: how many peers share the work, this one included.

        Returns:
            Whether it is served now. A peer that comes and goes too often is served later.
        """
        waiting = [plan for plan in self._plans if peer in plan.peers]
        for plan in waiting:
            # Subscribing again does not delay what is already planned.
            plan.since_ms = now_ms
        if not all(plan.history for plan in waiting):
            return False
        served_ms, pause_ms = self._newcomers.get(peer, (None, NEWCOMER_FIRST_MS))
        if served_ms is None or now_ms - served_ms > NEWCOMER_FORGET_MS:
            allowed_ms, pause_ms = now_ms, NEWCOMER_FIRST_MS
        else:
            allowed_ms, pause_ms = served_ms + pause_ms, min(2 * pause_ms, NEWCOMER_MOST_MS)
        at_ms = max(now_ms, allowed_ms)
        self._newcomers[peer] = (at_ms, pause_ms)
        first = served_ms is None or now_ms - served_ms > CHANGED_MS
        due_ms = at_ms + self._delay(now_ms)
        shares: dict[int, set[int]] = {}
        for bucket in ALL_BUCKETS:
            shares.setdefault(min((ranks or {}).get(bucket, 0), RANK_MOST), set()).add(bucket)
        for history in (False, True) if first and not waiting else (False,):
            step_ms = RANK_MS + self._share_ms(speakers, history=history)
            for rank, buckets in sorted(shares.items()):
                at = due_ms + rank * step_ms + (HISTORY_MS if history else 0)
                share = _Plan(now_ms, at, {peer}, frozenset(buckets), history)
                self._serve(share, earliest_ms=at_ms)
        if at_ms == now_ms:
            self._trickle.reset(now_ms)
        return at_ms == now_ms

    def _serve(self, share: _Plan, earliest_ms: int) -> None:
        """Plan a share for a newcomer; join it with a plan for others at about that time."""
        for plan in self._plans:
            near = plan.due_ms <= share.due_ms + DELAY_MAX_MS
            alike = plan.buckets == share.buckets and plan.history == share.history
            if plan.peers and alike and near:
                plan.peers |= share.peers
                plan.since_ms = share.since_ms
                plan.due_ms = max(plan.due_ms, earliest_ms)
                return
        self._plan(share)

    def _share_ms(self, speakers: int, *, history: bool) -> int:
        """Return about how many ms one of so many speakers takes to publish its share."""
        goals = self._records.goals() if history else self._recent()
        held = sum(self._records.summary(goal)[0] for goal in goals)
        return int(1000 * held * RECORD_BYTES / max(1, speakers) / AGAIN_BYTES_PER_SECOND)

    def _recent(self) -> list[bytes]:
        """Return the goals that live or changed lately: those that our digests include."""
        return list(dict.fromkeys([*self._records.live_goals(), *self._changed]))

    def synced(self, peer: str) -> None:
        """Note that a subscriber got what it lacks over a stream; nothing need be published."""
        for plan in self._plans:
            plan.peers.discard(peer)
        self._plans = [p for p in self._plans if p.peers or p.digests]

    def compared(self, theirs: frames.GoalDigest, result: Comparison, now_ms: int) -> None:
        """Act on how one goal of another peer's digest compares with ours."""
        if result.same:
            return
        mine = self._view.digest(theirs.goal)
        dispute = (theirs.goal, theirs.xor, mine.xor)
        if dispute not in self._disputes and not result.flux:
            self._trickle.reset(now_ms)
        self._disputes.add(dispute)
        self._ask(theirs.goal, now_ms)
        if result.they_lack:
            delay = self._delay(now_ms) + (0 if result.certain else UNSURE_MS)
            for plan in self._plans:
                if theirs.goal in plan.digests:
                    return
            self._plan(_Plan(now_ms, now_ms + delay, digests={theirs.goal: theirs}))

    def agreed(self, goals: Iterable[bytes], now_ms: int) -> None:
        """Note a digest that agrees with ours. If it covers all our goals, ours is not needed."""
        self._forget_changes(now_ms)
        if set(self._recent()) <= set(goals):
            self._trickle.agree()

    def due(self) -> int:
        """Return when to call `poll` next."""
        return min([self._trickle.due(), *(p.due_ms for p in self._plans)])

    def poll(self, now_ms: int) -> None:
        """Move what is due to the outbox."""
        late = min(now_ms - self.due(), LATE_MOST_MS)
        if late > self._lateness(now_ms):
            self._late = late, now_ms
        ready = [p for p in self._plans if p.due_ms <= now_ms]
        self._plans = [p for p in self._plans if p.due_ms > now_ms]
        for plan in ready:
            wanted = self._unheard(plan, now_ms) if plan.peers else self._lacking(plan, now_ms)
            self._outbox.put_again(wanted, now_ms)
            if plan.history:
                # Our digests include what was published now, so that a newcomer notices losses.
                self._changed |= dict.fromkeys(self._records.goals(), now_ms)
        if self._trickle.poll(now_ms) and not self._withholds(now_ms):
            digests = self._digests(now_ms)
            if digests:
                self._outbox.put_digest(frames.encode_digest(digests), now_ms)

    def _withholds(self, now_ms: int) -> bool:
        """Return whether a digest would be useless now: too much just arrived, or we are late."""
        burst = len(self._arrivals) == BURST and now_ms - self._arrivals[0] < IN_FLIGHT_MS
        if burst or self._lateness(now_ms) >= LATE_MS:
            if self._withheld_since_ms is None:
                self._withheld_since_ms = now_ms
            if now_ms - self._withheld_since_ms < WITHHELD_MOST_MS:
                return True
        self._withheld_since_ms = None
        return False

    def _lateness(self, now_ms: int) -> int:
        late, at = self._late
        return max(0, late - (now_ms - at) // LATE_FADES)

    def _delay(self, now_ms: int) -> int:
        return self._rng.randint(DELAY_MIN_MS, DELAY_MAX_MS) + LATE_SHARE * self._lateness(now_ms)

    def _plan(self, plan: _Plan) -> None:
        if len(self._plans) < MAX_PLANS:
            self._plans.append(plan)

    def _unheard(self, plan: _Plan, now_ms: int) -> Iterator[bytes]:
        self._forget_changes(now_ms)
        goals = self._recent()
        if plan.history:
            recent = set(goals)
            goals = [goal for goal in self._records.goals() if goal not in recent][::-1]
        for goal in goals:
            for record_id in _goal_first(goal, self._records.ids(goal)):
                if bucket_of(record_id) not in plan.buckets:
                    continue
                if self._heard.get(record_id, -1) < plan.since_ms:
                    yield record_id

    def _lacking(self, plan: _Plan, now_ms: int) -> Iterator[bytes]:
        for goal, theirs in plan.digests.items():
            result = self._view.compare(theirs, plan.since_ms)
            ids = [i for bucket in result.they_lack.values() for i in bucket]
            for record_id in _goal_first(goal, ids):
                if self._heard.get(record_id, -1) < plan.since_ms and self._may_repeat(
                    record_id, now_ms
                ):
                    yield record_id

    def _may_repeat(self, record_id: bytes, now_ms: int) -> bool:
        said_at, pause = self._repeated.get(record_id, (None, REPEAT_FIRST_MS))
        if said_at is not None and now_ms - said_at < pause:
            return False
        following = pause if said_at is None else min(2 * pause, REPEAT_MOST_MS)
        self._repeated[record_id] = (now_ms, following)
        return True

    def _ask(self, goal: bytes, now_ms: int) -> None:
        if goal in self._asked or len(self._asked) < MAX_ASKED:
            self._asked[goal] = now_ms

    def _digests(self, now_ms: int) -> list[frames.GoalDigest]:
        self._forget_changes(now_ms)
        self._asked = {g: t for g, t in self._asked.items() if now_ms - t < ASKED_MS}
        goals = list(dict.fromkeys([*self._asked, *self._recent()]))
        if len(goals) > frames.MAX_DIGEST_GOALS:
            self._turn = (self._turn + frames.MAX_DIGEST_GOALS) % len(goals)
            goals = [*goals[self._turn :], *goals[: self._turn]][: frames.MAX_DIGEST_GOALS]
        return [self._view.digest(goal) for goal in goals]

    def _forget_changes(self, now_ms: int) -> None:
        self._changed = {g: t for g, t in self._changed.items() if now_ms - t < CHANGED_MS}


def ranks_in(me: str, speakers: Collection[str]) -> dict[int, int]:
    """Return for each bucket how many speakers publish it for a newcomer before me.

    All peers that know the same speakers compute the same order; it differs between buckets.
    """
    others = set(speakers) - {me}
    return {
        bucket: sum(_lot(bucket, other) < _lot(bucket, me) for other in others)
        for bucket in ALL_BUCKETS
    }


def _lot(bucket: int, peer: str) -> bytes:
    return hashlib.blake2b(f"{bucket} {peer}".encode(), digest_size=8).digest()


def _goal_first(goal: bytes, ids: Iterable[bytes]) -> list[bytes]:
    """Return ids with the goal's own record first, so that no peer holds orphans for long."""
    return sorted(ids, key=lambda record_id: record_id != goal)
