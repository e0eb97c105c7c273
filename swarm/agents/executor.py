"""The executor: claims ready tasks, does them, renews its leases meanwhile, and assembles parts.

Free executors agree without messages (`assignment`): each computes which executor owns a task. The
owner claims it and starts at once. The others wait a courtesy time before they claim it, and a
settle time after that to see whether their claim holds. Both are as long as a record takes to
arrive.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from swarm.agents.assignment import Ready, Table, Turn, held_before, turns
from swarm.agents.base import (
    MEET_MS,
    NO_ROOM,
    STAMP,
    Decision,
    Job,
    JobKey,
    Mentioned,
    View,
    notice,
)
from swarm.agents.briefs import (
    brief_of,
    costs_of,
    critiques_of,
    draft_of,
    drafts_of,
    judged,
    outline_of,
    place_before,
    sent_back_costs,
    sent_back_text,
    today_of,
    unkept_of,
    wishes_of,
)
from swarm.agents.changed_goals import ChangedGoals
from swarm.agents.fair_turns import Waiting
from swarm.agents.lease_renewal import Renewals, every_ms
from swarm.agents.results import result_of
from swarm.brief.part import Part
from swarm.core.clock import Stamp
from swarm.core.fold.claims import Attempt
from swarm.core.fold.node import Node
from swarm.core.fold.plan import Plan
from swarm.core.records import Claim, KnownBody, Progress, Record, Result
from swarm.core.views.english import reason_text, result_text
from swarm.llm.requests import NOTHING, Answer, AssembleRequest, DoRequest, Request, TextAnswer

SETTLE_MS = 100
"""Wait between an uncertain claim and the start of its task, in ms, until enough records
have arrived to estimate it: about twice the median delivery measured among 8 processes (45 ms)."""

LEAST_SETTLE_MS, MOST_SETTLE_MS = 30, 500
"""Bounds of that wait, in ms, once it is twice the median delay of the records that arrived. By
then an earlier claim by another executor is mostly known, and few model calls are wasted."""

COURTESY_MS = 80
"""How long a task is left to an owner that seems busy, in ms: the owner may just have become free,
with its claim on the way (45 ms). Once enough records have arrived, it is their median delay."""

MOST_COURTESY_MS = 250
"""Upper bound of the courtesy time, in ms."""

TURN_MS = 1_000
"""How long the assigned executor may take to claim before the next in rank steps in, in ms."""

MOST_TURNS = 5
"""Most turns that an executor waits, so made-up presences ahead of it cost five seconds a task."""

SURE_AFTER_MS = {"best": 2_000, "task": 2_000, "window": 250}
"""Wait before claiming after a vote that ended by time, by how it ended, in ms.

No ballot ended it, so earlier ballots may still be on their way. A fallback suggests that many
records were lost, which is repaired within a second or two; a window closes in normal operation.
"""

CROSSED_MS = 1_000
"""Wait before claiming after a vote in which an approval was moved or people approved, in ms. It is
longer than a ballot takes to arrive, so a ballot for another proposal cannot undo started work."""

MOST_CONSIDERED = 64
"""How many tasks an executor compares in one look, the first in turn: it could do no more soon, and
the cost of a look must not grow with the number of goals that strangers submit."""

AWAY_PAUSE_MS = 2_000
"""Pause before a call that lost its model is made again, in ms: time for a check of the model."""

MOST_LOSSES = 3
"""How often the calls of one claim may lose their model before the attempt is given up. A server
that restarts loses one or two calls; one that crashes on the task would lose all."""

_Turn = tuple[bytes, int, Stamp]
"""(node, attempt, since when the attempt may be claimed)."""


@dataclass(slots=True)
class _Held:
    """A task that this executor has claimed."""

    plan: Plan
    node: Node
    attempt: int
    claimed_ms: int
    renewed_ms: int
    starts_ms: int = 0
    """When the work begins if the claim still holds, in ms."""
    claim: bytes = b""
    """The claim's id, once the fold shows it."""
    started: bool = False
    losses: int = 0
    """How many of its calls lost their model."""
    loss: str = ""
    """The error of the latest such call, human-readable."""
    seen_away: bool = False
    """Whether a check has found the model gone since: then its server is restarting, and did not
    just crash on the task."""
    characters: int = 0
    """Characters written by the running call."""

    @property
    def doubtful(self) -> bool:
        """Whether the lease is not worth renewing, so that others take over soon.

        True after one loss until text arrives again, and always after a second loss.
        """
        return self.losses > 1 or (self.losses == 1 and not self.characters)


