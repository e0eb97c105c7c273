"""What `swarm up` shows besides the plan: progress with the model, and the state of the peers.

`Board` receives the events. It prints lines in a pipe, makes the header of the live display, and
prints every event as JSON with `--json-events`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from swarm.cli.model_setup import ModelEvent
from swarm.cli.views.live import Follower
from swarm.cli.views.output import print_json_line
from swarm.console.text import one_line, progress_bar
from swarm.core.views.plan_view import PlanView
from swarm.net.addresses import is_local
from swarm.processes.supervisor import PeerEvent, PeerSpec

if TYPE_CHECKING:
    from rich.console import RenderableType

    from swarm.config import SwarmConfig
    from swarm.peer.peer import PeerView

MEGABYTE = 1_000_000

NOTE_CHARS = 600
"""Most characters of a note on the model: it names others, and servers that were passed over."""


class Board:
    """Shows the events of a local swarm."""

    def __init__(self, shown: Follower, specs: Sequence[PeerSpec], *, json_events: bool) -> None:
        """Show through a follower.

        Args:
            shown: the display.
            specs: the peers that will be started.
            json_events: print every event on stdout as a line of JSON.
        """
        self._shown = shown
        self._json = json_events
        self._model = ModelEvent(stage="looking", text="")
        self._specs = specs
        self._peers: dict[str, PeerEvent] = {}
        self._ready = False
        shown.header = self.header

    def model(self, event: ModelEvent) -> None:
        """Show progress with the model."""
        changed = event.text != self._model.text
        self._model = event
        if self._json:
            print_json_line({"event": "model", **asdict(event), "url": ""})
        if self._shown.live:
            self._shown.redraw()
        said = f"{event.text}: {one_line(event.note, NOTE_CHARS)}" if event.note else event.text
        if changed and (event.note or not self._shown.live):
            self._shown.say(said)

    def peer(self, event: PeerEvent) -> None:
        """Show what happened to a peer."""
        self._peers[event.name] = event
        if self._json:
            print_json_line({"event": "peer", **asdict(event)})
        if event.state in ("ended", "restarting"):
            self._shown.say(f"{event.name} {event.state}: {one_line(event.detail, 300)}")
        elif event.state == "listening" and self._ready:
            self._shown.say(f"{event.name} is back")
        if self._shown.live:
            self._shown.redraw()

    def ready(self, config: SwarmConfig, addresses: tuple[str, ...]) -> None:
        """Show that all peers listen."""
        self._ready = True
        name, logs = config.swarm.name, str(config.swarm.state_dir / "logs")
        if self._json:
            print_json_line(
                {"event": "ready", "swarm": name, "peers": list(addresses), "logs": logs}
            )
        self._shown.say(f"swarm “{one_line(name)}” is up: {self._roles()}; logs in {logs}")
        beyond = next((one for one in addresses if not is_local(one)), None)
        if beyond is not None:
            self._shown.say(f"other machines can join with the same swarm key and --peers {beyond}")

    def all_in(self, present: Iterable[PeerView]) -> bool:
        """Return whether the presences of all started peers have arrived."""
        return {spec.name for spec in self._specs} <= {peer.name for peer in present}

    def plan(self, view: PlanView) -> None:
        """Print a plan as an event, with `--json-events`."""
        if self._json:
            print_json_line({"event": "plan", "plan": view.model_dump(mode="json")})

    def header(self) -> RenderableType | None:
        """Return the lines above the plan on a terminal."""
        from rich.text import Text

        text = Text(no_wrap=True, overflow="ellipsis", style="dim")
        if self._model.done is not None and self._model.stage == "fetching":
            bar = progress_bar(self._model.done, self._model.total or 0, unit=MEGABYTE)
            text.append(f"{bar} MB  ")
        if self._model.text:
            text.append(one_line(self._model.text, 100))
        if self._peers:
            text.append(f" · {self._roles()}")
        return text if text.plain else None

    def _roles(self) -> str:
        wanted = Counter(spec.role for spec in self._specs)
        there: Counter[str] = Counter(
            event.role for event in self._peers.values() if event.state == "listening"
        )
        return ", ".join(
            f"{count} {role}{'s' if count != 1 else ''}"
            if there[role] == count
            else f"{there[role]} of {count} {role}s"
            for role, count in wanted.items()
        )


def error_event(text: str, exit_code: int) -> dict[str, Any]:
    """Return the event that reports why `swarm up` failed."""
    return {"event": "error", "text": text, "exit": exit_code}
