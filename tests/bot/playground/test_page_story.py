"""The page in headless Chromium with the echo bot: asking, voting and other actions."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from bot.playground.client import PlaygroundClient
from bot.playground.server import Playground
from tests.bot.playground.browser import LAPTOP, PHONE, Page, ask_for_a_plan, in_a_browser
from tests.bot.playground.conftest import BotProcess

pytestmark = in_a_browser


async def test_the_whole_story_on_a_laptop(
    playground: Playground, client: PlaygroundClient, echo: BotProcess, page: Page, tmp_path: Path
) -> None:
    """A newcomer types the command, sees the thread open and change live, and two people vote."""

    def story() -> None:
        page.open(LAPTOP)
        page.remember("#messages-main .thinking")
        ask_for_a_plan(page, "a day in Kyoto")
        page.remembered("Leaderless is thinking…")
        page.text("#messages-main .context", "Asha used /plan")
        page.text("#thread-name", "a day in Kyoto")
        page.text("#messages-thread .body", "Working:")
        row = page.one("#messages-thread .message")
        page.run("arguments[0].dataset.kept = 'yes'", row)
        page.text("#messages-thread .body", "Working: 6")
        assert page.one("#messages-thread .message").get_attribute("data-kept") == "yes"
        page.text("#messages-thread .edited", "(edited)")
        page.text("#messages-thread .embed .field", "False")
        page.text("#messages-main .thread-chip", "3 messages")
        page.one("#messages-thread .reaction").click()
        page.text("#messages-thread .reaction .count", "2")
        page.one("#people [data-person]:nth-child(2)").click()
        page.wait(
            lambda _: (
                page.one("#messages-thread .reaction").get_attribute("aria-pressed") == "false"
            ),
            "the other person not to have voted",
        )
        page.one("#messages-thread .reaction").click()
        page.text("#messages-thread .reaction .count", "3")
        page.one("#messages-thread .reaction.mine").click()
        page.text("#messages-thread .reaction .count", "2")
        page.text("#messages-thread .file", "plan.md")
        page.one("#messages-thread .file button").click()
        page.text("#preview .document .heading", "Day 1")
        page.one("#preview .preview-head button:first-of-type").click()
        page.text("#preview pre.source", "## Day 1")
        page.driver.save_screenshot(str(tmp_path / "laptop.png"))
        page.one("#preview .icon-button").click()
        assert page.complaints() == []

    await asyncio.to_thread(story)
    messages = (await client.state()).messages
    asha, bot = playground.guild.people["Asha"], playground.guild.bot_id
    voted = [r.user_ids for m in messages for r in m.reactions]
    assert voted == [[str(bot), str(asha)]]


async def test_the_whole_story_on_a_phone(
    client: PlaygroundClient, echo: BotProcess, page: Page, tmp_path: Path
) -> None:
    """On a phone a thread is offered, fills the screen and can be left; nothing overflows."""

    def fits() -> None:
        widths = page.run("return [document.documentElement.scrollWidth, innerWidth]")
        assert widths[0] <= widths[1], f"wider than the screen: {widths}"

    def story() -> None:
        page.open(PHONE, dark=True)
        fits()
        page.type("/plan goal: a day in Nara")
        page.press(Keys.ENTER)
        page.text("#toast", "New thread:")
        page.one("#toast button").click()
        page.text("#thread-name", "a day in Nara")
        assert not page.driver.find_element(By.ID, "main").is_displayed()
        page.text("#messages-thread .file", "plan.md")
        fits()
        page.driver.save_screenshot(str(tmp_path / "phone.png"))
        page.one("#thread-back").click()
        page.one("#messages-main")
        page.one("#sidebar-open").click()
        page.one("#people [data-person]:nth-child(3)").click()
        page.press(Keys.ESCAPE)
        page.wait(
            lambda driver: not driver.find_element(By.ID, "sidebar-close").is_displayed(),
            "the menu to close",
        )
        page.type("Hello from a phone")
        page.press(Keys.ENTER)
        page.text("#messages-main .author", "Citra")
        page.driver.back()
        assert page.complaints() == []

    await asyncio.to_thread(story)
    assert (await client.state()).messages[-1].author.name in ("Citra", "Leaderless")


async def test_only_the_asker_sees_what_is_for_the_asker(
    echo: BotProcess, page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ephemeral answers and failed commands are shown only to the asker and can be dismissed."""
    monkeypatch.setattr("bot.playground.interacting.ANSWER_SECONDS", 0.2)

    def story() -> None:
        page.open(LAPTOP)
        page.type("/status")
        page.press(Keys.ENTER)
        page.press(Keys.ENTER)
        page.text(".message.ephemeral", "All is well.")
        page.type("/fail")
        page.press(Keys.ENTER)
        page.press(Keys.ENTER)
        page.text(".pending.failed", "did not respond to /fail")
        page.one("#people [data-person]:nth-child(2)").click()
        page.wait(
            lambda driver: not driver.find_elements(By.CSS_SELECTOR, ".ephemeral, .failed"),
            "the private lines to vanish",
        )
        page.one("#people [data-person]:nth-child(1)").click()
        page.one(".pending.failed .text-button").click()
        page.one(".ephemeral .text-button").click()
        page.wait(
            lambda driver: not driver.find_elements(By.CSS_SELECTOR, ".ephemeral, .failed"),
            "the private lines to be dismissed",
        )

    await asyncio.to_thread(story)


