"""The executor: claims what is ready, does it, renews its lease meanwhile, puts parts together.

Free executors agree without talking: all compute the same assignment of ready tasks to free
executors (a rendezvous hash), so that claims seldom collide; who is not assigned steps in only
after a while. Whoever would have a task if all were free claims it and starts at once. Others leave
it that moment of courtesy, and after their claim wait a settle time to see whether it holds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from swarm.agents.base import (
    STAMP,
    Decision,
    Job,
    JobKey,
    View,
    notice,
    shuffled,
)
from swarm.core.clock import Stamp
from swarm.core.plan import Node, Plan
from swarm.core.records import Claim, Progress, Result, fit_result
from swarm.core.view import text_of
from swarm.core.work import Attempt, again_from
from swarm.llm.work import Answer, AssembleRequest, DoRequest, Request, TextAnswer

SETTLE_MS = 100
"""Wait between a claim and starting on it, in ms, for whoever is not sure of it.

Twice the median delivery measured among 8 processes (45 ms, p99 136 ms): an earlier claim by
another is mostly known by then, and few model calls are wasted.
"""

COURTESY_MS = 80
"""How long a task is left to the executor that would have it if all were free, in ms: it may have
become free this very moment, and its claim be on the way (45 ms)."""

TURN_MS = 1_000
"""How long the assigned executor may take to claim before the next in rank steps in, in ms."""

FALLBACK_MS = 2_000
"""Wait before claiming under a vote that ended by its fallback, in ms.

No ballot ended it but the time, so ballots stamped before may still be on their way; what gossip
lost is repaired within a second or two.
"""

RENEWALS = 3
"""Renewals per lease: two may be lost before the task is taken over."""


_Turn = tuple[bytes, int, Stamp]
"""(node, attempt, since when it may be claimed)."""


@dataclass(slots=True)
class _Held:
    """A task this executor claimed."""

    plan: Plan
    node: Node
    attempt: int
    claimed_ms: int
    renewed_ms: int
    starts_ms: int = 0
    """When the work begins, if the claim still holds."""
    claim: bytes = b""
    """The claim's id, once the fold shows it."""
    started: bool = False
    characters: int = 0