@dataclass(frozen=True, slots=True)
class _UnderWay:
    """What is being worked on in a goal."""

    plan: Plan
    holders: tuple[bytes, ...]
    """The authors of the claims that hold its tasks."""
    mine: tuple[Node, ...]
    """The tasks that this executor's claims hold."""


class Executor:
    """Decides what to claim, do and report."""

    role = "executor"

    def __init__(
        self, slots: int = 1, capabilities: tuple[str, ...] = (), settle_ms: int | None = None
    ) -> None:
        """Start idle.

        Args:
            slots: how many tasks it holds at a time.
            capabilities: what it can do beyond what every executor can.
            settle_ms: wait between an uncertain claim and the start, in ms; None: derived from how
                long records take to arrive.
        """
        self._slots = slots
        self.capabilities = frozenset(capabilities)
        self._settle_ms = settle_ms
        self._held: dict[bytes, _Held] = {}
        self._goals = ChangedGoals()
        self._waiting = Waiting[tuple[Node, Attempt]]()
        """The tasks that this executor could claim."""
        self._under_way: dict[bytes, _UnderWay] = {}
        self._holders = Counter[bytes]()
        """How many tasks each executor holds."""
        self._askers = Counter[bytes]()
        """How many tasks are held for each author of goals."""
        self._free_since: dict[bytes, dict[_Turn, int]] = {}
        """By goal, since when this executor could have claimed a task, in ms."""
        self._not_noted: dict[bytes, None] = {}
        """Goals whose tasks changed since that was noted."""
        self._began_ms: int | None = None
        self._idle_since = 0
        """When it last finished or gave up a task, in ms."""
        self._tried: set[_Turn] = set()
        """Attempts claimed before: a claim that did not count must not be repeated forever.

        An attempt that begins again because the plan changed is another attempt.
        """
        self._reported: set[bytes] = set()
        """Claims whose work it has ended; they are not begun again, even if its result is lost."""
        self._given_up: set[bytes] = set()
        """Nodes whose results from this executor are not kept: another has to do them."""
        self._renewals = Renewals()
        self._mentioned = Mentioned()

    def decide(self, view: View) -> Decision:
        """Start, renew or drop the tasks held; claim ready ones."""
        decision = Decision()
        for goal_id, plan in self._goals.take(view):
            self._look(goal_id, plan, view)
        for held in list(self._held.values()):
            self._keep_up(held, view, decision)
        if view.able:
            self._resume(view, decision)
            if len(self._held) < self._slots:
                self._claim(view, decision)
        return decision

    def wrote(self, job: Job, characters: int) -> None:
        """Note how many characters a running job has written, for the next progress record."""
        held = self._held.get(job.node)
        if held is not None:
            held.characters = characters

    def finished(self, job: Job, answer: Answer, view: View) -> Decision:
        """Publish the result."""
        self._held.pop(job.node, None)
        self._reported.add(job.subject)
        self._idle_since = view.now_ms
        if not isinstance(answer, TextAnswer):
            return Decision()
        return Decision(publish=[result_of(job, answer)])

    def failed(
        self, job: Job, message: str, view: View, *, retryable: bool, away: bool = False
    ) -> Decision:
        """Report the attempt as failed: another executor may take the next one.

        A model that is briefly away costs no attempt: the call is repeated a few times while the
        lease lasts. The lease is not renewed meanwhile.
        """
        held = self._held.get(job.node)
        if away and held is not None and held.losses + 1 < MOST_LOSSES:
            held.losses, held.loss, held.seen_away = held.losses + 1, message, False
            held.started, held.characters = False, 0
            held.starts_ms = view.now_ms + AWAY_PAUSE_MS
            return Decision(wake_ms=held.starts_ms)
        decision = Decision()
        self._give_up(job.goal, job.node, job.subject, message, view, decision)
        plan = view.store.plan(job.goal)
        if plan is not None and not retryable:
            text = f"An executor cannot work: {message}"
            decision.publish.append(notice(plan, job.node, "task-failed", text))
        return decision

    def unkept(self, body: KnownBody, view: View) -> Decision:
        """Leave the task to others, and publish a notice in case that is kept."""
        decision = Decision()
        if isinstance(body, Progress):
            self._renewals.used_up(body.goal)
        elif isinstance(body, Result):
            self._given_up.add(body.node)
            self._goals.look_again(body.goal)
            reason = "An executor's result was not kept: its room in this goal is full."
            if body.outcome == "done":
                failure = body.model_copy(
                    update={"outcome": "failed", "text": "", "reason": reason, "draft": False}
                )
                decision.publish.append(failure)
            self._mention(body.goal, body.node, reason, view, decision)
        elif isinstance(body, Claim):
            self._held.pop(body.node, None)
            text = "An executor stands idle: its claims are not kept, its room here is full."
            self._mention(body.goal, body.node, text, view, decision)
        return decision

    def _mention(self, goal: bytes, node: bytes, text: str, view: View, decision: Decision) -> None:
        plan = view.store.plan(goal)
        decision.publish += self._mentioned.once(plan, node, NO_ROOM, text)

    def recovered(self) -> None:
        """Start tasks that wait for the model; claim more once the others have been heard again.

        Their models have usually just come back too, and their latest presences still announce
        trouble.
        """
        self._began_ms = None
        for held in self._held.values():
            if held.losses and not held.started:
                held.seen_away, held.starts_ms = True, 0

    def _give_up(
        self, goal: bytes, node: bytes, claim: bytes, why: str, view: View, decision: Decision
    ) -> None:
        """Report an attempt as failed: another executor may take the next one."""
        self._held.pop(node, None)
        self._reported.add(claim)
        self._idle_since = view.now_ms
        failure = Result(
            stamp=STAMP, goal=goal, node=node, claim=claim, outcome="failed", reason=why[:2_000]
        )
        decision.publish.append(failure)

    # Held tasks.

    def _keep_up(self, held: _Held, view: View, decision: Decision) -> None:
        plan = view.store.plan(held.plan.id)
        node = plan.node(held.node.id) if plan is not None else None
        if plan is None or node is None or node.settled is not None or plan.final:
            self._drop(held, decision)
            return
        holder = node.outcome.holder
        if holder is None or holder.author != view.me:
            self._drop(held, decision)
            return
        held.claim = holder.id
        if not held.started:
            if view.now_ms < held.starts_ms:
                decision.wake_at(held.starts_ms)
                return
            if self._leave_to_others(held, plan, node, view):
                self._give_up(plan.id, node.id, holder.id, held.loss, view, decision)
                return
            if not view.able:
                return  # The lease is not renewed; the driver wakes it when its model is back.
            held.started = True
            request = request_for(plan, node)
            decision.start.append(Job(self._key(held), request, plan.id, node.id, holder.id))
        self._renew(held, plan, holder, view, decision)

    def _renew(
        self, held: _Held, plan: Plan, holder: Record, view: View, decision: Decision
    ) -> None:
        """Renew a lease that is due, within the record limit; it lasts from its last renewal."""
        renew_ms = held.renewed_ms + every_ms(plan, holder)
        if view.now_ms >= renew_ms:
            if held.doubtful:
                decision.wake_at(view.now_ms + AWAY_PAUSE_MS)
                return
            if not self._renewals.left(plan, view):
                text = "An executor renews no lease any more: it has said all it may in this goal."
                self._mention(plan.id, held.node.id, text, view, decision)
                return
            self._renewals.published(plan.id)
            note = f"{held.characters} characters written" if held.characters else "at work"
            decision.publish.append(
                Progress(stamp=STAMP, goal=plan.id, node=held.node.id, claim=holder.id, note=note)
            )
            held.renewed_ms = view.now_ms
            renew_ms = view.now_ms + every_ms(plan, holder)
        decision.wake_at(renew_ms)

    def _leave_to_others(self, held: _Held, plan: Plan, node: Node, view: View) -> bool:
        """Return whether a task that lost its model is left to other executors that can do it.

        Not after a single loss while the model is or was found gone: the task is not to blame.
        """
        # A revision has one attempt, too.
        if not held.losses or held.attempt >= plan.policy.max_attempts or node.outcome.versions:
            return False
        if held.losses == 1 and (held.seen_away or not view.able):
            return False
        regulars = view.regulars(plan, self.role)
        others = {*view.present(self.role, _needed(plan, node))}.intersection(regulars)
        return bool(others - held_before(node) - {view.me})

    def _drop(self, held: _Held, decision: Decision) -> None:
        del self._held[held.node.id]
        if held.started:
            decision.stop.append(self._key(held))

    def _key(self, held: _Held) -> JobKey:
        return ("do", held.node.id)

    def _resume(self, view: View, decision: Decision) -> None:
        """Take up its own claims that it does not hold: it was restarted."""
        mine = [work for work in self._under_way.values() if work.mine]
        for work in sorted(mine, key=lambda work: work.plan.goal.key):
            for node in work.mine:
                holder = node.outcome.holder
                if holder is None or holder.author != view.me or node.id in self._held:
                    continue
                if node.id in self._given_up or holder.id in self._reported:
                    continue
                if len(self._held) >= self._slots:
                    return
                attempt = node.outcome.attempts[-1].number
                held = _Held(work.plan, node, attempt, holder.stamp.ms, holder.stamp.ms)
                held.starts_ms = view.now_ms + self._wait_ms(view)
                self._held[node.id] = held
                self._keep_up(held, view, decision)

    # What there is to do.

    def _look(self, goal_id: bytes, plan: Plan | None, view: View) -> None:
        """Note what can be claimed in a goal, and what is under way there."""
        if (old := self._under_way.pop(goal_id, None)) is not None:
            self._count(old, -1)
        ready: list[tuple[Node, Attempt]] = []
        if plan is not None:
            held = [(node, holder) for node in plan.nodes() if (holder := node.outcome.holder)]
            if held:
                mine = tuple(node for node, holder in held if holder.author == view.me)
                work = _UnderWay(plan, tuple(holder.author for _, holder in held), mine)
                self._waiting.serve(plan.goal.author, max(claim.stamp.ms for _, claim in held))
                self._under_way[goal_id] = work
                self._count(work, 1)
            ready = [
                (node, attempt)
                for node, attempt in claimable(plan)
                if self._offers(plan, node)
                and _turn(node, attempt) not in self._tried
                and node.id not in self._given_up
            ]
        self._waiting.put(goal_id, plan, ready)
        since = self._free_since.pop(goal_id, {})
        self._not_noted.pop(goal_id, None)
        if ready:
            current = {_turn(node, attempt) for node, attempt in ready}
            self._free_since[goal_id] = {turn: ms for turn, ms in since.items() if turn in current}
            self._not_noted[goal_id] = None

    def _count(self, work: _UnderWay, by: int) -> None:
        self._askers[work.plan.goal.author] += by * len(work.holders)
        for author in work.holders:
            self._holders[author] += by
            if not self._holders[author]:
                del self._holders[author]
        if not self._askers[work.plan.goal.author]:
            del self._askers[work.plan.goal.author]

    # Claims.

    def _claim(self, view: View, decision: Decision) -> None:
        for goal_id in self._not_noted:
            since = self._free_since[goal_id]
            for node, attempt in self._waiting.of(goal_id):
                since.setdefault(_turn(node, attempt), view.now_ms)
        self._not_noted.clear()
        # All holders count, so that executors with the same records see the same order.
        open_to_all = view.open_to_newcomers(self._slots)
        only_known = len(self._held) >= open_to_all
        in_turns = view.in_turns(self._waiting, self._askers, only_known=only_known)
        ready = [(plan, *task) for plan, task in islice(in_turns, MOST_CONSIDERED)]
        if self._began_ms is None:
            self._began_ms = view.now_ms
        if ready and view.now_ms < self._began_ms + MEET_MS:
            decision.wake_at(self._began_ms + MEET_MS)
            return
        if not ready:
            return  # The next step looks at every peer: too costly while there is nothing to do.
        for turn in self._turns(ready, view):
            if len(self._held) >= self._slots:
                return
            if len(self._held) >= open_to_all and not view.is_known(turn.task[0].goal.author):
                continue
            turn_ms = self._turn_ms(turn, view)
            if view.now_ms < turn_ms:
                decision.wake_at(turn_ms)
                continue
            self._take(*turn.task, view, decision, sure=turn.owned and turn.rank == 0)

    def _offers(self, plan: Plan, node: Node) -> bool:
        """Return whether this executor has the capabilities that the goal and the task require."""
        return _needed(plan, node) <= self.capabilities

    def _turns(self, ready: Sequence[Ready], view: View) -> list[Turn]:
        tables: dict[bytes, Table] = {}
        known: set[bytes] = set()
        owners = []
        for plan, node, attempt in ready:
            table = tables.get(plan.id)
            if table is None:
                regulars = view.regulars(plan, self.role)
                if not plan.known.intersection(regulars):
                    regulars = view.with_me(plan, self.role)
                known.update(regulars)
                table = tables[plan.id] = Table(plan, regulars)
            owners.append(table.owner(node, attempt.number))
        return turns(view.me, ready, owners, self._free_executors(view), known)

    def _turn_ms(self, turn: Turn, view: View) -> int:
        """Return when this executor may claim a task, in ms."""
        plan, node, attempt = turn.task
        since_ms = max(
            self._free_since[plan.id][_turn(node, attempt)], self._idle_since, _sure_ms(node)
        )
        if view.me in held_before(node):
            since_ms = max(since_ms, attempt.again.ms + 1)
        if turn.rank == 0 and (turn.owned or turn.behind):
            return since_ms
        return since_ms + min(turn.rank, MOST_TURNS) * TURN_MS + self._courtesy_ms(view)

    def _courtesy_ms(self, view: View) -> int:
        return min(view.store.latency.typical_ms(COURTESY_MS), MOST_COURTESY_MS)

    def _wait_ms(self, view: View) -> int:
        """Return how long to wait for an earlier claim by another executor, in ms."""
        if self._settle_ms is not None:
            return self._settle_ms
        typical = view.store.latency.typical_ms(SETTLE_MS // 2)
        return max(LEAST_SETTLE_MS, min(2 * typical, MOST_SETTLE_MS))

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
        """Claim a task; start it after the settle time, or at once if `sure` that it is its own."""
        held = _Held(plan, node, attempt.number, view.now_ms, view.now_ms)
        held.starts_ms = view.now_ms + (0 if sure else self._wait_ms(view))
        self._held[node.id] = held
        self._tried.add(_turn(node, attempt))
        self._goals.look_again(plan.id)
        decision.publish.append(
            Claim(stamp=STAMP, goal=plan.id, node=node.id, attempt=attempt.number)
        )
        decision.wake_at(held.starts_ms)

    def _free_executors(self, view: View) -> list[bytes]:
        present = view.present(self.role)
        return sorted({*(author for author in present if author not in self._holders), view.me})


def claimable(plan: Plan) -> Iterator[tuple[Node, Attempt]]:
    """Yield a plan's tasks that can be claimed now, with their open attempt."""
    for node in plan.nodes():
        if node.ready is None or node.settled is not None:
            continue
        attempt = node.outcome.free
        if attempt is not None:
            yield node, attempt


def _needed(plan: Plan, node: Node) -> set[str]:
    """Return the capabilities that a task requires of its executor."""
    return {*plan.policy.capabilities, node.part.capability} - {""}


def _turn(node: Node, attempt: Attempt) -> _Turn:
    return node.id, attempt.number, attempt.start


def _sure_ms(node: Node) -> int:
    """Return when late ballots can no longer undo the decisions that led to a node, in ms."""
    sure_ms = 0
    at: Node | None = node
    while at is not None:
        if at.decision is not None:
            wait_ms = CROSSED_MS if at.decision.crossable else SURE_AFTER_MS.get(at.decision.how, 0)
            sure_ms = max(sure_ms, at.decision.stamp.ms + wait_ms)
        at = at.parent
    return sure_ms


def request_for(plan: Plan, node: Node) -> Request:
    """Return the model request that settles a node: do its task, or assemble its parts."""
    if node.children:
        reviewed, denied = judged(node) if node.parent is None else (frozenset(), frozenset())
        return AssembleRequest(
            goal=plan.body.text,
            title=node.title,
            detail=node.part.detail,
            language=plan.body.language,
            parts=tuple(
                (child.title, text) for child in node.children if (text := result_text(child, 3))
            ),
            missing=tuple(
                (child.title, reason_text(plan.reason_of(child)))
                for child in node.children
                if child.settled_as == "failed"
            ),
            brief=brief_of(plan) if node.parent is None else NOTHING,
            outline=outline_of(node),
            costs=tuple((child.title, costs_of(child)) for child in node.children),
            drafts=drafts_of(node),
            reviewed=reviewed,
            denied=denied,
        )
    return DoRequest(
        goal=plan.body.text,
        title=node.title,
        detail=node.part.detail,
        language=plan.body.language,
        inputs=tuple(
            (other.title, text) for other in node.waits_for if (text := result_text(other, 3))
        ),
        brief=brief_of(plan),
        part=None if node.parent is None else Part.of(node.part),
        outline=() if node.parent is None else outline_of(node.parent),
        place_before=place_before(node),
        wishes=wishes_of(node),
        earlier=sent_back_text(node) or draft_of(node),
        earlier_costs=sent_back_costs(node),
        critiques=critiques_of(node),
        unkept=unkept_of(node),
        today=today_of(plan),
    )
