"""Start the rivals, each with the interpreter of its own environment, and let them make plans."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from benchmarks import environments

SILENT = {
    "LANGSMITH_TRACING": "false",
    "LANGCHAIN_TRACING_V2": "false",
    "OTEL_SDK_DISABLED": "true",
    "DO_NOT_TRACK": "1",
}
"""Turns off the telemetry of frameworks: they should reach nothing but the model server."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A rival: its usual name, its script, and the environment that it needs (empty: ours)."""

    name: str
    script: str
    environment: str


KINDS = (
    Kind("plain asyncio", "plain", ""),
    Kind("LangGraph", "langgraph_planner", "langgraph"),
    Kind("AutoGen", "autogen_planner", "autogen"),
)


class Rival:
    """One running rival."""

    def __init__(self, kind: Kind, url: str, executors: int, voters: int) -> None:
        """Start it and wait until it has imported what it needs.

        Raises:
            EnvironmentFailed: It cannot be installed, or does not start.
        """
        python = environments.python(kind.environment) if kind.environment else sys.executable
        script = Path(__file__).parent / f"{kind.script}.py"
        self._process = subprocess.Popen(
            [python, str(script), url, str(executors), str(voters)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | SILENT,
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._stdin, self._stdout = self._process.stdin, self._process.stdout
        if self._stdout.readline().strip() != "ready":
            self.stop()
            raise environments.EnvironmentFailed(f"{kind.name} did not start")

    def begin(self) -> None:
        """Tell it to make one plan; `took` waits for the end."""
        self._stdin.write("\n")
        self._stdin.flush()

    def took(self) -> float:
        """Return how long the plan took, in seconds."""
        return float(self._stdout.readline())

    def stop(self) -> None:
        """Stop it."""
        self._process.kill()
        self._process.wait()
        self._stdin.close()
        self._stdout.close()
