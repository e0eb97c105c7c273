"""A Chromium driver for the playground's page, shared by its tests."""

from __future__ import annotations

import shutil
from collections.abc import Callable
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

CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")

in_a_browser = [
    pytest.mark.browser,
    pytest.mark.asyncio,
    pytest.mark.skipif(
        CHROMIUM is None or DRIVER is None,
        reason="needs chromium and chromedriver (on Debian: apt-get install chromium-driver)",
    ),
]
"""The marks of a test of the page."""

PATIENCE = 15
"""Seconds until something must be on the page, even on a busy machine."""

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
        """Record every text that elements of this selector show, however briefly."""
        self.run(
            "const selector = arguments[0];"
            "window.shown = [];"
            "new MutationObserver(() => document.querySelectorAll(selector)"
            ".forEach((e) => window.shown.push(e.textContent)))"
            ".observe(document.body, {subtree: true, childList: true, characterData: true});",
            selector,
        )

    def remembered(self, expected: str) -> None:
        """Wait until one of the recorded texts contains this text."""
        self.wait(
            lambda driver: driver.execute_script(
                "return window.shown.some((text) => text.includes(arguments[0]))", expected
            ),
            f"{expected!r} to have been shown",
        )

    def wait(self, condition: Callable[[webdriver.Chrome], Any], what: str) -> Any:
        """Wait for a condition, checking often because the page changes quickly."""
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
        """Return the errors in the browser's console, such as policy violations."""
        return [str(entry["message"]) for entry in self.driver.get_log("browser")]  # type: ignore[no-untyped-call]


def start_chromium(profile: Path) -> webdriver.Chrome:
    """Start a headless Chromium with its profile in a folder."""
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM or ""
    for argument in (
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-background-networking",
        "--disable-dev-shm-usage",
        "--lang=en-US",
        f"--user-data-dir={profile}",
    ):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(options=options, service=Service(DRIVER))


def ask_for_a_plan(page: Page, goal: str) -> None:
    """Type the command as a newcomer would: `/`, the name, Enter, the goal, Enter."""
    page.type("/")
    page.text("#composer-main .command-menu", "Plan something, step by step")
    page.type("plan")
    page.press(Keys.ENTER)
    page.one("#composer-main .command-form")
    page.press(goal)
    page.press(Keys.ENTER)
