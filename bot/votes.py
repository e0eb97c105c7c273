"""People's votes: from reactions to ballots that the bot attests.

A reaction votes for or against the split it stands under; taking it back withdraws the vote. With
both reactions the later one counts. Discord's own state is the truth: after a restart or a lost
connection all live votes are counted again from it. The bot's own reactions and those of other
bots never count.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal

from bot.splits import APPROVE, REJECT

Verdict = Literal["approve", "reject", "abstain"]

_VERDICTS: dict[str, Verdict] = {APPROVE: "approve", REJECT: "reject"}
_SKIN_TONES = "".join(map(chr, range(0x1F3FB, 0x1F400)))


def meaning(emoji: str) -> Verdict | None:
    """Return what a reaction says; None: it is no vote. All skin tones count alike."""
    return _VERDICTS.get(emoji.rstrip(_SKIN_TONES))


class Ballots:
    """The reactions to one split, as far as they are votes."""

    def __init__(self) -> None:
        self._given: dict[int, list[Verdict]] = {}

    def add(self, user: int, emoji: str) -> Verdict | None:
        """Note a reaction; return the person's vote now, None if it was no vote."""
        verdict = meaning(emoji)
        if verdict is None:
            return None
        given = self._given.setdefault(user, [])
        if verdict in given:
            given.remove(verdict)
        given.append(verdict)
        return verdict

    def remove(self, user: int, emoji: str) -> Verdict | None:
        """Note that a reaction was taken back; return the person's vote now.

        None: it was no vote, or not one that was counted.
        """
        verdict = meaning(emoji)
        given = self._given.get(user, [])
        if verdict is None or verdict not in given:
            return None
        given.remove(verdict)
        return given[-1] if given else "abstain"

    def recount(self, found: Iterable[tuple[str, int]], before: Mapping[int, str]) -> None:
        """Start again from what Discord says.

        Args:
            found: emoji and user of each reaction.
            before: each person's vote as attested so far: it says which of two came later.
        """
        self._given.clear()
        for emoji, user in found:
            self.add(user, emoji)
        for user, given in self._given.items():
            if len(given) > 1:
                given.sort(key=lambda verdict: verdict == before.get(user))

    def verdicts(self) -> dict[int, Verdict]:
        """Return how everyone who reacted votes."""
        return {user: given[-1] for user, given in self._given.items() if given}
