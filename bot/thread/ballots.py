"""People's votes: from reactions and buttons to ballots that the bot attests.

A reaction or a button votes for or against a split; the same again takes it back. Of all that one
person gave, the latest counts. Discord's own state is the truth for reactions, the journal for
buttons: after a restart or a lost connection all live votes are counted again from both. The bot's
own reactions and those of other bots never count.
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
    """Return what a reaction says; None: it is no vote. All skin tones count alike."""
    return _VERDICTS.get(emoji.rstrip(_SKIN_TONES))


class Ballots:
    """What people gave to one split, by their keyed hashes."""

    def __init__(self) -> None:
        self._given: dict[bytes, list[tuple[Means, Verdict]]] = {}

    def add(self, person: bytes, verdict: Verdict, means: Means = "reaction") -> Verdict:
        """Note a vote; return the person's vote now. By button there is one at a time."""
        given = self._given.setdefault(person, [])
        if means == "button":
            given[:] = [one for one in given if one[0] != "button"]
        elif (means, verdict) in given:
            given.remove((means, verdict))
        given.append((means, verdict))
        return verdict

    def remove(self, person: bytes, verdict: Verdict, means: Means = "reaction") -> Verdict | None:
        """Note that a vote was taken back; return the person's vote now, None if there was none."""
        given = self._given.get(person, [])
        if (means, verdict) not in given:
            return None
        given.remove((means, verdict))
        return given[-1][1] if given else "abstain"

    def forget(self, person: bytes) -> None:
        """Drop what a person gave."""
        self._given.pop(person, None)

    def standing(self, person: bytes) -> tuple[Means, Verdict] | None:
        """Return the vote of a person that counts, and how it was given."""
        given = self._given.get(person)
        return given[-1] if given else None

    def recount(
        self,
        reactions: Iterable[tuple[bytes, Verdict]],
        buttons: Mapping[bytes, Verdict],
        before: Mapping[bytes, str],
    ) -> None:
        """Start again from what Discord and the journal say.

        Args:
            reactions: person and vote of each.
            buttons: each person's vote by button.
            before: each person's vote as attested so far: it says which of several came last.
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
