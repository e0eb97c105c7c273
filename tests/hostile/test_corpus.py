"""Replays inputs that fuzzing found, and inputs that reach most of the decoders."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bot.playground.guild import Guild
from bot.playground.wire.gateway import Connection, Gateway
from fuzz.targets import TARGETS, inputs, target

CASES = [(name, path) for name in TARGETS for path in inputs(name)]


# aiohttp warns about broken headers in hostile forms, which some inputs contain on purpose.
@pytest.mark.filterwarnings("ignore::aiohttp.multipart.BadContentDispositionParam")
@pytest.mark.filterwarnings("ignore::aiohttp.multipart.BadContentDispositionHeader")
@pytest.mark.parametrize(("name", "path"), CASES, ids=[f"{n}-{p.name}" for n, p in CASES])
def test_an_input_keeps_its_decoder_s_promises(name: str, path: Path) -> None:
    """No input of the corpus breaks its decoder; the corpus has every input that ever did."""
    target(name)(path.read_bytes())


@pytest.mark.parametrize("name", TARGETS)
def test_every_target_takes_nothing_and_noise(name: str) -> None:
    """Each harness also runs without atheris, on empty input and on a little noise."""
    for data in (b"", b"\x00", bytes(range(256))):
        target(name)(data)


class _Socket:
    closed = False
    close_code: int | None = None

    async def close(self, *, code: int, message: bytes = b"") -> None:
        self.closed = True
        self.close_code = code


@pytest.mark.asyncio
@pytest.mark.parametrize("guild", ["Infinity", "1e400", "[]", '"x"'])
async def test_a_request_for_members_of_no_number_closes_the_socket(guild: str) -> None:
    """A value that is not an integer is an ordinary bad request, not an internal error."""
    server = Guild()
    gateway = Gateway(server, gateway_url=lambda: "ws://local", on_change=lambda: None)
    connection = Connection(gateway)
    socket = _Socket()
    connection._socket = socket  # type: ignore[assignment]
    await connection._answer(2, {"token": server.token, "intents": 1})
    await connection._answer(8, json.loads(f'{{"guild_id": {guild}}}'))
    assert socket.close_code == 4002
