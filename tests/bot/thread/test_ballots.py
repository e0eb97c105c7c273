"""Which of a person's reactions and button clicks counts."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from bot.thread.ballots import Ballots, meaning

ONE = b"1"


def test_every_skin_tone_is_the_same_vote() -> None:
    """Thumbs of every skin tone count; no other reaction is a vote."""
    assert [meaning(emoji) for emoji in ("👍", "👍🏽", "👍🏿", "👎🏻", "🎉", "")] == [
        "approve", "approve", "approve", "reject", None, None,
    ]  # fmt: skip


@given(st.lists(st.tuples(st.sampled_from("👍👎🎉"), st.booleans()), max_size=20))
def test_the_latest_reaction_that_is_there_counts(events: list[tuple[str, bool]]) -> None:
    """In any order of clicks, the vote is the newest reaction that remains."""
    ballots, there = Ballots(), list[str]()
    vote = "abstain"
    for emoji, added in events:
        if emoji in there:
            there.remove(emoji)
        if added:
            there.append(emoji)
        verdict = meaning(emoji)
        if verdict is None:
            continue
        changed = ballots.add(ONE, verdict) if added else ballots.remove(ONE, verdict)
        vote = changed or vote
    votes = [one for one in there if one != "🎉"]
    assert vote == ({"👍": "approve", "👎": "reject"}[votes[-1]] if votes else "abstain")


def test_a_recount_keeps_the_order_of_someone_with_both_reactions() -> None:
    """Discord does not reveal which came later, so the attested vote is kept."""
    ballots = Ballots()
    two, three = b"2", b"3"
    ballots.recount(
        [(ONE, "approve"), (two, "approve"), (two, "reject"), (three, "reject")],
        {},
        {two: "approve"},
    )
    assert ballots.verdicts() == {ONE: "approve", two: "approve", three: "reject"}


def test_a_vote_by_button_counts_beside_reactions() -> None:
    """A person has one ballot, the latest of both kinds; once withdrawn, the other counts again."""
    ballots = Ballots()
    assert ballots.add(ONE, "approve") == "approve"
    assert ballots.add(ONE, "reject", "button") == "reject"
    assert ballots.standing(ONE) == ("button", "reject")
    assert ballots.remove(ONE, "reject", "button") == "approve"
    assert ballots.remove(ONE, "approve") == "abstain"
    ballots.recount([(ONE, "approve")], {ONE: "reject"}, {ONE: "reject"})
    assert ballots.verdicts() == {ONE: "reject"}
