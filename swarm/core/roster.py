"""Which records an author may publish in an owned swarm: the owner's grants, folded like all else.

A grant states which roles an author has from its stamp on, until a later one replaces it; one
without roles revokes. So records that an author published while it had the role keep counting, and
two peers with the same grants judge every record alike. In an open swarm everyone may publish
everything.
"""

from __future__ import annotations

from bisect import bisect_right, insort

from swarm.core.records import Grant, Presence, Record, SortKey
from swarm.core.roles import ROLE_FOR


class Roster:
    """The grants of one swarm."""

    def __init__(self, owner: bytes | None) -> None:
        """Start without grants.

        Args:
            owner: public key of the owner, who grants roles; None: the swarm is open.
        """
        self.owner = owner
        self._grants: dict[bytes, list[tuple[SortKey, Grant]]] = {}

    def apply(self, record: Record) -> None:
        """Apply a grant; one by anyone but the owner is ignored."""
        body = record.body
        if record.author == self.owner and isinstance(body, Grant):
            insort(self._grants.setdefault(body.subject, []), (record.key, body), key=_key)

    def forget(self, rid: bytes) -> None:
        """Drop a grant by its record's id, because the store no longer keeps it."""
        for subject, grants in list(self._grants.items()):
            kept = [item for item in grants if item[0][-1] != rid]
            if kept:
                self._grants[subject] = kept
            else:
                del self._grants[subject]

    def grant_of(self, author: bytes, ms: int) -> Grant | None:
        """Return an author's grant in force at the end of a millisecond; None: it has none."""
        grants = self._grants.get(author, [])
        at = bisect_right(grants, ms, key=lambda item: item[0][0])
        return grants[at - 1][1] if at else None

    def subjects(self) -> list[bytes]:
        """Return all authors that the owner ever granted anything, ordered by key."""
        return sorted(self._grants)

    def has_role(self, author: bytes, role: str, ms: int) -> bool:
        """Return whether an author has a role at a time (ms); an empty role means any role."""
        if self.owner is None or author == self.owner:
            return True
        grant = self.grant_of(author, ms)
        if grant is None:
            return False
        return role in grant.roles if role else bool(grant.roles)

    def allows(self, record: Record) -> bool:
        """Return whether an author may publish a record; else it is foreign: shown, not folded."""
        body = record.body
        if isinstance(body, Presence):
            role = body.role
        elif body.kind == "ballot" and getattr(body, "person", None) is not None:
            role = "submitter"
        else:
            role = ROLE_FOR.get(body.kind, "")
        return self.has_role(record.author, role, record.stamp.ms)


def _key(item: tuple[SortKey, Grant]) -> SortKey:
    return item[0]
