"""When a peer asks which neighbour over a sync stream, and which neighbours it answers.

A peer asks a neighbour when it has connected to it, when digests show that it lacks something, and
once in a while. On connecting it asks for the goals that live, and for all others some seconds
later. A peer that only listens asks on connecting and on demand (to hand on what it may be the last
to hold, see `handoff`), and answers nobody.

Nothing here does I/O or reads a clock. `swarm.net.sync` drives it over libp2p, and the simulator
drives the same objects over its virtual wire. Times are milliseconds on any clock that only goes
forward.
"""

from __future__ import annotations

import random
from collections.abc import Collection
from typing import NamedTuple

from swarm.core.bounded import BoundedDict
from swarm.gossip.scope import ALL, LIVE, Scope
from swarm.gossip.token_bucket import TokenBucket

PERIOD_MS = 60_000
"""Longest time between two sessions with a random neighbour when nothing calls for one, in ms; the
shortest is half of it."""

OTHER_SIDE_ASKS_MS = 1_500
"""How long to wait for a neighbour that dialled us to ask, before asking it, in ms."""

HISTORY_AFTER_MS = 1_500
"""How long after the live goals a peer asks a new neighbour for all goals, in ms: what lives comes
first, and a peer that stays for a moment only never asks."""

HISTORY_AGAIN_MS = 60_000
"""How long a session about all goals with a neighbour makes another one needless, in ms."""

HISTORY_BYTES_PER_SECOND = 4 * 1024 * 1024
"""How fast a peer gives a neighbour goals that have ended."""

LEVEL_AFTER_MS = 30_000
"""How long after its start a peer counts as level with others, in ms, even if it has exchanged
everything with none: by then there is no peer that holds more."""

TRIES = 4
"""Neighbours asked in turn until one answers: those that only listen do not."""

MAX_REMEMBERED = 1_000
"""Neighbours whose last session is remembered."""

SESSION_MS = 60_000
"""How long one session may take, in ms. A megabyte takes 0.1 s on loopback; the rest is for slow
links."""

STALL_MS = 10_000
"""How long one message may take to come or go, in ms. A partner that takes longer is dropped, so
that half-open sessions do not keep others out. The longest message takes 20 ms on loopback."""

MAX_TURNS = 500
"""Messages of each side in one session: 128 MB of history."""

MAX_SESSIONS = 8
"""Sessions answered at once, one per neighbour. Further ones are refused; those peers ask again."""

ANSWERS_PER_SECOND = 0.5
ANSWERS_BURST = 4.0
"""Sessions in which a neighbour is answered. A peer that lacks something asks every 2 s at the
soonest (`pull`), and once when it connects. Each session costs us a look at all we hold."""

WORK_PER_SECOND = 0.25
WORK_BURST = 4.0
"""Seconds of work on such looks for all neighbours together: sixty sessions at once for a peer that
holds 50,000 records. When they are used up, only neighbours that have not asked before are
answered."""


class Ask(NamedTuple):
    """A session to hold: with which peer, about which goals."""

    peer: str
    scope: Scope


