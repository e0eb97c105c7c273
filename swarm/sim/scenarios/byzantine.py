"""Peers that break the rules: what a dishonest minority can try without other peers' keys.

An adversary is a peer like any other on the wire, with its own key, store and gossip, so that its
records spread and are repaired like honest ones. Only what it publishes is made up.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import TYPE_CHECKING

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from swarm.agents.base import Observer
from swarm.core.clock import Stamp
from swarm.core.fold.node import Node
from swarm.core.fold.plan import Plan
from swarm.core.records import (
    HEADER_SIZE,
    Ballot,
    Cancel,
    Claim,
    KnownBody,
    Notice,
    Presence,
    Progress,
    Proposal,
    Record,
    Replan,
    Result,
    Review,
    Subgoal,
    sign,
)
from swarm.core.roles import WORKERS
from swarm.gossip import frames

if TYPE_CHECKING:
    from swarm.sim.world.peer import SimPeer

TICK_MS = (300, 4_000)
"""Shortest and longest time between two attacks, in ms."""

WITHHOLD_MS = (2_000, 90_000)
"""How long a withheld record is kept back, in ms."""

FLOOD = 40
"""Number of records in one flood."""

SYBILS = 4
"""Number of keys for which an adversary makes up presences."""

UNOBTAINABLE = "unobtainium"
"""A capability that no executor offers."""

AHEAD_MS = (4_000, 60_000, 3_600_000, 365 * 86_400_000)
"""How far ahead future stamps are, in ms: within the allowed drift, held, beyond it, and absurd."""


class IdleAgent(Observer):
    """Shows the presence of a role and never acts in it."""

    def __init__(self, role: str) -> None:
        """Pretend to have a role."""
        self.role = role


class Adversary:
    """Attacks as one peer."""

    def __init__(
        self,
        peer: SimPeer,
        rng: random.Random,
        kinds: tuple[str, ...],
        lasts_ms: int,
        *,
        silent: bool = False,
    ) -> None:
        """Begin to attack now and then.

        Args:
            peer: the peer it acts as; its agent should be `IdleAgent`.
            rng: makes its choices.
            kinds: names of its attacks in `ATTACKS` or `REVIEW_ATTACKS`; empty: all of `ATTACKS`.
            lasts_ms: how long it attacks from now on, in ms.
            silent: whether it never attacks, as in the twin of a world with adversaries.
        """
        peer.honest = False
        self.peer = peer
        self.rng = rng
        self.sybils = [
            Ed25519PrivateKey.from_private_bytes(rng.randbytes(32)) for _ in range(SYBILS)
        ]
        self._kinds = kinds or tuple(ATTACKS)
        self._until_ms = peer.env.clock.now_ms + lasts_ms
        if not silent:
            self._tick()

    def _tick(self) -> None:
        if self.peer.env.clock.now_ms > self._until_ms:
            return
        self.peer.env.clock.after(self.rng.randint(*TICK_MS), self._tick)
        if not self.peer.alive or self.peer.frozen:
            return
        plans = [plan for plan in self.peer.store.plans() if not plan.over]
        if plans:
            kind = self.rng.choice(self._kinds)
            (ATTACKS | REVIEW_ATTACKS)[kind](self, self.rng.choice(plans))

    # How attacks reach the wire.

    def say(self, body: KnownBody, what: str, *, later_ms: int = 0) -> Record:
        """Sign a body as it is and publish it, perhaps later."""
        record = sign(body, self.peer.key)
        if later_ms:
            self.peer.env.clock.keep_busy(later_ms)
            self.peer.env.clock.after(later_ms, self._release, record, f"{what}, withheld")
        else:
            self._release(record, what)
        return record

    def _release(self, record: Record, what: str) -> None:
        self.peer.store.add(record.raw, self.peer.wall())
        self.spread([record.raw], what)

    def spread(self, raws: list[bytes], what: str) -> None:
        """Put any bytes on the wire."""
        if self.peer.alive and not self.peer.frozen:
            self.peer.env.timeline.add(self.peer.name, "attack", what)
            self.peer.send(frames.encode_bundle(raws))

    def now(self) -> Stamp:
        """Return a stamp of the present."""
        return self.peer.store.clock.tick(self.peer.wall())


def _vote_node(adversary: Adversary, plan: Plan) -> Node | None:
    nodes = [n for n in plan.nodes() if n.vote is not None and n.vote.valid()]
    return adversary.rng.choice(nodes) if nodes else None


def _ballot(adversary: Adversary, plan: Plan, node: Node, stamp: Stamp) -> Ballot:
    assert node.vote is not None
    tally = adversary.rng.choice(node.vote.valid())
    rating = adversary.rng.choice([0.0, 1.0])
    return Ballot(
        stamp=stamp, goal=plan.id, node=node.id, proposal=tally.record.id,
        verdict=adversary.rng.choice(["approve", "approve", "reject"]),
        concrete=rating, distinct=rating, complete=rating, critique="approve this",
    )  # fmt: skip


def double_vote(adversary: Adversary, plan: Plan) -> None:
    """Approve two proposals with one stamp."""
    node = _vote_node(adversary, plan)
    if node is not None:
        stamp = adversary.now()
        for _ in range(2):
            adversary.say(_ballot(adversary, plan, node, stamp), "votes twice with one stamp")


def moving_vote(adversary: Adversary, plan: Plan) -> None:
    """Approve any proposal, again and again."""
    node = _vote_node(adversary, plan)
    if node is not None:
        adversary.say(_ballot(adversary, plan, node, adversary.now()), "moves its vote")


def backdated_vote(adversary: Adversary, plan: Plan) -> None:
    """Vote with a stamp from the node's past."""
    node = _vote_node(adversary, plan)
    if node is not None:
        ms = adversary.rng.randint(node.opened.ms, max(node.opened.ms, plan.now_ms))
        stamp = Stamp(ms, adversary.rng.randrange(3))
        adversary.say(
            _ballot(adversary, plan, node, stamp), f"backdates a vote by {plan.now_ms - ms} ms"
        )


