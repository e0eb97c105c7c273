"""The picture of a plan's tree: readable on a phone, for dark and for light screens.

Typst draws it: it shapes all scripts, breaks long titles into lines, and needs neither a browser
nor anything else on the machine; the fonts are installed as packages. Texts of people and models
are passed as data, so nothing in them can run. States are shown by shape and word, not by colour
alone. Drawing runs in a thread.
"""

from __future__ import annotations

import asyncio
import importlib.util
import json
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

import structlog

from bot.rendering import clean
from bot.rendering.fitting import shorten
from bot.texts import Text, say, spoken
from bot.views.plan_tree import numbered, settled_parts, standing, state_text
from bot.views.posts import File
from bot.views.reasons import plan_reason
from swarm.core.fold.plan import Plan
from swarm.core.records import Namer

log = structlog.get_logger(__name__)

PIXELS_PER_INCH = 288.0
"""Resolution: a width of 270 pt gives about 1,080 pixels, the width of a phone."""

MAX_ROWS = 60
"""Most parts drawn: a taller picture cannot be read in a chat."""

TITLE_DRAWN = 140
SECONDS = 20.0
"""Longest wait for a picture; after that the plan is posted without it."""

REMEMBERED = 32
"""Pictures that are cached, about 100 KB each, so that repeated requests cost nothing."""

_drawn: dict[str, bytes] = {}

FONTS = (
    "fontpkg_noto_sans",
    "fontpkg_noto_sans_devanagari",
    "fontpkg_noto_sans_arabic",
    "fontpkg_hind_siliguri",
)
RIGHT_TO_LEFT = frozenset(("ur",))


async def draw(plan: Plan, name: Namer, *, dark: bool = True) -> tuple[File, ...]:
    """Return a plan's tree as a PNG, in the current language; empty if it cannot be drawn.

    Args:
        plan: what to draw.
        name: returns the name of an author key.
        dark: whether it is for a dark screen.
    """
    shown = _shown(plan, name, dark=dark)
    done, total = settled_parts(plan)
    key = json.dumps(shown, sort_keys=True)
    try:
        async with asyncio.timeout(SECONDS):
            known = _drawn.get(key)
            data = await asyncio.to_thread(render, shown) if known is None else known
    except Exception as error:
        # Whatever the typesetter fails on, a plan without a picture is still a plan.
        log.warning("picture_failed", goal=plan.id.hex()[:12], reason=str(error)[:200])
        return ()
    _drawn[key] = data
    while len(_drawn) > REMEMBERED:
        del _drawn[next(iter(_drawn))]
    about = say(Text.PICTURE_ALT, done=done, total=total)
    return (File(f"tree-{'dark' if dark else 'light'}.png", data, about),)


def render(shown: dict[str, Any]) -> bytes:
    """Return the PNG that `picture.typ` draws. Blocks for some tenths of a second."""
    import typst

    with resources.as_file(resources.files(__package__) / "picture.typ") as template:
        return typst.compile(
            template,
            format="png",
            ppi=PIXELS_PER_INCH,
            font_paths=_fonts(),
            sys_inputs={"plan": json.dumps(shown, ensure_ascii=False)},
        )


@cache
def _fonts() -> list[Path]:
    found = (importlib.util.find_spec(package) for package in FONTS)
    return [Path(spec.origin).parent for spec in found if spec is not None and spec.origin]


def _shown(plan: Plan, name: Namer, *, dark: bool) -> dict[str, Any]:
    rows = []
    parts = list(numbered(plan))
    for number, node in parts[:MAX_ROWS]:
        rows.append(
            {
                "number": number,
                "title": _text(node.title),
                "depth": node.depth - 1,
                "state": plan.state_of(node),
                "word": _text(standing(plan, node, name).partition(" ")[2]),
            }
        )
    done, total = settled_parts(plan)
    word = state_text(plan.state).partition(" ")[2]
    if not plan.final and plan.state in ("open", "voting"):
        word += f": {plan_reason(plan)}"
    more = len(parts) - len(rows)
    return {
        "dark": dark,
        "language": spoken(),
        "rtl": spoken() in RIGHT_TO_LEFT,
        "title": _text(plan.root.title),
        "state": plan.state,
        "word": _text(word),
        "done": done,
        "total": total,
        "counts": _text(say(Text.LIVE_BAR, bar="", done=done, total=total).strip()),
        "rows": rows,
        "more": _text(say(Text.LIVE_HIDDEN, count=more).removeprefix("-# ")) if more > 0 else "",
    }


def _text(text: str) -> str:
    """Return a text as drawn: one line, without Discord's escapes."""
    return shorten(" ".join(clean(text).replace("\\", "").split()), TITLE_DRAWN)
