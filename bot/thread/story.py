"""The story of a goal: which messages its thread should have now, and with which content.

`story` is a pure function of the plan, of the peers present and of what was posted before. It is
called again whenever something changes; `reconciler` finds what to send and what to edit, and
`writer` does it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import assert_never

from bot.rendering import MESSAGE_LIMIT, clean, length, plain
from bot.rendering.fitting import shorten
from bot.rendering.packing import SMALLEST_LIMIT
from bot.texts import Text, say
from bot.views.document import answer, documents
from bot.views.page_cache import typeset
from bot.views.plan_tree import (
    GOAL_SHOWN,
    NAME_SHOWN,
    TITLE_SHOWN,
    live_message,
    numbered,
    state_text,
)
from bot.views.posts import Post, Press
from bot.views.reasons import REASON_SHOWN, plan_reason
from bot.views.splits import competing, split_message
from swarm.core.fold.node import Node
from swarm.core.fold.plan import Plan
from swarm.core.records import Namer, Notice
from swarm.core.views.plan_view import is_draft
from swarm.core.views.waiting import (
    HolderGone,
    HolderUnable,
    Lack,
    NoneAble,
    NoneHere,
    NotOffered,
    TooFewScorers,
)

START = "start"
LIVE = "live"
HELP = "help"
SPLIT = "split:"
RESULT = "result:"
END = "end:"
FALLEN = "fallen"

MAX_SPLITS = 15
"""Most splits with a message of their own, beside accepted ones: a thread must stay readable."""

MAX_END_MESSAGES = 12
"""Most messages of the finished plan; the whole plan is attached anyway."""

MAX_CLOSING_MESSAGES = 3
"""Most of them for the closing of a plan that is too long: costs and how it meets the request."""

MAX_RESULTS = 12
"""Most results that are shown as they arrive; the plan has them all."""

MAX_NOTICES = 3
TROUBLE_SHOWN = 200
_UNSAFE_IN_SHELL = re.compile(r"[^A-Za-z0-9._-]")
"""Characters that must not appear in a command for people to copy, even from a swarm's name."""

THREAD_NAME_LIMIT = 100


@dataclass(frozen=True, slots=True)
class Scene:
    """The peers present, as far as the story needs them."""

    name: Namer
    swarm: str = ""
    """The swarm's name, if peers need it on their command line; else empty."""
    others: int = 0
    lacks: tuple[Lack, ...] = ()
    """Who has been missing for the plan for a while."""
    troubles: tuple[tuple[str, str], ...] = ()
    """(name, reason) of peers that cannot work."""
    voters: str = ""
    """The roles that may vote, rendered; empty: everyone may."""


def story(plan: Plan, scene: Scene, posted: Collection[str]) -> list[Post]:
    """Return the messages that a goal should have, in the order in which they appear.

    Args:
        plan: the goal's plan.
        scene: the peers present.
        posted: keys of the messages sent so far.
    """
    posts = [start(plan), _live(plan, scene)]
    posts.extend(_help(plan, scene, posted))
    posts.extend(_splits(plan, scene))
    posts.extend(_results(plan, posted))
    if plan.final:
        posts.extend(_end(plan, scene))
    return posts


def without_thread(posts: list[Post]) -> list[Post]:
    """Return the most important messages, for the channel, when the thread cannot be used."""
    kept = [post for post in posts if post.key == LIVE or post.key.startswith(END)]
    return [*(post for post in posts if post.key == START), Post(FALLEN, say(Text.FALLEN)), *kept]


def _live(plan: Plan, scene: Scene) -> Post:
    buttons = (Press.WHY, Press.PICTURE, Press.EXPORT if plan.final else Press.CANCEL)
    text = live_message(plan, name=scene.name, others=scene.others)
    return Post(LIVE, text, buttons=buttons)


def start(plan: Plan) -> Post:
    """Return the message in the channel from which the thread is opened."""
    goal = plain(plan.root.title, GOAL_SHOWN)
    if not plan.final:
        text = say(Text.START, goal=goal)
    elif answer(plan):
        text = say(Text.START_ENDED, goal=goal, state=state_text(plan.state))
    else:
        state, reason = state_text(plan.state), plan_reason(plan)
        text = say(Text.START_ENDED_EMPTY, goal=goal, state=state, reason=reason)
    return Post(START, text, place="channel", quiet=False)


def _splits(plan: Plan, scene: Scene) -> Iterator[Post]:
    for count, split in enumerate(competing(plan), 1):
        if count > MAX_SPLITS and not split.accepted:
            continue
        yield Post(
            SPLIT + split.tally.record.id.hex(),
            split_message(split, name=scene.name, voters=scene.voters),
            seeds=split.seeds,
            buttons=split.buttons,
        )


def long_texts(plan: Plan) -> Iterator[tuple[str, int, int]]:
    """Yield the long texts that the story cuts into messages: text, most messages, limit."""
    for node in _landed(plan):
        yield node.text, 1, SMALLEST_LIMIT
    if plan.final:
        yield answer(plan), MAX_END_MESSAGES, MESSAGE_LIMIT
        if plan.root.closing:
            yield plan.root.closing, MAX_CLOSING_MESSAGES, MESSAGE_LIMIT


