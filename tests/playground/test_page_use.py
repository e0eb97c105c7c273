"""How the page is to use: by keyboard, by screen reader, scrolling, in light and in dark."""

from __future__ import annotations

import asyncio

import pytest
from selenium.webdriver.common.keys import Keys

from bot.playground.client import PlaygroundClient
from bot.playground.server import Playground
from tests.playground.browser import LAPTOP, Page, in_a_browser
from tests.playground.conftest import STARTUP_SECONDS, BotProcess

pytestmark = in_a_browser


async def test_scrolling_stays_where_the_reader_is(playground: Playground, page: Page) -> None:
    """New messages scroll into view only for a reader at the bottom; others get a button."""
    asha = playground.world.people["Asha"]
    for number in range(60):
        playground.acting.send(asha, playground.channel_id, f"line {number}")
    bottom = (
        "const s = document.querySelector('#scroll-main');"
        "return s.scrollHeight - s.scrollTop - s.clientHeight"
    )
    await asyncio.to_thread(page.open, LAPTOP)
    await asyncio.to_thread(page.text, "#messages-main .body", "line 59")
    await asyncio.to_thread(page.wait, lambda _: page.run(bottom) < 5, "the bottom")
    playground.acting.send(asha, playground.channel_id, "followed")
    await asyncio.to_thread(page.text, "#messages-main .body", "followed")
    await asyncio.to_thread(page.wait, lambda _: page.run(bottom) < 5, "the bottom again")
    await asyncio.to_thread(
        page.run, "document.querySelector('#scroll-main').scrollTop = 100; return 1"
    )
    await asyncio.to_thread(page.wait, lambda _: page.run(bottom) > 200, "the scroll")
    playground.acting.send(asha, playground.channel_id, "not followed")
    await asyncio.to_thread(page.one, "#main .jump")
    assert await asyncio.to_thread(
        page.run, "return document.querySelector('#scroll-main').scrollTop"
    ) == pytest.approx(100, abs=2)
    await asyncio.to_thread(lambda: page.one("#main .jump").click())
    await asyncio.to_thread(page.wait, lambda _: page.run(bottom) < 5, "the jump")


async def test_everything_can_be_done_by_keyboard_and_has_a_name(
    echo: BotProcess, page: Page, client: PlaygroundClient
) -> None:
    """Controls have names, the focus is visible, and the list of commands works by arrow keys."""

    def story() -> None:
        page.open(LAPTOP)
        page.type("/")
        page.text("#composer-main .command-menu", "/status")
        page.press(Keys.ARROW_DOWN)
        selected = page.one("#composer-main [aria-selected=true]")
        assert selected.get_attribute("data-command") == "status"
        field = page.driver.switch_to.active_element
        assert field.get_attribute("aria-activedescendant") == selected.get_attribute("id")
        page.press(Keys.TAB)
        page.press(Keys.ENTER)
        page.text(".ephemeral", "All is well.")
        nameless = page.run(
            "return [...document.querySelectorAll('button, a, select, textarea, input')]"
            ".filter((e) => !(e.getAttribute('aria-label') || e.textContent.trim()"
            " || e.labels?.length || e.title)).map((e) => e.outerHTML)"
        )
        assert nameless == []
        assert page.one("#messages-main").get_attribute("aria-live") == "polite"
        page.run("document.querySelector('#channels button').focus()")
        page.press(Keys.TAB)
        outline = page.run("return getComputedStyle(document.activeElement).outlineStyle")
        assert outline != "none"

    await client.wait_for_bot(command="status", seconds=STARTUP_SECONDS)
    await asyncio.to_thread(story)
