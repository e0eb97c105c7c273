"""Everything that happens, as one numbered stream of events for pages and programs.

The feed listens to the same backend events as the bot's gateway, but shows all of them, and also
what Discord shows only to one person: ephemeral answers and interactions that failed. Each event
carries the whole new state of what changed, so whoever missed some can start from a snapshot.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

import structlog

from bot.playground.guild import Guild
from bot.playground.render import (
    channel_view,
    command_views,
    message_view,
    person_view,
    role_views,
)
from bot.playground.views import ChannelView, Event, InteractionView, MessageView, Snapshot

log = structlog.get_logger(__name__)

BACKLOG_EVENTS = 2000
"""Events that may wait for a slow reader before it is cut off and has to start from a snapshot."""

SNAPSHOT_MESSAGES = 100
"""Newest messages of each channel in a snapshot; older ones can be asked for."""


class Subscription:
    """One reader's queue. `None` in it means: you were too slow, start again."""

    def __init__(self) -> None:
        self.events: asyncio.Queue[Event | None] = asyncio.Queue(BACKLOG_EVENTS + 1)
        self.cut_off = False

    def offer(self, event: Event) -> None:
        """Add an event, or cut the reader off when too many wait."""
        if self.cut_off:
            return
        if self.events.qsize() >= BACKLOG_EVENTS:
            self.cut_off = True
            self.events.put_nowait(None)
        else:
            self.events.put_nowait(event)


