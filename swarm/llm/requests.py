"""What an agent asks of a model and what it gets back: frozen records without behaviour.

This is the whole contract between `swarm.agents` and `swarm.llm`. Agents build a request from
the plan, the driver hands it to a `Brain`, and the answer comes back already validated, bounded
and stripped of control characters. Nothing here does I/O; every brain (Ollama, embedded, scripted)
speaks these types, so agents never learn which model they have.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from swarm.brief.part import Part
from swarm.core.brief import Brief, Cost
from swarm.llm.viewpoints import EVERYTHING, Viewpoint

EMBEDDED_MARK = "leaderless.embedded"
"""Key in `model_info` of `/api/show` by which clients recognise the embedded server."""

NOTHING = Brief()
"""The brief of a goal that demands nothing that could be checked."""


@dataclass(frozen=True, kw_only=True)
class Critiqued:
    """A split that was rated but not approved, with the scorers' criticism."""

    parts: tuple[Part, ...]
    critiques: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class SplitRequest:
    """Split one node of the plan into parts.

    Attributes:
        goal: The text of the whole goal, as the person typed it.
        title: The node's title (the goal itself at the root).
        detail: The node's detail; may be empty.
        path: Titles from the root down to the node's parent, root first; empty at the root.
        language: BCP 47 tag of the language to answer in; empty means "the goal's own".
        lens: Slug of the lens to split by (`swarm.llm.lenses`).
        max_parts: At most this many parts; a split has at least two.
        may_nest: Whether parts may be goals that are split further.
        brief: What the goal demands.
        part: The skeleton of the node itself, if it is a part of a split; None at the root.
        today: The date on which the plan is made, ISO 8601; empty: not known.
        polish: A criticised split to improve; None: make a new one.
    """

    goal: str
    title: str
    detail: str
    path: tuple[str, ...]
    language: str
    lens: str
    max_parts: int
    may_nest: bool
    brief: Brief = NOTHING
    part: Part | None = None
    today: str = ""
    polish: Critiqued | None = None


@dataclass(frozen=True, kw_only=True)
class SplitAnswer:
    """The parts of a split, or none: "do not split, do it as one task".

    Attributes:
        parts: Two or more parts, or empty for one task.
        rationale: One line, human-readable: why it is split this way.
        draft: With no parts: the whole plan, if the model wrote one.
        quotes: What the goal demands beside the request's brief, as the model quotes it from the
            goal; not checked (`swarm.brief.quotes`).
    """

    parts: tuple[Part, ...]
    rationale: str
    draft: str = ""
    quotes: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class RateRequest:
    """Rate one proposed split.

    Attributes:
        goal: The text of the whole goal.
        title: The title of the node that the split is for.
        detail: That node's detail; may be empty.
        language: BCP 47 tag for the critique; empty means "the goal's own".
        parts: The proposed parts; empty when `atomic`.
        atomic: The proposal says "do it as one task".
        draft: With `atomic`: the whole plan that the proposal brings along; may be empty.
        brief: What the goal demands.
        proposed: The brief that the proposal brings along; None: it has none.
        part: The skeleton of the node itself, if it is a part of a split; None at the root.
        viewpoint: What the model is asked about the split.
    """

    goal: str
    title: str
    detail: str
    language: str
    parts: tuple[Part, ...]
    atomic: bool
    draft: str = ""
    brief: Brief = NOTHING
    proposed: Brief | None = None
    part: Part | None = None
    viewpoint: Viewpoint = EVERYTHING


@dataclass(frozen=True, kw_only=True)
class RateAnswer:
    """Three ratings in [0, 1], and what is wrong if anything is.

    Attributes:
        concrete: Each part says what will be done.
        distinct: The parts do not overlap.
        complete: Together they cover the node.
        critique: A few sentences for the user and for the next decomposer; may be empty.
    """

    concrete: float
    distinct: float
    complete: float
    critique: str


@dataclass(frozen=True, kw_only=True)
class ReviewRequest:
    """Say of a finished task whether it keeps demands that code cannot check.

    Attributes:
        goal: The text of the whole goal.
        title: The task's title.
        language: BCP 47 tag of the text; empty means "the goal's own".
        text: The task's Markdown.
        points: Indexes of the brief's demands to judge, at least one.
        brief: What the goal demands.
        outline: All parts of the split that the task belongs to, in order; empty: it has none.
    """

    goal: str
    title: str
    language: str
    text: str
    points: tuple[int, ...]
    brief: Brief = NOTHING
    outline: tuple[Part, ...] = ()


@dataclass(frozen=True, kw_only=True)
class ReviewAnswer:
    """How a finished task stands to the demands that were asked about.

    Attributes:
        kept: Indexes of the demands that it keeps.
        lost: Indexes of those that it does not keep. One in neither is not judged: the model is too
            small to be asked, or not sure.
    """

    kept: tuple[int, ...] = ()
    lost: tuple[int, ...] = ()


