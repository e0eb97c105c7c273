"""Everything that can go wrong with a model, as one small exception tree.

    LLMError
    ├── ServerUnreachable   nobody answers at the address            (retryable)
    ├── ServerUnusable      a person must change address, key or certificate   (not retryable)
    ├── ModelMissing        the server answers but lacks the model   (not retryable)
    ├── TimedOut            no answer within the limit               (retryable)
    ├── BadAnswer           an answer, but not one that can be used  (retryable, by another peer)
    ├── ServerError         the server reported a failure            (retryable if 5xx or 429)
    └── WeightsError        weights could not be fetched or checked  (retryable by hand)

`str(error)` is human-readable: what happened, what it means, what to do. It goes into notices that
other peers show, so it never contains prompts or secrets, and at most one bounded line of a foreign
message.
"""

from __future__ import annotations

import re

from swarm.core.unsafe_text import UNSAFE

_UNSAFE = re.compile(f"[{UNSAFE}]")

MOST_SAID = 1_000
"""Longest message, in characters: it fits a notice or a presence beside their other fields."""


class LLMError(Exception):
    """Base of all model errors.

    The message becomes one printable line whatever a server put into it, because other peers sign
    and show it.

    Attributes:
        retryable: Whether the same request may succeed later or at another peer.
        away: Whether the server is unreachable, starting or overloaded, which may soon pass.
    """

    retryable: bool = False
    away: bool = False

    def __init__(self, message: str = "") -> None:
        super().__init__(printable(message, MOST_SAID))


class ServerUnreachable(LLMError):
    """Nobody answers at the address, or the connection broke."""

    retryable = True
    away = True


class ServerUnusable(LLMError):
    """The server cannot be used until a person changes something.

    Its address is no address, its certificate is not trusted, it refuses the key or password, or it
    is not a model server.
    """


class ModelMissing(LLMError):
    """The server answers but does not have the model."""


class TimedOut(LLMError):
    """The time limit of the call passed."""

    retryable = True


class BadAnswer(LLMError):
    """The model answered, more than once, but gave nothing usable."""

    retryable = True


class ServerError(LLMError):
    """The server reported a failure.

    Attributes:
        status: HTTP status, or -1 for an error reported in the middle of a stream.
    """

    def __init__(self, message: str, *, status: int, away: bool = False) -> None:
        super().__init__(message)
        self.status = status
        self.away = away
        self.retryable = status == -1 or status == 429 or status >= 500


class WeightsError(LLMError):
    """Weights could not be fetched, or are not what they should be."""


def printable(text: str, most: int = MOST_SAID) -> str:
    """Return a text as one line of at most `most` characters that can be signed and shown.

    Unsafe characters, line breaks and everything else that is not printable become spaces.
    """
    safe = _UNSAFE.sub(" ", text[: 4 * most])
    line = "".join(char if char.isprintable() else " " for char in safe)
    return " ".join(line.split())[:most]
