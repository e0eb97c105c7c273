"""Counting people's votes: from reactions and buttons in the chat to votes that the peer attests.

`ballots` decides which vote of a person counts. This module knows which message shows which split,
recounts all votes after a restart or a lost connection, and passes changes on to the swarm.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Literal, cast

import structlog

from bot import metrics
from bot.storage.journal import GoalEntry, Journal
from bot.storage.people import People
from bot.swarm_link.swarm_peer import SwarmPeer, Verdict
from bot.thread.ballots import Ballots, meaning
from bot.thread.chat import Chat, ChatError
from bot.thread.story import SPLIT
from bot.views.splits import Split, find
from swarm.core.fold.plan import Plan

log = structlog.get_logger(__name__)

Pressed = Literal["counted", "taken back", "by reaction", "over", "unknown", "down"]
"""The outcome of a press on a vote button."""


class VoteCounter:
    """Counts people's votes on the splits of the goals that are followed."""

    def __init__(
        self,
        *,
        journal: Journal,
        people: People,
        chat: Chat,
        plan: Callable[[bytes], Plan | None],
    ) -> None:
        """Make the counter; it follows nothing yet.

        Args:
            journal: what was posted where, and the votes by button.
            people: turns people's ids into keyed hashes.
            chat: has the votes by reaction.
            plan: returns a goal's plan as last known, even while the peer is down.
        """
        self._journal = journal
        self._people = people
        self._chat = chat
        self._plan = plan
        self._peer: SwarmPeer | None = None
        self._followed: set[bytes] = set()
        self._splits: dict[int, tuple[bytes, bytes]] = {}
        """Goal and proposal that a message shows, by the message's id."""
        self._ballots: dict[int, Ballots] = {}
        self._recounts: set[asyncio.Task[None]] = set()
        self._counted: set[bytes] = set()
        """Goals whose votes were counted from the chat since the peer came up."""

    def follow(self, goal: bytes) -> None:
        """Count the votes on a goal's splits from now on."""
        self._followed.add(goal)
        for key, post in self._journal.posts(goal).items():
            if key.startswith(SPLIT) and post.message is not None:
                self._splits[post.message] = (goal, bytes.fromhex(key.removeprefix(SPLIT)))

    def unfollow(self, goal: bytes) -> None:
        """Drop what is remembered of a goal."""
        self._followed.discard(goal)
        for message in [m for m, (of, _) in self._splits.items() if of == goal]:
            del self._splits[message]
            self._ballots.pop(message, None)

    def swarm_up(self, peer: SwarmPeer) -> None:
        """Attest votes through a peer that has just started; all are to be recounted."""
        self._peer = peer
        self._counted.clear()

    def swarm_down(self) -> None:
        """Attest no votes until there is a peer again."""
        self._peer = None

    async def close(self) -> None:
        """Stop running recounts; no vote is lost."""
        for task in self._recounts:
            task.cancel()
        await asyncio.gather(*self._recounts, return_exceptions=True)

    def reacted(self, *, guild: int, message: int, user: int, emoji: str, added: bool) -> None:
        """Count a person's reaction, or its removal. The caller filters out bots' reactions."""
        found = self.split_of(message)
        verdict = meaning(emoji)
        if found is None or verdict is None:
            return
        ballots = self._ballots.setdefault(message, Ballots())
        person = self._people.hash(guild, user)
        now = ballots.add(person, verdict) if added else ballots.remove(person, verdict)
        if now is not None:
            self._vote(*found, person, now)

    def pressed(self, *, guild: int, message: int, user: int, verdict: Verdict) -> Pressed:
        """Count a person's vote by button, or take it back if the button was pressed before."""
        found = self.split_of(message)
        if found is None:
            return "unknown"
        if self._peer is None:
            return "down"
        if self._open_split(*found) is None:
            return "over"
        goal, proposal = found
        person = self._people.hash(guild, user)
        ballots = self._ballots.setdefault(message, Ballots())
        noted = self._journal.pressed(proposal).get(person)
        if ballots.standing(person) is None and noted is not None:
            # Pressed before a restart, and not recounted yet.
            ballots.add(person, cast(Verdict, noted), "button")
        standing = ballots.standing(person)
        if standing == ("reaction", verdict):
            return "by reaction"
        if standing == ("button", verdict):
            now = ballots.remove(person, verdict, "button")
            self._journal.press(goal, proposal, person, None)
            self._vote(goal, proposal, person, now or "abstain")
            return "taken back"
        ballots.add(person, verdict, "button")
        self._journal.press(goal, proposal, person, verdict)
        self._vote(goal, proposal, person, verdict)
        return "counted"

    def forget(self, person: bytes) -> tuple[int, int]:
        """Take a person's votes in live plans back, and remove the person from the journal.

        Returns:
            how many votes were taken back, and how many goals the person had asked for.
        """
        votes = 0
        for goal in list(self._followed):
            plan = self._plan(goal)
            if plan is None or self._peer is None:
                continue
            for node in plan.nodes():
                for proposal, tally in node.vote.tallies.items() if node.vote else ():
                    if tally.people.get(person, "abstain") != "abstain":
                        self._peer.vote(goal, proposal, person, "abstain")
                        votes += 1
        goals = self._journal.asked_by(person)
        self._journal.forget_person(person)
        for ballots in self._ballots.values():
            ballots.forget(person)
        return votes, len(goals)

    def count_once(self, goal: bytes) -> None:
        """Count a goal's votes from the chat, unless that was done since the peer came up."""
        if goal not in self._counted:
            self._start_recount(goal)

    def recount_all(self) -> None:
        """Recount all live votes from the chat's own state."""
        for goal in list(self._followed):
            self._start_recount(goal)

    def recount_message(self, message: int) -> None:
        """Recount the votes on a goal, if the message shows one of its splits."""
        found = self.split_of(message)
        if found is not None:
            self._start_recount(found[0])

    def _start_recount(self, goal: bytes) -> None:
        self._counted.add(goal)
        task = asyncio.create_task(self._recount(goal), name=f"recount-{goal.hex()[:8]}")
        self._recounts.add(task)
        task.add_done_callback(self._recounts.discard)

    async def _recount(self, goal: bytes) -> None:
        entry = self._journal.goal(goal)
        if entry is None or entry.thread is None:
            return
        for key, post in self._journal.posts(goal).items():
            if not key.startswith(SPLIT) or post.message is None or post.gone:
                continue
            proposal = bytes.fromhex(key.removeprefix(SPLIT))
            if self._open_split(goal, proposal) is None:
                continue
            try:
                await self._recount_split(entry, entry.thread, post.message, proposal)
            except ChatError as error:
                log.warning("recount_failed", goal=goal.hex()[:12], reason=str(error))
                self._counted.discard(goal)

    async def _recount_split(
        self, entry: GoalEntry, thread: int, message: int, proposal: bytes
    ) -> None:
        found = await self._chat.reactions(entry.guild, thread, message)
        split = self._open_split(entry.goal, proposal)
        if split is None:
            return
        reactions = [(self._people.hash(entry.guild, user), verdict) for verdict, user in found]
        pressed = cast(dict[bytes, Verdict], self._journal.pressed(proposal))
        ballots = self._ballots.setdefault(message, Ballots())
        ballots.recount(reactions, pressed, split.tally.people)
        now = ballots.verdicts()
        withdrawn = [person for person in split.tally.people if person not in now]
        for person, verdict in now.items():
            self._vote(entry.goal, proposal, person, verdict)
        for person in withdrawn:
            self._vote(entry.goal, proposal, person, "abstain")

    def split_of(self, message: int) -> tuple[bytes, bytes] | None:
        """Return the goal and the proposal that a message shows."""
        known = self._splits.get(message)
        if known is not None:
            return known
        noted = self._journal.by_message(message)
        if noted is None or not noted[1].startswith(SPLIT):
            return None
        found = noted[0], bytes.fromhex(noted[1].removeprefix(SPLIT))
        if noted[0] in self._followed:
            self._splits[message] = found
        return found

    def _open_split(self, goal: bytes, proposal: bytes) -> Split | None:
        """Return a split if people's votes on it still count."""
        plan = self._plan(goal)
        if plan is None or plan.policy.people == "off":
            return None
        split = find(plan, proposal)
        return split if split is not None and split.open else None

    def _vote(self, goal: bytes, proposal: bytes, person: bytes, verdict: Verdict) -> None:
        split = self._open_split(goal, proposal)
        if self._peer is None or split is None:
            return
        if split.tally.people.get(person, "abstain") != verdict:
            metrics.VOTES.inc()
            self._peer.vote(goal, proposal, person, verdict)
