"""What each server decided for itself: who may vote, and whether people's votes count.

In ascending precedence: `[bot]` and `[policy]` of the configuration, its `[bot.servers.ID]`, and
what the server's managers chose with `/settings`, which the journal stores.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

import structlog

from bot.storage.journal import Journal
from bot.storage.voters import Voters

log = structlog.get_logger(__name__)

People = Literal["count", "advisory", "off"]
"""Whether people's votes count, as in a goal's policy."""

PEOPLE: tuple[People, ...] = get_args(People)


@dataclass(frozen=True, slots=True)
class Server:
    """The settings of one server; None: as configured for all servers."""

    people: People | None = None
    roles: tuple[tuple[str, str], ...] | None = None
    """Roles whose members may vote: id or name, and the name shown. Empty: everyone may vote."""


class Settings:
    """The settings of all servers."""

    def __init__(
        self,
        journal: Journal,
        *,
        roles: Sequence[str] = (),
        people: People = "count",
        servers: Mapping[str, Server] | None = None,
    ) -> None:
        """Start from what is configured.

        Args:
            journal: stores what servers choose.
            roles: the roles whose members may vote by default; none: everyone may.
            people: whether people's votes count by default.
            servers: the configured settings of single servers, by id.
        """
        self._journal = journal
        self._roles = tuple((role, role) for role in roles)
        self._people: People = people
        self._servers = dict(servers or {})
        self._known: dict[int, Server] = {}

    def people(self, guild: int) -> People:
        """Return whether people's votes count in a server."""
        return self._of(guild).people or self._people

    def voters(self, guild: int) -> Voters:
        """Return who may vote in a server."""
        roles = self._of(guild).roles
        roles = self._roles if roles is None else roles
        return Voters([key for key, _ in roles], [name for _, name in roles])

    def choose(
        self,
        guild: int,
        *,
        people: People | None = None,
        roles: tuple[tuple[str, str], ...] | None = None,
    ) -> None:
        """Store what a server's managers chose; None leaves a setting as it is."""
        chosen = self._of(guild)
        if people is not None:
            chosen = replace(chosen, people=people)
        if roles is not None:
            chosen = replace(chosen, roles=roles)
        self._known[guild] = chosen
        kept = {"people": chosen.people, "roles": chosen.roles}
        self._journal.put(_key(guild), json.dumps(kept))
        log.info("server_settings_changed", guild=guild, people=chosen.people)

    def _of(self, guild: int) -> Server:
        if guild not in self._known:
            self._known[guild] = self._read(guild)
        return self._known[guild]

    def _read(self, guild: int) -> Server:
        configured = self._servers.get(str(guild), Server())
        noted = self._journal.get(_key(guild))
        if noted is None:
            return configured
        try:
            kept = json.loads(noted)
            people, roles = kept["people"], kept["roles"]
            chosen = configured
            if people in PEOPLE:
                chosen = replace(chosen, people=people)
            if roles is not None:
                chosen = replace(chosen, roles=tuple((str(key), str(name)) for key, name in roles))
        except (ValueError, TypeError, KeyError):
            # Damaged: the configured settings are better than a bot that counts no votes.
            log.warning("server_settings_unreadable", guild=guild)
            return configured
        return chosen


def _key(guild: int) -> str:
    return f"server:{guild}"
