"""When a goal's thread cannot be written in: people are told where that is still possible.

In the channel, else directly whoever asked, if this run knows who that was: once a trouble, with
what is lacking and how to mend it. When it is over, the word in the channel says so instead.
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
"""The word's key in the journal: after a restart it is not said again, and still taken back."""

NONCE_LENGTH = 25


class WriteFailures:
    """What one goal's writer says when it cannot write."""

    def __init__(self, journal: Journal, chat: Chat, asker: int | None) -> None:
        """Say nothing yet.

        Args:
            journal: remembers what was said.
            chat: where to say it.
            asker: who asked for the goal; None: this run does not know.
        """
        self._journal = journal
        self._chat = chat
        self._asker = asker
        self._told_asker = False

    async def tell(self, entry: GoalEntry, title: str, reason: str) -> None:
        """Say once that the goal's thread cannot be written in.

        Args:
            entry: the goal.
            title: its first line.
            reason: what is lacking and what mends it, for people; rendered.
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
        """Say that it goes on, if people were told that it did not."""
        self._told_asker = False
        noted = self._journal.posts(entry.goal).get(TROUBLE)
        if noted is None or noted.gone or noted.message is None:
            return
        # Noted first: a word that cannot be edited must not be tried for ever.
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
            # Who closed their direct messages still reads it in `/status`.
            log.warning("asker_not_reached", goal=entry.goal.hex()[:12], reason=str(error))


def _short(nonce: str) -> str:
    return hashlib.sha256(nonce.encode()).hexdigest()[:NONCE_LENGTH]
