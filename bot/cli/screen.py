"""Terminal output of `swarm-bot playground`; plain lines if the output is piped."""

from __future__ import annotations

import re
import sys
import time
from typing import TYPE_CHECKING, TextIO

from bot.cli.local_swarm import Loading
from bot.rendering.escape import ZERO_WIDTH_SPACE

if TYPE_CHECKING:
    from rich.console import Console
    from rich.live import Live
    from rich.progress import Progress

PIPED_STEP = 10
"""Percentage points between progress lines of a download when the output is piped."""

_ESCAPED = re.compile(r"\\([^0-9A-Za-z\s])")
_TIME = re.compile(r"<t:(\d+)(?::[a-zA-Z])?>")
_LINK = re.compile(r"<(https?://[^>\s]+)>")
_STYLE = re.compile(r"(?<!\\)(\*\*|~~|`)")
_MARK = re.compile(r"(?m)^(?:-# |#{1,3} )")


def readable(content: str) -> str:
    """Return a message without Discord's markup, for the terminal."""
    text = _TIME.sub(lambda match: time.strftime("%H:%M", time.localtime(int(match[1]))), content)
    text = _MARK.sub("", _LINK.sub(r"\1", text))
    return _ESCAPED.sub(r"\1", _STYLE.sub("", text)).replace(ZERO_WIDTH_SPACE, "")


class Screen:
    """Writes to a terminal with a live part at the bottom, or to a pipe line by line."""

    def __init__(self, out: TextIO | None = None) -> None:
        from rich.console import Console

        out = out or sys.stdout
        self._console: Console = Console(file=out, highlight=False, soft_wrap=True)
        self._terminal = self._console.is_terminal
        self._live: Live | None = None
        self._progress: Progress | None = None
        self._said = ""
        self._percent = -PIPED_STEP

    def close(self) -> None:
        """Stop live output and restore the terminal."""
        if self._progress is not None:
            self._progress.stop()
            self._progress = None
        if self._live is not None:
            self._live.stop()
            self._live = None

    def say(self, text: str = "", *, style: str = "") -> None:
        """Write a line, or several."""
        from rich.text import Text

        self._console.print(Text(text, style))

    def loading(self, loading: Loading) -> None:
        """Show the progress of loading the model."""
        if loading.total and loading.done is not None:
            if self._terminal:
                self._bar(loading)
                return
            percent = 100 * loading.done // loading.total
            if percent >= self._percent + PIPED_STEP or (percent == 100 and self._percent != 100):
                self._percent = percent
                self.say(f"{loading.text} {percent} %")
            return
        if self._progress is not None:
            self._progress.stop()
            self._progress = None
        if loading.text and loading.text != self._said:
            self._said = loading.text
            self.say(loading.text)

    def live(self, content: str) -> None:
        """Show the thread's live message: updated in place, or only new lines if piped."""
        text = readable(content)
        if not self._terminal:
            seen = set(self._said.splitlines())
            for line in text.splitlines():
                if line not in seen and line.strip():
                    self.say(f"  {line}")
            self._said = text
            return
        from rich.live import Live
        from rich.panel import Panel
        from rich.text import Text

        shown = Panel(Text(text), border_style="blue")
        if self._live is None:
            self._live = Live(shown, console=self._console, auto_refresh=False)
            self._live.start()
        self._live.update(shown, refresh=True)

    def _bar(self, loading: Loading) -> None:
        from rich.progress import (
            BarColumn,
            DownloadColumn,
            Progress,
            TextColumn,
            TransferSpeedColumn,
        )

        if self._progress is None:
            self._progress = Progress(
                TextColumn("{task.description}"),
                BarColumn(),
                DownloadColumn(),
                TransferSpeedColumn(),
                console=self._console,
            )
            self._progress.start()
            self._progress.add_task(loading.text)
        task = self._progress.task_ids[0]
        self._progress.update(
            task, description=loading.text, total=loading.total, completed=loading.done or 0
        )
