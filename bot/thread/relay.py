"""Between the swarm and the chat: it wakes the writers that a change concerns.

It holds one writer for each goal that is followed, and wakes it when its goal or the peers present
change. It knows neither libp2p nor discord.py: the swarm is a `SwarmPeer`, the chat a `Chat`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import structlog

from bot import metrics
from bot.clock import Clock
from bot.storage.journal import GoalEntry, Journal
from bot.storage.people import People
from bot.storage.voters import Voters
from bot.swarm_link.swarm_peer import SwarmPeer
from bot.texts import Text, say
from bot.thread.chat import Chat
from bot.thread.reconciler import EDIT_SECONDS
from bot.thread.story import Scene, long_texts, story, without_thread
from bot.thread.vote_counter import VoteCounter
from bot.thread.writer import Story, Writer
from bot.views.posts import File, Post
from swarm.core.fold.plan import Plan
from swarm.core.policy import HOUR
from swarm.core.roles import WORKERS
from swarm.core.views.waiting import Lack, Lasting, kind_of, lacks

log = structlog.get_logger(__name__)

FORGOTTEN_MS = 6 * HOUR
"""How long to wait, from when it was asked, for a goal that no peer in the swarm knows."""

SETTLE_SECONDS = 8.0
"""How long a new goal waits at most, after the peer started, until other peers have been heard."""

JOIN_TIMES = 3
"""How many times `SETTLE_SECONDS` a command waits for a peer that is just starting."""

QUIET_SECONDS = 1.5
"""After so long without a new peer, all others have probably been heard."""

MISSING_MS = 6_000
"""How long somebody must be missing before a thread says so: restarting peers are back by then."""

PRESENCES_MS = 1_000
"""Time between wake-ups of all threads when peers come or go: presences come in bursts."""


Draw = Callable[[Plan, Callable[[bytes], str]], Awaitable[tuple[File, ...]]]
"""Draws a picture of a plan's tree; returns nothing if it cannot."""


