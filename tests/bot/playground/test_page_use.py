"""Usability of the page: keyboard, screen reader, scrolling, light and dark."""

from __future__ import annotations

import asyncio

import pytest
from selenium.webdriver.common.keys import Keys

from bot.playground.client import PlaygroundClient
from bot.playground.server import Playground
from tests.bot.playground.browser import LAPTOP, Page, in_a_browser
from tests.bot.playground.conftest import STARTUP_SECONDS, BotProcess
from tests.bot.playground.scene import Scene

pytestmark = in_a_browser


async def test_scrolling_stays_where_the_reader_is(playground: Playground, page: Page) -> None:
    """New messages scroll into view only for a reader at the bottom; others get a button."""
    asha = playground.guild.people["Asha"]
    for number in range(60):
        playground.members.send(asha, playground.channel_id, f"line {number}")
    bottom = (
        "const s = document.querySelector('#scroll-main');"
        "return s.scrollHeight - s.scrollTop - s.clientHeight"
    )
    await asyncio.to_thread(page.open, LAPTOP)
    await asyncio.to_thread(page.text, "#messages-main .body", "line 59")
    await asyncio.to_thread(page.wait, lambda _: page.run(bottom) < 5, "the bottom")
    playground.members.send(asha, playground.channel_id, "followed")
    await asyncio.to_thread(page.text, "#messages-main .body", "followed")
    await asyncio.to_thread(page.wait, lambda _: page.run(bottom) < 5, "the bottom again")
    await asyncio.to_thread(
        page.run, "document.querySelector('#scroll-main').scrollTop = 100; return 1"
    )
    await asyncio.to_thread(page.wait, lambda _: page.run(bottom) > 200, "the scroll")
    playground.members.send(asha, playground.channel_id, "not followed")
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


CONTRAST = r"""
  const parse = (color) => color.match(/[\d.]+/g).map(Number);
  const over = (top, under) =>
    top.slice(0, 3).map((c, i) => c * (top[3] ?? 1) + under[i] * (1 - (top[3] ?? 1)));
  const light = (rgb) => rgb.map((c) => c / 255)
    .map((c) => c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = (element) => {
    if (!element) return [255, 255, 255];
    const color = parse(getComputedStyle(element).backgroundColor);
    return (color[3] ?? 1) >= 1 ? color.slice(0, 3) : over(color, behind(element.parentElement));
  };
  const found = new Set();
  for (const element of document.querySelectorAll("body *")) {
    const own = [...element.childNodes].some((n) => n.nodeType === 3 && n.data.trim());
    const seen = { opacityProperty: true, visibilityProperty: true };
    if (!own || !element.checkVisibility(seen)) continue;
    if (element.closest("[disabled], .spoiler, .emoji, .emoji-menu, .avatar")) continue;
    const under = behind(element);
    const [a, b] = [light(over(parse(getComputedStyle(element).color), under)), light(under)];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) found.add(`${element.tagName}.${element.className}: ${ratio.toFixed(2)}`);
  }
  return [...found];
"""
"""Lists elements whose contrast is below 4.5, which WCAG AA requires for text."""


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
async def test_all_text_has_enough_contrast(
    echo: BotProcess, page: Page, client: PlaygroundClient, dark: bool
) -> None:
    """In light and dark, every piece of text on the page can be read (WCAG AA)."""
    await client.run_command("Asha", "menus")
    await client.run_command("Asha", "buttons")
    await client.run_command("Asha", "plan", {"goal": "a day in Kyoto"})
    await client.wait_for(
        lambda state: any(m.attachments for m in state.messages), seconds=STARTUP_SECONDS
    )

    def look() -> None:
        page.open(LAPTOP, dark=dark)
        page.text("#messages-main", "Press one.")
        page.one(".thread-chip").click()
        page.text("#messages-thread .file", "plan.md")
        assert page.run(CONTRAST) == []
        page.one("#open-faults").click()
        page.text("#faults", "Rate-limit all requests")
        assert page.run(CONTRAST) == []
        page.press(Keys.ESCAPE)
        page.run("document.querySelector('#channel-topic').style.color = '#888'")
        assert [one.split(":")[0] for one in page.run(CONTRAST)] == ["P.topic"]

    await asyncio.to_thread(look)


async def test_the_menus_of_tools_work_by_keyboard(playground: Playground, page: Page) -> None:
    """A menu focuses its first item, arrows move the focus, and Escape returns it."""
    playground.members.send(playground.guild.people["Asha"], playground.channel_id, "hello")

    def story() -> None:
        page.open(LAPTOP)
        page.text("#messages-main .body", "hello")
        page.run("document.querySelector('#messages-main [aria-label=More]').focus()")
        page.press(Keys.ENTER)
        focused = "return document.activeElement.textContent"
        assert page.run(focused) == "Edit"
        page.press(Keys.ARROW_DOWN)
        assert page.run(focused) == "Delete"
        page.press(Keys.ARROW_UP)
        page.press(Keys.ARROW_UP)
        assert page.run(focused) == "Clear reactions"
        page.press(Keys.ESCAPE)
        assert page.run("return document.activeElement.getAttribute('aria-label')") == "More"
        assert (
            page.run("return document.querySelectorAll('[data-popup]:not([hidden])').length") == 0
        )

    await asyncio.to_thread(story)


async def test_the_page_offers_the_roles(scene: Scene, page: Page) -> None:
    """A command's form lists the roles, and the answer names the chosen one."""

    def story() -> None:
        page.open(LAPTOP)
        page.text("[data-person]", "Guides")
        page.type("/settings")
        page.press(Keys.ENTER)
        page.one("#composer-main .command-form summary").click()
        options = page.run(
            "return [...document.querySelectorAll('#composer-main [name=voters] option')]"
            ".map((e) => e.textContent)"
        )
        assert options == ["—", "@everyone", "Planners", "Guides"]
        page.type("Guides", "#composer-main [name=voters]")
        page.one("#composer-main .command-form .primary-button").click()
        page.text(".ephemeral", "Guides")

    async with scene.bot():
        await scene.people.wait_for_bot(command="settings", seconds=STARTUP_SECONDS)
        await asyncio.to_thread(story)
