"""Filtering of events by the intents that a bot declared when it identified.

Without this, a bot that forgot an intent would work here but receive no events from the real
Discord.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

import discord
from simcord import intents as simcord_intents
from simcord.backend import serializers


def parse_intents(value: object) -> discord.Intents | None:
    """Return the intents in the bit field of op 2, or None if it is not valid."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        return None
    intents = discord.Intents.none()
    intents.value = value
    return intents


def filter_event(
    backend: Any, event: str, payload: Mapping[str, Any], intents: discord.Intents
) -> dict[str, Any] | None:
    """Return a copy of the payload limited to these intents, or None if they exclude the event."""
    gate = simcord_intents.required_intent(event, payload)
    if gate is not None and not getattr(intents, gate):
        return None
    seen: dict[str, Any] = copy.deepcopy(dict(payload))
    bot_id = backend.bot_user.id
    if event in ("MESSAGE_CREATE", "MESSAGE_UPDATE") and not intents.message_content:
        simcord_intents.censor_message(seen, bot_id, backend=backend)
    if event == "GUILD_CREATE":
        simcord_intents.prune_guild_create(seen, intents, bot_id)
        seen["threads"] = [
            thread
            for thread in seen.get("threads", ())
            if not thread["thread_metadata"]["archived"]
        ]
    return seen


def member_chunks(backend: Any, request: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the GUILD_MEMBERS_CHUNK payloads that answer op 8 (request guild members).

    The server is small, so there is exactly one chunk, or none for an unknown guild.
    """
    guild = backend.guilds.get(int(request.get("guild_id", 0)))
    if guild is None:
        return []
    members = list(guild.members.values())
    payload: dict[str, Any] = {"guild_id": str(guild.id), "chunk_index": 0, "chunk_count": 1}
    wanted = request.get("user_ids")
    if wanted:
        ids = {int(user_id) for user_id in (wanted if isinstance(wanted, list) else [wanted])}
        members = [member for member in members if member.user_id in ids]
        missing = ids - {member.user_id for member in members}
        if missing:
            payload["not_found"] = [str(user_id) for user_id in sorted(missing)]
    else:
        prefix = str(request.get("query") or "").lower()
        members = [
            member
            for member in members
            if backend.users[member.user_id].name.lower().startswith(prefix)
        ]
        members = members[: int(request.get("limit") or 0) or None]
    payload["members"] = [serializers.member_payload(backend, guild, member) for member in members]
    if request.get("presences"):
        payload["presences"] = []
    if request.get("nonce") is not None:
        payload["nonce"] = request["nonce"]
    return [payload]
