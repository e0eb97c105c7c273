"""The next step in a goal's thread, from the messages that are there and those that should be.

Sans-I/O: `next_step` decides, `writer` performs the step and reports the outcome. It guarantees at
most one edit a second in a thread, of the message that has waited longest, and no edit that changes
nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from bot.storage.journal import PostEntry
from bot.thread.story import LIVE, START
from bot.views.posts import Post

EDIT_SECONDS = 1.0
"""Time between edits in one thread: Discord allows about five in five seconds."""

_RETURNS = {LIVE}
"""Messages that are posted again when somebody deletes them; others stay deleted."""


@dataclass(frozen=True, slots=True)
class Send:
    """Post a message for the first time, or again."""

    post: Post
    entry: PostEntry
    """The row to store before sending."""
    maybe_there: bytes | None = None
    """Digest that an earlier run may have sent without storing the id: search for it first."""


@dataclass(frozen=True, slots=True)
class Edit:
    """Edit a message to its new content."""

    post: Post
    message: int


@dataclass(frozen=True, slots=True)
class Seed:
    """Add the reactions people vote with."""

    post: Post
    message: int


@dataclass(frozen=True, slots=True)
class Wait:
    """Do nothing before a point in time."""

    until_seconds: float
    """Seconds on the clock that `next_step` was called with."""


Step = Send | Edit | Seed | Wait | None
"""None: everything is as it should be."""


class Reconciler:
    """The messages of one goal."""

    def __init__(self, known: dict[str, PostEntry], *, edit_seconds: float = EDIT_SECONDS) -> None:
        """Start from the journal's rows.

        Args:
            known: the messages by key.
            edit_seconds: time between two edits.
        """
        self.known = known
        # A row without a message was left by a run that ended while it was sending.
        self._unsure = {key for key, entry in known.items() if entry.message is None}
        self._edit_seconds = edit_seconds
        self._edit_at = 0.0
        self._touched: dict[str, float] = {}

    def message(self, key: str) -> int | None:
        """Return the id of a message, if it is there."""
        entry = self.known.get(key)
        return None if entry is None or entry.gone else entry.message

    def posted(self) -> frozenset[str]:
        """Return the keys of all messages that were sent, or are about to be."""
        return frozenset(self.known)

    def next_step(self, posts: Sequence[Post], now: float) -> Step:
        """Return what to do now.

        Args:
            posts: the messages that should be there, in order.
            now: the seconds of a clock.
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

    # Outcomes.

    def sending(self, step: Send) -> PostEntry:
        """Note that a message is being sent; return the row to store first."""
        self.known[step.post.key] = step.entry
        return step.entry

    def sent(self, post: Post, message: int, now: float) -> PostEntry:
        """Note that a message is there; return the row to store."""
        self._unsure.discard(post.key)
        self._touched[post.key] = now
        return self._put(replace(self.known[post.key], message=message, digest=post.digest))

    def adopted(self, step: Send, message: int) -> PostEntry:
        """Note that an earlier run's message was found; return the row to store."""
        assert step.maybe_there is not None
        self._unsure.discard(step.post.key)
        return self._put(replace(step.entry, message=message, digest=step.maybe_there))

    def edited(self, post: Post, now: float) -> PostEntry:
        """Note that a message was edited; return the row to store."""
        self._touched[post.key] = now
        self._edit_at = now + self._edit_seconds
        return self._put(replace(self.known[post.key], digest=post.digest))

    def seeded(self, post: Post) -> PostEntry:
        """Note that the reactions are there; return the row to store."""
        return self._put(replace(self.known[post.key], seeded=True))

    def deleted(self, key: str) -> PostEntry:
        """Note that somebody deleted a message; return the row to store.

        The live message, needed to follow the plan, is posted again; others stay deleted.
        """
        if key in _RETURNS:
            return self.replaced(key)
        return self._put(replace(self.known[key], gone=True))

    def given_up(self, step: Send) -> PostEntry:
        """Note that a message cannot be posted; return the row to store."""
        return self._put(replace(step.entry, gone=True))

    def left_thread(self) -> list[PostEntry]:
        """Note that the thread can no longer be used; return the rows to store.

        Messages that go into the channel instead are sent again when the story asks for them.
        """
        return [self.replaced(key) for key in self.known if key != START]

    def replaced(self, key: str) -> PostEntry:
        """Note that a message is unusable and needs a new one; return the row to store."""
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