class Executor:
    """Decides what to claim, do and report."""

    role = "executor"

    def __init__(
        self, slots: int = 1, capabilities: tuple[str, ...] = (), settle_ms: int = SETTLE_MS
    ) -> None:
        """Start idle.

        Args:
            slots: tasks at a time.
            capabilities: what it can do besides what anyone can.
            settle_ms: wait between claim and start, in ms.
        """
        self._slots = slots
        self._capabilities = frozenset(capabilities)
        self._settle_ms = settle_ms
        self._held: dict[bytes, _Held] = {}
        self._free_since: dict[_Turn, int] = {}
        self._idle_since = 0
        """When it last ended something."""
        self._tried: set[_Turn] = set()
        """Attempts claimed before: a claim that did not count must not be repeated for ever.

        An attempt that begins anew, because the plan came out otherwise, is another one.
        """

    def decide(self, view: View) -> Decision:
        """Keep up what is held; claim what is ready."""
        decision = Decision()
        for held in list(self._held.values()):
            self._keep_up(held, view, decision)
        if view.able:
            self._resume(view, decision)
            if len(self._held) < self._slots:
                self._claim(view, decision)
        return decision

    def wrote(self, job: Job, characters: int) -> None:
        """Note how much a running job has written, for the next progress record."""
        held = self._held.get(job.node)
        if held is not None:
            held.characters = characters

    def finished(self, job: Job, answer: Answer, view: View) -> Decision:
        """Publish the result."""
        self._held.pop(job.node, None)
        self._idle_since = view.now_ms
        if not isinstance(answer, TextAnswer):
            return Decision()
        return Decision(
            publish=[
                Result(
                    stamp=STAMP,
                    goal=job.goal,
                    node=job.node,
                    claim=job.subject,
                    outcome="done",
                    text=fit_result(answer.text),
                    draft=answer.draft,
                )
            ]
        )

    def failed(self, job: Job, message: str, view: View, *, retryable: bool) -> Decision:
        """Report the attempt as failed: another executor may take the next one."""
        self._held.pop(job.node, None)
        self._idle_since = view.now_ms
        decision = Decision(
            publish=[
                Result(
                    stamp=STAMP,
                    goal=job.goal,
                    node=job.node,
                    claim=job.subject,
                    outcome="failed",
                    reason=message[:2_000],
                )
            ]
        )
        plan = view.store.plan(job.goal)
        if plan is not None and not retryable:
            text = f"An executor cannot work: {message}"
            decision.publish.append(notice(plan, job.node, "task-failed", text))
        return decision

    def recovered(self) -> None:
        """Nothing to forget: attempts are counted by the plan."""

    # What it holds.

    def _keep_up(self, held: _Held, view: View, decision: Decision) -> None:
        plan = view.store.plan(held.plan.id)
        node = plan.node(held.node.id) if plan is not None else None
        if plan is None or node is None or node.settled is not None or plan.final:
            self._let_go(held, decision)
            return
        holder = node.outcome.holder
        if holder is None or holder.author != view.me:
            self._let_go(held, decision)
            return
        held.claim = holder.id
        if not held.started:
            if view.now_ms < held.starts_ms:
                decision.wake_at(held.starts_ms)
                return
            held.started = True
            request = request_for(plan, node)
            decision.start.append(Job(self._key(held), request, plan.id, node.id, holder.id))
        renew_ms = held.renewed_ms + plan.policy.lease_ms // RENEWALS
        if view.now_ms >= renew_ms:
            note = f"{held.characters} characters written" if held.characters else "at work"
            decision.publish.append(
                Progress(stamp=STAMP, goal=plan.id, node=node.id, claim=holder.id, note=note)
            )
            held.renewed_ms = view.now_ms
            renew_ms = view.now_ms + plan.policy.lease_ms // RENEWALS
        decision.wake_at(renew_ms)

    def _let_go(self, held: _Held, decision: Decision) -> None:
        del self._held[held.node.id]
        if held.started:
            decision.stop.append(self._key(held))

    def _key(self, held: _Held) -> JobKey:
        return ("do", held.node.id)

    def _resume(self, view: View, decision: Decision) -> None:
        """Take up claims of its own that it does not know of: it was restarted."""
        for plan in view.live():
            for node in plan.nodes():
                holder = node.outcome.holder
                if holder is None or holder.author != view.me or node.id in self._held:
                    continue
                if len(self._held) >= self._slots:
                    return
                attempt = node.outcome.attempts[-1].number
                held = _Held(plan, node, attempt, holder.stamp.ms, holder.stamp.ms)
                held.starts_ms = view.now_ms + self._settle_ms
                self._held[node.id] = held
                self._keep_up(held, view, decision)

    # What it claims.

    def _claim(self, view: View, decision: Decision) -> None:
        ready = [
            (plan, node, attempt)
            for plan, node, attempt in claimable(view)
            if (not node.part.capability or node.part.capability in self._capabilities)
            and _turn(node, attempt) not in self._tried
        ]
        current = {_turn(node, attempt) for _, node, attempt in ready}
        self._free_since = {key: self._free_since.get(key, view.now_ms) for key in current}
        if not ready:
            return  # Who is free takes a look at every peer: not while there is nothing to do.
        free = self._free_executors(view)
        alone = free == [view.me]
        if alone:
            ready = _preferred(ready, view.with_me(self.role), view.me)
        for plan, node, attempt in ready:
            if len(self._held) >= self._slots:
                return
            order = shuffled(free, node.id, bytes([attempt.number]))
            if not order:
                return
            held_before = _held_before(node)
            order.sort(key=lambda author: author in held_before)
            rank = order.index(view.me) if view.me in order else len(order)
            owned = _owner(node, attempt, view) == view.me
            since_ms = max(self._free_since[_turn(node, attempt)], self._idle_since)
            turn_ms = since_ms + rank * TURN_MS + (0 if owned else COURTESY_MS)
            if view.now_ms < (sure_ms := _sure_ms(node)):
                decision.wake_at(sure_ms)
                continue
            if view.me in held_before:
                again_ms = again_from(attempt.start, plan.policy).ms + 1
                if view.now_ms < again_ms:
                    decision.wake_at(again_ms)
                    continue
            if view.now_ms >= turn_ms:
                self._take(plan, node, attempt, view, decision, sure=owned and rank == 0)
            else:
                decision.wake_at(turn_ms)
            free.remove(order[0])

    def _take(
        self,
        plan: Plan,
        node: Node,
        attempt: Attempt,
        view: View,
        decision: Decision,
        *,
        sure: bool,
    ) -> None:
        """Claim a task; start on it after the settle time, or at once if nobody else should."""
        held = _Held(plan, node, attempt.number, view.now_ms, view.now_ms)
        held.starts_ms = view.now_ms + (0 if sure else self._settle_ms)
        self._held[node.id] = held
        self._tried.add(_turn(node, attempt))
        decision.publish.append(
            Claim(stamp=STAMP, goal=plan.id, node=node.id, attempt=attempt.number)
        )
        decision.wake_at(held.starts_ms)

    def _free_executors(self, view: View) -> list[bytes]:
        busy = {
            node.outcome.holder.author
            for plan in view.live()
            for node in plan.nodes()
            if node.outcome.holder is not None
        }
        free = [a for a in view.with_me(self.role) if a not in busy]
        return sorted({*free, view.me})


