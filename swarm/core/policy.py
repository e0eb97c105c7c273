"""The rules of one goal, signed with it, so that every peer's fold obeys the same numbers."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, GetCoreSchemaHandler, model_validator
from pydantic_core import CoreSchema, core_schema

SECOND = 1_000
MINUTE = 60 * SECOND
HOUR = 60 * MINUTE
DAY = 24 * HOUR
"""Lengths of time, in ms."""

HARD_MAX_CHILDREN = 32
"""Most parts of a split, whatever a policy says: it bounds what one record can cause."""

REVIEW_MS = 20 * SECOND
"""How long a result waits for its reviews where the policy does not say. Checks in code review at
once; the rest is for slow links, and for reviewers that ask a model a handful of questions."""

HARD_MAX_DEPTH = 6
"""The greatest depth of a plan, whatever a policy says."""


class _LowercaseHex:
    """32 bytes are 64 lowercase hex digits in JSON, and bytes in Python.

    Pydantic's own hex also reads uppercase digits. A peer that compares ids as text would then
    find two ids where this one finds one.
    """

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        """Return a schema whose JSON half runs without Python code of ours: ids are everywhere."""
        text = core_schema.str_schema(pattern="^[0-9a-f]{64}$", strict=True)
        return core_schema.json_or_python_schema(
            json_schema=core_schema.no_info_after_validator_function(bytes.fromhex, text),
            python_schema=handler(source),
            serialization=core_schema.plain_serializer_function_ser_schema(
                bytes.hex, return_schema=core_schema.str_schema(), when_used="json"
            ),
        )


Key = Annotated[bytes, Field(min_length=32, max_length=32), _LowercaseHex()]
"""32 bytes: an Ed25519 public key or a SHA-256 id; lowercase hex in JSON."""

Milliseconds = Annotated[int, Field(ge=0, le=365 * DAY)]


class Policy(BaseModel):
    """The rules that a goal's submitter fixed for as long as it lives. All times are in ms."""

    model_config = ConfigDict(
        frozen=True, ser_json_bytes="hex", val_json_bytes="hex", extra="ignore", strict=True
    )

    electorate: Annotated[list[Key], Field(max_length=256)] = []
    """Public keys of the scorers whose ballots count; empty: any scorer's."""

    quorum: Annotated[int, Field(ge=1, le=256)] = 1
    """Approvals that a proposal needs. With an electorate: at least a majority of it."""

    min_score: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)] = 0.0
    """Mean rating in [0, 1] that a proposal needs, in addition to the quorum."""

    people: Literal["count", "advisory", "off"] = "count"
    """Whether people's ballots add to the scorers' (by at most quorum - 1)."""

    vote_window_ms: Annotated[list[Milliseconds], Field(min_length=1, max_length=8)] = [0]
    """Time before a split can win, for each depth; the last value serves all deeper nodes. 0:
    none."""

    revote_ms: Milliseconds = 20 * SECOND
    """How long a scorer's approval stands at a node before the scorer may move it."""

    patience_ms: Annotated[int, Field(ge=1, le=365 * DAY)] = 3 * MINUTE
    """How long the vote at a node may last before `fallback` decides."""

    fallback: Literal["best", "task", "fail"] = "best"
    """What happens when no proposal has the quorum in time: the best rated one is taken, the node
    is done as one task, or it fails."""

    floor: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)] = 0.3
    """Mean rating that `fallback = "best"` needs; below it the node is done as one task."""

    max_depth: Annotated[int, Field(ge=0, le=HARD_MAX_DEPTH)] = 2
    """Depth at which nodes are tasks; the root has depth 0."""

    max_children: Annotated[int, Field(ge=2, le=HARD_MAX_CHILDREN)] = 7
    """Most parts of a split."""

    max_nodes: Annotated[int, Field(ge=1, le=2_000)] = 60
    """Most nodes of the whole plan. A node that is split shares what is left equally among its
    parts."""

    max_proposals: Annotated[int, Field(ge=1, le=16)] = 3
    """Most proposals that count for each decomposer and node."""

    max_refinements: Annotated[int, Field(ge=0, le=8)] = 1
    """How often a proposal may be refined: the longest chain of `refines`."""

    max_replans: Annotated[int, Field(ge=0, le=8)] = 3
    """How often the goal's author may have a decided node voted on again."""

    lease_ms: Annotated[int, Field(ge=1, le=DAY)] = 60 * SECOND
    """How long a claim holds a task without a renewal."""

    max_attempts: Annotated[int, Field(ge=1, le=16)] = 3
    """Attempts at a task before it fails."""

    reviews: Annotated[int, Field(ge=0, le=8)] | None = None
    """How often the result of a task may be sent back to be revised. None or 0: results are not
    reviewed."""

    review_ms: Milliseconds | None = None
    """How long a result waits for reviews before it counts as it is. None: `REVIEW_MS`."""

    capabilities: Annotated[list[Annotated[str, Field(max_length=64)]], Field(max_length=8)] = []
    """What an executor must offer to work on this plan; empty: nothing. Offers are not verified."""

    deadline_ms: Annotated[int, Field(ge=1, le=365 * DAY)] = 1 * HOUR
    """Time after which the goal ends with whatever is done."""

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.electorate:
            if len(set(self.electorate)) != len(self.electorate):
                raise ValueError("electorate names a scorer twice")
            majority = len(self.electorate) // 2 + 1
            if not majority <= self.quorum <= len(self.electorate):
                raise ValueError(
                    f"quorum {self.quorum} must be {majority} to {len(self.electorate)}: "
                    f"a majority of the electorate's {len(self.electorate)} scorers"
                )
        if self.patience_ms < max(self.vote_window_ms):
            raise ValueError("patience_ms must not be shorter than a vote window")
        return self

    @property
    def bar(self) -> float:
        """The least rating, in [0, 1], that a scorer approves of."""
        return max(self.min_score, self.floor)

    @property
    def review_wait_ms(self) -> int:
        """How long a result waits for reviews before it counts as it is, in ms."""
        return REVIEW_MS if self.review_ms is None else self.review_ms

    def window_ms(self, depth: int) -> int:
        """Return the vote window of a node at `depth`, in ms."""
        return self.vote_window_ms[min(depth, len(self.vote_window_ms) - 1)]