class Relay:
    """Follows goals from the swarm into their threads."""

    def __init__(
        self,
        *,
        journal: Journal,
        chat: Chat,
        people: People,
        swarm: str = "",
        voters: Callable[[int], Voters] = lambda _: Voters(),
        draw: Draw | None = None,
        edit_seconds: float = EDIT_SECONDS,
        settle_seconds: float = SETTLE_SECONDS,
        clock: Clock | None = None,
    ) -> None:
        """Make the relay; it follows nothing yet.

        Args:
            journal: what was posted where.
            chat: where to post.
            people: turns people's ids into keyed hashes.
            swarm: the swarm's name, if peers started by hand need it on their command line.
            voters: returns whose votes count in a server.
            draw: draws pictures; None: none are drawn.
            edit_seconds: time between two edits in a thread.
            settle_seconds: how long `settled` waits at most.
            clock: the clock; tests bring their own.
        """
        self.journal = journal
        self.peer: SwarmPeer | None = None
        """The running peer; None while there is none."""
        self._last: SwarmPeer | None = None
        self._chat = chat
        self._swarm = swarm
        self.voters = voters
        self._draw = draw
        self._edit_seconds = edit_seconds
        self._clock = clock or Clock()
        self._settle_seconds = settle_seconds
        self._up_at = 0.0
        self._met: set[str] = set()
        self._met_at = 0.0
        self._writers: dict[bytes, Writer] = {}
        self._tasks: dict[bytes, asyncio.Task[None]] = {}
        self._complete = False
        """Whether a peer of each role that plans need is here and can work."""
        self._lasting: dict[bytes, Lasting[Lack]] = {}
        """Who is missing for each goal that is followed."""
        self._told_presences_ms = 0
        self._told_presences: frozenset[object] = frozenset()
        self.votes = VoteCounter(journal=journal, people=people, chat=chat, plan=self.plan)
        self._turns = asyncio.Lock()
        """Held by the writer that computes its story: one after the other."""

    # Goals.

    def follow(self, entry: GoalEntry, asker: int | None = None) -> Writer:
        """Keep a goal's thread up to date from now on.

        Args:
            entry: the goal, as in the journal.
            asker: the person who asked, if known: it is stored nowhere, so only this run knows.
        """
        known = self._writers.get(entry.goal)
        if known is not None:
            return known
        writer = Writer(
            entry,
            journal=self.journal,
            chat=self._chat,
            tell=self._tell,
            texts=self._long_texts,
            asker=asker,
            draw=self._picture,
            edit_seconds=self._edit_seconds,
            clock=self._clock,
            turns=self._turns,
        )
        self._writers[entry.goal] = writer
        self.votes.follow(entry.goal)
        task = asyncio.create_task(writer.run(), name=f"writer-{entry.goal.hex()[:8]}")
        self._tasks[entry.goal] = task
        task.add_done_callback(lambda _: self._done(writer))
        metrics.LIVE.set(len(self._writers))
        return writer

    def follow_all(self) -> None:
        """Follow every goal that was followed when the bot last stopped."""
        for entry in self.journal.live():
            self.follow(entry)

    def writer(self, goal: bytes) -> Writer | None:
        """Return the writer of a goal that is followed."""
        return self._writers.get(goal)

    def plan(self, goal: bytes) -> Plan | None:
        """Return a goal's plan as last known, even while the peer is down."""
        peer = self.peer or self._last
        return None if peer is None else peer.store.plan(goal)

    async def close(self) -> None:
        """Stop following; the journal has everything."""
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self.votes.close()

    # The swarm.

    def swarm_up(self, peer: SwarmPeer) -> None:
        """Use a peer that has just started."""
        metrics.CONNECTED.labels("swarm").set(1)
        self.peer = self._last = peer
        for entry in self.journal.live():
            if entry.record and entry.goal not in peer.store:
                # The bot was killed before any other peer had it: no goal is lost.
                log.info("goal_restored", goal=entry.goal.hex()[:12])
                peer.store.add(entry.record, peer.now())
        self._up_at = self._met_at = self._clock.now()
        self._met.clear()
        self._complete = False
        self._lasting.clear()
        self.swarm_changed(frozenset((b"",)))
        self.votes.swarm_up(peer)
        self.wake_all()

    async def joined(self) -> None:
        """Wait for the peer, if it is just starting."""
        limit = self._clock.now() + JOIN_TIMES * self._settle_seconds
        while self.peer is None and self._clock.now() < limit:
            await self._clock.wait(QUIET_SECONDS / 5)

    async def settled(self) -> None:
        """Wait until the peers present have been heard, if the bot's peer has just started.

        The quorum signed into a goal is a majority of the scorers known: too early, one alone
        would decide.
        """
        await self.joined()
        quiet_seconds = min(QUIET_SECONDS, self._settle_seconds)
        settled_at = self._up_at + self._settle_seconds
        limit = max(settled_at, self._clock.now() + quiet_seconds)
        while self.peer is not None and (now := self._clock.now()) < limit:
            quiet = now - self._met_at >= quiet_seconds
            if quiet and (self._complete or now >= settled_at):
                return
            await self._clock.wait(quiet_seconds / 5)

    def swarm_down(self) -> None:
        """Note that the peer has stopped; the plans it knew can still be read."""
        metrics.CONNECTED.labels("swarm").set(0)
        self.peer = None
        self.votes.swarm_down()
        self.wake_all()

    def swarm_changed(self, goals: frozenset[bytes]) -> None:
        """Wake the writers of changed goals, by id; `b""` means presences and wakes all."""
        if b"" in goals and self.peer is not None:
            self._look_around(self.peer)
        for goal in goals:
            if (writer := self._writers.get(goal)) is not None:
                writer.wake(changed=True)

    def wake_all(self) -> None:
        """Wake every writer."""
        for writer in self._writers.values():
            writer.wake()

    def _look_around(self, peer: SwarmPeer) -> None:
        now = peer.now()
        present = peer.roles_present()
        views = peer.peers()
        met = {view.author for view in views}
        metrics.PEERS.set(sum(not view.is_me for view in views))
        if not met <= self._met:
            self._met |= met
            self._met_at = self._clock.now()
        self._complete = all(present.get(role) for role in WORKERS)
        # What threads show of peers; most presences only state that a peer is still there.
        about = ((view.author, view.name, view.trouble, view.capabilities) for view in views)
        shown = frozenset(about)
        if shown != self._told_presences and now - self._told_presences_ms >= PRESENCES_MS:
            self._told_presences_ms, self._told_presences = now, shown
            self.wake_all()

    def _tell(self, goal: bytes, posted: frozenset[str]) -> Story | None:
        peer = self.peer or self._last
        if peer is None:
            return None
        plan = peer.store.plan(goal)
        now = peer.now()
        if plan is None:
            return self._forgotten(goal, now)
        self.votes.count_once(goal)
        views = peer.heard()
        writer = self._writers.get(goal)
        scene = Scene(
            name=peer.name_of,
            swarm=self._swarm,
            others=sum(not view.is_me for view in views),
            lacks=self._lasting_lacks(plan, now),
            troubles=tuple((view.name, view.trouble) for view in views if view.trouble),
            voters=self.voters(writer.entry.guild).text if writer is not None else "",
        )
        posts = story(plan, scene, posted)
        if writer is not None and writer.entry.fallen:
            posts = without_thread(posts)
        return Story(posts, plan.root.title, over=plan.final)

    def _lasting_lacks(self, plan: Plan, now_ms: int) -> tuple[Lack, ...]:
        """Return who has been missing for a plan for a while."""
        peer = self.peer or self._last
        if peer is None or plan.final:
            self._lasting.pop(plan.id, None)
            return ()
        lasting = self._lasting.setdefault(plan.id, Lasting(kind_of, MISSING_MS))
        return tuple(lasting.of(lacks(plan, peer.heard()), now_ms))

    def _long_texts(self, goal: bytes) -> list[tuple[str, int, int]]:
        plan = self.plan(goal)
        return [] if plan is None else list(long_texts(plan))

    async def _picture(self, goal: bytes) -> tuple[File, ...]:
        plan, peer = self.plan(goal), self.peer or self._last
        if plan is None or peer is None or self._draw is None:
            return ()
        return await self._draw(plan, peer.name_of)

    def _forgotten(self, goal: bytes, now: int) -> Story | None:
        entry = self.journal.goal(goal)
        if entry is None or entry.thread is None or now - entry.created_ms < FORGOTTEN_MS:
            return None
        return Story([Post("lost", say(Text.LOST))], "", over=True)

    def _done(self, writer: Writer) -> None:
        goal = writer.goal
        self._writers.pop(goal, None)
        self._tasks.pop(goal, None)
        self._lasting.pop(goal, None)
        metrics.LIVE.set(len(self._writers))
        self.votes.unfollow(goal)
