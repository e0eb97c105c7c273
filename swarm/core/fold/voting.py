"""One node's vote: which proposal is accepted, replayed from proposals and ballots.

Records are replayed in (stamp, author, id) order. One that is later than all before costs a single
step; one from the past restarts the replay. So the outcome never depends on the order of arrival.
"""

from __future__ import annotations

from bisect import insort
from collections import Counter
from dataclasses import dataclass, field
from typing import Literal

from swarm.core.clock import Stamp, end_of
from swarm.core.fold.reasons import (
    BestRated,
    Decided,
    DoneAsTask,
    FirstToQuorum,
    Invalid,
    MostApprovals,
    MovedTooSoon,
    NoQuorum,
    NotCounted,
    NotInElectorate,
    NotTheAttester,
    OwnProposal,
    PeopleDoNotVote,
    ProposalInvalid,
    ProposalsUsedUp,
    ProposedTooEarly,
    RefinedTooOften,
    RefinesNothing,
    TooManyParts,
)
from swarm.core.policy import Policy
from swarm.core.records import Ballot, Proposal, Record, SortKey

How = Literal["quorum", "window", "best", "task", "failed"]
"""How a vote ended, in one word: what `Decision.reason` says in full."""

_HOW: dict[type[Decided], How] = {
    FirstToQuorum: "quorum",
    MostApprovals: "window",
    BestRated: "best",
    DoneAsTask: "task",
    NoQuorum: "failed",
}


@dataclass(frozen=True, slots=True)
class Decision:
    """How a node's vote ended.

    `proposal` is the accepted one; None with how "task" (do the node as one task) or "failed".
    """

    proposal: Record | None
    stamp: Stamp
    reason: Decided
    crossable: bool = False
    """Whether an earlier ballot that is still on its way could change this decision, although every
    scorer keeps the revote time. That is so if an approval was moved here from another proposal, if
    one stood for so long that it may be moving away, or if two proposals may each have a quorum
    (with people's approvals, or because the quorum is not a majority of the scorers that came)."""

    @property
    def how(self) -> How:
        """How it ended, in one word."""
        return _HOW[type(self.reason)]


@dataclass(slots=True)
class Tally:
    """What the replay has found about one proposal at a node."""

    record: Record
    body: Proposal
    invalid: Invalid | None = None
    """Why it does not count; None: it does."""
    chain: int = 0
    """Length of the chain of refinements that ends with it; 0: it refines nothing."""
    ballots: dict[bytes, Record] = field(default_factory=dict)
    """The latest ballot of each scorer that may vote."""
    approvals: dict[bytes, Stamp] = field(default_factory=dict)
    """The scorers that approve of it, and since when."""
    moved: set[bytes] = field(default_factory=set)
    """Those of them that approved of another proposal before."""
    people: dict[bytes, str] = field(default_factory=dict)
    """Each person's latest verdict."""
    ignored: list[tuple[Record, NotCounted]] = field(default_factory=list)
    """Ballots that do not count, with the reason."""

    @property
    def score(self) -> float:
        """The mean of all scorers' ratings, in [0, 1]; 0 if there are none."""
        if not self.ballots:
            return 0.0
        # Summed in the order of the voters' keys: float addition is not associative. Not by sum(),
        # which compensates for rounding since Python 3.12 and so gives other results than 3.11.
        total = 0.0
        for voter in sorted(self.ballots):
            total += _ballot(self.ballots[voter]).score
        return total / len(self.ballots)

    @property
    def people_for(self) -> int:
        """How many people approve."""
        return sum(verdict == "approve" for verdict in self.people.values())

    @property
    def people_against(self) -> int:
        """How many people reject."""
        return sum(verdict == "reject" for verdict in self.people.values())

    def total(self, policy: Policy) -> int:
        """Return how many approvals count: scorers', and people's up to quorum - 1."""
        people = 0
        if policy.people == "count":
            people = min(max(self.people_for - self.people_against, 0), policy.quorum - 1)
        return len(self.approvals) + people

    def wins(self, policy: Policy) -> bool:
        """Return whether it can be accepted; at least one scorer has to approve."""
        return (
            self.invalid is None
            and bool(self.approvals)
            and self.total(policy) >= policy.quorum
            and self.score >= policy.min_score
        )


