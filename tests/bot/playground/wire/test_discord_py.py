"""The wire, tested by the real discord.py in its own process."""

from __future__ import annotations

import asyncio

import pytest

from bot.playground.client import PlaygroundClient
from bot.playground.server import Playground
from tests.bot.playground.conftest import STARTUP_SECONDS, BotProcess, run_bot

pytestmark = pytest.mark.asyncio


async def test_discord_py_can_do_what_bots_do(playground: Playground) -> None:
    """Unpatched discord.py does everything a bot does in channels, threads, files and reactions."""
    lines: list[str] = []
    async with run_bot(playground, "probe_bot") as probe:
        assert probe.process.stdout is not None
        async with asyncio.timeout(STARTUP_SECONDS):
            while (line := (await probe.process.stdout.readline()).decode().strip()) != "done":
                assert line, f"the probe ended early, after {lines}"
                lines.append(line)
    assert [line for line in lines if not line.startswith("ok ")] == []
    assert len(lines) == 15


async def test_a_wrong_token_is_a_login_failure(playground: Playground) -> None:
    """A wrong token is refused, and discord.py raises LoginFailure."""
    wrong = {"LEADERLESS_DISCORD_TOKEN": "not.the.token"}
    async with run_bot(playground, "probe_bot", **wrong) as probe:
        assert await probe.expect("login") == "login failed"


async def test_intents_that_were_not_granted_are_refused() -> None:
    """discord.py raises if a bot asks for a message content intent that was not granted."""
    async with (
        Playground(message_content=False) as playground,
        run_bot(playground, "probe_bot") as probe,
    ):
        assert await probe.expect("intents") == "intents refused"


async def test_a_killed_bot_logs_in_again(
    playground: Playground, client: PlaygroundClient, echo: BotProcess
) -> None:
    """After kill -9 the playground shows the bot offline; a new process logs in and works."""
    await echo.kill()
    await client.wait_for(lambda state: not state.bot_online, seconds=STARTUP_SECONDS)
    async with run_bot(playground) as second:
        await second.expect("ready")
        state = await client.wait_for_bot(command="plan", seconds=STARTUP_SECONDS)
        assert state.bot_online
        question = await client.send_message("Asha", f"<@{state.bot_id}> hello")
        await client.wait_for(
            lambda state: any(m.reply_to == question.id for m in state.messages),
            seconds=STARTUP_SECONDS,
        )


@pytest.mark.slow  # discord.py waits out five seconds
async def test_rate_limits_slow_the_bot_but_lose_nothing() -> None:
    """With Discord's rate limits on, discord.py paces itself and every edit gets through."""
    async with (
        Playground(rate_limits=True) as playground,
        run_bot(playground),
        PlaygroundClient(playground.url) as client,
    ):
        await client.wait_for_bot(command="plan", seconds=STARTUP_SECONDS)
        await client.run_command("Asha", "plan", {"goal": "a day out"})
        state = await client.wait_for(
            lambda state: any(m.attachments for m in state.messages), seconds=STARTUP_SECONDS
        )
        assert "Working: 6" in [message.content for message in state.messages]


async def test_injected_faults_reach_the_bot(
    playground: Playground, client: PlaygroundClient, echo: BotProcess
) -> None:
    """discord.py retries after an injected 500, so the command still succeeds."""
    playground.fail_next("POST", "/channels/*/messages", status=500)
    await client.run_command("Asha", "plan", {"goal": "despite faults"})
    state = await client.wait_for(
        lambda state: any(m.attachments for m in state.messages), seconds=STARTUP_SECONDS
    )
    assert any("Working" in message.content for message in state.messages)
