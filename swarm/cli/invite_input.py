"""Reading an invite that is pasted at a terminal: hidden, and of any length.

A terminal passes on at most 4,095 characters of a line and drops the rest. What is left of a paste
when the command exits would be typed into the shell, which keeps a history. So at a terminal the
characters are read as they arrive, line by line, until they form an invite; the rest is dropped.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

import click

from swarm.cli.options import MAX_PIPED

PASTE_SECONDS = 0.3
"""A paste continues if the next characters arrive within this time; people type more slowly."""

END_OF_INPUT = b"\x04"
"""Ctrl-D, which a terminal passes on unchanged when it does not collect lines."""

RUBOUT = (b"\x7f", b"\x08")
"""The characters that the backspace key sends."""


def pasted() -> str:
    """Return all of standard input, or at a terminal the invite that is pasted there."""
    stream = sys.stdin
    if not stream.isatty():
        return stream.read(MAX_PIPED)
    try:
        import termios  # noqa: F401
    except ImportError:
        return str(click.prompt("Paste the invite (it is not shown)", hide_input=True, err=True))
    return _from_terminal(stream)


def _from_terminal(stream: TextIO) -> str:
    click.echo("Paste the invite (it is not shown), then press Enter: ", nl=False, err=True)
    text = b""
    with _hidden_input(stream.fileno()):
        while len(text) < MAX_PIPED:
            piece = os.read(stream.fileno(), 4_096)
            text += piece
            if not piece or END_OF_INPUT in piece:
                break
            while text.endswith(RUBOUT):
                text = text[:-2]
            if not text.endswith((b"\n", b"\r")) or _more_comes(stream):
                continue
            if _is_whole(text) or _last_line_is_empty(text):
                break
            click.echo(
                "\nThis is not all of it yet. Paste the rest, or press Enter again to stop: ",
                nl=False,
                err=True,
            )
    click.echo(err=True)
    return text.replace(END_OF_INPUT, b"").decode(errors="replace")


def _is_whole(text: bytes) -> bool:
    from swarm.trust.invite import InviteError, read

    try:
        read(text.decode(errors="replace"))
    except InviteError:
        return False
    return True


def _last_line_is_empty(text: bytes) -> bool:
    return not text.replace(b"\r", b"\n").split(b"\n")[-2].strip()


def _more_comes(stream: TextIO) -> bool:
    import select

    return bool(select.select([stream], [], [], PASTE_SECONDS)[0])


@contextmanager
def _hidden_input(terminal: int) -> Iterator[None]:
    """Neither show characters nor collect them into lines; drop what was not read at the end."""
    import termios

    before = termios.tcgetattr(terminal)
    inside = termios.tcgetattr(terminal)
    inside[3] &= ~(termios.ECHO | termios.ICANON)
    inside[6][termios.VMIN], inside[6][termios.VTIME] = 1, 0
    try:
        termios.tcsetattr(terminal, termios.TCSADRAIN, inside)
        yield
    finally:
        termios.tcsetattr(terminal, termios.TCSAFLUSH, before)
