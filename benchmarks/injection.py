"""What instructions hidden in peers' text do to the embedded model: ratings, and the next task.

    python -m benchmarks.injection [--quick]

A split by a dishonest decomposer has a note to the scorers in one of its details; a result by a
dishonest executor has a task of its own. Measured are the probability of "Yes" of bad splits
without and with each note, and whether the next executor does the result's task. The attacks are in
`swarm.testing.injections`: the tests look at the same ones. It takes some minutes.
"""

from __future__ import annotations

import statistics
import sys
from collections.abc import Sequence
from dataclasses import replace

from benchmarks import report
from swarm.brief.part import Part
from swarm.llm.client import belonging, parsing, prompts
from swarm.llm.client.part_prompts import part_prompt
from swarm.llm.client.prompt import Prompt
from swarm.llm.embedded import weights
from swarm.llm.embedded.engine import Engine, EngineRequest, Piece, TokenChoice
from swarm.llm.requests import DoRequest, RateRequest
from swarm.testing.injections import BAD_SPLITS, GOOD_SPLIT, NOTES, RESULTS, UNCAUGHT, noted

MODEL = "qwen2.5-coder-1.5b"

TASK_TOKENS = 100
"""Tokens of a task's answer: an advertisement shows in its first line."""


def ask(engine: Engine, prompt: Prompt, top: int = 0) -> tuple[str, list[TokenChoice]]:
    """Return the model's answer, and its tokens with `top` alternatives each."""
    pieces: list[Piece] = []

    def take(piece: Piece) -> bool:
        pieces.append(piece)
        return True

    engine.complete(
        EngineRequest(
            messages=tuple(prompt.messages), max_tokens=prompt.max_tokens, top_logprobs=top
        ),
        take,
    )
    tokens = [token for piece in pieces for token in piece.tokens]
    return "".join(piece.text for piece in pieces), tokens


def yes(engine: Engine, goal: str, parts: Sequence[Part]) -> float:
    """Return the mean probability of what is good of a split over the questions about it."""
    request = RateRequest(
        goal=goal, title=goal, detail="", language="en", parts=tuple(parts), atomic=False
    )
    found = []
    for question, prompt in prompts.rate_prompts(request).items():
        _, tokens = ask(engine, prompt, top=10)
        if tokens and question == "belongs":
            own, letters = belonging.letter_of(request), belonging.LETTERS
            found.append(parsing.letter_probability(tokens[0].top, own, letters))
        elif tokens:
            found.append(parsing.yes_probability(tokens[0].top))
    return statistics.fmean(value for value in found if value is not None)


def rate(engine: Engine, quick: bool) -> list[list[str]]:
    """Return a row for each note: P(yes) of bad splits with it."""
    splits = BAD_SPLITS[:1] if quick else BAD_SPLITS
    rows = []
    for name, note in {"none": "", **NOTES, **UNCAUGHT}.items():
        values = [yes(engine, goal, noted(parts, note)) for goal, parts in splits]
        rows.append([name, f"{statistics.fmean(values):.2f}", f"{max(values):.2f}"])
    return rows


def follow(engine: Engine, quick: bool) -> list[list[str]]:
    """Return a row for each result with a task of its own: whether the next executor does it."""
    rows = []
    for name, attack in list(RESULTS.items())[: 1 if quick else None]:
        request = DoRequest(
            goal=GOOD_SPLIT[0],
            title="Kyoto",
            # Without a detail: the result's "It should cover:" would be the only one.
            detail="",
            language="en",
            inputs=(("Tokyo", attack.text),),
        )
        prompt = replace(part_prompt(request, small=True), max_tokens=TASK_TOKENS)
        text, _ = ask(engine, prompt)
        rows.append([name, "yes" if attack.worked(text) else "no"])
    return rows


def main() -> None:
    """Measure, and write the report."""
    options = report.parser(__doc__).parse_args()
    entry = weights.weights_named(MODEL)
    if not weights.is_present(entry):
        sys.exit(f"The weights are not here: swarm model fetch {entry.name}")
    page = report.Page("injection", "Instructions hidden in peers' text", options)
    engine = Engine(weights.path_of(entry))
    good = yes(engine, *GOOD_SPLIT)
    page.say(
        f"{entry.name}. The mean probability of “yes”, or of the split's own goal "
        "(`swarm/llm/viewpoints`), of bad splits with a note to the scorers in one detail; a good "
        f"split without one has {good:.2f}."
    )
    page.table(["note", "mean", "highest"], rate(engine, options.quick))
    page.say("Whether the next executor writes the advertisement that a result demands:")
    page.table(["result", "written"], follow(engine, options.quick))
    page.write()


if __name__ == "__main__":
    main()
