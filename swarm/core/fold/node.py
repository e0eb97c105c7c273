"""One node of a plan and the state derived for it. `tree` derives it; everything else reads it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Literal

from swarm.core.clock import Stamp
from swarm.core.fold.claims import Outcome, TaskRecords
from swarm.core.fold.reasons import Ended
from swarm.core.fold.replans import Round
from swarm.core.fold.voting import Decision, Vote
from swarm.core.headings import demote
from swarm.core.records import Record, Result, Subgoal

State = Literal[
    "open", "voting", "executing", "assembling", "done", "partial", "failed", "cancelled"
]

FINAL: frozenset[State] = frozenset(("done", "partial", "failed", "cancelled"))


DEEPEST_HEADING = 4
"""Level of the smallest heading in a plan's text: Discord shows three, and what is below
as bold lines."""


class Node:
    """One node of the plan. Its state is derived: read it; only `tree` and `plan` write it."""

    __slots__ = (
        "budget",
        "children",
        "decision",
        "depth",
        "digest",
        "id",
        "index",
        "opened",
        "outcome",
        "parent",
        "part",
        "ready",
        "reason",
        "rounds",
        "settled",
        "settled_as",
        "shadow",
        "until",
        "vote",
        "work",
    )

    def __init__(
        self,
        node_id: bytes,
        part: Subgoal,
        *,
        parent: Node | None,
        index: int,
        opened: Stamp,
        budget: int,
        vote: Vote | None,
        work: TaskRecords,
        until: Stamp | None = None,
        shadow: bool = False,
    ) -> None:
        self.id = node_id
        self.part = part
        self.parent = parent
        self.index = index
        self.depth: int = parent.depth + 1 if parent else 0
        self.opened = opened
        self.budget = budget
        """How many nodes may still be created below this one."""
        self.vote = vote
        """The latest round of the vote on how to split it; None: it has been a task from the
        start."""
        self.rounds: tuple[Round, ...] = ()
        """The earlier rounds, each ended by a replan."""
        self.until = until
        """When looking back at an earlier round: records stamped later do not count."""
        self.shadow = shadow
        """Whether this is the node as of an earlier round, derived beside the present one."""
        self.work = work
        self.decision: Decision | None = None
        self.children: tuple[Node, ...] = ()
        self.ready: Stamp | None = None
        """Since when it can be claimed, as a task or for putting its parts together; None: not
        yet."""
        self.outcome = Outcome()
        self.settled: Stamp | None = None
        self.settled_as: State | None = None
        self.reason: Ended | None = None
        """Why it settled as it did; None: it is not settled."""
        self.digest: bytes | None = None
        """Fingerprint of it and all below (32 bytes), kept until it changes; None: not known."""

    @property
    def title(self) -> str:
        """What it is about, on one line."""
        return self.part.title

    @property
    def is_task(self) -> bool:
        """Whether it is done as one task, by its kind or by its vote, rather than split."""
        if self.vote is None:
            return True
        return self.decision is not None and self.decision.how != "failed" and not self.children

    @property
    def result(self) -> Record | None:
        """The result that settled it; None: none has."""
        return self.outcome.result if self.settled else None

    @property
    def text(self) -> str:
        """The Markdown of its result; empty if there is none.

        While that is reviewed or revised, this is the latest version.
        """
        result = self.result
        if result is None and self.outcome.versions:
            result = self.outcome.versions[-1].result
        return result.body.text if result and isinstance(result.body, Result) else ""

    @property
    def closing(self) -> str | None:
        """What follows the parts' texts, in Markdown; None if `text` is the whole."""
        result = self.result
        return result.body.closing if result and isinstance(result.body, Result) else None

    @property
    def earlier(self) -> tuple[Node, ...]:
        """The siblings that have to be settled before it."""
        if self.parent is None:
            return ()
        return tuple(self.parent.children[i] for i in self.part.after)

    @property
    def waits_for(self) -> tuple[Node, ...]:
        """All nodes that have to be settled before this one can be done as a task.

        A part that comes after another also holds back everything below it.
        """
        found: list[Node] = []
        node: Node | None = self
        while node is not None:
            found.extend(node.earlier)
            node = node.parent
        return tuple(found)

    def forget_digest(self) -> None:
        """Note that it changed: its fingerprint and those of all nodes above are outdated."""
        node: Node | None = self
        while node is not None:
            node.digest = None
            node = node.parent

    def add_to_vote(self, record: Record) -> None:
        """Add a proposal or ballot to the vote, unless it belongs to an earlier round."""
        if self.vote is not None and (not self.rounds or record.stamp > self.vote.opened):
            self.vote.add(record)

    def walk(self) -> Iterator[Node]:
        """Yield this node and all below it, parents first, siblings in order."""
        yield self
        for child in self.children:
            yield from child.walk()


def text_of(node: Node, failed: Callable[[Node], str], level: int = 2) -> str:
    """Return a node's text in Markdown: its own result, its parts' under headings, or both.

    A result with a closing was composed by code: its parts' texts belong between its text and the
    closing. Headings of a part's text go below the heading that the part gets, so the document is
    the same whether its parts were put together or not.

    Args:
        node: whose text.
        failed: words a part that failed and has no text, in Markdown.
        level: of the headings, 2 for the parts of the root; at most `DEEPEST_HEADING`.
    """
    closing = node.closing if node.children else None
    if node.text and closing is None:
        return node.text
    blocks = [node.text] if node.text else []
    for child in node.children:
        below = min(level + 1, DEEPEST_HEADING)
        body = demote(text_of(child, failed, below), below)
        if not body and child.settled_as == "failed":
            body = failed(child)
        if body:
            blocks.append(f"{'#' * level} {child.title}\n\n{body}")
    if closing:
        blocks.append(closing)
    return "\n\n".join(blocks)
