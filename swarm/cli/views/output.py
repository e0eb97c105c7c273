"""Where commands write: results to stdout, progress to stderr, live displays only on a terminal.

So `swarm up "..." > plan.md` writes only the plan to the file, and still shows the tree.
"""

from __future__ import annotations

import json
import os
import sys
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TextIO

import click

from swarm.console.text import clean, escape, one_line, progress_bar

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.text import Text

    from swarm.core.views.plan_view import PlanView


def is_live(stream: TextIO) -> bool:
    """Return whether a stream is a terminal that can redraw lines, and is ours to redraw."""
    if not stream.isatty() or os.environ.get("TERM", "") in ("dumb", "unknown"):
        return False
    return not in_background(stream)


def in_background(stream: TextIO) -> bool:
    """Return whether the shell runs this command in the background of a terminal (`swarm up &`).

    What it draws there would paint over the commands that the user types.
    """
    if not hasattr(os, "tcgetpgrp"):
        return False
    try:
        return os.tcgetpgrp(stream.fileno()) != os.getpgrp()
    except (OSError, ValueError):
        return False  # Not the terminal that controls this process: nobody types there.


def ascii_only(stream: TextIO) -> bool:
    """Return whether a stream cannot encode the signs of the tree."""
    try:
        "█├✔".encode(stream.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return True
    return False


def console_on(stream: TextIO) -> Console:
    """Return a rich console on a stream; it respects NO_COLOR."""
    from rich.console import Console

    return Console(file=stream, highlight=False, markup=False, emoji=False)


def print_json(value: Any) -> None:
    """Print a value, or a pydantic model, as indented JSON."""
    if hasattr(value, "model_dump_json"):
        click.echo(escape(value.model_dump_json(indent=2)))
    else:
        click.echo(as_json(value))


def as_json(value: Any) -> str:
    """Return a value as indented JSON that cannot steer a terminal."""
    return escape(json.dumps(value, indent=2, ensure_ascii=False))


def print_json_line(value: Any) -> None:
    """Print a value as one line of JSON, and flush it."""
    click.echo(escape(json.dumps(value, ensure_ascii=False, separators=(",", ":"))))
    sys.stdout.flush()


def print_markdown(text: str) -> None:
    """Print Markdown: rendered on a terminal, unchanged otherwise."""
    text = clean(text)
    if not is_live(sys.stdout):
        click.echo(text)
        return
    from rich.markdown import Markdown

    # The address of a link stays visible: text by a model must not hide where it leads.
    console_on(sys.stdout).print(Markdown(text, hyperlinks=False))


def plan_markdown(view: PlanView) -> str:
    """Return a finished plan as a Markdown document, with the warnings that a reader needs."""
    title = " ".join(view.text.split())
    blocks = [f"# {title}", view.answer or "*This plan has no text.*"]
    if view.state == "partial":
        blocks.append(f"*This plan is partial: {view.reason}.*")
    if view.draft:
        blocks.append(
            "*A draft by a small model on this machine: verify facts, names, times and prices "
            "before you rely on them.*"
        )
    return "\n\n".join(blocks)


def fetch_line(done: int, total: int, text: str) -> Text:
    """Return a line that shows the progress of a download."""
    from rich.text import Text

    bar = progress_bar(done, total, unit=1_000_000)
    return Text(f"{bar} MB  {one_line(text, 100)}", no_wrap=True, overflow="ellipsis")


class Screen:
    """A part of the terminal that is redrawn in place. Without a terminal it draws nothing."""

    def __init__(self, stream: TextIO) -> None:
        """Draw on a stream, usually stderr."""
        from rich.live import Live

        self._stream = stream
        self.console = console_on(stream)
        self._live = Live(
            console=self.console,
            auto_refresh=False,
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
            vertical_overflow="crop",
        )

    @property
    def room(self) -> int:
        """Lines that fit on the terminal."""
        return max(4, self.console.size.height - 2)

    def __enter__(self) -> Self:
        self._live.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._live.stop()

    def draw(self, what: RenderableType) -> None:
        """Draw something in place of what was drawn before; nothing while in the background."""
        self._live.update(what, refresh=not in_background(self._stream))

    def say(self, line: str) -> None:
        """Write a line above the display, which stays."""
        self._live.console.print(clean(line))
