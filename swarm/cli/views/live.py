"""Showing plans while they grow: a live tree on a terminal, lines of changes in a pipe."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from types import TracebackType
from typing import TYPE_CHECKING, Self, TextIO

import click

from swarm.cli.views import output
from swarm.cli.views.changes import changes
from swarm.cli.views.tree import Namer, as_rich, rows, short
from swarm.console.text import duration

if TYPE_CHECKING:
    from rich.console import RenderableType

    from swarm.core.views.plan_view import PlanView

TICK_SECONDS = 1.0
"""How often a live tree is redrawn if nothing changes: it shows the elapsed time."""

GATHER_SECONDS = 0.1
"""How long changes are collected before the display is redrawn: ten times a second looks live."""

MIN_LINES = 6
"""Lines that each of several plans gets at least."""


class Follower:
    """Shows plans as they change.

    On a terminal the trees are redrawn in place; otherwise each change is a line.
    """

    def __init__(self, stream: TextIO, name: Namer = short, *, quiet: bool = False) -> None:
        """Show on a stream.

        Args:
            stream: usually stderr; stdout if the live display is the result.
            name: returns the name of an author; replaceable once a peer knows the names.
            quiet: show nothing at all.
        """
        self._stream = stream
        self.name = name
        self._quiet = quiet
        self._shown: dict[str, PlanView] = {}
        self._last: tuple[Sequence[PlanView], int] = ((), 0)
        self._held = ExitStack()
        self._screen: output.Screen | None = None
        self.header: Callable[[], RenderableType | None] = lambda: None
        """Drawn above the trees on a terminal."""

    def __enter__(self) -> Self:
        if not self._quiet and output.is_live(self._stream):
            self._screen = self._held.enter_context(output.Screen(self._stream))
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Restore the terminal; nothing more is shown."""
        self._held.close()
        self._screen = None
        self._quiet = True

    @property
    def live(self) -> bool:
        """Whether the display is redrawn in place."""
        return self._screen is not None

    def show(self, views: Sequence[PlanView], now_ms: int) -> None:
        """Show plans as they are now.

        Args:
            views: all plans that are followed; the last ones are shown if there is little room.
            now_ms: the time in ms since the epoch.
        """
        if self._quiet:
            return
        self._last = views, now_ms
        if self._screen is not None:
            self.redraw()
            return
        for view in views:
            old = self._shown.get(view.goal)
            if old is not view and (old is None or old != view):
                many = f"[{view.goal[:8]}] " if len(views) > 1 else ""
                since = duration(now_ms - view.created_ms)
                for line in changes(old, view, name=self.name):
                    self.say(f"{many}{since:>5}  {line}")
                self._shown[view.goal] = view

    def say(self, line: str) -> None:
        """Write a line that stays above the display."""
        if self._quiet:
            return
        if self._screen is not None:
            self._screen.say(line)
        else:
            click.echo(line, file=self._stream)
            self._stream.flush()

    def warn(self, line: str) -> None:
        """Write a line about a problem: above a live display, otherwise to stderr."""
        if self._screen is not None:
            self._screen.say(line)
        else:
            click.echo(line, err=True)

    def redraw(self) -> None:
        """Draw the same plans again, because the header has changed."""
        if self._screen is not None:
            self._draw(self._screen, *self._last)

    def _draw(self, screen: output.Screen, views: Sequence[PlanView], now_ms: int) -> None:
        from rich.console import Group
        from rich.text import Text

        plain = output.ascii_only(self._stream)
        most = max(1, screen.room // MIN_LINES)
        shown = views[-most:]
        parts: list[RenderableType] = []
        if (header := self.header()) is not None:
            parts.append(header)
        if len(views) > len(shown):
            parts.append(Text(f"{len(views) - len(shown)} older plans", "dim"))
        for view in shown:
            lines = rows(
                view,
                name=self.name,
                now_ms=now_ms,
                limit=max(MIN_LINES, (screen.room - len(parts)) // max(1, len(shown))),
                ascii_only=plain,
            )
            parts.append(as_rich(lines))
        screen.draw(Group(*parts))
