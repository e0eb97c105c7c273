"""Everything that can go wrong with a model, as one small tree.

    LLMError
    ├── ServerUnreachable   nobody answers at the address            (retryable)
    ├── ModelMissing        the server answers but lacks the model   (not retryable)
    ├── TimedOut            no answer within the limit               (retryable)
    ├── BadAnswer           an answer, but not one that can be used  (retryable, by another peer)
    ├── ServerError         the server reported a failure            (retryable if 5xx or 429)
    └── WeightsError        weights could not be fetched or checked  (retryable by hand)

`str(error)` is written for people: what happened, what it means, what to do. It goes into notices
that other peers show, so it never carries prompts, secrets or more of a foreign message than one
bounded line.
"""

from __future__ import annotations

import re

from swarm.core.unsafe_text import UNSAFE

_UNSAFE = re.compile(f"[{UNSAFE}]")

MOST_SAID = 1_000
"""Characters of a message: what fits a notice and a presence with what they say besides."""


class LLMError(Exception):
    """Base of all model errors.

    Its message is made one printable line, whatever a server's words in it are: it is signed and
    shown by other peers.

    Attributes:
        retryable: Whether the same request may succeed later or at another peer.
        away: Whether the server is out of reach, starting or overwhelmed, which a moment may mend.
    """

    retryable: bool = False
    away: bool = False

    def __init__(self, message: str = "") -> None:
        super().__init__(printable(message, MOST_SAID))


class ServerUnreachable(LLMError):
    """Nobody answers at the address, or the connection broke."""

    retryable = True
    away = True


class ModelMissing(LLMError):
    """The server answers but does not have the model."""


class TimedOut(LLMError):
    """The time limit of the call passed."""

    retryable = True


class BadAnswer(LLMError):
    """The model answered, several times even, but nothing usable."""

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
