"""Running the asynchronous part of a command: signals, and errors as messages.

The first Ctrl-C, SIGTERM or hang-up cancels the command, which then cleans up; a second one exits
immediately. Child processes exit in both cases (`swarm.processes.lifeline`).
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import AsyncIterator, Awaitable, Callable

import trio

from swarm.console.error_messages import user_error
from swarm.console.errors import OK

SHOW_CURSOR = "\x1b[?25h"
"""Shows the cursor again, which a live display hides."""


def run(main: Callable[[], Awaitable[int]], *, service: bool = False) -> int:
    """Run a command's main function under trio; return the exit code.

    Args:
        main: the command; returns its exit code.
        service: whether SIGTERM is the usual way to stop the command, and counts as success.

    Raises:
        CommandError: an error that has a message for the user.
    """

    async def watched() -> int:
        code = OK
        ended_by: list[int] = []

        async def watch(signals: AsyncIterator[int], scope: trio.CancelScope) -> None:
            async for number in signals:
                if ended_by:
                    if sys.stderr.isatty():
                        sys.stderr.write(SHOW_CURSOR)
                        sys.stderr.flush()
                    os._exit(128 + number)
                ended_by.append(number)
                scope.cancel()

        wanted = [signal.SIGINT, signal.SIGTERM]
        if hasattr(signal, "SIGHUP"):
            wanted.append(signal.SIGHUP)
        with trio.open_signal_receiver(*wanted) as signals:
            async with trio.open_nursery() as nursery:
                with trio.CancelScope() as scope:
                    nursery.start_soon(watch, signals, scope)
                    code = await main()
                nursery.cancel_scope.cancel()
        if ended_by:
            done = service and ended_by[0] == signal.SIGTERM
            return OK if done else 128 + ended_by[0]
        return code

    try:
        return trio.run(watched, restrict_keyboard_interrupt_to_checkpoints=True)
    except Exception as problem:
        # Errors with a message for the user become the command's; others keep their traceback.
        error = user_error(problem)
        if error is None or error is problem:
            raise
        raise error from None
