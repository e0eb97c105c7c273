"""`swarm revoke`: take a peer's roles away."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import click

from swarm.cli import options

if TYPE_CHECKING:
    from swarm.config import SwarmConfig
    from swarm.core.records import Record
    from swarm.peer.peer import Peer
    from swarm.trust.grants import Grantee
    from swarm.trust.owner import Owner

KEPT = (
    "It is kept, and goes out with the next thing that you run here and that speaks: swarm up, "
    "swarm submit, or this once more."
)
"""What becomes of a revocation that did not get out."""


@click.command(
    epilog="""
    \b
    Examples:
      swarm revoke attic
      swarm revoke 3f2a91c0              by the first digits of its key (swarm peers)

    From this moment on what that peer says counts for nothing; what it did before stays. It can
    still listen, because it has the swarm key: docs/security.md tells how to change that. This
    moment is this machine's: if its clock is not that of the peers that are here, nothing is
    revoked, and you are told. Exit code: 0 the swarm has heard it; 2 nobody is called so; 3 nobody
    answered, and it is kept and goes out with the next thing you run that speaks (swarm up, peer,
    submit, revoke, the bot), or it could not be done.
    """
)
@click.argument("whom", metavar="NAME-OR-KEY")
@click.option(
    "--own-clock",
    is_flag=True,
    help="Revoke by this machine's clock though the peers' clocks say another time.",
)
@options.swarm_options
@options.json_option
def revoke(whom: str, own_clock: bool, as_json: bool, **given: Any) -> int:
    """Take a peer's roles away, and tell the swarm. Only the owner's machine can."""
    config = options.read_config_quietly(given)
    from swarm.cli.runner import run
    from swarm.trust.owner import owner_of

    owner = owner_of(config.swarm)
    grantee = owner.find(whom)
    return run(lambda: _revoke(config, owner, grantee, own_clock, as_json))


async def _revoke(
    config: SwarmConfig, owner: Owner, grantee: Grantee, own_clock: bool, as_json: bool
) -> int:
    from swarm.cli import session
    from swarm.cli.clock_check import Clocks, Whose
    from swarm.cli.views import output
    from swarm.console.errors import ENVIRONMENT, OK, CommandError
    from swarm.trust.identity import identities_in

    settings = session.peer_settings(
        config, "submitter", state_dir=session.submitter_dir(config), name="swarm revoke"
    )
    whose: dict[bytes, Whose] = {g.author: "others" for g in owner.grantees() if g.roles}
    whose |= dict.fromkeys(identities_in(config.swarm.state_dir), "here")
    whose[grantee.author] = "subject"
    clocks = Clocks(lambda: int(time.time() * 1000), whose.get)
    called = grantee.name or grantee.author.hex()[:8]
    trouble = ""
    async with session.joined(settings, heard=clocks.heard) as peer:
        # What it said itself a while ago may be repeated to it.
        whose.pop(peer.author, None)
        try:
            await session.find_swarm(peer)
        except CommandError as nobody:
            click.echo(str(nobody), err=True)
            owner.revoke(grantee)
            trouble = f"{called} is revoked, but nobody heard it yet. {KEPT}"
        else:
            await clocks.listen()
            off = clocks.behind_ms()
            if off and not own_clock:
                raise CommandError(_wrong_clock(off, called), exit_code=ENVIRONMENT)
            trouble = await _publish(peer, owner.revoke(grantee), called)
            if off and not trouble:
                trouble = (
                    f"{called} is revoked by this machine's clock, and the record was sent. Peers "
                    "whose clocks say another time may take it later, or not at all; it is kept."
                )
    if as_json:
        told = {"author": grantee.author.hex(), "name": grantee.name, "heard": not trouble}
        output.print_json(told)
    elif not trouble:
        click.echo(f"revoked {called}: from now on it counts for nothing")
    if trouble:
        click.echo(trouble, err=True)
    return ENVIRONMENT if trouble else OK


async def _publish(peer: Peer, records: list[Record], called: str) -> str:
    """Send a revocation; return what kept it from being heard, for people; empty: nothing."""
    from swarm.cli import session
    from swarm.core.store.store import AddResult

    before = session.records_published(peer)
    outcomes = [peer.hand_on(record.raw) for record in records]
    # Only the first holds now; a second is for the time to which another clock had jumped.
    if outcomes[0] not in (AddResult.NEW, AddResult.DUPLICATE):
        return (
            f"{called} is NOT revoked: peers do not take the record ({outcomes[0].value}), because "
            "they hold as many of this owner's words as they keep. To shut it out, change the "
            "swarm key (docs/security.md)."
        )
    if not await session.spread(peer, before):
        return f"{called} is revoked, but nobody heard it yet. {KEPT}"
    return ""


def _wrong_clock(behind_ms: int, called: str) -> str:
    import shlex

    from swarm.cli.clock_check import length

    side, meaning = (
        ("behind", f"would also undo what {called} did in the meantime")
        if behind_ms > 0
        else ("ahead of", "would hold only then, or never be taken")
    )
    return (
        f"Nothing was revoked: this machine's clock is {length(behind_ms)} {side} that of the "
        f"peers that answered, and by it the revocation {meaning}. Set the clock, and revoke "
        f"again. If theirs are wrong: swarm revoke --own-clock {shlex.quote(called)}"
    )
