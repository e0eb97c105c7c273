"""The story of a goal: which messages should be there now, and what they should say.

`story` is a pure function of the plan, of who is here and of what was posted before. It is asked
again whenever something changed; `ledger` finds what to send and what to edit, `writer` does it.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from bot.rendering import MESSAGE_LIMIT, chunks, clean, length, plain
from bot.rendering.fitting import shorten
from bot.splits import APPROVE, REJECT, competing, is_open, split_message
from bot.texts import Text, duration, say
from bot.tree import GOAL_SHOWN, NAME_SHOWN, REASON_SHOWN, live_message, state_text, took_ms
from swarm.core.explain import Namer, why
from swarm.core.plan import Plan
from swarm.core.records import Notice
from swarm.core.view import answer, is_draft

Place = Literal["channel", "thread"]

START = "start"
LIVE = "live"
HELP = "help"
SPLIT = "split:"
END = "end:"

MAX_SPLITS = 15
"""Splits that get a message of their own, the accepted ones besides: a thread is to be read."""

MAX_END_MESSAGES = 12
"""Messages of the finished plan; the whole of it is attached anyway."""

MISSING_MS = 6_000
"""How long a role is missing before the thread says so: peers that restart are back by then."""

MAX_NOTICES = 3
TROUBLE_SHOWN = 200
_UNSAFE_IN_SHELL = re.compile(r"[^A-Za-z0-9._-]")
"""What must not stand in a command that people copy, even if a swarm is called so."""

THREAD_NAME_LIMIT = 100


def fingerprint(content: str) -> bytes:
    """Return a digest of a message's content as Discord keeps it: without space around it."""
    return hashlib.sha256(content.strip().encode()).digest()


@dataclass(frozen=True, slots=True)
class File:
    """An attachment."""

    name: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Post:
    """A message as it should be."""

    key: str
    content: str
    place: Place = "thread"
    seeds: tuple[str, ...] = ()
    """Reactions that invite to vote."""
    files: tuple[File, ...] = ()
    """Attached when it is first sent."""
    quiet: bool = True
    """Rings nobody's phone."""

    @property
    def digest(self) -> bytes:
        """Fingerprint of what is shown, to tell a change."""
        return fingerprint(self.content)


@dataclass(frozen=True, slots=True)
class Scene:
    """Who is here, as far as the story needs it."""

    name: Namer
    swarm: str = ""
    """The swarm's name, if peers have to be told it."""
    others: int = 0
    missing_since: Mapping[str, int] = field(default_factory=dict)
    """Since when, in ms, nobody who can work plays a role."""
    troubles: tuple[tuple[str, str], ...] = ()
    """(who, why) of peers that cannot work."""


def story(plan: Plan, scene: Scene, posted: Collection[str], now_ms: int) -> list[Post]:
    """Return the messages a goal should have, in the order they are to appear.

    Args:
        plan: the goal's.
        scene: who is here.
        posted: keys of messages that were sent before.
        now_ms: the time, in ms.
    """
    posts = [start(plan), Post(LIVE, live_message(plan, name=scene.name, others=scene.others))]
    posts.extend(_help(plan, scene, posted, now_ms))
    posts.extend(_splits(plan, scene))
    if plan.final:
        posts.extend(_end(plan, scene))
    return posts


def start(plan: Plan) -> Post:
    """Return the message in the channel from which the thread hangs."""
    goal = plain(plan.root.title, GOAL_SHOWN)
    if not plan.final:
        text = say(Text.START, goal=goal)
    elif answer(plan):
        text = say(Text.START_ENDED, goal=goal, state=state_text(plan.state))
    else:
        reason = plain(plan.reason, REASON_SHOWN)
        text = say(Text.START_ENDED_EMPTY, goal=goal, state=state_text(plan.state), reason=reason)
    return Post(START, text, place="channel", quiet=False)


def document(plan: Plan, name: Namer) -> str:
    """Return a goal's whole plan as a Markdown file, with who did what."""
    lines = [f"# {plan.root.title}", "", answer(plan) or f"*There is no plan: {plan.reason}*", ""]
    ended = plan.state if plan.reason == plan.state else f"{plan.state}: {plan.reason}"
    lines += ["---", "", f"*{ended}, after {duration(took_ms(plan))}*", ""]
    if is_draft(plan):
        lines += [say(Text.END_DRAFT), ""]
    lines += ["## How it came about", "", "```"]
    for node in plan.nodes():
        lines += [line.replace("```", "'''") for line in why(plan, node, name)]
        lines.append("")
    return "\n".join([*lines, "```", ""])


