"""Everything that can go wrong between a peer and its swarm.

Network errors are written for the person who started the peer: what happened, what it means, what
to do. The tree::

    NetError
    ├── SettingsError       a setting cannot be used as written
    │   └── OpenListenError listening beyond this machine without a swarm key
    ├── ListenError         no address could be listened on
    ├── DialError           a peer could not be reached (links retries; nobody else sees it)
    └── SilentPeerError     a listener was asked to publish

Bytes from another peer that make no sense raise `swarm.gossip.frames.FrameError`.
"""

import traceback


def blame(error: BaseException) -> str:
    """One line for the log: what failed and where, inside of however many groups.

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
    """A network setting cannot be used; the message names it, its value and what is allowed."""


class OpenListenError(SettingsError):
    """Listening beyond loopback without a swarm key was not explicitly allowed."""


class ListenError(NetError):
    """None of the addresses could be listened on."""


class DialError(NetError):
    """A peer did not answer at an address, or what answered is not of this swarm."""


class SilentPeerError(NetError):
    """Something asked a peer that only listens to publish."""
