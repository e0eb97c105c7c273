"""Let libp2p import without `fastecdsa`, the one dependency of ours that has no wheel.

libp2p 0.8.1 imports `fastecdsa` at once, and uses it only for ECDSA keys and for the old SECIO
handshake. Leaderless has neither: author keys and transport keys are Ed25519, and the host offers
only noise. `fastecdsa` is published as source, so installing it takes a C compiler, gmp and
Python's headers. The lock therefore leaves it out (`exclude-dependencies` in pyproject.toml), and
where it is missing this module provides an empty one in its place. An installed `fastecdsa` is used
as it is.

Importing `swarm.net` imports this module, so it is in force before anything below imports libp2p.
Code outside (tests, benchmarks) that imports libp2p itself must import `swarm.net` first;
`tests/__init__.py` does.

Upstream: libp2p/py-libp2p#507 (closed) asked for `fastecdsa` to become optional. Delete this file
when libp2p imports it only where it needs it.
"""

from __future__ import annotations

import importlib.machinery
import sys
import types
from collections.abc import Sequence
from typing import Any, NoReturn

MISSING = "fastecdsa"
"""The package that is provided, with every module below it, where it is not installed."""


class EcdsaUnavailableError(NotImplementedError):
    """libp2p was asked for an ECDSA key, and `fastecdsa` is not installed."""

    def __init__(self) -> None:
        super().__init__(
            "ECDSA keys need the package fastecdsa, which is not installed. Leaderless itself uses "
            "Ed25519 keys only. To use ECDSA keys with libp2p here, install fastecdsa 2.3.2; this "
            "takes a C compiler, gmp and Python's headers."
        )


class _Unavailable:
    """Stands in for a class, a function or a curve: annotations may name it, calling it raises."""

    def __getattr__(self, name: str) -> _Unavailable:
        if name.startswith("__"):
            raise AttributeError(name)
        return self

    def __call__(self, *_: Any, **__: Any) -> NoReturn:
        raise EcdsaUnavailableError


class _StubModule(types.ModuleType):
    """A module in which every name exists, so that libp2p's `from fastecdsa import ...` works."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.__path__ = []

    def __getattr__(self, name: str) -> _Unavailable:
        if name.startswith("__"):
            raise AttributeError(name)
        return _Unavailable()


class _StubFinder:
    """Finds `fastecdsa` when no other finder has; it must be the last one."""

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None,
        target: types.ModuleType | None = None,
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname.partition(".")[0] != MISSING:
            return None
        # Deriving from `importlib.abc.Loader` would cost every command 15 ms of imports.
        loader: Any = self
        return importlib.machinery.ModuleSpec(fullname, loader, is_package=True)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        return _StubModule(spec.name)

    def exec_module(self, module: types.ModuleType) -> None:
        pass


sys.meta_path.append(_StubFinder())
