"""One goal's writer: the only one that posts and edits in its thread.

It waits until something changes, asks the `story` which messages should be there and the
`reconciler` for the next step, takes it in the chat, and notes it in the journal: before a message
is sent and after. So whenever the bot stops, the next run continues where this one was.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, replace

import structlog

from bot import metrics
from bot.clock import Clock
from bot.storage.journal import GoalEntry, GoalState, Journal
from bot.texts import Text, say, speak
from bot.thread.chat import (
    Chat,
    ChatError,
    MessageGone,
    MessageTooOld,
    NotAllowed,
    ThreadGone,
    ThreadLocked,
    Unavailable,
)
from bot.thread.reconciler import EDIT_SECONDS, Edit, Reconciler, Seed, Send, Wait
from bot.thread.story import START, thread_name
from bot.thread.write_failures import WriteFailures
from bot.views.page_cache import set_ahead
from bot.views.posts import File, Post

log = structlog.get_logger(__name__)

GATHER_SECONDS = 0.25
"""How long to collect changes before computing the story again: votes come in bursts."""

CHECK_SECONDS = 5.0
"""Time between checks when nothing changes: time alone ends votes and makes roles missing."""

RETRY_SECONDS = (2.0, 5.0, 15.0, 60.0)
"""Pauses after failures of the chat; the last one repeats."""

REPORTED_FAILURES = 2
"""Failures in a row after which people are told that a permission is missing, so that a short
change by a server's manager causes no message."""

REPORTED_SECONDS = 60.0
"""People are told about a wait that Discord asks for if it is at least this long."""

REFUSALS = 3
"""How often Discord may refuse a message before it is dropped: the others must not wait for it."""

LOST_SECONDS = 24 * 3600.0
"""How long all of a goal's messages may fail before the goal is closed: permissions removed for an
evening come back, a server that the bot was removed from does not."""

NONCE_LENGTH = 25
"""Longest nonce that Discord takes, in characters."""


@dataclass(frozen=True, slots=True)
class Story:
    """The messages that should be there now."""

    posts: list[Post]
    title: str
    """The goal's title, for the thread's name."""
    over: bool
    """Whether nothing will change any more."""


