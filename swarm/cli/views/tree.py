"""A plan as a tree of lines: signs and words for states, so that colour only helps.

`rows` is pure: a `PlanView` in, lines out. `as_text` makes plain text of them for pipes, `as_rich`
a coloured renderable for terminals. If a plan has more lines than fit, finished parts are folded
first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from swarm.console.text import duration, one_line, progress_bar
from swarm.core.views.plan_view import NodeView, PlanView, ProposalView

if TYPE_CHECKING:
    from rich.text import Text

SIGNS = {
    "open": ("○", "."),
    "voting": ("◐", "?"),
    "executing": ("▶", ">"),
    "assembling": ("◆", "+"),
    "done": ("✔", "*"),
    "partial": ("◒", "~"),
    "failed": ("✘", "!"),
    "cancelled": ("⊘", "x"),
}
"""State -> its sign, and its sign for terminals with only ASCII."""

STYLES = {
    "open": "dim",
    "voting": "cyan",
    "executing": "yellow",
    "assembling": "magenta",
    "done": "green",
    "partial": "yellow",
    "failed": "red",
    "cancelled": "red",
}

STATE_WIDTH = max(map(len, SIGNS))
"""Width of the column of states, in characters."""

ENDED = frozenset(("done", "partial", "failed", "cancelled"))
MAX_DEMANDS = 8
"""How many of a goal's demands are shown; `--json` has all."""

DEMAND_SHOWN = 60
"""How many characters of a demand are shown."""

MAX_NOTICES = 3
"""How many of the newest notices are shown."""

Namer = Callable[[str], str]
"""Returns the name that people know an author by, given its public key in hex digits."""


def short(author: str) -> str:
    """Return the first eight digits of a key, the name of an author without one."""
    return author[:8]


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the tree.

    Attributes:
        lead: the branches of the tree before it.
        sign: the state's sign; empty in lines without a state.
        state: the state.
        title: what the line is about.
        note: additional facts.
        style: a rich style for sign and state.
    """

    lead: str = ""
    sign: str = ""
    state: str = ""
    title: str = ""
    note: str = ""
    style: str = ""

    def __str__(self) -> str:
        head = f"{self.sign} {self.state:<{STATE_WIDTH}}  " if self.sign else ""
        note = f" - {self.note}" if self.note and self.title else self.note
        return f"{self.lead}{head}{self.title}{note}".rstrip()


@dataclass(frozen=True, slots=True)
class _Draw:
    name: Namer
    ascii: bool
    now_ms: int
    fold: int

    def sign(self, state: str) -> str:
        return SIGNS[state][self.ascii]

    def branch(self, last: bool) -> tuple[str, str]:
        """Return the branches before an item's own line, and those before the lines below it."""
        if self.ascii:
            return ("`- ", "   ") if last else ("|- ", "|  ")
        return ("└─ ", "   ") if last else ("├─ ", "│  ")


FOLD_LEVELS = 3
"""0: everything is shown; 1: the parts of finished nodes are folded; 2: so are finished
siblings."""


def rows(
    view: PlanView,
    *,
    name: Namer = short,
    now_ms: int | None = None,
    limit: int = 0,
    ascii_only: bool = False,
) -> list[Row]:
    """Return a plan's lines: a header, the tree, the latest notices.

    Args:
        view: the plan.
        name: returns the name of an author.
        now_ms: the time in ms since the epoch, to show the elapsed time; None: not shown.
        limit: most lines; 0: no limit.
        ascii_only: whether to use only ASCII signs.
    """
    found: list[Row] = []
    for fold in range(FOLD_LEVELS):
        draw = _Draw(name, ascii_only, now_ms or 0, fold)
        found = [*_header(view, draw, now_ms), *_root(view, draw), *_notices(view, draw)]
        if not limit or len(found) <= limit:
            return found
    kept = max(1, limit - 1)
    return [*found[:kept], Row(title=f"{'...' if ascii_only else '…'} {len(found) - kept} more")]


def as_text(lines: Sequence[Row]) -> str:
    """Return lines as plain text."""
    return "\n".join(map(str, lines))


def as_rich(lines: Sequence[Row]) -> Text:
    """Return lines for a rich console, each cut at the console's width."""
    from rich.text import Text

    text = Text(no_wrap=True, overflow="ellipsis")
    for index, row in enumerate(lines):
        if index:
            text.append("\n")
        text.append(row.lead, "dim")
        if row.sign:
            text.append(f"{row.sign} {row.state:<{STATE_WIDTH}}  ", row.style)
        text.append(row.title, "bold" if not row.lead and row.sign else "")
        if row.note:
            text.append(f" - {row.note}" if row.title else row.note, "dim")
    return text


def _header(view: PlanView, draw: _Draw, now_ms: int | None) -> list[Row]:
    state = view.state
    facts = [progress_bar(view.counts.done, view.counts.nodes, ascii_only=draw.ascii), state]
    if view.reason and view.reason != state:
        facts.append(_reason(view.reason, view.tree.waits_because))
    if now_ms is not None and state not in ENDED:
        facts.append(f"{duration(now_ms - view.created_ms)} of {_most(view)}")
    facts.append(f"goal {view.goal[:8]}")
    return [
        Row("", draw.sign(state), state, one_line(view.text, 160), "", STYLES[state]),
        Row(note=(" | " if draw.ascii else " · ").join(facts)),
        *_demands(view),
    ]