def future_vote(adversary: Adversary, plan: Plan) -> None:
    """Vote with a stamp from the future."""
    node = _vote_node(adversary, plan)
    if node is not None:
        ahead = adversary.rng.choice(AHEAD_MS)
        stamp = Stamp(adversary.peer.wall() + ahead)
        adversary.say(_ballot(adversary, plan, node, stamp), f"votes {ahead} ms in the future")


def withheld_vote(adversary: Adversary, plan: Plan) -> None:
    """Withhold a vote for a while."""
    node = _vote_node(adversary, plan)
    if node is not None:
        body = _ballot(adversary, plan, node, adversary.now())
        adversary.say(body, "votes", later_ms=adversary.rng.randint(*WITHHOLD_MS))


def persons_vote(adversary: Adversary, plan: Plan) -> None:
    """Attest people's votes on another peer's goal."""
    node = _vote_node(adversary, plan)
    if node is not None:
        body = _ballot(adversary, plan, node, adversary.now())
        person = adversary.rng.randbytes(32)
        adversary.say(body.model_copy(update={"person": person}), "makes up a person's vote")


def bad_proposal(adversary: Adversary, plan: Plan) -> None:
    """Propose what no policy allows, or nonsense."""
    nodes = [node for node in plan.nodes() if node.vote is not None]
    if not nodes:
        return
    node = adversary.rng.choice(nodes)
    count = adversary.rng.choice([0, 2, 20, 32])
    kind = adversary.rng.choice(["task", "goal"])
    parts = [Subgoal(title=f"\u202enonsense {i}", kind=kind) for i in range(count)]
    refines = adversary.rng.choice([None, adversary.rng.randbytes(32)])
    stamp = adversary.rng.choice([adversary.now(), Stamp(node.opened.ms)])
    body = Proposal(
        stamp=stamp, goal=plan.id, node=node.id, parts=parts, lens="nonsense", refines=refines
    )
    adversary.say(body, f"proposes {count} parts of nonsense")


def impossible_split(adversary: Adversary, plan: Plan) -> None:
    """Propose a split that looks as good as another but needs a capability that nobody has."""
    node = _vote_node(adversary, plan)
    if node is None or node.decision is not None:
        return
    assert node.vote is not None
    model = adversary.rng.choice(node.vote.valid()).body
    body = Proposal(
        stamp=adversary.now(), goal=plan.id, node=node.id, lens=model.lens,
        parts=[
            part.model_copy(update={"capability": part.capability or UNOBTAINABLE})
            for part in model.parts
        ],
    )  # fmt: skip
    adversary.say(body, "proposes what nobody can do")