class Feed:
    """Turns backend events into `Event`s. `bot_online` asks whether the bot is connected."""

    def __init__(self, guild: Guild, bot_online: Callable[[], bool]) -> None:
        self._guild = guild
        self._bot_online = bot_online
        self._seq = 0
        self._subscriptions: set[Subscription] = set()
        self._online = False
        # Discord shows no edited mark when a deferred answer gets its text; SimCord counts that
        # as an edit. Ids of answers still loading, and the edit time of those just filled.
        self._loading: set[int] = set()
        self._filled: dict[int, str] = {}
        self._ephemeral: dict[str, set[int]] = {}
        # SimCord announces no direct conversations: those that readers know of already.
        self._direct: set[int] = set()
        guild.backend.subscribers.append(self._on_backend_event)

    # ------------------------------------------------------------------ readers

    def subscribe(self) -> tuple[Snapshot, Subscription]:
        """Return the present state and a queue of everything after it."""
        subscription = Subscription()
        self._subscriptions.add(subscription)
        return self.snapshot(), subscription

    def unsubscribe(self, subscription: Subscription) -> None:
        """Stop filling a queue."""
        self._subscriptions.discard(subscription)

    def snapshot(self) -> Snapshot:
        """Return the present state, with the newest messages of each channel."""
        guild = self._guild
        backend = guild.backend
        found = (channel_view(guild, channel) for channel in backend.channels.values())
        channels = [view for view in found if view is not None]
        messages: list[MessageView] = []
        for channel in channels:
            messages += self.messages(int(channel.id), limit=SNAPSHOT_MESSAGES)
        return Snapshot(
            seq=self._seq,
            guild=backend.guilds[guild.id].name,
            channel_id=str(guild.channel_id),
            bot_id=str(guild.bot_id),
            bot_online=self._bot_online(),
            people=[
                person_view(guild, user_id) for user_id in [*guild.people.values(), guild.bot_id]
            ],
            roles=role_views(guild),
            channels=channels,
            commands=command_views(guild),
            messages=messages,
        )

    def messages(
        self, channel_id: int, *, limit: int, before: int | None = None
    ) -> list[MessageView]:
        """Return a channel's newest messages (before one of them), oldest first."""
        stored = self._guild.backend.messages.get(channel_id, {})
        ids = sorted(i for i in stored if before is None or i < before)[-limit:]
        return [self._view(stored[message_id]) for message_id in ids]

    def message(self, channel_id: int, message_id: int) -> MessageView:
        """Return one message; the backend's error if there is none."""
        return self._view(self._guild.backend.get_message(channel_id, message_id))

    def channel(self, channel_id: int) -> ChannelView:
        """Return one channel; the backend's error if there is none."""
        view = channel_view(self._guild, self._guild.backend.get_channel(channel_id))
        assert view is not None
        return view

    # ------------------------------------------------------------------ what happens

    def direct_opened(self, channel_id: int) -> ChannelView:
        """Show a direct conversation, the first time it is opened."""
        view = self.channel(channel_id)
        if channel_id not in self._direct:
            self._direct.add(channel_id)
            self._publish(type="channel", channel=view)
        return view

    def bot_changed(self) -> None:
        """Say so if the bot has come or gone."""
        online = self._bot_online()
        if online != self._online:
            self._online = online
            self._publish(type="bot", online=online)

    def commands_changed(self) -> None:
        """Show the bot's new commands."""
        self._publish(type="commands", commands=command_views(self._guild))

    def interaction(self, view: InteractionView) -> None:
        """Show how an interaction stands."""
        self._publish(type="interaction", interaction=view)

    def interaction_answered(self, record: Any) -> None:
        """Show the answers that only one person sees; the backend sends no events for them."""
        stored = self._guild.backend.messages.get(record.channel_id, {})
        known = self._ephemeral.get(record.token, set())
        ids = {i for i in [record.message_id, *record.followup_ids] if i is not None}
        for message_id in sorted(ids):
            message = stored.get(message_id)
            if message is not None and message.is_ephemeral:
                known.add(message_id)
                self._ephemeral[record.token] = known
                self._publish(type="message", message=self._view(message))
        for message_id in sorted(known - stored.keys()):
            known.discard(message_id)
            self._deleted(str(record.channel_id), str(message_id))

    def _on_backend_event(self, event: str, payload: Mapping[str, Any]) -> None:
        try:
            self._translate(event, payload)
        except Exception:
            # The bot's side must go on: its request has been carried out, only our view failed.
            log.exception("playground_event_not_shown", discord_event=event)

    def _translate(self, event: str, payload: Mapping[str, Any]) -> None:
        if event in ("MESSAGE_CREATE", "MESSAGE_UPDATE"):
            if payload.get("guild_id") is None:
                self.direct_opened(int(payload["channel_id"]))
            self._message_changed(int(payload["channel_id"]), int(payload["id"]))
        elif event.startswith("MESSAGE_REACTION_"):
            self._message_changed(int(payload["channel_id"]), int(payload["message_id"]))
        elif event == "MESSAGE_DELETE":
            self._deleted(payload["channel_id"], payload["id"])
        elif event == "MESSAGE_DELETE_BULK":
            for message_id in payload["ids"]:
                self._deleted(payload["channel_id"], message_id)
        elif event in ("CHANNEL_CREATE", "CHANNEL_UPDATE", "THREAD_CREATE", "THREAD_UPDATE"):
            self._channel_changed(int(payload["id"]))
        elif event in ("CHANNEL_DELETE", "THREAD_DELETE"):
            self._publish(type="channel_deleted", channel_id=payload["id"])
            self._starter_changed(payload)
        elif event == "TYPING_START":
            self._publish(
                type="typing", channel_id=payload["channel_id"], user_id=payload["user_id"]
            )

    def _message_changed(self, channel_id: int, message_id: int) -> None:
        message = self._guild.backend.messages.get(channel_id, {}).get(message_id)
        if message is not None:
            self._publish(type="message", message=self._view(message))

    def _deleted(self, channel_id: str, message_id: str) -> None:
        self._loading.discard(int(message_id))
        self._filled.pop(int(message_id), None)
        self._publish(type="message_deleted", channel_id=channel_id, message_id=message_id)

    def _channel_changed(self, channel_id: int) -> None:
        channel = self._guild.backend.channels.get(channel_id)
        view = channel_view(self._guild, channel) if channel is not None else None
        if channel is not None and view is not None:
            self._publish(type="channel", channel=view)
            if channel.is_thread:
                self._message_changed(channel.parent_id, channel_id)

    def _starter_changed(self, payload: Mapping[str, Any]) -> None:
        """A message whose thread is gone loses the link to it."""
        if payload.get("parent_id"):
            self._message_changed(int(payload["parent_id"]), int(payload["id"]))

    def _view(self, message: Any) -> MessageView:
        edited = message.edited_timestamp is not None
        if edited and message.id in self._loading:
            self._loading.discard(message.id)
            self._filled[message.id] = message.edited_timestamp
        if self._filled.get(message.id) == message.edited_timestamp:
            edited = False
        view = message_view(self._guild, message, edited=edited)
        if view.loading:
            self._loading.add(message.id)
        return view

    def _publish(self, **fields: Any) -> None:
        self._seq += 1
        event = Event(seq=self._seq, **fields)
        for subscription in self._subscriptions:
            subscription.offer(event)
