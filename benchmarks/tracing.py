"""Read the traces of peers at debug level, and follow one plan back through them: where time went.

A peer's debug log has the times at which it published and received each record and frame, and at
which its model calls ran. All peers are on one machine, so they share a clock. `critical_path`
begins at the end of a plan and goes from each record to the one that its author was waiting for,
back to the goal; the pieces add up to the whole time.
"""

from __future__ import annotations

import bisect
import datetime
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.report import Span
from swarm.core.records import Ballot, Claim, Goal, Proposal, Record, Result

COMPANY = "outbox: waiting for company"
WIRE = "gossip: sent to arrived"
TAKING_IN = "queue, verify, fold"
DECIDING = "deciding, signing"
TURN = "claim: courtesy and turn"
SETTLE = "claim: settling"
MODEL = "model call"
NOTICING = "noticing the end"


@dataclass(slots=True)
class Trace:
    """What one peer did, in seconds since the epoch."""

    name: str
    said: dict[str, float] = field(default_factory=dict)
    """When a record was published, by the first 16 digits of its id."""
    heard: dict[str, float] = field(default_factory=dict)
    """When a record was first stored."""
    cost: dict[str, float] = field(default_factory=dict)
    """Seconds that verifying and folding took, by received record."""
    sign_s: dict[str, float] = field(default_factory=dict)
    fold_s: dict[str, float] = field(default_factory=dict)
    """Seconds that signing and folding took, by published record."""
    frames_said: list[float] = field(default_factory=list)
    frames_heard: list[float] = field(default_factory=list)
    calls: list[tuple[float, float]] = field(default_factory=list)
    """Begin and end of each model call."""

    def knew(self, record: Record) -> float | None:
        """Return when this peer first had a record."""
        digits = record.id.hex()[:16]
        times = [at for at in (self.said.get(digits), self.heard.get(digits)) if at is not None]
        return min(times, default=None)


def read_log(name: str, path: Path) -> Trace:
    """Read a peer's log of JSON lines; skip lines that are not JSON."""
    events = []
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
        if line.startswith("{"):
            events.append(json.loads(line))
    return from_events(name, events)


def from_events(name: str, events: Iterable[Mapping[str, Any]]) -> Trace:
    """Sort a peer's events into a trace."""
    trace = Trace(name)
    running: dict[tuple[str, str], float] = {}
    for event in events:
        at = datetime.datetime.fromisoformat(str(event["timestamp"])).timestamp()
        match event["event"]:
            case "record_published":
                trace.said[event["id"]] = at
                trace.sign_s[event["id"]] = event["sign_s"]
                trace.fold_s[event["id"]] = event["fold_s"]
            case "record_received" if event["outcome"] == "new":
                trace.heard.setdefault(event["id"], at)
                trace.cost.setdefault(event["id"], event["take_s"])
            case "frame_published" if event["records"]:
                trace.frames_said.append(at)
            case "frame_received":
                trace.frames_heard.append(at)
            case "call_started":
                running[(event["job"], event["node"])] = at
            case "call_ended":
                begun = running.pop((event["job"], event.get("node", "")), None)
                if begun is None and running:
                    begun = running.pop(next(iter(running)))
                if begun is not None:
                    trace.calls.append((begun, at))
    return trace


@dataclass(frozen=True, slots=True)
class Plan:
    """One finished plan, and what was traced meanwhile.

    Attributes:
        records: All of its records.
        traces: What each author did, by key.
        asker: The key of the submitter.
        ended: When the submitter saw the end, in seconds since the epoch.
    """

    records: list[Record]
    traces: Mapping[bytes, Trace]
    asker: bytes
    ended: float

    @property
    def began(self) -> float:
        """When the goal was published."""
        goal = next(record for record in self.records if isinstance(record.body, Goal))
        return self.traces[self.asker].said[goal.id.hex()[:16]]


