"""What is submitted to a swarm, as bodies of records: a goal, its cancellation, a person's vote.

The bot and the command line pass ids and texts. Here these are checked against what the peer holds,
with human-readable errors. Nothing is signed or sent.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from swarm.core.clock import EPOCH
from swarm.core.policy import Policy
from swarm.core.records import Ballot, Cancel, Goal
from swarm.core.store.limits import Limits
from swarm.core.store.store import Store


class UnknownGoalError(ValueError):
    """This peer does not know the goal or proposal."""


class NotYoursError(ValueError):
    """Only the author of the goal may do this."""


class NotGrantedError(ValueError):
    """The owner of the swarm has not granted this peer the role that this needs."""


class TooManyGoalsError(ValueError):
    """So many goals of this peer have not ended that the swarm takes no further one."""


def refusal(swarm: str) -> str:
    """Return the message for a peer that may not submit goals in an owned swarm."""
    return (
        f"The swarm “{swarm}” has an owner, who has not granted this peer the role of a "
        "submitter: no peer would plan its goals. Ask the owner for an invite "
        "(swarm invite --role submitter)."
    )


def too_many(limits: Limits) -> str:
    """Return the message for a peer whose goals a swarm takes no more of."""
    return (
        "Too many goals have not ended yet: a swarm keeps "
        f"{limits.goals_per_author:,} of one peer and "
        f"{limits.goals:,} in all. Ask again when some have ended, or cancel one (swarm cancel ID)."
    )


def goal_body(
    store: Store,
    now_ms: int,
    text: str,
    policy: Policy | None,
    *,
    author: bytes,
    language: str = "",
    asker: bytes | None = None,
) -> Goal:
    """Return a goal that names the authors this peer has known longest.

    Args:
        store: what this peer holds.
        now_ms: what its wall clock shows, in ms since the epoch.
        text: what is to be planned.
        policy: the goal's rules. With the default quorum of 1 and an open electorate, the quorum
            becomes a simple majority of the scorers present.
        author: this peer's key.
        language: the text's language as a BCP 47 tag; empty: not stated.
        asker: keyed hash of the person who asks; None: not stated.

    Raises:
        ValueError: the text is empty or too long; the message is human-readable.
        TooManyGoalsError: there is no room for one more live goal of the author.
    """
    text = text.strip()
    if not text:
        raise ValueError("The goal is empty. Say in a sentence what should be planned.")
    if not store.takes_goal_of(author):
        raise TooManyGoalsError(too_many(store.limits))
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
    """Return the cancellation of one of the author's own goals.

    Raises:
        UnknownGoalError: this peer does not know it.
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
        UnknownGoalError: this peer does not know the proposal.
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
