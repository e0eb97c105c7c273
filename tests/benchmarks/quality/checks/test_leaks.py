"""What leaks from prompts, read from the product's own modules."""

from benchmarks.quality.checks import leaks
from benchmarks.quality.goals import generate
from benchmarks.quality.reading import read
from swarm.llm.lenses import LENSES

GOAL = generate(30_001, "en")


def _outcomes(text: str) -> dict[str, str]:
    return {one.check: one.outcome for one in leaks.check(read(text, GOAL), GOAL)}


def test_every_example_of_the_product_is_known() -> None:
    """The parts of each lens's example are found in a plan, so the check follows changes."""
    for lens in LENSES.values():
        text = "\n".join(f"- {part.title}: {part.detail}" for part in lens.parts)
        assert _outcomes(text)["examples"] == "broken", lens.slug


def test_ordinary_words_are_no_leaks() -> None:
    """A goal of a runner, a title and a list of parts are not the machinery's."""
    text = "- Goal: run ten kilometres\n- The title of the poster\n- Spare parts: two tyres"
    assert _outcomes(text) == {"markers": "kept", "examples": "kept"}
