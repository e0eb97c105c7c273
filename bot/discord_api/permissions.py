"""What Discord's roles and channel overwrites add up to, and who takes what away.

Computed from what the HTTP interface answers, without a connection or a cache: for a look before
the bot is started. The order of rules is Discord's: everyone, roles together, the member itself.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import discord


@dataclass(frozen=True, slots=True)
class Overwrite:
    """What a channel changes for a role or a member."""

    target: int
    is_member: bool
    allow: int
    deny: int


def overwrites_of(channel: Mapping[str, Any]) -> list[Overwrite]:
    """Return a channel's overwrites, as Discord answers it."""
    return [
        Overwrite(int(one["id"]), int(one["type"]) == 1, int(one["allow"]), int(one["deny"]))
        for one in channel.get("permission_overwrites") or ()
    ]


def allowed_in(
    base: int, overwrites: Sequence[Overwrite], *, guild: int, roles: Collection[int], member: int
) -> int:
    """Return what a member may do in a channel, as Discord's bits.

    Args:
        base: what its roles allow in the whole server.
        overwrites: the channel's.
        guild: the server's id, which is that of everyone's role.
        roles: the member's roles.
        member: its id.
    """
    if discord.Permissions(base).administrator:
        return discord.Permissions.all().value
    everyone = [one for one in overwrites if not one.is_member and one.target == guild]
    own = [one for one in overwrites if not one.is_member and one.target in roles]
    own = [one for one in own if one.target != guild]
    itself = [one for one in overwrites if one.is_member and one.target == member]
    for step in (everyone, own, itself):
        deny = allow = 0
        for one in step:
            deny |= one.deny
            allow |= one.allow
        base = base & ~deny | allow
    return base


def denied_for(
    bit: int, overwrites: Sequence[Overwrite], *, guild: int, roles: Mapping[int, str], member: int
) -> list[str]:
    """Return for whom a channel takes a permission away, by name; none: no role gives it.

    Args:
        bit: the permission's.
        overwrites: the channel's.
        guild: the server's id.
        roles: the member's roles and their names.
        member: its id.
    """
    return [
        "the bot itself" if one.is_member else f"the role {roles.get(one.target, '?')}"
        for one in overwrites
        if one.deny & bit
        and (one.target == member if one.is_member else one.target in roles or one.target == guild)
    ]
