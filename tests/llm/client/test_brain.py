"""The brain over real HTTP against the scripted server: good answers, and each way to fail."""

from __future__ import annotations

import json
from dataclasses import replace

import httpx
import pytest
import trio

from swarm.brief.read import read_brief
from swarm.llm.client import server_calls
from swarm.llm.client.brain import OllamaBrain
from swarm.llm.client.model_client import Profile, Reply
from swarm.llm.client.ollama import ChatClient
from swarm.llm.client.prompt import Prompt
from swarm.llm.errors import (
    BadAnswer,
    LLMError,
    ModelMissing,
    ServerError,
    ServerUnreachable,
    TimedOut,
)
from swarm.llm.lenses import WHOLE, lens_named
from swarm.llm.requests import RateAnswer, RateRequest, SplitAnswer, TextAnswer
from swarm.llm.settings import ModelSettings
from swarm.testing.scripted_server import ScriptedServer
from tests.llm.conftest import ASSEMBLE, DO, GOAL, RATE, SPLIT

pytestmark = pytest.mark.trio


def brain_for(server: ScriptedServer, settings: ModelSettings) -> OllamaBrain:
    return OllamaBrain(server.url, "scripted", settings=settings)


async def test_a_split_comes_back_in_parts(server: ScriptedServer, settings: ModelSettings) -> None:
    """Five titled parts and a rationale, from one call with a schema and limits set."""
    answer = await brain_for(server, settings).perform(SPLIT)
    assert isinstance(answer, SplitAnswer)
    assert len(answer.parts) == 5
    assert answer.rationale
    (body,) = server.requests
    assert body["format"]["properties"]["parts"]["maxItems"] == 5
    assert 0 < body["options"]["num_predict"] <= 2_000
    assert body["options"]["num_ctx"] == settings.context_tokens


async def test_ratings_blend_probability_and_checks(
    server: ScriptedServer, settings: ModelSettings
) -> None:
    """A faultless split gets half from the checks; a fault found by code lowers and explains."""
    server.behaviour.yes = 0.6
    brain = brain_for(server, settings)
    good = await brain.perform(RATE)
    assert good == RateAnswer(concrete=0.8, distinct=0.75, complete=0.8, critique="")
    twice = RateRequest(
        goal=GOAL, title=GOAL, detail="", language="", parts=(RATE.parts[0],) * 2, atomic=False
    )
    bad = await brain.perform(twice)
    assert isinstance(bad, RateAnswer)
    assert bad.distinct < good.distinct
    assert "“Tokyo” and “Tokyo” seem to be the same." in bad.critique


async def test_ratings_are_sampled_without_log_probabilities(
    server: ScriptedServer, settings: ModelSettings
) -> None:
    """A server without logprobs is asked three times; agreement is strong but never certain."""
    server.behaviour.logprobs = False
    server.behaviour.yes = 1.0
    answer = await brain_for(server, settings).perform(RATE)
    assert isinstance(answer, RateAnswer)
    assert answer.complete == pytest.approx(0.5 + 0.5 * 4 / 5)
    assert server.counts["rate"] == 3 * 4


async def test_an_atomic_proposal_gets_one_question(
    server: ScriptedServer, settings: ModelSettings
) -> None:
    """A proposal not to split is rated by whether the whole is small enough for one task."""
    server.behaviour.small = 0.1
    request = RateRequest(goal=GOAL, title=GOAL, detail="", language="", parts=(), atomic=True)
    answer = await brain_for(server, settings).perform(request)
    assert isinstance(answer, RateAnswer)
    assert answer.complete == pytest.approx(0.1)
    assert "too much for one task" in answer.critique
    assert server.counts["rate"] == 1


async def test_text_is_streamed(server: ScriptedServer, settings: ModelSettings) -> None:
    """`on_text` gets the answer piece by piece, and the pieces together are the answer."""
    pieces: list[str] = []
    answer = await brain_for(server, settings).perform(DO, on_text=pieces.append)
    assert isinstance(answer, TextAnswer)
    assert len(pieces) > 5
    assert "".join(pieces) == answer.text
    assert not answer.draft


async def test_assembly_says_what_is_missing(
    server: ScriptedServer, settings: ModelSettings
) -> None:
    """The parts that failed are named by code, whatever the model wrote."""
    answer = await brain_for(server, settings).perform(ASSEMBLE)
    assert isinstance(answer, TextAnswer)
    assert "## Tokyo\n- towers" in answer.text
    assert answer.text.endswith("- **Budget**: no executor was left")


