"""Repair: how a swarm whose gossip loses messages still ends with the same records everywhere.

Speakers gossip digests of the goals that matter now (`trickle` says when). Whoever holds what a
digest lacks, and everyone when somebody new subscribes, plans to publish those records again after
a random delay, and drops from the plan whatever it overhears meanwhile: so one holder speaks and
the rest stay silent. A newcomer's history is shared out: each bucket of ids has an order of those
who publish it, and the next one waits for what the one before says. A peer that only listens
therefore ends with everything, and a swarm at rest makes no noise.

Bounds against a hostile or broken peer: a record is repeated for digests with doubling pauses, a
subscriber that comes and goes is served with doubling pauses, plans are few, and the outbox caps
the bytes a minute.

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
"""Milliseconds before records are published again, drawn at random: wide enough that the first
holder's bundle (45 ms to arrive) silences most others."""

UNSURE_MS = 1_500
"""Milliseconds more when the digest may rather show that *we* lack something: their answer to our
own digest comes first."""

LATE_SHARE = 4
"""How much longer than its own lateness a peer waits besides. A starved machine reads late too:
what seems to be missing is probably in its sockets, and repeating it takes what time there is."""

LATE_MS = 500
"""Milliseconds of lateness from which a peer keeps its digests to itself: they are out of date."""

LATE_MOST_MS = 5_000
"""The most that counts: a peer that was suspended for a night is not busy."""

LATE_FADES = 2
"""Milliseconds after which a millisecond of lateness is forgotten."""

KEPT_BACK_MS = 8_000
"""Milliseconds for which digests are kept back at most, however late or busy the peer is: without
them nobody notices what is really lost."""

REPEAT_FIRST_MS = 2_000
REPEAT_MOST_MS = 600_000
"""Milliseconds between repetitions of one record for digests, doubling between these: two peers
whose caps keep different records must not repeat them for ever."""

NEWCOMER_FIRST_MS = 2_000
NEWCOMER_MOST_MS = 30_000
"""Milliseconds between two services to the same subscriber, doubling between these."""

RANK_MS = 1_500
"""Milliseconds more before a peer publishes a newcomer's share of the history that others publish
first, for each of them: what they say meanwhile need not be said again."""

RANK_MOST = 3
"""Peers that are waited for at most, as each of them may have gone or only listen."""

RECORD_BYTES = 500
"""Bytes of a usual record, for an estimate of how long a share of the history takes to say."""

ALL_BUCKETS = frozenset(range(BUCKETS))

NEWCOMER_FORGET_MS = 900_000
"""Milliseconds after which a subscriber's history is forgiven."""

CHANGED_MS = 120_000
"""Milliseconds for which a goal that changed stays in digests though it has ended: its last
records can be lost like any."""

ASKED_MS = 60_000
MAX_ASKED = 64
"""Milliseconds for which, and how many at once, goals of others are answered with what we have
(often nothing), which is how we ask for them."""

BURST = BUCKETS * MAX_EXPLAINED
"""Records that arrive within `IN_FLIGHT_MS` and make a digest useless: more than others could tell
from records on their way. Saying it all the same is what a busy machine spent its time on."""

MAX_REMEMBERED = 16_384
"""Entries in each memory of what was heard and said; the oldest are forgotten."""

MAX_PLANS = 64
"""Plans to publish again at once."""


@dataclass(slots=True)
class _Plan:
    """Records to publish again at `due`, unless overheard after `since`.

    Either for new subscribers (`peers`; everything held, or only what digests name) or for what
    digests lack.
    """

    since: int
    due: int
    peers: set[str] = field(default_factory=set)
    buckets: frozenset[int] = ALL_BUCKETS
    everything: bool = True
    digests: dict[bytes, frames.GoalDigest] = field(default_factory=dict)


