"""Peers that break the rules: what a dishonest minority can try without others' keys.

A liar is a peer like any other on the wire, with its own key, store and gossip, so that its lies
spread and are repaired like honest records. Only what it says is made up.
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
    Subgoal,
    sign,
)
from swarm.core.roles import WORKERS
from swarm.gossip import frames

if TYPE_CHECKING:
    from swarm.sim.world.peer import SimPeer

TICK_MS = (300, 4_000)
"""Between two lies, in ms."""

WITHHOLD_MS = (2_000, 90_000)
"""How long a withheld record is kept back, in ms."""

FLOOD = 40
"""Records of one flood."""

SYBILS = 4
"""Keys that a liar makes up presences for."""

UNOBTAINABLE = "unobtainium"
"""A capability that no executor offers."""

AHEAD_MS = (4_000, 60_000, 3_600_000, 365 * 86_400_000)
"""How far ahead future stamps lie: within the allowed drift, held, beyond, absurd; in ms."""


class Mute(Observer):
    """Shows the presence of a role and does nothing for it."""

    def __init__(self, role: str) -> None:
        """Pretend a role."""
        self.role = role


class Liar:
    """Tells lies as one peer."""

    def __init__(
        self,
        peer: SimPeer,
        rng: random.Random,
        kinds: tuple[str, ...],
        lasts_ms: int,
        *,
        silent: bool = False,
    ) -> None:
        """Begin to lie, now and then.

        Args:
            peer: tells them; its agent should be `Mute`.
            rng: chooses.
            kinds: lies it tells (names of `LIES`); empty: all.
            lasts_ms: how long, from now on.
            silent: whether it keeps its lies to itself, for the twin of a world with liars.
        """
        peer.honest = False
        self.peer = peer
        self.rng = rng
        self.sybils = [
            Ed25519PrivateKey.from_private_bytes(rng.randbytes(32)) for _ in range(SYBILS)
        ]
        self._kinds = kinds or tuple(LIES)
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
            LIES[kind](self, self.rng.choice(plans))

    # How lies get out.

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
        """Put bytes on the wire, whatever they are."""
        if self.peer.alive and not self.peer.frozen:
            self.peer.env.timeline.add(self.peer.name, "lie", what)
            self.peer.send(frames.encode_bundle(raws))

    def now(self) -> Stamp:
        """Return a stamp of now."""
        return self.peer.store.clock.tick(self.peer.wall())


def _vote_node(liar: Liar, plan: Plan) -> Node | None:
    nodes = [n for n in plan.nodes() if n.vote is not None and n.vote.valid()]
    return liar.rng.choice(nodes) if nodes else None


def _ballot(liar: Liar, plan: Plan, node: Node, stamp: Stamp) -> Ballot:
    assert node.vote is not None
    tally = liar.rng.choice(node.vote.valid())
    rating = liar.rng.choice([0.0, 1.0])
    return Ballot(
        stamp=stamp, goal=plan.id, node=node.id, proposal=tally.record.id,
        verdict=liar.rng.choice(["approve", "approve", "reject"]),
        concrete=rating, distinct=rating, complete=rating, critique="approve this",
    )  # fmt: skip


def double_vote(liar: Liar, plan: Plan) -> None:
    """Approve two proposals with one stamp."""
    node = _vote_node(liar, plan)
    if node is not None:
        stamp = liar.now()
        for _ in range(2):
            liar.say(_ballot(liar, plan, node, stamp), "votes twice with one stamp")


def moving_vote(liar: Liar, plan: Plan) -> None:
    """Approve whatever, again and again."""
    node = _vote_node(liar, plan)
    if node is not None:
        liar.say(_ballot(liar, plan, node, liar.now()), "moves its vote")


def backdated_vote(liar: Liar, plan: Plan) -> None:
    """Vote with a stamp from the node's past."""
    node = _vote_node(liar, plan)
    if node is not None:
        ms = liar.rng.randint(node.opened.ms, max(node.opened.ms, plan.now_ms))
        stamp = Stamp(ms, liar.rng.randrange(3))
        liar.say(_ballot(liar, plan, node, stamp), f"backdates a vote by {plan.now_ms - ms} ms")


def future_vote(liar: Liar, plan: Plan) -> None:
    """Vote with a stamp from the future."""
    node = _vote_node(liar, plan)
    if node is not None:
        ahead = liar.rng.choice(AHEAD_MS)
        stamp = Stamp(liar.peer.wall() + ahead)
        liar.say(_ballot(liar, plan, node, stamp), f"votes {ahead} ms in the future")


