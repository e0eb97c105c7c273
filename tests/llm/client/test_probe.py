"""What answers at an address: servers as they were met, each with what to do about it."""

from __future__ import annotations

import datetime
import ipaddress
import json
import ssl
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from swarm.llm.client.ollama import ChatClient
from swarm.llm.client.probe import ServerKind, probe
from swarm.llm.client.prompt import Prompt
from swarm.llm.client.server_address import parse_address
from swarm.llm.errors import LLMError, ServerError, ServerUnreachable, ServerUnusable, TimedOut

pytestmark = pytest.mark.trio

Pages = Mapping[str, tuple[int, object]]
OLLAMA: Pages = {"/api/version": (200, {"version": "0.9.0"}), "/v1/models": (200, {"data": []})}
LLAMA_CPP: Pages = {
    "/api/tags": (200, {"models": [{"name": "model.gguf", "model": "model.gguf"}]}),
    "/api/show": (200, {"model_info": {}, "details": {}}),
    "/v1/models": (200, {"data": [{"id": "model.gguf", "owned_by": "llamacpp"}]}),
}
VLLM: Pages = {"/v1/models": (200, {"data": [{"id": "Qwen/Qwen2.5-7B", "owned_by": "vllm"}]})}
STUDIO: Pages = {
    "*": (200, {"error": "Unexpected endpoint or method. Returning 200 anyway"}),
    "/v1/models": (200, {"data": [{"id": "phi-4", "owned_by": "organization_owner"}]}),
}


@contextmanager
def serving(pages: Pages, tls: Path | None = None) -> Iterator[str]:
    """A server that answers these paths, and all others with what `*` says or with 404."""

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            pass

        def do_GET(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            status, value = pages.get(self.path, pages.get("*", (404, {"detail": "Not Found"})))
            data = json.dumps(value).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def do_POST(self) -> None:
            self.do_GET()

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, *_: object) -> None:
            """Say nothing about clients that hang up, as they do on a certificate."""

    http = Server(("127.0.0.1", 0), Handler)
    if tls is not None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(tls)
        http.socket = context.wrap_socket(
            http.socket, server_side=True, do_handshake_on_connect=False
        )
    threading.Thread(target=http.serve_forever, args=(0.01,), daemon=True).start()
    try:
        yield f"{'https' if tls else 'http'}://127.0.0.1:{http.server_port}"
    finally:
        http.shutdown()
        http.server_close()


@pytest.fixture
def certificate(tmp_path: Path) -> Path:
    """A self-signed certificate of 127.0.0.1 with its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "model server of a test")])
    now = datetime.datetime.now(datetime.UTC)
    hour = datetime.timedelta(hours=1)
    address = x509.IPAddress(ipaddress.ip_address("127.0.0.1"))
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - hour)
        .not_valid_after(now + hour)
        .add_extension(x509.SubjectAlternativeName([address]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    path = tmp_path / "server.pem"
    path.write_bytes(
        made.public_bytes(serialization.Encoding.PEM)
        + key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    return path


async def failure_at(url: str) -> LLMError:
    """What the probe says about a server that cannot be used."""
    with pytest.raises(LLMError) as caught:
        await probe(parse_address(url), limit_seconds=5)
    return caught.value


@pytest.mark.parametrize(
    ("pages", "kind"),
    [
        (OLLAMA, ServerKind(api="ollama", product="Ollama")),
        (LLAMA_CPP, ServerKind(api="openai", product="llama.cpp")),
        (VLLM, ServerKind(api="openai", product="vLLM")),
        (STUDIO, ServerKind(api="openai", product="LM Studio")),
    ],
    ids=["Ollama", "llama.cpp", "vLLM", "LM Studio"],
)
async def test_each_server_is_known_for_what_it_is(pages: Pages, kind: ServerKind) -> None:
    """Ollama has OpenAI's paths too, llama.cpp some of Ollama's; LM Studio answers any path."""
    with serving(pages) as url:
        assert await probe(parse_address(url)) == kind


async def test_an_address_with_v1_means_openai_s_interface() -> None:
    """Also of an Ollama."""
    with serving(OLLAMA) as url:
        assert (await probe(parse_address(f"{url}/v1"))).api == "openai"


@pytest.mark.parametrize("page", [(404, {}), (200, "It works!"), (200, {"models": []})])
async def test_a_server_of_another_kind_is_not_called_a_missing_model(
    page: tuple[int, object],
) -> None:
    """Whatever it says, `ollama pull` would not help; the message says what to name instead."""
    with serving({"*": page}) as url:
        error = await failure_at(url)
        assert isinstance(error, ServerUnusable)
        assert "not a model server" in str(error)
        assert "--server" in str(error)
        assert "pull" not in str(error)


async def test_ollama_s_client_tells_a_missing_path_from_a_missing_model() -> None:
    """A server without Ollama's paths gets no advice to pull a model, in no call."""
    prompt = Prompt(messages=({"role": "user", "content": "Hello"},), max_tokens=1)
    with serving(VLLM) as url:
        client = ChatClient(url, "Qwen/Qwen2.5-7B", tries=1)
        for call in (client.profile, client.models, lambda: client.complete(prompt, options={})):
            with pytest.raises(ServerUnusable, match="not as Ollama does") as caught:
                await call()
            assert "pull" not in str(caught.value)
        await client.close()


