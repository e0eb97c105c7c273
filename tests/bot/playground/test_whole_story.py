"""The whole story in headless Chromium with the real bot and a scripted swarm behind it."""

# ruff: noqa: F401, F811  # fixtures of other files are used by their names

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from selenium import webdriver

from bot.playground.client import PlaygroundClient
from bot.playground.server import Playground
from tests.bot.app.test_processes import bot, model, until_said
from tests.bot.playground.browser import LAPTOP, Page, in_a_browser

pytestmark = in_a_browser

SECONDS = 60


@pytest.mark.slow
async def test_ask_by_form_and_stop_with_a_restart_between(
    driver: webdriver.Chrome,
    tmp_path: Path,
) -> None:
    """After asking by modal and a kill of the bot, a button in the thread still works."""
    async with Playground() as server, PlaygroundClient(server.url) as client:
        page = Page(driver, server.url)
        async with bot(tmp_path, server.bot_environment()) as first:
            await client.wait_for_bot(command="plan", seconds=SECONDS)
            await asyncio.to_thread(_ask_by_form, page)
            state = await client.wait_for(lambda s: len(s.channels) > 1, seconds=SECONDS)
            thread = next(c.id for c in state.channels if c.parent_id)
            await until_said(client, thread, "### 🗺️ A day in Goa")
            await first.end(signal.SIGKILL)
        async with bot(tmp_path, server.bot_environment()):
            await client.wait_for_bot(command="plan", seconds=SECONDS)
            await client.inject_fault("forget")
            await client.wait_for_bot(command="plan", seconds=SECONDS)
            await asyncio.to_thread(_stop_by_button, page)
            await until_said(client, thread, "The plan was cancelled")
        complaints = await asyncio.to_thread(page.complaints)
    assert not [one for one in complaints if "Content Security Policy" in one]


def _ask_by_form(page: Page) -> None:
    page.open(LAPTOP)
    page.type("/plan")
    page.one('[data-command="plan"]').click()
    page.one(".command-form button[type=submit]").click()
    page.one("#modal textarea").send_keys("A day in Goa, slow and cheap")
    page.one("#modal button[type=submit]").click()
    page.text("#messages-thread", "A day in Goa")


def _stop_by_button(page: Page) -> None:
    page.one("#messages-thread .chat-button:last-child").click()
    page.text("#messages-thread", "Stop this plan?")
    _press(page, "Yes, stop it")


def _press(page: Page, label: str) -> None:
    page.text("#messages-thread .chat-button", label)
    page.run(
        "[...document.querySelectorAll('#messages-thread .chat-button')]"
        ".find((button) => button.textContent.includes(arguments[0])).click()",
        label,
    )


@contextlib.asynccontextmanager
async def swarm(folder: Path, model: str, environment: dict[str, str]) -> AsyncIterator[None]:
    """Run a small swarm with a scripted model until the block ends."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "swarm", "up", "--swarm", "test-" + folder.name,
        "--decomposers", "2", "--scorers", "2", "--executors", "1", "--ollama", model,
        "--state-dir", str(folder / "swarm"), "--until-stdin-closes",
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.DEVNULL,
        env={**os.environ, **environment},
    )  # fmt: skip
    try:
        yield
    finally:
        if process.stdin is not None:
            process.stdin.close()
        async with asyncio.timeout(SECONDS):
            await process.wait()


@pytest.mark.slow
@pytest.mark.timeout(240)
async def test_ask_vote_as_two_people_take_back_restart_and_read_the_plan(
    driver: webdriver.Chrome,
    model: str,
    tmp_path: Path,
) -> None:
    """A newcomer's whole path in the page, with a real swarm and a kill of the bot."""
    machine = {
        "LEADERLESS_SWARM__MDNS": "false",
        "LEADERLESS_SWARM__RUNTIME_DIR": str(tmp_path),
        "LEADERLESS_BOT__VOTE_WINDOW": "25s,0s",
    }
    async with (
        Playground() as server,
        PlaygroundClient(server.url) as client,
        swarm(tmp_path, model, machine),
    ):
        page = Page(driver, server.url)
        environment = server.bot_environment() | machine
        async with bot(tmp_path, environment) as first:
            await client.wait_for_bot(command="plan", seconds=SECONDS)
            await asyncio.to_thread(_ask_by_form, page)
            state = await client.wait_for(lambda s: len(s.channels) > 1, seconds=SECONDS)
            thread = next(c.id for c in state.channels if c.parent_id)
            await until_said(client, thread, "### 🗳️ Split by")
            await asyncio.to_thread(_vote_as_two, page)
            await until_said(client, thread, "people: 👍 1 👎 0")
            await first.end(signal.SIGKILL)
        async with bot(tmp_path, environment):
            await until_said(client, thread, "The plan is ready")
            await until_said(client, thread, "1 from people")
            await until_said(client, thread, "✅ done")
            await asyncio.to_thread(_read_the_plan, page)
            messages = await client.messages(thread)
    starts = [message.content.splitlines()[0] for message in messages if message.content]
    assert sum(start.startswith("### 🗺️") for start in starts) == 1
    assert sum(start.startswith("✅ **The plan is ready") for start in starts) == 1


def _vote_as_two(page: Page) -> None:
    _press(page, "For")
    page.text("#messages-thread", "Your vote is counted")
    page.run("document.querySelectorAll('#people .person')[1].click()")
    page.one('#messages-thread [data-key="👎"]').click()
    page.text('#messages-thread [data-key="👎"] .count', "2")
    page.one('#messages-thread [data-key="👎"]').click()
    page.text('#messages-thread [data-key="👎"] .count', "1")


def _read_the_plan(page: Page) -> None:
    page.text("#messages-thread", "The plan is ready")
    page.text("#messages-thread .file", "plan.md")
    page.wait(
        lambda driver: driver.execute_script(
            "return [...document.querySelectorAll('#messages-thread img.picture')]"
            ".some((img) => (img.loading = 'eager', img.naturalWidth >= 1000))"
        ),
        "the picture of the tree",
    )