def _ballot(record: Record) -> Ballot:
    assert isinstance(record.body, Ballot)
    return record.body


class Vote:
    """The vote at one node that may be split."""

    def __init__(
        self, policy: Policy, *, attester: bytes, opened: Stamp, depth: int, budget: int
    ) -> None:
        """Open a vote.

        Args:
            policy: the goal's.
            attester: the goal's author, the only one who can attest people's votes.
            opened: records stamped at or before it do not count.
            depth: of the node; the root's is 0.
            budget: how many nodes may still be created below this one.
        """
        self._policy = policy
        self._attester = attester
        self.opened = opened
        """Records stamped at or before it do not count."""
        self._budget = budget
        window = policy.window_ms(depth)
        self.window_ms = opened.ms + window if window else None
        """When the vote window closes, in ms; None: there is none."""
        self.patience_ms = opened.ms + policy.patience_ms
        """When the fallback decides, in ms."""
        self._electorate = frozenset(policy.electorate)
        self._events: list[tuple[SortKey, Record]] = []
        self._reset()

    def _reset(self) -> None:
        self.tallies: dict[bytes, Tally] = {}
        self._per_author: Counter[bytes] = Counter()
        self._standing: dict[bytes, tuple[bytes | None, int]] = {}
        self._next = 0
        self._position: tuple[int, ...] = (0, 0)
        self._closed = self.window_ms is None
        self._decision: Decision | None = None

    def add(self, record: Record) -> None:
        """Add a proposal or ballot of this node; each record must be added only once."""
        event = (record.key, record)
        if not self._events or record.key > self._events[-1][0]:
            self._events.append(event)
        else:
            insort(self._events, event, key=lambda item: item[0])
        if record.stamp <= self._position:
            self._reset()

    def decide(self, now_ms: int, cutoff: Stamp) -> Decision | None:
        """Return how the vote ended as of `now_ms`; None while it is open.

        Args:
            now_ms: in ms; not earlier than in the last call, unless the replay restarts anyway.
            cutoff: records stamped later do not count (cancel, deadline).
        """
        now_ms = min(now_ms, cutoff.ms)
        if self._position > cutoff:
            self._reset()
        while self._next < len(self._events):
            record = self._events[self._next][1]
            if record.stamp > cutoff:
                break
            self._pass_time(record.stamp.ms - 1)
            self._step(record)
            self._position = record.stamp
            self._next += 1
        self._pass_time(now_ms - 1)
        return self._decision

    def next_change_ms(self) -> int | None:
        """Return when the outcome may change without new records, in ms; None: never."""
        if self._decision is not None:
            return None
        if not self._closed and self.window_ms is not None:
            return self.window_ms + 1
        return self.patience_ms + 1

    def valid(self) -> list[Tally]:
        """Return the proposals that count, in replay order."""
        return [tally for tally in self.tallies.values() if tally.invalid is None]

    # Replay.

    def _pass_time(self, elapsed_ms: int) -> None:
        """Apply what is due by the end of `elapsed_ms`: the window's close, then the fallback."""
        if self._decision is None and not self._closed and self.window_ms is not None:
            if elapsed_ms < self.window_ms:
                return
            self._closed = True
            self._position = max(self._position, end_of(self.window_ms))
            ready = [tally for tally in self.tallies.values() if tally.wins(self._policy)]
            if ready:
                best = min(ready, key=lambda t: (-t.total(self._policy), -t.score, t.record.id))
                self._decision = Decision(
                    best.record,
                    end_of(self.window_ms),
                    MostApprovals(best.total(self._policy), self._policy.quorum),
                )
        if self._decision is None and elapsed_ms >= self.patience_ms:
            self._position = max(self._position, end_of(self.patience_ms))
            self._decision = self._fall_back()

    def _fall_back(self) -> Decision:
        stamp, quorum = end_of(self.patience_ms), self._policy.quorum
        if self._policy.fallback == "best":
            rated = [
                tally
                for tally in self.valid()
                if tally.ballots and tally.score >= self._policy.floor
            ]
            if rated:
                best = min(rated, key=lambda t: (-t.score, t.record.id))
                return Decision(best.record, stamp, BestRated(quorum, best.score))
        if self._policy.fallback == "fail":
            return Decision(None, stamp, NoQuorum(quorum))
        return Decision(None, stamp, DoneAsTask(quorum))

    def _step(self, record: Record) -> None:
        if isinstance(record.body, Proposal):
            self._propose(record, record.body)
        elif isinstance(record.body, Ballot):
            self._cast(record, record.body)

    def _propose(self, record: Record, body: Proposal) -> None:
        tally = Tally(record, body)
        self.tallies[record.id] = tally
        policy = self._policy
        most = min(policy.max_children, self._budget)
        if record.stamp <= self.opened:
            tally.invalid = ProposedTooEarly()
        elif len(body.parts) > most:
            tally.invalid = TooManyParts(len(body.parts), most)
        elif self._per_author[record.author] >= policy.max_proposals:
            tally.invalid = ProposalsUsedUp(policy.max_proposals)
        elif body.refines is not None:
            refined = self.tallies.get(body.refines)
            if refined is None or refined.invalid is not None:
                tally.invalid = RefinesNothing()
            elif refined.chain >= policy.max_refinements:
                tally.invalid = RefinedTooOften(policy.max_refinements)
            else:
                tally.chain = refined.chain + 1
        if tally.invalid is None:
            self._per_author[record.author] += 1

    def _cast(self, record: Record, body: Ballot) -> None:
        tally = self.tallies.get(body.proposal)
        if tally is None:
            return
        reason = self._why_not(record, body, tally)
        if reason is not None:
            tally.ignored.append((record, reason))
            return
        if body.person is not None:
            tally.people[body.person] = body.verdict
            self._settle(tally, record)
            return
        tally.ballots[record.author] = record
        self._stand(record, body, tally)
        self._settle(tally, record)

    def _why_not(self, record: Record, body: Ballot, tally: Tally) -> NotCounted | None:
        if tally.invalid is not None:
            return ProposalInvalid()
        if body.person is not None:
            if record.author != self._attester:
                return NotTheAttester()
            return PeopleDoNotVote() if self._policy.people == "off" else None
        if self._electorate and record.author not in self._electorate:
            return NotInElectorate()
        if record.author == tally.record.author:
            return OwnProposal()
        return None

    def _stand(self, record: Record, body: Ballot, tally: Tally) -> None:
        """Keep one approval for each scorer; it moves only after the revote time."""
        voter, ms = record.author, record.stamp.ms
        held, since = self._standing.get(voter, (None, -self._policy.revote_ms))
        wanted = tally.record.id if body.verdict == "approve" else None
        if wanted == held or (wanted is None and held != tally.record.id):
            return
        if ms < since + self._policy.revote_ms:
            tally.ignored.append((record, MovedTooSoon()))
            return
        if held is not None:
            del self.tallies[held].approvals[voter]
            self.tallies[held].moved.discard(voter)
        if wanted is not None:
            tally.approvals[voter] = record.stamp
            if voter in self._standing:
                tally.moved.add(voter)
        self._standing[voter] = (wanted, ms)

    def _may_be_crossed(self, winner: Tally, now_ms: int) -> bool:
        movable_ms = now_ms - self._policy.revote_ms
        if winner.moved or any(since.ms <= movable_ms for since in winner.approvals.values()):
            return True
        voters = {voter for tally in self.tallies.values() for voter in tally.ballots}
        if len(voters.difference(winner.approvals)) >= self._policy.quorum:
            return True
        counted = self._policy.people == "count"
        return counted and any(tally.people_for for tally in self.tallies.values())

    def _settle(self, tally: Tally, record: Record) -> None:
        """Accept the first proposal to reach the quorum once the window is over."""
        if self._decision is None and self._closed and tally.wins(self._policy):
            self._decision = Decision(
                tally.record,
                record.stamp,
                FirstToQuorum(self._policy.quorum),
                crossable=self._may_be_crossed(tally, record.stamp.ms),
            )
