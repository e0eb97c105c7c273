"""The watch on a model: when it is checked, and when its agent learns that it recovered."""

from __future__ import annotations

from swarm.agents.base import Observer
from swarm.agents.model_watch import AWAY_CHECK_MS, CHECK_MS, ModelWatch


class Recovering(Observer):
    """An agent that counts how often its model recovered."""

    def __init__(self) -> None:
        self.recoveries = 0

    def recovered(self) -> None:
        self.recoveries += 1


def watched() -> tuple[ModelWatch, Recovering, list[str]]:
    """Return a watch, its agent, and the troubles it announces."""
    agent, troubles = Recovering(), list[str]()
    watch = ModelWatch(agent, lambda: troubles.append(watch.trouble))
    return watch, agent, troubles


def test_a_model_that_is_away_is_checked_ever_less_often() -> None:
    """The pause doubles up to its bound, and starts over once the model has answered."""
    watch, _, _ = watched()
    assert watch.checked("") == CHECK_MS
    assert [watch.checked("gone") for _ in range(5)] == [2_000, 4_000, 8_000, 15_000, 15_000]
    assert watch.checked("") == CHECK_MS
    assert watch.checked("gone") == AWAY_CHECK_MS[0]


def test_only_the_first_lost_call_asks_for_an_early_check() -> None:
    """Later calls fail for the reason that is known; the checks are under way already."""
    watch, _, troubles = watched()
    assert watch.call_failed("gone")
    assert not watch.call_failed("gone")
    assert not watch.call_failed("gone for another reason")
    assert troubles == ["gone", "gone for another reason"]


def test_a_model_has_recovered_only_if_a_check_found_it_gone() -> None:
    """A server that dies of one call and answers the next check has not been away."""
    watch, agent, troubles = watched()
    watch.call_failed("the connection broke")
    watch.checked("")
    assert agent.recoveries == 0
    watch.call_failed("the connection broke")
    watch.checked("nobody answers")
    watch.checked("")
    watch.checked("")
    assert agent.recoveries == 1
    assert troubles[-2:] == ["nobody answers", ""]


def test_a_reason_is_one_printable_line() -> None:
    """It is signed and shown by other peers."""
    watch, _, _ = watched()
    watch.checked("no model\n\ud800\x1b[2J")
    assert watch.trouble == "no model [2J"
