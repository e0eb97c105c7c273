"""The message of one competing split: what it is, how it is rated, and how its vote ended."""

from __future__ import annotations

from collections.abc import Iterator

from bot.rendering import MESSAGE_LIMIT, length, plain
from bot.texts import Text, moment, say
from bot.tree import NAME_SHOWN, REASON_SHOWN, TITLE_SHOWN
from swarm.core.explain import Namer
from swarm.core.plan import Node, Plan
from swarm.core.view import why_proposal
from swarm.core.voting import Tally, Vote

APPROVE = "👍"
REJECT = "👎"

DETAIL_SHOWN = 160
LENS_SHOWN = 60
RATIONALE_SHOWN = 200


def competing(plan: Plan) -> Iterator[tuple[Node, Vote, Tally]]:
    """Yield the splits that take or took part in a vote, in the order they were proposed.

    What came after the vote was over competes for nothing.
    """
    found = [
        (node, node.vote, tally)
        for node in plan.nodes()
        if node.vote is not None
        for tally in node.vote.valid()
        if node.decision is None or tally.record.stamp <= node.decision.stamp
    ]
    yield from sorted(found, key=lambda item: item[2].record.key)


def is_open(plan: Plan, node: Node) -> bool:
    """Return whether votes at a node still count."""
    return node.decision is None and not plan.final


def split_message(plan: Plan, node: Node, vote: Vote, tally: Tally, *, name: Namer) -> str:
    """Return the message of a split, at most `MESSAGE_LIMIT` long."""
    head = [_title(plan, node, tally), *_who(tally, name)]
    foot = [_rating(plan, tally), *_outcome(plan, node, vote, tally)]
    room = MESSAGE_LIMIT - length("\n".join([*head, *foot])) - 2
    return "\n".join([*head, *_parts(tally, room), *foot])


def _title(plan: Plan, node: Node, tally: Tally) -> str:
    lens = plain(tally.body.lens, LENS_SHOWN)
    by = say(Text.SPLIT_LENS, lens=lens) if lens else ""
    if node is plan.root:
        return say(Text.SPLIT_TITLE, lens=by).rstrip()
    return say(Text.SPLIT_TITLE_OF, title=plain(node.title, TITLE_SHOWN), lens=by).rstrip()


def _who(tally: Tally, name: Namer) -> Iterator[str]:
    rationale = plain(tally.body.rationale, RATIONALE_SHOWN)
    yield say(
        Text.SPLIT_WHO,
        who=plain(name(tally.record.author), NAME_SHOWN),
        rationale=f": {rationale}" if rationale else "",
    )
    if tally.body.refines is not None:
        yield say(Text.SPLIT_REFINED)


def _parts(tally: Tally, room: int) -> list[str]:
    if not tally.body.parts:
        return [f"- {say(Text.SPLIT_TASK)}"]
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


def _rating(plan: Plan, tally: Tally) -> str:
    counts = {"approvals": tally.total(plan.policy), "quorum": plan.policy.quorum}
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


def _outcome(plan: Plan, node: Node, vote: Vote, tally: Tally) -> Iterator[str]:
    if is_open(plan, node):
        if plan.policy.people == "count":
            yield say(Text.SPLIT_VOTE)
        elif plan.policy.people == "advisory":
            yield say(Text.SPLIT_VOTE_ADVISORY)
        if vote.window_ms is not None and plan.now_ms <= vote.window_ms:
            yield say(Text.SPLIT_WINDOW, when=moment(vote.window_ms))
        return
    decision = node.decision
    reason = plain(why_proposal(plan, node, tally), REASON_SHOWN)
    if decision is None:
        yield say(Text.SPLIT_LOST, reason=plain(plan.reason, REASON_SHOWN))
    elif decision.proposal is not None and decision.proposal.id == tally.record.id:
        yield say(Text.SPLIT_WON, reason=reason)
    else:
        yield say(Text.SPLIT_LOST, reason=reason)
