"""One task's work: who holds it, for how long, and what settled it.

A task is a leaf, or a split node whose parts are settled and wait to be put together. Its claims,
progress and results are replayed here as a function of the moment it became ready and of now.
"""

from __future__ import annotations

import hashlib
from bisect import insort
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from swarm.core.clock import Stamp, end_of
from swarm.core.fold.reasons import AttemptEnded, HolderSilent, Reported
from swarm.core.policy import Policy
from swarm.core.records import Claim, Progress, Record, Result, SortKey

CLAIM_DOMAIN = b"leaderless/claim/1\n"

AGAIN_SHARE = 2
"""Who held an attempt before waits this part (1/2) of a lease before it may claim again."""


@dataclass(slots=True)
class Attempt:
    """One attempt at a task."""

    number: int
    start: Stamp
    """Claims for it are stamped later than this."""
    claims: Sequence[Record] = ()
    """Valid claims, the holder's first."""
    lease_ms: int = 0
    """When the holder's lease ends if nothing renews it, in ms."""
    ended: Literal["", "failed", "expired"] = ""
    end: Stamp | None = None
    """When it ended; claims of the next attempt are stamped later."""
    reason: AttemptEnded | None = None
    """Why it ended; None: it did not."""
    progress: Record | None = None
    """The holder's latest renewal."""

    @property
    def holder(self) -> Record | None:
        """The claim that holds the task in this attempt."""
        return self.claims[0] if self.claims else None


@dataclass(slots=True)
class Outcome:
    """Where a task stands."""

    attempts: list[Attempt] = field(default_factory=list)
    result: Record | None = None
    """The result that settled it."""
    settled: Stamp | None = None
    failed: AttemptEnded | None = None
    """How the last attempt allowed ended; None: the task did not fail."""
    next_change_ms: int | None = None
    """When time alone may change this, in ms."""

    @property
    def attempt(self) -> Attempt | None:
        """The latest attempt; the open one while the task is not settled."""
        return self.attempts[-1] if self.attempts else None

    @property
    def holder(self) -> Record | None:
        """The claim that holds the task now; None when it is free or settled."""
        attempt = self.attempt
        return attempt.holder if attempt and not attempt.ended and not self.settled else None


def claim_rank(node: bytes, attempt: int, author: bytes) -> bytes:
    """Return what breaks the tie between claims with equal stamps; the lower one wins."""
    return hashlib.sha256(CLAIM_DOMAIN + node + bytes([attempt]) + author).digest()


