"""What a check says about one demand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Outcome = Literal["kept", "broken", "not applicable"]

Kind = Literal["demand", "form"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """One demand and whether a plan keeps it.

    Attributes:
        check: Name of the check, a row of the table.
        outcome: What was found.
        reason: Why, in one line.
        kind: `demand` if the goal's text asks for it, `form` if every plan must have it.
        about: Which of several demands of the check; empty if there is only one.
    """

    check: str
    outcome: Outcome
    reason: str
    kind: Kind = "demand"
    about: str = ""

    @property
    def kept(self) -> bool:
        """Whether it counts as kept."""
        return self.outcome == "kept"


def verdict(
    check: str, kept: bool, reason: str, *, kind: Kind = "demand", about: str = ""
) -> Verdict:
    """Return a verdict of a check that applies."""
    return Verdict(check, "kept" if kept else "broken", reason, kind, about)


def not_applicable(check: str, reason: str, *, kind: Kind = "demand") -> Verdict:
    """Return the verdict of a check that does not apply to a goal."""
    return Verdict(check, "not applicable", reason, kind)