class AntiEntropy:
    """The repairing side of one peer that may speak.

    Call `poll` when `due` says so: how much later it is called tells how busy the machine is.

    Args:
        records: what this peer holds.
        view: the same, ready to compare.
        outbox: where digests and repetitions go.
        rng: draws the delays.
        now: the time it begins.
    """

    def __init__(
        self, records: RecordSet, view: LocalView, outbox: Outbox, rng: random.Random, now: int
    ) -> None:
        self._records = records
        self._view = view
        self._outbox = outbox
        self._rng = rng
        self._trickle = Trickle(rng, now)
        self._plans: list[_Plan] = []
        self._heard: BoundedDict[bytes, int] = BoundedDict(MAX_REMEMBERED)
        self._repeated: BoundedDict[bytes, tuple[int, int]] = BoundedDict(MAX_REMEMBERED)
        self._newcomers: BoundedDict[str, tuple[int, int]] = BoundedDict(MAX_REMEMBERED)
        self._disputes: BoundedSet[tuple[bytes, bytes, bytes]] = BoundedSet(MAX_REMEMBERED)
        self._asked: dict[bytes, int] = {}
        self._summaries = {goal: records.summary(goal) for goal in records.goals()}
        self._changed: dict[bytes, int] = {}
        self._turn = 0
        self._arrivals: deque[int] = deque(maxlen=BURST)
        self._late = (0, now)
        """By how many milliseconds this peer did something after it was due, and when."""
        self._kept_since: int | None = None
        """Since when digests are kept back."""

    def arrived(self, now: int) -> None:
        """A record is new here: digests will soon differ."""
        self._trickle.reset(now)
        self._arrivals.append(now)

    def heard(self, record_id: bytes, now: int) -> None:
        """A record was on the topic, from anybody: no need to say it again."""
        self._heard[record_id] = now
        self._outbox.heard(record_id)

    def newcomer(
        self, peer: str, now: int, ranks: Mapping[int, int] | None = None, speakers: int = 1
    ) -> bool:
        """Somebody newly listens: plan to publish everything held.

        Who was served lately gets what digests name: that is all it can have noticed to lack.

        Args:
            peer: who.
            now: the time.
            ranks: for each bucket of ids, how many others publish it before this peer (`ranks_in`);
                None: nobody does.
            speakers: peers that share in it, this one included.

        Returns:
            Whether it is served now, rather than later for coming and going too often.
        """
        waiting = [plan for plan in self._plans if peer in plan.peers]
        if waiting:
            # Asking again does not put off what is planned already.
            for plan in waiting:
                plan.since = now
            return False
        served_at, pause = self._newcomers.get(peer, (None, NEWCOMER_FIRST_MS))
        if served_at is None or now - served_at > NEWCOMER_FORGET_MS:
            allowed, pause = now, NEWCOMER_FIRST_MS
        else:
            allowed, pause = served_at + pause, min(2 * pause, NEWCOMER_MOST_MS)
        at = max(now, allowed)
        self._newcomers[peer] = (at, pause)
        everything = served_at is None or now - served_at > CHANGED_MS
        due = at + self._delay(now)
        shares: dict[int, set[int]] = {}
        for bucket in ALL_BUCKETS:
            shares.setdefault(min((ranks or {}).get(bucket, 0), RANK_MOST), set()).add(bucket)
        step = RANK_MS + self._time_to_say(speakers)
        for rank, buckets in sorted(shares.items()):
            share = _Plan(now, due + rank * step, {peer}, frozenset(buckets), everything)
            self._serve(share, earliest=at)
        if everything:
            # Digests name what is said now, so that a newcomer knows if some of it got lost.
            self._note_changes(now)
            self._changed = dict.fromkeys(self._summaries, at)
        if at == now:
            self._trickle.reset(now)
        return at == now

    def _serve(self, share: _Plan, earliest: int) -> None:
        """Plan a share for a newcomer, together with what is planned for others about then."""
        for plan in self._plans:
            near = plan.due <= share.due + DELAY_MAX_MS
            if plan.peers and plan.buckets == share.buckets and near:
                plan.peers |= share.peers
                plan.everything = plan.everything or share.everything
                plan.since = share.since
                plan.due = max(plan.due, earliest)
                return
        self._plan(share)

    def _time_to_say(self, speakers: int) -> int:
        """Return about how long one of so many takes to say its share of everything, in ms."""
        held = sum(self._records.summary(goal)[0] for goal in self._records.goals())
        return int(1000 * held * RECORD_BYTES / max(1, speakers) / AGAIN_BYTES_PER_SECOND)

    def synced(self, peer: str) -> None:
        """A subscriber asked for what it lacks over a stream: no need to publish it."""
        for plan in self._plans:
            plan.peers.discard(peer)
        self._plans = [p for p in self._plans if p.peers or p.digests]

    def compared(self, theirs: frames.GoalDigest, result: Comparison, now: int) -> None:
        """Act on how one goal of somebody's digest compares with ours."""
        if result.same:
            return
        mine = self._view.digest(theirs.goal)
        dispute = (theirs.goal, theirs.xor, mine.xor)
        if dispute not in self._disputes and not result.flux:
            self._trickle.reset(now)
        self._disputes.add(dispute)
        self._ask(theirs.goal, now)
        if result.they_lack:
            delay = self._delay(now) + (0 if result.certain else UNSURE_MS)
            for plan in self._plans:
                if theirs.goal in plan.digests:
                    return
            self._plan(_Plan(now, now + delay, digests={theirs.goal: theirs}))

    def agreed(self, goals: Iterable[bytes], now: int) -> None:
        """A whole digest agreed with ours; if it covers what we would say, we need not."""
        self._note_changes(now)
        if {*self._records.live_goals(), *self._changed} <= set(goals):
            self._trickle.agree()

    def due(self) -> int:
        """When to call `poll` next."""
        return min([self._trickle.due(), *(p.due for p in self._plans)])

    def poll(self, now: int) -> None:
        """Move what is due to the outbox."""
        late = min(now - self.due(), LATE_MOST_MS)
        if late > self._lateness(now):
            self._late = late, now
        ready = [p for p in self._plans if p.due <= now]
        self._plans = [p for p in self._plans if p.due > now]
        for plan in ready:
            wanted = self._unheard(plan, now) if plan.peers else self._lacking(plan, now)
            self._outbox.put_again(wanted, now)
        if self._trickle.poll(now) and not self._keeps_back(now):
            digests = self._digests(now)
            if digests:
                self._outbox.put_digest(frames.encode_digest(digests), now)

    def _keeps_back(self, now: int) -> bool:
        """Whether a digest would say nothing to anybody: too much just came, or it is too late."""
        burst = len(self._arrivals) == BURST and now - self._arrivals[0] < IN_FLIGHT_MS
        if burst or self._lateness(now) >= LATE_MS:
            self._kept_since = now if self._kept_since is None else self._kept_since
            if now - self._kept_since < KEPT_BACK_MS:
                return True
        self._kept_since = None
        return False

    def _lateness(self, now: int) -> int:
        late, at = self._late
        return max(0, late - (now - at) // LATE_FADES)

    def _delay(self, now: int) -> int:
        return self._rng.randint(DELAY_MIN_MS, DELAY_MAX_MS) + LATE_SHARE * self._lateness(now)

    def _plan(self, plan: _Plan) -> None:
        if len(self._plans) < MAX_PLANS:
            self._plans.append(plan)

    def _unheard(self, plan: _Plan, now: int) -> Iterator[bytes]:
        self._note_changes(now)
        rest = self._records.goals() if plan.everything else self._changed
        for goal in dict.fromkeys([*self._records.live_goals(), *rest]):
            for record_id in _goal_first(goal, self._records.ids(goal)):
                if bucket_of(record_id) not in plan.buckets:
                    continue
                if self._heard.get(record_id, -1) < plan.since:
                    yield record_id

    def _lacking(self, plan: _Plan, now: int) -> Iterator[bytes]:
        for goal, theirs in plan.digests.items():
            result = self._view.compare(theirs, plan.since)
            ids = [i for bucket in result.they_lack.values() for i in bucket]
            for record_id in _goal_first(goal, ids):
                if self._heard.get(record_id, -1) < plan.since and self._may_repeat(record_id, now):
                    yield record_id

    def _may_repeat(self, record_id: bytes, now: int) -> bool:
        said_at, pause = self._repeated.get(record_id, (None, REPEAT_FIRST_MS))
        if said_at is not None and now - said_at < pause:
            return False
        following = pause if said_at is None else min(2 * pause, REPEAT_MOST_MS)
        self._repeated[record_id] = (now, following)
        return True

    def _ask(self, goal: bytes, now: int) -> None:
        if goal in self._asked or len(self._asked) < MAX_ASKED:
            self._asked[goal] = now

    def _digests(self, now: int) -> list[frames.GoalDigest]:
        self._note_changes(now)
        self._asked = {g: t for g, t in self._asked.items() if now - t < ASKED_MS}
        goals = list(dict.fromkeys([*self._asked, *self._records.live_goals(), *self._changed]))
        if len(goals) > frames.MAX_DIGEST_GOALS:
            self._turn = (self._turn + frames.MAX_DIGEST_GOALS) % len(goals)
            goals = [*goals[self._turn :], *goals[: self._turn]][: frames.MAX_DIGEST_GOALS]
        return [self._view.digest(goal) for goal in goals]

    def _note_changes(self, now: int) -> None:
        current = {goal: self._records.summary(goal) for goal in self._records.goals()}
        for goal, summary in current.items():
            if self._summaries.get(goal) != summary:
                self._changed[goal] = now
        self._summaries = current
        self._changed = {g: t for g, t in self._changed.items() if now - t < CHANGED_MS}


def ranks_in(me: str, speakers: Collection[str]) -> dict[int, int]:
    """Return for each bucket how many of the speakers publish it for a newcomer before me.

    Everybody who knows the same speakers comes to the same order, which is another in each bucket.
    """
    others = set(speakers) - {me}
    return {
        bucket: sum(_lot(bucket, other) < _lot(bucket, me) for other in others)
        for bucket in ALL_BUCKETS
    }


def _lot(bucket: int, peer: str) -> bytes:
    return hashlib.blake2b(f"{bucket} {peer}".encode(), digest_size=8).digest()


def _goal_first(goal: bytes, ids: Iterable[bytes]) -> list[bytes]:
    """The ids with the goal's own record before all others, so nobody holds orphans for long."""
    return sorted(ids, key=lambda record_id: record_id != goal)
