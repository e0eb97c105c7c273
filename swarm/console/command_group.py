"""What `swarm` and `swarm-bot` share: lazy subcommands, exit codes, messages, and a quick end.

A command of a group is a module of its own with a click command of the same name; it is imported
only when it is run or asked for help.
"""

from __future__ import annotations

import difflib
import importlib
import io
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, NoReturn

import click

from swarm.console.error_messages import for_people
from swarm.console.errors import BROKEN_PIPE, INTERRUPTED, OK, CommandError
from swarm.console.text import clean

Commands = Mapping[str, tuple[str, str]]
"""Command -> (module, what it does). The module has a click command of the command's name."""


class LazyGroup(click.Group):
    """A group that imports a command only when it is run or asked for help."""

    def __init__(self, *args: Any, lazy: Commands, **settings: Any) -> None:
        """Make the group.

        Args:
            args: click's own.
            lazy: the commands, in the order in which a newcomer meets them; modules by full name.
            settings: click's own.
        """
        super().__init__(*args, **settings)
        self._lazy = lazy

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the commands in the order in which a newcomer meets them."""
        return list(self._lazy)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command; None if there is none of that name."""
        if cmd_name not in self._lazy:
            return None
        command = getattr(importlib.import_module(self._lazy[cmd_name][0]), cmd_name)
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command, and suggest the one that was meant when there is none."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            near = difflib.get_close_matches(args[0], self._lazy, n=1)
            if near:
                raise click.UsageError(f"{error} Did you mean '{near[0]}'?", ctx) from None
            raise

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, summary) for name, (_, summary) in self._lazy.items()])


def run_group(group: click.Group, name: str, arguments: Sequence[str]) -> int:
    """Run a command line; return the exit code. Mistakes of the user are messages on stderr.

    Args:
        group: the commands.
        name: what the user typed.
        arguments: what came after it.
    """
    _open_streams()
    streams = sys.stdout, sys.stderr
    try:
        try:
            code = group.main(list(arguments), prog_name=name, standalone_mode=False)
            sys.stdout.flush()
        except Exception as error:
            told = None if isinstance(error, PLAIN) else for_people(error)
            if told is None or told is error:
                raise
            raise told from None
    except click.exceptions.Exit as done:
        return done.exit_code
    except click.ClickException as error:
        # What was typed is repeated, escapes and all.
        click.echo(clean(_shown(error)), err=True)
        return error.exit_code
    except (KeyboardInterrupt, click.Abort):
        return INTERRUPTED
    except CommandError as error:
        # A message may repeat what a peer called itself or its goal.
        click.echo(clean(str(error)), err=True)
        return error.exit_code
    except BrokenPipeError:
        return _nobody_reads()
    except SystemExit:
        if (sys.stdout, sys.stderr) == streams:
            raise
        # click's way to end when nobody reads what is written; it has put others in their place.
        sys.stdout, sys.stderr = streams
        return _nobody_reads()
    return code if isinstance(code, int) else OK


PLAIN = (click.ClickException, click.Abort, click.exceptions.Exit)
"""Errors that are click's own way to say something."""


def _open_streams() -> None:
    """Have all three standard streams, whatever the shell closed, and let them carry all texts."""
    for number, (name, mode) in enumerate((("stdin", "r"), ("stdout", "w"), ("stderr", "w"))):
        if getattr(sys, name) is None:
            # Also the descriptor: else the next file opened, such as a key, would take its place.
            handle = os.open(os.devnull, os.O_RDWR)
            if handle != number and _is_closed(number):
                os.dup2(handle, number)
            setattr(sys, name, open(handle, mode, encoding="utf-8"))  # noqa: SIM115
    for stream, errors in (
        # What is no text is found where it is used, and told there.
        (sys.stdin, "surrogateescape"),
        # Plans have all scripts of the world; a terminal without them shows a substitute.
        (sys.stdout, "replace"),
        (sys.stderr, "replace"),
    ):
        if hasattr(stream, "reconfigure"):
            # Not where something was read from it already.
            with suppress(OSError, ValueError):
                stream.reconfigure(errors=errors)


def _is_closed(number: int) -> bool:
    try:
        os.fstat(number)
    except OSError:
        return True
    return False


def _shown(error: click.ClickException) -> str:
    """Return what click would write about an error, the usage included."""
    text = io.StringIO()
    error.show(text)
    return text.getvalue().rstrip("\n")


def _nobody_reads() -> int:
    """Return the exit code for when whoever read the output went away."""
    # Python would complain once more at exit, when it flushes what nobody reads.
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return BROKEN_PIPE


def end(run: Callable[[Sequence[str]], int]) -> NoReturn:
    """Run the command line of this process, and end it with its exit code at once."""
    code = run(sys.argv[1:])
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    # All is closed and written by now. Letting the interpreter take libp2p apart piece by piece
    # would cost each peer 0.25 s of a core, and Ctrl-C of eight of them seconds.
    os._exit(code)
