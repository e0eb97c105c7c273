"""Which vote of a person on a split counts, out of reactions and buttons.

A reaction or a button votes for or against a split; the same one again takes the vote back. The
latest vote of a person counts. Discord's own state is authoritative for reactions, the journal for
buttons: after a restart or a lost connection all live votes are recounted from both. Reactions of
this bot and of other bots never count.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal

from bot.swarm_link.swarm_peer import Verdict
from bot.views.splits import APPROVE, REJECT

Means = Literal["reaction", "button"]

SIGNS: dict[str, str] = {"approve": APPROVE, "reject": REJECT}
_VERDICTS: dict[str, Verdict] = {APPROVE: "approve", REJECT: "reject"}
_SKIN_TONES = "".join(map(chr, range(0x1F3FB, 0x1F400)))


def meaning(emoji: str) -> Verdict | None:
    """Return the vote that a reaction means; None: it is not a vote. All skin tones count alike."""
    return _VERDICTS.get(emoji.rstrip(_SKIN_TONES))


class Ballots:
    """The votes that people gave on one split, by their keyed hashes."""

    def __init__(self) -> None:
        self._given: dict[bytes, list[tuple[Means, Verdict]]] = {}

    def add(self, person: bytes, verdict: Verdict, means: Means = "reaction") -> Verdict:
        """Add a vote; return the person's vote now. A person has one vote by button at a time."""
        given = self._given.setdefault(person, [])
        if means == "button":
            given[:] = [one for one in given if one[0] != "button"]
        elif (means, verdict) in given:
            given.remove((means, verdict))
        given.append((means, verdict))
        return verdict

    def remove(self, person: bytes, verdict: Verdict, means: Means = "reaction") -> Verdict | None:
        """Take a vote back; return the person's vote now, or None if there was no such vote."""
        given = self._given.get(person, [])
        if (means, verdict) not in given:
            return None
        given.remove((means, verdict))
        return given[-1][1] if given else "abstain"

    def forget(self, person: bytes) -> None:
        """Drop a person's votes."""
        self._given.pop(person, None)

    def standing(self, person: bytes) -> tuple[Means, Verdict] | None:
        """Return the vote of a person that counts, and how it was cast."""
        given = self._given.get(person)
        return given[-1] if given else None

    def recount(
        self,
        reactions: Iterable[tuple[bytes, Verdict]],
        buttons: Mapping[bytes, Verdict],
        before: Mapping[bytes, str],
    ) -> None:
        """Start again from the votes that Discord and the journal hold.

        Args:
            reactions: person and vote of each.
            buttons: each person's vote by button.
            before: each person's vote as attested so far: of several votes, that one came last.
        """
        self._given.clear()
        for person, verdict in reactions:
            self.add(person, verdict)
        for person, verdict in buttons.items():
            self.add(person, verdict, "button")
        for person, given in self._given.items():
            given.sort(key=lambda one: one[1] == before.get(person))

    def verdicts(self) -> dict[bytes, Verdict]:
        """Return how everyone votes."""
        return {person: given[-1][1] for person, given in self._given.items() if given}
