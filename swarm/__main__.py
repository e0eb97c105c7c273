"""`python -m swarm`, and the `swarm` script."""

import os
from typing import NoReturn

INTERRUPTED = 130
"""The same as `swarm.console.errors.INTERRUPTED`: nothing is imported before Ctrl-C is handled."""


def main() -> NoReturn:
    """Run the `swarm` command and end the process with its exit code."""
    try:
        from swarm.cli.app import run
        from swarm.console.command_group import end

        end(run)
    except KeyboardInterrupt:
        # During the imports above, or a second Ctrl-C while the first one is being handled.
        os._exit(INTERRUPTED)


if __name__ == "__main__":
    main()
