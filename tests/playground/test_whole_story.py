"""The whole story in headless Chromium with the real bot and a scripted swarm behind it."""

from __future__ import annotations

import asyncio
import signal
from pathlib import Path

import pytest
from selenium import webdriver

from bot.playground.client import PlaygroundClient
from bot.playground.server import Playground
from tests.bot.test_processes import bot, until_said
from tests.playground.test_page import LAPTOP, Page, driver, pytestmark  # noqa: F401  # a fixture

SECONDS = 60


@pytest.mark.slow
async def test_ask_by_form_and_stop_with_a_restart_between(
    driver: webdriver.Chrome,
    tmp_path: Path,  # noqa: F811
) -> None:
    """A form asks, a thread opens, the bot is killed and comes back, a button still works."""
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
            await client.misbehave("forget")
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
    page.one("#form textarea").send_keys("A day in Goa, slow and cheap")
    page.one("#form button[type=submit]").click()
    page.text("#messages-thread", "A day in Goa")


def _stop_by_button(page: Page) -> None:
    page.one("#messages-thread .chat-button:last-child").click()
    page.text("#messages-thread", "Stop this plan?")
    page.run(
        "[...document.querySelectorAll('.chat-button')]"
        ".find((b) => b.textContent.includes('Yes, stop it')).click()"
    )
