"""`python -m swarm`, and the `swarm` script."""

import os
import sys
from contextlib import suppress


def main() -> None:
    """Run the `swarm` command and end the process with its exit code."""
    from swarm.cli.app import run

    code = run(sys.argv[1:])
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    # All is closed and written by now. Letting the interpreter take libp2p apart piece by piece
    # would cost each peer 0.25 s of a core, and Ctrl-C of eight of them seconds.
    os._exit(code)


if __name__ == "__main__":
    main()
