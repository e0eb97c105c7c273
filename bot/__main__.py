"""`python -m bot`, and the `swarm-bot` script."""

import sys


def main() -> None:
    """Run the `swarm-bot` command and end the process with its exit code."""
    from bot.cli.app import run

    sys.exit(run(sys.argv[1:]))


if __name__ == "__main__":
    main()
