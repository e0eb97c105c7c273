"""`python -m swarm`, and the `swarm` script."""

from typing import NoReturn


def main() -> NoReturn:
    """Run the `swarm` command and end the process with its exit code."""
    from swarm.cli.app import run
    from swarm.cli.group import end

    end(run)


if __name__ == "__main__":
    main()
