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
    "It is stored, and is sent with the next command here that publishes: swarm up, swarm submit, "
    "or this command again."
)
"""What happens to a revocation that was not sent."""


@click.command(
    epilog="""
    \b
    Examples:
      swarm revoke attic
      swarm revoke 3f2a91c0              by the first digits of its key (swarm peers)

    From now on, nothing that the peer publishes counts; what it did before stays. It can still
    listen, because it has the swarm key: docs/security.md explains how to change that. "Now" is the
    time of this machine: if its clock differs from the clocks of the other peers, nothing is
    revoked, and the command says so. `swarm peers` lists names and keys.

    Exit codes: 0 the swarm received the revocation; 2 no peer has this name or key; 3 no peer
    answered, and the revocation is stored and sent with the next command that publishes (swarm up,
    peer, submit, revoke, the bot), or the revocation failed.
    """
)
@click.argument("peer_name", metavar="NAME-OR-KEY")
@click.option(
    "--own-clock",
    is_flag=True,
    help="Revoke by this machine's clock, even if the peers' clocks differ.",
)
@options.swarm_options
@options.json_option
def revoke(peer_name: str, own_clock: bool, as_json: bool, **given: Any) -> int:
    """Take a peer's roles away, and tell the swarm. Only the owner's machine can do this."""
    config = options.read_config_quietly(given)
    from swarm.cli.runner import run
    from swarm.trust.owner import owner_of

    owner = owner_of(config.swarm)
    grantee = owner.find(peer_name)
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
        # Others may repeat to this peer what it published itself a while ago.
        whose.pop(peer.author, None)
        try:
            await session.find_swarm(peer)
        except CommandError as not_found:
            click.echo(str(not_found), err=True)
            owner.revoke(grantee)
            trouble = f"{called} is revoked, but no other peer knows yet. {KEPT}"
        else:
            await clocks.listen()
            off = clocks.behind_ms()
            if off and not own_clock:
                raise CommandError(_wrong_clock(off, called), exit_code=ENVIRONMENT)
            trouble = await _publish(peer, owner.revoke(grantee), called)
            if off and not trouble:
                trouble = (
                    f"{called} is revoked by this machine's clock, and the record was sent. Peers "
                    "with other clocks may accept it later, or never; it is stored."
                )
    if as_json:
        facts = {"author": grantee.author.hex(), "name": grantee.name, "heard": not trouble}
        output.print_json(facts)
    elif not trouble:
        click.echo(f"revoked {called}: nothing it publishes from now on counts")
    if trouble:
        click.echo(trouble, err=True)
    return ENVIRONMENT if trouble else OK


async def _publish(peer: Peer, records: list[Record], called: str) -> str:
    """Send a revocation; return a message if it was not received, else an empty text."""
    from swarm.cli import session
    from swarm.core.store.store import AddResult

    before = session.records_published(peer)
    outcomes = [peer.hand_on(record.raw) for record in records]
    # Only the first record takes effect now; a second is for a time to which a clock had jumped.
    if outcomes[0] not in (AddResult.NEW, AddResult.DUPLICATE):
        return (
            f"{called} is NOT revoked: peers do not accept the record ({outcomes[0].value}), "
            "because "
            "they already keep as many records of this owner as they can. To shut the peer out, "
            "change the swarm key (docs/security.md)."
        )
    if not await session.spread(peer, before):
        return f"{called} is revoked, but no other peer knows yet. {KEPT}"
    return ""


def _wrong_clock(behind_ms: int, called: str) -> str:
    import shlex

    from swarm.cli.clock_check import duration_text

    side, meaning = (
        ("behind", f"would also undo what {called} has done since then")
        if behind_ms > 0
        else ("ahead of", "would take effect only later, or never be accepted")
    )
    return (
        f"Nothing was revoked: this machine's clock is {duration_text(behind_ms)} {side} the "
        "clocks of "
        f"the peers that answered, so the revocation {meaning}. Set the clock and revoke again. "
        f"If their clocks are wrong: swarm revoke --own-clock {shlex.quote(called)}"
    )
