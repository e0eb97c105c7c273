"""What every agent shares: its view of the swarm, its decisions, and how it bears failures."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from swarm.core.clock import EPOCH, Stamp
from swarm.core.fold.node import Node
from swarm.core.fold.plan import Plan
from swarm.core.records import KnownBody, Notice, Presence
from swarm.core.store.store import Store
from swarm.llm.requests import Answer, Request

STAMP = EPOCH
"""Stands in a body until the driver stamps it at the moment it publishes."""

JobKey = tuple[str, bytes]
"""(what is done, the id of the node, proposal or claim that it is done to, and in which vote)."""

NO_ROOM = "not-kept"
"""Code of a notice that what its author said was not kept."""

MEET_MS = 1_500
"""How long a fresh agent waits to meet the others, in ms: links are dialled and presences heard by
then (about 1 s). Before, it takes whom it has heard for all there are, and so does every other
after a common restart: an executor claims nothing, a scorer yields to nobody."""

RETRY_AFTER_MS = (2_000, 8_000)
"""Waits before a model call is tried again by the same agent; then it gives up with a notice.

Calls already retry what is transient for seconds; these waits outlast a model server's restart.
After as many tries it is for good, whatever becomes of the model: some die of what they are asked.
"""


@dataclass(frozen=True, slots=True)
class View:
    """What an agent may look at when it decides."""

    store: Store
    me: bytes
    """The agent's author key."""
    now_ms: int
    able: bool = True
    """Whether its model answers; if not, it starts nothing new."""

    def live(self) -> list[Plan]:
        """Return the plans that still need work, the oldest goal first."""
        return [plan for plan in self.store.plans() if not plan.final]

    def present(self, role: str, needed: Collection[str] = ()) -> list[bytes]:
        """Return who plays a role and can work now, by author; this agent need not be among.

        Args:
            role: which.
            needed: capabilities that they must have announced.
        """
        return [
            record.author
            for record in self.store.presences()
            if isinstance(record.body, Presence)
            and record.body.role == role
            and not record.body.trouble
            and self.store.roster.allows(record)
            and set(needed) <= set(record.body.capabilities)
        ]

    def lacking(self, plan: Plan, capabilities: Collection[str]) -> list[str]:
        """Return which capabilities no executor here offers, each beside what the goal asks for.

        In an open swarm those count whom the asker knew, if any of them is here: made-up presences
        cost nothing, and could offer anything. Those with trouble count too, which passes. What
        nobody offers nobody may do, so that a plan would wait for it until it ends.
        """
        offers = {
            record.author: {*record.body.capabilities}
            for record in self.store.presences()
            if isinstance(record.body, Presence)
            and record.body.role == "executor"
            and self.store.roster.allows(record)
        }
        counted = list(offers)
        if self.store.roster.owner is None:
            counted = [author for author in offers if author in plan.known] or counted
        needed = {*plan.policy.capabilities}
        return [
            name
            for name in sorted({*capabilities} - {""})
            if not any({name, *needed} <= offers[author] for author in counted)
        ]

    def regulars(self, plan: Plan, role: str) -> list[bytes]:
        """Return who plays a role and is known to whoever asked, by author.

        Made-up presences cost nothing, so a goal may name whom its asker has known longest; only
        those are waited for and counted on. Everybody present, if it names none of them.
        """
        needed = plan.policy.capabilities if role == "executor" else ()
        present = self.present(role, needed)
        return [author for author in present if author in plan.known] or present

    def with_me(self, plan: Plan, role: str) -> list[bytes]:
        """Return the regulars of this agent's role, itself included whatever it has heard."""
        return sorted({*self.regulars(plan, role), self.me})


@dataclass(frozen=True, slots=True)
class Job:
    """A model call an agent wants made."""

    key: JobKey
    request: Request
    goal: bytes
    node: bytes
    subject: bytes
    """The proposal rated or polished, or the claim worked on; the node's id for a first split."""


@dataclass(slots=True)
class Decision:
    """What an agent wants done now."""

    publish: list[KnownBody] = field(default_factory=list)
    """Bodies to stamp, sign and publish, in order."""
    start: list[Job] = field(default_factory=list)
    stop: list[JobKey] = field(default_factory=list)
    """Model calls that nobody needs any more; their outcome is not reported."""
    wake_ms: int | None = None
    """When to decide again even if nothing happens."""

    def wake_at(self, ms: int) -> None:
        """Ask to decide again at `ms`, unless an earlier moment is asked for already."""
        self.wake_ms = ms if self.wake_ms is None else min(self.wake_ms, ms)


