"""`swarm revoke`: take a peer's roles away."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from swarm.cli import options

if TYPE_CHECKING:
    from swarm.config import SwarmConfig
    from swarm.core.records import Record
    from swarm.trust import Holder


@click.command(
    epilog="""
    \b
    Examples:
      swarm revoke attic
      swarm revoke 3f2a91c0              by the first digits of its key (swarm peers)

    From this moment on what that peer says counts for nothing; what it did before stays. It can
    still listen, because it has the swarm key: docs/security.md tells how to change that. Exit
    code: 0 the swarm has heard it; 3 nobody answered: it is kept, and goes out with the next thing
    you run that speaks (swarm up, peer, submit, revoke, the bot).
    """
)
@click.argument("whom", metavar="NAME-OR-KEY")
@options.swarm_options
@options.json_option
def revoke(whom: str, as_json: bool, **given: Any) -> int:
    """Take a peer's roles away, and tell the swarm. Only the owner's machine can."""
    config = options.read_config_quietly(given)
    from swarm.cli.errors import ENVIRONMENT, CommandError
    from swarm.cli.running import run
    from swarm.trust import TrustError, owner_of

    try:
        owner = owner_of(config.swarm)
        holder = owner.find(whom)
        record = owner.revoke(holder)
    except TrustError as error:
        raise CommandError(str(error), exit_code=ENVIRONMENT) from None
    return run(lambda: _publish(config, holder, record, as_json))


async def _publish(config: SwarmConfig, holder: Holder, record: Record, as_json: bool) -> int:
    from swarm.cli import output, session
    from swarm.cli.errors import ENVIRONMENT, OK, CommandError

    settings = session.peer_settings(
        config, "submitter", state_dir=session.submitter_dir(config), name="swarm revoke"
    )
    heard = False
    async with session.joined(settings) as peer:
        try:
            await session.find_swarm(peer)
        except CommandError as nobody:
            click.echo(str(nobody), err=True)
        else:
            before = session.records_published(peer)
            peer.hand_on(record.raw)
            heard = await session.spread(peer, before)
    called = holder.name or holder.author.hex()[:8]
    if as_json:
        output.print_json({"author": holder.author.hex(), "name": holder.name, "heard": heard})
    elif heard:
        click.echo(f"revoked {called}: from now on it counts for nothing")
    if not heard:
        click.echo(
            f"{called} is revoked, but nobody heard it yet. It is kept, and goes out with the next "
            "thing that you run here and that speaks: swarm up, swarm submit, or this once more.",
            err=True,
        )
    return OK if heard else ENVIRONMENT