def _landed(plan: Plan) -> list[Node]:
    """Return the parts whose results are shown, in the order in which they arrived."""
    done = [n for _, n in numbered(plan) if n.result is not None and n.text and not n.children]
    done.sort(key=lambda node: (node.settled, node.id))
    return done[:MAX_RESULTS]


def _results(plan: Plan, posted: Collection[str]) -> Iterator[Post]:
    """Yield the results of parts as they arrive; those not posted by the end are in the plan."""
    number_of = {node.id: number for number, node in numbered(plan)}
    for node in _landed(plan):
        key = RESULT + node.id.hex()
        if plan.final and key not in posted:
            continue
        sign = state_text(plan.state_of(node)).partition(" ")[0]
        title = plain(node.title, TITLE_SHOWN)
        head = say(Text.RESULT, sign=sign, number=number_of[node.id], title=title)
        body = typeset(node.text, 1, SMALLEST_LIMIT)
        if body:
            more = [say(Text.RESULT_MORE)] if len(body) > 1 else []
            yield Post(key, "\n".join([head, body[0], *more]))


def _help(plan: Plan, scene: Scene, posted: Collection[str]) -> Iterator[Post]:
    lines = [] if plan.final else _wanted(scene)
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


def _wanted(scene: Scene) -> list[str]:
    """Return lines about who is missing for the plan, with the commands that help."""
    name = _UNSAFE_IN_SHELL.sub("", scene.swarm)
    swarm = f" --swarm {name}" if name else ""
    missing = [line for lack in scene.lacks if (line := _missing(lack, swarm))]
    if not missing:
        return []
    troubles = [
        say(Text.HELP_TROUBLE, who=plain(who, NAME_SHOWN), trouble=plain(reason, TROUBLE_SHOWN))
        for who, reason in scene.troubles[:MAX_NOTICES]
    ]
    return [*missing, *troubles]


def _missing(lack: Lack, swarm: str) -> str:
    """Return what is missing, and the command that helps; empty: the plan helps itself."""
    match lack:
        case NoneHere(role) | NoneAble(role):
            return say(Text.HELP_ROLE, role=role, swarm=swarm)
        case NotOffered(needed):
            safe = (_UNSAFE_IN_SHELL.sub("", name) for name in needed)
            flags = "".join(f" --capability {name}" for name in safe if name)
            what = plain(", ".join(needed), TROUBLE_SHOWN)
            return say(Text.HELP_OFFER, role="executor", what=what, flags=flags, swarm=swarm)
        case TooFewScorers(able, quorum):
            return say(Text.HELP_FEW, able=able, quorum=quorum, swarm=swarm)
        case HolderGone() | HolderUnable():
            return ""
    assert_never(lack)


def _fitting(lines: list[str]) -> list[str]:
    """Return as many lines as fit one message, always with the last line."""
    *body, last = lines
    while body and sum(length(line) + 1 for line in [*body, last]) > MESSAGE_LIMIT:
        body.pop()
    return [*body, last]


def _end(plan: Plan, scene: Scene) -> Iterator[Post]:
    text = answer(plan)
    reason = plan_reason(plan)
    match plan.state:
        case "done":
            head = say(Text.END_DONE)
        case "partial":
            head = say(Text.END_PARTIAL, reason=reason)
        case "cancelled" if text:
            head = say(Text.END_CANCELLED, reason=reason)
        case "cancelled":
            head = say(Text.END_CANCELLED_EMPTY, reason=reason)
        case _:
            head = say(Text.END_FAILED, reason=reason)
    notes = [say(Text.END_DRAFT)] if text and is_draft(plan) else []
    head = "\n".join([head, *notes])
    closing = plan.root.closing or ""
    pages = _paged(head, list(typeset(text, MAX_END_MESSAGES)), closing)
    for number, page in enumerate(pages):
        last = number == len(pages) - 1
        yield Post(
            f"{END}{number}",
            page,
            files=documents(plan, scene.name) if last else (),
            picture=last and bool(plan.root.children),
            quiet=number > 0,
        )


def _paged(head: str, pages: list[str], closing: str) -> list[str]:
    """Return the messages of the end; of a plan too long for them, its beginning and its closing.

    The closing is what people look for: the costs and how the plan meets the request.
    """
    if len(pages) > MAX_END_MESSAGES:
        end = typeset(closing, MAX_CLOSING_MESSAGES)[:MAX_CLOSING_MESSAGES] if closing else ()
        pages = [*pages[: MAX_END_MESSAGES - 1 - len(end)], say(Text.END_MORE), *end]
    return [head, *pages]


def thread_name(plan_title: str) -> str:
    """Return a thread's name: one line, not escaped, since Discord shows names literally."""
    line = " ".join(clean(plan_title).split())
    return shorten(say(Text.THREAD_NAME, goal=line), THREAD_NAME_LIMIT)
