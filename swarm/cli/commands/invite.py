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
    "submitter": "ask for plans, cancel its own plans, and attest people's votes (as the bot does)",
    "observer": "listen, without publishing",
}
"""What each role permits, in human-readable text."""


@click.command(
    epilog="""
    \b
    Examples:
      swarm invite --role scorer
      swarm invite --role executor --name attic --peers /ip4/192.168.1.7/tcp/7400
      swarm invite --role submitter > invite.txt        for a bot on another machine

    The invite is printed on stdout. On the other machine run `swarm join -` and paste it. An invite
    is for one peer; for two peers at the same time make two invites, even for one machine. Without
    --peers it carries the addresses of your configuration (listen, peers); without any address,
    both machines must be on one local network.
    """
)
@click.option(
    "--role",
    "roles",
    type=click.Choice(ROLES),
    multiple=True,
    required=True,
    help="Role of the new peer; repeatable.",
)
@click.option(
    "--name", metavar="NAME", help="Name of the new peer.  [default: the role and some digits]"
)
@options.swarm_options
def invite(roles: tuple[str, ...], name: str | None, **given: Any) -> int:
    """Let another machine into your swarm: print an invite for `swarm join` there.

    An invite is a secret. Only the owner's machine can make one (swarm init).
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
            "This swarm has no swarm key, so anyone who can reach it is already a member. Set "
            "swarm_key_file in its configuration, as `swarm init` does."
        )
    made = owner.invite(list(dict.fromkeys(roles)), name=name, swarm_key=key, addresses=addresses)
    may = "".join(f"\n  - {MEANING[role]}" for role in made.roles)
    click.echo(
        f"This is an invite to “{made.swarm}” for one peer, named {made.name}. Anyone who has it "
        f"can read everything in the swarm and, as {made.name}:{may}\n"
        "Treat it like a password. On the other machine run `swarm join -` and paste it.\n"
        f"To take it back: swarm revoke {made.name}",
        err=True,
    )
    if made.addresses:
        click.echo(f"The new peer dials {', '.join(made.addresses)}.\n", err=True)
    else:
        click.echo(
            "It names no address to dial. Both machines must be on one local network, and a peer "
            "here must listen beyond this machine; or name an address with --peers MULTIADDR.\n",
            err=True,
        )
    click.echo(encode(made))
    return OK


def _addresses(swarm: SwarmSection) -> list[str]:
    """Return the addresses in the configuration at which other machines can reach this swarm."""
    from swarm.net.addresses import dialable, is_dialable, is_local
    from swarm.trust.invite import MAX_ADDRESSES

    fixed = [address for address in swarm.listen if not address.endswith("/tcp/0")]
    here = [address for address in dialable(fixed) if not is_local(address)]
    return [address for address in (*here, *swarm.peers) if is_dialable(address)][:MAX_ADDRESSES]
