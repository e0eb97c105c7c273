"""The local swarm behind the playground, as its events report it."""

from __future__ import annotations

from bot.cli.local_swarm import Loading, LocalSwarm
from swarm.console.errors import ENVIRONMENT


def test_events_of_the_swarm_are_taken_as_they_come() -> None:
    """Unknown events and broken lines are ignored; an error keeps its exit code."""
    notes: list[str] = []
    loads: list[Loading] = []
    swarm = LocalSwarm([], on_model=loads.append, on_note=notes.append)
    for line in (
        b'{"event":"model","stage":"fetching","text":"t","done":1,"total":2,"new":[]}\n',
        b"not json\n",
        b'{"event":"later"}\n',
        b"[]\n",
        b'{"event":"peer","name":"scorer-1","state":"restarting","detail":"exit 9"}\n',
        b'{"event":"ready","peers":["a","b"]}\n',
        b'{"event":"error","text":"no model","exit":"odd"}\n',
    ):
        swarm._handle(line)
    assert loads == [Loading("t", 1, 2)]
    assert notes == ["scorer-1 restarting: exit 9", "2 peers are running."]
    assert swarm.ready.is_set()
    assert swarm._error is not None
    assert (str(swarm._error), swarm._error.exit_code) == ("no model", ENVIRONMENT)
