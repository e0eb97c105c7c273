"""`python -m bot`, and the `swarm-bot` script."""

import os
from typing import NoReturn

INTERRUPTED = 130
"""`swarm.console.errors.INTERRUPTED`; nothing is imported before Ctrl-C is handled."""


def main() -> NoReturn:
    """Run the `swarm-bot` command and end the process with its exit code."""
    try:
        from bot.cli.app import run
        from swarm.console.command_group import end

        end(run)
    except KeyboardInterrupt:
        # Ctrl-C during the imports, or again while the first one was being handled.
        os._exit(INTERRUPTED)


if __name__ == "__main__":
    main()
