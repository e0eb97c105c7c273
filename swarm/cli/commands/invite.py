"""`swarm invite`: let another machine into your swarm, with the roles you choose."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from swarm.cli import options
from swarm.core.roles import ROLES

if TYPE_CHECKING:
    from swarm.config import SwarmSection

MEANING: Mapping[str, str] = {
    "decomposer": "propose how goals are split",
    "scorer": "rate and approve splits",
    "executor": "do tasks and write results",
    "submitter": "ask for plans, cancel its own, and attest people's votes on them (the bot)",
    "observer": "listen",
}
"""What each role permits, for people."""


@click.command(
    epilog="""
    \b
    Examples:
      swarm invite --role scorer
      swarm invite --role executor --name attic --peers /ip4/192.168.1.7/tcp/7400
      swarm invite --role submitter > invite.txt        for a bot on another machine

    The line on stdout is for one machine: there, `swarm join -` and paste it. One peer runs from
    it at a time; for two at once make two invites, which one machine may both join. Without --peers
    it carries the addresses that your configuration listens on or dials; with none, the machines
    have to be on one local network.
    """
)
@click.option(
    "--role",
    "roles",
    type=click.Choice(ROLES),
    multiple=True,
    required=True,
    help="What it may do; repeatable.",
)
@click.option(
    "--name", metavar="NAME", help="What you call it.  [default: the role and some digits]"
)
@options.swarm_options
def invite(roles: tuple[str, ...], name: str | None, **given: Any) -> int:
    """Let another machine into your swarm: print a secret line for `swarm join` there.

    Only the owner's machine can (swarm init).
    """
    config = options.read_config_quietly(given)
    from swarm.console.errors import OK
    from swarm.trust.grants import TrustError
    from swarm.trust.invite import check_addresses, encode
    from swarm.trust.owner import owner_of

    addresses = check_addresses(given.get("peers") or _addresses(config.swarm))
    owner = owner_of(config.swarm)
    key = config.swarm.key()
    if key is None:
        raise TrustError(
            "This swarm has no swarm key, so anyone who reaches it is in. Give it one "
            "(swarm_key_file), as `swarm init` does."
        )
    made = owner.invite(list(dict.fromkeys(roles)), name=name, swarm_key=key, addresses=addresses)
    may = "".join(f"\n  - {MEANING[role]}" for role in made.roles)
    click.echo(
        f"An invite to “{made.swarm}” for one machine, called {made.name}. Whoever has this line "
        f"can read everything in the swarm, and as {made.name}:{may}\n"
        "Hand it over like a password. On the other machine: swarm join -   and paste it.\n"
        f"To take it back: swarm revoke {made.name}",
        err=True,
    )
    if made.addresses:
        click.echo(f"It dials {', '.join(made.addresses)}.\n", err=True)
    else:
        click.echo(
            "It names no address to dial: both machines have to be on one local network, and a "
            "peer here has to listen beyond this machine (--peers MULTIADDR names one).\n",
            err=True,
        )
    click.echo(encode(made))
    return OK


def _addresses(swarm: SwarmSection) -> list[str]:
    """Return what the configuration says about reaching this swarm from elsewhere."""
    from swarm.net.addresses import dialable, is_dialable, is_local
    from swarm.trust.invite import MAX_ADDRESSES

    fixed = [address for address in swarm.listen if not address.endswith("/tcp/0")]
    here = [address for address in dialable(fixed) if not is_local(address)]
    return [address for address in (*here, *swarm.peers) if is_dialable(address)][:MAX_ADDRESSES]
