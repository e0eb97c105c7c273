"""The errors of the network are one family."""

from __future__ import annotations

from swarm.net.errors import NetError, SettingsError, SilentPeerError


def test_all_errors_are_one_family() -> None:
    """A caller can catch all errors of the network by one name."""
    assert issubclass(SettingsError, NetError)
    assert issubclass(SilentPeerError, NetError)
