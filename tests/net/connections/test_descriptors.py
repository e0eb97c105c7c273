"""A peer that has no file descriptors left: it neither ends nor spins, and goes on afterwards."""

from __future__ import annotations

import errno
import logging
import os
import resource
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
import structlog
import trio

from swarm.net.addresses import parse_address
from swarm.net.connections import manager
from swarm.net.connections.descriptors import LISTENERS, is_exhausted, warn_rarely
from swarm.net.connections.manager import BACKOFF_MOST_SECONDS, GIVE_UP_FOUND
from swarm.net.errors import DialError
from tests.net.connections.test_manager import FakeWire, address, build, peer
from tests.net.hosts import Member, members, until
from tests.net.memory import make

TRIO_PAUSE = 0.1
"""Seconds that trio's listeners wait before they try again."""


@contextmanager
def no_descriptors() -> Iterator[None]:
    """Let this process open nothing more."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    held: list[int] = []
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(soft, 512), hard))
    try:
        with suppress(OSError):
            while True:
                held.append(os.open(os.devnull, os.O_RDONLY))
        yield
    finally:
        for one in held:
            os.close(one)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


class Refusals(logging.Handler):
    """When trio's listeners were refused a descriptor."""

    def __init__(self) -> None:
        super().__init__()
        self.times: list[float] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.times.append(trio.current_time())


@pytest.fixture
def refusals() -> Iterator[list[float]]:
    handler, logger = Refusals(), logging.getLogger(LISTENERS)
    for earlier in list(logger.handlers):
        logger.removeHandler(earlier)  # It may have told in this minute.
    logger.addHandler(handler)
    yield handler.times
    logger.removeHandler(handler)


@pytest.mark.trio
async def test_a_peer_without_descriptors_lives_on(tmp_path: Path, refusals: list[float]) -> None:
    """Connected peers are heard, new ones wait at no cost, and all goes on later."""
    victim = Member(address_book=tmp_path / "book")
    with structlog.testing.capture_logs() as logs:
        async with members(victim, link=False):
            friend = Member(peers=(victim.address,))
            async with members(friend, link=False):
                await until(10, lambda: friend.linked and victim.linked)
                _, host, port = parse_address(victim.address)
                knocking = [socket.socket() for _ in range(10)]
                with no_descriptors():
                    for one in knocking:
                        one.setblocking(False)
                        one.connect_ex((host, port))
                    links_of = victim.network._connections
                    assert links_of is not None
                    links_of.found(address("somebody"))
                    friend.publish(make(None, "said meanwhile"))
                    await until(10, lambda: victim.records)
                    await until(10, lambda: len(refusals) > 4)
                for one in knocking:
                    one.close()
                assert refusals[-1] - refusals[0] >= (len(refusals) - 2) * TRIO_PAUSE
                late = Member(peers=(victim.address,))
                async with members(late, link=False):
                    await until(20, lambda: late.records)
    assert victim.network.counters().rebuilds == 0
    assert [e["log_level"] for e in logs if e["event"] == "out_of_descriptors"] == ["warning"]
    assert not [e for e in logs if e["event"] in ("host_failed", "connection_check_failed")]


@pytest.mark.trio
async def test_an_address_is_not_blamed(
    autojump_clock: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without descriptors, an address is neither dropped nor retried in a hurry."""
    wire = FakeWire()

    async def dial(*_: object) -> str:
        wire.tries.append((trio.current_time(), ""))
        await trio.lowlevel.checkpoint()
        error = ExceptionGroup("all attempts failed", [OSError(errno.EMFILE, "too many")])
        failed = OSError("all attempts failed")
        failed.__cause__ = error
        raise DialError("no") from failed

    monkeypatch.setattr(manager, "peer_id_of", str)
    monkeypatch.setattr(manager, "dial", dial)
    subject = build(wire)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(subject.run)
        subject.found(address("p"))
        await trio.sleep(600)
        assert GIVE_UP_FOUND < len(wire.tries) <= 600 / BACKOFF_MOST_SECONDS + 1
        monkeypatch.setattr(manager, "dial", wire.dial)
        wire.up.add(peer("p"))
        await trio.sleep(2 * BACKOFF_MOST_SECONDS)
        assert list(wire.connections) == [peer("p")]
        nursery.cancel_scope.cancel()


def test_only_scarcity_is_scarcity() -> None:
    """A refused connection is something else, however deep it is."""
    assert not is_exhausted(None)
    assert not is_exhausted(DialError("no"))
    assert not is_exhausted(ExceptionGroup("", [OSError(errno.ECONNREFUSED, "refused")]))
    assert is_exhausted(ExceptionGroup("", [ValueError(), OSError(errno.ENFILE, "machine full")]))
    endless = OSError("a loop")
    endless.__context__ = other = OSError("back")
    other.__context__ = endless
    assert not is_exhausted(endless)


def test_it_is_told_once_a_minute() -> None:
    """Ten tracebacks a second would bury whatever else the log has to say."""
    logger = logging.getLogger(LISTENERS)
    for handler in list(logger.handlers):
        logger.removeHandler(handler)
    warn_rarely()
    warn_rarely()
    with structlog.testing.capture_logs() as logs:
        for _ in range(100):
            logger.error("accept returned EMFILE")
    assert len(logger.handlers) == len(logs) == 1
    assert "ulimit -n" in logs[0]["reason"]
