"""The human-readable timeline of a world: who did what when, as plain or coloured text."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from swarm.core.records import (
    Ballot,
    Cancel,
    Claim,
    Goal,
    Notice,
    Progress,
    Proposal,
    Record,
    Replan,
    Result,
    child_id,
)
from swarm.sim.world.virtual_clock import VirtualClock

if TYPE_CHECKING:
    from rich.text import Text

Kind = Literal["said", "fault", "attack", "plan", "check"]

STYLES: dict[Kind, str] = {
    "said": "",
    "fault": "yellow",
    "attack": "red",
    "plan": "bold green",
    "check": "bold red",
}


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the timeline.

    Attributes:
        at_ms: when, in ms since the world began.
        who: a peer's name, or what else acted.
        kind: the kind of event.
        what: what happened, in words.
    """

    at_ms: int
    who: str
    kind: Kind
    what: str

    def line(self, width: int) -> str:
        """Return it as a line of plain text."""
        return f"{self.at_ms / 1000:9.3f}  {self.who:<{width}}  {_mark(self.kind)} {self.what}"


def _mark(kind: Kind) -> str:
    return {"said": "·", "fault": "!", "attack": "~", "plan": "=", "check": "✗"}[kind]


class Timeline:
    """Collects what happened in one world."""

    def __init__(self, clock: VirtualClock) -> None:
        """Start empty."""
        self.entries: list[Entry] = []
        self._clock = clock
        self._titles: dict[bytes, str] = {}
        self._lenses: dict[bytes, str] = {}
        self._states: dict[bytes, str] = {}

    def add(self, who: str, kind: Kind, what: str) -> None:
        """Add a line."""
        self.entries.append(Entry(self._clock.elapsed_ms, who, kind, what))

    def published(self, name: str, record: Record, *, honest: bool) -> None:
        """Note that a peer published a record."""
        self.add(name, "said" if honest else "attack", self._words(record))

    def state(self, goal: bytes, state: str, reason: str) -> None:
        """Note a goal's state if it has changed."""
        if self._states.get(goal) != state:
            self._states[goal] = state
            self.add("plan", "plan", f"“{self.title(goal)}” is {state}: {reason}")

    def title(self, node: bytes) -> str:
        """Return the display name of a node."""
        return self._titles.get(node, node.hex()[:8])

    def _words(self, record: Record) -> str:
        match record.body:
            case Goal(text=text):
                self._titles[record.id] = text[:60]
                return f"submits “{text[:60]}”"
            case Proposal() as body:
                self._lenses[record.id] = body.lens
                for index, part in enumerate(body.parts):
                    self._titles.setdefault(child_id(record.id, index), part.title[:60])
                how = f"{len(body.parts)} parts by {body.lens}" if body.parts else "one task"
                again = " (polished)" if body.refines else ""
                return f"proposes {how}{again} for “{self.title(body.node)}”"
            case Ballot() as body:
                lens = self._lenses.get(body.proposal, "?")
                who = "a person's vote: " if body.person else ""
                verb = {"approve": "approves", "reject": "rejects", "abstain": "rates"}[
                    body.verdict
                ]
                return f"{who}{verb} the split by {lens} of “{self.title(body.node)}”"
            case Claim() as body:
                return f"claims “{self.title(body.node)}”, attempt {body.attempt}"
            case Progress() as body:
                return f"renews its lease on “{self.title(body.node)}”"
            case Result() as body:
                if body.outcome == "done":
                    return f"has done “{self.title(body.node)}”"
                return f"failed at “{self.title(body.node)}”: {body.reason}"
            case Replan() as body:
                return f"asks for another split of “{self.title(body.node)}”"
            case Cancel():
                return "cancels the goal"
            case Notice() as body:
                return f"gives notice: {body.text}"
        return f"publishes a record of kind {record.body.kind}"


def plain(entries: Iterable[Entry]) -> str:
    """Return a timeline as plain text, one line each."""
    rows = list(entries)
    width = max((len(row.who) for row in rows), default=0)
    return "\n".join(row.line(width) for row in rows)


def coloured(entries: Iterable[Entry], clean: Callable[[str], str]) -> Text:
    """Return a timeline for a terminal.

    Args:
        entries: the lines.
        clean: removes characters from a text that could steer the terminal.
    """
    from rich.text import Text

    rows = list(entries)
    width = max((len(row.who) for row in rows), default=0)
    text = Text()
    for row in rows:
        text.append(f"{row.at_ms / 1000:9.3f}  ", style="dim")
        text.append(f"{row.who:<{width}}  ", style="cyan")
        text.append(f"{_mark(row.kind)} {clean(row.what)}\n", style=STYLES[row.kind])
    return text
