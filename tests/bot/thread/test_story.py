"""The story is a pure function whose messages Discord accepts, whatever the records contain."""

from __future__ import annotations

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from bot.rendering import MESSAGE_LIMIT, length
from bot.texts import Text, say
from bot.thread.story import (
    END,
    HELP,
    LIVE,
    MAX_END_MESSAGES,
    Scene,
    story,
)
from bot.views.document import answer
from bot.views.posts import Post
from swarm.core.clock import Stamp
from swarm.core.fold.plan import Plan
from swarm.core.policy import Policy
from swarm.core.records import Goal, sign
from swarm.core.views.waiting import (
    HolderGone,
    HolderUnable,
    Lack,
    NoneAble,
    NoneHere,
    NotOffered,
    TooFewScorers,
)
from tests.bot.worlds import FakePeer
from tests.core.worlds import BOT, random_world

MENTION = re.compile(r"@(everyone|here|[!&]?\d)")


def scene() -> Scene:
    """Return a scene with many problems."""
    return Scene(
        name=lambda author: "@everyone `x` " + author.hex()[:4],
        swarm="my swarm; rm -rf",
        others=3,
        lacks=(NoneHere("decomposer"), TooFewScorers(1, 3), NotOffered(("`@here`" * 30,))),
        troubles=tuple(("@here", "*" * 500) for _ in range(9)),
    )


def test_what_is_missing_is_told_with_the_command_that_helps() -> None:
    """Each lack has a line that is safe to copy; one that the swarm mends by itself has none."""
    goal = Goal(stamp=Stamp(1_000_000), swarm="test", text="a goal")
    plan = Plan(sign(goal, BOT))

    def told(*lacks: Lack) -> str:
        here = Scene(name=lambda author: "x", others=3, lacks=lacks)
        posts = story(plan, here, frozenset())
        check(posts)
        return "\n".join(post.content for post in posts if post.key == HELP)

    offered = told(NotOffered(("g`pu; rm", "web")))
    assert "`swarm peer executor --capability gpurm --capability web`" in offered
    assert "`swarm peer scorer`" in told(NoneAble("scorer", "ann", "no model"))
    assert "Only 1 of the 2 **scorers** needed" in told(TooFewScorers(1, 2))
    assert told(HolderGone(), HolderUnable("ann", "no model")) == told() == ""


def check(posts: list[Post]) -> None:
    """Assert what must hold for every message of every story."""
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
    """For any records, each message is complete, short enough, and mentions nobody."""
    world = random_world(seed, size)
    plan = Plan(world.goal)
    for record in world.records:
        plan.apply(record)
    if late:
        plan.advance(plan.deadline_ms + 1)
    posts = story(plan, scene(), frozenset())
    check(posts)
    assert [post.key for post in posts][:2] == ["start", LIVE]
    assert any(post.key.startswith(END) for post in posts) == plan.final
    # The same input gives the same story, so no edit is made that changes nothing.
    assert story(plan, scene(), frozenset()) == posts


def test_a_huge_plan_does_not_flood_the_thread() -> None:
    """Complaint: channel flooded. Beyond the limit, the whole plan is in the attachment only."""
    peer = FakePeer()
    goal = peer.submit("Much", policy=Policy(max_children=32, max_nodes=100, max_depth=1))
    peer.accept(peer.propose(goal, [f"Part {n}" for n in range(32)]))
    for node in peer.plan(goal).root.children:
        peer.finish(goal, node, f"{node.title} " * 1_000)
    peer.cancel(goal, "enough")
    peer.pass_time(1)
    ends = [p for p in story(peer.plan(goal), scene(), ()) if p.key.startswith(END)]
    assert len(ends) == MAX_END_MESSAGES + 1
    assert ends[-1].content == say(Text.END_MORE)
    file, _ = ends[-1].files
    assert file.data.decode().count("Part 31 ") >= 1_000


def test_a_long_plan_shows_its_closing_and_attaches_all_of_it() -> None:
    """Of 200,000 characters nothing vanishes; the thread has the beginning and how it ends."""
    peer = FakePeer()
    goal = peer.submit("Much", policy=Policy(max_children=32, max_nodes=100, max_depth=1))
    peer.accept(peer.propose(goal, [f"Part {n}" for n in range(32)]))
    for node in peer.plan(goal).root.children:
        peer.finish(goal, node, f"{node.title} walks on. " * 500 + f"End of {node.title}.")
    report = "## How this plan meets the request\n\n- ✅ 32 parts"
    peer.finish(goal, peer.plan(goal).root, "Hello.", closing=report)
    peer.pass_time(1)
    plan = peer.plan(goal)
    assert plan.state == "done"
    assert len(answer(plan)) > 200_000
    posts = story(plan, scene(), ())
    check(posts)
    ends = [post for post in posts if post.key.startswith(END)]
    assert len(ends) == MAX_END_MESSAGES + 1
    assert ends[-2].content == say(Text.END_MORE)
    assert "✅ 32 parts" in ends[-1].content
    text = ends[-1].files[0].data.decode()
    assert all(f"End of Part {n}.\n" in text for n in range(32))
    assert text.index("End of Part 31.") < text.index(report)