@dataclass(frozen=True, kw_only=True)
class DoRequest:
    """Do one task.

    Attributes:
        goal: The text of the whole goal.
        title: The task's title.
        detail: The task's detail; may be empty.
        language: BCP 47 tag to answer in; empty means "the goal's own".
        inputs: (title, text) of each finished task that this one depends on.
        brief: What the goal demands.
        part: The task's own skeleton: days, place, share, demands; None: it is the whole plan.
        outline: All parts of the split that the task belongs to, in order; empty: it has none.
        place_before: Where the plan is when this part begins; empty: not known.
        wishes: What a replan asked for, oldest first.
        earlier: The text of an earlier version that reviewers found wanting or, without critiques,
            of the whole draft that was accepted; may be empty.
        earlier_costs: The items of cost of the version that reviewers found wanting.
        critiques: What reviewers found.
        unkept: Indexes of the demands that reviewers found not kept in it.
        today: The date on which the plan is made, ISO 8601; empty: not known.
    """

    goal: str
    title: str
    detail: str
    language: str
    inputs: tuple[tuple[str, str], ...]
    brief: Brief = NOTHING
    part: Part | None = None
    outline: tuple[Part, ...] = ()
    place_before: str = ""
    wishes: tuple[str, ...] = ()
    earlier: str = ""
    earlier_costs: tuple[Cost, ...] = ()
    critiques: tuple[str, ...] = ()
    unkept: tuple[int, ...] = ()
    today: str = ""

    @property
    def whole(self) -> bool:
        """Whether the task is the whole plan, not a part of it."""
        line = " ".join(self.goal.split())
        title = " ".join(self.title.removesuffix("…").split())
        return self.part is None and line.startswith(title)


@dataclass(frozen=True, kw_only=True)
class AssembleRequest:
    """Assemble the finished parts of a split.

    Attributes:
        goal: The text of the whole goal.
        title: The title of the node to assemble.
        detail: Its detail; may be empty.
        language: BCP 47 tag to answer in; empty means "the goal's own".
        parts: (title, text) of each finished part, in the split's order.
        missing: (title, reason) of each part that failed; the text must say so.
        brief: What the goal demands; empty below the root.
        outline: The parts of the split, in order, with the failed ones.
        costs: What each finished part costs: (title, items).
        drafts: Whole plans that competed with the split, to fall back on if they keep more.
        reviewed: Indexes of the brief's demands that reviewers found kept in the parts.
        denied: Indexes of those that reviewers found not kept.
    """

    goal: str
    title: str
    detail: str
    language: str
    parts: tuple[tuple[str, str], ...]
    missing: tuple[tuple[str, str], ...]
    brief: Brief = NOTHING
    outline: tuple[Part, ...] = ()
    costs: tuple[tuple[str, tuple[Cost, ...]], ...] = ()
    drafts: tuple[str, ...] = ()
    reviewed: frozenset[int] = frozenset()
    denied: frozenset[int] = frozenset()


@dataclass(frozen=True, kw_only=True)
class TextAnswer:
    """Markdown shown to the user.

    Attributes:
        text: Never empty; bounded in size.
        draft: Whether a small embedded model wrote it: then label it "a draft to verify".
        closing: Of an assembled plan: what follows the parts' texts, which belong between `text`
            and this; None: `text` is the whole.
        costs: What the task costs, as data.
    """

    text: str
    draft: bool
    closing: str | None = None
    costs: tuple[Cost, ...] = ()


Request = SplitRequest | RateRequest | ReviewRequest | DoRequest | AssembleRequest
Answer = SplitAnswer | RateAnswer | ReviewAnswer | TextAnswer


class Brain(Protocol):
    """Answers requests. One instance serves one peer; calls may overlap."""

    @property
    def model(self) -> str:
        """The model's name, as presence records show it."""
        ...

    async def perform(
        self, request: Request, *, on_text: Callable[[str], None] | None = None
    ) -> Answer:
        """Answer one request: with a `SplitAnswer`, `RateAnswer`, `ReviewAnswer` or `TextAnswer`.

        It can be cancelled at any await, and limits its own time.

        Args:
            request: What to do.
            on_text: Called with each new piece of text where the brain streams it (Do and
                Assemble); must be quick and must not raise.

        Raises:
            LLMError: One of its subclasses; `retryable` says whether trying again can help.
        """
        ...

    async def check(self) -> None:
        """Check that the server answers and has the model.

        Raises:
            ServerUnreachable: Nobody answers; the message says what to do.
            ModelMissing: The server lacks the model; the message says how to get it.
        """
        ...
