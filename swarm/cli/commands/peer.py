"""`swarm peer`: one peer in the foreground."""

from __future__ import annotations

import sys
from contextlib import AsyncExitStack, ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from swarm.cli import options
from swarm.core.roles import WORKERS, Role

if TYPE_CHECKING:
    from swarm.config import SwarmConfig
    from swarm.peer.peer import Peer

ROLES: tuple[Role, ...] = (*WORKERS, "observer")
"""Roles that `swarm peer` runs; a submitter is started by `swarm submit` or the bot."""


@click.command(
    epilog="""
    \b
    Examples:
      swarm peer scorer
      swarm peer executor --name desktop --model qwen2.5:7b
      swarm peer decomposer --listen /ip4/0.0.0.0/tcp/7400 --swarm-key-file key.txt
      swarm peer executor --peers /ip4/192.168.1.7/tcp/7400 --swarm-key-file key.txt

    The first lines of output are the peer's id and addresses; logs go to stderr. Peers on one
    machine find each other. On another machine, pass one of the addresses to --peers. Each name has
    its own identity, kept in the usual directory or in --state-dir. `swarm peers` lists all peers.
    """
)
@click.argument("role", metavar="ROLE", type=click.Choice(ROLES))
@click.option(
    "--name",
    metavar="NAME",
    type=options.RecordText(options.MAX_NAME, shortest=1),
    help="Name of the peer.  [default: the role and a number]",
)
@options.listen_option
@options.swarm_options
@options.model_options
@click.option(
    "--capability",
    "capabilities",
    multiple=True,
    metavar="NAME",
    type=options.RecordText(options.MAX_NAME, shortest=1),
    help="Capability that this executor offers; repeatable.",
)
@options.json_option
@options.lifeline_option
def peer(
    role: Role,
    name: str | None,
    capabilities: tuple[str, ...],
    as_json: bool,
    until_stdin_closes: bool,
    **given: Any,
) -> int:
    """Run one peer in the foreground until Ctrl-C or SIGTERM.

    ROLE is decomposer (proposes splits), scorer (rates and approves splits), executor (does tasks)
    or observer (listens, publishes nothing).
    """
    leave_out("rich", "pygments")
    if len(capabilities) > options.MAX_CAPABILITIES:
        raise click.UsageError(
            f"There are {len(capabilities)} capabilities; a peer can offer "
            f"{options.MAX_CAPABILITIES} at most."
        )
    if until_stdin_closes:
        from swarm.processes.lifeline import end_when_stdin_closes

        end_when_stdin_closes()
    config = options.read_config(given)
    from swarm.cli.runner import run
    from swarm.console.logs import log_to_stderr

    log_to_stderr(config.log.level, config.log.format)
    with ExitStack() as held:
        called, state_dir = _identity(config, role, name, given.get("state_dir"), held)
        return run(
            lambda: _run(config, role, called, state_dir, capabilities, as_json), service=True
        )


def leave_out(*names: str) -> None:
    """Keep optional libraries from being imported.

    A peer draws nothing, but httpx and structlog would import rich if they could: 8 MB in each of
    the eight peers of a laptop.
    """
    for name in names:
        if name not in sys.modules:
            # None makes an import of it fail.
            sys.modules[name] = None  # type: ignore[assignment]


def _identity(
    config: SwarmConfig, role: Role, name: str | None, own: str | None, held: ExitStack
) -> tuple[str, Path]:
    """Return the peer's name and its state directory.

    A directory given with --state-dir is used as it is; otherwise each name has its own. A lock is
    held as long as the peer runs, so that one identity is never run twice by accident.

    Raises:
        CommandError: a peer of this name is already running, or the directory cannot be written.
    """
    from swarm.console.errors import ENVIRONMENT, USAGE, CommandError
    from swarm.processes.name_locks import NameLocks
    from swarm.trust.identity import IdentityError, folder_of
    from swarm.trust.membership import names_granted

    if own is not None:
        try:
            free = held.enter_context(NameLocks(config.swarm.state_dir)).take_name("peer")
        except OSError:
            # A peer also runs on a read-only disk, where no lock can be made.
            free = True
        if not free:
            raise CommandError(
                f"A peer is already running in {config.swarm.state_dir}, and a second one with "
                "its key "
                "would repeat its work. Give this peer another --state-dir.",
                exit_code=USAGE,
            )
        return name or "", config.swarm.state_dir
    folder = config.swarm.state_dir / "peers"

    def place(name: str) -> Path:
        return folder_of(folder, name)

    locks = held.enter_context(NameLocks(folder))
    try:
        # On a machine that joined an owned swarm, use the identity that was granted the role.
        names = [name] if name is not None else names_granted(config.swarm, role)
        called = next((n for n in names if locks.take_name(place(n).name)), None)
        if called is None and names:
            raise CommandError(
                f"A peer named {names[0]} is already running on this machine. Give this one "
                "another "
                "--name, or its own --state-dir.",
                exit_code=USAGE,
            )
        name = called or locks.take(role, 1)[0]
    except IdentityError as error:
        raise CommandError(str(error), exit_code=ENVIRONMENT) from None
    except OSError as error:
        raise CommandError(
            f"Identities cannot be kept in {folder}: {error.strerror}. Name a writable directory "
            "with --state-dir DIR.",
            exit_code=ENVIRONMENT,
        ) from None
    return name, place(name)


async def _run(
    config: SwarmConfig,
    role: Role,
    name: str,
    state_dir: Path | None,
    capabilities: tuple[str, ...],
    as_json: bool,
) -> int:
    import trio

    from swarm.cli.model_setup import open_brain
    from swarm.peer.peer import Peer
    from swarm.peer.settings import PeerSettings

    async with AsyncExitStack() as held:
        brain = None
        if role != "observer":
            brain = await held.enter_async_context(open_brain(config, name))
        running = Peer(
            PeerSettings.from_config(
                config.swarm,
                role,
                state_dir=state_dir,
                name=name,
                grant_name=name,
                capabilities=capabilities,
            ),
            brain=brain,
        )
        async with trio.open_nursery() as nursery:
            await nursery.start(running.run)
            _introduce(running, as_json)
    return 0


def _introduce(peer: Peer, as_json: bool) -> None:
    from swarm.cli.views.output import print_json_line
    from swarm.net.addresses import dialable

    addresses = dialable(peer.addresses)
    if as_json:
        print_json_line(
            {
                "peer_id": peer.peer_id,
                "addresses": addresses,
                "role": peer.settings.role,
                "name": peer.name,
                "swarm": peer.settings.swarm,
                "author": peer.author.hex(),
            }
        )
        return
    click.echo(f"peer {peer.peer_id}")
    for address in addresses:
        click.echo(f"listening on {address}")
    sys.stdout.flush()
