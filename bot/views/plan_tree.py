"""The live message of a goal: its tree, with signs and words, within one message.

A pure function of the plan and of the peers present. A long tree folds: first its settled parts,
then deeper levels; at last the end is cut, with a count of what is not shown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from bot.rendering import MESSAGE_LIMIT, length, plain
from bot.texts import Text, duration, moment, say
from bot.views.reasons import node_reason, plan_reason
from swarm.core.fold.node import Node, State
from swarm.core.fold.plan import Plan
from swarm.core.fold.reasons import BestVersion
from swarm.core.records import Namer

BAR_SIGNS = 12
"""Length of the progress bar in signs: fits a phone screen beside the count."""

GOAL_SHOWN = 200
TITLE_SHOWN = 90
NAME_SHOWN = 40

_STATES: dict[State, Text] = {
    "open": Text.OPEN,
    "voting": Text.VOTING,
    "executing": Text.EXECUTING,
    "assembling": Text.ASSEMBLING,
    "done": Text.DONE,
    "partial": Text.PARTIAL,
    "failed": Text.FAILED,
    "cancelled": Text.CANCELLED,
}


def state_text(state: State) -> str:
    """Return a state as sign and word."""
    return say(_STATES[state])


def live_message(plan: Plan, *, name: Namer, others: int) -> str:
    """Return the live message of a goal, at most `MESSAGE_LIMIT` long.

    Args:
        plan: what to show.
        name: returns the name of an author key.
        others: how many other peers are present.
    """
    head = [say(Text.LIVE_TITLE, goal=plain(plan.root.title, GOAL_SHOWN)), *_summary(plan)]
    times = _times(plan, others)
    room = MESSAGE_LIMIT - length("\n".join([*head, times])) - 2
    return "\n".join([*head, *_tree(plan, name, room), times])


def ended_ms(plan: Plan) -> int:
    """Return when a finished goal ended, in ms."""
    settled = plan.root.settled
    return settled.ms if settled is not None else min(plan.cutoff.ms, plan.now_ms)


def took_ms(plan: Plan) -> int:
    """Return how long a goal took from being asked to its end, in ms."""
    return ended_ms(plan) - plan.goal.stamp.ms


def settled_parts(plan: Plan) -> tuple[int, int]:
    """Return how many parts are settled, and how many there are, without the root."""
    parts = [node for node in plan.nodes() if node is not plan.root]
    return sum(node.settled is not None for node in parts), len(parts)


def numbered(plan: Plan) -> Iterator[tuple[str, Node]]:
    """Yield the parts with their numbers, such as 2.1, as the tree shows them."""

    def below(node: Node, prefix: str) -> Iterator[tuple[str, Node]]:
        for index, child in enumerate(node.children, 1):
            number = f"{prefix}{index}"
            yield number, child
            yield from below(child, f"{number}.")

    yield from below(plan.root, "")


def _times(plan: Plan, others: int) -> str:
    asked = moment(plan.goal.stamp.ms)
    if plan.final:
        # The number of peers is left out: nothing updates it once the goal is over.
        return say(Text.LIVE_TIMES_ENDED, asked=asked, ended=moment(ended_ms(plan)))
    peers = say(Text.LIVE_PEERS_ONE) if others == 1 else say(Text.LIVE_PEERS, count=others)
    return say(Text.LIVE_TIMES, asked=asked, deadline=moment(plan.deadline_ms), peers=peers)


def _summary(plan: Plan) -> list[str]:
    lines = []
    done, total = settled_parts(plan)
    if total:
        filled = BAR_SIGNS * done // total
        bar = "▰" * filled + "▱" * (BAR_SIGNS - filled)
        lines = [say(Text.LIVE_BAR, bar=bar, done=done, total=total)]
    state = state_text(plan.state)
    reason = plan_reason(plan)
    if plan.state in ("executing", "assembling"):
        lines.append(say(Text.LIVE_WORK, state=state))
    elif not plan.final:
        lines.append(say(Text.LIVE_STATE, state=state, reason=reason))
    elif plan.state == "done":
        lines.append(say(Text.LIVE_ENDED, state=state, took=duration(took_ms(plan))))
    else:
        took = duration(took_ms(plan))
        lines.append(say(Text.LIVE_ENDED_REASON, state=state, took=took, reason=reason))
    return lines


def _tree(plan: Plan, name: Namer, room: int) -> list[str]:
    folds: list[Callable[[Node], bool]] = [
        lambda node: False,
        lambda node: node.settled is not None,
        lambda node: node.settled is not None or node.depth >= 2,
        lambda node: node.depth >= 1,
    ]
    lines: list[str] = []
    for fold in folds:
        lines = list(_lines(plan, plan.root, "", name, fold))
        if sum(length(line) + 1 for line in lines) <= room:
            return lines
    total = len(lines)
    while lines:
        lines.pop()
        more = say(Text.LIVE_HIDDEN, count=total - len(lines))
        if sum(length(line) + 1 for line in [*lines, more]) <= room:
            return [*lines, more]
    return []


def _lines(
    plan: Plan, node: Node, prefix: str, name: Namer, fold: Callable[[Node], bool]
) -> Iterator[str]:
    for index, child in enumerate(node.children, 1):
        number = f"{prefix}{index}"
        indent = "  " * (child.depth - 1)
        title = plain(child.title, TITLE_SHOWN)
        sign, _, word = standing(plan, child, name).partition(" ")
        folded = bool(child.children) and fold(child)
        inside = sum(1 for _ in child.walk()) - 1
        more = f" {say(Text.LIVE_FOLDED, count=inside)}" if folded else ""
        yield f"{indent}- {sign} **{number}** {title} · {word}{more}"
        if not folded:
            yield from _lines(plan, child, f"{number}.", name, fold)


def standing(plan: Plan, node: Node, name: Namer) -> str:
    """Return where a part stands and who works on it, as sign and words."""
    state = plan.state_of(node)
    said = state_text(state)
    if state == "open":
        if node.vote is not None and node.decision is None:
            return say(Text.PROPOSALS)
        if node.outcome.sent_back is not None:
            return f"{say(Text.FREE)}: {node_reason(plan, node, TITLE_SHOWN)}"
        return say(Text.OPEN if node.ready is None else Text.FREE)
    attempt = node.outcome.attempt
    holder = node.outcome.holder
    if holder is not None and attempt is not None:
        who = plain(name(holder.author), NAME_SHOWN)
        percent = getattr(attempt.progress.body, "percent", None) if attempt.progress else None
        if percent is None:
            said = say(Text.PART_BY, state=said, who=who)
        else:
            said = say(Text.PART_PERCENT, state=said, percent=percent, who=who)
        if attempt.number > 1:
            said += ", " + say(Text.PART_TRY, attempt=attempt.number)
    elif node.outcome.reviewed is not None or (
        node.reason and (state in ("partial", "failed") or isinstance(node.reason, BestVersion))
    ):
        said += f": {node_reason(plan, node, TITLE_SHOWN)}"
    return said