async def test_a_small_model_only_introduces(server: ScriptedServer) -> None:
    """In small style the parts stay in their results; the answer is what stands around them."""
    settings = ModelSettings(style="small", time_limit_seconds=10)
    answer = await brain_for(server, settings).perform(ASSEMBLE)
    assert isinstance(answer, TextAnswer)
    assert "towers" not in answer.text
    assert answer.closing == "## Not done\n\n- **Budget**: no executor was left"


async def test_a_rewriting_that_loses_a_part_is_refused(
    server: ScriptedServer, settings: ModelSettings
) -> None:
    """A larger model may rewrite the parts only if it keeps their facts; else code joins them."""
    asked = replace(ASSEMBLE, parts=(*ASSEMBLE.parts, ("Osaka", "Meet Ken at 9:40.")))
    server.behaviour.next = ["bad_json"]
    answer = await brain_for(server, settings).perform(asked)
    assert isinstance(answer, TextAnswer)
    assert "weather" not in answer.text
    assert answer.closing == "## Not done\n\n- **Budget**: no executor was left"


async def test_a_bad_answer_is_fed_back(server: ScriptedServer, settings: ModelSettings) -> None:
    """After two unusable answers the model learns what was wrong; the third attempt counts."""
    server.behaviour.next = ["bad_json", "bad_json"]
    answer = await brain_for(server, settings).perform(SPLIT)
    assert isinstance(answer, SplitAnswer)
    assert len(answer.parts) == 5
    last = server.requests[-1]["messages"]
    assert "cannot be used" in last[-1]["content"]
    assert "weather" in last[-4]["content"]


async def test_three_bad_answers_are_enough(
    server: ScriptedServer, settings: ModelSettings
) -> None:
    """Then the call fails with a human-readable message."""
    server.behaviour.next = ["bad_json"] * 3
    with pytest.raises(BadAnswer, match="no usable answer in 3 tries"):
        await brain_for(server, settings).perform(SPLIT)


async def test_a_cut_split_is_asked_for_again_with_more_room(
    server: ScriptedServer, settings: ModelSettings
) -> None:
    """It is never taken for whole; the model is told the truth, and gets twice the tokens."""
    server.behaviour.next = ["truncated"]
    answer = await brain_for(server, settings).perform(SPLIT)
    assert isinstance(answer, SplitAnswer)
    assert len(answer.parts) == 5
    first, second = server.requests
    assert second["options"]["num_predict"] == 2 * first["options"]["num_predict"]
    assert "broke off at the limit" in second["messages"][-1]["content"]


async def test_a_split_that_is_always_cut_is_no_answer(
    server: ScriptedServer, settings: ModelSettings
) -> None:
    """After three tries the agent hears that it broke off; half a split is never proposed."""
    server.behaviour.next = ["truncated"] * 3
    with pytest.raises(BadAnswer, match="broke off"):
        await brain_for(server, settings).perform(SPLIT)


async def test_a_cut_text_is_continued_without_a_seam(
    server: ScriptedServer, settings: ModelSettings
) -> None:
    """The model goes on once after its last whole line, and the text is what it would have been."""
    brain = brain_for(server, settings)
    whole = await brain.perform(DO)
    server.behaviour.next = ["truncated"]
    assert await brain.perform(DO) == whole
    assert len(server.requests) == 3


async def test_a_text_cut_twice_says_so(server: ScriptedServer, settings: ModelSettings) -> None:
    """Readers see that the text is not whole; so they do if the server is gone meanwhile."""
    for faults in (["truncated", "truncated"], ["truncated", "missing"]):
        server.behaviour.next = faults
        answer = await brain_for(server, settings).perform(DO)
        assert isinstance(answer, TextAnswer)
        assert answer.text.endswith("… (cut)")


async def test_limits_follow_the_script_of_the_answer(
    server: ScriptedServer, settings: ModelSettings
) -> None:
    """A task and a split in Hindi get several times the tokens of English; ratings stay one."""
    brain = brain_for(server, settings)
    for language in ("en", "hi"):
        await brain.perform(replace(DO, language=language))
        await brain.perform(replace(SPLIT, language=language))
    task, split, hindi_task, hindi_split = (
        body["options"]["num_predict"] for body in server.requests
    )
    assert hindi_task > 2 * task
    assert hindi_split > 2 * split


