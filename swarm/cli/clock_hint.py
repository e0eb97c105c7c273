"""Tells the user of a command that clocks differ, and what to do about it.

A peer whose clock is wrong does not count for others, and they do not count for it. Without this a
command would say that peers are missing while they run.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import click

from swarm.cli.clock_check import duration_text
from swarm.console.text import one_line

if TYPE_CHECKING:
    from swarm.peer.peer import Peer, PeerView

SET_IT = "for example: timedatectl set-ntp true (macOS: sntp -sS time.apple.com)"

NAMED = 5
"""How many peers with other clocks are named."""


def side(clock_ms: int) -> str:
    """Return how a peer's clock differs, such as `40 s ahead`."""
    return f"{duration_text(clock_ms)} {'ahead' if clock_ms > 0 else 'behind'}"


def lines(peer: Peer) -> list[str]:
    """Return what to tell the user about clocks; empty if they agree.

    Args:
        peer: the peer whose view of the swarm is used.
    """
    own = peer.own_clock()
    if own is not None:
        return [
            f"This machine's clock is {side(-own.behind_ms)}, compared with most of the "
            f"{own.judges} peers heard. Until it is right, this command and the swarm cannot work "
            f"together, and what it shows may be wrong. Set the clock, {SET_IT}, and try again."
        ]
    differ = [*peer.not_counted(), *(view for view in peer.peers() if view.clock_ms)]
    named = [_line(view) for view in differ[:NAMED]]
    more = len(differ) - NAMED
    return [*named, f"… and {more} more: swarm peers"] if more > 0 else named


def _line(view: PeerView) -> str:
    return (
        f"{one_line(view.name, 80)}, {view.role}: its clock is {side(view.clock_ms)}, compared "
        "with this machine's, so what it does counts late or never. Set the wrong clock right, "
        f"{SET_IT}, and restart that peer."
    )


class ClockHint:
    """Tells the user once, as soon as it is known, that clocks differ."""

    def __init__(
        self, peer: Peer, say: Callable[[str], None] = lambda line: click.echo(line, err=True)
    ) -> None:
        """Start with nothing told.

        Args:
            peer: the peer whose view of the swarm is used.
            say: shows a line.
        """
        self._peer = peer
        self._say = say
        self._told: set[str] = set()

    def check(self) -> None:
        """Tell the user if there is news: this machine's clock at most once, each peer's too."""
        own = self._peer.own_clock() is not None
        for line in lines(self._peer):
            key = "own" if own else line.split(",", 1)[0]
            if key not in self._told and "own" not in self._told:
                self._told.add(key)
                self._say(line)
