"""Each fault of the playground, against the real discord.py."""

from __future__ import annotations

import time

import aiohttp
import pytest

from bot.playground.client import PlaygroundClient, PlaygroundError
from bot.playground.faults import FAULTS, PAUSE_SECONDS
from bot.playground.server import Playground
from bot.playground.views import Snapshot
from bot.playground.wire.limits import THREAD
from tests.bot.playground.conftest import STARTUP_SECONDS, BotProcess, run_bot

pytestmark = pytest.mark.asyncio


async def answered(playground: Playground, client: PlaygroundClient, text: str) -> Snapshot:
    """Mention the bot, and wait for its answer."""
    question = await client.send_message("Bilal", f"<@{playground.guild.bot_id}> {text}")
    return await client.wait_for(
        lambda state: any(m.reply_to == question.id for m in state.messages),
        seconds=STARTUP_SECONDS,
    )


@pytest.mark.parametrize("fault", ["drop", "cut", "reconnect"])
async def test_a_lost_connection_is_resumed(
    playground: Playground, client: PlaygroundClient, echo: BotProcess, fault: str
) -> None:
    """After any loss of the socket, discord.py resumes and receives missed events."""
    await client.inject_fault(fault)
    state = await answered(playground, client, "still there?")
    await echo.expect("resumed")
    assert "still there?" in state.messages[-1].content


@pytest.mark.slow  # discord.py waits five seconds before it identifies again
@pytest.mark.parametrize("fault", ["forget", "invalid", "timeout"])
async def test_after_a_lost_session_a_new_one_is_opened(
    playground: Playground, client: PlaygroundClient, echo: BotProcess, fault: str
) -> None:
    """After any loss of the session, discord.py logs in again and works."""
    await echo.expect("ready")
    await client.inject_fault(fault)
    await echo.expect("ready")
    await answered(playground, client, "and again?")


@pytest.mark.parametrize(("fault", "last"), [("token", "closed 4004"), ("intents", "intents")])
async def test_final_close_codes_end_the_client(
    client: PlaygroundClient, echo: BotProcess, fault: str, last: str
) -> None:
    """After 4004 and 4014, discord.py gives up and says why."""
    await client.inject_fault(fault)
    assert (await echo.expect(last)).startswith(last)
    await echo.process.wait()


async def test_a_senseless_event_ends_the_client(
    client: PlaygroundClient, echo: BotProcess
) -> None:
    """A malformed event ends discord.py's client, so a bot has to start a new one."""
    await client.inject_fault("garbage")
    assert await echo.expect("crashed") == "crashed TypeError"


async def test_an_answer_that_is_lost_was_carried_out(
    playground: Playground, client: PlaygroundClient, echo: BotProcess
) -> None:
    """The request was carried out, although the bot sees it fail."""
    await client.inject_fault("lost")
    await answered(playground, client, "did you say so?")
    assert (await echo.expect("failed")).startswith("failed")
    await answered(playground, client, "and now?")


async def test_a_global_rate_limit_is_waited_out(
    playground: Playground, client: PlaygroundClient, echo: BotProcess
) -> None:
    """Under a global rate limit, discord.py waits and loses nothing."""
    started = time.monotonic()
    await client.inject_fault("wait")
    await answered(playground, client, "in your own time")
    assert time.monotonic() - started >= PAUSE_SECONDS - 0.5


async def test_slow_answers_are_waited_for(
    playground: Playground,
    client: PlaygroundClient,
    echo: BotProcess,
) -> None:
    """A slow response delays the bot but has no other effect."""
    playground.rest.slow(1, 0.5)
    started = time.monotonic()
    await answered(playground, client, "take your time")
    assert time.monotonic() - started >= 0.5


@pytest.mark.slow  # Discord gives a bot three seconds
async def test_a_command_that_is_answered_late_has_failed(
    playground: Playground, client: PlaygroundClient, echo: BotProcess,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """A late answer is refused with 10062, as on Discord, and the interaction fails."""
    monkeypatch.setattr("bot.playground.interacting.ANSWER_SECONDS", 0.1)
    playground.rest.slow(1, 3.1)
    interaction = await client.run_command("Asha", "status")
    assert (await echo.expect("failed")).endswith("10062")
    assert (await client.interaction(interaction.id)).state == "failed"


@pytest.mark.slow  # discord.py has to be seen waiting
async def test_a_thread_too_many_is_refused_for_minutes() -> None:
    """discord.py stops at the thread limit; one more thread is refused for a long time."""
    async with (
        Playground(rate_limits=True) as strict,
        run_bot(strict, "probe_bot", PROBE="threads") as probe,
        PlaygroundClient(strict.url) as client,
        aiohttp.ClientSession() as http,
    ):
        await probe.expect("waits")
        assert sum(c.parent_id is not None for c in (await client.state()).channels) == THREAD.calls
        async with http.post(
            f"{strict.api_base}/channels/{strict.channel_id}/threads",
            headers={"Authorization": f"Bot {strict.token}"},
            json={"name": "one more", "type": 11},
        ) as response:
            assert response.status == 429
            assert response.headers["X-RateLimit-Scope"] == "shared"
            assert (await response.json())["retry_after"] > THREAD.seconds / 2


async def test_every_fault_is_offered_and_unknown_ones_are_named(
    client: PlaygroundClient,
) -> None:
    """Every fault in the menu works, even with no bot connected; unknown ones are refused."""
    for fault in FAULTS:
        await client.inject_fault(fault)
    with pytest.raises(PlaygroundError, match="no such fault"):
        await client.inject_fault("earthquake")