def again_from(start: Stamp, policy: Policy) -> Stamp:
    """Return from when on those who held a task before may claim its next attempt.

    Others come first: else whoever claims first and does nothing could use up all attempts.

    Args:
        start: when the attempt before ended.
        policy: the goal's.
    """
    return end_of(start.ms + policy.lease_ms // AGAIN_SHARE)


@dataclass(frozen=True, slots=True)
class _Rules:
    """What the goal says about its tasks."""

    policy: Policy
    cutoff: Stamp
    deadline_ms: int

    def longest_ms(self, claimed_ms: int) -> int:
        """Return when a lease ends however often it is renewed, in ms.

        At half of the time that is left: nobody can hold a task until the goal's deadline.
        """
        return claimed_ms + max(self.policy.lease_ms, (self.deadline_ms - claimed_ms) // 2)


class TaskRecords:
    """The claims, progress and results at one node, in (stamp, author, id) order."""

    def __init__(self, node: bytes) -> None:
        self._node = node
        self._claims: dict[int, list[tuple[SortKey, Record]]] = defaultdict(list)
        self._progress: dict[bytes, list[tuple[SortKey, Record]]] = defaultdict(list)
        self._results: list[tuple[SortKey, Record]] = []

    def add(self, record: Record) -> None:
        """Take in a claim, progress or result of this node; the same record only once."""
        match record.body:
            case Claim(attempt=attempt):
                into = self._claims[attempt]
            case Progress(claim=claim):
                into = self._progress[claim]
            case _:
                into = self._results
        insort(into, (record.key, record), key=lambda item: item[0])

    @property
    def results(self) -> list[Record]:
        """All results, whether or not they count, in replay order."""
        return [record for _, record in self._results]

    def outcome(
        self, ready: Stamp, policy: Policy, now_ms: int, cutoff: Stamp, deadline_ms: int
    ) -> Outcome:
        """Replay the work.

        Args:
            ready: the task could be claimed only after this.
            policy: the goal's.
            now_ms: the time to fold at.
            cutoff: what is stamped later does not count (cancel, deadline).
            deadline_ms: when the goal ends, cancelled or not.
        """
        now_ms = min(now_ms, cutoff.ms)
        rules = _Rules(policy, cutoff, deadline_ms)
        attempts, end = self._attempts(ready, rules, now_ms)
        done = self._first_done(attempts, cutoff)
        if done is not None and (end is None or done.stamp <= end):
            # Seen from the moment it was settled: a lease that ends later ends nothing any more.
            attempts, _ = self._attempts(ready, rules, done.stamp.ms)
            attempts = [attempt for attempt in attempts if attempt.start < done.stamp]
            return Outcome(attempts, done, done.stamp)
        if end is not None:
            return Outcome(attempts, None, end, failed=attempts[-1].reason)
        latest = attempts[-1]
        return Outcome(attempts, next_change_ms=latest.lease_ms + 1 if latest.claims else None)

    def _attempts(
        self, ready: Stamp, rules: _Rules, now_ms: int
    ) -> tuple[list[Attempt], Stamp | None]:
        """Return the attempts so far, and the end of the last one that the policy allows."""
        attempts: list[Attempt] = []
        start = ready
        for number in range(1, rules.policy.max_attempts + 1):
            before = {attempt.claims[0].author for attempt in attempts}
            attempt = self._attempt(number, start, before, rules, now_ms)
            attempts.append(attempt)
            if attempt.end is None:
                return attempts, None
            start = attempt.end
        return attempts, start

    def _attempt(
        self, number: int, start: Stamp, before: set[bytes], rules: _Rules, now_ms: int
    ) -> Attempt:
        policy, cutoff = rules.policy, rules.cutoff
        attempt = Attempt(number, start)
        again = again_from(start, policy)
        valid = [
            record
            for _, record in self._claims.get(number, ())
            if (again if record.author in before else start) < record.stamp <= cutoff
        ]
        if not valid:
            return attempt
        # In order of stamps already; only who is first matters, and only equal stamps need a hash.
        first = [record for record in valid if record.stamp == valid[0].stamp]
        first.sort(key=lambda r: (claim_rank(self._node, number, r.author), r.id))
        valid[: len(first)] = first
        attempt.claims = valid
        holder = valid[0]
        attempt.lease_ms = holder.stamp.ms + policy.lease_ms
        longest_ms = rules.longest_ms(holder.stamp.ms)
        for _, renewal in self._progress.get(holder.id, ()):
            if renewal.author != holder.author or not holder.stamp < renewal.stamp <= cutoff:
                continue
            if renewal.stamp.ms > attempt.lease_ms:
                break
            renewed_ms = min(renewal.stamp.ms + policy.lease_ms, longest_ms)
            attempt.lease_ms = max(attempt.lease_ms, renewed_ms)
            attempt.progress = renewal
        failure = self._failure(holder, attempt.lease_ms, cutoff)
        if failure is not None:
            assert isinstance(failure.body, Result)
            attempt.ended, attempt.end = "failed", failure.stamp
            attempt.reason = Reported(failure.body.reason)
        elif now_ms > attempt.lease_ms:
            attempt.ended, attempt.end = "expired", end_of(attempt.lease_ms)
            attempt.reason = HolderSilent()
        return attempt

    def _failure(self, holder: Record, lease_ms: int, cutoff: Stamp) -> Record | None:
        """Return the holder's own word, within its lease, that it failed."""
        for _, record in self._results:
            body = record.body
            assert isinstance(body, Result)
            if (
                body.outcome == "failed"
                and body.claim == holder.id
                and record.author == holder.author
                and holder.stamp < record.stamp <= cutoff
                and record.stamp.ms <= lease_ms
            ):
                return record
        return None

    def _first_done(self, attempts: list[Attempt], cutoff: Stamp) -> Record | None:
        """Return the first "done" by anyone who made a valid claim, the holder or not."""
        claims = {claim.id: claim for attempt in attempts for claim in attempt.claims}
        for _, record in self._results:
            body = record.body
            assert isinstance(body, Result)
            claim = claims.get(body.claim)
            if (
                body.outcome == "done"
                and claim is not None
                and claim.author == record.author
                and claim.stamp < record.stamp <= cutoff
            ):
                return record
        return None
