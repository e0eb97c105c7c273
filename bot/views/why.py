"""How a part of a plan came to be, line by line, in the language spoken now.

`swarm.core.views.explain` gives the history as data; here each event gets a line of the catalogue.
The same lines serve a chat and a file: what people and models wrote, and times, are put in as the
place where they are read needs them (`Style`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import assert_never

from bot.rendering import clean, plain
from bot.rendering.escape import ZERO_WIDTH_SPACE
from bot.rendering.fitting import shorten
from bot.texts import Text, moment, say
from bot.views.plan_tree import GOAL_SHOWN, NAME_SHOWN, TITLE_SHOWN, state_text
from bot.views.reasons import aside, lack_text, lost, rated_low, reason_text, won
from bot.views.splits import CRITIQUE_SHOWN, LENS_SHOWN
from swarm.core.clock import Stamp
from swarm.core.fold.node import Node
from swarm.core.fold.plan import Plan
from swarm.core.fold.reasons import BeingAssembled, Done, InProgress, Reason
from swarm.core.fold.voting import Decision, Tally
from swarm.core.records import Namer, Record, short_key
from swarm.core.views import explain
from swarm.core.views.explain import DETAILS, Event, history
from swarm.core.views.waiting import Heard

_ESCAPED = re.compile(r"\\([^\w\s])")


@dataclass(frozen=True, slots=True)
class Style:
    """How foreign text and times are written where the lines are read."""

    shown: Callable[[str, int], str]
    """Makes a text one safe line of at most so many UTF-16 units."""
    at: Callable[[Stamp], str]
    """Writes a time."""
    ours: Callable[[str], str]
    """Converts a text that is already rendered for the chat."""


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
    """Whether it belongs to the line above."""


def why(
    plan: Plan,
    node: Node,
    name: Namer,
    style: Style = CHAT,
    heard: Sequence[Heard] | None = None,
) -> list[Line]:
    """Return who proposed what, who voted how, what won, who did the work; a headline first.

    Args:
        plan: the goal's.
        node: one of its nodes.
        name: gives author keys their names.
        style: where the lines are read.
        heard: the peers that were heard lately; None: not known.
    """
    writer = _Writer(plan, name, style)
    return [
        Line(text, inner=isinstance(event, DETAILS))
        for event in history(plan, node, heard)
        for text in writer.lines(event)
    ]


@dataclass(frozen=True, slots=True)
class _Writer:
    """Words each event of a node's history."""

    plan: Plan
    name: Namer
    style: Style

    def lines(self, event: Event) -> Iterator[str]:
        at = self.style.at
        match event:
            case explain.Stands():
                yield self._headline(event)
            case explain.Asked(goal):
                yield say(Text.WHY_ASKED, when=at(goal.stamp), who=self._who(goal))
            case explain.Opened(number, parent, stamp):
                title = self.style.shown(parent.title, TITLE_SHOWN)
                yield say(Text.WHY_PART, number=number, parent=title, when=at(stamp))
            case explain.ProposedBefore(tally):
                yield say(Text.WHY_BEFORE, proposed=self._proposed(tally))
            case explain.RoundEnded(past, winner):
                yield self._decided(past.decision, winner)
                reason = self.style.ours(aside(past))
                yield say(Text.WHY_ASIDE, when=at(past.replan.stamp), reason=reason)
            case explain.Proposed(tally, standing):
                stands = say(Text.WHY_STANDS, reason=self._standing(tally, standing))
                yield f"{self._proposed(tally)} {stands}"
            case explain.Rated():
                yield self._rated(event)
            case explain.PeopleVoted(approve, reject):
                yield say(Text.WHY_PEOPLE, up=approve, down=reject)
            case explain.BallotIgnored(record, ignored):
                yield say(Text.WHY_IGNORED, who=self._who(record), reason=self._reason(ignored))
            case explain.VoteEnded(decision, winner):
                yield self._decided(decision, winner)
            case explain.Claimed(attempt, claim, holds):
                text = Text.WHY_CLAIMED if holds else Text.WHY_CLAIMED_LATE
                yield say(text, number=attempt, who=self._who(claim), when=at(claim.stamp))
            case explain.AttemptOver(number, "sent back", because):
                yield say(Text.WHY_ATTEMPT, number=number, reason=self._reason(because))
            case explain.AttemptOver(number, _, because):
                yield say(Text.WHY_ATTEMPT_ENDED, number=number, reason=self._reason(because))
            case explain.Settled(result):
                yield say(Text.WHY_SETTLED, when=at(result.stamp), who=self._who(result))
            case explain.Written(result):
                yield say(Text.WHY_WRITTEN, when=at(result.stamp), who=self._who(result))
            case explain.Reviewed(record, review):
                critique = self.style.shown(review.critique, CRITIQUE_SHOWN)
                yield say(
                    Text.WHY_FINE if review.verdict == "fine" else Text.WHY_WRONG,
                    who=self._who(record),
                    score=f"{review.score:.2f}",
                    said=f": {critique}" if critique else "",
                )
            case explain.Unused(result):
                yield say(Text.WHY_UNUSED, when=at(result.stamp), who=self._who(result))
            case explain.Foreign(record):
                yield self._foreign(record)
            case _:
                assert_never(event)

    def _headline(self, event: explain.Stands) -> str:
        repeats = isinstance(event.reason, Done | InProgress | BeingAssembled)
        facts = [] if repeats else [self._reason(event.reason)]
        if event.lack is not None:
            facts.append(self.style.ours(lack_text(event.lack)))
        because = f" ({': '.join(facts)})" if facts else ""
        return f"{self.style.shown(event.title, GOAL_SHOWN)}: {state_text(event.state)}{because}"

    # Votes.

    def _rated(self, event: explain.Rated) -> str:
        critique = self.style.shown(event.ballot.critique, CRITIQUE_SHOWN)
        facts = {
            "who": self._who(event.record),
            "score": f"{event.ballot.score:.2f}",
            "said": f": {critique}" if critique else "",
        }
        if event.since is None:
            return say(Text.WHY_RATES, **facts)
        return say(Text.WHY_APPROVES, when=self.style.at(event.since), **facts)

    def _proposed(self, tally: Tally) -> str:
        lens = self.style.shown(tally.body.lens, LENS_SHOWN)
        by = f" {say(Text.SPLIT_LENS, lens=lens)}" if lens else ""
        count = len(tally.body.parts)
        what = say(Text.WHY_PARTS, count=count, lens=by) if count else say(Text.SPLIT_TASK)
        when = self.style.at(tally.record.stamp)
        return say(Text.WHY_PROPOSED, when=when, who=self._who(tally.record), what=what)

    def _standing(self, tally: Tally, standing: explain.Standing) -> str:
        match standing:
            case explain.NoScorerYet(approvals, quorum):
                return say(Text.WHY_NO_SCORER, approvals=approvals, quorum=quorum)
            case explain.FewApprovals(approvals, quorum):
                return say(Text.WHY_HAS, approvals=approvals, quorum=quorum)
            case explain.RatedTooLow(score, least):
                return self.style.ours(rated_low(score, least))
            case explain.WindowOpen():
                return say(Text.WHY_WINDOW)
            case explain.Won(decision):
                return self.style.ours(won(decision, tally))
            case explain.Lost(decision):
                return self.style.ours(lost(self.plan, decision, tally))
            case _:
                return self._reason(standing)

    def _decided(self, decision: Decision, winner: Tally | None) -> str:
        reason = self.style.ours(won(decision, winner))
        return say(Text.WHY_DECIDED, when=self.style.at(decision.stamp), reason=reason)

    def _foreign(self, record: Record) -> str:
        return say(
            Text.WHY_FOREIGN,
            kind=record.body.kind,
            when=self.style.at(record.stamp),
            who=self._who(record),
            key=short_key(record.author),
        )

    # Words.

    def _who(self, record: Record) -> str:
        return self.style.shown(self.name(record.author), NAME_SHOWN)

    def _reason(self, reason: Reason) -> str:
        return self.style.ours(reason_text(reason))
