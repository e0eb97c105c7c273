"""`swarm init`: create an owned swarm, with a swarm key and an owner's key."""

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

    It creates three files that only you can read: owner.key (it makes you the owner: keep a copy),
    swarm.key (all members have it) and swarm.toml (names both; pass it to --config or
    LEADERLESS_CONFIG). Peers that you start on this machine are granted their roles automatically;
    let other machines in with `swarm invite`, take roles away with `swarm revoke`. docs/security.md
    explains what this protects.
    """
)
@click.option("--name", metavar="NAME", help="Name of the swarm.  [default: leaderless]")
@click.option(
    "--dir",
    "folder",
    metavar="DIR",
    help="Directory for its files.  [default: a directory in your configuration]",
)
@options.listen_option
@options.json_option
def init(name: str | None, folder: str | None, listen: tuple[str, ...], as_json: bool) -> int:
    """Create a swarm that you own: only peers that you let in count.

    Existing files are never changed.
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
    click.echo(f"You own the new swarm “{called}”. Its files are in {place}")
    click.echo(_next_steps(config, listen))
    return OK


def place_for(swarm: str, folder: str | None) -> Path:
    """Return the directory for a swarm's keys and configuration.

    Args:
        swarm: the swarm's name.
        folder: the directory as it was typed; None: the usual one.

    Raises:
        CommandError: the path is relative, and the current directory was deleted.
    """
    from swarm.console.errors import ENVIRONMENT, CommandError

    if folder is None:
        import platformdirs

        from swarm.config.sections import APP
        from swarm.trust.folder import default_folder

        return default_folder(Path(platformdirs.user_config_path(APP)), swarm)
    try:
        # Not Path.expanduser, which raises for an unknown user.
        return Path(os.path.expanduser(folder)).absolute()
    except FileNotFoundError:
        raise CommandError(
            "The shell's current directory was deleted. Go to another one (cd), or name a full "
            "path "
            "with --dir.",
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
Next, use it in this terminal:
  export LEADERLESS_CONFIG={shlex.quote(str(config))}
Start peers (without --listen, only this machine can reach them):
  {start}
Let another machine in, for example as a scorer:
  swarm invite --role scorer{peers}
Ask for a plan, list the peers, take a peer's roles away:
  swarm submit "Plan a school fair" --wait
  swarm peers
  swarm revoke NAME"""
