"""What an agent asks of a model and what it gets back: plain frozen values, no model in sight.

This is the whole contract between `swarm.agents` and `swarm.llm`. Agents build a request out of
the plan, the driver hands it to a `Brain`, and the answer comes back already validated, bounded
and stripped of control characters. Nothing here does I/O; every brain (Ollama, embedded, scripted)
speaks these types, so agents never learn which model they have.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, Protocol

EMBEDDED_MARK = "leaderless.embedded"
"""Key in `model_info` of `/api/show` by which the embedded server tells its clients what it is."""

PartKind = Literal["task", "goal"]


@dataclass(frozen=True, kw_only=True)
class Part:
    """One subgoal of a split.

    Attributes:
        title: A few words, one line.
        detail: One or two sentences that make the part doable by someone who sees only it.
        kind: `task` if it is done as it is, `goal` if it may be split further.
        after: Indexes of earlier parts of the same split whose results this one needs.
        capability: What the executor must offer; empty when anyone can do it.
    """

    title: str
    detail: str
    kind: PartKind = "task"
    after: tuple[int, ...] = ()
    capability: str = ""


@dataclass(frozen=True, kw_only=True)
class Critiqued:
    """A split that was rated but not approved, with what the raters had against it."""

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
        lens: Slug of the point of view to split by (`swarm.llm.lenses`).
        max_parts: At most this many parts; a split has at least two.
        may_nest: Whether parts may be goals that are split further.
        polish: A criticised split to improve instead of starting afresh.
    """

    goal: str
    title: str
    detail: str
    path: tuple[str, ...]
    language: str
    lens: str
    max_parts: int
    may_nest: bool
    polish: Critiqued | None = None


@dataclass(frozen=True, kw_only=True)
class SplitAnswer:
    """The parts of a split, or none: "do not split, do it as one task".

    Attributes:
        parts: Two or more parts, or empty for one task.
        rationale: One line for people: why so.
    """

    parts: tuple[Part, ...]
    rationale: str


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
    """

    goal: str
    title: str
    detail: str
    language: str
    parts: tuple[Part, ...]
    atomic: bool


@dataclass(frozen=True, kw_only=True)
class RateAnswer:
    """Three ratings in [0, 1] and, where something is wrong, what.

    Attributes:
        concrete: Each part says what will be done.
        distinct: The parts do not overlap.
        complete: Together they cover the node.
        critique: One or a few sentences for people and for the next decomposer; may be empty.
    """

    concrete: float
    distinct: float
    complete: float
    critique: str


@dataclass(frozen=True, kw_only=True)
class DoRequest:
    """Do one task.

    Attributes:
        goal: The text of the whole goal.
        title: The task's title.
        detail: The task's detail; may be empty.
        language: BCP 47 tag to answer in; empty means "the goal's own".
        inputs: (title, text) of each finished task that this one comes after.
    """

    goal: str
    title: str
    detail: str
    language: str
    inputs: tuple[tuple[str, str], ...]


@dataclass(frozen=True, kw_only=True)
class AssembleRequest:
    """Put the finished parts of a split together.

    Attributes:
        goal: The text of the whole goal.
        title: The title of the node to assemble.
        detail: Its detail; may be empty.
        language: BCP 47 tag to answer in; empty means "the goal's own".
        parts: (title, text) of each finished part, in the split's order.
        missing: (title, reason) of each part that failed; the text must say so.
    """

    goal: str
    title: str
    detail: str
    language: str
    parts: tuple[tuple[str, str], ...]
    missing: tuple[tuple[str, str], ...]


@dataclass(frozen=True, kw_only=True)
class TextAnswer:
    """Markdown for people.

    Attributes:
        text: Never empty; bounded in size.
        draft: Written by an embedded small model: label it "a draft to verify".
    """

    text: str
    draft: bool


Request = SplitRequest | RateRequest | DoRequest | AssembleRequest
Answer = SplitAnswer | RateAnswer | TextAnswer


class Brain(Protocol):
    """Something that answers requests; one instance serves one peer, calls may overlap."""

    @property
    def model(self) -> str:
        """The model's name, as presence records show it."""
        ...

    async def perform(
        self, request: Request, *, on_text: Callable[[str], None] | None = None
    ) -> Answer:
        """Answer one request: Split -> SplitAnswer, Rate -> RateAnswer, Do/Assemble -> TextAnswer.

        Cancellable at any await; bounded in time by the brain itself.

        Args:
            request: What to do.
            on_text: Called with each new piece of text while it is being written, where the
                brain streams (Do and Assemble); must be quick and must not raise.

        Raises:
            LLMError: One of its subclasses; `retryable` says whether trying again can help.
        """
        ...

    async def check(self) -> None:
        """See that the server answers and has the model.

        Raises:
            ServerUnreachable: Nobody answers; the message says what to do.
            ModelMissing: The server lacks the model; the message says how to get it.
        """
        ...
