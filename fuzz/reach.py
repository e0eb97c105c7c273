"""Which lines of a decoder some inputs reach, without atheris: shows what a target misses.

`python -m fuzz.reach TARGET [FOLDER ...]` runs the kept corpus, and the inputs in the folders, and
prints the lines of the target's decoders that none of them reached. `smallest_set` chooses which
inputs are kept.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from fuzz.targets import TARGETS, inputs, target

ROOT = Path(__file__).parents[1]

Line = tuple[str, int, int]
"""File, line, and the line before it: an edge tells more than a line alone."""


def reached(run: Callable[[bytes], None], data: bytes) -> set[Line]:
    """Return the edges between lines of the project that one input runs through."""
    found: set[Line] = set()
    ours = (str(ROOT / "swarm"), str(ROOT / "bot"))

    def enter(frame: FrameType, event: str, argument: Any) -> Any:
        file = frame.f_code.co_filename
        if not file.startswith(ours):
            return None
        before = 0

        def step(frame: FrameType, event: str, argument: Any) -> Any:
            nonlocal before
            if event == "line":
                found.add((file, frame.f_lineno, before))
                before = frame.f_lineno
            return step

        return step

    sys.settrace(enter)
    try:
        run(data)
    finally:
        sys.settrace(None)
    return found


def smallest_set(name: str, paths: Iterable[Path], *, files: int, size: int) -> list[Path]:
    """Return the inputs that together reach most: each is the one that adds most for its bytes.

    Args:
        name: The target.
        paths: The inputs to choose from.
        files: Largest number of inputs to choose.
        size: Largest number of bytes in all.
    """
    run = target(name)
    run(b"")
    candidates = {path: reached(run, path.read_bytes()) for path in paths}
    chosen: list[Path] = []
    known: set[Line] = set()
    left = size
    while len(chosen) < files:
        fitting = [path for path in candidates if path.stat().st_size <= left]
        # The square root: one long input that reaches much beats ten short ones that reach little.
        best = max(
            fitting,
            key=lambda path: len(candidates[path] - known) / (16 + path.stat().st_size) ** 0.5,
            default=None,
        )
        if best is None or candidates[best] <= known:
            break
        known |= candidates.pop(best)
        left -= best.stat().st_size
        chosen.append(best)
    return chosen


def lines_of(file: Path) -> set[int]:
    """Return the lines of all functions in a source file."""

    def inside(code: CodeType) -> Iterator[int]:
        for constant in code.co_consts:
            if isinstance(constant, CodeType):
                if constant.co_name[0] != "<" and not constant.co_name[0].isupper():
                    yield from (line for _, _, line in constant.co_lines() if line)
                yield from inside(constant)

    top = compile(file.read_text(encoding="utf-8"), str(file), "exec")
    starts = {line for code in _all(top) if code.co_firstlineno for line in (code.co_firstlineno,)}
    return set(inside(top)) - starts


def _all(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _all(constant)


def main() -> None:
    """Print the lines that are not reached."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("target", choices=TARGETS)
    parser.add_argument("folders", nargs="*", type=Path)
    options = parser.parse_args()
    run = target(options.target)
    run(b"")
    found: set[Line] = set()
    paths = inputs(options.target)
    paths += [path for folder in options.folders for path in folder.glob("*") if path.is_file()]
    for path in paths:
        found |= reached(run, path.read_bytes())
    for decoder in TARGETS[options.target].decoders:
        file = ROOT / decoder
        lines = lines_of(file)
        seen = {line for name, line, _ in found if name == str(file)} & lines
        sys.stdout.write(f"{decoder}: {len(seen)} of {len(lines)} lines\n")
        source = file.read_text(encoding="utf-8").splitlines()
        for line in sorted(lines - seen):
            sys.stdout.write(f"  {line}: {source[line - 1].strip()}\n")


if __name__ == "__main__":
    main()
