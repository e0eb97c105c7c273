"""A small honest swarm for the bot's tests: a real store, real signatures, no network."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from bot.swarm_link.swarm_peer import Verdict
from swarm.core.clock import EPOCH
from swarm.core.fold.node import Node
from swarm.core.fold.plan import Plan
from swarm.core.policy import Policy
from swarm.core.records import (
    Ballot,
    Cancel,
    Claim,
    KnownBody,
    Notice,
    Presence,
    Progress,
    Proposal,
    Record,
    Result,
    Subgoal,
    sign,
)
from swarm.core.store.store import Store
from swarm.peer.peer import PeerView
from swarm.peer.submission import goal_body

START_MS = 1_800_000_000_000
POLICY = Policy(quorum=2, max_depth=1, deadline_ms=20 * 60_000, patience_ms=300_000)


class FakePeer:
    """The bot's peer and all others in one: it publishes what a test asks, on the test's clock."""

    def __init__(self) -> None:
        self.store = Store("test")
        self.key = Ed25519PrivateKey.from_private_bytes(b"\x01" * 32)
        self.author = self.key.public_key().public_bytes_raw()
        self.name = "bot"
        self.on_change: Callable[[frozenset[bytes]], None] | None = None
        self.wall_ms = START_MS
        self.votes: list[tuple[bytes, Verdict]] = []
        self._keys: dict[str, Ed25519PrivateKey] = {}

    # As the bot uses it.

    def now(self) -> int:
        """The time to fold at, in ms."""
        return self.store.clock.now(self.wall_ms)

    def submit(
        self,
        text: str,
        *,
        policy: Policy | None = None,
        language: str = "",
        asker: bytes | None = None,
        note: Callable[[Record], object] | None = None,
    ) -> bytes:
        """Publish a goal."""
        # As with three scorers present: the default becomes their majority.
        rules = (policy or POLICY).model_copy(update={"quorum": 2})
        body = goal_body(
            self.store,
            self.wall_ms,
            text,
            rules,
            author=self.author,
            language=language,
            asker=asker,
        )
        return self.say(body, note=note).id

    def cancel(self, goal_id: bytes, reason: str = "") -> None:
        """Stop a goal."""
        self.say(Cancel(stamp=EPOCH, goal=goal_id, reason=reason))

    def vote(self, goal_id: bytes, proposal_id: bytes, person: bytes, verdict: Verdict) -> None:
        """Attest one person's vote."""
        self.votes.append((proposal_id, verdict))
        self.say(
            Ballot(
                stamp=EPOCH,
                goal=goal_id,
                node=self.node_of(proposal_id),
                proposal=proposal_id,
                verdict=verdict,
                person=person,
            )
        )

    def publish(self, body: KnownBody) -> Record:
        """Stamp, sign and keep a body as the bot's own peer."""
        return self.say(body)

    def peers(self) -> list[PeerView]:
        """Return the peers heard lately."""
        return [
            PeerView(
                author=record.author.hex(),
                name=body.name,
                role=body.role,
                model=body.model,
                load=body.load,
                version=body.version,
                capabilities=(),
                trouble=body.trouble,
                seen_ms_ago=0,
                foreign=False,
                is_me=record.author == self.author,
            )
            for record in self.store.presences()
            if isinstance(body := record.body, Presence)
        ]

    def heard(self) -> list[PeerView]:
        """Return all peers heard lately; no clock is wrong here."""
        return self.peers()

    def roles_present(self) -> dict[str, int]:
        """Return how many peers of each role can work now."""
        return Counter(view.role for view in self.peers() if not view.trouble)

    def name_of(self, author: bytes) -> str:
        """Return what people call an author."""
        names = {key.public_key().public_bytes_raw(): who for who, key in self._keys.items()}
        return "bot" if author == self.author else names.get(author, author.hex()[:8])

    # As a test uses it.

    def say(
        self, body: KnownBody, who: str = "", *, note: Callable[[Record], object] | None = None
    ) -> Record:
        """Stamp, sign and keep a body as one of the peers, made up by name."""
        if who and who not in self._keys:
            self._keys[who] = Ed25519PrivateKey.generate()
        key = self._keys[who] if who else self.key
        stamped = body.model_copy(update={"stamp": self.store.clock.tick(self.wall_ms)})
        record = sign(stamped, key)
        if note is not None:
            note(record)
        self.store.add_record(record, max(self.wall_ms, record.stamp.ms))
        self.changed(record.goal_id or b"")
        return record

    def changed(self, goal: bytes) -> None:
        """Tell the bot."""
        if self.on_change is not None:
            self.on_change(frozenset((goal,)))

    def pass_time(self, ms: int) -> None:
        """Let time pass."""
        self.wall_ms += ms
        self.store.advance(self.wall_ms)
        for plan in self.store.plans():
            self.changed(plan.id)

    def plan(self, goal: bytes) -> Plan:
        """Return a goal's plan."""
        plan = self.store.plan(goal)
        assert plan is not None
        return plan

    def node_of(self, proposal: bytes) -> bytes:
        """Return the node a proposal splits."""
        record = self.store.record(proposal)
        assert record is not None
        assert isinstance(record.body, Proposal)
        return record.body.node

    def appear(self, *roles: str, trouble: str = "") -> None:
        """Let peers be heard: `scorer` is the first of its role, `scorer-2` another one."""
        for given in roles:
            role, _, number = given.partition("-")
            name = f"{role}-{number or 1}"
            body = Presence(
                stamp=EPOCH,
                swarm="test",
                role=role,
                name=name,
                model="tiny",
                trouble=trouble,
            )
            self.say(body, name)

    def propose(
        self,
        goal: bytes,
        titles: Sequence[str],
        *,
        lens: str = "place",
        who: str = "decomposer-1",
        detail: str = "",
    ) -> bytes:
        """Propose a split of a goal's root into tasks."""
        parts = [Subgoal(title=title, detail=detail) for title in titles]
        body = Proposal(stamp=EPOCH, goal=goal, node=goal, parts=parts, lens=lens, rationale="why")
        return self.say(body, who).id

    def rate(self, proposal: bytes, who: str, *, approve: bool = True, score: float = 0.8) -> None:
        """Rate a split as a scorer."""
        record = self.store.record(proposal)
        assert record is not None
        assert record.goal_id is not None
        body = Ballot(
            stamp=EPOCH,
            goal=record.goal_id,
            node=self.node_of(proposal),
            proposal=proposal,
            verdict="approve" if approve else "reject",
            concrete=score,
            distinct=score,
            complete=score,
            critique="too vague @everyone",
        )
        self.say(body, who)

    def accept(self, proposal: bytes) -> None:
        """Let two scorers approve a split."""
        self.rate(proposal, "scorer-1")
        self.rate(proposal, "scorer-2")

    def claim(self, goal: bytes, node: Node, who: str = "executor-1") -> Record:
        """Take a task."""
        return self.say(Claim(stamp=EPOCH, goal=goal, node=node.id, attempt=1), who)

    def progress(self, goal: bytes, node: Node, claim: Record, percent: int) -> None:
        """Renew a claim."""
        body = Progress(stamp=EPOCH, goal=goal, node=node.id, claim=claim.id, percent=percent)
        self.say(body, "executor-1")

    def finish(
        self,
        goal: bytes,
        node: Node,
        text: str,
        *,
        draft: bool = False,
        closing: str | None = None,
    ) -> None:
        """Do a task from claim to result."""
        claim = self.claim(goal, node)
        body = Result(
            stamp=EPOCH, goal=goal, node=node.id, claim=claim.id, outcome="done", text=text,
            draft=draft, closing=closing,
        )  # fmt: skip
        self.say(body, "executor-1")

    def finish_all(self, goal: bytes, text: str, *, draft: bool = False) -> None:
        """Do all parts, then put them together into a text."""
        for node in self.plan(goal).root.children:
            self.finish(goal, node, f"text of {node.title}")
        self.finish(goal, self.plan(goal).root, text, draft=draft)

    def complain(self, goal: bytes, text: str) -> None:
        """Let an agent say why it cannot help."""
        self.say(Notice(stamp=EPOCH, goal=goal, code="model", text=text), "scorer-1")
