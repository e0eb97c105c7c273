"""The layers are contracts (`make lint` checks them): each notices a breach; no circle is left."""

from __future__ import annotations

import graphlib
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import grimp
import pytest

ROOT = Path(__file__).parents[2]
CONTRACTS = [
    contract["name"]
    for contract in tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"][
        "contracts"
    ]
]

BREACHES = {
    "core < gossip < net < trust < peer < cli, bot": ("swarm/core", "import swarm.gossip.frames"),
    "core < brief < llm < agents": ("swarm/llm", "import swarm.agents.base"),
    "agents and llm know no network": ("swarm/agents", "import swarm.net.errors"),
    "gossip does no I/O": ("swarm/gossip", "import trio"),
    "only swarm.net imports libp2p": ("swarm/peer", "import libp2p.peer.id"),
    "only bot imports discord": ("swarm/cli", "import discord"),
    "the rooms of the bot, as its __init__ lists them": (
        "bot/discord_api",
        "import bot.interactions.client",
    ),
    "what both programs share knows neither": ("swarm/console", "import swarm.cli.app"),
    "no circles between rooms": ("swarm/core/fold", "import swarm.core.views.plan_view"),
}
"""For each contract: a folder, and an import that a module in it must not have."""


def test_every_contract_has_a_breach() -> None:
    """The test below covers each contract of pyproject.toml."""
    assert sorted(BREACHES) == sorted(CONTRACTS)


@pytest.fixture(scope="module")
def verdicts(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What the linter says of a copy of the tree with every breach in it."""
    copy = tmp_path_factory.mktemp("breached")
    for package in ("swarm", "bot"):
        shutil.copytree(
            ROOT / package, copy / package, ignore=shutil.ignore_patterns("__pycache__")
        )
    shutil.copy(ROOT / "pyproject.toml", copy)
    for number, (folder, line) in enumerate(BREACHES.values()):
        (copy / folder / f"breach_{number}.py").write_text(f'"""A breach."""\n\n{line}\n')
    command = [
        sys.executable,
        "-c",
        "from importlinter.cli import lint_imports_command as go; go()",
    ]
    done = subprocess.run(
        [*command, "--no-cache"],
        cwd=copy,
        env=os.environ | {"PYTHONPATH": os.fspath(copy)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("contract", CONTRACTS)
def test_the_contract_notices_a_breach(contract: str, verdicts: str) -> None:
    """An import that the contract forbids, put into a copy of the tree, breaks it."""
    assert f"{contract} BROKEN" in verdicts
    if contract == "no circles between rooms":  # names the rooms, not the modules
        assert "No cycles are allowed in swarm.core." in verdicts
    else:
        assert f"breach_{list(BREACHES).index(contract)}" in verdicts


def test_no_module_imports_itself_through_others() -> None:
    """No circle of imports anywhere, those under TYPE_CHECKING and inside functions included."""
    graph = grimp.build_graph("swarm", "bot", cache_dir=None)
    imports = {name: graph.find_modules_directly_imported_by(name) for name in graph.modules}
    try:
        graphlib.TopologicalSorter(imports).prepare()
    except graphlib.CycleError as error:
        pytest.fail(" -> ".join(reversed(error.args[1])))
