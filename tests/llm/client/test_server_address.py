"""Addresses of model servers: what people write, and what cannot be meant."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from swarm.llm.client.ollama import ChatClient
from swarm.llm.client.server_address import ServerAddress, parse_address
from swarm.llm.errors import ServerUnusable


@pytest.mark.parametrize(
    ("written", "url"),
    [
        ("", "http://127.0.0.1:11434"),
        ("localhost", "http://localhost:11434"),
        ("  localhost \n", "http://localhost:11434"),
        ('"http://127.0.0.1:1234"', "http://127.0.0.1:1234"),
        (":8080", "http://127.0.0.1:8080"),
        ("0.0.0.0", "http://127.0.0.1:11434"),
        ("0.0.0.0:11500", "http://127.0.0.1:11500"),
        ("::1", "http://[::1]:11434"),
        ("::", "http://[::1]:11434"),
        ("[::1]:8000", "http://[::1]:8000"),
        ("http://[fe80::1]/v1/", "http://[fe80::1]:80/v1"),
        ("http://localhost", "http://localhost:80"),
        ("HTTPS://example.org/", "https://example.org:443"),
        ("example.org:1234/v1", "http://example.org:1234/v1"),
        ("my_host", "http://my_host:11434"),
        ("http://bücher.example:1", "http://bücher.example:1"),
    ],
)
def test_what_people_write_is_understood(written: str, url: str) -> None:
    """With and without a scheme, a port, brackets or a path; spaces and quotes around it go."""
    assert parse_address(written).url == url
    assert parse_address(written).public == url.partition("://")[2].partition("/")[0]


@pytest.mark.parametrize(
    ("written", "why"),
    [
        ("127.0.0.1:99999", "1 to 65535"),
        ("127.0.0.1:0", "1 to 65535"),
        ("127.0.0.1:x", "not a number"),
        ("127.0.0.1:²", "not a number"),
        ("http://127.0.0.1:-1", "not a number"),
        ("127.0.0.1 :11434", "a space"),
        ("http://a\u200bb", "invisible"),
        ("ftp://127.0.0.1", "http://"),
        ("http://[::1", "not a name"),
        ("http://[1.2.3.4]x", "not a name"),
        ("http://" + "a" * 70 + ".xn--\x80/", "cannot be used"),
        ("http://host/?model=x", "a \\? or #"),
    ],
)
def test_what_cannot_be_meant_is_refused_with_a_reason(written: str, why: str) -> None:
    """The message repeats the address, says what is wrong and how to write it; no traceback."""
    with pytest.raises(ServerUnusable, match=f"{why}.*Write it like"):
        parse_address(written)
    with pytest.raises(ServerUnusable, match=why):
        ChatClient(written, "model")


def test_user_and_password_are_kept_and_never_shown() -> None:
    """They are decoded, and in no text that the address or an error about it makes."""
    address = parse_address("https://me:p%40ss%3A%2F@host:1/v1")
    assert address.user == ("me", "p@ss:/")
    assert address.url == "https://host:1/v1"
    assert "p@ss" not in f"{address!r}{address.public}"
    for wrong in ("http://me:geheim@host:99999", "me:geheim@h ost", "x://me:geheim@host"):
        with pytest.raises(ServerUnusable) as caught:
            parse_address(wrong)
        assert "geheim" not in str(caught.value)


@given(st.text(max_size=30) | st.text("htp:/[]0123456789.@% ?#a", max_size=30))
def test_any_text_is_an_address_or_an_error(text: str) -> None:
    """Nothing else is raised, and reading an address again changes nothing."""
    try:
        address = parse_address(text)
    except ServerUnusable:
        return
    again = parse_address(address.url)
    assert again == ServerAddress(
        scheme=address.scheme, host=again.host, port=address.port, path=address.path
    )
    assert again.url == address.url
    ChatClient(text, "model")


@pytest.mark.parametrize(
    ("written", "here"),
    [
        ("localhost:1", True),
        ("::1", True),
        ("127.9.9.9", True),
        ("0.0.0.0", True),
        ("192.168.1.7", False),
        ("http://example.org", False),
    ],
)
def test_which_addresses_are_of_this_machine(written: str, here: bool) -> None:
    """Its memory says something about a server here, and nothing about one elsewhere."""
    assert parse_address(written).is_this_machine == here
