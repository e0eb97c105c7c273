"""`swarm init`: make a swarm of your own, with a key and an owner."""

from __future__ import annotations

import os
from pathlib import Path

import click

from swarm.cli import options


@click.command(
    epilog="""
    \b
    Examples:
      swarm init --name school
      swarm init --name school --listen /ip4/0.0.0.0/tcp/7400
      swarm init --dir ~/school --json

    It makes three files, readable by you only: owner.key (with it you are the owner: keep a copy),
    swarm.key (every member has it) and swarm.toml (names both; for --config or LEADERLESS_CONFIG).
    In an owned swarm only those count whom you let in: swarm invite, swarm revoke. What runs on
    this machine under your account is let in by itself. docs/security.md tells what that protects.
    """
)
@click.option("--name", metavar="NAME", help="Name of the swarm.  [default: leaderless]")
@click.option(
    "--dir", "folder", metavar="DIR", help="Where to keep it.  [default: your configuration, NAME]"
)
@options.listen_option
@options.json_option
def init(name: str | None, folder: str | None, listen: tuple[str, ...], as_json: bool) -> int:
    """Make a swarm that you own: only those count whom you let in.

    Nothing that is there already is ever changed.
    """
    from swarm.cli.views import output
    from swarm.config.sections import APP
    from swarm.console.errors import OK
    from swarm.trust.folder import CONFIG, create
    from swarm.trust.invite import check_listen

    called = APP if name is None else name
    check_listen(listen)
    place = place_for(called, folder)
    owner = create(place, called, listen)
    config = place / CONFIG
    if as_json:
        output.print_json({"swarm": called, "owner": owner.hex(), "config": str(config)})
        return OK
    click.echo(f"The swarm “{called}” is yours. Everything about it is in {place}")
    click.echo(_next_steps(config, listen))
    return OK


def place_for(swarm: str, folder: str | None) -> Path:
    """Return where a swarm's keys and configuration are kept.

    Args:
        swarm: its name.
        folder: as it was typed; None: the usual place.

    Raises:
        CommandError: it is relative to a directory that was deleted.
    """
    from swarm.console.errors import ENVIRONMENT, CommandError

    if folder is None:
        import platformdirs

        from swarm.config.sections import APP
        from swarm.trust.folder import default_folder

        return default_folder(Path(platformdirs.user_config_path(APP)), swarm)
    try:
        # Not Path.expanduser, which raises for a user that is not there.
        return Path(os.path.expanduser(folder)).absolute()
    except FileNotFoundError:
        raise CommandError(
            "The directory that this shell is in was deleted. Go to another (cd), or give the "
            "whole path with --dir.",
            exit_code=ENVIRONMENT,
        ) from None


def _next_steps(config: Path, listen: tuple[str, ...]) -> str:
    import shlex

    from swarm.net.addresses import dialable, is_local

    port = listen[0] if listen else "/ip4/0.0.0.0/tcp/7400"
    beyond = [a for a in dialable([port]) if not is_local(a)]
    start = "swarm up" if listen else f"swarm up --listen {port}"
    peers = "" if listen or not beyond else f" --peers {beyond[0]}"
    return f"""
Use it in this terminal:
  export LEADERLESS_CONFIG={shlex.quote(str(config))}
Start peers here (without --listen for this machine only):
  {start}
Let another machine in, for example as a scorer:
  swarm invite --role scorer{peers}
Ask for a plan, see who is here, take a peer's roles away:
  swarm submit "Plan a school fair" --wait
  swarm peers
  swarm revoke NAME"""