def _demands(view: PlanView) -> list[Row]:
    """Return a line with what the goal demands, as the accepted brief has it."""
    shown = [one_line(demand, DEMAND_SHOWN) for demand in view.demands[:MAX_DEMANDS]]
    if more := len(view.demands) - len(shown):
        shown.append(f"and {more} more")
    return [Row(note=f"It demands: {'; '.join(shown)}")] if shown else []


def _reason(reason: str, because: str) -> str:
    """Return what is waited for, and who is missing for it."""
    return one_line(f"{reason}: {because}" if because else reason, 160)


def _most(view: PlanView) -> str:
    return duration(view.deadline_ms - view.created_ms)


def _root(view: PlanView, draw: _Draw) -> list[Row]:
    root = view.tree
    if root.children:
        return _children(root, "", draw)
    lines = _proposals(root, "", draw)
    doing = _who(root, draw)
    return [*lines, Row(note=doing)] if doing else lines


def _children(node: NodeView, lead: str, draw: _Draw) -> list[Row]:
    groups = _grouped(node.children, draw)
    lines: list[Row] = []
    for index, group in enumerate(groups):
        own, below = draw.branch(index == len(groups) - 1)
        if len(group) > 1:
            state = "done"
            lines.append(
                Row(lead + own, draw.sign(state), state, f"{len(group)} parts", "", STYLES[state])
            )
        else:
            lines += _node(group[0], lead + own, lead + below, draw)
    return lines


def _grouped(children: Sequence[NodeView], draw: _Draw) -> list[list[NodeView]]:
    groups: list[list[NodeView]] = []
    for child in children:
        together = draw.fold >= 2 and child.state == "done"
        if together and groups and groups[-1][-1].state == "done":
            groups[-1].append(child)
        else:
            groups.append([child])
    return groups


def _node(node: NodeView, own: str, below: str, draw: _Draw) -> list[Row]:
    note = _doing(node, draw)
    folded = draw.fold >= 1 and node.state in ENDED and node.children
    if folded:
        note = ", ".join(filter(None, (f"{len(node.children)} parts folded", note)))
    line = Row(own, draw.sign(node.state), node.state, one_line(node.title, 100), note)
    line = Row(line.lead, line.sign, line.state, line.title, line.note, STYLES[node.state])
    if folded:
        return [line]
    if node.children:
        return [line, *_children(node, below, draw)]
    return [line, *_proposals(node, below, draw)]


def _doing(node: NodeView, draw: _Draw) -> str:
    """Return a node's executor and progress, and the reason for its state."""
    plain = ("", node.state, "in progress", "its parts are being put together")
    why = node.waits_because if node.reason in plain else _reason(node.reason, node.waits_because)
    why = one_line(why, 160)
    return "; ".join(filter(None, (_who(node, draw), why)))


def _who(node: NodeView, draw: _Draw) -> str:
    if node.result is not None:
        draft = ", a draft to verify" if node.result.draft else ""
        return f"by {one_line(draw.name(node.result.author), 40)}{draft}"
    claim = node.claim
    if claim is None or not claim.active or node.state not in ("executing", "assembling"):
        return ""
    facts = [one_line(draw.name(claim.holder), 40)]
    if claim.attempt > 1:
        facts.append(f"attempt {claim.attempt}")
    if claim.percent is not None:
        facts.append(f"{claim.percent} %")
    if claim.note:
        facts.append(one_line(claim.note, 60))
    return ", ".join(facts)


def _proposals(node: NodeView, lead: str, draw: _Draw) -> list[Row]:
    """Return a line for each competing proposal while there is no decision."""
    if node.state not in ("open", "voting") or not node.proposals:
        return []
    lines = []
    for index, proposal in enumerate(node.proposals):
        own, _ = draw.branch(index == len(node.proposals) - 1)
        lines.append(
            Row(lead + own, title=proposal_line(proposal, draw.name), note=proposal_marks(proposal))
        )
    return lines


def proposal_line(proposal: ProposalView, name: Namer) -> str:
    """Return what a proposal is, and its author."""
    what = (
        f"split into {len(proposal.subgoals)} parts" if proposal.subgoals else "do it as one task"
    )
    lens = f" by {one_line(proposal.lens)}" if proposal.lens and proposal.subgoals else ""
    refined = ", refined" if proposal.refines else ""
    return f"{what}{lens} ({one_line(name(proposal.author), 40)}{refined})"


def proposal_marks(proposal: ProposalView) -> str:
    """Return the ratings and votes of a proposal so far."""
    if not proposal.ballots and not proposal.people.approve and not proposal.people.reject:
        return "not rated yet"
    marks = f"rated {proposal.score:.2f}, {proposal.approvals} of {proposal.quorum} approvals"
    if proposal.people.approve or proposal.people.reject:
        marks += f", people {proposal.people.approve} for and {proposal.people.reject} against"
    return marks


def _notices(view: PlanView, draw: _Draw) -> list[Row]:
    return [
        Row(title="!", note=f"{one_line(draw.name(n.author), 40)}: {one_line(n.text, 200)}")
        for n in view.notices[-MAX_NOTICES:]
    ]