class SyncSchedule:
    """Decides which neighbour a peer asks, and when. It asks one neighbour at a time."""

    def __init__(
        self,
        rng: random.Random,
        now_ms: int,
        *,
        on_meeting: bool = True,
        history: bool = True,
        periodic: bool = True,
    ) -> None:
        """Start with the first periodic session up to `PERIOD_MS` away.

        Args:
            rng: for choices and jitter.
            now_ms: the time.
            on_meeting: whether to ask new neighbours.
            history: whether to ask them for goals that have ended, too.
            periodic: whether to ask a random neighbour once in a while.
        """
        self._rng = rng
        self._on_meeting = on_meeting
        self._history = history
        self._periodic = periodic
        self._wishes: dict[Ask, int] = {}
        """When to ask each new neighbour."""
        self._synced_ms: BoundedDict[Ask, int] = BoundedDict(MAX_REMEMBERED)
        self._level_ms = now_ms + LEVEL_AFTER_MS
        self._lacks = False
        self._round: list[str] | None = None
        """Neighbours still to be asked in turn; None: no round is under way."""
        self._period_ms: int | None = None
        """When the next periodic round is due; None: never."""
        self._plan(now_ms)

    def met(self, peer: str, now_ms: int, *, dialled: bool) -> None:
        """Plan to ask a new neighbour: at once if we dialled it, else unless it asks us first."""
        if self._on_meeting:
            self._wishes[Ask(peer, LIVE)] = now_ms if dialled else now_ms + OTHER_SIDE_ASKS_MS

    def lacking(self) -> None:
        """Ask now: this peer has lacked something for a while, or may be its last holder."""
        self._lacks = True

    def due_ms(self) -> int | None:
        """Return when to look again with `next_to_ask`; None: when something happens."""
        if self._lacks or self._round is not None:
            return 0
        due = [*self._wishes.values()]
        if self._period_ms is not None:
            due.append(self._period_ms)
        return min(due, default=None)

    def next_to_ask(self, subscribers: Collection[str], now_ms: int) -> Ask | None:
        """Return the session to hold now, or None. Report its end to `asked`.

        Args:
            subscribers: the neighbours that can be asked.
            now_ms: the time.
        """
        if self._round is None:
            for ask, at_ms in list(self._wishes.items()):
                if at_ms <= now_ms:
                    del self._wishes[ask]
                    if ask.peer in subscribers and not self._recent(ask, now_ms):
                        return ask
            if not self._lacks and (self._period_ms is None or now_ms < self._period_ms):
                return None
            self._lacks = False
            self._round = self._rng.sample(sorted(subscribers), min(TRIES, len(subscribers)))
        if self._round:
            return Ask(self._round.pop(0), ALL)
        self._end_round(now_ms)
        return None

    def asked(self, ask: Ask, now_ms: int, *, finished: bool) -> None:
        """Take note that a session this peer asked for is over.

        Args:
            ask: the session.
            now_ms: the time.
            finished: whether the session came to its end, rather than being refused or broken off.
        """
        if finished:
            self.synced(ask, now_ms)
            if ask.scope == LIVE and self._history:
                delay_ms = int(HISTORY_AFTER_MS * self._rng.uniform(1.0, 2.0))
                self._wishes[Ask(ask.peer, ALL)] = now_ms + delay_ms
        if self._round is not None and (finished or not self._round):
            self._end_round(now_ms)

    def synced(self, ask: Ask, now_ms: int) -> None:
        """Take note that a session with a neighbour, asked for by either, came to its end."""
        self._synced_ms[ask] = now_ms
        if ask.scope == ALL:
            self._level_ms = min(self._level_ms, now_ms)

    def level(self, now_ms: int) -> bool:
        """Return whether this peer has exchanged everything with another one since it started."""
        return now_ms >= self._level_ms

    def _recent(self, ask: Ask, now_ms: int) -> bool:
        at_ms = self._synced_ms.get(ask)
        span_ms = HISTORY_AGAIN_MS if ask.scope == ALL else OTHER_SIDE_ASKS_MS
        return at_ms is not None and now_ms - at_ms < span_ms

    def _end_round(self, now_ms: int) -> None:
        self._round = None
        self._plan(now_ms)

    def _plan(self, now_ms: int) -> None:
        if self._periodic:
            self._period_ms = now_ms + int(PERIOD_MS * self._rng.uniform(0.5, 1.0))


class AnswerSlots:
    """Decides which neighbours one peer answers, and how often."""

    def __init__(self) -> None:
        """Start with no session open."""
        self._open: set[str] = set()
        self._answers: BoundedDict[str, TokenBucket] = BoundedDict(MAX_REMEMBERED)
        self._work = TokenBucket(WORK_PER_SECOND, WORK_BURST)

    def open(self, peer: str, now_ms: int) -> bool:
        """Return whether to answer a neighbour now; if so, it occupies a slot until `close`."""
        if peer in self._open or len(self._open) >= MAX_SESSIONS:
            return False
        known = self._answers.get(peer)
        if known is not None and (known.wait(now_ms) or self._work.wait(now_ms, 0)):
            return False
        bucket = self._answers.use(peer, lambda: TokenBucket(ANSWERS_PER_SECOND, ANSWERS_BURST))
        bucket.take(now_ms)
        self._open.add(peer)
        return True

    def worked(self, seconds: float, now_ms: int) -> None:
        """Charge the work that a session took to prepare, in seconds of processor time."""
        self._work.take(now_ms, seconds)

    def close(self, peer: str) -> None:
        """Free a neighbour's slot."""
        self._open.discard(peer)
