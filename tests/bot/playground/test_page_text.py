"""The page's rendering of text: Markdown, countdowns and hostile input."""

from __future__ import annotations

import asyncio
import time

from bot.playground.server import Playground
from tests.bot.playground.browser import LAPTOP, PATIENCE, Page, in_a_browser

pytestmark = in_a_browser

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
    """No text makes the page run scripts, load anything, break or stall."""
    await asyncio.to_thread(page.open, LAPTOP)
    citra = playground.guild.people["Citra"]
    started = time.monotonic()
    for text in HOSTILE:
        playground.members.send(citra, playground.channel_id, text)
    playground.members.send(citra, playground.channel_id, "the end")
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
    """A relative timestamp keeps counting without an edit."""
    asha = playground.guild.people["Asha"]
    playground.members.send(asha, playground.channel_id, f"<t:{int(time.time()) + 50}:R>")
    await asyncio.to_thread(page.open, LAPTOP)
    first = await asyncio.to_thread(lambda: page.one(".stamp").text)
    assert first.startswith("in ")
    await asyncio.to_thread(
        page.wait, lambda _: page.one(".stamp").text not in ("", first), "the next second"
    )
