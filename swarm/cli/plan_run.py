"""Asking for a plan and following it to its end: what `swarm up GOAL` and `swarm submit` share."""

from __future__ import annotations

from collections.abc import Callable, Collection

import click
import trio

from swarm.cli import session
from swarm.cli.options import is_text
from swarm.cli.views import output
from swarm.cli.views.live import GATHER_SECONDS, TICK_SECONDS, Follower
from swarm.console.errors import FAILED, OK, USAGE, CommandError
from swarm.console.text import one_line
from swarm.core.policy import Policy
from swarm.core.records import MAX_GOAL_TEXT
from swarm.core.roles import WORKERS
from swarm.core.views.plan_view import PlanView
from swarm.peer.peer import Peer

GOOD = ("done", "partial")


def check(text: str) -> None:
    """See that a goal can be asked for, before anything is started for it.

    Raises:
        CommandError: it cannot (exit code 2).
    """
    if not text.strip():
        raise CommandError(
            "The goal is empty. Say in a sentence what should be planned.", exit_code=USAGE
        )
    if not is_text(text):
        raise CommandError(
            "The goal is no text: some of its bytes are not UTF-8. Type it anew, or convert it "
            "(iconv -t UTF-8).",
            exit_code=USAGE,
        )
    if len(text.strip()) > MAX_GOAL_TEXT:
        raise CommandError(
            f"The goal has {len(text.strip()):,} characters; at most {MAX_GOAL_TEXT:,} fit.",
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


def absent(peer: Peer, needed: Collection[str] = ()) -> list[str]:
    """Say which roles nobody has, and what keeps peers from working; empty: all is well.

    Args:
        peer: who looks.
        needed: capabilities that executors of the goal must offer.
    """
    present = peer.roles_present()
    lines = [
        f"No {role} is here yet; the plan waits for one (swarm peer {role})."
        for role in WORKERS
        if not present.get(role)
    ]
    if needed and present.get("executor") and not _offered(peer, needed):
        flags = " ".join(f"--capability {name}" for name in needed)
        lines.append(
            f"No executor here offers {', '.join(needed)}; the plan waits for one "
            f"(swarm peer executor {flags})."
        )
    troubles = (f"{view.name}: {view.trouble}" for view in peer.peers() if view.trouble)
    return lines + [one_line(trouble, 300) for trouble in troubles]


def _offered(peer: Peer, needed: Collection[str]) -> bool:
    return any(
        view.role == "executor" and not view.foreign and set(needed) <= set(view.capabilities)
        for view in peer.peers()
    )


def tell_absent(peer: Peer, needed: Collection[str] = ()) -> None:
    """Write on stderr what `absent` says."""
    for line in absent(peer, needed):
        click.echo(line, err=True)


async def follow(
    peer: Peer,
    watch: session.Watch,
    goal_id: bytes,
    shown: Follower,
    *,
    on_view: Callable[[PlanView], None] | None = None,
) -> PlanView:
    """Show a plan until it has ended; return it.

    Args:
        peer: who holds the plan.
        watch: its watch.
        goal_id: the goal.
        shown: shows it.
        on_view: told of each change.
    """
    if not shown.live:
        asked = peer.store.plan(goal_id)
        for line in absent(peer, asked.policy.capabilities if asked else ()):
            shown.say(line)
    last: PlanView | None = None
    while True:
        plan = peer.store.plan(goal_id)
        assert plan is not None, "a goal of our own is never forgotten while we run"
        view = session.view_of(peer, plan)
        shown.show([view], peer.now())
        if on_view is not None and view != last:
            last = view
            on_view(view)
        if plan.final:
            return view
        await watch.next(TICK_SECONDS)
        if not _ended(peer, goal_id):
            await trio.sleep(GATHER_SECONDS)


def _ended(peer: Peer, goal_id: bytes) -> bool:
    plan = peer.store.plan(goal_id)
    return plan is not None and plan.final


async def withdraw(peer: Peer, goal_id: bytes) -> None:
    """Cancel a goal because its command was interrupted, and let that be heard."""
    if _ended(peer, goal_id):
        return
    peer.cancel(goal_id, "interrupted by whoever asked")
    with trio.CancelScope(shield=True):
        await trio.sleep(session.SPREAD_GRACE_SECONDS)


def report(view: PlanView, *, as_json: bool, silent: bool = False) -> int:
    """Print a plan that has ended; return the exit code.

    Args:
        view: the plan.
        as_json: as JSON, not as a document.
        silent: print nothing, it was told otherwise.
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
