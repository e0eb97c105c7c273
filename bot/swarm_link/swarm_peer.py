"""The bot's own swarm peer, as the rest of the bot sees it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, Protocol

from swarm.core.policy import Policy
from swarm.core.records import KnownBody, Record
from swarm.core.store.store import Store
from swarm.peer.peer import PeerView

Verdict = Literal["approve", "reject", "abstain"]
"""A person's vote on a split; "abstain" takes an earlier vote back."""


class SwarmPeer(Protocol):
    """What the bot needs of its swarm peer; `swarm.peer.peer.Peer` is one."""

    store: Store
    author: bytes
    name: str

    def now(self) -> int:
        """Return the time to fold at, in ms."""

    def submit(
        self,
        text: str,
        *,
        policy: Policy | None = None,
        language: str = "",
        asker: bytes | None = None,
        note: Callable[[Record], object] | None = None,
    ) -> bytes:
        """Publish a goal and return its id; `note` receives the signed record before that."""

    def cancel(self, goal_id: bytes, reason: str = "") -> None:
        """Stop a goal."""

    def vote(self, goal_id: bytes, proposal_id: bytes, person: bytes, verdict: Verdict) -> None:
        """Attest one person's vote."""

    def publish(self, body: KnownBody) -> Record:
        """Stamp, sign, store and send a body."""

    def peers(self) -> list[PeerView]:
        """Return the peers heard from recently."""

    def heard(self) -> list[PeerView]:
        """Return all peers heard lately; those that do not count have their clock as trouble."""

    def roles_present(self) -> dict[str, int]:
        """Return how many peers of each role can work now."""

    def name_of(self, author: bytes) -> str:
        """Return the name that is shown for an author."""
