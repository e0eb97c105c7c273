"""How a vote will go, foreseen from the ratings that scorers have given before they approve.

Scorers of different taste who each approve of what they like best may leave every proposal short
of the quorum until approvals may move, 20 s later. So a scorer says its ratings as it makes them,
and foresees from those of all whom each is going to stand for. Who has rated the same proposals
foresees the same, so that they meet in the first vote.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping

from swarm.core.fold.plan import Plan
from swarm.core.fold.voting import Tally, Vote
from swarm.core.records import Ballot


class Forecast:
    """Whom each scorer that has rated everything stands for, or is going to."""

    def __init__(self, plan: Plan, vote: Vote, *, me: bytes, mine: Mapping[bytes, float]) -> None:
        """Foresee a vote.

        Args:
            plan: what is being planned.
            vote: at the node that is to be split.
            me: the scorer who asks.
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
        """Scorers who have rated something, this one included."""
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
        """Whether nothing wins if everyone foreseen stands for its favourite."""
        return not any(
            self._votes[tally.record.id] + self._people(tally) >= self._policy.quorum
            and self._mean(tally.record.id) >= self._policy.min_score
            for tally in self._proposals
        )

    def lacks(self, scorers: Collection[bytes]) -> bool:
        """Return whether one of these, who may vote, neither stands yet nor has rated all."""
        may_vote = set(scorers).intersection(self._policy.electorate or scorers)
        return not may_vote <= self._known

    def rank(self, tally: Tally) -> tuple[bool, int, int, float, bytes]:
        """Return a key that sorts proposals: what is going to lead, or can, comes first."""
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
        # Summed in the voters' order: float addition is not associative.
        return sum(scores[voter] for voter in sorted(scores)) / len(scores)