@pytest.mark.parametrize("fault", ["fail", "cut", "html"])
async def test_transient_failures_are_tried_again(
    server: ScriptedServer,
    settings: ModelSettings,
    fault: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """One status 500, broken connection or web page instead of JSON is hidden from the agent."""
    monkeypatch.setattr(server_calls, "FIRST_PAUSE_SECONDS", 0.01)
    server.behaviour.next = [fault]
    answer = await brain_for(server, settings).perform(SPLIT)
    assert isinstance(answer, SplitAnswer)
    assert len(server.requests) == 2


@pytest.mark.parametrize(
    ("fault", "kind"), [("fail", ServerError), ("cut", ServerUnreachable), ("html", ServerError)]
)
async def test_lasting_failures_have_a_name(
    server: ScriptedServer,
    settings: ModelSettings,
    fault: str,
    kind: type[LLMError],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """After a bounded number of tries it is an `LLMError` that another peer may retry."""
    monkeypatch.setattr(server_calls, "FIRST_PAUSE_SECONDS", 0.01)
    server.behaviour.next = [fault] * 20
    with pytest.raises(kind) as caught:
        await brain_for(server, settings).perform(SPLIT)
    assert caught.value.retryable
    assert len(server.requests) == server_calls.ATTEMPTS


async def test_an_error_in_mid_stream_is_an_error(
    server: ScriptedServer, settings: ModelSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A stream that reports an error is tried again, not taken for a short answer."""
    monkeypatch.setattr(server_calls, "FIRST_PAUSE_SECONDS", 0.01)
    server.behaviour.next = ["midway"]
    answer = await brain_for(server, settings).perform(DO, on_text=lambda text: None)
    assert isinstance(answer, TextAnswer)
    assert len(server.requests) == 2


async def test_a_missing_model_is_reported_with_the_remedy(
    server: ScriptedServer, settings: ModelSettings
) -> None:
    """The message names the model, what there is, and the command; trying again is pointless."""
    with pytest.raises(ModelMissing, match=r"It has: scripted.*ollama pull llama9") as caught:
        await OllamaBrain(server.url, "llama9", settings=settings).check()
    assert not caught.value.retryable


async def test_a_model_that_vanishes_is_missing(
    server: ScriptedServer, settings: ModelSettings
) -> None:
    """A 404 in mid-life is not retried."""
    brain = brain_for(server, settings)
    await brain.check()
    server.behaviour.missing = True
    with pytest.raises(ModelMissing):
        await brain.perform(SPLIT)
    assert len(server.requests) == 1


async def test_an_unreachable_server_is_reported_with_its_address_only(
    settings: ModelSettings,
) -> None:
    """The message names host and port, never a password in the address."""
    brain = OllamaBrain("http://user:secret@127.0.0.1:9", "m", settings=settings)
    with pytest.raises(ServerUnreachable, match=r"127\.0\.0\.1:9") as caught:
        await brain.check()
    assert "secret" not in str(caught.value)


async def test_a_hanging_server_is_given_up(server: ScriptedServer) -> None:
    """The time limit ends the wait, and the server notices that we left."""
    server.behaviour.next = ["hang"]
    brain = brain_for(server, ModelSettings(time_limit_seconds=0.3))
    with pytest.raises(TimedOut, match=r"did not finish within 0\.3 s"):
        await brain.perform(DO)
    await _until(lambda: server.counts["abandoned"] == 1)


async def test_cancelling_ends_the_request(server: ScriptedServer, settings: ModelSettings) -> None:
    """A cancelled agent stops its stream at once; the server stops generating."""
    # Slow enough that even a starved test cancels long before the answer is whole.
    server.behaviour.stream_delay = 0.2
    heard = trio.Event()

    async with trio.open_nursery() as nursery:
        nursery.start_soon(
            lambda: brain_for(server, settings).perform(DO, on_text=lambda text: heard.set())
        )
        await heard.wait()
        nursery.cancel_scope.cancel()
    await _until(lambda: server.counts["abandoned"] == 1)


async def test_the_control_endpoint_changes_and_shows_settings(server: ScriptedServer) -> None:
    """What a test or a person posts takes effect; a misspelt key is refused and named."""
    async with httpx.AsyncClient(base_url=server.url) as client:
        told = (await client.post("/control", json={"latency": 0.5, "next": ["hang"]})).json()
        assert told["behaviour"]["latency"] == 0.5
        refused = await client.post("/control", json={"latencie": 1})
        assert refused.status_code == 400
        assert "latency" in refused.json()["error"]
        assert (await client.post("/control", json={"next": ["boom"]})).status_code == 400


async def _until(met) -> None:  # type: ignore[no-untyped-def]
    """Wait for something that another thread brings about, on a starved machine, too."""
    with trio.fail_after(25):
        while not met():  # noqa: ASYNC110  a counter in another thread has no event
            await trio.sleep(0.01)


@pytest.mark.parametrize(
    ("goal", "yes", "one"),
    [
        ("Write a haiku about rain", 0.9, True),
        ("Plan a wedding", 0.3, False),
        ("Plan a wedding for 80 guests", 0.9, False),  # A count makes it a plan.
    ],
)
async def test_a_small_model_is_asked_first_whether_a_goal_is_one_step(
    server: ScriptedServer, settings: ModelSettings, goal: str, yes: float, one: bool
) -> None:
    """A goal of one step costs one task, not five; a plan is split whatever the model says."""
    server.behaviour.small = yes
    brain = brain_for(server, settings.model_copy(update={"style": "small"}))
    request = replace(SPLIT, goal=goal, title=goal, brief=read_brief(goal), lens="phase")
    if one:
        answer = await brain.perform(request)
        assert isinstance(answer, SplitAnswer)
        assert not answer.parts
    else:
        # The scripted model knows no titles in the form for small models.
        with pytest.raises(BadAnswer, match="different titles"):
            await brain.perform(request)


async def test_the_embedded_model_is_not_asked_in_a_language_that_it_cannot_write(
    server: ScriptedServer, settings: ModelSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The split and the whole draft in Hindi come from code, with every day and without a call."""

    async def embedded(client: ChatClient) -> Profile:
        return Profile(embedded=True)

    monkeypatch.setattr(ChatClient, "profile", embedded)
    brain = brain_for(server, settings)
    goal = "भारत में 6 दिन का सफ़र, दिल्ली और आगरा ज़रूर देखना है"
    request = replace(SPLIT, goal=goal, title=goal, brief=read_brief(goal), lens="place")
    split = await brain.perform(request)
    draft = await brain.perform(replace(request, lens=WHOLE))
    assert isinstance(split, SplitAnswer)
    assert isinstance(draft, SplitAnswer)
    assert len(split.parts) >= 2
    assert all(f"दिन {day}:" in draft.draft for day in range(1, 7))
    assert not server.requests


@pytest.mark.parametrize("copies", [True, False])
async def test_a_model_that_copies_the_example_is_asked_without_it(
    server: ScriptedServer,
    settings: ModelSettings,
    monkeypatch: pytest.MonkeyPatch,
    copies: bool,
) -> None:
    """After a copy the next try shows no example; a model that copies none keeps seeing it."""
    copied = [part.title for part in lens_named("day").parts]
    own = ["Hills and temples", "The east coast", "Old harbour towns", "Last islands"]
    shown: list[bool] = []

    async def complete(client: ChatClient, prompt: Prompt, **options: object) -> Reply:
        if prompt.schema is None:  # What a new model is tried with.
            return Reply(text="yes", cut=False)
        if "details" in prompt.schema["properties"]:
            return Reply(text="{}", cut=False)
        example = any(copied[0] in turn["content"] for turn in prompt.messages)
        shown.append(example)
        titles = copied if example and copies else own
        return Reply(text=json.dumps({"titles": titles}), cut=False)

    monkeypatch.setattr(ChatClient, "complete", complete)
    brain = brain_for(server, settings.model_copy(update={"style": "small"}))
    goal = "Plan a trip of 8 days through Malaysia, starting in Ipoh and ending in Melaka"
    request = replace(SPLIT, goal=goal, title=goal, brief=read_brief(goal), lens="day")
    answer = await brain.perform(request)
    assert isinstance(answer, SplitAnswer)
    assert len(answer.parts) >= 2
    assert all(name in part.title for name, part in zip(own, answer.parts, strict=False))
    assert shown == ([True, False] if copies else [True])