async def test_buttons_replies_mentions_and_the_menu(echo: BotProcess, page: Page) -> None:
    """Buttons work, @Name becomes a mention, and a wrong option is explained."""

    def story() -> None:
        page.open(LAPTOP)
        page.type("/buttons")
        page.press(Keys.ENTER)
        page.press(Keys.ENTER)
        page.one(".chat-button.success").click()
        page.text("#messages-main .body", "Asha approved.")
        page.type("@Leaderless are you there?")
        page.press(Keys.ENTER)
        page.text("#messages-main .body", "You said: @Leaderless are you there? @everyone")
        page.text("#messages-main .context .excerpt", "are you there?")
        page.text("#messages-main .mention", "@Leaderless")
        page.type("/plan")
        page.press(Keys.ENTER)
        page.press("ab")
        page.press(Keys.ENTER)
        page.text("#composer-main .composer-error", "goal")
        page.press(Keys.ESCAPE)
        page.type("/nothing")
        page.text("#composer-main .command-menu", "No such command")
        refused = page.complaints()  # the browser notes the refused option, and nothing else
        assert len(refused) == 1
        assert "/play/commands" in refused[0]

    await asyncio.to_thread(story)


async def test_the_page_survives_a_restart_of_bot_and_server(
    playground: Playground, echo: BotProcess, page: Page
) -> None:
    """When the bot dies the page says so; when the sockets drop it reconnects by itself."""
    await asyncio.to_thread(page.open, LAPTOP)
    await asyncio.to_thread(page.text, "#bot-status", "online")
    await echo.kill()
    await asyncio.to_thread(page.text, "#connection", "The bot is offline")
    asha = playground.guild.people["Asha"]
    playground.members.send(asha, playground.channel_id, "still live")
    await asyncio.to_thread(page.text, "#messages-main .body", "still live")
    await playground.control.close()
    await asyncio.to_thread(page.text, "#connection", "Lost the connection to the playground")
    playground.members.send(asha, playground.channel_id, "missed meanwhile")
    await asyncio.to_thread(page.text, "#messages-main .body", "missed meanwhile")


async def test_direct_messages_are_seen_by_one_person(echo: BotProcess, page: Page) -> None:
    """A person opens direct messages with the bot and runs a command; nobody else sees it."""

    def story() -> None:
        page.open(LAPTOP)
        page.one("[data-direct]").click()
        page.text("#welcome h2", "Leaderless")
        page.text("#channel-topic", "Direct messages")
        page.type("just us?")
        page.press(Keys.ENTER)
        page.text("#messages-main .body", "You said: just us?")
        page.type("/buttons")
        page.press(Keys.ENTER)
        page.press(Keys.ENTER)
        page.one(".chat-button.success").click()
        page.text("#messages-main .body", "Asha approved.")
        page.one("#people [data-person]:nth-child(2)").click()
        page.text("#channel-topic", "Ask for a plan")
        page.one("[data-direct]").click()
        page.text("#welcome p", "between Bilal and the bot")
        assert page.run("return document.querySelectorAll('#messages-main .message').length") == 0
        assert page.complaints() == []

    await asyncio.to_thread(story)


