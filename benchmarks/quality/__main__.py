"""How many of a goal's demands does a plan keep: one call, one agent and the swarm compared.

    python -m benchmarks.quality --goals 8                    embedded model, seeds to tune on
    python -m benchmarks.quality --goals 8 --arms one,swarm --language en,ms
    python -m benchmarks.quality --ollama http://127.0.0.1:11434 --model qwen2.5:7b
    python -m benchmarks.quality --seeds report --goals 40    for the document, at the very end
    python -m benchmarks.quality --print-goal 1003            the text of a goal
    python -m benchmarks.quality --check plan.md --goal 1003  judge any text by hand
    python -m benchmarks.quality --quick                      a model of perfect obedience

Results are kept as lines of JSON and answers of the model in a cache, so a run that was stopped is
continued by the same command, and unchanged prompts cost nothing. The table goes into
docs/measurements.md only for `--seeds report`. Those goals must not be looked at before.
"""

from __future__ import annotations

import argparse
import contextlib
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import rich
from rich.progress import MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from benchmarks import report
from benchmarks.quality import arms, obedient, results, table
from benchmarks.quality.cache import proxying
from benchmarks.quality.checks import check, share
from benchmarks.quality.goals import LANGUAGES, REPORT, TUNE, Goal, generate, language_of
from benchmarks.quality.results import Result
from benchmarks.quality.server import add_model_options, model_server

QUICK_GOALS = 2

AGENT_TOKENS = 20_000
"""The agent's budget for goals of which no result of the swarm is known."""

RUN_ORDER = ("one", "swarm", "agent")
"""The swarm comes before the agent, whose budget is what the swarm used."""


def main() -> None:
    """Do what the flags say."""
    options = _options()
    if options.print_goal:
        print(_goal_named(options.print_goal).text)
    elif options.check is not None:
        _judge_by_hand(options)
    else:
        _measure(options)


def _options() -> argparse.Namespace:
    parser = report.parser(__doc__)
    parser.add_argument("--goals", type=int, default=8, help="how many goals")
    parser.add_argument("--seeds", choices=("tune", "report"), default="tune")
    parser.add_argument("--skip", type=int, default=0, help="leave out so many of the first goals")
    parser.add_argument("--arms", default=",".join(arms.ARMS), help="of one, agent, swarm")
    parser.add_argument("--language", default=",".join(LANGUAGES), help="codes; goals take turns")
    add_model_options(parser)
    parser.add_argument("--context", type=int, default=0, help="context length to ask for")
    parser.add_argument("--results", type=Path, default=None, help="file of the results")
    parser.add_argument("--again", action="store_true", help="do not continue earlier results")
    parser.add_argument("--swarm-options", default="", help='further ones of `swarm up`: "--x 1"')
    parser.add_argument("--print-goal", default="", metavar="SEED[:LANGUAGE]")
    parser.add_argument("--check", type=Path, default=None, metavar="FILE", help="judge this text")
    parser.add_argument("--goal", default="", metavar="SEED[:LANGUAGE]", help="its goal")
    parser.add_argument("--heading", action="append", default=[], help="of a section to leave out")
    options = parser.parse_args()
    options.arms = options.arms.split(",")
    options.language = options.language.split(",")
    if unknown := set(options.arms) - set(arms.ARMS):
        parser.error(f"no such arm: {', '.join(sorted(unknown))}")
    if unknown := set(options.language) - set(LANGUAGES):
        parser.error(f"no such language: {', '.join(sorted(unknown))}")
    if options.check is not None and not options.goal:
        parser.error("--check needs --goal SEED")
    return options


def _goal_named(name: str) -> Goal:
    seed, _, language = name.partition(":")
    return generate(int(seed), language)


def _judge_by_hand(options: argparse.Namespace) -> None:
    goal = _goal_named(options.goal)
    verdicts = check(options.check.read_text(encoding="utf-8"), goal, options.heading)
    shown = Table("check", "outcome", "reason", title=f"{goal.family}, {goal.language}")
    for one in verdicts:
        colour = {"kept": "green", "broken": "red"}.get(one.outcome, "dim")
        shown.add_row(one.check, f"[{colour}]{one.outcome}[/]", one.reason)
    rich.print(goal.text, shown)
    for kind in ("demand", "form", ""):
        print(f"{kind or 'all'}: {share(verdicts, kind):.2f}")


