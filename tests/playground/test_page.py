"""The page in headless Chromium: the whole story with the echo bot, and hostile text."""

from __future__ import annotations

import asyncio
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import WebDriverWait

from bot.playground.client import PlaygroundClient
from bot.playground.server import Playground
from tests.playground.conftest import STARTUP_SECONDS, BotProcess

CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")

pytestmark = [
    pytest.mark.browser,
    pytest.mark.asyncio,
    pytest.mark.skipif(
        CHROMIUM is None or DRIVER is None,
        reason="needs chromium and chromedriver (on Debian: apt-get install chromium-driver)",
    ),
]

PATIENCE = 15
PHONE, LAPTOP = (360, 740), (1280, 800)


class Page:
    """A browser looking at the playground. Every call blocks: use it in a thread."""

    def __init__(self, driver: webdriver.Chrome, url: str) -> None:
        self.driver = driver
        self.url = url

    def open(self, size: tuple[int, int], *, dark: bool = False, anchor: str = "") -> None:
        """Load the page in a window of this size and wait until it shows the channel."""
        width, height = size
        self.driver.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 800},
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [scheme]})
        self.driver.get("about:blank")
        self.driver.get(self.url + anchor)
        self.text("#channel-name", "plans")

    def one(self, selector: str) -> WebElement:
        """Wait for an element to be displayed."""

        def find(driver: webdriver.Chrome) -> WebElement | None:
            shown = [e for e in driver.find_elements(By.CSS_SELECTOR, selector) if e.is_displayed()]
            return shown[0] if shown else None

        found = self.wait(find, f"{selector} to be shown")
        assert isinstance(found, WebElement)
        return found

    def text(self, selector: str, expected: str) -> None:
        """Wait until some element of this selector holds this text."""
        self.wait(
            lambda driver: driver.execute_script(
                "return [...document.querySelectorAll(arguments[0])]"
                ".some((e) => e.textContent.includes(arguments[1]))",
                selector,
                expected,
            ),
            f"{expected!r} in {selector}",
        )

    def remember(self, selector: str) -> None:
        """Keep all texts that an element of this selector comes to show, however shortly."""
        self.run(
            "const selector = arguments[0];"
            "window.shown = [];"
            "new MutationObserver(() => document.querySelectorAll(selector)"
            ".forEach((e) => window.shown.push(e.textContent)))"
            ".observe(document.body, {subtree: true, childList: true, characterData: true});",
            selector,
        )

    def remembered(self, expected: str) -> None:
        """Wait until one of the texts kept holds this one."""
        self.wait(
            lambda driver: driver.execute_script(
                "return window.shown.some((text) => text.includes(arguments[0]))", expected
            ),
            f"{expected!r} to have been shown",
        )

    def wait(self, condition: Callable[[webdriver.Chrome], Any], what: str) -> Any:
        """Wait for a condition; look often, for the page changes quickly."""
        waiter = WebDriverWait(
            self.driver, PATIENCE, poll_frequency=0.05, ignored_exceptions=[Exception]
        )
        return waiter.until(condition, f"waited in vain for {what}")

    def run(self, script: str, *arguments: object) -> Any:
        """Run a script in the page."""
        return self.driver.execute_script(script, *arguments)

    def type(self, text: str, selector: str = "#composer-main textarea") -> None:
        """Type into the composer."""
        self.one(selector).send_keys(text)

    def press(self, key: str) -> None:
        """Press a key where the focus is."""
        ActionChains(self.driver).send_keys(key).perform()

    def complaints(self) -> list[str]:
        """Return what the browser's console complained of, such as violated policies."""
        return [str(entry["message"]) for entry in self.driver.get_log("browser")]  # type: ignore[no-untyped-call]


@pytest.fixture(scope="module")
def driver(tmp_path_factory: pytest.TempPathFactory) -> Iterator[webdriver.Chrome]:
    """One headless Chromium for this file."""
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM or ""
    for argument in (
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-background-networking",
        "--disable-dev-shm-usage",
        "--lang=en-US",
        f"--user-data-dir={tmp_path_factory.mktemp('chromium')}",
    ):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    running = webdriver.Chrome(options=options, service=Service(DRIVER))
    yield running
    running.quit()


@pytest.fixture
def page(driver: webdriver.Chrome, playground: Playground) -> Page:
    """The browser, about to look at this test's playground."""
    driver.get("about:blank")  # the last test's page still looks for its playground, and complains
    driver.get_log("browser")  # type: ignore[no-untyped-call]
    return Page(driver, playground.url)


def ask_for_a_plan(page: Page, goal: str) -> None:
    """Type the command as a newcomer would: `/`, the name, Enter, the goal, Enter."""
    page.type("/")
    page.text("#composer-main .command-menu", "Plan something, step by step")
    page.type("plan")
    page.press(Keys.ENTER)
    page.one("#composer-main .command-form")
    page.press(goal)
    page.press(Keys.ENTER)


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
    asha, bot = playground.world.people["Asha"], playground.world.bot_id
    voted = [r.user_ids for m in messages for r in m.reactions]
    assert voted == [[str(bot), str(asha)]]


