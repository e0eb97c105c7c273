"""One part of a split, as decomposers, models and checks handle it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from swarm.core.records import MAX_DETAIL, MAX_TITLE, Subgoal

PartKind = Literal["task", "goal"]


@dataclass(frozen=True, kw_only=True)
class Part:
    """One subgoal of a split.

    Attributes:
        title: A few words, one line.
        detail: One or two sentences that make the part doable by an executor that sees nothing
            else.
        kind: `task` if it is done as a whole, `goal` if it may be split further.
        after: Indexes of earlier parts of the same split whose results this one needs.
        capability: What the executor must offer; empty if any executor can do it.
        first: Its first day (or week, if the brief counts in weeks), from 1; None: undated.
        last: Its last day or week.
        place: Where it happens and ends; empty: it has no place.
        share: The most that it may cost, in whole units of the budget's currency; None: no limit.
        keeps: Indexes of the brief's demands that it has to keep.
    """

    title: str
    detail: str
    kind: PartKind = "task"
    after: tuple[int, ...] = ()
    capability: str = ""
    first: int | None = None
    last: int | None = None
    place: str = ""
    share: int | None = None
    keeps: tuple[int, ...] = ()

    @classmethod
    def of(cls, subgoal: Subgoal) -> Part:
        """Return a record's subgoal as a part."""
        return cls(
            title=subgoal.title,
            detail=subgoal.detail,
            kind=subgoal.kind,
            after=tuple(subgoal.after),
            capability=subgoal.capability,
            first=subgoal.first,
            last=subgoal.last,
            place=subgoal.place or "",
            share=subgoal.share,
            keeps=tuple(subgoal.keeps or ()),
        )

    def subgoal(self) -> Subgoal:
        """Return the part in the form that a record holds; texts are cut to what fits."""
        return Subgoal(
            title=self.title[:MAX_TITLE],
            detail=self.detail[:MAX_DETAIL],
            kind=self.kind,
            after=list(self.after),
            capability=self.capability[:64],
            first=self.first,
            last=self.last,
            place=self.place[:64] or None,
            share=self.share,
            keeps=list(self.keeps) or None,
        )
