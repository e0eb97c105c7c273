"""`python -m bot`, and the `swarm-bot` script."""

from typing import NoReturn


def main() -> NoReturn:
    """Run the `swarm-bot` command and end the process with its exit code."""
    from bot.cli.app import run
    from swarm.cli.group import end

    end(run)


if __name__ == "__main__":
    main()
