"""Separate hosts for tests: Linux network namespaces, joined by veth pairs and a bridge.

The bridge is in a namespace too, so the machine's own network is not touched, and cleaning up means
deleting namespaces. This needs root and iproute2; `why_not` reports what is missing.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field

PREFIX = "leaderless"
"""A namespace's name is this, the id of the test's process, and the host."""

PORT_OUT = "eth0"
"""The interface of a host."""


class NetworkError(Exception):
    """A step of building the network failed; the message contains the output of `ip`."""


def ip(*arguments: str) -> str:
    """Run `ip` and return its output."""
    done = subprocess.run(["ip", *arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        raise NetworkError(f"ip {' '.join(arguments)}: {done.stderr.strip()}")
    return done.stdout


def why_not() -> str:
    """Return why hosts cannot be made here; empty: they can."""
    if shutil.which("ip") is None:
        return "iproute2 (the command ip) is not installed"
    try:
        with network(["a"]):
            return ""
    except NetworkError as error:
        return f"network namespaces cannot be made here (root is needed): {error}"


@dataclass
class Network:
    """Hosts on one bridge.

    Args:
        hosts: their short names.
    """

    hosts: list[str]
    addresses: dict[str, str] = field(default_factory=dict)
    """Each host's IPv4 address."""

    def space(self, host: str) -> str:
        """Return the namespace of a host."""
        return f"{PREFIX}-{os.getpid()}-{host}"

    def on(self, host: str) -> tuple[str, ...]:
        """Return the prefix of a command that is to run on a host."""
        return ("ip", "netns", "exec", self.space(host))

    def build(self) -> None:
        """Make the hosts and the bridge."""
        switch = self.space("switch")
        ip("netns", "add", switch)
        for number, host in enumerate(self.hosts, start=1):
            space = self.space(host)
            ip("netns", "add", space)
            ip("-n", space, "link", "set", "dev", "lo", "up")
            to_switch = ("peer", "name", host, "netns", switch)
            ip("-n", space, "link", "add", PORT_OUT, "type", "veth", *to_switch)
            ip("-n", switch, "link", "set", "dev", host, "up")
            ip("-n", space, "link", "set", "dev", PORT_OUT, "up")
            self.move(host, f"10.77.0.{number}")
        self.part(self.hosts)

    def move(self, host: str, address: str) -> None:
        """Give a host another address in place of the one it had."""
        ip("-n", self.space(host), "addr", "flush", "dev", PORT_OUT)
        ip("-n", self.space(host), "addr", "add", f"{address}/24", "dev", PORT_OUT)
        self.addresses[host] = address

    def part(self, *groups: list[str]) -> None:
        """Put each group of hosts on its own bridge; traffic between groups is dropped silently."""
        switch = self.space("switch")
        for number, group in enumerate(groups):
            bridge = f"part{number}"
            if f" {bridge}:" not in ip("-n", switch, "link"):
                ip("-n", switch, "link", "add", bridge, "type", "bridge")
                ip("-n", switch, "link", "set", "dev", bridge, "up")
            for host in group:
                ip("-n", switch, "link", "set", "dev", host, "master", bridge)

    def deaf(self, host: str, *, to: str) -> None:
        """Cut a host off from an address: everything it sends there is dropped."""
        ip("-n", self.space(host), "route", "add", "blackhole", f"{to}/32")

    def remove(self) -> None:
        """Delete everything; harmless if there is nothing."""
        for host in ("switch", *self.hosts):
            with contextlib.suppress(NetworkError):
                ip("netns", "del", self.space(host))


@contextlib.contextmanager
def network(hosts: list[str]) -> Iterator[Network]:
    """Make hosts on a bridge, and remove them at the end."""
    _remove_leftovers()
    made = Network(hosts)
    try:
        made.build()
        yield made
    finally:
        made.remove()


def _remove_leftovers() -> None:
    """Delete the namespaces left behind by tests that were killed."""
    for name in re.findall(rf"^({PREFIX}-\d+-\S+)", ip("netns", "list"), re.MULTILINE):
        if not os.path.exists(f"/proc/{name.split('-')[1]}"):
            with contextlib.suppress(NetworkError):
                ip("netns", "del", name)
