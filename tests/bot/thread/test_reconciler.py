"""The reconciler: at most one edit a second, no duplicate message, and the right final state."""

from __future__ import annotations

import itertools

from hypothesis import given, settings
from hypothesis import strategies as st

from bot.thread.reconciler import Edit, Reconciler, Seed, Send, Wait
from bot.thread.story import (
    LIVE,
    SPLIT,
)
from bot.views.posts import Post

Change = st.tuples(
    st.sampled_from(["wait", "change", "delete", "old"]), st.integers(0, 3), st.floats(0, 3)
)


@given(st.lists(Change, max_size=60))
@settings(max_examples=150, deadline=None)
def test_the_reconciler_keeps_its_promises(changes: list[tuple[str, int, float]]) -> None:
    """At most one edit a second, no duplicate message, and in the end all messages are current."""
    reconciler = Reconciler({})
    versions = [0, 0, 0, 0]
    there: dict[str, str] = {}
    edits: list[float] = []
    sent: list[str] = []
    now, next_id = 100.0, 1

    def posts() -> list[Post]:
        return [
            Post(f"{SPLIT}{n}" if n else LIVE, f"text {n} v{versions[n]}", seeds=("👍",) * (n > 1))
            for n in range(4)
        ]

    def act(step: Send | Edit | Seed) -> None:
        nonlocal next_id
        match step:
            case Send(post=post):
                reconciler.sending(step)
                reconciler.sent(post, next_id, now)
                there[post.key] = post.content
                sent.append(post.key)
                next_id += 1
            case Edit(post=post, message=message):
                assert reconciler.message(post.key) == message
                assert there[post.key] != post.content
                edits.append(now)
                there[post.key] = post.content
                reconciler.edited(post, now)
            case Seed(post=post):
                reconciler.seeded(post)

    def catch_up() -> float | None:
        while True:
            step = reconciler.next_step(posts(), now)
            if step is None:
                return None
            if isinstance(step, Wait):
                assert step.until_seconds > now
                return step.until_seconds
            act(step)

    catch_up()
    gone: set[str] = set()
    for kind, number, seconds in changes:
        key = f"{SPLIT}{number}" if number else LIVE
        now += seconds
        if kind == "change":
            versions[number] += 1
        elif kind == "delete" and key not in gone:
            reconciler.deleted(key)
            there.pop(key)
            if key != LIVE:
                gone.add(key)
        elif kind == "old" and key not in gone:
            reconciler.replaced(key)
        catch_up()
    while (until := catch_up()) is not None:
        now = until
    assert there == {post.key: post.content for post in posts() if post.key not in gone}
    assert all(b - a >= 1.0 for a, b in itertools.pairwise(edits))
    replaced = sum(
        kind == "old" or (kind == "delete" and not number) for kind, number, _ in changes
    )
    assert len(sent) <= 4 + replaced