@pytest.mark.parametrize("status", [401, 403])
async def test_a_server_that_wants_a_key_says_so(status: int) -> None:
    """The message names the variable; a key that is refused gets another one."""
    with serving({"*": (status, {"error": "no"})}) as url:
        assert "wants a key or password" in str(await failure_at(url))
        assert "LEADERLESS_MODEL__API_KEY" in str(await failure_at(url))
        with pytest.raises(ServerUnusable, match="does not accept the key"):
            await probe(parse_address(url), key="sk-x")


@pytest.mark.parametrize("status", [400, 500])
async def test_the_key_is_thought_of_where_the_status_says_nothing(status: int) -> None:
    """LiteLLM answers so without the right key; anything else has its reason in its log."""
    with serving({"/v1/models": (status, {"error": {"message": "No connected db."}})}) as url:
        assert "LEADERLESS_MODEL__API_KEY" in str(await failure_at(url))


async def test_a_server_that_is_starting_may_be_asked_again() -> None:
    """As llama.cpp answers while it loads its model."""
    with serving({"*": (503, {"error": {"message": "Loading model"}})}) as url:
        error = await failure_at(url)
        assert isinstance(error, ServerError)
        assert error.away


async def test_nobody_there_is_unreachable() -> None:
    """With the address and what to do."""
    error = await failure_at("http://127.0.0.1:9")
    assert isinstance(error, ServerUnreachable)
    assert "127.0.0.1:9" in str(error)


async def test_a_silent_server_times_out(tmp_path: Path) -> None:
    """It accepts connections, so it is not said to be absent."""
    with socket_that_only_listens() as port, pytest.raises(TimedOut, match="accepts connections"):
        await probe(parse_address(f"127.0.0.1:{port}"), limit_seconds=0.2)


@contextmanager
def socket_that_only_listens() -> Iterator[int]:
    """A port that accepts connections and never answers."""
    import socket

    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield int(listening.getsockname()[1])


async def test_a_certificate_that_is_not_trusted_is_named_with_the_way_out(
    certificate: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the probe and by the client; with the way out that the message gives it works."""
    monkeypatch.delenv("SSL_CERT_FILE", raising=False)
    with serving(OLLAMA, tls=certificate) as url:
        error = await failure_at(url)
        assert isinstance(error, ServerUnusable)
        assert "certificate" in str(error)
        assert "SSL_CERT_FILE" in str(error)
        client = ChatClient(url, "m")
        with pytest.raises(ServerUnusable, match=r"not trusted.*SSL_CERT_FILE"):
            await client.profile()
        await client.close()
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
        assert (await probe(parse_address(url))).api == "ollama"


async def test_the_wrong_scheme_is_named(certificate: Path) -> None:
    """https:// to a plain server; http:// to one with TLS at least breaks with the address."""
    with serving(OLLAMA) as url:
        error = await failure_at(url.replace("http://", "https://"))
        assert isinstance(error, ServerUnusable)
        assert "http://127.0.0.1" in str(error)
    with serving(OLLAMA, tls=certificate) as url:
        error = await failure_at(url.replace("https://", "http://"))
        assert "127.0.0.1" in str(error)
