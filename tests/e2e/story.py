"""A run of a swarm under random faults, and the guarantees that must hold at its end.

`test_chaos` runs it as a test, `benchmarks/chaos` measures it. The goals are those that break naive
swarms: a single word, ten thousand characters, scripts that models and terminals mishandle, the
same text twice, one that is cancelled halfway.
"""

from __future__ import annotations

import random
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import trio

from swarm.core.policy import SECOND, Policy
from swarm.core.records import decode
from swarm.core.views.english import reason_text
from swarm.peer.peer import Peer
from swarm.peer.settings import PeerSettings
from tests.e2e.chaos import Chaos
from tests.e2e.processes import SWARM, Processes, scripted_ollama
from tests.e2e.talkers import Talker, talkers
from tests.e2e.waiting import until

ROLES = {"decomposer": 3, "scorer": 3, "executor": 3}
"""With the submitter these are ten peers."""

POLICY = Policy(
    max_depth=1,
    max_children=5,
    lease_ms=3 * SECOND,
    revote_ms=3 * SECOND,
    patience_ms=15 * SECOND,
    deadline_ms=30 * SECOND,
)
"""Short times, so that the effects of a fault are over within the test."""

TOGETHER_SECONDS = 60
"""Seconds until all peers have all records after the last fault: a few on an idle machine."""

TELL_SECONDS = 4
MOST_TOLD = 4
"""Seconds between two timeline lines about missing records, and how many records they list."""

HEARD_SECONDS = 90
"""Seconds until a new submitter has heard every peer: longer than a stale presence lasts."""

GOALS = (
    ("Holiday", "en"),
    ("جاپان کے دو ہفتے کے سفر کا منصوبہ بنائیں", "ur"),
    ("Plan a village concert", "en"),
    ("दो सप्ताह की जापान यात्रा की योजना बनाइए", "hi"),
    ("Plan a village concert", "en"),
    ("জাপানে দুই সপ্তাহের ভ্রমণের পরিকল্পনা করুন", "bn"),
    (("Plan a school fair with many stalls. " * 300)[:10_000], "en"),
    ("Rancang perjalanan dua minggu ke Jepun", "ms"),
    ("Plan a two week trip to Japan", "en"),
)


@asynccontextmanager
async def watching(group: Processes) -> AsyncIterator[Peer]:
    """Run a listener in this process."""
    peer = Peer(
        PeerSettings(role="observer", swarm=SWARM, mdns=False, runtime_dir=group.runtime_dir)
    )
    async with trio.open_nursery() as nursery:
        await nursery.start(peer.run)
        yield peer
        nursery.cancel_scope.cancel()


def talker_options(group: Processes, name: str) -> dict[str, Any]:
    return {
        "role": "submitter",
        "name": name,
        "swarm": SWARM,
        "mdns": False,
        "runtime_dir": str(group.runtime_dir),
        "state_dir": str(group.state_dir(name)),
    }


async def ask_for_plans(
    chaos: Chaos, talker: Talker, count: int, seconds: float, goals: dict[str, int]
) -> None:
    """Submit goals over some seconds; cancel one; then kill the submitter."""
    rng = random.Random(chaos.seed + 1)
    for number in range(count):
        text, language = GOALS[number % len(GOALS)]
        goal = await talker.submit(text, POLICY, language)
        goals[goal] = len(text)
        chaos.note(f"goal {goal[:8]} of {len(text)} characters, language {language}")
        if number == 2:
            await trio.sleep(1)
            await talker.ask("cancel", goal=goal)
            chaos.note(f"goal {goal[:8]} cancelled")
        await trio.sleep(rng.uniform(0.5, 1.5) * seconds / count)
    await trio.sleep(1)
    talker.kill()
    chaos.note("the submitter is killed and stays down")


@dataclass
class Outcome:
    """The outcome of a run.

    Attributes:
        seed: decides the faults.
        goals: how many were submitted.
        faults: how many were injected.
        states: final states of the goals.
        ended_seconds: from the last fault until every goal had ended.
        together_seconds: from then until every peer had every record.
        records: how many were published in total.
        timeline: every event, one line each.
    """

    seed: int
    goals: int = 0
    faults: int = 0
    states: list[str] = field(default_factory=list)
    ended_seconds: float = 0.0
    together_seconds: float = 0.0
    records: int = 0
    timeline: list[str] = field(default_factory=list)


async def rage(folder: Path, seed: int, seconds: float, goals_in_all: int) -> Outcome:
    """Run everything, check the guarantees, and return the outcome.

    Raises:
        AssertionError: a guarantee was broken; its notes have the seed and the timeline.
    """
    with scripted_ollama("--latency", "0.2") as url:
        group = Processes(folder, url)
        chaos = Chaos(group, seed, long_stops=seconds > 60)
        outcome = Outcome(seed, timeline=chaos.timeline)
        try:
            with chaos.told():
                await story(chaos, seconds, goals_in_all, outcome)
        finally:
            await trio.to_thread.run_sync(group.stop)
    return outcome


