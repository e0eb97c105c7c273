"""The reviews of a task's results: which count, and what they come to.

A result is one version of what its task asks for. Scorers that may judge it say that it is fine or
wrong. A quorum of either ends its review; so does time, and then the version counts as it is. What
follows from that, another version or the end, is for `claims` to decide.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

from swarm.core.clock import Stamp, end_of
from swarm.core.policy import Policy
from swarm.core.records import Goal, Record, Review

TIME_SHARE = 4
"""A review, a wait for someone to revise, and a revision each take at most this fraction (1/4) of
the time left until the deadline, so that no plan ends unfinished because it was reviewed."""


@dataclass(frozen=True, slots=True)
class Panel:
    """Who may review the results of a goal's tasks, and how many of one mind are enough."""

    electorate: frozenset[bytes]
    """The scorers that the goal names; empty: it names none."""
    known: frozenset[bytes]
    """Authors that the goal names as known; empty: it names none."""
    quorum: int
    wait_ms: int
    """How long a version waits for its reviews, in ms."""

    @classmethod
    def of(cls, goal: Goal) -> Panel | None:
        """Return a goal's panel; None: its results are not reviewed."""
        policy = goal.policy
        if not policy.reviews:
            return None
        electorate = frozenset(policy.electorate)
        return cls(electorate, frozenset(goal.known), policy.quorum, policy.review_wait_ms)

    def admits(self, author: bytes, result: Record) -> bool:
        """Return whether an author may review a result.

        Made-up keys cost nothing. So where a goal names its scorers, only these may; where it names
        authors as known, only those; and nobody reviews a result of their own.
        """
        allowed = self.electorate or self.known
        return author != result.author and (not allowed or author in allowed)

    def quorum_for(self, result: Record) -> int:
        """Return how many reviews of one verdict end a result's review."""
        if not self.electorate:
            return self.quorum
        return max(1, min(self.quorum, len(self.electorate - {result.author})))


@dataclass(slots=True)
class Version:
    """A result under review, or one whose review has ended."""

    result: Record
    quorum: int
    """How many reviews of one verdict end its review."""
    ends_ms: int
    """When its review ends without a quorum, in ms."""
    reviews: dict[bytes, Record] = field(default_factory=dict)
    """Each reviewer's first review of it, in replay order, also those after its review ended."""
    verdict: Literal["", "fine", "wrong", "late"] = ""
    """What its review came to; "late": there was no quorum in time; empty: it is under review."""
    end: Stamp | None = None
    """When its review ended; None: it is under review."""

    @property
    def critiques(self) -> tuple[str, ...]:
        """What its reviewers found wrong, each sentence once, in replay order."""
        found = (body.critique for body in map(_review, self.reviews.values()))
        return tuple(dict.fromkeys(text for text in found if text))

    def rating(self, at: Stamp | None = None) -> float:
        """Return the mean rating, as of `at` if given, in [0, 1]; 1 if there is no rating."""
        by_then = {a: r for a, r in self.reviews.items() if at is None or r.stamp <= at}
        if not by_then:
            return 1.0
        # Summed in the order of the reviewers' keys, as ballots are: see `voting.Tally.score`.
        total = 0.0
        for author in sorted(by_then):
            total += _review(by_then[author]).score
        return total / len(by_then)


def judge(
    result: Record,
    reviews: Iterable[Record],
    panel: Panel,
    *,
    now_ms: int,
    cutoff: Stamp,
    deadline_ms: int,
) -> Version:
    """Return what the reviews of a result come to.

    Args:
        result: the version.
        reviews: all reviews of it, in replay order, whoever wrote them.
        panel: who may review it.
        now_ms: the time to fold at, in ms, at most the cutoff's.
        cutoff: records stamped later do not count (cancel, deadline).
        deadline_ms: when the goal ends, in ms.
    """
    began_ms = result.stamp.ms
    wait_ms = min(panel.wait_ms, max(0, deadline_ms - began_ms) // TIME_SHARE)
    version = Version(result, panel.quorum_for(result), began_ms + wait_ms)
    said = {"fine": 0, "wrong": 0}
    last = end_of(version.ends_ms)
    for review in reviews:
        if not result.stamp < review.stamp <= cutoff:
            continue
        if review.author in version.reviews or not panel.admits(review.author, result):
            continue
        version.reviews[review.author] = review
        if version.end is not None or review.stamp > last:
            continue
        verdict = _review(review).verdict
        said[verdict] += 1
        if said[verdict] == version.quorum:
            version.verdict, version.end = verdict, review.stamp
    if version.end is None and (now_ms > version.ends_ms or began_ms >= deadline_ms):
        # A result in the last millisecond of all is not reviewed: nothing written may be lost.
        version.end = result.stamp if began_ms >= deadline_ms else last
        version.verdict = "late"
    return version


def best_of(versions: list[Version], at: Stamp) -> Version:
    """Return the version that settles its task at a stamp.

    That is the latest one unless a quorum found it wrong: then the one with the highest mean
    rating, of equals the earliest.
    """
    if versions[-1].verdict != "wrong":
        return versions[-1]
    return max(versions, key=lambda version: version.rating(at))


def left_ms(at_ms: int, deadline_ms: int) -> int:
    """Return how long a revision may wait or take from a moment on, in ms."""
    return max(0, deadline_ms - at_ms) // TIME_SHARE


def claim_by_ms(policy: Policy, start: Stamp, deadline_ms: int) -> int:
    """Return until when a revision can be claimed, in ms: it does not hold the plan up for long."""
    return start.ms + min(2 * policy.lease_ms, left_ms(start.ms, deadline_ms))


def _review(record: Record) -> Review:
    assert isinstance(record.body, Review)
    return record.body
