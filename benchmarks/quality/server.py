"""The model server that a benchmark asks: one that a flag names, or the embedded one."""

from __future__ import annotations

import argparse
import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from swarm.llm.embedded import weights

EMBEDDED = "qwen2.5-coder-1.5b"
"""The model unless a flag names another."""


def add_model_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that name a model and where its answers are kept."""
    parser.add_argument("--model", default=EMBEDDED, help="name of the model")
    parser.add_argument("--ollama", default="", help="address of a model server; else the embedded")
    parser.add_argument("--cache", type=Path, default=None, help="folder of the model's answers")


@contextlib.contextmanager
def model_server(address: str, model: str) -> Iterator[str]:
    """Yield the address of the model server; start the embedded one if there is no address.

    Args:
        address: That of a server that runs already; may be empty.
        model: Name of the embedded weights to serve otherwise.
    """
    if address:
        yield address
    else:
        with _embedded(model) as url:
            yield url


@contextlib.contextmanager
def _embedded(model: str) -> Iterator[str]:
    entry = weights.weights_named(model)
    if not weights.is_present(entry):
        sys.exit(f"The weights are not here: swarm model fetch {entry.name}")
    process = subprocess.Popen(
        [sys.executable, "-m", "swarm", "model", "serve"],
        env=os.environ | {"LEADERLESS_MODEL__WEIGHTS": model, "LEADERLESS_LOG__LEVEL": "error"},
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stdout is not None
    try:
        url = process.stdout.readline().strip()
        if not url.startswith("http"):
            sys.exit("The embedded model's server did not start.")
        yield url
    finally:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close()
