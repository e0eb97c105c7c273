"""An owned swarm as people run it: real processes, real libp2p, strangers among them."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.processes import scripted_ollama
from tests.trust.world import World, until

pytestmark = pytest.mark.timeout(300)


@pytest.fixture(scope="module")
def ollama() -> Iterator[str]:
    """Run the scripted model server; yield its address."""
    with scripted_ollama() as url:
        yield url


@pytest.fixture
def world(tmp_path: Path, ollama: str) -> Iterator[World]:
    """An owned swarm without peers; at the end, no secret of it may have leaked."""
    made = World(tmp_path, ollama)
    try:
        code, _, err = made.run("init", "--name", "school", "--dir", str(tmp_path / "owner"))
        assert code == 0, err
        yield made
        made.check_nothing_leaked()
    finally:
        made.stop()


def results(node: dict[str, Any]) -> Iterator[str]:
    """Yield the authors of a tree's results."""
    if node["result"]:
        yield node["result"]["author"]
    for child in node["children"]:
        yield from results(child)


def proposals(node: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield a tree's proposals."""
    yield from node["proposals"]
    for child in node["children"]:
        yield from proposals(child)


@pytest.mark.slow
def test_records_of_strangers_and_of_a_revoked_peer_do_not_count(world: World) -> None:
    """An invited peer works; a stranger and a revoked peer are foreign and change nothing."""
    owner, guest = world.config("owner"), world.config("guest")
    attic = world.let_in("guest", "--role", "executor", "--name", "attic")
    # A stranger has the swarm's key, and runs as if there were no owner.
    (world.folder / "rogue").mkdir()
    shutil.copy(world.folder / "guest/swarm.key", world.folder / "rogue/swarm.key")
    (world.folder / "rogue/swarm.toml").write_text(
        '[swarm]\nname = "school"\nswarm_key_file = "swarm.key"\nstate_dir = "state"\n'
    )
    scorer = world.start("scorer", "scorer", *owner)["author"]
    world.start("decomposer", "decomposer", *owner)
    assert world.start("attic", "executor", *guest)["author"] == attic["author"]
    rogue = world.start("rogue", "scorer", *world.config("rogue"), "--name", "rogue")["author"]
    stray = world.start("stray", "scorer", *guest, "--name", "stray")["author"]
    assert "not_granted" in world.log("stray")
    assert "not_granted" not in world.log("attic") + world.log("scorer")

    # The joiner's observer has no grants but its own: it heard the others by gossip.
    seen = {view["author"]: view["foreign"] for view in world.json("peers", *guest)}
    assert seen == {
        view["author"]: view["author"] in (rogue, stray) for view in world.json("peers", *owner)
    }
    assert {rogue, stray, scorer, attic["author"]} <= set(seen)
    code, listed, _ = world.run("peers", *owner)
    assert code == 0
    foreign = [line for line in listed.splitlines() if "foreign" in line]
    assert {line.split()[1] for line in foreign} == {"rogue", "stray"}

    plan = world.json("submit", "Plan a school fair", "--wait", *owner)
    assert plan["state"] == "done"
    assert set(results(plan["tree"])) == {attic["author"]}
    counted = [ballot["voter"] for p in proposals(plan["tree"]) for ballot in p["ballots"]]
    assert set(counted) == {scorer}
    assert {p["quorum"] for p in proposals(plan["tree"])} == {1}, "strangers raised the quorum"

    def foreign_in(goal: str, kind: str) -> set[str]:
        found = world.json("observe", goal, "--once", *guest)["foreign"]
        return {record["author"] for record in found if record["kind"] == kind}

    # A starved one may be too late: nobody votes on what is decided.
    voted = foreign_in(plan["goal"], "ballot")
    assert voted
    assert voted <= {rogue, stray}
    assert world.json("observe", plan["goal"], "--once", *guest)["digest"] == plan["digest"]
    code, why, _ = world.run("why", plan["goal"], *guest)
    assert code == 0
    assert "Foreign, does not count: a ballot" in why
    assert any(author[:8] in why for author in voted)

    code, out, err = world.run("revoke", "attic", *owner)
    assert (code, out) == (0, "revoked attic: nothing it publishes from now on counts\n"), err
    until(lambda: "not_granted" in world.log("attic"), "the revoked executor has heard it")
    code, out, err = world.run("submit", "Plan a garden", *owner)
    assert code == 0
    garden = out.strip()
    until(lambda: foreign_in(garden, "claim") == {attic["author"]}, "it claims in vain")
    spare = world.start("spare", "executor", *owner)["author"]
    until(
        lambda: world.json("observe", garden, "--once", *guest)["state"] == "done", "it is planned"
    )
    plan = world.json("observe", garden, "--once", *guest)
    assert set(results(plan["tree"])) == {spare}


@pytest.mark.slow
def test_a_revocation_that_nobody_heard_goes_out_with_the_next_command(world: World) -> None:
    """Exit code 3 means that no peer received it; the next `submit` delivers it."""
    owner, guest = world.config("owner"), world.config("guest")
    world.let_in("guest", "--role", "scorer", "--role", "observer", "--name", "attic")
    code, out, err = world.run("revoke", "attic", "--json", *owner)
    assert code == 3
    assert json.loads(out)["heard"] is False
    assert "no other peer knows yet" in err
    world.start("attic", "scorer", *guest)
    assert "not_granted" not in world.log("attic")
    code, _, err = world.run("submit", "Plan a garden", *owner)
    assert code == 0, err
    assert "The swarm has no scorer yet" in err
    until(lambda: "not_granted" in world.log("attic"), "the revoked scorer has heard it")


@pytest.mark.slow
def test_submit_needs_the_submitter_role_and_explains_it(world: World) -> None:
    """Without the submitter role, `submit` and `up` say what to do; with it a goal counts."""
    owner = world.config("owner")
    world.let_in("worker", "--role", "scorer", "--name", "worker")
    world.let_in("asker", "--role", "submitter", "--name", "asker")
    world.start("worker", "scorer", *world.config("worker"))
    code, out, err = world.run("submit", "Plan a garden", *world.config("worker"))
    assert (code, out) == (2, "")
    assert "swarm invite --role submitter" in err
    code, out, err = world.run("up", "Plan a garden", *world.config("worker"))
    assert (code, out) == (2, "")
    assert "swarm peer ROLE" in err
    code, goal, err = world.run("submit", "Plan a garden", *world.config("asker"))
    assert code == 0, err
    views = world.json("observe", "--once", *owner)
    assert [view["goal"] for view in views] == [goal.strip()]
    # The scorer counted although the asker knew no grant but its own yet.
    assert views[0]["foreign"] == []
    code, out, _ = world.run("cancel", goal.strip()[:8], *world.config("asker"))
    assert code == 0, out


def test_up_by_the_owner_just_works(world: World) -> None:
    """`swarm up GOAL` with the owner's configuration: all its peers count, the plan is done."""
    small = ("--decomposers", "1", "--scorers", "2", "--executors", "1")
    plan = world.json("up", "Plan a school fair", *small, *world.config("owner"))
    assert plan["state"] == "done"
    assert plan["foreign"] == []
    assert {p["quorum"] for p in proposals(plan["tree"])} == {2}


def test_an_invite_leads_to_another_machine(world: World) -> None:
    """With only the invite a new peer finds the swarm, and its observer knows which peers count."""
    told = world.start("scorer", "scorer", *world.config("owner"))
    world.let_in("guest", "--role", "executor", "--name", "attic", "--peers", told["addresses"][0])
    world.machine = "elsewhere"
    world.start("attic", "executor", *world.config("guest"))
    seen = world.json("peers", *world.config("guest"))
    assert {(view["name"], view["foreign"]) for view in seen} == {
        (told["name"], False),
        ("attic", False),
    }


WRONG_CLOCK = """
import os, time
off = float(os.environ.get("TESTS_CLOCK_OFF", "0"))
if off:
    seconds, nanoseconds = time.time, time.time_ns
    time.time = lambda: seconds() + off
    time.time_ns = lambda: nanoseconds() + int(off * 1e9)
"""
"""Python runs this first: it makes the clock of a process wrong by a number of seconds."""


@pytest.mark.slow
@pytest.mark.parametrize("off", [3_600, 120, -600])
def test_a_revocation_by_a_wrong_clock_is_not_called_one(
    world: World, off: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The owner learns how wrong the clock is, and nothing is revoked; once set, it works."""
    owner, guest = world.config("owner"), world.config("guest")
    (world.folder / "clock").mkdir()
    (world.folder / "clock/sitecustomize.py").write_text(WRONG_CLOCK)
    attic = world.let_in("guest", "--role", "scorer", "--name", "attic")
    world.start("attic", "scorer", *guest)
    grants = (world.folder / "owner/grants").read_bytes()
    monkeypatch.setenv("PYTHONPATH", str(world.folder / "clock"), prepend=os.pathsep)
    monkeypatch.setenv("TESTS_CLOCK_OFF", str(off))
    code, out, err = world.run("revoke", "attic", *owner)
    assert (code, out) == (3, "")
    assert "Nothing was revoked" in err
    assert ("ahead of" if off > 0 else "behind") in err
    said = (world.folder / "owner/grants").read_text().splitlines()
    assert all(attic["author"] not in line for line in said[len(grants.splitlines()) :])
    # An owner who insists must live with the wrong clock's effects, which can be repaired.
    code, out, err = world.run("revoke", "attic", "--own-clock", *owner)
    assert (code, out) == (3, "")
    assert "may accept it later, or never" in err
    monkeypatch.setenv("TESTS_CLOCK_OFF", "0")
    code, out, err = world.run("revoke", "attic", *owner)
    assert (code, out) == (0, "revoked attic: nothing it publishes from now on counts\n"), err
    until(lambda: "not_granted" in world.log("attic"), "the revoked scorer has heard it")
