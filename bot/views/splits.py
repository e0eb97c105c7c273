"""The message of one competing split: what it is, how it is rated, and how its vote ended."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bot.rendering import MESSAGE_LIMIT, length, pages, plain
from bot.texts import Text, moment, say
from bot.views.plan_tree import NAME_SHOWN, TITLE_SHOWN
from bot.views.posts import Press
from bot.views.reasons import aside, lost, plan_reason, won
from swarm.core.fold.node import Node
from swarm.core.fold.plan import Plan
from swarm.core.fold.replans import Round
from swarm.core.fold.voting import Decision, Tally, Vote
from swarm.core.records import Ballot, Namer

APPROVE = "👍"
REJECT = "👎"

SMALL = "-# "
"""How Discord marks a line in small letters."""

DETAIL_SHOWN = 160
LENS_SHOWN = 60
RATIONALE_SHOWN = 200
DEMAND_SHOWN = 60
DEMANDS_SHOWN = 400
DRAFT_SHOWN = 300
CRITIQUE_SHOWN = 400
CRITIQUE_PAGES = 2


@dataclass(frozen=True, slots=True)
class Split:
    """A split that takes or took part in a vote."""

    plan: Plan
    node: Node
    vote: Vote
    tally: Tally
    decision: Decision | None
    """How its vote ended; None: the vote is open, or the plan ended before it."""
    past: Round | None = None
    """Its round, if the node has been voted on again since."""

    @property
    def open(self) -> bool:
        """Whether votes on it still count."""
        return self.decision is None and not self.plan.final

    @property
    def accepted(self) -> bool:
        """Whether it won its vote."""
        return self.decision is not None and self.decision.proposal is self.tally.record

    @property
    def seeds(self) -> tuple[str, ...]:
        """Reactions that the bot adds as an invitation to vote."""
        return (APPROVE, REJECT) if self.open and self.plan.policy.people != "off" else ()

    @property
    def buttons(self) -> tuple[Press, ...]:
        """The buttons under its message."""
        if self.seeds:
            return (Press.APPROVE, Press.REJECT, Press.SAID)
        stands = self.accepted and self.past is None and self.node.settled is None
        if stands and not self.plan.final and may_replan(self.plan, self.node):
            return (Press.SAID, Press.REPLAN)
        return (Press.SAID,)


def competing(plan: Plan) -> Iterator[Split]:
    """Yield the splits that take or took part in a vote, in the order of their proposals.

    Proposals that came after their vote was over are left out.
    """
    found: list[Split] = []
    for node in plan.nodes():
        for past in node.rounds:
            found += [
                Split(plan, node, past.vote, tally, past.decision, past)
                for tally in past.vote.valid()
                if tally.record.stamp <= past.decision.stamp
            ]
        if node.vote is not None:
            found += [
                Split(plan, node, node.vote, tally, node.decision)
                for tally in node.vote.valid()
                if node.decision is None or tally.record.stamp <= node.decision.stamp
            ]
    yield from sorted(found, key=lambda split: split.tally.record.key)


def find(plan: Plan, proposal: bytes) -> Split | None:
    """Return a split by its proposal's id."""
    return next((s for s in competing(plan) if s.tally.record.id == proposal), None)


def may_replan(plan: Plan, node: Node) -> bool:
    """Return whether a node has rounds left for another vote."""
    return node.vote is not None and len(node.rounds) < plan.policy.max_replans


def split_message(split: Split, *, name: Namer, voters: str = "") -> str:
    """Return the message of a split, at most `MESSAGE_LIMIT` long.

    Args:
        split: what to show.
        name: returns the name of an author key.
        voters: the roles that may vote, rendered; empty: everyone may.
    """
    head = [_title(split), *_who(split, name)]
    foot = [_rating(split), *_outcome(split, voters)]
    room = MESSAGE_LIMIT - length("\n".join([*head, *foot])) - 2
    if not split.open and not (split.accepted and split.past is None):
        # A split that is no longer on offer takes one line, so that the thread stays short.
        titles = " · ".join(plain(part.title, TITLE_SHOWN) for part in split.tally.body.parts)
        if titles and length(titles) + len(SMALL) <= room:
            return "\n".join([*head, SMALL + titles, *foot])
    return "\n".join([*head, *_parts(split.tally, room), *foot])


def critiques(split: Split, *, name: Namer) -> list[str]:
    """Return what scorers say of a split, as messages."""
    lines = []
    for voter, record in sorted(split.tally.ballots.items()):
        if not isinstance(record.body, Ballot):
            continue
        said = plain(record.body.critique, CRITIQUE_SHOWN)
        lines.append(
            say(
                Text.CRITIQUE,
                who=plain(name(voter), NAME_SHOWN),
                score=f"{record.body.score:.2f}",
                approves=say(Text.CRITIQUE_APPROVES) if voter in split.tally.approvals else "",
                critique=said or say(Text.CRITIQUE_NONE),
            )
        )
    if not lines:
        return [say(Text.CRITIQUES_NONE)]
    return pages([say(Text.CRITIQUES), *lines])[:CRITIQUE_PAGES]


