"""How a part of a plan came to be, line by line, in the language spoken now.

`swarm.core.views.explain` tells the same in English, for terminals; here it is told from the same
facts in the catalogue's words. The same lines serve a chat and a file: what people and models
wrote, and times, are put in as the reader's place needs them (`Style`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

from bot.rendering import clean, plain
from bot.rendering.escape import ZERO_WIDTH_SPACE
from bot.rendering.fitting import shorten
from bot.texts import Text, moment, say
from bot.views.plan_tree import GOAL_SHOWN, NAME_SHOWN, TITLE_SHOWN, state_text
from bot.views.reasons import aside, fold_reason, lost, node_reason, won
from bot.views.splits import CRITIQUE_SHOWN, LENS_SHOWN
from swarm.core.clock import Stamp
from swarm.core.fold.plan import Node, Plan
from swarm.core.fold.voting import Decision, Tally
from swarm.core.records import Ballot, Namer, Record, short_key

_ESCAPED = re.compile(r"\\([^\w\s])")


@dataclass(frozen=True, slots=True)
class Style:
    """How foreign words and times are written where the lines are read."""

    shown: Callable[[str, int], str]
    """Makes a text one safe line of at most so many units."""
    at: Callable[[Stamp], str]
    """Writes a time."""
    ours: Callable[[str], str]
    """Takes a text that was rendered for the chat already."""


def _bare(text: str) -> str:
    return _ESCAPED.sub(r"\1", text).replace(ZERO_WIDTH_SPACE, "")


CHAT = Style(
    shown=plain,
    at=lambda stamp: moment(stamp.ms, "T"),
    ours=lambda text: text,
)
"""For Discord: escaped; times in the reader's own zone."""

FILE = Style(
    shown=lambda text, most: shorten(" ".join(clean(text).split()), most),
    at=lambda stamp: f"{datetime.fromtimestamp(stamp.ms / 1000, UTC):%H:%M:%S} UTC",
    ours=_bare,
)
"""For plain text."""


@dataclass(frozen=True, slots=True)
class Line:
    """One thing that happened."""

    text: str
    inner: bool = False
    """It belongs to the line above."""


def why(plan: Plan, node: Node, name: Namer, style: Style = CHAT) -> list[Line]:
    """Return who proposed what, who voted how, what won, who did the work; a headline first.

    Args:
        plan: the goal's.
        node: one of its nodes.
        name: gives author keys their names.
        style: for whom it is written.
    """
    return list(_Teller(plan, node, name, style).tell())


