"""The claims, progress and results of one task: who holds it, how long, and what settled it.

A task is a leaf, or a split node whose settled parts have to be put together. Its records are
replayed here, as a function of the moment the task became ready and of the current time.
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
"""A former holder waits for this fraction (1/2) of a lease before it may claim the task again."""


@dataclass(slots=True)
class Attempt:
    """One attempt at a task."""

    number: int
    start: Stamp
    """Only claims stamped later than this are for it."""
    claims: Sequence[Record] = ()
    """The valid claims, the holder's first."""
    lease_ms: int = 0
    """When the holder's lease ends unless it is renewed, in ms."""
    ended: Literal["", "failed", "expired"] = ""
    end: Stamp | None = None
    """When it ended; claims for the next attempt are stamped later."""
    reason: AttemptEnded | None = None
    """Why it ended; None: it did not."""
    progress: Record | None = None
    """The record that last renewed the holder's lease."""

    @property
    def holder(self) -> Record | None:
        """The claim that holds the task in this attempt."""
        return self.claims[0] if self.claims else None


@dataclass(slots=True)
class Outcome:
    """The state of a task."""

    attempts: list[Attempt] = field(default_factory=list)
    result: Record | None = None
    """The result that settled the task."""
    settled: Stamp | None = None
    failed: AttemptEnded | None = None
    """How the last attempt allowed ended; None: the task did not fail."""
    next_change_ms: int | None = None
    """When this may change without any new record, in ms."""

    @property
    def attempt(self) -> Attempt | None:
        """The latest attempt, which is open while the task is not settled."""
        return self.attempts[-1] if self.attempts else None

    @property
    def holder(self) -> Record | None:
        """The claim that holds the task; None while it is free, and once it is settled."""
        attempt = self.attempt
        return attempt.holder if attempt and not attempt.ended and not self.settled else None


def claim_rank(node: bytes, attempt: int, author: bytes) -> bytes:
    """Return the rank (32 bytes) of a claim among claims with equal stamps; the lowest one wins."""
    return hashlib.sha256(CLAIM_DOMAIN + node + bytes([attempt]) + author).digest()


def again_from(start: Stamp, policy: Policy) -> Stamp:
    """Return when former holders of a task may claim its next attempt: only after this stamp.

    Others come first. Otherwise an executor that claims first and does nothing could use up all
    attempts.

    Args:
        start: when the previous attempt ended.
        policy: the goal's.
    """
    return end_of(start.ms + policy.lease_ms // AGAIN_SHARE)


@dataclass(frozen=True, slots=True)
class _Rules:
    """The goal's rules for its tasks."""

    policy: Policy
    cutoff: Stamp
    deadline_ms: int

    def longest_ms(self, claimed_ms: int) -> int:
        """Return when a lease ends no matter how often it is renewed, in ms.

        That is at half of the time left, so that no executor can hold a task until the deadline.
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
        """Add a claim, progress or result of this node; each record must be added only once."""
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
        """All results in replay order, including those that do not count."""
        return [record for _, record in self._results]

    def outcome(
        self, ready: Stamp, policy: Policy, now_ms: int, cutoff: Stamp, deadline_ms: int
    ) -> Outcome:
        """Replay the records and return the state of the task.

        Args:
            ready: the task can be claimed only after this.
            policy: the goal's.
            now_ms: the time to fold at, in ms.
            cutoff: records stamped later do not count (cancel, deadline).
            deadline_ms: when the goal ends, whether it is cancelled or not, in ms.
        """
        now_ms = min(now_ms, cutoff.ms)
        rules = _Rules(policy, cutoff, deadline_ms)
        attempts, end = self._attempts(ready, rules, now_ms)
        done = self._first_done(attempts, cutoff)
        if done is not None and (end is None or done.stamp <= end):
            # Replayed as of the moment it was settled: leases that end later no longer matter.
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
        """Return the attempts so far, and when the last one allowed ended; None: it has not."""
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
        # Already in order of stamps. Only the first place matters, and only equal stamps need a
        # hash.
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
        """Return the result in which the holder reports, within its lease, that it failed."""
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
        """Return the first "done" by an author of a valid claim, holder or not; None: none."""
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
