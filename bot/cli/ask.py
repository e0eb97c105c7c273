"""Asks the bot for a plan as a member would, and follows the thread in the terminal.

This is `make run GOAL=...`. Like the page, it talks only to the playground, never to the swarm.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from bot.cli.screen import Screen, readable
from bot.playground.client import PlaygroundClient, Step
from bot.playground.views import MessageView
from bot.texts import LANGUAGES, Text, catalogue_of
from swarm.console.errors import ENVIRONMENT, FAILED, OK, CommandError

MEMBER = "Asha"
"""The member who asks, one of the playground's people."""

PLAN_FILE = "plan.md"
LIVE_START = "### 🗺️"


def _starts(*texts: Text) -> tuple[str, ...]:
    """Return how messages made from these texts start, in every language."""
    return tuple(
        catalogue_of(language)[text].partition("{")[0] for language in LANGUAGES for text in texts
    )


GOOD_ENDS = _starts(Text.END_DONE, Text.END_PARTIAL)
"""How the first of the final messages starts if there is a plan, whole or in part."""

BAD_ENDS = _starts(Text.END_FAILED, Text.END_CANCELLED, Text.END_CANCELLED_EMPTY)
"""How the first of the final messages starts if there is no plan."""


async def ask(client: PlaygroundClient, goal: str, screen: Screen, *, seconds: float) -> int:
    """Ask for a plan, show its thread as it grows, print the plan and return the exit code.

    Args:
        client: a client of the playground.
        goal: what to plan.
        screen: where to show it.
        seconds: time limit: the goal's own deadline and a reserve.

    Raises:
        CommandError: the bot refused or did not answer, or the plan did not end in time.
    """
    screen.say(f"{MEMBER}: /plan goal: {goal}", style="bold")
    try:
        async with (
            asyncio.timeout(seconds),
            client.follow_command(MEMBER, "plan", {"goal": goal}) as steps,
        ):
            return await _Thread(client, screen).follow(steps)
    except TimeoutError:
        screen.close()
        raise CommandError(
            f"The plan did not finish within {seconds:.0f} seconds.", exit_code=FAILED
        ) from None


class _Thread:
    """The messages of one command, shown in the terminal."""

    def __init__(self, client: PlaygroundClient, screen: Screen) -> None:
        self._client = client
        self._screen = screen
        self._shown: dict[str, str] = {}
        self._good = False
        self._ended = False

    async def follow(self, steps: AsyncIterator[Step]) -> int:
        """Show all steps and return the exit code."""
        async for step in steps:
            if step.kind == "failed":
                raise CommandError(
                    "The bot did not answer the command in time. Its log has the details.",
                    exit_code=ENVIRONMENT,
                )
            ended = self._take(step)
            if ended is not None:
                return await self._finish(ended)
        raise CommandError(
            "The playground stopped before the plan was finished.", exit_code=ENVIRONMENT
        )

    def _take(self, step: Step) -> MessageView | None:
        """Show a step; return its message if it is the last one."""
        message = step.message
        if step.kind in ("offline", "online"):
            self._screen.say(f"The bot is {step.kind}.", style="yellow")
        elif step.kind == "answer" and message is not None:
            self._show(message)
            if message.only_for is not None:
                raise CommandError(readable(message.content), exit_code=FAILED)
        elif step.kind == "message" and message is not None:
            if message.content.startswith(LIVE_START):
                self._screen.live(message.content)
            elif not self._ended:
                self._show(message)
            if any(file.filename == PLAN_FILE for file in message.attachments):
                return message
        return None

    def _show(self, message: MessageView) -> None:
        """Show a new message, or only the new lines of an edited one."""
        if message.loading or not message.content:
            return
        text = readable(message.content)
        before = self._shown.get(message.id)
        self._shown[message.id] = text
        if message.content.startswith(GOOD_ENDS + BAD_ENDS):
            # The plan's pages follow, but the attached document is printed instead.
            self._ended = True
            self._good = message.content.startswith(GOOD_ENDS)
        if before is None:
            self._screen.say(f"{text}\n")
            return
        title, *lines = text.splitlines()
        seen = set(before.splitlines())
        for line in lines:
            if line not in seen:
                self._screen.say(f"{title}: {line}")

    async def _finish(self, message: MessageView) -> int:
        self._screen.close()
        (file,) = [one for one in message.attachments if one.filename == PLAN_FILE]
        document = (await self._client.download(file)).decode(errors="replace")
        self._screen.say("─" * 40)
        self._screen.say(document)
        return OK if self._good else FAILED