def withheld_vote(liar: Liar, plan: Plan) -> None:
    """Keep a vote back."""
    node = _vote_node(liar, plan)
    if node is not None:
        body = _ballot(liar, plan, node, liar.now())
        liar.say(body, "votes", later_ms=liar.rng.randint(*WITHHOLD_MS))


def persons_vote(liar: Liar, plan: Plan) -> None:
    """Attest people's votes on somebody else's goal."""
    node = _vote_node(liar, plan)
    if node is not None:
        body = _ballot(liar, plan, node, liar.now())
        person = liar.rng.randbytes(32)
        liar.say(body.model_copy(update={"person": person}), "makes up a person's vote")


def bad_proposal(liar: Liar, plan: Plan) -> None:
    """Propose what no policy allows, or nonsense."""
    nodes = [node for node in plan.nodes() if node.vote is not None]
    if not nodes:
        return
    node = liar.rng.choice(nodes)
    count = liar.rng.choice([0, 2, 20, 32])
    kind = liar.rng.choice(["task", "goal"])
    parts = [Subgoal(title=f"\u202enonsense {i}", kind=kind) for i in range(count)]
    refines = liar.rng.choice([None, liar.rng.randbytes(32)])
    stamp = liar.rng.choice([liar.now(), Stamp(node.opened.ms)])
    body = Proposal(
        stamp=stamp, goal=plan.id, node=node.id, parts=parts, lens="nonsense", refines=refines
    )
    liar.say(body, f"proposes {count} parts of nonsense")


def impossible_split(liar: Liar, plan: Plan) -> None:
    """Propose what looks as good as another's split, and asks for what nobody can do."""
    node = _vote_node(liar, plan)
    if node is None or node.decision is not None:
        return
    assert node.vote is not None
    model = liar.rng.choice(node.vote.valid()).body
    body = Proposal(
        stamp=liar.now(), goal=plan.id, node=node.id, lens=model.lens,
        parts=[
            part.model_copy(update={"capability": part.capability or UNOBTAINABLE})
            for part in model.parts
        ],
    )  # fmt: skip
    liar.say(body, "proposes what nobody can do")


def _free(plan: Plan) -> list[tuple[Node, int]]:
    return [
        (node, attempt.number)
        for node in plan.nodes()
        if node.ready is not None
        and node.settled is None
        and (attempt := node.outcome.attempt) is not None
        and attempt.holder is None
    ]


def empty_claim(liar: Liar, plan: Plan) -> None:
    """Claim a task and do nothing."""
    for node, attempt in _free(plan)[:2]:
        body = Claim(stamp=liar.now(), goal=plan.id, node=node.id, attempt=attempt)
        liar.say(body, "claims a task it will not do")


def backdated_claim(liar: Liar, plan: Plan) -> None:
    """Claim with the earliest stamp that could hold, or one before the task existed."""
    live = [n for n in plan.nodes() if n.ready is not None and n.settled is None]
    if not live:
        return
    node = liar.rng.choice(live)
    attempt = node.outcome.attempts[-1]
    early = liar.rng.choice(
        [
            Stamp(attempt.start.ms + 1),
            Stamp(attempt.start.ms),
            Stamp(attempt.start.ms - 5_000),
            Stamp(attempt.start.ms - 86_400_000),
        ]
    )
    body = Claim(stamp=early, goal=plan.id, node=node.id, attempt=attempt.number)
    liar.say(body, "claims with a stamp of the past")


def withheld_claim(liar: Liar, plan: Plan) -> None:
    """Claim now, and let others know much later."""
    for node, attempt in _free(plan)[:1]:
        body = Claim(stamp=liar.now(), goal=plan.id, node=node.id, attempt=attempt)
        liar.say(body, "claims a task", later_ms=liar.rng.randint(*WITHHOLD_MS))


def endless_lease(liar: Liar, plan: Plan) -> None:
    """Renew what it holds for as long as it is allowed to, and do nothing."""
    empty_claim(liar, plan)
    for node in list(plan.nodes()):
        holder = node.outcome.holder
        if holder is not None and holder.author == liar.peer.author:
            _renew(liar, plan.id, node.id, holder.id)


