"""Submitting a goal and following its plan to the end, for `swarm up GOAL` and `swarm submit`."""

from __future__ import annotations

import shlex
from collections.abc import Callable

import click
import trio

from swarm.cli import session
from swarm.cli.absence_hint import AbsenceHint
from swarm.cli.clock_hint import ClockHint
from swarm.cli.options import is_text
from swarm.cli.views import output
from swarm.cli.views.live import GATHER_SECONDS, TICK_SECONDS, Follower
from swarm.console.errors import FAILED, OK, USAGE, CommandError
from swarm.console.text import one_line
from swarm.core.fold.plan import Plan
from swarm.core.policy import Policy
from swarm.core.records import MAX_GOAL_TEXT
from swarm.core.views.english import lack_text
from swarm.core.views.plan_view import PlanView
from swarm.core.views.waiting import (
    WRONG_CLOCK,
    Lack,
    NoneAble,
    NoneHere,
    NotOffered,
    lacks,
    role_of,
)
from swarm.peer.peer import Peer

GOOD = ("done", "partial")
"""States of a plan that count as success."""


def check(text: str) -> None:
    """Check that a text can be a goal, before anything is started for it.

    Raises:
        CommandError: it cannot be a goal (exit code 2).
    """
    if not text.strip():
        raise CommandError(
            "The goal is empty. Describe in a sentence what to plan.", exit_code=USAGE
        )
    if not is_text(text):
        raise CommandError(
            "The goal is not text: some of its bytes are not UTF-8. Type it again, or convert it "
            "(iconv -t UTF-8).",
            exit_code=USAGE,
        )
    if len(text.strip()) > MAX_GOAL_TEXT:
        raise CommandError(
            f"The goal has {len(text.strip()):,} characters; at most {MAX_GOAL_TEXT:,} are "
            "allowed.",
            exit_code=USAGE,
        )


def submit(peer: Peer, text: str, policy: Policy, language: str = "") -> bytes:
    """Publish a goal and return its id.

    Raises:
        CommandError: the text cannot be a goal (exit code 2).
    """
    try:
        return peer.submit(text, policy=policy, language=language)
    except ValueError as error:
        raise CommandError(str(error), exit_code=USAGE) from None


def absent(peer: Peer, plan: Plan) -> list[str]:
    """Return lines about who is missing for a plan and peers that cannot work; empty: all is well.

    Args:
        peer: the peer whose view of the swarm is used.
        plan: a plan that it holds.
    """
    lines = [
        _absent_line(lack)
        for lack in lacks(plan, peer.heard())
        # `clock_hint` tells of clocks, and what to do about them.
        if not (isinstance(lack, NoneAble) and lack.trouble == WRONG_CLOCK)
    ]
    troubles = (f"{view.name}: {view.trouble}" for view in peer.peers() if view.trouble)
    return [*lines, *(one_line(trouble, 300) for trouble in troubles)]


def _absent_line(lack: Lack) -> str:
    """Return what is missing, and the command that helps."""
    start = f"swarm peer {role_of(lack)}"
    match lack:
        case NoneHere(role):
            return f"The swarm has no {role} yet; the plan waits for one. Start one: {start}"
        case NoneAble(role):
            return f"No {role} can work now; the plan waits for one. Start another: {start}"
        case NotOffered(needed):
            flags = " ".join(f"--capability {shlex.quote(name)}" for name in needed)
            what = one_line(", ".join(needed), 100)
            return (
                f"No executor offers {what}; the plan waits for one. "
                f"Start one: {one_line(f'{start} {flags}', 300)}"
            )
        case _:
            text = lack_text(lack)
            return one_line(f"{text[:1].upper()}{text[1:]}. Start another: {start}", 300)


def tell_absent(peer: Peer, goal_id: bytes) -> None:
    """Write to stderr which clocks differ, and the lines of `absent`."""
    ClockHint(peer).check()
    plan = peer.store.plan(goal_id)
    for line in absent(peer, plan) if plan is not None else ():
        click.echo(line, err=True)


async def follow(
    peer: Peer,
    watch: session.Watch,
    goal_id: bytes,
    shown: Follower,
    *,
    on_view: Callable[[PlanView], None] | None = None,
) -> PlanView:
    """Show a plan until it ends; return its last state.

    Args:
        peer: the peer that holds the plan.
        watch: the peer's watch.
        goal_id: the goal.
        shown: shows the plan.
        on_view: called with the plan on each change.
    """
    clocks = ClockHint(peer, shown.warn)
    clocks.check()
    absences = AbsenceHint(shown.warn)
    asked = peer.store.plan(goal_id)
    if asked is not None and not shown.live:
        missing = absent(peer, asked)
        absences.told(missing)
        for line in missing:
            shown.say(line)
    last: PlanView | None = None
    while True:
        plan = peer.store.plan(goal_id)
        if plan is None:
            raise CommandError(
                f"The goal {goal_id.hex()[:8]} was pushed out: this peer holds more goals than it "
                "has room for. See how it stands at others: swarm observe "
                f"{goal_id.hex()[:8]} --once",
                exit_code=FAILED,
            )
        view = session.view_of(peer, plan)
        shown.show([view], peer.now())
        if on_view is not None and view != last:
            last = view
            on_view(view)
        if plan.final:
            return view
        await watch.next(TICK_SECONDS)
        clocks.check()
        absences.check(absent(peer, plan), peer.now())
        if not _ended(peer, goal_id):
            await trio.sleep(GATHER_SECONDS)


def _ended(peer: Peer, goal_id: bytes) -> bool:
    plan = peer.store.plan(goal_id)
    return plan is not None and plan.final


async def withdraw(peer: Peer, goal_id: bytes) -> None:
    """Cancel a goal because its command was interrupted, and let the record leave."""
    if _ended(peer, goal_id):
        return
    peer.cancel(goal_id, "interrupted by the person who asked")
    with trio.CancelScope(shield=True):
        await trio.sleep(session.SPREAD_GRACE_SECONDS)


def report(view: PlanView, *, as_json: bool, silent: bool = False) -> int:
    """Print a plan that has ended; return the exit code.

    Args:
        view: the plan.
        as_json: print JSON rather than a document.
        silent: print nothing; the plan was reported as an event.
    """
    good = view.state in GOOD
    if as_json or silent:
        if not silent:
            output.print_json(view)
        return OK if good else FAILED
    if not good:
        reason = one_line(view.reason, 300)
        click.echo(f"The plan {view.goal[:8]} is {view.state}: {reason}.", err=True)
    if good or view.answer:
        output.print_markdown(output.plan_markdown(view))
    return OK if good else FAILED
