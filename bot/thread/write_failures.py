"""Telling people that the bot cannot write in a goal's thread, where it still can write.

That is in the channel, or else in a direct message to the person who asked, if this run knows who
that is: once for each failure, with what is missing and how to fix it. Once the bot can write
again, the message in the channel is edited to say so.
"""

from __future__ import annotations

import hashlib
from dataclasses import replace

import structlog

from bot.rendering import plain
from bot.storage.journal import GoalEntry, Journal, PostEntry
from bot.texts import Text, say
from bot.thread.chat import Chat, ChatError
from bot.views.plan_tree import TITLE_SHOWN
from bot.views.posts import Post

log = structlog.get_logger(__name__)

TROUBLE = "trouble"
"""The message's key in the journal, so that a restart sends it no second time and can edit it."""

NONCE_LENGTH = 25


class WriteFailures:
    """The messages of one goal's writer when it cannot write."""

    def __init__(self, journal: Journal, chat: Chat, asker: int | None) -> None:
        """Start with nothing said.

        Args:
            journal: stores what was said.
            chat: where to say it.
            asker: the person who asked; None: this run does not know.
        """
        self._journal = journal
        self._chat = chat
        self._asker = asker
        self._told_asker = False

    async def tell(self, entry: GoalEntry, title: str, reason: str) -> None:
        """Say once that the bot cannot write in the goal's thread.

        Args:
            entry: the goal.
            title: its first line.
            reason: what is missing and how to fix it; rendered.
        """
        noted = self._journal.posts(entry.goal).get(TROUBLE)
        if self._told_asker or (noted is not None and not noted.gone):
            return
        goal = plain(title, TITLE_SHOWN)
        text = say(Text.TROUBLE_HERE, goal=goal, reason=reason)
        post = Post(TROUBLE, text, place="channel")
        generation = noted.generation + 1 if noted is not None else 0
        nonce = f"{entry.goal.hex()}/{TROUBLE}/{generation}"
        try:
            message = await self._chat.send(entry.channel, post, _short(nonce))
        except ChatError as error:
            log.warning("write_failure_not_shown", goal=entry.goal.hex()[:12], reason=str(error))
            await self._tell_asker(entry, say(Text.TROUBLE_DIRECT, goal=goal, reason=reason))
        else:
            said = PostEntry(TROUBLE, post.digest, message, generation=generation)
            self._journal.put_post(entry.goal, said)

    async def over(self, entry: GoalEntry, title: str) -> None:
        """Say that the thread goes on, if people were told that it did not."""
        self._told_asker = False
        noted = self._journal.posts(entry.goal).get(TROUBLE)
        if noted is None or noted.gone or noted.message is None:
            return
        # Stored first: an edit that fails must not be tried forever.
        self._journal.put_post(entry.goal, replace(noted, gone=True))
        text = say(Text.TROUBLE_OVER, goal=plain(title, TITLE_SHOWN))
        try:
            await self._chat.edit(entry.channel, noted.message, Post(TROUBLE, text))
        except ChatError as error:
            log.warning("write_failure_not_cleared", goal=entry.goal.hex()[:12], reason=str(error))

    async def _tell_asker(self, entry: GoalEntry, text: str) -> None:
        if self._asker is None:
            return
        self._told_asker = True
        try:
            channel = await self._chat.direct(self._asker)
            await self._chat.send(
                channel, Post(TROUBLE, text, quiet=False), _short(f"{entry.goal.hex()}/direct")
            )
        except ChatError as error:
            # A person with closed direct messages can still read it in `/status`.
            log.warning("asker_not_reached", goal=entry.goal.hex()[:12], reason=str(error))


def _short(nonce: str) -> str:
    return hashlib.sha256(nonce.encode()).hexdigest()[:NONCE_LENGTH]