def critical_path(plan: Plan) -> list[Span]:
    """Return the waits that make up the plan's duration, in order, in seconds from its start.

    The row of each span is the name of the peer that waited, or whose record was on its way.
    """
    results = [record for record in plan.records if isinstance(record.body, Result)]
    asker = plan.traces[plan.asker]
    last = max(results, key=lambda record: record.stamp)
    spans = [*_transit(last, plan.traces[last.author], asker)]
    noticed = asker.knew(last) or plan.ended
    spans.append(Span(asker.name, noticed, plan.ended, NOTICING))
    at: Record | None = last
    while at is not None and not isinstance(at.body, Goal):
        trace = plan.traces[at.author]
        cause = _cause(at, trace, plan.records)
        said = trace.said[at.id.hex()[:16]]
        if cause is None:
            break
        spans = [
            *_transit(cause, plan.traces[cause.author], trace),
            *_reaction(at, trace, trace.knew(cause) or said, said),
            *spans,
        ]
        at = cause
    zero = plan.began
    return [
        Span(span.row, span.begin - zero, span.end - zero, span.kind)
        for span in spans
        if span.end > span.begin
    ]


def _cause(record: Record, trace: Trace, records: list[Record]) -> Record | None:
    """Return what a record's author was waiting for: the last prerequisite that it learnt of."""
    body = record.body
    said = trace.said[record.id.hex()[:16]]
    if isinstance(body, Result):
        wanted = [other for other in records if other.id == body.claim]
    elif isinstance(body, Claim):
        wanted = [other for other in records if isinstance(other.body, Ballot | Result)]
    elif isinstance(body, Ballot):
        wanted = [other for other in records if isinstance(other.body, Proposal)]
    else:
        wanted = [other for other in records if isinstance(other.body, Goal)]
    known = [(at, other) for other in wanted if (at := trace.knew(other)) is not None and at < said]
    return max(known, key=lambda pair: pair[0], default=(0.0, None))[1]


def _transit(record: Record, sender: Trace, receiver: Trace) -> list[Span]:
    """Return a record's way from its publication until another peer has it."""
    if sender is receiver:
        return []
    said, known = sender.said[record.id.hex()[:16]], receiver.knew(record)
    if known is None:
        return []
    sent = _first_after(sender.frames_said, said, known)
    arrived = max(sent, _last_before(receiver.frames_heard, known, sent))
    return [
        Span(sender.name, said, sent, COMPANY),
        Span(sender.name, sent, arrived, WIRE),
        Span(receiver.name, arrived, known, TAKING_IN),
    ]


def _reaction(record: Record, trace: Trace, since: float, said: float) -> list[Span]:
    """Return what an author did between learning what it waited for and publishing its record."""
    rest = TURN if isinstance(record.body, Claim) else DECIDING
    calls = sorted((b, e) for b, e in trace.calls if e > since and b < said)
    spans, at = [], since
    for begin, end in calls:
        first = SETTLE if isinstance(record.body, Result) else rest
        spans.append(Span(trace.name, at, max(at, begin), first))
        spans.append(Span(trace.name, max(at, begin), min(end, said), MODEL))
        at = max(at, min(end, said))
    spans.append(Span(trace.name, at, said, rest))
    return spans


def _first_after(times: list[float], at: float, most: float) -> float:
    index = bisect.bisect_left(times, at)
    return min(times[index], most) if index < len(times) else most


def _last_before(times: list[float], at: float, least: float) -> float:
    index = bisect.bisect_right(times, at)
    return max(times[index - 1], least) if index else least


def busy(plan: Plan) -> list[Span]:
    """Return what each peer did while a plan was made, in seconds from its start."""
    zero, spans = plan.began, []
    for trace in plan.traces.values():
        spans += [
            Span(trace.name, begin - zero, end - zero, MODEL)
            for begin, end in trace.calls
            if zero <= begin <= plan.ended
        ]
        spans += [
            Span(trace.name, at - trace.cost[digits] - zero, at - zero, "verify and fold")
            for digits, at in trace.heard.items()
            if zero <= at <= plan.ended
        ]
        spans += [
            Span(trace.name, at - trace.sign_s[digits] - trace.fold_s[digits] - zero, at - zero, s)
            for digits, at in trace.said.items()
            if zero <= at <= plan.ended
            for s in ("sign and fold",)
        ]
    return spans
