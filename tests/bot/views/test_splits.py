"""The message of a split: what was asked for, and the whole plan that competes."""

from __future__ import annotations

import pytest

from bot.rendering import MESSAGE_LIMIT, length
from bot.texts import LANGUAGES, speaking
from bot.views.splits import competing, split_message
from swarm.brief.read import read_brief
from swarm.core.clock import EPOCH
from swarm.core.records import Proposal, Subgoal
from swarm.core.views.english import why
from tests.bot.worlds import POLICY, FakePeer

GOAL = "Plan a school fair for 120 children with three prizes, a budget of 900 euro, no alcohol"
DRAFT = "Week 1: write to the parents. " * 60


def proposed(*, parts: bool) -> tuple[FakePeer, bytes, bytes]:
    """Return a swarm with a proposal for the goal, the goal, and the proposal."""
    peer = FakePeer()
    goal = peer.submit(GOAL, policy=POLICY)
    brief = read_brief(GOAL)
    split = [
        Subgoal(title="Stalls", detail="", keeps=list(range(len(brief.demands)))),
        Subgoal(title="Music", detail="", keeps=[]),
    ]
    body = Proposal(
        stamp=EPOCH,
        goal=goal,
        node=goal,
        lens="phase" if parts else "whole",
        brief=brief,
        parts=split if parts else [],
        draft=None if parts else DRAFT,
    )
    return peer, goal, peer.say(body, "decomposer").id


def told(language: str) -> str:
    """Return the message of a draft that brings the goal's brief along."""
    peer, goal, _ = proposed(parts=False)
    (split,) = competing(peer.plan(goal))
    with speaking(language):
        return split_message(split, name=lambda _: "d")


@pytest.mark.parametrize("language", LANGUAGES)
def test_people_see_what_was_asked_for_and_how_a_draft_begins(language: str) -> None:
    """Every demand that was read stands in the message, in the goal's words, and it fits."""
    text = told(language)
    for demand in read_brief(GOAL).demands:
        assert demand.text in text
    assert "Week 1: write to the parents." in text
    assert length(text) <= MESSAGE_LIMIT


def test_why_says_what_the_goal_demands_and_what_a_part_keeps() -> None:
    """From the moment at which a brief is accepted with its split."""
    peer, goal, proposal = proposed(parts=True)
    peer.accept(proposal)
    plan = peer.plan(goal)
    demands = "; ".join(demand.text for demand in read_brief(GOAL).demands)
    assert f"The goal demands: {demands}." in why(plan, plan.root)
    first, second = plan.root.children
    assert f"It has to keep: {demands}." in why(plan, first)
    assert not any("has to keep" in line for line in why(plan, second))
