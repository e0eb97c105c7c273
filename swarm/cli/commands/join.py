"""`swarm join`: join a swarm by an invite."""

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
@click.option(
    "--replace",
    is_flag=True,
    help="Set aside another identity that is in its place, as after a revocation.",
)
@options.json_option
def join(invite: tuple[str, ...], folder: str | None, replace: bool, as_json: bool) -> int:
    """Join a swarm by an invite: keep its keys here, and say how to start its peer.

    INVITE is the line that `swarm invite` printed; - reads it from standard input.
    """
    from swarm.cli.commands.init import place_for
    from swarm.cli.invite_input import pasted
    from swarm.cli.views import output
    from swarm.console.errors import OK
    from swarm.trust.folder import CONFIG
    from swarm.trust.folder import join as keep
    from swarm.trust.invite import read

    # A line that was wrapped on its way arrives as several words.
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
    """Say on stderr if the grant begins in the future, by this machine's clock."""
    import time

    from swarm.cli.clock_check import length

    ahead = invite.grant.stamp.ms - int(time.time() * 1000)
    if ahead > 0:
        click.echo(
            f"Its roles begin in {length(ahead)} by this machine's clock; until then it counts for "
            "nothing. Either this clock is behind, or the owner's was ahead: then ask for a new "
            "invite.",
            err=True,
        )


def _next_steps(invite: Invite, config: Path) -> str:
    """Say what to start; how depends on what was granted."""
    import shlex

    named = f"--config {shlex.quote(str(config))}"
    called = f"--name {shlex.quote(invite.name)}"
    lines = [f"This machine is in the swarm “{invite.swarm}” as {invite.name}. Start it:"]
    lines += [f"  swarm peer {role} {called} {named}" for role in invite.roles if role in WORKERS]
    if len(lines) > 2:
        lines.append("  (one of these at a time; for two at once the owner makes two invites)")
    if "submitter" in invite.roles:
        lines.append(f"  swarm submit GOAL --wait {named}")
        lines.append(f"  swarm-bot run {named}")
    lines.append(f"  swarm observe {named}")
    lines.append(
        "Delete the invite wherever it was sent: whoever else has it can speak as this peer and "
        "read everything in the swarm."
    )
    return "\n".join(lines)
