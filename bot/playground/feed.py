"""One numbered stream of all events, for pages and programs.

The feed listens to the same backend events as the bot's gateway, but shows all of them, and also
what Discord shows to one person only: ephemeral answers and failed interactions. Each event carries
the whole new state of what changed, so a reader that missed some can start again from a snapshot.
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
"""Most events queued for a slow reader; beyond that it is cut off and needs a new snapshot."""

SNAPSHOT_MESSAGES = 100
"""Newest messages of each channel in a snapshot; older ones can be requested."""


class Subscription:
    """One reader's queue. `None` in it tells a reader that was too slow to start again."""

    def __init__(self) -> None:
        self.events: asyncio.Queue[Event | None] = asyncio.Queue(BACKLOG_EVENTS + 1)
        self.cut_off = False

    def offer(self, event: Event) -> None:
        """Add an event, or cut the reader off if the queue is full."""
        if self.cut_off:
            return
        if self.events.qsize() >= BACKLOG_EVENTS:
            self.cut_off = True
            self.events.put_nowait(None)
        else:
            self.events.put_nowait(event)


class Feed:
    """Turns backend events into `Event`s. `bot_online` returns whether the bot is connected."""

    def __init__(self, guild: Guild, bot_online: Callable[[], bool]) -> None:
        self._guild = guild
        self._bot_online = bot_online
        self._seq = 0
        self._subscriptions: set[Subscription] = set()
        self._online = False
        # When a deferred answer gets its text, Discord shows no edited mark, but SimCord counts an
        # edit. These are the ids of answers still loading, and the edit times of filled ones.
        self._loading: set[int] = set()
        self._filled: dict[int, str] = {}
        self._ephemeral: dict[str, set[int]] = {}
        # SimCord does not announce direct messages: these are the ones readers already know.
        self._direct: set[int] = set()
        guild.backend.subscribers.append(self._on_backend_event)

    # ------------------------------------------------------------------ readers

    def subscribe(self) -> tuple[Snapshot, Subscription]:
        """Return the current state and a queue of all later events."""
        subscription = Subscription()
        self._subscriptions.add(subscription)
        return self.snapshot(), subscription

    def unsubscribe(self, subscription: Subscription) -> None:
        """Stop adding events to a queue."""
        self._subscriptions.discard(subscription)

    def snapshot(self) -> Snapshot:
        """Return the current state, with the newest messages of each channel."""
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
        """Return one message; raise the backend's error if it does not exist."""
        return self._view(self._guild.backend.get_message(channel_id, message_id))

    def channel(self, channel_id: int) -> ChannelView:
        """Return one channel; raise the backend's error if it does not exist."""
        view = channel_view(self._guild, self._guild.backend.get_channel(channel_id))
        assert view is not None
        return view

    # ------------------------------------------------------------------ events

    def direct_opened(self, channel_id: int) -> ChannelView:
        """Return a channel of direct messages, and announce it the first time."""
        view = self.channel(channel_id)
        if channel_id not in self._direct:
            self._direct.add(channel_id)
            self._publish(type="channel", channel=view)
        return view

    def bot_changed(self) -> None:
        """Announce it if the bot has connected or disconnected."""
        online = self._bot_online()
        if online != self._online:
            self._online = online
            self._publish(type="bot", online=online)

    def commands_changed(self) -> None:
        """Announce the bot's new commands."""
        self._publish(type="commands", commands=command_views(self._guild))

    def interaction(self, view: InteractionView) -> None:
        """Announce the state of an interaction."""
        self._publish(type="interaction", interaction=view)

    def interaction_answered(self, record: Any) -> None:
        """Announce ephemeral answers, for which the backend sends no events."""
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
            # The bot's request was carried out and must succeed: only the view of it failed.
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
        """Update the message whose thread was deleted: it loses the link to it."""
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
