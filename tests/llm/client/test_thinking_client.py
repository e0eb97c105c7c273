"""Models that think although told not to: they get room, once known, and their answers count."""

from __future__ import annotations

import pytest

from swarm.llm.client.brain import OllamaBrain
from swarm.llm.client.code_rating import BY_CODE
from swarm.llm.client.thinking import THINKING_TOKENS, index_of_answer
from swarm.llm.requests import RateAnswer, SplitAnswer, TextAnswer
from swarm.llm.settings import ModelSettings
from swarm.testing.scripted_server import ScriptedServer
from tests.llm.conftest import DO, RATE, SPLIT

pytestmark = pytest.mark.trio


def brain_for(server: ScriptedServer, settings: ModelSettings) -> OllamaBrain:
    return OllamaBrain(server.url, "scripted", settings=settings)


@pytest.mark.parametrize("where", ["field", "tags", "nowhere"])
@pytest.mark.parametrize("breaks", [False, True])
async def test_a_model_that_thinks_splits_rates_and_writes(
    server: ScriptedServer, settings: ModelSettings, where: str, breaks: bool
) -> None:
    """Wherever the server shows the thinking, all answers are those without it."""
    expected = [await brain_for(server, settings).perform(asked) for asked in (SPLIT, DO)]
    server.behaviour.think, server.behaviour.think_in = 80, where
    server.behaviour.format_breaks = breaks
    brain = brain_for(server, settings)
    assert [await brain.perform(asked) for asked in (SPLIT, DO)] == expected
    assert isinstance(await brain.perform(RATE), RateAnswer)


@pytest.mark.parametrize("streams", [False, True])
async def test_a_streamed_text_has_no_thinking_in_it(
    server: ScriptedServer, settings: ModelSettings, streams: bool
) -> None:
    """Its limit is the text's and the thinking's together, streamed or not."""
    whole = await brain_for(server, settings).perform(DO)
    server.behaviour.think = 1_000
    brain = brain_for(server, settings)
    answer = await brain.perform(DO, on_text=(lambda text: None) if streams else None)
    assert answer == whole
    assert isinstance(answer, TextAnswer)


@pytest.mark.parametrize("where", ["field", "tags"])
async def test_yes_is_read_after_the_thinking(
    server: ScriptedServer, settings: ModelSettings, where: str
) -> None:
    """The probability is that of the answer's token, not of the first word thought."""
    server.behaviour.think, server.behaviour.think_in, server.behaviour.yes = 50, where, 0.6
    rating = await brain_for(server, settings).perform(RATE)
    assert rating == RateAnswer(concrete=0.8, distinct=0.75, complete=0.8, critique="")


async def test_without_probabilities_the_word_after_the_thinking_counts(
    server: ScriptedServer, settings: ModelSettings
) -> None:
    """One sample, by Laplace's rule: a thought costs too much to have three."""
    server.behaviour.think, server.behaviour.yes, server.behaviour.logprobs = 50, 0.9, False
    brain = brain_for(server, settings)
    await brain.perform(DO)
    server.requests.clear()
    rating = await brain.perform(RATE)
    assert isinstance(rating, RateAnswer)
    assert rating.concrete == pytest.approx(0.5 * 2 / 3 + 0.5, abs=0.001)
    assert len(server.requests) == 3


async def test_what_was_learned_is_remembered(
    server: ScriptedServer, settings: ModelSettings
) -> None:
    """After the first answers no call is made twice, and each has its room."""
    server.behaviour.think, server.behaviour.format_breaks = 30, True
    brain = brain_for(server, settings)
    await brain.perform(SPLIT)
    server.requests.clear()
    await brain.perform(SPLIT)
    await brain.perform(RATE)
    assert len(server.requests) == 4
    assert all(body["options"]["num_predict"] > THINKING_TOKENS for body in server.requests)
    assert not any(body.get("format") for body in server.requests)


async def test_a_model_that_never_stops_thinking_is_given_up(
    server: ScriptedServer, settings: ModelSettings
) -> None:
    """A bounded number of calls, and its scorer rates by code."""
    server.behaviour.think = 1_000_000
    rating = await brain_for(server, settings).perform(RATE)
    assert isinstance(rating, RateAnswer)
    assert BY_CODE in rating.critique
    assert rating.complete > 0.5
    assert len(server.requests) <= 12


async def test_one_empty_answer_does_not_cost_a_good_model_its_format(
    server: ScriptedServer, settings: ModelSettings
) -> None:
    """It may be an accident: the next split has its schema again."""
    brain = brain_for(server, settings)
    server.behaviour.next = ["empty"]
    assert isinstance(await brain.perform(SPLIT), SplitAnswer)
    assert [bool(body.get("format")) for body in server.requests] == [True, False]
    await brain.perform(SPLIT)
    assert server.requests[-1]["format"]


async def test_a_model_that_does_not_think_gets_no_room(
    server: ScriptedServer, settings: ModelSettings
) -> None:
    """Its calls are as they were."""
    brain = brain_for(server, settings)
    await brain.perform(RATE)
    assert [body["options"]["num_predict"] for body in server.requests] == [1, 1, 1]


async def test_the_answer_s_first_token_is_found() -> None:
    """After the thinking, also where that has the same word in it."""
    assert index_of_answer(["Say", " Yes", "?", "\n", "Yes"], "Yes") == 4
    assert index_of_answer(["Ye", "s", "."], "Yes.") == 0
    assert index_of_answer(["hmm"], "Yes") is None
    assert index_of_answer([], "") is None
