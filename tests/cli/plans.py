"""Plans made of real, signed records, for tests of how they are shown."""

from __future__ import annotations

from collections.abc import Iterator

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from swarm.core.clock import Stamp
from swarm.core.fold.plan import Plan
from swarm.core.policy import Policy
from swarm.core.records import (
    Ballot,
    Cancel,
    Claim,
    Goal,
    KnownBody,
    Notice,
    Progress,
    Proposal,
    Record,
    Result,
    Subgoal,
    child_id,
    sign,
)
from swarm.core.views.plan_view import PlanView, plan_view

BOT, DECOMPOSER, OTHER, SCORER, EXECUTOR = (
    Ed25519PrivateKey.from_private_bytes(bytes([i]) * 32) for i in range(1, 6)
)
NAMES = {
    key.public_key().public_bytes_raw().hex(): name
    for key, name in (
        (BOT, "asker"),
        (DECOMPOSER, "ann"),
        (OTHER, "ben"),
        (SCORER, "cleo"),
        (EXECUTOR, "dan"),
    )
}
START = 1_700_000_000_000


def name(author: str) -> str:
    """Return the name of a made-up peer."""
    return NAMES.get(author, author[:8])


class Story:
    """The records of one goal, each a second after the one before."""

    def __init__(self, text: str = "Plan a fair", *, policy: Policy | None = None) -> None:
        """Begin with the goal."""
        self.clock = START
        self.goal = sign(
            Goal(
                stamp=Stamp(START),
                swarm="test",
                text=text,
                policy=policy or Policy(max_depth=1, revote_ms=0),
            ),
            BOT,
        )
        self.plan = Plan(self.goal)
        self.records: list[Record] = [self.goal]

    def add(self, body: KnownBody, key: Ed25519PrivateKey) -> Record:
        """Sign a body with the next stamp and fold it in."""
        self.clock += 1_000
        record = sign(body.model_copy(update={"stamp": Stamp(self.clock)}), key)
        self.records.append(record)
        self.plan.apply(record)
        return record

    def propose(
        self, *titles: str, key: Ed25519PrivateKey = DECOMPOSER, lens: str = "place"
    ) -> Record:
        """Propose a split of the goal."""
        parts = [Subgoal(title=title) for title in titles]
        body = Proposal(
            stamp=Stamp(0), goal=self.goal.id, node=self.goal.id, parts=parts, lens=lens
        )
        return self.add(body, key)

    def rate(self, proposal: Record, *, approve: bool, critique: str = "") -> Record:
        """Rate a proposal."""
        body = Ballot(
            stamp=Stamp(0),
            goal=self.goal.id,
            node=self.goal.id,
            proposal=proposal.id,
            verdict="approve" if approve else "reject",
            concrete=0.8,
            distinct=0.6,
            complete=0.7,
            critique=critique,
        )
        return self.add(body, SCORER)

    def claim(self, node: bytes) -> Record:
        """Claim a node's first attempt."""
        return self.add(Claim(stamp=Stamp(0), goal=self.goal.id, node=node, attempt=1), EXECUTOR)

    def progress(self, node: bytes, claim: Record, percent: int) -> Record:
        """Renew a claim."""
        body = Progress(
            stamp=Stamp(0), goal=self.goal.id, node=node, claim=claim.id, percent=percent
        )
        return self.add(body, EXECUTOR)

    def finish(self, node: bytes, claim: Record, text: str) -> Record:
        """Give a claim's result."""
        body = Result(
            stamp=Stamp(0),
            goal=self.goal.id,
            node=node,
            claim=claim.id,
            outcome="done",
            text=text,
            draft=True,
        )
        return self.add(body, EXECUTOR)

    def notice(self, text: str) -> Record:
        """Publish a notice of an agent."""
        return self.add(Notice(stamp=Stamp(0), goal=self.goal.id, code="test", text=text), EXECUTOR)

    def cancel(self, reason: str) -> Record:
        """Cancel the goal."""
        return self.add(Cancel(stamp=Stamp(0), goal=self.goal.id, reason=reason), BOT)

    def view(self) -> PlanView:
        """Return the view of the plan."""
        return plan_view(self.plan, records=len(self.records))


def whole_story(story: Story, *titles: str) -> Iterator[PlanView]:
    """Play a plan from the proposal to the end; yield its view after each record."""
    yield story.view()
    proposal = story.propose(*titles)
    yield story.view()
    story.rate(proposal, approve=True)
    yield story.view()
    for index, title in enumerate(titles):
        node = child_id(proposal.id, index)
        claim = story.claim(node)
        yield story.view()
        story.finish(node, claim, f"All about {title}.")
        yield story.view()
    claim = story.claim(story.goal.id)
    yield story.view()
    story.finish(story.goal.id, claim, "The whole.")
    yield story.view()
