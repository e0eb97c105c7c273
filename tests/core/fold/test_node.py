"""A node's text, and when its fingerprint is outdated."""

from __future__ import annotations

from swarm.core.fold.claims import Outcome
from swarm.core.fold.node import DEEPEST_HEADING, Node, text_of
from tests.core.story import Story


def failed(part: Node) -> str:
    """Word a part that failed."""
    return f"({part.title} failed)"


def test_a_text_is_the_result_or_that_of_the_parts() -> None:
    """Without a result of its own, a node has its parts' texts under headings."""
    story = Story()
    story.accept(1)
    first, second = story.plan.root.children
    story.result(20, story.claim(10, first.id), text="kept")
    assert text_of(story.plan.root, failed) == "## part 0\n\nkept"
    assert text_of(story.plan.root, failed, 3) == "### part 0\n\nkept"
    assert text_of(first, failed) == "kept"
    assert text_of(second, failed) == ""


def test_a_part_that_failed_is_named_in_the_readers_words() -> None:
    """The caller words it, in whatever language it speaks."""
    story = Story(max_attempts=1)
    story.accept(1)
    first, second = story.plan.root.children
    story.result(20, story.claim(10, first.id), outcome="failed")
    story.result(40, story.claim(30, second.id), text="kept")
    text = text_of(story.plan.root, failed)
    assert text == "## part 0\n\n(part 0 failed)\n\n## part 1\n\nkept"


def test_headings_have_a_least_size() -> None:
    """However deep the plan, a heading is still shown as one."""
    story = Story()
    story.accept(1)
    story.result(20, story.claim(10, story.first_task().id), text="kept")
    above = Node.__new__(Node)
    made = (("children", (story.plan.root,)), ("settled", None), ("outcome", Outcome()))
    for slot, value in made:
        setattr(above, slot, value)
    assert f"{'#' * DEEPEST_HEADING} part 0" in text_of(above, failed, DEEPEST_HEADING)


def test_a_change_outdates_the_fingerprints_above() -> None:
    """A new claim below changes the root's digest, which was kept."""
    story = Story()
    story.accept(1)
    before = story.plan.digest
    first, second = story.plan.root.children
    kept = second.digest
    story.claim(10, first.id)
    assert [first.digest, story.plan.root.digest, second.digest] == [None, None, kept]
    assert story.plan.digest != before
