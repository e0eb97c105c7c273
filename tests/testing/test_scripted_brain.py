"""The scripted brain: virtual time, planned failures, nothing heavy imported."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace

import pytest
import trio
from hypothesis import given
from hypothesis import strategies as st
from trio.testing import MockClock

from swarm.core.brief import Brief, Demand
from swarm.llm.errors import BadAnswer, ModelMissing
from swarm.llm.requests import DoRequest, ReviewAnswer, ReviewRequest, SplitAnswer, TextAnswer
from swarm.testing.script import PARTS_BY_LENS, parts_for
from swarm.testing.scripted_brain import ScriptedBrain
from tests.llm.conftest import DO, RATE, SPLIT


@pytest.mark.trio
async def test_the_scripted_brain_obeys_the_virtual_clock(
    autojump_clock: MockClock,
) -> None:
    """An hour of thinking takes no time, and the answers depend on seed and request alone."""
    brain = ScriptedBrain(seed=3, delay_seconds=3_600)
    start = trio.current_time()
    split = await brain.perform(SPLIT)
    assert trio.current_time() - start == pytest.approx(3_600)
    assert isinstance(split, SplitAnswer)
    assert len(split.parts) == 5
    assert await ScriptedBrain(seed=3).perform(RATE) == await ScriptedBrain(seed=3).perform(RATE)
    assert await ScriptedBrain(seed=4).perform(RATE) != await ScriptedBrain(seed=3).perform(RATE)


@pytest.mark.trio
async def test_the_scripted_brain_fails_on_demand(
    autojump_clock: MockClock,
) -> None:
    """Planned failures come in order; a missing model is reported as missing."""
    brain = ScriptedBrain(failures=[BadAnswer("first"), None])
    with pytest.raises(BadAnswer):
        await brain.perform(DO)
    assert isinstance(await brain.perform(DO), TextAnswer)
    with pytest.raises(ModelMissing):
        await ScriptedBrain(missing=True).check()
    assert brain.in_flight == 0


@pytest.mark.trio
async def test_a_cancelled_scripted_brain_is_idle_again(
    autojump_clock: MockClock,
) -> None:
    """A cancelled request no longer counts as running, so that leaks can be seen."""
    brain = ScriptedBrain(delay_seconds=100)
    with trio.move_on_after(1) as scope:
        await brain.perform(DO)
    assert scope.cancelled_caught
    assert brain.in_flight == 0


def test_light_modules_stay_light() -> None:
    """The contract and the scripted brain import neither a client nor an engine."""
    code = (
        "import sys, swarm.llm.requests, swarm.llm.errors;"
        "import swarm.testing.scripted_brain, swarm.testing.script;"
        "heavy = {'ollama', 'httpx', 'aiohttp', 'xllamacpp'} & set(sys.modules);"
        "sys.exit(str(heavy) if heavy else 0)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.trio
async def test_a_scripted_reviewer_is_content_with_a_scripted_revision() -> None:
    """It finds the first version wrong, and the version that answers its review right."""
    brief = Brief(demands=[Demand(kind="must", text="see the mill")])
    brain = ScriptedBrain()

    async def reviewed(text: str) -> ReviewAnswer:
        request = ReviewRequest(
            goal="g", title="t", language="", text=text, points=(0,), brief=brief
        )
        answer = await brain.perform(request)
        assert isinstance(answer, ReviewAnswer)
        return answer

    task = DoRequest(goal="g", title="t", detail="d", language="", inputs=(), brief=brief)
    first = await brain.perform(task)
    assert isinstance(first, TextAnswer)
    assert await reviewed(first.text) == ReviewAnswer(lost=(0,))
    second = await brain.perform(replace(task, earlier=first.text, unkept=(0,)))
    assert isinstance(second, TextAnswer)
    assert await reviewed(second.text) == ReviewAnswer(kept=(0,))


@given(st.sampled_from(sorted(PARTS_BY_LENS)), st.integers(2, 5), st.data())
def test_a_part_is_not_split_into_itself(lens: str, count: int, data: st.DataObject) -> None:
    """Scorers would find such a split bad, and benchmarks would measure their critiques."""
    titles = [title for parts in PARTS_BY_LENS.values() for title, _ in parts]
    title = data.draw(st.sampled_from(titles))
    assert title not in dict(parts_for(lens, count, title))
