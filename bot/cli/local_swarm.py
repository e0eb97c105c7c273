"""A local swarm for the playground: runs `swarm up` as a child and reads its events."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import structlog

from bot.cli.child_process import Child
from swarm.console.errors import ENVIRONMENT, CommandError

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Loading:
    """Progress of loading the model."""

    text: str
    """A human-readable description."""
    done: int | None = None
    """Bytes that have been downloaded, during a download."""
    total: int | None = None
    """Bytes of the whole download, if known."""


PEERS_RUNNING = "peers are running."
"""What a note says after their number when the swarm is ready."""


class LocalSwarm:
    """A swarm that runs as long as `run` does.

    Args:
        arguments: the arguments for `swarm up`.
        environment: variables added to this process's own.
        on_model: called with progress while the model is being looked for or downloaded.
        on_note: called with other news worth showing, each a human-readable line.
    """

    def __init__(
        self,
        arguments: Sequence[str],
        *,
        environment: Mapping[str, str] | None = None,
        on_model: Callable[[Loading], None],
        on_note: Callable[[str], None],
    ) -> None:
        self.ready = asyncio.Event()
        self._arguments = arguments
        self._environment = environment
        self._on_model = on_model
        self._on_note = on_note
        self._error: CommandError | None = None

    async def run(self) -> None:
        """Run the swarm until cancelled; it has stopped completely when this returns.

        Raises:
            CommandError: the swarm exited by itself; the text says why and what to do.
        """
        child = await Child.start(
            "swarm", ["up", "--json-events", *self._arguments], environment=self._environment
        )
        try:
            async for line in child.lines():
                self._handle(line)
            code = await child.wait()
        finally:
            await child.stop()
        raise self._error or CommandError(
            f"The local swarm exited unexpectedly (exit code {code}).", exit_code=ENVIRONMENT
        )

    def _handle(self, line: bytes) -> None:
        try:
            event = json.loads(line)
            kind = event["event"]
        except (ValueError, TypeError, KeyError):
            log.warning("swarm_event_unreadable", length=len(line))
            return
        text = str(event.get("text") or "")
        match kind:
            case "model":
                note = event.get("note")
                said = f"{text}: {note}" if note else text
                self._on_model(Loading(said, event.get("done"), event.get("total")))
            case "ready":
                self._on_note(f"{len(event.get('peers') or ())} {PEERS_RUNNING}")
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
