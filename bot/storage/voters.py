"""Whose votes count: everyone's, or those of members with certain roles."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from bot.rendering import plain

ROLE_SHOWN = 60
ROLES_SHOWN = 8


class _Role(Protocol):
    @property
    def id(self) -> int: ...

    @property
    def name(self) -> str: ...


class Voters:
    """The people who may vote in a server."""

    def __init__(self, roles: Sequence[str] = (), names: Sequence[str] | None = None) -> None:
        """Let people with any of these roles vote.

        Args:
            roles: names or ids; none: everyone may vote.
            names: the names to show, where they differ.
        """
        self._roles = frozenset(roles)
        shown = sorted(roles if names is None else names)[:ROLES_SHOWN]
        self.text = ", ".join(f"**{plain(role, ROLE_SHOWN)}**" for role in shown)
        """The roles, rendered for the chat; empty: everyone may vote."""

    @property
    def everyone(self) -> bool:
        """Whether no role is required."""
        return not self._roles

    def allow(self, roles: Sequence[_Role]) -> bool:
        """Return whether a person with these roles may vote."""
        return self.everyone or any(
            role.name in self._roles or str(role.id) in self._roles for role in roles
        )