@dataclass(frozen=True, slots=True)
class _Teller:
    plan: Plan
    node: Node
    name: Namer
    style: Style

    def tell(self) -> Iterator[Line]:
        plan, node, style = self.plan, self.node, self.style
        state = plan.state_of(node)
        # For these the fold's reason is the same word again.
        plain_state = state in ("done", "executing", "assembling")
        because = "" if plain_state else f" ({style.ours(node_reason(plan, node))})"
        yield Line(f"{style.shown(node.title, GOAL_SHOWN)}: {state_text(state)}{because}")
        if node.parent is None:
            asked = plan.goal
            yield Line(say(Text.WHY_ASKED, when=style.at(asked.stamp), who=self._who(asked)))
        else:
            parent = style.shown(node.parent.title, TITLE_SHOWN)
            when = style.at(node.opened)
            yield Line(say(Text.WHY_PART, number=node.index + 1, parent=parent, when=when))
        for past in node.rounds:
            for tally in past.vote.valid():
                yield Line(say(Text.WHY_BEFORE, proposed=self._proposed(tally)))
            yield self._decided(past.decision)
            when = style.at(past.replan.stamp)
            yield Line(say(Text.WHY_ASIDE, when=when, reason=style.ours(aside(past))))
        if node.vote is not None:
            for tally in node.vote.tallies.values():
                yield from self._proposal(tally)
            if node.decision is not None:
                yield self._decided(node.decision)
        yield from self._work()
        for record in plan.foreign:
            if getattr(record.body, "node", None) == node.id:
                yield self._foreign(record)

    # Votes.

    def _proposal(self, tally: Tally) -> Iterator[Line]:
        style = self.style
        yield Line(f"{self._proposed(tally)} {say(Text.WHY_STANDS, reason=self._stands(tally))}")
        for voter, record in sorted(tally.ballots.items()):
            body, since = record.body, tally.approvals.get(voter)
            if not isinstance(body, Ballot):
                continue
            said = style.shown(body.critique, CRITIQUE_SHOWN)
            facts = {
                "who": self._who(record),
                "score": f"{body.score:.2f}",
                "said": f": {said}" if said else "",
            }
            if since is None:
                yield Line(say(Text.WHY_RATES, **facts), inner=True)
            else:
                yield Line(say(Text.WHY_APPROVES, when=style.at(since), **facts), inner=True)
        if tally.people:
            up, down = tally.people_for, tally.people_against
            yield Line(say(Text.WHY_PEOPLE, up=up, down=down), inner=True)
        for record, reason in tally.ignored:
            told = self._fold(reason)
            yield Line(say(Text.WHY_IGNORED, who=self._who(record), reason=told), inner=True)

    def _proposed(self, tally: Tally) -> str:
        lens = self.style.shown(tally.body.lens, LENS_SHOWN)
        by = f" {say(Text.SPLIT_LENS, lens=lens)}" if lens else ""
        count = len(tally.body.parts)
        what = say(Text.WHY_PARTS, count=count, lens=by) if count else say(Text.SPLIT_TASK)
        when = self.style.at(tally.record.stamp)
        return say(Text.WHY_PROPOSED, when=when, who=self._who(tally.record), what=what)

    def _stands(self, tally: Tally) -> str:
        """Return why a proposal was accepted, lost, waits or does not count."""
        plan, decision = self.plan, self.node.decision
        policy = plan.policy
        if tally.invalid:
            return self._fold(tally.invalid)
        if decision is None:
            total, quorum = tally.total(policy), policy.quorum
            if not tally.approvals:
                return say(Text.WHY_NO_SCORER, approvals=total, quorum=quorum)
            if total < quorum:
                return say(Text.WHY_HAS, approvals=total, quorum=quorum)
            if tally.score < policy.min_score:
                least = f"{policy.min_score:.2f}"
                return say(Text.LOST_LOW, score=f"{tally.score:.2f}", least=least)
            return say(Text.WHY_WINDOW)
        if decision.proposal is tally.record:
            return self.style.ours(won(plan, decision, tally))
        return self.style.ours(lost(plan, decision, tally))

    def _decided(self, decision: Decision) -> Line:
        tallies = self._all_tallies()
        winner = tallies.get(decision.proposal.id) if decision.proposal is not None else None
        reason = self.style.ours(won(self.plan, decision, winner))
        return Line(say(Text.WHY_DECIDED, when=self.style.at(decision.stamp), reason=reason))

    def _all_tallies(self) -> dict[bytes, Tally]:
        found = dict(self.node.vote.tallies) if self.node.vote is not None else {}
        for past in self.node.rounds:
            found |= past.vote.tallies
        return found

    # Work.

    def _work(self) -> Iterator[Line]:
        style = self.style
        for attempt in self.node.outcome.attempts:
            number = attempt.number
            for rank, claim in enumerate(attempt.claims):
                text = Text.WHY_CLAIMED if rank == 0 else Text.WHY_CLAIMED_LATE
                who, when = self._who(claim), style.at(claim.stamp)
                yield Line(say(text, number=number, who=who, when=when))
            if attempt.ended:
                reason = self._fold(attempt.reason)
                yield Line(say(Text.WHY_ATTEMPT_ENDED, number=number, reason=reason), inner=True)
        for record in self.node.work.results:
            facts = {"when": style.at(record.stamp), "who": self._who(record)}
            if record is self.node.result:
                yield Line(say(Text.WHY_SETTLED, **facts))
            elif getattr(record.body, "outcome", "") == "done":
                yield Line(say(Text.WHY_UNUSED, **facts), inner=True)

    def _foreign(self, record: Record) -> Line:
        return Line(
            say(
                Text.WHY_FOREIGN,
                kind=record.body.kind,
                when=self.style.at(record.stamp),
                who=self._who(record),
                key=short_key(record.author),
            )
        )

    # Words.

    def _who(self, record: Record) -> str:
        return self.style.shown(self.name(record.author), NAME_SHOWN)

    def _fold(self, reason: str) -> str:
        return self.style.ours(fold_reason(reason))
