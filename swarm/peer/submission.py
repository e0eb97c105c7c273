"""What somebody asks of a swarm, as bodies of records: a goal, its end, a person's vote.

A peer's owner (the bot, the CLI) asks in terms of ids and texts; here they are checked against what
the peer holds, with errors that people can read. Nothing is signed or sent.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from swarm.core.clock import EPOCH
from swarm.core.policy import Policy
from swarm.core.records import Ballot, Cancel, Goal
from swarm.core.store.store import Store


class UnknownGoalError(ValueError):
    """No such goal is known here."""


class NotYoursError(ValueError):
    """Only the goal's author may do this."""


class NotGrantedError(ValueError):
    """In an owned swarm, this peer may not do this."""


def refusal(swarm: str) -> str:
    """Return, for people, why a peer may not ask in an owned swarm."""
    return (
        f"The swarm “{swarm}” has an owner, who has not granted this peer the role of a "
        "submitter: nobody would plan what it asks. Ask the owner for an invite "
        "(swarm invite --role submitter)."
    )


def goal_body(
    store: Store,
    now_ms: int,
    text: str,
    policy: Policy | None,
    *,
    language: str = "",
    asker: bytes | None = None,
) -> Goal:
    """Return a goal, with the quorum that suits who is present and whom this peer knows.

    Args:
        store: what this peer holds.
        now_ms: its wall clock, in ms.
        text: what is asked.
        policy: its rules; with the default quorum of 1 and an open electorate, the quorum becomes
            a simple majority of the scorers present.
        language: BCP 47.
        asker: keyed hash of the person who asks.

    Raises:
        ValueError: the text is empty or too long; the message is for people.
    """
    text = text.strip()
    if not text:
        raise ValueError("The goal is empty. Say in a sentence what should be planned.")
    policy = policy or Policy()
    if not policy.electorate and policy.quorum == 1:
        policy = Policy.model_validate({**policy.model_dump(), "quorum": store.majority()})
    return Goal(
        stamp=EPOCH,
        swarm=store.swarm,
        text=text,
        language=language,
        policy=policy,
        asker=asker,
        known=store.known_longest(now_ms),
    )


def cancel_body(
    store: Store, goal_id: bytes, reason: str, author: bytes, name_of: Callable[[bytes], str]
) -> Cancel:
    """Return the end of a goal of the author's own.

    Raises:
        UnknownGoalError: nobody here knows it.
        NotYoursError: another peer submitted it.
    """
    plan = store.plan(goal_id)
    if plan is None:
        raise UnknownGoalError(f"No goal {goal_id.hex()[:12]} is known here.")
    if plan.goal.author != author:
        raise NotYoursError(
            f"The goal was submitted by {name_of(plan.goal.author)}; only that peer may cancel it."
        )
    return Cancel(stamp=EPOCH, goal=goal_id, reason=reason)


def ballot_body(
    store: Store,
    goal_id: bytes,
    proposal_id: bytes,
    person: bytes,
    verdict: Literal["approve", "reject", "abstain"],
) -> Ballot:
    """Return one person's vote on a proposal.

    Raises:
        UnknownGoalError: the proposal is not known here.
    """
    record = store.record(proposal_id)
    node = getattr(record.body, "node", None) if record else None
    if node is None:
        raise UnknownGoalError(f"No proposal {proposal_id.hex()[:12]} is known here.")
    return Ballot(
        stamp=EPOCH,
        goal=goal_id,
        node=node,
        proposal=proposal_id,
        verdict=verdict,
        person=person,
    )
