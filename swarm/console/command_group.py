"""Groups of commands: lazy subcommands, exit codes, error messages, and a quick exit.

Each command of a group is a module with a click command of the same name. It is imported only when
it runs or shows its help.
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

from swarm.console.error_messages import user_error
from swarm.console.errors import BROKEN_PIPE, INTERRUPTED, OK, CommandError
from swarm.console.text import clean

Commands = Mapping[str, tuple[str, str]]
"""Command -> (module, summary). The module has a click command of the command's name."""


class LazyGroup(click.Group):
    """A group that imports a command only when it runs or shows its help."""

    def __init__(self, *args: Any, lazy: Commands, **settings: Any) -> None:
        """Make the group.

        Args:
            args: passed on to click.
            lazy: the commands, in the order in which a newcomer needs them; full module names.
            settings: passed on to click.
        """
        super().__init__(*args, **settings)
        self._lazy = lazy

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the commands in the order in which a newcomer needs them."""
        return list(self._lazy)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command and return it; None if there is none with this name."""
        if cmd_name not in self._lazy:
            return None
        command = getattr(importlib.import_module(self._lazy[cmd_name][0]), cmd_name)
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command, or suggest one with a similar name."""
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
    """Run a command line; return the exit code. User errors become messages on stderr.

    Args:
        group: the commands.
        name: the program's name.
        arguments: the arguments after it.
    """
    _open_streams()
    streams = sys.stdout, sys.stderr
    try:
        try:
            code = group.main(list(arguments), prog_name=name, standalone_mode=False)
            sys.stdout.flush()
        except Exception as error:
            shown = None if isinstance(error, CLICK_ERRORS) else user_error(error)
            if shown is None or shown is error:
                raise
            raise shown from None
    except click.exceptions.Exit as done:
        return done.exit_code
    except click.ClickException as error:
        # The message repeats what was typed, which may contain escapes.
        click.echo(clean(_shown(error)), err=True)
        return error.exit_code
    except (KeyboardInterrupt, click.Abort):
        return INTERRUPTED
    except CommandError as error:
        # The message may repeat a peer's name or goal.
        click.echo(clean(str(error)), err=True)
        return error.exit_code
    except BrokenPipeError:
        return _output_closed()
    except SystemExit:
        if (sys.stdout, sys.stderr) == streams:
            raise
        # click exits like this when the output was closed; it has replaced the streams.
        sys.stdout, sys.stderr = streams
        return _output_closed()
    return code if isinstance(code, int) else OK


CLICK_ERRORS = (click.ClickException, click.Abort, click.exceptions.Exit)
"""Errors that click handles itself."""


def _open_streams() -> None:
    """Open the standard streams that the shell closed, and let all of them carry any text."""
    for number, (name, mode) in enumerate((("stdin", "r"), ("stdout", "w"), ("stderr", "w"))):
        if getattr(sys, name) is None:
            # Also the descriptor: otherwise the next file opened, such as a key, would get it.
            handle = os.open(os.devnull, os.O_RDWR)
            if handle != number and _is_closed(number):
                os.dup2(handle, number)
            setattr(sys, name, open(handle, mode, encoding="utf-8"))  # noqa: SIM115
    for stream, errors in (
        # Invalid UTF-8 is reported where the text is used.
        (sys.stdin, "surrogateescape"),
        # Plans may use any script; a terminal that lacks it shows a substitute.
        (sys.stdout, "replace"),
        (sys.stderr, "replace"),
    ):
        if hasattr(stream, "reconfigure"):
            # Fails if something was already read from the stream.
            with suppress(OSError, ValueError):
                stream.reconfigure(errors=errors)


def _is_closed(number: int) -> bool:
    try:
        os.fstat(number)
    except OSError:
        return True
    return False


def _shown(error: click.ClickException) -> str:
    """Return what click would print for an error, including the usage."""
    text = io.StringIO()
    error.show(text)
    return text.getvalue().rstrip("\n")


def _output_closed() -> int:
    """Silence stdout, whose reader has closed it, and return the exit code for that."""
    # Python would report the error again at exit, when it flushes the stream.
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return BROKEN_PIPE


def end(run: Callable[[Sequence[str]], int]) -> NoReturn:
    """Run the command line of this process, and exit at once with its exit code."""
    code = run(sys.argv[1:])
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    # Everything is closed and written by now. An ordinary exit would tear down libp2p piece by
    # piece: 0.25 s of a core for each peer, and seconds after a Ctrl-C for eight of them.
    os._exit(code)
