"""`python -m fuzz.run TARGET --seconds N`: run one target with atheris (libFuzzer).

atheris instruments Python's bytecode and is not a dependency of the project: install it into a
separate environment that also sees the project's packages (`make fuzz` does). New inputs go to a
working folder; `--keep` copies the smallest set that reaches as much code back into `corpus/`.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from fuzz.reach import smallest_set
from fuzz.targets import BROKE, CORPUS, TARGETS, inputs, target
from fuzz.words import words

MAX_LENGTH = 4_096
"""Bytes of the longest input tried: long enough for every branch, short enough to be fast."""

SLOW_SECONDS = 30
"""Seconds; an input that takes longer is a finding: work must be in proportion to the input."""

MEMORY_MB = 1_024
"""Resident memory at which a run is a finding."""

KEPT_INPUTS = 24
KEPT_BYTES = 16 * 1024
"""Largest number of inputs of one target in the corpus, and of their bytes: each input reaches
something that the earlier ones do not."""

CONSIDERED = 600
"""Inputs from which the kept ones are chosen, the shortest: they are many, and tracing is slow."""

INSTRUMENTED = ["swarm", "bot", "fuzz", "markdown_it", "simcord", "tomllib"]


def main() -> None:
    """Run one target in this process, or all of them one after another."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("target", choices=[*TARGETS, "all"])
    parser.add_argument("--seconds", type=int, default=60, help="for each target")
    parser.add_argument(
        "--work", type=Path, default=Path(tempfile.gettempdir()) / "leaderless-fuzz"
    )
    parser.add_argument("--keep", action="store_true", help="keep a few new inputs in the corpus")
    parser.add_argument("--input", type=Path, help="run this one input, without atheris")
    options = parser.parse_args()
    if options.input is not None:
        target(options.target)(options.input.read_bytes())
        return
    if options.target == "all":
        sys.exit(_run_all(options))
    _run(options.target, options.seconds, options.work)


def _run_all(options: argparse.Namespace) -> int:
    failed = []
    for name in TARGETS:
        command = [sys.executable, "-m", "fuzz.run", name]
        command += ["--seconds", str(options.seconds), "--work", str(options.work)]
        if subprocess.run(command, check=False).returncode:  # our own module
            failed.append(name)
        if options.keep:
            keep(name, options.work)
    for name in failed:
        sys.stderr.write(f"{name}: an input broke it. Again, with the traceback:\n")
        for path in sorted((options.work / name / "crashes").glob("*")):
            sys.stderr.write(f"  {sys.executable} -m fuzz.run {name} --input {path}\n")
    return len(failed)


def _run(name: str, seconds: int, work: Path) -> None:
    atheris: Any = importlib.import_module("atheris")
    with atheris.instrument_imports(include=INSTRUMENTED, enable_loader_override=False):
        run = target(name)
    found, crashes = work / name / "found", work / name / "crashes"
    found.mkdir(parents=True, exist_ok=True)
    crashes.mkdir(parents=True, exist_ok=True)
    (CORPUS / name).mkdir(parents=True, exist_ok=True)
    arguments = [
        sys.argv[0],
        f"-max_total_time={seconds}",
        f"-max_len={MAX_LENGTH}",
        f"-timeout={SLOW_SECONDS}",
        f"-rss_limit_mb={MEMORY_MB}",
        f"-artifact_prefix={crashes}/",
        "-print_final_stats=1",
        *_dictionary(name, work),
        str(found),
        str(CORPUS / name),
    ]
    atheris.Setup(arguments, run)
    atheris.Fuzz()


def _dictionary(name: str, work: Path) -> list[str]:
    """Write the dictionary of a target's inputs, as libFuzzer reads it."""
    known = words(name)
    if not known:
        return []
    path = work / name / "words.dict"
    spelt = ("".join(f"\\x{byte:02x}" for byte in word) for word in known)
    path.write_text("".join(f'"{word}"\n' for word in spelt), encoding="ascii")
    return [f"-dict={path}"]


def keep(name: str, work: Path) -> None:
    """Reduce the corpus to the few inputs that reach most; inputs that broke something stay."""
    kept = [path for path in inputs(name) if path.name.startswith(BROKE)]
    others = [path for path in inputs(name) if path not in kept]
    found = sorted((work / name / "found").glob("*"), key=lambda path: path.stat().st_size)
    chosen = smallest_set(name, [*others, *found[:CONSIDERED]], files=KEPT_INPUTS, size=KEPT_BYTES)
    for path in chosen:
        if path not in others:
            digest = hashlib.sha256(path.read_bytes()).hexdigest()[:16]
            shutil.copy(path, CORPUS / name / digest)
    for path in others:
        if path not in chosen:
            path.unlink()


if __name__ == "__main__":
    main()
