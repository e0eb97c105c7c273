"""`swarm model find`: what peers would use, and why."""

from __future__ import annotations

import json

import pytest

from swarm.testing.scripted_server import Behaviour, serving_in_thread
from tests.cli.commands.conftest import Say


@pytest.mark.parametrize("openai", [False, True])
def test_it_says_what_was_found(say: Say, openai: bool) -> None:
    """The model, the server and its kind, and how to choose another; as text and as JSON."""
    with serving_in_thread(Behaviour(openai=openai, models=["a-8b", "b-3b"])) as server:
        place = server.url.removeprefix("http://")
        code, said, _ = say("model", "find", "--server", server.url)
        assert code == 0
        assert place in said
        assert "choose another with --model NAME" in said
        code, said, _ = say("model", "find", "--server", server.url, "--model", "b-3b", "--json")
        assert code == 0
        found = json.loads(said)
        assert (found["name"], found["server"]) == ("b-3b", place)
        assert found["api"] == ("openai" if openai else "ollama")


@pytest.mark.parametrize(
    "host", ["127.0.0.1:99999", "a b", "::1", "http://[::1", "https://127.0.0.1:9", ""]
)
def test_an_address_that_cannot_be_used_is_a_message(
    say: Say, monkeypatch: pytest.MonkeyPatch, host: str
) -> None:
    """Exit code 3 and one line, never a traceback."""
    monkeypatch.setenv("OLLAMA_HOST", "127.0.0.1:99999")
    given = ["--server", host] if host else []
    code, said, problem = say("model", "find", *given)
    assert code == 3
    assert said == ""
    assert "Traceback" not in problem
    assert "address" in problem
