"""Containers that forget their oldest entries."""

from __future__ import annotations

from copy import deepcopy

from swarm.core.bounded import BoundedDict, BoundedSet


def test_the_oldest_entry_is_dropped() -> None:
    """A mapping never holds more than its bound, and drops what was written longest ago."""
    memory: BoundedDict[str, int] = BoundedDict(2)
    for number, key in enumerate("abc"):
        memory[key] = number
    assert list(memory.items()) == [("b", 1), ("c", 2)]


def test_writing_makes_an_entry_the_newest() -> None:
    """An entry that is written again outlives one that is only read."""
    memory: BoundedDict[str, int] = BoundedDict(2)
    memory["a"], memory["b"] = 1, 2
    assert memory.get("b") == 2
    memory["a"] = 3
    memory.setdefault("c", 4)
    assert list(memory.items()) == [("a", 3), ("c", 4)]


def test_using_an_entry_makes_it_the_newest() -> None:
    """`use` makes what is missing, and keeps what is used."""
    memory: BoundedDict[str, list[int]] = BoundedDict(2)
    first = memory.use("a", list)
    memory.use("b", list)
    assert memory.use("a", list) is first
    memory.use("c", list)
    assert list(memory) == ["a", "c"]


def test_a_set_drops_its_oldest_member() -> None:
    """A set never holds more than its bound; adding a member again makes it the newest."""
    seen: BoundedSet[str] = BoundedSet(2)
    for member in "abac":
        seen.add(member)
    assert list(seen) == ["a", "c"]
    assert len(seen) == 2
    assert "b" not in seen


def test_a_copy_has_the_same_entries_and_the_same_bound() -> None:
    """Agents are copied with what they remember."""
    bounded: BoundedDict[str, int] = BoundedDict(2)
    bounded["a"], bounded["b"] = 1, 2
    twin = deepcopy(bounded)
    twin["c"] = 3
    assert list(twin.items()) == [("b", 2), ("c", 3)]
    assert list(bounded) == ["a", "b"]
