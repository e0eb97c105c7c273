"""The permissions that roles and channel overwrites add up to, and which of them deny what.

Computed from answers of the HTTP interface, without a connection or a cache: for `swarm-bot check`
before the bot starts. The order of rules is Discord's: @everyone, all roles together, the member.
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
    """Return a channel's overwrites from Discord's answer."""
    return [
        Overwrite(int(one["id"]), int(one["type"]) == 1, int(one["allow"]), int(one["deny"]))
        for one in channel.get("permission_overwrites") or ()
    ]


def allowed_in(
    base: int, overwrites: Sequence[Overwrite], *, guild: int, roles: Collection[int], member: int
) -> int:
    """Return a member's permissions in a channel, as Discord's bits.

    Args:
        base: what the member's roles allow in the whole server.
        overwrites: the channel's overwrites.
        guild: the server's id, which is also the id of the @everyone role.
        roles: the member's roles.
        member: the member's id.
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
    """Return the roles and members that a channel denies a permission; empty: no role allows it.

    Args:
        bit: the permission's bit.
        overwrites: the channel's overwrites.
        guild: the server's id.
        roles: the member's roles and their names.
        member: the member's id.
    """
    return [
        "the bot itself" if one.is_member else f"the role {roles.get(one.target, '?')}"
        for one in overwrites
        if one.deny & bit
        and (one.target == member if one.is_member else one.target in roles or one.target == guild)
    ]