def _splits(plan: Plan, scene: Scene) -> Iterator[Post]:
    count = 0
    for node, vote, tally in competing(plan):
        decision = node.decision
        won = decision is not None and decision.proposal is tally.record
        count += 1
        if count > MAX_SPLITS and not won:
            continue
        votes = is_open(plan, node) and plan.policy.people != "off"
        yield Post(
            SPLIT + tally.record.id.hex(),
            split_message(plan, node, vote, tally, name=scene.name),
            seeds=(APPROVE, REJECT) if votes else (),
        )


def _help(plan: Plan, scene: Scene, posted: Collection[str], now_ms: int) -> Iterator[Post]:
    lines = [] if plan.final else _wanted(plan, scene, now_ms)
    notices = [
        say(
            Text.HELP_NOTICE,
            who=plain(scene.name(record.author), NAME_SHOWN),
            text=plain(record.body.text, REASON_SHOWN),
        )
        for record in plan.notices[-MAX_NOTICES:]
        if isinstance(record.body, Notice)
    ]
    if lines:
        lines = [say(Text.HELP_TITLE), *lines, *notices, say(Text.HELP_GOES_ON)]
    elif notices:
        lines = [say(Text.HELP_NOTICES), *notices]
    elif HELP in posted:
        lines = [say(Text.HELP_OVER)]
    if lines:
        yield Post(HELP, "\n".join(_fitting(lines)))


def _wanted(plan: Plan, scene: Scene, now_ms: int) -> list[str]:
    """Return lines about the roles the plan still needs and nobody plays."""
    needed = ["executor"]
    if any(node.vote is not None and node.decision is None for node in plan.nodes()):
        needed = ["decomposer", "scorer", "executor"]
    name = _UNSAFE_IN_SHELL.sub("", scene.swarm)
    swarm = f" --swarm {name}" if name else ""
    missing = [
        say(Text.HELP_ROLE, role=role, swarm=swarm)
        for role in needed
        if role in scene.missing_since
        and now_ms - max(scene.missing_since[role], plan.goal.stamp.ms) >= MISSING_MS
    ]
    if not missing:
        return []
    troubles = [
        say(Text.HELP_TROUBLE, who=plain(who, NAME_SHOWN), trouble=plain(reason, TROUBLE_SHOWN))
        for who, reason in scene.troubles[:MAX_NOTICES]
    ]
    return [*missing, *troubles]


def _fitting(lines: list[str]) -> list[str]:
    """Return as many lines as one message takes; the last of them is kept in any case."""
    *body, last = lines
    while body and sum(length(line) + 1 for line in [*body, last]) > MESSAGE_LIMIT:
        body.pop()
    return [*body, last]


def _end(plan: Plan, scene: Scene) -> Iterator[Post]:
    text = answer(plan)
    reason = plan.reason
    match plan.state:
        case "done":
            head = say(Text.END_DONE)
        case "partial":
            head = say(Text.END_PARTIAL, reason=plain(reason, REASON_SHOWN))
        case "cancelled" if text:
            head = say(Text.END_CANCELLED, reason=plain(reason, REASON_SHOWN))
        case "cancelled":
            head = say(Text.END_CANCELLED_EMPTY, reason=plain(reason, REASON_SHOWN))
        case _:
            head = say(Text.END_FAILED, reason=plain(reason, REASON_SHOWN))
    notes = [say(Text.END_DRAFT)] if text and is_draft(plan) else []
    head = "\n".join([head, *notes])
    file = File("plan.md", document(plan, scene.name).encode())
    pages = _paged(head, chunks(text))
    for number, page in enumerate(pages):
        last = number == len(pages) - 1
        yield Post(
            f"{END}{number}",
            page,
            files=(file,) if last else (),
            quiet=number > 0,
        )


def _paged(head: str, pages: list[str]) -> list[str]:
    if len(pages) > MAX_END_MESSAGES:
        pages = [*pages[: MAX_END_MESSAGES - 1], say(Text.END_MORE)]
    return [head, *pages]


def thread_name(plan_title: str) -> str:
    """Return a thread's name: one line, not escaped, since Discord shows names as they are."""
    line = " ".join(clean(plan_title).split())
    return shorten(say(Text.THREAD_NAME, goal=line), THREAD_NAME_LIMIT)
