"""The live message: a plan's tree within one message."""

from __future__ import annotations

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from bot.rendering import MESSAGE_LIMIT, length
from bot.thread.story import (
    LIVE,
    MAX_SPLITS,
    SPLIT,
    story,
    thread_name,
)
from bot.views.plan_tree import live_message
from swarm.core.clock import Stamp
from swarm.core.fold.plan import Plan
from swarm.core.policy import Policy
from swarm.core.records import Goal, Proposal, Subgoal, child_id, sign
from tests.bot.thread.test_story import check, scene
from tests.bot.worlds import FakePeer
from tests.core.worlds import BOT, DECOMPOSERS

HOSTILE = st.text(
    st.sampled_from("@<>*_`~|#-[]()\\ \nehvryo0123456789\u202e👩\u200d👩क्षि"),
    min_size=1,
    max_size=200,
).filter(str.strip)


@given(HOSTILE, st.lists(HOSTILE, min_size=2, max_size=32), st.integers(1, 40))
@settings(max_examples=60, deadline=None)
def test_the_largest_tree_fits_a_message(goal_text: str, titles: list[str], splits: int) -> None:
    """Wide and deep trees of hostile titles fold; splits beyond the bound get no message."""
    policy = Policy(max_children=32, max_nodes=2_000, max_depth=3, max_proposals=16)
    goal = sign(Goal(stamp=Stamp(1), swarm="t", text=goal_text, policy=policy), BOT)
    plan = Plan(goal)
    for number in range(splits):
        parts = [Subgoal(title=title, detail=title * 9, kind="goal") for title in titles]
        body = Proposal(
            stamp=Stamp(2 + number), goal=goal.id, node=goal.id, parts=parts,
            lens="@everyone" * 6, rationale="*" * 2_000,
        )  # fmt: skip
        record = sign(body, DECOMPOSERS[number % 2])
        plan.apply(record)
        assert child_id(record.id, 0)
    posts = story(plan, scene(), frozenset())
    check(posts)
    assert sum(post.key.startswith(SPLIT) for post in posts) <= MAX_SPLITS
    assert len(thread_name(plan.root.title)) <= 100


def test_a_long_tree_folds_what_is_settled() -> None:
    """Sixty parts do not fit: the tree is cut with a count, and the summary stays."""
    peer = FakePeer()
    policy = Policy(max_children=32, max_nodes=100, max_depth=1)
    goal = peer.submit("A long one", policy=policy)
    peer.accept(
        peer.propose(goal, [f"Part {n} of many, with a long title " * 2 for n in range(32)])
    )
    live = next(post for post in story(peer.plan(goal), scene(), ()) if post.key == LIVE)
    assert length(live.content) <= MESSAGE_LIMIT
    assert "0 of 32 parts finished" in live.content
    assert re.search(r"… and \d+ more parts", live.content)


def test_a_goal_that_is_over_says_when_it_ended() -> None:
    """A running plan shows its latest end; a finished one its end, and how long it took."""
    peer = FakePeer()
    goal = peer.submit("Soon over")
    latest = f"ends <t:{peer.plan(goal).deadline_ms // 1000}:R> at the latest"
    assert latest in live_message(peer.plan(goal), name=peer.name_of, others=1)
    peer.pass_time(90_000)
    peer.cancel(goal, "enough")
    peer.pass_time(600_000)
    told = live_message(peer.plan(goal), name=peer.name_of, others=1)
    ended = peer.plan(goal).goal.stamp.ms + 90_000
    assert told.endswith(f"ended <t:{ended // 1000}:R>")
    assert "after 1 min 30 s" in told
    assert "at the latest" not in told
