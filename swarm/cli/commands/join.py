"""`swarm join`: join a swarm by an invite."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from swarm.cli import options

if TYPE_CHECKING:
    from swarm.invite import Invite


@click.command(
    epilog="""
    \b
    Examples:
      swarm join -                       and paste the invite; it is not shown
      swarm join - < invite.txt
      swarm join leaderless-invite-1-...

    Typed as an argument the invite stays in the shell's history, and others on this machine can see
    it while the command runs: prefer -.
    """
)
@click.argument("invite", metavar="INVITE", nargs=-1, required=True)
@click.option(
    "--dir", "folder", metavar="DIR", help="Where to keep it.  [default: your configuration, NAME]"
)
@options.json_option
def join(invite: tuple[str, ...], folder: str | None, as_json: bool) -> int:
    """Join a swarm by an invite: keep its keys here, and say how to start its peer.

    INVITE is the line that `swarm invite` printed; - reads it from standard input.
    """
    from swarm.cli import output
    from swarm.cli.commands.init import default_folder
    from swarm.cli.errors import ENVIRONMENT, OK, USAGE, CommandError
    from swarm.founding import CONFIG
    from swarm.founding import join as keep
    from swarm.invite import InviteError, read
    from swarm.trust import TrustError

    try:
        # A line that was wrapped on its way arrives as several words.
        read_invite = read(_from_stdin() if invite == ("-",) else "".join(invite))
    except InviteError as error:
        raise CommandError(str(error), exit_code=USAGE) from None
    place = Path(folder).expanduser().absolute() if folder else default_folder(read_invite.swarm)
    try:
        keep(read_invite, place)
    except TrustError as error:
        raise CommandError(str(error), exit_code=ENVIRONMENT) from None
    if as_json:
        output.print_json(
            {
                "swarm": read_invite.swarm,
                "name": read_invite.name,
                "roles": list(read_invite.roles),
                "author": read_invite.author.hex(),
                "owner": read_invite.owner.hex(),
                "config": str(place / CONFIG),
            }
        )
    else:
        click.echo(_next_steps(read_invite, place / CONFIG))
    return OK


def _from_stdin() -> str:
    if sys.stdin.isatty():
        return str(click.prompt("Paste the invite (it is not shown)", hide_input=True, err=True))
    # Longer than any invite, and short enough whatever is piped in by mistake.
    return sys.stdin.read(1_000_000)


def _next_steps(invite: Invite, config: Path) -> str:
    """Say what to start; how depends on what was granted."""
    import shlex

    named = f"--config {shlex.quote(str(config))}"
    called = f"--name {shlex.quote(invite.name)}"
    lines = [f"This machine is in the swarm “{invite.swarm}” as {invite.name}. Start it:"]
    lines += [
        f"  swarm peer {role} {called} {named}"
        for role in invite.roles
        if role in ("decomposer", "scorer", "executor")
    ]
    if len(lines) > 2:
        lines.append("  (one of these at a time; for two at once the owner makes two invites)")
    if "submitter" in invite.roles:
        lines.append(f"  swarm submit GOAL --wait {named}")
        lines.append(f"  swarm-bot run {named}")
    lines.append(f"  swarm observe {named}")
    lines.append("The invite is used up: delete it wherever it was sent.")
    return "\n".join(lines)