class Writer:
    """Keeps one goal's messages up to date."""

    def __init__(
        self,
        entry: GoalEntry,
        *,
        journal: Journal,
        chat: Chat,
        tell: Callable[[bytes, frozenset[str]], Story | None],
        texts: Callable[[bytes], Iterable[tuple[str, int, int]]] = lambda _: (),
        draw: Callable[[bytes], Awaitable[tuple[File, ...]]] | None = None,
        asker: int | None = None,
        edit_seconds: float = EDIT_SECONDS,
        clock: Clock | None = None,
        turns: asyncio.Lock | None = None,
    ) -> None:
        """Make the writer; `run` does the work.

        Args:
            entry: the goal, as in the journal.
            journal: stores what was posted.
            chat: where to post.
            tell: returns a goal's story, given its id and the keys posted; None: no plan is known.
            texts: yields the story's long texts, which are cut into messages ahead, in a thread.
            draw: draws the picture of a goal's tree; None: no pictures.
            asker: who gets a direct message when the bot can write nowhere else; None: nobody.
            edit_seconds: time between two edits.
            clock: the clock; tests bring their own.
            turns: held while a story is computed, shared by all writers; None: a lock of its own.
        """
        self.entry = entry
        self._turns = turns or asyncio.Lock()
        self._failures_told = WriteFailures(journal, chat, asker)
        self._words: list[Post] = []
        """Messages about missing permissions, beside those of the story."""
        self._title = ""
        self._fresh = True
        self._heard_at: float | None = None
        """When the first change was heard that no story includes yet."""
        self._showing_since: float | None = None
        """When the first change was heard that the story includes but not all messages show yet."""
        self._clock = clock or Clock()
        self.trouble = ""
        """Why it cannot write now, rendered; empty: it can."""
        self._journal = journal
        self._chat = chat
        self._tell = tell
        self._texts = texts
        self._draw = draw
        self._reconciler = Reconciler(journal.posts(entry.goal), edit_seconds=edit_seconds)
        self._wake = asyncio.Event()
        self._wake.set()
        self._failures = 0
        self._failing_since = 0.0
        self._refused: Counter[str] = Counter()

    @property
    def goal(self) -> bytes:
        """The goal's id."""
        return self.entry.goal

    def wake(self, *, changed: bool = False) -> None:
        """Check the story again.

        Args:
            changed: whether the goal itself changed; how soon people see that is measured.
        """
        if changed and self._heard_at is None:
            self._heard_at = self._clock.now()
        self._wake.set()

    def _take_heard(self) -> None:
        """Note that the story computed next includes the changes heard so far."""
        heard, self._heard_at = self._heard_at, None
        if heard is not None and self._showing_since is None:
            self._showing_since = heard

    def _measure(self, step: Send | Edit | Seed) -> None:
        """Measure how long a change took from the swarm into the chat."""
        if self._showing_since is not None and not isinstance(step, Seed):
            metrics.SHOWN.observe(max(0.0, self._clock.now() - self._showing_since))

    def message(self, key: str) -> int | None:
        """Return the id of a message, if it is there."""
        return self._reconciler.message(key)

    async def run(self) -> None:
        """Write until the story is over or there is nowhere to write."""
        speak(self.entry.language)
        while True:
            try:
                pause = await self._write()
            except (ThreadGone, ThreadLocked) as error:
                log.warning("thread_gone", goal=self.goal.hex()[:12], reason=str(error))
                if self.entry.fallen:
                    self._close("lost")
                    return
                self._leave_thread()
                continue
            except ChatError as error:
                pause = self._failed(error)
                again = error.again_seconds if isinstance(error, Unavailable) else 0.0
                lasting = isinstance(error, NotAllowed) and self._failures >= REPORTED_FAILURES
                if lasting or again >= REPORTED_SECONDS:
                    await self._failures_told.tell(self.entry, self._title, str(error))
                pause = max(pause, again)
                if self._clock.now() - self._failing_since > LOST_SECONDS:
                    self._close("lost")
                    return
                await self._clock.wait(pause)
                continue
            except Exception as error:
                # A defect in one goal must neither end its thread nor stay unnoticed.
                log.exception("writer_crashed", goal=self.goal.hex()[:12])
                await self._clock.wait(self._failed(error))
                continue
            if self._fresh or self._failures:
                # The previous run may have stopped while it could not write.
                await self._failures_told.over(self.entry, self._title)
                self._fresh = False
            self._failures, self.trouble = 0, ""
            if pause is None:
                self._close("finished")
                return
            await self._clock.wait(pause, self._wake)
            if self._wake.is_set():
                await self._clock.wait(GATHER_SECONDS)

    async def _write(self) -> float | None:
        """Take all possible steps; return how many seconds to wait then, None: it is over."""
        told = None
        while True:
            if told is None or self._wake.is_set():
                # Computed once for all steps, unless something changed meanwhile: it is expensive.
                self._wake.clear()
                await set_ahead(self._texts(self.goal))
                async with self._turns:
                    self._take_heard()
                    told = self._tell(self.goal, self._reconciler.posted())
                    # All writers may want this at once: let answers to people come in between.
                    await asyncio.sleep(0)
            if told is None:
                return CHECK_SECONDS
            self._title = told.title
            step = self._reconciler.next_step([*told.posts, *self._words], self._clock.now())
            if step is None:
                self._showing_since = None
                return None if told.over else CHECK_SECONDS
            if isinstance(step, Wait):
                return max(0.0, min(CHECK_SECONDS, step.until_seconds - self._clock.now()))
            try:
                await self._take(step, told.title)
                self._measure(step)
            except ChatError as error:
                if type(error) is ChatError:
                    self._count_refusal(step)
                raise

    async def _take(self, step: Send | Edit | Seed, title: str) -> None:
        match step:
            case Send():
                await self._send(step, title)
            case Edit(post=post, message=message):
                await self._edit(post, message)
            case Seed(post=post, message=message):
                await self._seed(post, message)

    def _count_refusal(self, step: Send | Edit | Seed) -> None:
        """Drop a step that Discord keeps refusing, so that the next ones get their turn."""
        post = step.post
        self._refused[post.key] += 1
        if self._refused[post.key] < REFUSALS:
            return
        del self._refused[post.key]
        log.error("message_dropped", goal=self.goal.hex()[:12], key=post.key)
        match step:
            case Send():
                entry = self._reconciler.given_up(step)
            case Edit():
                entry = self._reconciler.edited(post, self._clock.now())
            case Seed():
                entry = self._reconciler.seeded(post)
        self._journal.put_post(self.goal, entry)

    async def _send(self, step: Send, title: str) -> None:
        post = step.post
        place = await self._place(post, title)
        if step.maybe_there is not None:
            known = {e.message for e in self._reconciler.known.values() if e.message is not None}
            found = await self._chat.find(place, step.maybe_there, known)
            if found is not None:
                log.info("message_adopted", goal=self.goal.hex()[:12], key=post.key)
                self._journal.put_post(self.goal, self._reconciler.adopted(step, found))
                return
        if post.picture and self._draw is not None:
            post = replace(post, files=(*post.files, *await self._draw(self.goal)))
        self._journal.put_post(self.goal, self._reconciler.sending(step))
        nonce = self._nonce(post, step.entry.generation)
        try:
            message = await self._chat.send(place, post, nonce)
        except NotAllowed as error:
            if not post.files:
                raise
            # The plan matters more than its files, which `/export` can still give.
            message = await self._chat.send(place, replace(post, files=()), nonce)
            self._say_once(Text.WITHOUT_FILES, error)
        metrics.SENT.labels("send").inc()
        self._journal.put_post(self.goal, self._reconciler.sent(post, message, self._clock.now()))

    async def _edit(self, post: Post, message: int) -> None:
        place = await self._place(post, "")
        try:
            await self._chat.edit(place, message, post)
        except MessageGone:
            self._journal.put_post(self.goal, self._reconciler.deleted(post.key))
        except MessageTooOld:
            self._journal.put_post(self.goal, self._reconciler.replaced(post.key))
        else:
            metrics.SENT.labels("edit").inc()
            self._journal.put_post(self.goal, self._reconciler.edited(post, self._clock.now()))

    async def _seed(self, post: Post, message: int) -> None:
        place = await self._place(post, "")
        try:
            await self._chat.seed(place, message, post.seeds)
        except MessageGone:
            self._journal.put_post(self.goal, self._reconciler.deleted(post.key))
        except NotAllowed as error:
            # People can still add reactions of their own; the vote must not depend on the bot's.
            log.warning("reactions_not_allowed", goal=self.goal.hex()[:12], reason=str(error))
            self._say_once(Text.WITHOUT_REACTIONS, error)
            self._journal.put_post(self.goal, self._reconciler.seeded(post))
        else:
            self._journal.put_post(self.goal, self._reconciler.seeded(post))

    def _say_once(self, text: Text, error: NotAllowed) -> None:
        """Let the thread say once what is left out because a permission is missing."""
        key = f"word:{text.name.lower()}"
        if key not in self._reconciler.known and all(key != word.key for word in self._words):
            self._words.append(Post(key, say(text, reason=str(error))))

    async def _place(self, post: Post, title: str) -> int:
        """Return the channel a message belongs to; open the thread if there is none yet."""
        if post.place == "channel" or self.entry.fallen:
            return self.entry.channel
        if self.entry.thread is None:
            hook = self._reconciler.message(START)
            if hook is None:
                raise ThreadGone("the message that the thread belongs to was deleted")
            thread = await self._chat.open_thread(self.entry.channel, hook, thread_name(title))
            self._journal.set_thread(self.goal, thread)
            self.entry = replace(self.entry, thread=thread)
        assert self.entry.thread is not None
        return self.entry.thread

    def _leave_thread(self) -> None:
        """Continue in the channel: the thread is locked or gone."""
        self._journal.set_fallen(self.goal)
        self.entry = replace(self.entry, fallen=True)
        for entry in self._reconciler.left_thread():
            self._journal.put_post(self.goal, entry)

    def _failed(self, error: Exception) -> float:
        pause = RETRY_SECONDS[min(self._failures, len(RETRY_SECONDS) - 1)]
        if not self._failures:
            self._failing_since = self._clock.now()
        self._failures += 1
        metrics.CHAT_FAILURES.labels(type(error).__name__).inc()
        self.trouble = str(error)
        log.warning(
            "chat_failed",
            goal=self.goal.hex()[:12],
            kind=type(error).__name__,
            reason=str(error),
            retry_seconds=pause,
        )
        return pause

    def _close(self, state: GoalState) -> None:
        self._journal.close_goal(self.goal, state)
        self.entry = replace(self.entry, state=state)

    def _nonce(self, post: Post, generation: int) -> str:
        text = f"{self.goal.hex()}/{post.key}/{generation}"
        return hashlib.sha256(text.encode()).hexdigest()[:NONCE_LENGTH]
