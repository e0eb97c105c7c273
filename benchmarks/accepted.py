"""How often the split that scorers accept is the one that makes the best plan.

    python -m benchmarks.accepted --goals 4
    python -m benchmarks.accepted --ollama http://127.0.0.1:11434 --model qwen2.5:7b

For each goal the model makes every proposal that decomposers would make: a split by each lens that
suits the goal, and the plan in one go. Each is rated by one scorer that asks everything, and by
three that share the questions. Then each is carried out as if it had won: the agents and the fold
of the product run in the simulator, with the real model as executor. The plans are checked by
`benchmarks.quality`. Goals are those to tune on; answers are kept on disk.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean

import rich
from anyio.from_thread import BlockingPortal, start_blocking_portal
from rich.progress import track

from benchmarks import report
from benchmarks.quality.cache import proxying
from benchmarks.quality.checks import check, share
from benchmarks.quality.goals import LANGUAGES, TUNE, Goal, generate
from benchmarks.quality.server import add_model_options, model_server
from swarm.agents.decomposer import Decomposer
from swarm.agents.executor import Executor
from swarm.agents.scorer import Scorer
from swarm.brief.read import read_brief
from swarm.brief.skeleton import fit
from swarm.core.brief import Brief
from swarm.core.policy import MINUTE, Policy
from swarm.core.views.english import result_text
from swarm.llm.client.brain import OllamaBrain
from swarm.llm.errors import LLMError
from swarm.llm.lenses import WHOLE, lenses_for
from swarm.llm.requests import (
    Answer,
    RateAnswer,
    RateRequest,
    Request,
    SplitAnswer,
    SplitRequest,
)
from swarm.llm.viewpoints import Viewpoint, viewpoint_of
from swarm.sim.world.models import tidy_model
from swarm.sim.world.world import World

MOST_PARTS = 7
SCORERS = 3
LATENCY_MS = 100
QUICK_GOALS = 1

Perform = Callable[[Request], Answer]


@dataclass(frozen=True, slots=True)
class Rated:
    """One proposal: how it is rated, and how good the plan is that it leads to.

    Attributes:
        lens: Slug of its lens.
        alone: Its rating by one scorer that asks everything, in [0, 1].
        shared: Its mean rating by three scorers that share the questions, in [0, 1].
        kept: Share of the goal's demands that its plan keeps, in [0, 1].
    """

    lens: str
    alone: float
    shared: float
    kept: float


def main() -> None:
    """Make and carry out all proposals, and write the report."""
    parser = report.parser(__doc__)
    parser.add_argument("--goals", type=int, default=8, help="how many goals")
    parser.add_argument("--language", default="en", choices=LANGUAGES)
    add_model_options(parser)
    options = parser.parse_args()
    goals = QUICK_GOALS if options.quick else options.goals
    page = report.Page("accepted", "Whether the best split is accepted", options)
    with (
        model_server(options.ollama, options.model) as upstream,
        proxying(upstream, options.cache) as proxy,
        proxy.run(),
        start_blocking_portal() as portal,
    ):
        brain = OllamaBrain(proxy.url, options.model)
        portal.call(brain.check)
        perform = _performing(portal, brain)
        found = [
            proposals
            for seed in track(TUNE[:goals], "Goals", console=rich.get_console())
            if len(proposals := _proposals(generate(seed, options.language), perform)) > 1
        ]
        portal.call(brain.close)
    _write(page, options.model, found)


def _performing(portal: BlockingPortal, brain: OllamaBrain) -> Perform:
    def perform(request: Request) -> Answer:
        return portal.call(brain.perform, request)

    return perform


def _write(page: report.Page, model: str, found: Sequence[Sequence[Rated]]) -> None:
    choices: dict[str, Callable[[Sequence[Rated]], float]] = {
        "one scorer that asks everything": lambda those: _chosen(those, lambda one: one.alone),
        f"{SCORERS} scorers that share the questions": lambda those: _chosen(
            those, lambda one: one.shared
        ),
        "any, by chance": lambda those: fmean(one.kept for one in those),
        "the best": lambda those: max(one.kept for one in those),
    }
    count = sum(len(those) for those in found)
    page.say(
        f"{model}, {len(found)} goals with {count} proposals, each carried out by the product's "
        "agents. “Best accepted”: the accepted plan keeps as many demands as the best one would."
    )
    rows = []
    for name, choose in choices.items():
        kept = [choose(those) for those in found]
        best = [
            value >= max(one.kept for one in those)
            for value, those in zip(kept, found, strict=True)
        ]
        shown = "" if name.startswith("any") else f"{sum(best)} of {len(best)}"
        rows.append([name, f"{fmean(kept):.2f}", shown])
    page.table(["accepted by", "demands kept", "best accepted"], rows)
    page.write()


def _chosen(those: Sequence[Rated], rating: Callable[[Rated], float]) -> float:
    """Return what the plan of the highest rated proposal keeps."""
    return max(those, key=rating).kept


def _proposals(goal: Goal, perform: Perform) -> list[Rated]:
    """Return all proposals that the model makes for a goal, rated and carried out."""
    brief = read_brief(goal.text, goal.language)
    found = []
    for lens in (*lenses_for(goal.text, brief), WHOLE):
        request = SplitRequest(
            goal=goal.text,
            title=goal.text,
            detail="",
            path=(),
            language=goal.language,
            lens=lens,
            max_parts=MOST_PARTS,
            may_nest=False,
            brief=brief,
        )
        try:
            answer = perform(request)
        except LLMError:
            continue  # Such a decomposer proposes nothing.
        assert isinstance(answer, SplitAnswer)
        shared = [
            _rating(goal, brief, answer, perform, viewpoint_of(n, SCORERS)) for n in range(SCORERS)
        ]
        alone = _rating(goal, brief, answer, perform, Viewpoint())
        kept = share(check(_plan(goal, answer, perform), goal), "demand")
        found.append(Rated(lens, alone, fmean(shared), kept))
        rich.print(f"{goal.seed} {lens:12} {alone:.3f} {fmean(shared):.3f}  kept {kept:.2f}")
    return found


def _rating(
    goal: Goal, brief: Brief, answer: SplitAnswer, perform: Perform, viewpoint: Viewpoint
) -> float:
    parts = fit(brief, answer.parts)
    request = RateRequest(
        goal=goal.text,
        title=goal.text,
        detail="",
        language=goal.language,
        parts=parts,
        atomic=not parts,
        draft=answer.draft,
        brief=brief,
        viewpoint=viewpoint,
    )
    rating = perform(request)
    assert isinstance(rating, RateAnswer)
    return (rating.concrete + rating.distinct + rating.complete) / 3


def _plan(goal: Goal, proposal: SplitAnswer, perform: Perform) -> str:
    """Return the finished plan of a goal whose only proposal this is."""

    def model(request: Request) -> tuple[Answer | Exception, int]:
        if isinstance(request, SplitRequest):
            return proposal, LATENCY_MS
        if isinstance(request, RateRequest):
            return tidy_model(request)
        try:
            return perform(request), LATENCY_MS
        except LLMError as error:
            return error, LATENCY_MS

    world = World(goal.seed)
    asker = world.submitter()
    for agent in (Decomposer(), Scorer(), Executor()):
        world.add(agent, model)
    world.run(seconds=3)
    policy = Policy(quorum=1, max_depth=1, deadline_ms=60 * MINUTE)
    goal_id = world.submit(asker, goal.text, policy)
    world.run(until=lambda: world.plan(asker, goal_id).final, seconds=3_600)
    return f"# {goal.text}\n\n{result_text(world.plan(asker, goal_id).root)}"


if __name__ == "__main__":
    main()
