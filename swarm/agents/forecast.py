"""How a vote will go, predicted from the ratings that scorers publish before they approve.

If scorers of different taste each approved their favourite, every proposal might stay short of the
quorum until approvals may move, 20 s later. So a scorer publishes each rating as it makes it, and
predicts from everyone's ratings which proposal each scorer will approve. Scorers that have heard
the same ratings predict the same, so they agree in the first vote.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping

from swarm.core.fold.plan import Plan
from swarm.core.fold.voting import Tally, Vote
from swarm.core.records import Ballot


class Forecast:
    """The proposal that each scorer has approved or, having rated everything, will approve."""

    def __init__(self, plan: Plan, vote: Vote, *, me: bytes, mine: Mapping[bytes, float]) -> None:
        """Predict a vote.

        Args:
            plan: the plan.
            vote: the vote at the node to be split.
            me: the scorer that makes the prediction.
            mine: its own ratings in [0, 1], by proposal.
        """
        self._policy = plan.policy
        self._proposals = [tally for tally in vote.valid() if tally.record.id in mine]
        self._scores: dict[bytes, dict[bytes, float]] = {
            tally.record.id: {me: mine[tally.record.id]} for tally in self._proposals
        }
        for tally in self._proposals:
            for voter, ballot in tally.ballots.items():
                if voter != me:
                    assert isinstance(ballot.body, Ballot)
                    self._scores[tally.record.id][voter] = ballot.body.score
        self.voters = {voter for scores in self._scores.values() for voter in scores}
        """Scorers that have rated something, this one included."""
        standing = {voter: t.record.id for t in vote.valid() for voter in t.approvals}
        self._known = {voter for voter in self.voters if self._has_rated_all(voter)}.union(standing)
        self._votes = Counter(standing.values())
        self._votes.update(
            choice
            for voter in self._known.difference(standing)
            if (choice := self._favourite(voter)) is not None
        )

    @property
    def is_contested(self) -> bool:
        """Whether no proposal wins if every scorer approves as predicted."""
        return not any(
            self._votes[tally.record.id] + self._people(tally) >= self._policy.quorum
            and self._mean(tally.record.id) >= self._policy.min_score
            for tally in self._proposals
        )

    def awaits_any(self, scorers: Collection[bytes]) -> bool:
        """Return whether one of these may vote but has neither approved nor rated all."""
        may_vote = set(scorers).intersection(self._policy.electorate or scorers)
        return not may_vote <= self._known

    def rank(self, tally: Tally) -> tuple[bool, int, int, float, bytes]:
        """Return a sort key for proposals; the predicted leader comes first."""
        rid = tally.record.id
        could_join = sum(score >= self._policy.bar for score in self._scores[rid].values())
        votes = self._votes[rid] + self._people(tally)
        mean = self._mean(rid)
        return (mean < self._policy.min_score, -votes, -could_join, -mean, rid)

    def _has_rated_all(self, voter: bytes) -> bool:
        return all(
            voter in self._scores[tally.record.id] or tally.record.author == voter
            for tally in self._proposals
        )

    def _favourite(self, voter: bytes) -> bytes | None:
        rated = [
            (-scores[voter], rid)
            for rid, scores in self._scores.items()
            if scores.get(voter, -1.0) >= self._policy.bar
        ]
        return min(rated)[1] if rated else None

    def _people(self, tally: Tally) -> int:
        return tally.total(self._policy) - len(tally.approvals)

    def _mean(self, rid: bytes) -> float:
        scores = self._scores[rid]
        # Summed in the voters' order, because float addition is not associative.
        return sum(scores[voter] for voter in sorted(scores)) / len(scores)
