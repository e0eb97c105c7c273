"""What to do next in a goal's thread: the messages that are there against those that should be.

Sans-I/O: `next_step` looks and answers, `writer` performs and tells the outcome. It keeps the
promise about edits: at most one a second a thread, the message that waited longest first, none
that changes nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from bot.storage.journal import PostEntry
from bot.thread.story import LIVE, START
from bot.views.posts import Post

EDIT_SECONDS = 1.0
"""Between edits in one thread: Discord allows about five in five seconds, people need fewer."""

_RETURNS = {LIVE}
"""Messages that are posted again when somebody deletes them; others stay deleted."""


@dataclass(frozen=True, slots=True)
class Send:
    """Post a message for the first time, or again."""

    post: Post
    entry: PostEntry
    """As it is to be noted before sending."""
    maybe_there: bytes | None = None
    """An earlier run may have sent it, with this digest, without noting so: look for it first."""


@dataclass(frozen=True, slots=True)
class Edit:
    """Give a message its new content."""

    post: Post
    message: int


@dataclass(frozen=True, slots=True)
class Seed:
    """Add the reactions people vote with."""

    post: Post
    message: int


@dataclass(frozen=True, slots=True)
class Wait:
    """Nothing to do before a moment."""

    until: float
    """On the clock that `next_step` was asked with, in seconds."""


Step = Send | Edit | Seed | Wait | None
"""None: all is as it should be."""


class Reconciler:
    """The messages of one goal."""

    def __init__(self, known: dict[str, PostEntry], *, edit_seconds: float = EDIT_SECONDS) -> None:
        """Start from what the journal knows.

        Args:
            known: the messages by their keys.
            edit_seconds: between two edits.
        """
        self.known = known
        # A row without a message was left by a run that ended while it was sending.
        self._unsure = {key for key, entry in known.items() if entry.message is None}
        self._edit_seconds = edit_seconds
        self._edit_at = 0.0
        self._touched: dict[str, float] = {}

    def message(self, key: str) -> int | None:
        """Return the id of a message that is there."""
        entry = self.known.get(key)
        return None if entry is None or entry.gone else entry.message

    def posted(self) -> frozenset[str]:
        """Return the keys of all messages that were sent, or are about to be."""
        return frozenset(self.known)

    def next_step(self, posts: Sequence[Post], now: float) -> Step:
        """Return what to do now.

        Args:
            posts: the messages that should be there, in order.
            now: a clock's seconds.
        """
        for post in posts:
            entry = self.known.get(post.key)
            if entry is None:
                return Send(post, PostEntry(post.key, post.digest))
            if entry.message is None and not entry.gone:
                unsure = entry.digest if post.key in self._unsure else None
                return Send(post, replace(entry, digest=post.digest), maybe_there=unsure)
        stale = [post for post in posts if self._is_stale(post)]
        if stale and now >= self._edit_at:
            post = min(stale, key=lambda one: self._touched.get(one.key, 0.0))
            return Edit(post, self._there(post.key))
        for post in posts:
            entry = self.known[post.key]
            if post.seeds and not entry.seeded and not entry.gone:
                return Seed(post, self._there(post.key))
        return Wait(self._edit_at) if stale else None

    # What came of it.

    def sending(self, step: Send) -> PostEntry:
        """Note that a message is being sent; return what to write down before."""
        self.known[step.post.key] = step.entry
        return step.entry

    def sent(self, post: Post, message: int, now: float) -> PostEntry:
        """Note that a message is there; return what to write down."""
        self._unsure.discard(post.key)
        self._touched[post.key] = now
        return self._put(replace(self.known[post.key], message=message, digest=post.digest))

    def adopted(self, step: Send, message: int) -> PostEntry:
        """Note that an earlier run's message was found; return what to write down."""
        assert step.maybe_there is not None
        self._unsure.discard(step.post.key)
        return self._put(replace(step.entry, message=message, digest=step.maybe_there))

    def edited(self, post: Post, now: float) -> PostEntry:
        """Note that a message was edited; return what to write down."""
        self._touched[post.key] = now
        self._edit_at = now + self._edit_seconds
        return self._put(replace(self.known[post.key], digest=post.digest))

    def seeded(self, post: Post) -> PostEntry:
        """Note that the reactions are there; return what to write down."""
        return self._put(replace(self.known[post.key], seeded=True))

    def deleted(self, key: str) -> PostEntry:
        """Note that somebody deleted a message; return what to write down.

        What people need to follow the plan is posted again, the rest stays deleted.
        """
        if key in _RETURNS:
            return self.replaced(key)
        return self._put(replace(self.known[key], gone=True))

    def given_up(self, step: Send) -> PostEntry:
        """Note that a message cannot be posted; return what to write down."""
        return self._put(replace(step.entry, gone=True))

    def left_thread(self) -> list[PostEntry]:
        """Note that the thread can be used no longer; return what to write down.

        What is posted in the channel instead is sent anew when the story asks for it.
        """
        return [self.replaced(key) for key in self.known if key != START]

    def replaced(self, key: str) -> PostEntry:
        """Note that a message can serve no longer and needs a fresh one; return what to write."""
        old = self.known[key]
        return self._put(replace(old, message=None, seeded=False, generation=old.generation + 1))

    # Inside.

    def _is_stale(self, post: Post) -> bool:
        entry = self.known[post.key]
        return not entry.gone and entry.digest != post.digest

    def _there(self, key: str) -> int:
        message = self.known[key].message
        assert message is not None
        return message

    def _put(self, entry: PostEntry) -> PostEntry:
        self.known[entry.key] = entry
        return entry
