"""What every agent shares: its view of the swarm, its decisions, and how it handles failures."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

from swarm.agents.fair_turns import Waiting, newcomers_first
from swarm.core.clock import EPOCH, Stamp
from swarm.core.fold.node import Node
from swarm.core.fold.plan import Plan
from swarm.core.records import KnownBody, Notice, Presence, can_work
from swarm.core.store.store import Store
from swarm.llm.requests import Answer, Request

T = TypeVar("T")

STAMP = EPOCH
"""Placeholder in a body until the driver stamps it when it publishes."""

JobKey = tuple[str, bytes]
"""(what is done, the id of what it is done to: node, proposal or claim, and which vote)."""

NO_ROOM = "not-kept"
"""Code of the notice that a record of its author was not kept."""

MEET_MS = 1_500
"""How long a new agent waits to meet the others, in ms: by then links are dialled and presences
have arrived (about 1 s). Until then the peers it has heard may not be all there are, and after a
common restart every other peer is in the same position: an executor claims nothing, and a scorer
yields to nobody."""

RETRY_AFTER_MS = (2_000, 8_000)
"""Waits before a model call is tried again by the same agent; then it gives up with a notice.

Calls already retry transient failures for some seconds; these waits outlast a model server's
restart. After that many tries the agent gives up even if the model comes back: some models crash on
a certain request.
"""


@dataclass(frozen=True, slots=True)
class View:
    """What an agent may look at when it decides."""

    store: Store
    me: bytes
    """The agent's author key."""
    now_ms: int
    able: bool = True
    """Whether its model answers; if not, the agent starts nothing new."""
    _present: dict[tuple[str, frozenset[str]], list[bytes]] = field(
        default_factory=dict, repr=False, compare=False
    )

    def in_turns(
        self, waiting: Waiting[T], under_way: Mapping[bytes, int], *, only_known: bool = False
    ) -> Iterator[tuple[Plan, T]]:
        """Yield what waits in the order in which the goals' authors take turns.

        Args:
            waiting: what waits.
            under_way: how many jobs are being worked on for an author of goals.
            only_known: whether what waits for newcomers is left out.
        """
        return waiting.in_turns(
            under_way,
            self.is_known,
            newcomers_first=newcomers_first(self.now_ms),
            only_known=only_known,
        )

    def is_known(self, asker: bytes) -> bool:
        """Return whether an author of goals is no newcomer."""
        return asker == self.me or self.store.is_known_asker(asker)

    def open_to_newcomers(self, slots: int) -> int:
        """Return how many of an agent's slots the goals of newcomers may take.

        If it has several, one is kept for known askers while these are active. Otherwise each step
        of their plans would wait until a newcomer's call ends.
        """
        return slots - 1 if slots > 1 and self.store.known_are_active(self.now_ms) else slots

    def to_start(
        self, waiting: Waiting[T], running: Mapping[JobKey, Job], slots: int
    ) -> Iterator[tuple[Plan, T]]:
        """Yield what waits and is next in turn while slots are free; it waits no longer.

        Args:
            waiting: what waits.
            running: the calls under way; the caller adds the one for each item before the next.
            slots: calls at a time.
        """
        for only_known in (False, True):
            most = slots if only_known else self.open_to_newcomers(slots)
            if len(running) >= most:
                continue
            askers = (self.asker_of(job.goal) for job in running.values())
            under_way = Counter(author for author in askers if author is not None)
            for plan, item in self.in_turns(waiting, under_way, only_known=only_known):
                waiting.remove(plan.id, item)
                waiting.serve(plan.goal.author, self.now_ms)
                yield plan, item
                if len(running) >= most:
                    break

    def asker_of(self, goal: bytes) -> bytes | None:
        """Return the author of a goal; None if the goal is not known."""
        plan = self.store.plan(goal)
        return None if plan is None else plan.goal.author

    def present(self, role: str, needed: Collection[str] = ()) -> list[bytes]:
        """Return the authors that play a role and can work now; this agent may be missing.

        Args:
            role: the role.
            needed: capabilities that they must have announced.
        """
        which = role, frozenset(needed)
        if which not in self._present:
            self._present[which] = [
                record.author
                for record in self.store.presences()
                if isinstance(record.body, Presence)
                and record.body.role == role
                and can_work(record.body.trouble)
                and self.store.roster.allows(record)
                and which[1] <= set(record.body.capabilities)
            ]
        return self._present[which]

    def missing_capabilities(self, plan: Plan, capabilities: Collection[str]) -> list[str]:
        """Return the capabilities that no executor here offers beside what the goal requires.

        In an open swarm only executors that the asker knew count, if any of them is here: made-up
        presences cost nothing and could offer anything. Executors with trouble count too, since
        trouble passes. A part that needs a missing capability would wait until the plan ends.
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
        """Return the authors that play a role and that the goal's asker knew.

        Made-up presences cost nothing, so a goal may name the peers its asker has known longest,
        and agents wait for and rely on those only. If it names none of those present, everybody
        present counts.
        """
        needed = plan.policy.capabilities if role == "executor" else ()
        present = self.present(role, needed)
        return [author for author in present if author in plan.known] or present

    def with_me(self, plan: Plan, role: str) -> list[bytes]:
        """Return the regulars of this agent's role, sorted, this agent always included."""
        return sorted({*self.regulars(plan, role), self.me})


