"""Goal and node ids as people type them: the first few hex digits."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import TypeVar

from swarm.console.errors import USAGE, CommandError
from swarm.console.text import one_line
from swarm.core.fold.node import Node
from swarm.core.fold.plan import Plan

MAX_LISTED = 10
"""Ids listed when a prefix fits several."""

T = TypeVar("T")


def find_goal(plans: Collection[Plan], prefix: str) -> Plan:
    """Return the plan whose goal id starts with a prefix.

    Raises:
        CommandError: no goal fits, or several do (exit code 2).
    """
    wanted = digits(prefix)
    found = [plan for plan in plans if plan.id.hex().startswith(wanted)]
    return _only(found, prefix, "goal", lambda plan: f"{plan.id.hex()[:16]}  {plan.root.title}")


def find_node(plans: Collection[Plan], prefix: str) -> tuple[Plan, Node]:
    """Return the node, a root or below, whose id starts with a prefix, and its plan.

    Raises:
        CommandError: no node fits, or several do (exit code 2).
    """
    wanted = digits(prefix)
    found = [
        (plan, node) for plan in plans for node in plan.nodes() if node.id.hex().startswith(wanted)
    ]
    return _only(found, prefix, "goal or node", lambda it: f"{it[1].id.hex()[:16]}  {it[1].title}")


def digits(prefix: str) -> str:
    """Return a typed prefix in the form in which ids are compared.

    Raises:
        CommandError: it is not the beginning of an id (exit code 2).
    """
    wanted = prefix.strip().lower()
    if not wanted or len(wanted) > 64 or not set(wanted) <= set("0123456789abcdef"):
        raise CommandError(
            f"“{prefix}” is not an id. An id consists of hex digits, and the first few are enough; "
            "`swarm observe --once` lists the ids.",
            exit_code=USAGE,
        )
    return wanted


def _only(found: list[T], prefix: str, what: str, line: Callable[[T], str]) -> T:
    if not found:
        raise CommandError(
            f"No {what} known here has an id that starts with {prefix}. `swarm observe --once` "
            "lists the ids.",
            exit_code=USAGE,
        )
    if len(found) > 1:
        listed = "\n".join(f"  {one_line(line(item), 100)}" for item in found[:MAX_LISTED])
        more = f"\n  and {len(found) - MAX_LISTED} more" if len(found) > MAX_LISTED else ""
        raise CommandError(
            f"{len(found)} ids start with {prefix}; type more digits:\n{listed}{more}",
            exit_code=USAGE,
        )
    return found[0]