class Agent(Protocol):
    """One role's decisions."""

    @property
    def role(self) -> str:
        """The role it plays."""

    @property
    def capabilities(self) -> frozenset[str]:
        """What it can do beyond what every agent of its role can."""

    def decide(self, view: View) -> Decision:
        """Look at everything and say what to do now. Called after anything changed."""

    def finished(self, job: Job, answer: Answer, view: View) -> Decision:
        """Take in a model's answer."""

    def failed(
        self, job: Job, message: str, view: View, *, retryable: bool, away: bool = False
    ) -> Decision:
        """Take in that a model call failed.

        Args:
            job: which.
            message: why, for people.
            view: of now.
            retryable: whether the same call may succeed later or at another peer.
            away: whether the model could not be reached at all, which a moment may mend.
        """

    def unkept(self, body: KnownBody, view: View) -> Decision:
        """Take in that this peer's own store did not keep what was just said: nobody else will.

        Its author's room for the goal is full, or the record is too long. Whoever does its work
        again for that would do so for ever.
        """

    def wrote(self, job: Job, characters: int) -> None:
        """Note how many characters a running job has written so far."""

    def recovered(self) -> None:
        """Note that the model answers again after it was found gone."""


class Observer:
    """Listens and rebuilds the plan; wants nothing done."""

    role = "observer"
    capabilities: frozenset[str] = frozenset()

    def decide(self, view: View) -> Decision:
        """Return nothing to do."""
        return Decision()

    def finished(self, job: Job, answer: Answer, view: View) -> Decision:
        """Return nothing to do; an observer starts no calls."""
        return Decision()

    def failed(
        self, job: Job, message: str, view: View, *, retryable: bool, away: bool = False
    ) -> Decision:
        """Return nothing to do; an observer starts no calls."""
        return Decision()

    def unkept(self, body: KnownBody, view: View) -> Decision:
        """Return nothing to do; its owner sees what became of it."""
        return Decision()

    def wrote(self, job: Job, characters: int) -> None:
        """Ignore it; an observer starts no calls."""

    def recovered(self) -> None:
        """Ignore it; an observer has no model."""


class Submitter(Observer):
    """Asks, cancels and attests people's votes at its owner's word; decides nothing itself."""

    role = "submitter"


class Failures:
    """Counts what went wrong per job, and says when it may be tried again."""

    def __init__(self) -> None:
        self._retry_ms: dict[JobKey, int | None] = {}
        self._count: dict[JobKey, int] = {}

    def may_try(self, key: JobKey, now_ms: int) -> bool:
        """Return whether a job may be started now."""
        at = self._retry_ms.get(key, 0)
        return at is not None and now_ms >= at

    def gave_up(self, key: JobKey) -> bool:
        """Return whether a job will not be tried again."""
        return self._retry_ms.get(key, 0) is None

    def retry_ms(self, key: JobKey) -> int | None:
        """Return when a failed job may be tried again, in ms; None: never, or it never failed."""
        return self._retry_ms.get(key)

    def note(self, key: JobKey, now_ms: int, *, retryable: bool) -> bool:
        """Count a failure; return whether that was the last try."""
        count = self._count[key] = self._count.get(key, 0) + 1
        if not retryable or count > len(RETRY_AFTER_MS):
            self._retry_ms[key] = None
            return True
        self._retry_ms[key] = now_ms + RETRY_AFTER_MS[count - 1]
        return False

    def give_up(self, key: JobKey) -> None:
        """Never try a job again."""
        self._count[key] = len(RETRY_AFTER_MS) + 1
        self._retry_ms[key] = None

    def clear(self) -> None:
        """Let nothing wait that has tries left: the model came back. What was tried counts on."""
        for key, count in self._count.items():
            if count <= len(RETRY_AFTER_MS):
                self._retry_ms.pop(key, None)


class Mentioned:
    """Notices of which each is said once."""

    def __init__(self) -> None:
        self._said: set[tuple[bytes, str]] = set()

    def once(self, plan: Plan | None, node: bytes, code: str, text: str) -> list[KnownBody]:
        """Return a notice, unless this goal had it already or is not known."""
        if plan is None or (plan.id, text) in self._said:
            return []
        self._said.add((plan.id, text))
        return [notice(plan, node, code, text)]


def undecided(plan: Plan) -> Iterator[Node]:
    """Yield the nodes whose vote is open, parents first."""
    for node in plan.nodes():
        if node.vote is not None and node.decision is None:
            yield node


def path_of(node: Node) -> tuple[str, ...]:
    """Return the titles from the root down to a node's parent."""
    titles: list[str] = []
    above = node.parent
    while above is not None:
        titles.append(above.title)
        above = above.parent
    return tuple(reversed(titles))


def shuffled(authors: Sequence[bytes], *about: bytes) -> list[bytes]:
    """Return authors in an order that depends only on what it is about: a rendezvous hash.

    Every peer that sees the same authors gets the same order, and no author is favoured.
    """
    prefix = hashlib.sha256(b"".join(about)).digest()
    return sorted(authors, key=lambda author: hashlib.sha256(prefix + author).digest())


def notice(plan: Plan, node: bytes, code: str, text: str) -> Notice:
    """Return a notice about a node, cut to what a record takes."""
    return Notice(stamp=Stamp(*STAMP), goal=plan.id, node=node, code=code, text=text[:2_000])
