"""libp2p comes in without the parts a peer never uses, and what was left out can come in later."""

from __future__ import annotations

import json
import subprocess
import sys

CODE = """
import json, sys
import swarm.net.patches.slim_import
import swarm.net.network
from swarm.net.connections.host import build_host
build_host(("/ip4/127.0.0.1/tcp/0",), None)
left_out = [name for name in swarm.net.patches.slim_import.UNUSED if name in sys.modules]
import libp2p.discovery.mdns.mdns as mdns
real = mdns.Zeroconf.__module__.startswith("zeroconf")
print(json.dumps([left_out, real]))
"""


def test_unused_parts_stay_out_and_can_come_in_later() -> None:
    """A host is built without any of the unused parts imported; mDNS then comes in for real."""
    done = subprocess.run(
        [sys.executable, "-c", CODE], capture_output=True, text=True, check=True, timeout=60
    )
    left_out, real = json.loads(done.stdout)
    assert left_out == []
    assert real
