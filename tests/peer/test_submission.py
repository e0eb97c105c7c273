"""What is submitted to a swarm is checked, and errors are human-readable."""

from __future__ import annotations

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from swarm.core.clock import Stamp
from swarm.core.policy import Policy
from swarm.core.records import Proposal, Record, sign
from swarm.core.store.limits import Limits
from swarm.core.store.store import Store
from swarm.peer.submission import (
    NotYoursError,
    TooManyGoalsError,
    UnknownGoalError,
    ballot_body,
    cancel_body,
    goal_body,
    refusal,
)

NOW = 1_000_000
KEY = Ed25519PrivateKey.from_private_bytes(b"\x07" * 32)
AUTHOR = KEY.public_key().public_bytes_raw()


def submitted(store: Store) -> Record:
    """Let a goal of `AUTHOR` be in a store; return its record."""
    body = goal_body(store, NOW, "a school fair", None, author=AUTHOR)
    record = sign(body.model_copy(update={"stamp": Stamp(NOW)}), KEY)
    store.add(record.raw, NOW)
    return record


def test_a_goal_is_stripped_and_an_empty_one_refused() -> None:
    """The message states what to do."""
    store = Store("test")
    assert goal_body(store, NOW, "  a school fair \n", None, author=AUTHOR).text == "a school fair"
    with pytest.raises(ValueError, match="Say in a sentence"):
        goal_body(store, NOW, " \n", None, author=AUTHOR)


def test_only_the_default_quorum_becomes_a_majority() -> None:
    """A quorum that was asked for stays."""
    store = Store("test")
    assert goal_body(store, NOW, "a fair", None, author=AUTHOR).policy.quorum == store.majority()
    assert goal_body(store, NOW, "a fair", Policy(quorum=7), author=AUTHOR).policy.quorum == 7


def test_only_the_author_cancels_a_goal() -> None:
    """Another peer is told whose goal it is, and an unknown goal is named."""
    store = Store("test")
    goal = submitted(store)
    assert cancel_body(store, goal.id, "enough", AUTHOR, lambda _: "").goal == goal.id
    with pytest.raises(NotYoursError, match="submitted by bot-1"):
        cancel_body(store, goal.id, "enough", b"x" * 32, lambda _: "bot-1")
    with pytest.raises(UnknownGoalError, match="is known here"):
        cancel_body(store, b"x" * 32, "enough", AUTHOR, lambda _: "")


def test_a_vote_needs_a_proposal_that_is_known() -> None:
    """It names the node that the proposal is for."""
    store = Store("test")
    goal = submitted(store)
    proposal = sign(Proposal(stamp=Stamp(NOW + 1), goal=goal.id, node=goal.id), KEY)
    store.add(proposal.raw, NOW + 1)
    ballot = ballot_body(store, goal.id, proposal.id, b"p" * 32, "approve")
    assert (ballot.node, ballot.proposal) == (goal.id, proposal.id)
    with pytest.raises(UnknownGoalError):
        ballot_body(store, goal.id, b"x" * 32, b"p" * 32, "approve")


def test_a_peer_without_a_grant_is_told_how_to_get_one() -> None:
    """The message names the swarm and the command."""
    assert "“bees”" in refusal("bees")
    assert "swarm invite --role submitter" in refusal("bees")


def test_a_goal_too_many_is_refused_in_words_and_ended_goals_do_not_count() -> None:
    """The message says how many and what to do; room comes back when a goal ends."""
    store = Store("test", limits=Limits(goals_per_author=2))
    short = Policy(deadline_ms=5_000)
    for number in range(2):
        body = goal_body(store, NOW, f"fair {number}", short, author=AUTHOR)
        store.add(sign(body.model_copy(update={"stamp": Stamp(NOW + number)}), KEY).raw, NOW)
    with pytest.raises(TooManyGoalsError, match=r"keeps 2 of one peer .*swarm cancel"):
        goal_body(store, NOW, "one more fair", short, author=AUTHOR)
    assert goal_body(store, NOW, "another peer's", short, author=b"x" * 32)
    store.advance(NOW + 6_000)
    assert goal_body(store, NOW + 6_000, "one more fair", short, author=AUTHOR)
