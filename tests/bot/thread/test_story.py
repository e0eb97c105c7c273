"""The story is a pure function that never says too much, whatever the records hold."""

from __future__ import annotations

import itertools
import re

from hypothesis import given, settings
from hypothesis import strategies as st

from bot.rendering import MESSAGE_LIMIT, length
from bot.texts import Text, duration, say
from bot.thread.reconciler import Edit, Reconciler, Seed, Send, Wait
from bot.thread.story import (
    END,
    HELP,
    LIVE,
    MAX_END_MESSAGES,
    MAX_SPLITS,
    SPLIT,
    Scene,
    story,
    thread_name,
)
from bot.views.plan_tree import live_message
from bot.views.posts import Post
from swarm.core.clock import Stamp
from swarm.core.fold.plan import Plan
from swarm.core.policy import Policy
from swarm.core.records import Goal, Proposal, Subgoal, child_id, sign
from tests.bot.worlds import FakePeer
from tests.core.worlds import BOT, DECOMPOSERS, random_world

MENTION = re.compile(r"@(everyone|here|[!&]?\d)")
HOSTILE = st.text(
    st.sampled_from("@<>*_`~|#-[]()\\ \nehvryo0123456789\u202e👩\u200d👩क्षि"),
    min_size=1,
    max_size=200,
).filter(str.strip)


def scene() -> Scene:
    """Return a scene in which much is wrong."""
    return Scene(
        name=lambda author: "@everyone `x` " + author.hex()[:4],
        swarm="my swarm; rm -rf",
        others=3,
        missing_since=dict.fromkeys(("decomposer", "scorer", "executor"), 0),
        troubles=tuple(("@here", "*" * 500) for _ in range(9)),
    )


def test_a_capability_that_nobody_offers_is_named_with_how_to_start_one() -> None:
    """It is said after a while, safe to copy, and not once an executor offers all that is asked."""
    policy = Policy(capabilities=["web", "g`pu; rm"])
    goal = Goal(stamp=Stamp(1_000_000), swarm="test", text="a goal", policy=policy)
    plan = Plan(sign(goal, BOT))

    def told(*offers: frozenset[str]) -> str:
        here = Scene(name=lambda author: "x", others=3, offers=offers)
        posts = story(plan, here, frozenset(), plan.now_ms + 60_000)
        check(posts)
        return "\n".join(post.content for post in posts if post.key == HELP)

    assert "`swarm peer executor --capability web --capability gpurm`" in told(frozenset({"web"}))
    assert told(frozenset({"web", "g`pu; rm", "more"})) == ""


def check(posts: list[Post]) -> None:
    """Assert what every message of every story must be."""
    keys = [post.key for post in posts]
    assert len(keys) == len(set(keys))
    for post in posts:
        assert post.content.strip()
        assert length(post.content) <= MESSAGE_LIMIT
        assert not MENTION.search(post.content)
        assert post.content.count("```") % 2 == 0


@given(st.integers(0, 10_000), st.integers(0, 60), st.booleans())
@settings(max_examples=80, deadline=None)
def test_any_history_gives_valid_messages(seed: int, size: int, late: bool) -> None:
    """Whatever was recorded, each message is whole, short enough, and mentions nobody."""
    world = random_world(seed, size)
    plan = Plan(world.goal)
    for record in world.records:
        plan.apply(record)
    if late:
        plan.advance(plan.deadline_ms + 1)
    posts = story(plan, scene(), frozenset(), plan.now_ms + 10_000)
    check(posts)
    assert [post.key for post in posts][:2] == ["start", LIVE]
    assert any(post.key.startswith(END) for post in posts) == plan.final
    # Story again, it is the same story: an edit that changes nothing is never made.
    assert story(plan, scene(), frozenset(), plan.now_ms + 10_000) == posts


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
    posts = story(plan, scene(), frozenset(), 60_000)
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
    live = next(post for post in story(peer.plan(goal), scene(), (), 0) if post.key == LIVE)
    assert length(live.content) <= MESSAGE_LIMIT
    assert "0 of 32 parts finished" in live.content
    assert re.search(r"… and \d+ more parts", live.content)


def test_a_huge_plan_does_not_flood_the_thread() -> None:
    """Complaint: channel flooded. Beyond the bound the rest is in the attachment, whole."""
    peer = FakePeer()
    goal = peer.submit("Much", policy=Policy(max_children=32, max_nodes=100, max_depth=1))
    peer.accept(peer.propose(goal, [f"Part {n}" for n in range(32)]))
    for node in peer.plan(goal).root.children:
        peer.finish(goal, node, f"{node.title} " * 1_000)
    peer.cancel(goal, "enough")
    peer.pass_time(1)
    ends = [p for p in story(peer.plan(goal), scene(), (), 0) if p.key.startswith(END)]
    assert len(ends) == MAX_END_MESSAGES + 1
    assert ends[-1].content == say(Text.END_MORE)
    file, _ = ends[-1].files
    assert file.data.decode().count("Part 31 ") >= 1_000


Change = st.tuples(
    st.sampled_from(["wait", "change", "delete", "old"]), st.integers(0, 3), st.floats(0, 3)
)


@given(st.lists(Change, max_size=60))
@settings(max_examples=150, deadline=None)
def test_the_reconciler_keeps_its_promises(changes: list[tuple[str, int, float]]) -> None:
    """At most an edit a second, no message twice, and in the end everything is as it should be."""
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
                assert step.until > now
                return step.until
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


def test_durations_are_short_words() -> None:
    """Seconds, minutes and hours, each where it helps."""
    assert [duration(ms) for ms in (400, 59_000, 60_000, 125_000, 3_600_000, 7_500_000)] == [
        "0 s", "59 s", "1 min", "2 min 5 s", "1 h", "2 h 5 min",
    ]  # fmt: skip


def test_a_goal_that_is_over_says_when_it_ended() -> None:
    """While it runs the tree names the latest end; then the end, and how long it took."""
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
