"""The rules of one goal, signed with it, so that every peer's fold obeys the same numbers."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

SECOND = 1_000
MINUTE = 60 * SECOND
HOUR = 60 * MINUTE
DAY = 24 * HOUR

HARD_MAX_CHILDREN = 32
"""No split has more parts than this, whatever a policy says: bounds what one record can cause."""

HARD_MAX_DEPTH = 6
"""No plan is deeper than this."""

Key = Annotated[bytes, Field(min_length=32, max_length=32)]
"""32 bytes: an Ed25519 public key or a SHA-256 id; lowercase hex in JSON."""

Milliseconds = Annotated[int, Field(ge=0, le=365 * DAY)]


class Policy(BaseModel):
    """What a goal's submitter fixed for its whole life. All times are in milliseconds."""

    model_config = ConfigDict(
        frozen=True, ser_json_bytes="hex", val_json_bytes="hex", extra="ignore", strict=True
    )

    electorate: Annotated[list[Key], Field(max_length=256)] = []
    """Public keys of the scorers whose ballots count; empty: any scorer's."""

    quorum: Annotated[int, Field(ge=1, le=256)] = 1
    """Approvals that a proposal needs. With an electorate, at least a simple majority of it."""

    min_score: Annotated[float, Field(ge=0, le=1)] = 0.0
    """Mean rating a proposal needs, besides the quorum."""

    people: Literal["count", "advisory", "off"] = "count"
    """Whether people's ballots add to the scorers' (never more than quorum - 1)."""

    vote_window_ms: Annotated[list[Milliseconds], Field(min_length=1, max_length=8)] = [0]
    """Per depth (the last one serves all deeper): time before a split can win; 0 is none."""

    revote_ms: Milliseconds = 20 * SECOND
    """How long a scorer's approval at a node stands before it may be moved."""

    patience_ms: Annotated[int, Field(ge=1, le=365 * DAY)] = 3 * MINUTE
    """How long a node's vote may last; then `fallback` decides."""

    fallback: Literal["best", "task", "fail"] = "best"
    """When nothing reached the quorum in time: the best rated split, one task, or failure."""

    floor: Annotated[float, Field(ge=0, le=1)] = 0.3
    """Mean rating that `fallback = "best"` asks for; below it the node is done as one task."""

    max_depth: Annotated[int, Field(ge=0, le=HARD_MAX_DEPTH)] = 2
    """Depth at which nodes are tasks; the root has depth 0."""

    max_children: Annotated[int, Field(ge=2, le=HARD_MAX_CHILDREN)] = 7
    """Parts a split may have."""

    max_nodes: Annotated[int, Field(ge=1, le=2_000)] = 60
    """Nodes of the whole plan. A split's node hands what is left to its parts in equal shares."""

    max_proposals: Annotated[int, Field(ge=1, le=16)] = 3
    """Proposals that count per decomposer and node."""

    max_refinements: Annotated[int, Field(ge=0, le=8)] = 1
    """How often a proposal may be polished: the length of a chain of `refines`."""

    max_replans: Annotated[int, Field(ge=0, le=8)] = 3
    """How often the goal's author may have a node that was decided voted anew."""

    lease_ms: Annotated[int, Field(ge=1, le=DAY)] = 60 * SECOND
    """How long a claim holds a task without being renewed."""

    max_attempts: Annotated[int, Field(ge=1, le=16)] = 3
    """Attempts at a task before it is failed."""

    capabilities: Annotated[list[Annotated[str, Field(max_length=64)]], Field(max_length=8)] = []
    """What an executor must offer to work on this plan; empty: nothing. An executor's own word."""

    deadline_ms: Annotated[int, Field(ge=1, le=365 * DAY)] = 1 * HOUR
    """After this the goal ends with what there is."""

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
        """The least rating, in [0, 1], with which a scorer finds a proposal good enough."""
        return max(self.min_score, self.floor)

    def window_ms(self, depth: int) -> int:
        """Return the vote window of a node at `depth`, in ms."""
        return self.vote_window_ms[min(depth, len(self.vote_window_ms) - 1)]