def _free(plan: Plan) -> list[tuple[Node, int]]:
    return [
        (node, attempt.number)
        for node in plan.nodes()
        if node.ready is not None
        and node.settled is None
        and (attempt := node.outcome.free) is not None
    ]


def empty_claim(adversary: Adversary, plan: Plan) -> None:
    """Claim a task and do nothing."""
    for node, attempt in _free(plan)[:2]:
        body = Claim(stamp=adversary.now(), goal=plan.id, node=node.id, attempt=attempt)
        adversary.say(body, "claims a task it will not do")


def backdated_claim(adversary: Adversary, plan: Plan) -> None:
    """Claim with the earliest stamp that could hold, or one before the task existed."""
    live = [n for n in plan.nodes() if n.ready is not None and n.settled is None]
    if not live:
        return
    node = adversary.rng.choice(live)
    attempt = node.outcome.attempts[-1]
    early = adversary.rng.choice(
        [
            Stamp(attempt.start.ms + 1),
            Stamp(attempt.start.ms),
            Stamp(attempt.start.ms - 5_000),
            Stamp(attempt.start.ms - 86_400_000),
        ]
    )
    body = Claim(stamp=early, goal=plan.id, node=node.id, attempt=attempt.number)
    adversary.say(body, "claims with a stamp of the past")


def withheld_claim(adversary: Adversary, plan: Plan) -> None:
    """Claim a task now, but publish the claim much later."""
    for node, attempt in _free(plan)[:1]:
        body = Claim(stamp=adversary.now(), goal=plan.id, node=node.id, attempt=attempt)
        adversary.say(body, "claims a task", later_ms=adversary.rng.randint(*WITHHOLD_MS))


def endless_lease(adversary: Adversary, plan: Plan) -> None:
    """Renew a lease for as long as the rules allow, and do nothing."""
    empty_claim(adversary, plan)
    for node in list(plan.nodes()):
        holder = node.outcome.holder
        if holder is not None and holder.author == adversary.peer.author:
            _renew(adversary, plan.id, node.id, holder.id)


