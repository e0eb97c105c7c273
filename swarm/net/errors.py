"""The errors of `swarm.net`.

Their messages are for the person who started the peer: what happened, what it means, and what to
do. The tree::

    NetError
    ├── SettingsError       a setting cannot be used as written
    │   └── OpenListenError listening beyond this machine without a swarm key
    ├── ListenError         no address could be listened on
    ├── DialError           a peer could not be reached (only the connection manager sees it)
    └── SilentPeerError     a listener was asked to publish

Malformed bytes from another peer raise `swarm.gossip.frames.FrameError`.
"""

import traceback


def blame(error: BaseException) -> str:
    """Return one line for the log: what failed and where, even inside exception groups.

    Rendering whole tracebacks of nested groups can take a terminal logger seconds.
    """
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    frames = traceback.extract_tb(error.__traceback__)
    where = f" ({frames[-1].filename}:{frames[-1].lineno})" if frames else ""
    return f"{type(error).__name__}: {error}{where}"


class NetError(Exception):
    """Base of all errors of `swarm.net`."""


class SettingsError(NetError, ValueError):
    """A network setting cannot be used. The message gives its value and what is allowed."""


class OpenListenError(SettingsError):
    """Listening beyond loopback without a swarm key was not explicitly allowed."""


class ListenError(NetError):
    """None of the addresses could be listened on."""


class DialError(NetError):
    """No peer answered at an address, or one that is not in this swarm."""


class SilentPeerError(NetError):
    """A peer that only listens was asked to publish."""