def claimable(view: View) -> Iterator[tuple[Plan, Node, Attempt]]:
    """Yield what can be claimed now, with the open attempt, in the order of the plans."""
    for plan in view.live():
        for node in plan.nodes():
            if node.ready is None or node.settled is not None:
                continue
            attempt = node.outcome.attempt
            if attempt is not None and attempt.holder is None:
                yield plan, node, attempt


_Ready = tuple[Plan, Node, Attempt]


def _owner(node: Node, attempt: Attempt, view: View) -> bytes:
    """Return whose a task would be if all executors that are present were free."""
    return shuffled(view.with_me(Executor.role), node.id, bytes([attempt.number]))[0]


def _preferred(ready: Sequence[_Ready], everyone: list[bytes], me: bytes) -> list[_Ready]:
    """Return what to take first when all others are busy: one's own, then others' from the end.

    Two executors that become free in the same moment each still see the other busy. Were both to
    take the first task, one of them would lose the race.
    """
    own = [
        item for item in ready if shuffled(everyone, item[1].id, bytes([item[2].number]))[0] == me
    ]
    others = [item for item in ready if item not in own]
    return own + others[::-1]


def _turn(node: Node, attempt: Attempt) -> _Turn:
    return node.id, attempt.number, attempt.start


def _sure_ms(node: Node) -> int:
    """Return from when on no ballot on its way may undo how a node came to be, in ms."""
    sure_ms = 0
    at: Node | None = node
    while at is not None:
        if at.decision is not None and at.decision.how in ("best", "task"):
            sure_ms = max(sure_ms, at.decision.stamp.ms + FALLBACK_MS)
        at = at.parent
    return sure_ms


def _held_before(node: Node) -> set[bytes]:
    return {
        attempt.holder.author
        for attempt in node.outcome.attempts
        if attempt.ended and attempt.holder is not None
    }


def request_for(plan: Plan, node: Node) -> Request:
    """Return what to ask a model in order to settle a node: do it, or put its parts together."""
    if node.children:
        return AssembleRequest(
            goal=plan.body.text,
            title=node.title,
            detail=node.part.detail,
            language=plan.body.language,
            parts=tuple(
                (child.title, text) for child in node.children if (text := text_of(child, 3))
            ),
            missing=tuple(
                (child.title, child.reason)
                for child in node.children
                if child.settled_as == "failed"
            ),
        )
    return DoRequest(
        goal=plan.body.text,
        title=node.title,
        detail=node.part.detail,
        language=plan.body.language,
        inputs=tuple(
            (other.title, text) for other in node.waits_for if (text := text_of(other, 3))
        ),
    )
