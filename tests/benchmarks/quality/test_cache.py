"""The proxy: an answer is made once, counted always, and the same however it is asked for."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from benchmarks.quality.cache import CachingProxy, proxying
from swarm.testing.scripted_server import Behaviour, ScriptedServer, serving_in_thread


@contextmanager
def _proxied(
    folder: Path, behaviour: Behaviour | None = None
) -> Iterator[tuple[ScriptedServer, CachingProxy, httpx.Client]]:
    with (
        serving_in_thread(behaviour) as server,
        proxying(server.url, folder) as proxy,
        httpx.Client(base_url=proxy.url, trust_env=False) as client,
    ):
        yield server, proxy, client


def _ask(client: httpx.Client, text: str = "Hello", **more: Any) -> str:
    body = {
        "model": "scripted",
        "messages": [{"role": "user", "content": text}],
        "options": {"temperature": 0},
        "stream": False,
        **more,
    }
    answer = client.post("/api/chat", json=body)
    answer.raise_for_status()
    if not body["stream"]:
        return str(answer.json()["message"]["content"])
    parts = [json.loads(line) for line in answer.text.splitlines()]
    assert parts[-1]["done"]
    return "".join(part["message"]["content"] for part in parts)


def _made(server: ScriptedServer) -> int:
    return server.counts.total()


def test_an_answer_is_made_once_and_counted_each_time(tmp_path: Path) -> None:
    """The second run of the same prompt costs nothing and counts the same."""
    with _proxied(tmp_path) as (server, proxy, client):
        with proxy.run() as first:
            said = _ask(client)
        with proxy.run() as second:
            assert _ask(client) == said
        assert _made(server) == 1
    assert (first.calls, first.fresh_calls) == (1, 1)
    assert (second.calls, second.fresh_calls, second.stored_calls) == (1, 0, 1)
    assert first.answer_tokens == second.answer_tokens


def test_equal_calls_of_a_run_are_one_for_the_model(tmp_path: Path) -> None:
    """Three peers that ask the same count as three calls and one answer, none of it stored."""
    with _proxied(tmp_path) as (server, proxy, client), proxy.run() as meter:
        for _ in range(3):
            _ask(client)
        assert _made(server) == 1
    assert (meter.calls, meter.fresh_calls, meter.stored_calls) == (3, 1, 0)


def test_answers_outlive_the_proxy(tmp_path: Path) -> None:
    """Another process finds the answers on the disk."""
    with _proxied(tmp_path) as (_, _, client):
        said = _ask(client)
    with _proxied(tmp_path) as (server, _, client):
        assert _ask(client) == said
        assert _made(server) == 0


def test_streamed_or_not_is_the_same_answer(tmp_path: Path) -> None:
    """What was streamed is found again as a whole, and the other way round."""
    with _proxied(tmp_path) as (server, _, client):
        assert _ask(client, stream=True) == _ask(client, stream=False)
        assert _ask(client, "Else", stream=False) == _ask(client, "Else", stream=True)
        assert _made(server) == 2


def test_probabilities_are_kept(tmp_path: Path) -> None:
    """A rating from the disk has the same log probabilities."""
    rating = [
        {"role": "system", "content": "Answer each question with Yes or No only."},
        {"role": "user", "content": "Is it good?"},
    ]
    body = {"model": "scripted", "messages": rating, "stream": False, "logprobs": True}
    body["options"] = {"temperature": 0}
    with _proxied(tmp_path) as (server, _, client):
        first, second = (client.post("/api/chat", json=body).json() for _ in range(2))
        assert _made(server) == 1
    assert first["logprobs"] == second["logprobs"] != []


@pytest.mark.parametrize(
    ("options", "made"),
    [({"temperature": 0.5}, 2), ({"temperature": 0.5, "seed": 1}, 1), ({}, 2)],
)
def test_sampled_answers_without_a_seed_differ_within_a_run(
    tmp_path: Path, options: dict[str, Any], made: int
) -> None:
    """The n-th of equal requests of a run gets the n-th answer; a seed makes them one."""
    with _proxied(tmp_path) as (server, proxy, client):
        for _ in range(2):
            with proxy.run():
                _ask(client, options=options)
                _ask(client, options=options)
        assert _made(server) == made


def test_failures_are_passed_on_and_not_kept(tmp_path: Path) -> None:
    """An error reaches the client as it is, and the next try asks the model again."""
    with _proxied(tmp_path, Behaviour(next=["fail", "cut"])) as (_, proxy, client):
        with proxy.run() as meter:
            with pytest.raises(httpx.HTTPStatusError, match="500"):
                _ask(client)
            with pytest.raises(httpx.HTTPStatusError, match="502"):
                _ask(client)
            assert _ask(client)
        assert meter.calls == 1


def test_questions_about_the_server_pass_through(tmp_path: Path) -> None:
    """Peers see the models and profiles of the server itself."""
    with _proxied(tmp_path) as (_, _, client):
        assert client.get("/api/tags").json()["models"][0]["name"] == "scripted:latest"
        shown = client.post("/api/show", json={"model": "scripted"}).json()
        assert shown["details"]["parameter_size"] == "8.0B"
        assert client.post("/api/show", json={"model": "none"}).status_code == 404