async def test_the_whole_story_on_a_phone(
    client: PlaygroundClient, echo: BotProcess, page: Page, tmp_path: Path
) -> None:
    """On a phone the thread is offered, fills the screen, and one comes back; nothing overflows."""

    def fits() -> None:
        widths = page.run("return [document.documentElement.scrollWidth, innerWidth]")
        assert widths[0] <= widths[1], f"wider than the screen: {widths}"

    def story() -> None:
        page.open(PHONE, dark=True)
        fits()
        page.type("/plan goal: a day in Nara")
        page.press(Keys.ENTER)
        page.text("#toast", "A thread opened")
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
    """Ephemeral answers and unanswered commands show to the asker only, and can be dismissed."""
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
    """Buttons work, @Name becomes a mention that the bot hears, and a wrong option is explained."""

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
    asha = playground.world.people["Asha"]
    playground.acting.send(asha, playground.channel_id, "still live")
    await asyncio.to_thread(page.text, "#messages-main .body", "still live")
    await playground.control.close()
    await asyncio.to_thread(page.text, "#connection", "The connection to the playground is lost")
    playground.acting.send(asha, playground.channel_id, "missed meanwhile")
    await asyncio.to_thread(page.text, "#messages-main .body", "missed meanwhile")


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
    await asyncio.sleep(0)
    playground.acting.send(asha, playground.channel_id, "not followed")
    await asyncio.to_thread(page.one, "#main .jump")
    assert await asyncio.to_thread(
        page.run, "return document.querySelector('#scroll-main').scrollTop"
    ) == pytest.approx(100, abs=2)
    await asyncio.to_thread(lambda: page.one("#main .jump").click())
    await asyncio.to_thread(page.wait, lambda _: page.run(bottom) < 5, "the jump")


HOSTILE = [
    "<script>window.hacked = 1</script>",
    "<img src=x onerror='window.hacked = 1'>",
    "[click](javascript:window.hacked=1)",
    "[click](data:text/html,<script>window.hacked=1</script>)",
    "[a](https://example.org/\"onmouseover='window.hacked=1')",
    "```html\n<script>window.hacked = 1</script>\n```",
    "> <svg onload=window.hacked=1>",
    "||<b onclick=window.hacked=1>x</b>||",
    "<t:99999999999999999:R> <t:-9999999999999:F> <#0> <@0> <@&1> </x:1>",
    "*" * 1900,
    "**" * 900 + "x",
    "[" * 1900,
    "`" * 1999,
    "> " * 900,
    "  - x\n" * 300,
    "||" * 999,
    "(((((((((" * 200,
    "[a](https://e.org/" + "(" * 1900,
    "__" * 500 + "**" * 400,
    "\u202egnp.exe \u200f\u0627\u0644\u0633\u0644\u0627\u0645",
]


async def test_hostile_text_is_only_text(playground: Playground, page: Page) -> None:
    """No text makes the page run, load or break anything, nor stall it."""
    await asyncio.to_thread(page.open, LAPTOP)
    citra = playground.world.people["Citra"]
    started = time.monotonic()
    for text in HOSTILE:
        playground.acting.send(citra, playground.channel_id, text)
    playground.acting.send(citra, playground.channel_id, "the end")
    await asyncio.to_thread(page.text, "#messages-main .body", "the end")
    assert time.monotonic() - started < PATIENCE / 2

    def look() -> None:
        assert page.run("return window.hacked") is None
        elements = page.run(
            "return [...document.querySelectorAll('.body script, .body img, .body svg,"
            " .body b, .body [onerror], .body a:not([href^=http])')].length"
        )
        assert elements == 0
        assert page.complaints() == []

    await asyncio.to_thread(look)


MARKDOWN = [
    ("**bold** *it* _it_ __under__ ~~no~~", "bold:STRONG it:EM it:EM under:U no:S"),
    ("***both***", "both:STRONG,EM"),
    ("snake_case_name stays", ""),
    (r"\*not\* \_it\_", ""),
    ("`a *b*` c", "a *b*:CODE"),
    ("[text](https://example.org/a_(b))", "text:A"),
    ("<https://example.org>", "https://example.org:A"),
    ("see https://example.org/x.", "https://example.org/x:A"),
    ("# One", "One:H1"),
    ("#no heading", ""),
    ("> quoted", "quoted:BLOCKQUOTE"),
    ("- a\n  - b", "a:LI b:LI,LI"),
    ("```py\nx = 1\n```", "x = 1:CODE"),
    ("||hid||", "hid:SPOILER"),
    ("| a | b |\n|---|---|", ""),
]


async def test_markdown_is_shown_as_discord_shows_it(page: Page) -> None:
    """Each piece of Discord's Markdown becomes the right element, and nothing else does."""
    script = """
      const [cases, done] = arguments;
      import("/static/markdown.js").then(({ markdown }) => done(cases.map((source) => {
        const root = document.createElement("div");
        root.append(...markdown(source));
        const out = [];
        const visit = (node, path) => {
          for (const child of node.childNodes) {
            if (child.nodeType === 3) {
              if (path.length) out.push(child.data + ":" + path.join(","));
              continue;
            }
            let name = child.tagName;
            if (name === "DIV") name = child.className.split(" ")[1].toUpperCase();
            if (child.classList.contains("spoiler")) name = "SPOILER";
            const skip = ["P", "UL", "OL", "PRE", "BR", "SPAN"].includes(name);
            visit(child, skip ? path : [...path, name]);
          }
        };
        visit(root, []);
        return out.join(" ");
      })));
    """
    await asyncio.to_thread(page.open, LAPTOP)
    sources = [source for source, _ in MARKDOWN]
    found = await asyncio.to_thread(page.driver.execute_async_script, script, sources)
    assert list(zip(sources, found, strict=True)) == MARKDOWN


async def test_countdowns_count(playground: Playground, page: Page) -> None:
    """A relative timestamp goes on counting without an edit."""
    asha = playground.world.people["Asha"]
    playground.acting.send(asha, playground.channel_id, f"<t:{int(time.time()) + 50}:R>")
    await asyncio.to_thread(page.open, LAPTOP)
    first = await asyncio.to_thread(lambda: page.one(".stamp").text)
    assert first.startswith("in ")
    await asyncio.to_thread(
        page.wait, lambda _: page.one(".stamp").text not in ("", first), "the next second"
    )


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