def _measure(options: argparse.Namespace) -> None:
    seeds = REPORT if options.seeds == "report" else TUNE
    count = QUICK_GOALS if options.quick else options.goals
    chosen = seeds[options.skip : options.skip + count]
    goals = [generate(seed, language_of(seed, options.language)) for seed in chosen]
    if options.quick:
        options.model, options.again = obedient.MODEL, True
    file = options.results or results.default_file(options.model)
    known = [] if options.again else results.load(file)
    with _model_server(options, goals) as upstream:
        found = _run(options, goals, upstream, known, None if options.quick else file)
    options.dry = options.dry or options.seeds != "report"
    _report(options, found)


@contextlib.contextmanager
def _model_server(options: argparse.Namespace, goals: Sequence[Goal]) -> Iterator[str]:
    """Yield the address of the model server; start one unless a flag names it."""
    if options.quick:
        with obedient.serving(goals) as server:
            yield server.url
    else:
        with model_server(options.ollama, options.model) as url:
            yield url


def _run(
    options: argparse.Namespace,
    goals: Sequence[Goal],
    upstream: str,
    known: Sequence[Result],
    file: Path | None,
) -> list[Result]:
    """Run what is not known yet; return the results of all goals."""
    found: list[Result] = []
    order = [arm for arm in RUN_ORDER if arm in options.arms]
    columns = (TextColumn("{task.description}"), MofNCompleteColumn(), TimeElapsedColumn())
    with (
        contextlib.ExitStack() as stack,
        tempfile.TemporaryDirectory() as empty,
        proxying(upstream, Path(empty) if options.quick else options.cache) as proxy,
        Progress(*columns, transient=True) as progress,
    ):
        model = arms.Model(proxy, options.model, options.context)
        stack.callback(model.close)
        bar = progress.add_task("", total=len(goals) * len(order))
        for goal in goals:
            for arm in order:
                progress.update(bar, description=f"{goal.seed} {goal.family} {goal.language} {arm}")
                result = results.find(known, goal, arm)
                if result is None:
                    outcome = _arm(arm, options, [*known, *found])(model, goal)
                    result = results.result_of(goal, arm, options.model, outcome)
                    if file is not None:
                        results.append(file, result)
                found.append(result)
                progress.console.print(_line(result), highlight=False, soft_wrap=True)
                progress.advance(bar)
    return found


def _arm(
    name: str, options: argparse.Namespace, known: Sequence[Result]
) -> Callable[[arms.Model, Goal], arms.Outcome]:
    if name == "one":
        return arms.one_call
    if name == "swarm":
        return lambda model, goal: arms.swarm(model, goal, options.swarm_options.split())

    def agent(model: arms.Model, goal: Goal) -> arms.Outcome:
        used = results.find(known, goal, "swarm")
        return arms.agent(model, goal, used.tokens if used else AGENT_TOKENS)

    return agent


def _line(result: Result) -> str:
    verdicts = result.verdicts()
    trouble = f"  {result.trouble}" if result.trouble else ""
    spent = f"{result.tokens:>6} tokens  {result.calls:>3} calls  {result.model_seconds:>4.0f} s"
    return (
        f"{result.seed} {result.goal.family:<10} {result.language} {result.arm:<5} "
        f"demands {share(verdicts, 'demand'):.2f}  form {share(verdicts, 'form'):.2f}  "
        f"{spent}{trouble}"
    )


def _report(options: argparse.Namespace, found: Sequence[Result]) -> None:
    chosen = [arm for arm in arms.ARMS if arm in options.arms]
    judged = table.judge(results.whole(found, chosen))
    page = report.Page("quality", "Quality of plans", options)
    page.say(
        f"{len(judged)} goals of the seeds to {options.seeds}, {options.model}. Shares are means "
        "over goals of the demands that a plan keeps, judged by code, with 95 % intervals "
        "bootstrapped over goals. “Without quoted words” leaves out bold labels and runs of four "
        "words that a plan copies from the goal: what is kept then was worked out. Demands are "
        "what the goal's text asks for; form is what every plan must have (nothing repeated, cut, "
        "leaked or copied). Times are those of the model, also for answers from the cache."
    )
    page.table(*table.overall(judged, chosen))
    if "swarm" in chosen and len(chosen) > 1:
        page.table(*table.ratios(judged, chosen))
    page.table(*table.by_check(judged, chosen))
    page.table(*table.by_group(judged, chosen, "language", lambda one: one.language))
    page.table(*table.by_group(judged, chosen, "family", lambda one: one.goal.family))
    page.write()


if __name__ == "__main__":
    main()