def _title(split: Split) -> str:
    lens = plain(split.tally.body.lens, LENS_SHOWN)
    by = say(Text.SPLIT_LENS, lens=lens) if lens else ""
    if split.node is split.plan.root:
        return say(Text.SPLIT_TITLE, lens=by).rstrip()
    return say(Text.SPLIT_TITLE_OF, title=plain(split.node.title, TITLE_SHOWN), lens=by).rstrip()


def _who(split: Split, name: Namer) -> Iterator[str]:
    tally = split.tally
    rationale = plain(tally.body.rationale, RATIONALE_SHOWN)
    yield say(
        Text.SPLIT_WHO,
        who=plain(name(tally.record.author), NAME_SHOWN),
        rationale=f": {rationale}" if rationale else "",
    )
    if split.node is split.plan.root and tally.body.brief is not None:
        demands = [plain(demand.text, DEMAND_SHOWN) for demand in tally.body.brief.demands]
        if demands:
            yield say(Text.SPLIT_DEMANDS, demands=_joined(demands, DEMANDS_SHOWN))
    if tally.body.refines is not None:
        yield say(Text.SPLIT_REFINED)
    if split.vote.opened > split.node.opened:
        yield say(Text.SPLIT_ROUND)


def _joined(texts: Sequence[str], most: int) -> str:
    """Return texts on one line, as many as fit; "…" stands for the others."""
    shown: list[str] = []
    for text in texts:
        if length(" · ".join([*shown, text])) > most:
            return " · ".join([*shown, "…"])
        shown.append(text)
    return " · ".join(shown)


def _parts(tally: Tally, room: int) -> list[str]:
    if not tally.body.parts:
        return [f"- {say(Text.SPLIT_TASK)}", *_draft(tally)]
    lines: list[str] = []
    for shown in (DETAIL_SHOWN, 0):
        lines = []
        for number, part in enumerate(tally.body.parts, 1):
            detail = plain(part.detail, shown) if shown and part.detail.strip() else ""
            title = plain(part.title, TITLE_SHOWN)
            lines.append(f"{number}. **{title}**" + (f": {detail}" if detail else ""))
        if sum(length(line) + 1 for line in lines) <= room:
            return lines
    total = len(lines)
    while lines:
        lines.pop()
        more = say(Text.SPLIT_MORE, count=total - len(lines))
        if sum(length(line) + 1 for line in [*lines, more]) <= room:
            return [*lines, more]
    return []


def _draft(tally: Tally) -> Iterator[str]:
    """Yield the beginning of the whole plan that a proposal brings along."""
    start = " ".join((tally.body.draft or "").split())
    if start:
        yield f"> {plain(start, DRAFT_SHOWN)}"


def _rating(split: Split) -> str:
    tally, policy = split.tally, split.plan.policy
    counts = {"approvals": tally.total(policy), "quorum": policy.quorum}
    count = len(tally.ballots)
    if not count:
        text = say(Text.SPLIT_UNRATED, **counts)
    else:
        scorers = (
            say(Text.SPLIT_SCORERS_ONE) if count == 1 else say(Text.SPLIT_SCORERS, count=count)
        )
        text = say(Text.SPLIT_RATED, score=f"{tally.score:.2f}", scorers=scorers, **counts)
    if tally.people_for or tally.people_against:
        people = say(Text.SPLIT_PEOPLE, up=tally.people_for, down=tally.people_against)
        text += f" · {people}"
    return text


def _outcome(split: Split, voters: str) -> Iterator[str]:
    plan, decision = split.plan, split.decision
    if split.open:
        yield say(
            {
                "count": Text.SPLIT_VOTE,
                "advisory": Text.SPLIT_VOTE_ADVISORY,
                "off": Text.SPLIT_VOTE_OFF,
            }[plan.policy.people]
        )
        if voters and plan.policy.people != "off":
            yield say(Text.SPLIT_VOTE_ROLES, roles=voters)
        window_ms = split.vote.window_ms
        if window_ms is not None and plan.now_ms <= window_ms:
            yield say(Text.SPLIT_WINDOW, when=moment(window_ms))
    elif decision is None:
        yield say(Text.SPLIT_LOST, reason=plan_reason(plan))
    elif not split.accepted:
        yield say(Text.SPLIT_LOST, reason=lost(plan, decision, split.tally))
    elif split.past is not None:
        yield say(Text.SPLIT_SET_ASIDE, reason=aside(split.past))
    else:
        yield say(Text.SPLIT_WON, reason=won(decision, split.tally))