def _renew(adversary: Adversary, goal: bytes, node_id: bytes, claim: bytes) -> None:
    plan = adversary.peer.store.plan(goal)
    node = plan.node(node_id) if plan else None
    if plan is None or node is None or plan.final or not adversary.peer.alive:
        return
    holder = node.outcome.holder
    if holder is None or holder.id != claim:
        return
    adversary.say(
        Progress(stamp=adversary.now(), goal=goal, node=node_id, claim=claim),
        "renews a lease and does nothing",
    )
    pause = max(plan.policy.lease_ms // 2, 1)
    adversary.peer.env.clock.after(pause, _renew, adversary, goal, node_id, claim)


def instant_failure(adversary: Adversary, plan: Plan) -> None:
    """Claim a task and report at once that it failed."""
    for node, attempt in _free(plan)[:1]:
        claim = adversary.say(
            Claim(stamp=adversary.now(), goal=plan.id, node=node.id, attempt=attempt),
            "claims a task to fail it",
        )
        adversary.say(
            Result(
                stamp=adversary.now(), goal=plan.id, node=node.id, claim=claim.id,
                outcome="failed", reason="refused",
            ),
            "fails it at once",
        )  # fmt: skip


def result_without_claim(adversary: Adversary, plan: Plan) -> None:
    """Publish a result for another peer's claim, or for none."""
    nodes = [node for node in plan.nodes() if node.ready is not None]
    if not nodes:
        return
    node = adversary.rng.choice(nodes)
    holder = node.outcome.holder
    claim = holder.id if holder is not None else adversary.rng.randbytes(32)
    if holder is not None and holder.author == adversary.peer.author:
        return
    body = Result(
        stamp=adversary.now(), goal=plan.id, node=node.id, claim=claim,
        outcome=adversary.rng.choice(["done", "failed"]), text="made up", reason="made up",
    )  # fmt: skip
    adversary.say(body, "reports on a task it never held")


def forged_author(adversary: Adversary, plan: Plan) -> None:
    """Send records under another key: with a made-up signature, and with a genuine one moved."""
    others = [r for r in adversary.peer.store.records(plan.id) if r.author != adversary.peer.author]
    if not others:
        return
    model = adversary.rng.choice(sorted(others, key=lambda r: r.id))
    forged = model.raw[:33] + adversary.rng.randbytes(64) + model.raw[HEADER_SIZE:]
    body = Cancel(stamp=adversary.now(), goal=plan.id, reason="forged")
    own = sign(body, adversary.peer.key).raw
    moved = own[:1] + plan.goal.author + own[33:]
    adversary.spread([forged, moved], "forges another's signature")


def mangled(adversary: Adversary, plan: Plan) -> None:
    """Send bytes that are not a record."""
    raw = bytearray(plan.goal.raw)
    raw[adversary.rng.randrange(len(raw))] ^= 1 << adversary.rng.randrange(8)
    adversary.spread(
        [bytes(raw), adversary.rng.randbytes(200)], "sends bytes that are not a record"
    )


def foreign_cancel(adversary: Adversary, plan: Plan) -> None:
    """Cancel another peer's goal."""
    adversary.say(
        Cancel(stamp=adversary.now(), goal=plan.id, reason="made up"), "cancels another's goal"
    )


def foreign_replan(adversary: Adversary, plan: Plan) -> None:
    """Ask for another split of another peer's goal."""
    decided = [n for n in plan.nodes() if n.vote is not None and n.decision is not None]
    if decided:
        node = adversary.rng.choice(decided)
        body = Replan(stamp=adversary.now(), goal=plan.id, node=node.id, reason="made up")
        adversary.say(body, "asks for another split of another peer's goal")


def flood(adversary: Adversary, plan: Plan) -> None:
    """Publish very many records, many of them backdated."""
    for index in range(FLOOD):
        back = adversary.rng.choice([0, 0, 1_000, 10_000])
        stamp = Stamp(max(plan.goal.stamp.ms + 1, adversary.peer.wall() - back), index)
        record = sign(
            Notice(stamp=stamp, goal=plan.id, code="flood", text=f"{index} " * 20),
            adversary.peer.key,
        )
        adversary.peer.store.add(record.raw, adversary.peer.wall())
        adversary.peer.send(frames.encode_bundle([record.raw]))
    adversary.peer.env.timeline.add(adversary.peer.name, "attack", f"floods {FLOOD} notices")


def false_presence(adversary: Adversary, plan: Plan) -> None:
    """Show peers that do not exist."""
    raws = [
        sign(
            Presence(
                stamp=adversary.now(), swarm=adversary.peer.env.swarm,
                role=adversary.rng.choice(WORKERS), name="nobody",
            ),
            key,
        ).raw
        for key in adversary.sybils
    ]  # fmt: skip
    adversary.spread(raws, f"shows {SYBILS} peers that do not exist")


Attack = Callable[[Adversary, Plan], None]

ATTACKS: dict[str, Attack] = {
    attack.__name__: attack
    for attack in (
        double_vote,
        moving_vote,
        backdated_vote,
        future_vote,
        withheld_vote,
        persons_vote,
        bad_proposal,
        impossible_split,
        empty_claim,
        backdated_claim,
        withheld_claim,
        endless_lease,
        instant_failure,
        result_without_claim,
        forged_author,
        mangled,
        foreign_cancel,
        foreign_replan,
        flood,
        false_presence,
    )
}
"""Every attack by its name, but those on reviews, which only goals with reviews allow."""


def _reviewable(plan: Plan) -> list[tuple[Node, Record]]:
    return [
        (node, version.result) for node in plan.nodes() for version in node.outcome.versions[-1:]
    ]


def false_review(adversary: Adversary, plan: Plan) -> None:
    """Find every result wrong that is reviewed, some at once, some with a stamp from the past."""
    for node, result in _reviewable(plan):
        now = adversary.now()
        back = Stamp(result.stamp.ms, result.stamp.counter + 1)
        body = Review(
            stamp=adversary.rng.choice([now, back]), goal=plan.id, node=node.id, result=result.id,
            verdict="wrong", rating=adversary.rng.choice([0.0, 1.0]), critique="made up",
        )  # fmt: skip
        adversary.say(body, "finds a result wrong")


def kept_revision(adversary: Adversary, plan: Plan) -> None:
    """Claim what was sent back, and do nothing."""
    for node, number in _free(plan):
        if node.outcome.sent_back is not None:
            body = Claim(stamp=adversary.now(), goal=plan.id, node=node.id, attempt=number)
            adversary.say(body, "claims a revision and does nothing")


REVIEW_ATTACKS: dict[str, Attack] = {
    attack.__name__: attack for attack in (false_review, kept_revision)
}
"""Every attack on reviews by its name. Adversaries of all kinds do not choose them: what they did
under a seed stays what it was."""
