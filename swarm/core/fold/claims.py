"""The claims, progress, results and reviews of one task: who holds it, and what settled it.

A task is a leaf, or a split node whose settled parts have to be put together. Its records are
replayed here, as a function of the moment the task became ready and of the current time. Where the
goal has results reviewed, the first result of a leaf is its first version: see `reviews`.
"""

from __future__ import annotations

import hashlib
from bisect import insort
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from swarm.core.clock import Stamp, end_of
from swarm.core.fold.reasons import (
    AttemptEnded,
    HolderSilent,
    NotRevised,
    Reported,
    SentBack,
    TaskFailed,
)
from swarm.core.fold.reviews import Panel, Version, best_of, claim_by_ms, judge, left_ms
from swarm.core.policy import Policy
from swarm.core.records import MAX_ATTEMPT, Claim, Progress, Record, Result, Review, SortKey

CLAIM_DOMAIN = b"leaderless/claim/1\n"

AGAIN_SHARE = 2
"""A former holder waits for this fraction (1/2) of a lease before it may claim the task again."""

REVISE_SHARE = 12
"""The author of a version waits for this fraction (1/12) of a lease before it may revise it: 5 s of
the usual minute. Others come first, since they find other words; in a swarm with one executor that
wait is all for nothing, so it is short."""


@dataclass(slots=True)
class Attempt:
    """One attempt at a task."""

    number: int
    start: Stamp
    """Only claims stamped later than this are for it."""
    again: Stamp
    """Those who held an earlier attempt can claim this one only after this stamp."""
    claims: Sequence[Record] = ()
    """The valid claims, the holder's first."""
    lease_ms: int = 0
    """When the holder's lease ends unless it is renewed, in ms. Of a revision that nobody has
    claimed: until when it can be claimed."""
    ended: Literal["", "failed", "expired", "sent back"] = ""
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
    failed: TaskFailed | None = None
    """How the last attempt allowed ended; None: the task did not fail."""
    versions: Sequence[Version] = ()
    """The results that were or are reviewed, in order; empty: none is reviewed."""
    next_change_ms: int | None = None
    """When this may change without any new record, in ms."""

    @property
    def attempt(self) -> Attempt | None:
        """The latest attempt, which is open while the task is not settled."""
        return self.attempts[-1] if self.attempts else None

    @property
    def holder(self) -> Record | None:
        """The claim that holds the task; None while it is free or reviewed, and once settled."""
        attempt = self.attempt
        if attempt is None or attempt.ended or self.settled or self.reviewed is not None:
            return None
        return attempt.holder

    @property
    def free(self) -> Attempt | None:
        """The attempt that can be claimed; None: there is none."""
        attempt = self.attempt
        if attempt is None or attempt.ended or self.settled or self.reviewed is not None:
            return None
        return attempt if attempt.holder is None else None

    @property
    def reviewed(self) -> Version | None:
        """The version under review; None: there is none."""
        latest = self.versions[-1] if self.versions else None
        return latest if latest is not None and latest.end is None else None

    @property
    def sent_back(self) -> Version | None:
        """The version that is to be revised now; None: there is none."""
        if self.settled is not None or self.reviewed is not None or not self.versions:
            return None
        return self.versions[-1]


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

    def revised_ms(self, claimed_ms: int) -> int:
        """Return when the lease of a revision ends no matter how often it is renewed, in ms."""
        return claimed_ms + left_ms(claimed_ms, self.deadline_ms)