@dataclass(frozen=True, slots=True)
class Job:
    """A model call that an agent wants made."""

    key: JobKey
    request: Request
    goal: bytes
    node: bytes
    subject: bytes
    """The proposal being rated or polished, or the claim being worked on; the node's id for a first
    split."""


@dataclass(slots=True)
class Decision:
    """What an agent wants done now."""

    publish: list[KnownBody] = field(default_factory=list)
    """Bodies to stamp, sign and publish, in order."""
    start: list[Job] = field(default_factory=list)
    stop: list[JobKey] = field(default_factory=list)
    """Model calls that are no longer needed; their outcome is not reported."""
    wake_ms: int | None = None
    """When to decide again even if nothing happens."""

    def wake_at(self, ms: int) -> None:
        """Ask to decide again at `ms`, unless an earlier time has been asked for already."""
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
        """Return what to do now. Called after anything has changed."""

    def finished(self, job: Job, answer: Answer, view: View) -> Decision:
        """Handle a model's answer; return what to do now."""

    def failed(
        self, job: Job, message: str, view: View, *, retryable: bool, away: bool = False
    ) -> Decision:
        """Handle a failed model call; return what to do now.

        Args:
            job: the call.
            message: why it failed, human-readable.
            view: the view of now.
            retryable: whether the same call may succeed later or at another peer.
            away: whether the model could not be reached at all, which may soon pass.
        """

    def unkept(self, body: KnownBody, view: View) -> Decision:
        """Handle a record that this peer's own store did not keep, so no other peer will.

        The author's record limit for the goal is reached, or the record is too long. An agent that
        did the work again because of that would do so forever.
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
        """Return nothing to do; its owner sees that the record was not kept."""
        return Decision()

    def wrote(self, job: Job, characters: int) -> None:
        """Ignore it; an observer starts no calls."""

    def recovered(self) -> None:
        """Ignore it; an observer has no model."""


class Submitter(Observer):
    """Submits, cancels and attests people's votes when its owner asks for it; decides nothing."""

    role = "submitter"


class Failures:
    """Counts the failures of each job, and decides when it may be tried again."""

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
        """Return when a failed job may be tried again, in ms; None if never or not failed."""
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
        """Let jobs with tries left start at once: the model is back. Earlier tries still count."""
        for key, count in self._count.items():
            if count <= len(RETRY_AFTER_MS):
                self._retry_ms.pop(key, None)


class Mentioned:
    """Notices, each of which is published once a goal."""

    def __init__(self) -> None:
        self._said: set[tuple[bytes, str]] = set()

    def once(self, plan: Plan | None, node: bytes, code: str, text: str) -> list[KnownBody]:
        """Return a notice, or nothing if this goal has had it already or is not known."""
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
    """Return authors in an order that depends on `about` alone (rendezvous hashing).

    Every peer that sees the same authors gets the same order, and no author is favoured.
    """
    prefix = hashlib.sha256(b"".join(about)).digest()
    return sorted(authors, key=lambda author: hashlib.sha256(prefix + author).digest())


def notice(plan: Plan, node: bytes, code: str, text: str) -> Notice:
    """Return a notice about a node; the text is cut to what a record can hold."""
    return Notice(stamp=Stamp(*STAMP), goal=plan.id, node=node, code=code, text=text[:2_000])
