"""`swarm join`: join a swarm with an invite."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from swarm.cli import options
from swarm.core.roles import WORKERS

if TYPE_CHECKING:
    from swarm.trust.invite import Invite


@click.command(
    epilog="""
    \b
    Examples:
      swarm join -                       then paste the invite; it is not shown
      swarm join - < invite.txt
      swarm join leaderless-invite-1-...

    Prefer -: as an argument, the invite stays in the shell's history, and other users of this
    machine can see it while the command runs. The output shows the commands that start the peer.
    """
)
@click.argument("invite", metavar="INVITE", nargs=-1, required=True)
@click.option(
    "--dir",
    "folder",
    metavar="DIR",
    help="Directory for its files.  [default: a directory in your configuration]",
)
@click.option(
    "--replace",
    is_flag=True,
    help="Replace an earlier identity of this name, for example after a revocation; a backup "
    "is kept.",
)
@options.json_option
def join(invite: tuple[str, ...], folder: str | None, replace: bool, as_json: bool) -> int:
    """Join a swarm with an invite: store its keys, and show how to start the peer.

    INVITE is the line that `swarm invite` printed; - reads it from standard input.
    """
    from swarm.cli.commands.init import place_for
    from swarm.cli.invite_input import pasted
    from swarm.cli.views import output
    from swarm.console.errors import OK
    from swarm.trust.folder import CONFIG
    from swarm.trust.folder import join as keep
    from swarm.trust.invite import read

    # An invite that was wrapped into lines arrives as several arguments.
    read_invite = read(pasted() if invite == ("-",) else "\n".join(invite))
    place = place_for(read_invite.swarm, folder)
    keep(read_invite, place, replace=replace)
    _tell_of_clock(read_invite)
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


def _tell_of_clock(invite: Invite) -> None:
    """Warn on stderr if the grant begins in the future, by this machine's clock."""
    import time

    from swarm.cli.clock_check import duration_text

    ahead = invite.grant.stamp.ms - int(time.time() * 1000)
    if ahead > 0:
        click.echo(
            f"The roles of this peer begin in {duration_text(ahead)} by this machine's clock; "
            "until then "
            "nothing it publishes counts. If this machine's clock is behind, set it. If the "
            "owner's clock was ahead, ask for a new invite.",
            err=True,
        )


def _next_steps(invite: Invite, config: Path) -> str:
    """Return the commands to run next; they depend on the granted roles."""
    import shlex

    named = f"--config {shlex.quote(str(config))}"
    called = f"--name {shlex.quote(invite.name)}"
    lines = [f"This machine has joined the swarm “{invite.swarm}” as {invite.name}. Start it:"]
    lines += [f"  swarm peer {role} {called} {named}" for role in invite.roles if role in WORKERS]
    if len(lines) > 2:
        lines.append(
            "  (only one of these at a time; for two at once, ask the owner for two invites)"
        )
    if "submitter" in invite.roles:
        lines.append(f"  swarm submit GOAL --wait {named}")
        lines.append(f"  swarm-bot run {named}")
    lines.append(f"  swarm observe {named}")
    lines.append(
        "Delete the invite wherever it was sent: anyone else who has it can act as this peer and "
        "read everything in the swarm."
    )
    return "\n".join(lines)