class TaskRecords:
    """The claims, progress, results and reviews at one node, in (stamp, author, id) order."""

    def __init__(self, node: bytes) -> None:
        self._node = node
        self._claims: dict[int, list[tuple[SortKey, Record]]] = defaultdict(list)
        self._progress: dict[bytes, list[tuple[SortKey, Record]]] = defaultdict(list)
        self._results: list[tuple[SortKey, Record]] = []
        self._reviews: dict[bytes, list[tuple[SortKey, Record]]] = defaultdict(list)

    def add(self, record: Record) -> None:
        """Add a claim, progress, result or review of this node; each record only once."""
        match record.body:
            case Claim(attempt=attempt):
                into = self._claims[attempt]
            case Progress(claim=claim):
                into = self._progress[claim]
            case Review(result=result):
                into = self._reviews[result]
            case _:
                into = self._results
        insort(into, (record.key, record), key=lambda item: item[0])

    @property
    def results(self) -> list[Record]:
        """All results in replay order, including those that do not count."""
        return [record for _, record in self._results]

    def outcome(
        self,
        ready: Stamp,
        policy: Policy,
        now_ms: int,
        cutoff: Stamp,
        deadline_ms: int,
        panel: Panel | None = None,
    ) -> Outcome:
        """Replay the records and return the state of the task.

        Args:
            ready: the task can be claimed only after this.
            policy: the goal's.
            now_ms: the time to fold at, in ms.
            cutoff: records stamped later do not count (cancel, deadline).
            deadline_ms: when the goal ends, whether it is cancelled or not, in ms.
            panel: who reviews its results; None: the first one settles it.
        """
        now_ms = min(now_ms, cutoff.ms)
        rules = _Rules(policy, cutoff, deadline_ms)
        outcome = self._first(ready, rules, now_ms)
        if panel is None or outcome.result is None:
            return outcome
        return self._reviewed(outcome.attempts, outcome.result, rules, panel, now_ms)

    def _first(self, ready: Stamp, rules: _Rules, now_ms: int) -> Outcome:
        """Return the state of the task if its first result settles it."""
        attempts, end = self._attempts(ready, rules, now_ms)
        done = self._first_done(attempts, rules.cutoff)
        if done is not None and (end is None or done.stamp <= end):
            # Replayed as of the moment it was settled: leases that end later no longer matter.
            attempts, _ = self._attempts(ready, rules, done.stamp.ms)
            attempts = [attempt for attempt in attempts if attempt.start < done.stamp]
            return Outcome(attempts, done, done.stamp)
        if end is not None:
            reason = attempts[-1].reason
            assert isinstance(reason, TaskFailed)
            return Outcome(attempts, None, end, failed=reason)
        latest = attempts[-1]
        return Outcome(attempts, next_change_ms=latest.lease_ms + 1 if latest.claims else None)

    def _reviewed(
        self, attempts: list[Attempt], result: Record, rules: _Rules, panel: Panel, now_ms: int
    ) -> Outcome:
        """Return the state of the task after its first version was written."""
        versions: list[Version] = []
        latest = attempts[-1]
        if latest.end is not None and latest.end > result.stamp:
            latest.ended, latest.end, latest.reason = "", None, None
        while True:
            reviews = (record for _, record in self._reviews.get(result.id, ()))
            version = judge(
                result,
                reviews,
                panel,
                now_ms=now_ms,
                cutoff=rules.cutoff,
                deadline_ms=rules.deadline_ms,
            )
            versions.append(version)
            if version.end is None:
                return Outcome(attempts, versions=versions, next_change_ms=version.ends_ms + 1)
            latest, start = attempts[-1], version.end
            used_up = len(versions) > (rules.policy.reviews or 0) or latest.number >= MAX_ATTEMPT
            if version.verdict != "wrong" or used_up:
                return _settled(attempts, versions, start)
            latest.ended, latest.end = "sent back", start
            latest.reason = SentBack(" ".join(version.critiques))
            authors = {v.result.author for v in versions}
            authors.update(attempt.holder.author for attempt in attempts if attempt.holder)
            revision = self._revision(latest.number + 1, start, authors, rules, now_ms)
            done = self._first_done([revision], rules.cutoff)
            if done is None or (revision.end is not None and revision.end < done.stamp):
                attempts.append(revision)
                if revision.end is not None:
                    return _settled(attempts, versions, revision.end)
                return Outcome(attempts, versions=versions, next_change_ms=revision.lease_ms + 1)
            # Replayed as of the moment it was written: its lease no longer matters.
            attempts.append(self._revision(latest.number + 1, start, authors, rules, done.stamp.ms))
            result = done

    def _attempts(
        self, ready: Stamp, rules: _Rules, now_ms: int
    ) -> tuple[list[Attempt], Stamp | None]:
        """Return the attempts so far, and when the last one allowed ended; None: it has not."""
        attempts: list[Attempt] = []
        start = ready
        for number in range(1, rules.policy.max_attempts + 1):
            before = {attempt.claims[0].author for attempt in attempts}
            attempt = Attempt(number, start, again_from(start, rules.policy))
            valid = self._valid_claims(attempt, before, rules.cutoff)
            if valid:
                self._hold(attempt, valid, rules, now_ms, rules.longest_ms(valid[0].stamp.ms))
            attempts.append(attempt)
            if attempt.end is None:
                return attempts, None
            start = attempt.end
        return attempts, start

    def _revision(
        self, number: int, start: Stamp, authors: set[bytes], rules: _Rules, now_ms: int
    ) -> Attempt:
        """Return the attempt that revises a version; there is one for each.

        Args:
            number: the attempt's.
            start: when the version was sent back.
            authors: those who wrote or held the task before; others come first.
            rules: the goal's.
            now_ms: the time to fold at, in ms.
        """
        policy = rules.policy
        attempt = Attempt(number, start, end_of(start.ms + policy.lease_ms // REVISE_SHARE))
        claim_by = end_of(claim_by_ms(policy, start, rules.deadline_ms))
        valid = self._valid_claims(attempt, authors, min(rules.cutoff, claim_by))
        if valid:
            self._hold(attempt, valid, rules, now_ms, rules.revised_ms(valid[0].stamp.ms))
            return attempt
        attempt.lease_ms = claim_by.ms
        if now_ms > claim_by.ms:
            attempt.ended, attempt.end, attempt.reason = "expired", claim_by, NotRevised()
        return attempt

    def _valid_claims(self, attempt: Attempt, before: set[bytes], last: Stamp) -> list[Record]:
        """Return the claims that count for an attempt, the holder's first."""
        valid = [
            record
            for _, record in self._claims.get(attempt.number, ())
            if (attempt.again if record.author in before else attempt.start) < record.stamp <= last
        ]
        # Already in order of stamps. Only the first place matters, and only equal stamps need a
        # hash.
        first = [record for record in valid if record.stamp == valid[0].stamp]
        first.sort(key=lambda r: (claim_rank(self._node, attempt.number, r.author), r.id))
        valid[: len(first)] = first
        return valid

    def _hold(
        self, attempt: Attempt, valid: list[Record], rules: _Rules, now_ms: int, longest_ms: int
    ) -> None:
        """Note who holds an attempt, until when, and how that ended."""
        policy, cutoff = rules.policy, rules.cutoff
        attempt.claims = valid
        holder = valid[0]
        attempt.lease_ms = min(holder.stamp.ms + policy.lease_ms, longest_ms)
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


def _settled(attempts: list[Attempt], versions: list[Version], at: Stamp) -> Outcome:
    """Return the outcome of a task whose reviews have ended at a stamp."""
    return Outcome(attempts, best_of(versions, at).result, at, versions=versions)
