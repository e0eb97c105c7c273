"""Options of commands and values of menus, converted from user input to Discord's format."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from simcord import interactions as simcord_interactions
from simcord.backend import serializers

from bot.playground.access import Refused
from bot.playground.guild import Guild
from bot.playground.render import CHANNEL_SELECT, STRING_SELECT, USER_SELECT

TEXT, INTEGER, BOOLEAN, USER, CHANNEL, ROLE, NUMBER = 3, 4, 5, 6, 7, 8, 10

Resolved = dict[str, Any]


class Options:
    """Checks and converts options and menu values; raises `Refused` with what is wrong."""

    def __init__(self, guild: Guild) -> None:
        self._guild = guild

    def of_command(
        self,
        name: str,
        leaf: Mapping[str, Any],
        given: Mapping[str, Any],
        member_id: int,
    ) -> tuple[list[dict[str, Any]], Resolved]:
        """Return a command's options as sent, and the users, roles and channels they name."""
        declared = {option["name"]: option for option in leaf.get("options") or ()}
        built: list[dict[str, Any]] = []
        resolved: Resolved = {}
        for key, raw in given.items():
            option = declared.get(key)
            if option is None:
                known = ", ".join(sorted(declared)) or "none"
                raise Refused(f"/{name} has no option “{key}”. It has: {known}.")
            if option["type"] in (USER, CHANNEL, ROLE):
                value: Any = self._resolve(key, raw, resolved, member_id, kind=option["type"])
            elif option["type"] in (TEXT, INTEGER, NUMBER, BOOLEAN):
                value = simcord_interactions.parse_option_input(name, option, _typed(option, raw))
            else:
                raise Refused(f"The playground cannot fill in the option “{key}” of /{name}.")
            built.append({"name": key, "type": option["type"], "value": value})
        for key, option in declared.items():
            if option.get("required") and key not in given:
                raise Refused(f"/{name} needs the option “{key}”: {option.get('description')}")
        return built, resolved

    def of_menu(
        self, menu: Mapping[str, Any], chosen: Sequence[str], member_id: int
    ) -> dict[str, Any]:
        """Return the interaction data for the values chosen in a menu."""
        least, most = int(menu.get("min_values", 1)), int(menu.get("max_values", 1))
        if len(set(chosen)) != len(chosen) or not least <= len(chosen) <= most:
            number = str(least) if least == most else f"{least} to {most}"
            raise Refused(f"Choose {number} from the menu.")
        data: dict[str, Any] = {"custom_id": menu["custom_id"], "component_type": menu["type"]}
        resolved: Resolved = {}
        if menu["type"] == STRING_SELECT:
            known = {option["value"] for option in menu.get("options") or ()}
            for value in chosen:
                if value not in known:
                    raise Refused(f"The menu has no option “{value}”.")
        elif menu["type"] in (USER_SELECT, CHANNEL_SELECT):
            kind = CHANNEL if menu["type"] == CHANNEL_SELECT else USER
            for value in chosen:
                self._resolve("menu", value, resolved, member_id, kind=kind)
        else:
            raise Refused("The playground cannot fill in this menu.")
        data["values"] = list(chosen)
        if resolved:
            data["resolved"] = resolved
        return data

    def _resolve(
        self, what: str, raw: object, resolved: Resolved, member_id: int, *, kind: int
    ) -> str:
        backend = self._guild.backend
        wanted = int(str(raw)) if str(raw).isdecimal() else 0
        guild = backend.guilds[self._guild.id]
        channel = backend.channels.get(wanted)
        if kind == CHANNEL and channel is not None and channel.guild_id == guild.id:
            payload = dict(serializers.channel_payload(backend, channel))
            permissions = backend.compute_permissions(guild.id, member_id, wanted)
            payload["permissions"] = str(permissions)
            resolved.setdefault("channels", {})[str(wanted)] = payload
        elif kind == ROLE and wanted in guild.roles:
            role = dict(serializers.role_payload(guild.roles[wanted]))
            resolved.setdefault("roles", {})[str(wanted)] = role
        elif kind == USER and wanted in guild.members:
            user = dict(serializers.user_payload(backend.users[wanted]))
            member = dict(
                serializers.member_payload(backend, guild, guild.members[wanted], with_user=False)
            )
            resolved.setdefault("users", {})[str(wanted)] = user
            resolved.setdefault("members", {})[str(wanted)] = member
        else:
            raise Refused(f"The option “{what}” names nothing on this server.")
        return str(wanted)


def _typed(option: Mapping[str, Any], raw: object) -> object:
    """Convert JSON numbers and typed yes or no to the form that SimCord parses."""
    if option["type"] == BOOLEAN:
        words = {"true": True, "yes": True, "false": False, "no": False}
        return words.get(raw.lower(), raw) if isinstance(raw, str) else raw
    if option["type"] in (INTEGER, NUMBER) and isinstance(raw, int | float):
        return raw if isinstance(raw, bool) else str(raw)
    return raw