async def test_menus_can_be_used(echo: BotProcess, page: Page) -> None:
    """Menus for one value and for several values send the choice to the bot."""

    def story() -> None:
        page.open(LAPTOP)
        page.type("/menus")
        page.press(Keys.ENTER)
        page.press(Keys.ENTER)
        page.one("[data-menu=days] summary").click()
        page.text("[data-menu=days] .chat-choice", "Day 1 · the first")
        for box in page.driver.find_elements(By.CSS_SELECTOR, "[data-menu=days] input")[:2]:
            box.click()
        page.one("[data-menu=days] button").click()
        page.text(".ephemeral", "Asha chose 1, 2")
        page.one("[data-menu=who] select").send_keys("Citra")
        page.text(".ephemeral:last-child", "Asha chose ")
        assert page.complaints() == []

    await asyncio.to_thread(story)


async def test_messages_and_threads_can_be_tidied_up(
    playground: Playground, echo: BotProcess, page: Page
) -> None:
    """A person edits and deletes a message; the owner renames, locks and deletes a thread."""
    asha = playground.guild.people["Asha"]
    playground.members.send(asha, playground.channel_id, "a mistaek")

    def pick(name: str) -> None:
        page.wait(
            lambda driver: driver.execute_script(
                "const item = [...document.querySelectorAll('[data-popup]:not([hidden]) button')]"
                ".find((e) => e.textContent === arguments[0]); item?.click(); return Boolean(item)",
                name,
            ),
            f"{name} in the menu",
        )

    def more() -> None:
        page.run("document.querySelector('#messages-main [aria-label=More]').click()")

    def story() -> None:
        page.open(LAPTOP)
        page.text("#messages-main .body", "a mistaek")
        more()
        pick("Edit")
        field = page.one("#composer-main textarea")
        assert field.get_attribute("value") == "a mistaek"
        field.clear()
        field.send_keys("no mistake" + Keys.ENTER)
        page.text("#messages-main .body", "no mistake (edited)")
        more()
        pick("Delete")
        page.wait(
            lambda driver: not driver.find_elements(By.CSS_SELECTOR, "#messages-main .message"),
            "the message to be gone",
        )
        ask_for_a_plan(page, "a thread to tidy up")
        page.text("#messages-thread .body", "Working: 6")
        page.one("#thread-tools button").click()
        pick("Rename")
        page.one("#modal input").clear()
        page.one("#modal input").send_keys("tidy" + Keys.ENTER)
        page.wait(lambda _: page.one("#thread-name").text == "tidy", "the new name")
        page.one("#thread-tools button").click()
        pick("Lock")
        page.text("#thread-start", "It is locked")
        assert page.one("#composer-thread textarea").get_attribute("disabled")
        page.one("#thread-tools button").click()
        pick("Delete")
        page.wait(
            lambda driver: not driver.find_element(By.ID, "thread").is_displayed(),
            "the thread to be gone",
        )
        assert page.complaints() == []

    await asyncio.to_thread(story)


async def test_one_of_many_threads_is_found(playground: Playground, page: Page) -> None:
    """With many threads there is a search by name, which also reports if it finds nothing."""
    backend = playground.guild.backend
    for number in range(8):
        backend.create_thread(
            playground.channel_id, f"Plan {number}", playground.guild.bot_id, broadcast=False
        )

    def story() -> None:
        page.open(LAPTOP)
        names = (
            "return [...document.querySelectorAll('#channels .child bdi')]"
            ".map((thread) => thread.textContent)"
        )
        assert len(page.run(names)) == 8
        search = page.one("#find-thread")
        search.send_keys("PLAN 3")
        page.wait(lambda _: page.run(names) == ["Plan 3"], "the thread that was looked for")
        search.send_keys("x")
        page.one("#no-thread")
        search.clear()
        search.send_keys("Plan")
        page.wait(lambda _: len(page.run(names)) == 8, "all threads again")

    await asyncio.to_thread(story)
