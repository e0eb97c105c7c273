"""`python -m swarm`, and the `swarm` script."""

import sys


def main() -> None:
    """Run the `swarm` command and end the process with its exit code."""
    from swarm.cli.app import run

    sys.exit(run(sys.argv[1:]))


if __name__ == "__main__":
    main()
