"""The roles a peer can have, and the role that each kind of record needs.

This is the only list of roles: the command line, the owner's grants, the simulator and the bot all
take theirs from here. It imports nothing, so that commands that only need the names start fast.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal, get_args

Worker = Literal["decomposer", "scorer", "executor"]
"""A role that plans: it needs a language model."""

Role = Literal[Worker, "submitter", "observer"]
"""What a peer does in its swarm."""

WORKERS: tuple[Worker, ...] = get_args(Worker)
"""Roles without which no plan gets done, in the order in which a plan needs them."""

ROLES: tuple[Role, ...] = get_args(Role)
"""All roles, each of which an owner can grant. An observer publishes nothing; its invite only lets
it in to listen."""

ROLE_FOR: Mapping[str, Role] = MappingProxyType(
    {
        "goal": "submitter",
        "cancel": "submitter",
        "replan": "submitter",
        "proposal": "decomposer",
        "ballot": "scorer",
        "review": "scorer",
        "claim": "executor",
        "progress": "executor",
        "result": "executor",
    }
)
"""The role that an author needs to publish a record of a kind. A person's ballot is attested by the
submitter; a notice, and a record of a kind that this version does not know, need any one role."""