def _renew(liar: Liar, goal: bytes, node_id: bytes, claim: bytes) -> None:
    plan = liar.peer.store.plan(goal)
    node = plan.node(node_id) if plan else None
    if plan is None or node is None or plan.final or not liar.peer.alive:
        return
    holder = node.outcome.holder
    if holder is None or holder.id != claim:
        return
    liar.say(
        Progress(stamp=liar.now(), goal=goal, node=node_id, claim=claim),
        "renews a lease and does nothing",
    )
    pause = max(plan.policy.lease_ms // 2, 1)
    liar.peer.env.clock.after(pause, _renew, liar, goal, node_id, claim)


def instant_failure(liar: Liar, plan: Plan) -> None:
    """Claim a task and report at once that it failed."""
    for node, attempt in _free(plan)[:1]:
        claim = liar.say(
            Claim(stamp=liar.now(), goal=plan.id, node=node.id, attempt=attempt),
            "claims a task to fail it",
        )
        liar.say(
            Result(
                stamp=liar.now(), goal=plan.id, node=node.id, claim=claim.id,
                outcome="failed", reason="no wish to",
            ),
            "fails it at once",
        )  # fmt: skip


def result_without_claim(liar: Liar, plan: Plan) -> None:
    """Publish a result for another's claim, or for none."""
    nodes = [node for node in plan.nodes() if node.ready is not None]
    if not nodes:
        return
    node = liar.rng.choice(nodes)
    holder = node.outcome.holder
    claim = holder.id if holder is not None else liar.rng.randbytes(32)
    if holder is not None and holder.author == liar.peer.author:
        return
    body = Result(
        stamp=liar.now(), goal=plan.id, node=node.id, claim=claim,
        outcome=liar.rng.choice(["done", "failed"]), text="a lie", reason="a lie",
    )  # fmt: skip
    liar.say(body, "reports on a task it never held")


def forged_author(liar: Liar, plan: Plan) -> None:
    """Send records under another's key: with a made-up signature, and with a real one moved."""
    others = [r for r in liar.peer.store.records(plan.id) if r.author != liar.peer.author]
    if not others:
        return
    model = liar.rng.choice(sorted(others, key=lambda r: r.id))
    forged = model.raw[:33] + liar.rng.randbytes(64) + model.raw[HEADER_SIZE:]
    body = Cancel(stamp=liar.now(), goal=plan.id, reason="forged")
    own = sign(body, liar.peer.key).raw
    moved = own[:1] + plan.goal.author + own[33:]
    liar.spread([forged, moved], "forges another's signature")


def mangled(liar: Liar, plan: Plan) -> None:
    """Send bytes that are no record."""
    raw = bytearray(plan.goal.raw)
    raw[liar.rng.randrange(len(raw))] ^= 1 << liar.rng.randrange(8)
    liar.spread([bytes(raw), liar.rng.randbytes(200)], "sends what is no record")


def foreign_cancel(liar: Liar, plan: Plan) -> None:
    """Cancel somebody else's goal."""
    liar.say(Cancel(stamp=liar.now(), goal=plan.id, reason="a lie"), "cancels another's goal")


def foreign_replan(liar: Liar, plan: Plan) -> None:
    """Ask for another split of somebody else's goal."""
    decided = [n for n in plan.nodes() if n.vote is not None and n.decision is not None]
    if decided:
        node = liar.rng.choice(decided)
        body = Replan(stamp=liar.now(), goal=plan.id, node=node.id, reason="a lie")
        liar.say(body, "wants another split of another's goal")


def flood(liar: Liar, plan: Plan) -> None:
    """Say very much, and much of it early."""
    for index in range(FLOOD):
        back = liar.rng.choice([0, 0, 1_000, 10_000])
        stamp = Stamp(max(plan.goal.stamp.ms + 1, liar.peer.wall() - back), index)
        record = sign(
            Notice(stamp=stamp, goal=plan.id, code="flood", text=f"{index} " * 20), liar.peer.key
        )
        liar.peer.store.add(record.raw, liar.peer.wall())
        liar.peer.send(frames.encode_bundle([record.raw]))
    liar.peer.env.timeline.add(liar.peer.name, "lie", f"floods {FLOOD} notices")


def false_presence(liar: Liar, plan: Plan) -> None:
    """Show peers that do not exist."""
    raws = [
        sign(
            Presence(
                stamp=liar.now(), swarm=liar.peer.env.swarm,
                role=liar.rng.choice(WORKERS), name="nobody",
            ),
            key,
        ).raw
        for key in liar.sybils
    ]  # fmt: skip
    liar.spread(raws, f"shows {SYBILS} peers that do not exist")


Lie = Callable[[Liar, Plan], None]

LIES: dict[str, Lie] = {
    lie.__name__: lie
    for lie in (
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
"""Every lie by its name."""