async def story(chaos: Chaos, seconds: float, goals_in_all: int, outcome: Outcome) -> None:
    """Start ten peers, inject faults while goals arrive, heal, and check."""
    group = chaos.group
    chaos.start(ROLES)
    goals: dict[str, int] = {}
    rounds = max(1, round(seconds / 60))
    async with watching(group) as peer:
        for number in range(1, rounds + 1):
            options = talker_options(group, f"submitter-{number}")
            async with talkers([options], log=group.folder / "talkers.log") as (talker,):
                await talker.until(
                    lambda s: all(s["roles"].get(r, 0) >= n for r, n in ROLES.items()),
                    "the submitter has heard every peer",
                    seconds=HEARD_SECONDS,
                )
                chaos.note(f"everyone is there; round {number} of {rounds}")
                async with trio.open_nursery() as nursery:
                    nursery.start_soon(
                        ask_for_plans,
                        chaos,
                        talker,
                        -(-goals_in_all // rounds),
                        0.8 * seconds / rounds,
                        goals,
                    )
                    await chaos.rage(seconds / rounds, away=["scorer"])
        chaos.note("all peers are up; no more faults")
        outcome.goals, outcome.faults = len(goals), chaos.faults
        healed = trio.current_time()
        await every_goal_ends(peer, goals)
        outcome.ended_seconds = trio.current_time() - healed
        outcome.states = [plan.state for plan in peer.store.plans()]
        chaos.note(f"every goal has ended: {outcome.states}")
        for plan in peer.store.plans():
            chaos.note(f"goal {plan.id.hex()[:8]} is {plan.state}: {reason_text(plan.reason)}")
        outcome.records = await nothing_is_lost(chaos, peer)
        outcome.together_seconds = trio.current_time() - healed - outcome.ended_seconds
        chaos.note(f"everyone has all {outcome.records} records")
        await one_digest(group, peer, goals)
    no_peer_broke(group)


async def every_goal_ends(peer: Peer, goals: dict[str, int]) -> None:
    ids = [bytes.fromhex(goal) for goal in goals]

    def open_ones() -> list[str]:
        plans = {plan.id: plan for plan in peer.store.plans()}
        return [i.hex()[:8] for i in ids if i not in plans or not plans[i].final]

    limit = POLICY.deadline_ms / SECOND + TOGETHER_SECONDS
    try:
        await until(lambda: not open_ones(), "every goal has ended", limit)
    except AssertionError as error:
        raise AssertionError(f"{error}; open: {open_ones()}") from error
    for goal in ids:
        plan = peer.store.plan(goal)
        assert plan is not None
        assert plan.state in ("done", "partial", "failed", "cancelled")
        assert plan.state == "done" or reason_text(plan.reason), (
            f"{goal.hex()[:8]} is {plan.state} without a reason"
        )
        ended = plan.root.settled.ms if plan.root.settled else plan.cutoff.ms
        assert ended <= plan.goal.stamp.ms + plan.policy.deadline_ms


async def nothing_is_lost(chaos: Chaos, peer: Peer) -> int:
    """Check that every survivor and the listener have every record that left its author.

    Returns:
        How many records there are.
    """
    group = chaos.group
    names = sorted(group.running)
    submitters = [path.name for path in group.folder.glob("submitter-*") if path.is_dir()]
    published = set(chaos.heard).union(*(group.records(name) for name in submitters))

    def on_disks() -> dict[str, set[bytes]]:
        return {name: set(group.records(name)) for name in names}

    missing: dict[str, int] = {}
    tell_at = trio.current_time() + TELL_SECONDS
    with trio.move_on_after(TOGETHER_SECONDS):
        while True:
            sets = await trio.to_thread.run_sync(on_disks)
            sets["listener"] = {rid for goal in peer.store.goals() for rid in peer.store.ids(goal)}
            published.update(*sets.values())
            missing = {name: len(published - held) for name, held in sets.items()}
            if not any(missing.values()):
                break
            if trio.current_time() > tell_at:
                tell_at = trio.current_time() + TELL_SECONDS
                lacking = {name: count for name, count in missing.items() if count}
                lost = set().union(*(published - held for held in sets.values()))
                some = [what_is(group, peer, rid) for rid in sorted(lost)[:MOST_TOLD]]
                chaos.note(f"still missing: {lacking}; {some}")
            await trio.sleep(0.5)
    if any(missing.values()):
        lost = set().union(*(published - set(group.records(name)) for name in names))
        lost |= published - {rid for goal in peer.store.goals() for rid in peer.store.ids(goal)}
        story = [what_is(group, peer, rid) for rid in lost]
        raise AssertionError(f"not everyone has everything; missing: {missing}; {story}")
    return len(published)


def what_is(group: Processes, peer: Peer, rid: bytes) -> str:
    """Describe a record that some peer has: kind, goal, author, age, and where it is."""
    held = [name for name in sorted(group.running) if rid in group.records(name)]
    raw = group.records(held[0])[rid] if held else peer.store.raw(rid)
    if raw is None:
        return f"{rid.hex()[:8]}, only on a disk that was lost"
    record = decode(raw)
    folders = [path.parent for path in group.folder.glob("*/identity.key")]
    author = next((f.name for f in folders if group.author(f.name) == record.author), "a stranger")
    where = ", ".join(held) + (", the listener" if rid in peer.store else "")
    age = (peer.now() - record.stamp.ms) / SECOND
    goal = (record.goal_id or b"").hex()[:8]
    return f"{record.body.kind} of {goal} by {author}, {age:.0f} s old, at {where}"


async def one_digest(group: Processes, peer: Peer, goals: dict[str, int]) -> None:
    """Check that the records on every survivor's disk fold to the listener's plan."""
    now = peer.now()
    peer.store.advance(now)
    for name in sorted(group.running):
        replica = await trio.to_thread.run_sync(group.replica, name)
        replica.advance(now)
        for goal in goals:
            plan, mine = replica.plan(bytes.fromhex(goal)), peer.store.plan(bytes.fromhex(goal))
            assert plan is not None
            assert mine is not None
            assert plan.digest == mine.digest, f"{name} sees another plan of {goal[:8]}"


def no_peer_broke(group: Processes) -> None:
    """Check that no peer logged an internal error."""
    for log in sorted(group.folder.glob("*.log")):
        found = re.search(r"Traceback|decision_failed|call_broke|host_failed|callback_failed",
            log.read_text(errors="replace"))  # fmt: skip
        assert found is None, f"{log.name} has {found.group() if found else ''}"
