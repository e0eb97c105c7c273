"""A swarm on this machine behind the playground: `swarm up` as a child, followed by its events."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import structlog

from bot.cli.child_process import Child
from swarm.console.errors import ENVIRONMENT, CommandError

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Loading:
    """How far the model is."""

    text: str
    """For people."""
    done: int | None = None
    """Bytes, when something is fetched."""
    total: int | None = None


class LocalSwarm:
    """A swarm that runs for as long as `run` does.

    Args:
        arguments: of `swarm up`.
        on_model: called while the model is looked for or fetched.
        on_note: called with what else is worth a line for people.
    """

    def __init__(
        self,
        arguments: Sequence[str],
        *,
        on_model: Callable[[Loading], None],
        on_note: Callable[[str], None],
    ) -> None:
        self.ready = asyncio.Event()
        self._arguments = arguments
        self._on_model = on_model
        self._on_note = on_note
        self._error: CommandError | None = None

    async def run(self) -> None:
        """Run until cancelled; then everything has ended before this returns.

        Raises:
            CommandError: the swarm ended by itself; the text says why and what to do.
        """
        child = await Child.start("swarm", ["up", "--json-events", *self._arguments])
        try:
            async for line in child.lines():
                self._hear(line)
            code = await child.wait()
        finally:
            await child.stop()
        raise self._error or CommandError(
            f"The local swarm ended unexpectedly (exit code {code}).", exit_code=ENVIRONMENT
        )

    def _hear(self, line: bytes) -> None:
        try:
            event = json.loads(line)
            kind = event["event"]
        except (ValueError, TypeError, KeyError):
            log.warning("swarm_event_unreadable", length=len(line))
            return
        text = str(event.get("text") or "")
        match kind:
            case "model":
                self._on_model(Loading(text, event.get("done"), event.get("total")))
            case "ready":
                self._on_note(f"{len(event.get('peers') or ())} peers are up.")
                self.ready.set()
            case "peer" if event.get("state") in ("ended", "restarting"):
                name, detail = event.get("name"), event.get("detail")
                self._on_note(f"{name} {event['state']}: {detail}")
            case "error":
                code = event.get("exit")
                self._error = CommandError(
                    text, exit_code=code if isinstance(code, int) else ENVIRONMENT
                )
            case _:
                pass
