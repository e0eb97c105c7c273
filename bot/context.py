"""The bot's context: all its parts put together, for the commands and events that work with them.

It composes and runs nothing: `bot.app.run` runs it, `bot.interactions` uses it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from bot.clock import Clock
from bot.config import BotConfig
from bot.discord_api.discord_chat import DiscordChat
from bot.goals.antispam import AntiSpam
from bot.goals.goals import Goals
from bot.goals.queue import Queue
from bot.storage.journal import Journal
from bot.storage.people import People
from bot.storage.server_settings import Settings
from bot.swarm_link.swarm_guest import GuestPeer, SwarmGuest
from bot.thread.relay import SETTLE_SECONDS, Relay
from bot.thread.vote_counter import VoteCounter
from bot.views import picture
from bot.views.posts import File
from swarm.core.fold.plan import Plan
from swarm.core.records import Namer, short_key

DEFAULT_SWARM = "leaderless"


class Bot:
    """What the commands and events work with."""

    def __init__(
        self,
        config: BotConfig,
        *,
        journal: Journal,
        people: People,
        make_peer: Callable[[], GuestPeer],
        settle_seconds: float = SETTLE_SECONDS,
        clock: Clock | None = None,
    ) -> None:
        """Put the parts together; nothing runs yet.

        Args:
            config: the configuration.
            journal: what was posted where.
            people: turns people's ids into keyed hashes.
            make_peer: makes the bot's swarm peer.
            settle_seconds: how long a goal asked right after the start waits for other peers.
            clock: the clock; tests bring their own.
        """
        self.journal = journal
        self.people = people
        policy = config.goal_policy()
        self._drawing = asyncio.Lock()
        """Held while a picture is drawn, one at a time: drawing occupies a core."""
        self.direct_messages = config.bot.direct_messages
        self.swarm_name = config.swarm.name
        self.settings = Settings(
            journal,
            roles=config.bot.voter_roles,
            people=policy.people,
            servers=config.bot.of_servers(),
        )
        self.chat = DiscordChat(self.settings.voters)
        self.relay = Relay(
            journal=journal,
            chat=self.chat,
            people=people,
            swarm="" if self.swarm_name == DEFAULT_SWARM else self.swarm_name,
            voters=self.settings.voters,
            draw=self.draw_for,
            edit_seconds=config.bot.edit_every,
            settle_seconds=settle_seconds,
            clock=clock,
        )
        self.goals = Goals(
            journal=journal,
            people=people,
            relay=self.relay,
            settings=self.settings,
            policy=policy,
            quotas=config.quotas(),
        )
        self.queue = Queue(self.goals, self.chat, clock)
        self.antispam = AntiSpam((clock or Clock()).now)
        self.guest = SwarmGuest(
            make_peer,
            on_up=self.relay.swarm_up,
            on_down=self.relay.swarm_down,
            on_change=self.relay.swarm_changed,
        )

    @property
    def votes(self) -> VoteCounter:
        """What counts people's votes."""
        return self.relay.votes

    async def draw(self, plan: Plan, *, dark: bool = True) -> tuple[File, ...]:
        """Return a picture of a plan's tree; empty if it cannot be drawn."""
        peer = self.relay.peer
        async with self._drawing:
            return await picture.draw(plan, peer.name_of if peer else short_key, dark=dark)

    async def draw_for(self, plan: Plan, name: Namer) -> tuple[File, ...]:
        """Return the pictures of a finished plan, for dark and for light screens."""
        async with self._drawing:
            pictures = [await picture.draw(plan, name, dark=dark) for dark in (True, False)]
        return tuple(file for files in pictures for file in files)
