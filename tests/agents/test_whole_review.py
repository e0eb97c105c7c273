"""Reviews by models and of the whole plan, among agents: found, sent back, mended, reported."""

from __future__ import annotations

from dataclasses import replace

from swarm.agents.briefs import judged
from swarm.brief.part import Part
from swarm.core.brief import Cost
from swarm.core.records import Review
from swarm.core.views.english import result_text
from swarm.llm.client import assembly
from swarm.llm.requests import (
    Answer,
    AssembleRequest,
    DoRequest,
    Request,
    ReviewAnswer,
    ReviewRequest,
    SplitAnswer,
    TextAnswer,
)
from swarm.sim.world.world import tidy_model
from swarm.testing import script
from tests.agents.village import POLICY, Village, by_kind

REVIEWED = POLICY.model_copy(update={"reviews": 1})
MILL = "Plan an outing, must see the old water mill museum"
"""Its demand is one that code cannot tell in a text with only some of its words."""


class Model:
    """Writes parts of which the first costs much and mentions a mill; mends what comes back."""

    def __init__(self, price: int = 10, *, keeps: tuple[int, ...] = ()) -> None:
        self.reviewed: list[ReviewRequest] = []
        self.revised: list[DoRequest] = []
        self._price, self._keeps = price, keeps

    def __call__(self, request: Request) -> tuple[Answer | Exception, int]:
        answer, latency = tidy_model(request)
        match request:
            case ReviewRequest():
                self.reviewed.append(request)
                demands = request.brief.demands
                kept = {i: script.keeps(request.text, demands[i].text) for i in request.points}
                return ReviewAnswer(
                    kept=tuple(i for i in kept if kept[i]),
                    lost=tuple(i for i in kept if not kept[i]),
                ), latency
            case DoRequest():
                return self._do(request), 500
            case AssembleRequest():
                return assembly.composed(request, "About it.", draft=False), latency
        if isinstance(answer, SplitAnswer):
            parts = (replace(answer.parts[0], keeps=self._keeps), *answer.parts[1:])
            return replace(answer, parts=parts), latency
        return answer, latency

    def _do(self, request: DoRequest) -> TextAnswer:
        price = self._price if request.title == request.outline[0].title else 20
        rows = [f"We go on with {request.title}, past a mill."]
        if request.critiques:
            self.revised.append(request)
            price = 10
            rows += [f"{script.paraphrase(request.brief.demands[i].text)}." for i in request.unkept]
        return TextAnswer(
            text="\n".join(rows), draft=False, costs=(Cost(what="Entry", amount=price),)
        )


def plan_of(model: Model, goal: str, **policy: int) -> tuple[Village, bytes]:
    """Return a village that has planned a goal."""
    village = Village(model=model, executors=4)
    asked = village.world.submit(village.asker, goal, REVIEWED.model_copy(update=policy))
    village.world.run(until=lambda: village.world.plan(village.asker, asked).final, seconds=900)
    return village, asked


def test_a_fault_that_only_a_model_sees_is_mended_and_reported() -> None:
    """Found -> review -> other executor -> better version; the report says met by reviewers."""
    model = Model(keeps=(0,))
    village, goal = plan_of(model, MILL)
    plan = village.world.plan(village.asker, goal)
    first = plan.root.children[0]
    one, two = first.outcome.versions
    assert (one.verdict, two.verdict) == ("wrong", "fine")
    assert one.result.author != two.result.author
    assert first.result is two.result
    (revision,) = model.revised
    assert revision.unkept == (0,)
    assert "This is not kept: must see the old water mill museum." in revision.critiques
    for review in two.reviews.values():
        assert isinstance(review.body, Review)
        assert review.body.kept == [0]
    assert "must see the old water mill museum — Met (reviewers)" in result_text(plan.root)
    assert judged(plan.root) == (frozenset({0}), frozenset())
    assert len(village.digests(goal)) == 1


def test_a_model_is_asked_only_about_what_code_cannot_tell() -> None:
    """Parts that keep no such demand are reviewed without a call."""
    model = Model()
    village, goal = plan_of(model, "Plan an outing, budget 500 euro")
    assert village.world.plan(village.asker, goal).state == "done"
    assert model.reviewed == []


def test_parts_that_cost_too_much_together_go_back() -> None:
    """Each is fine by itself; the whole is above the budget, so the dearest is made cheaper."""
    model = Model(price=480)
    village, goal = plan_of(model, "Plan an outing, budget 500 euro")
    plan = village.world.plan(village.asker, goal)
    (revision,) = model.revised
    assert revision.critiques[0].startswith("In the whole plan: The costs are")
    assert [len(node.outcome.versions) for node in plan.root.children] == [2, 1, 1]
    assert "❌" not in result_text(plan.root)
    assert len(village.digests(goal)) == 1


def test_a_whole_that_cannot_be_mended_ends_after_its_rounds() -> None:
    """A plan that stays too dear is done all the same, and says so."""

    class Dear(Model):
        def _do(self, request: DoRequest) -> TextAnswer:
            answer = super()._do(request)
            return replace(answer, costs=(Cost(what="Entry", amount=400),))

    village, goal = plan_of(Dear(), "Plan an outing, budget 500 euro")
    plan = village.world.plan(village.asker, goal)
    assert plan.state == "done"
    assert all(len(node.outcome.versions) <= 2 for node in plan.root.children)
    assert "❌" in result_text(plan.root)


def test_a_part_that_others_wait_for_is_not_held_back() -> None:
    """Its review comes at once; those that nobody waits for are settled with the last part."""

    class Chain(Model):
        def __call__(self, request: Request) -> tuple[Answer | Exception, int]:
            answer, latency = super().__call__(request)
            if isinstance(answer, SplitAnswer):
                head, middle, last = answer.parts[:3]
                parts: tuple[Part, ...] = (head, middle, replace(last, after=(0,)))
                return replace(answer, parts=parts), latency
            return answer, latency

    village, goal = plan_of(Chain(), "Plan an outing, budget 500 euro")
    first, second, third = village.world.plan(village.asker, goal).root.children
    assert first.settled is not None
    assert second.settled is not None
    assert third.result is not None
    assert first.settled < third.result.stamp < second.settled
    assert all(len(by_kind(peer, Review)) == 3 for peer in village.scorers)
