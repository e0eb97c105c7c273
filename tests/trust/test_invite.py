"""Invites: encoding and reading are inverse, and nothing else is accepted as one."""

from __future__ import annotations

import base64
import string

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given, settings
from hypothesis import strategies as st

from swarm.core.clock import Stamp
from swarm.core.records import Grant, Presence, Record, sign
from swarm.net.addresses import is_address
from swarm.trust.invite import (
    Invite,
    InviteError,
    check_addresses,
    check_listen,
    encode,
    read,
)

OWNER = Ed25519PrivateKey.from_private_bytes(b"\x01" * 32)
GUEST = Ed25519PrivateKey.from_private_bytes(b"\x02" * 32)
SECRET = b"\x03" * 32

names = st.text(min_size=1, max_size=64).filter(lambda s: s.isprintable() and s == s.strip())
addresses = st.sampled_from(
    [
        "/ip4/192.168.1.7/tcp/7400",
        "/ip6/2001:db8::7/tcp/1",
        "/dns4/host.example/tcp/7400",
        "/dns/a-b.example/tcp/65535/p2p/12D3KooWabc",
    ]
)


def public(key: Ed25519PrivateKey) -> bytes:
    return key.public_key().public_bytes_raw()


def granted(
    *roles: str,
    swarm: str = "school",
    name: str = "guest",
    by: Ed25519PrivateKey = OWNER,
    to: Ed25519PrivateKey = GUEST,
) -> Record:
    body = Grant(stamp=Stamp(1), swarm=swarm, subject=public(to), roles=list(roles), name=name)
    return sign(body, by)


def made(grant: Record | None = None, **changes: object) -> Invite:
    parts: dict[str, object] = {
        "swarm": "school",
        "owner": public(OWNER),
        "swarm_key": SECRET,
        "identity": GUEST.private_bytes_raw(),
        "grant": grant or granted("scorer"),
        "addresses": ("/ip4/192.168.1.7/tcp/7400",),
    }
    return Invite(**{**parts, **changes})  # type: ignore[arg-type]


LINE = encode(made())


@settings(max_examples=40, deadline=None)
@given(
    names,
    names,
    st.lists(st.sampled_from(["scorer", "executor", "submitter"]), min_size=1, unique=True),
    st.lists(addresses, unique=True),
)
def test_what_goes_in_comes_out(
    swarm: str, name: str, roles: list[str], dialled: list[str]
) -> None:
    """Any swarm, peer, roles and addresses survive encoding into one URL-safe line."""
    invite = made(granted(*roles, swarm=swarm, name=name), swarm=swarm, addresses=tuple(dialled))
    line = encode(invite)
    assert line.startswith("leaderless-invite-1-")
    # A piece of a wrapped line must not look like an option, so no "-" further on.
    assert set(line[20:]) <= set(string.ascii_letters + string.digits + "._")
    back = read(line)
    assert back == invite
    assert (back.name, back.roles, back.author) == (name, tuple(roles), public(GUEST))


@given(st.integers(0, len(LINE) - 1))
def test_an_invite_cut_off_anywhere_is_told_as_such(length: int) -> None:
    """For any missing end, the message says so and repeats none of the invite."""
    with pytest.raises(InviteError) as caught:
        read(LINE[:length])
    assert any(words in str(caught.value) for words in ("incomplete", "This is not an invite"))
    assert not any(LINE[at : at + 16] in str(caught.value) for at in range(20, length - 15))


@given(st.integers(20, len(LINE) - 1), st.sampled_from(string.ascii_letters + "!é"))
def test_one_wrong_letter_is_noticed(at: int, letter: str) -> None:
    """A changed letter is an error, unless it changes no bit of the content."""
    changed = LINE[:at] + letter + LINE[at + 1 :]
    try:
        back = read(changed)
    except InviteError:
        return
    assert back == read(LINE)


@given(st.text() | st.binary().map(lambda b: f"leaderless-invite-1-{base64.b64encode(b).decode()}"))
def test_no_text_breaks_the_reader(text: str) -> None:
    """Any text pasted by mistake gives a message, never another exception."""
    with pytest.raises(InviteError):
        read(text)


def test_line_breaks_and_quotes_from_a_mail_do_no_harm() -> None:
    """A line that was wrapped, indented or quoted by mail is still read."""
    wrapped = "\n  ".join(LINE[at : at + 72] for at in range(0, len(LINE), 72))
    assert read(f'  "{wrapped}" \r\n') == read(LINE)


def test_another_version_says_who_has_to_update() -> None:
    """An invite of an older version must be replaced; a newer one needs an update here."""
    with pytest.raises(InviteError, match=r"older version .*Ask the owner for a new one"):
        read(LINE.replace("invite-1-", "invite-0-"))
    with pytest.raises(InviteError, match=r"newer version .*Update Leaderless"):
        read(LINE.replace("invite-1-", "invite-2-"))


@pytest.mark.parametrize(
    "grant",
    [
        granted("scorer", by=GUEST),
        granted("scorer", to=OWNER),
        granted("scorer", swarm="other"),
        granted(),
        granted("scorer", name=""),
        sign(Presence(stamp=Stamp(1), swarm="school", role="scorer"), OWNER),
    ],
    ids=["self-made", "for another", "other swarm", "no roles", "no name", "no grant"],
)
def test_a_grant_that_does_not_fit_is_refused(grant: Record) -> None:
    """An invite whose grant does not match its key, swarm or owner is refused."""
    with pytest.raises(InviteError, match="is invalid"):
        read(encode(made(grant)))


def test_an_invite_shows_no_secret_when_it_is_printed() -> None:
    """The repr, which appears in logs and tracebacks, contains neither key."""
    shown = repr(made())
    for secret in (SECRET, GUEST.private_bytes_raw()):
        assert secret.hex() not in shown
        assert repr(secret) not in shown


def test_addresses_that_cannot_be_dialled_are_refused() -> None:
    """Only addresses of peers are accepted for an invite, each once."""
    good = "/ip4/10.0.0.1/tcp/7400"
    assert check_addresses([good, good]) == (good,)
    for bad in ("10.0.0.1:7400", "/ip4/10.0.0.1", '/ip4/1.2.3.4/tcp/1"\nx', "/ip4/a/tcp/1", ""):
        assert not is_address(bad)
        with pytest.raises(InviteError, match="can be dialled"):
            check_addresses([bad])


MANGLED = {
    "smart quotes": "“{}”",
    "backticks": "`{}`",
    "fence": "```\n{}\n```",
    "bold": "**{}**",
    "italic": "_{}_",
    "brackets": "({}), [{}]",
    "mark of order": "\ufeff{}",
    "full stop": "Here it is: {}.",
    "words before and after": "Hi Ann,\nhere is your invite {} thanks, and see you!\nBob",
    "quoted": "> Hi,\n> {}\n> Bob",
    "capital": "L{}",
    "dashes": "{}",
}


@pytest.mark.parametrize("how", MANGLED)
@pytest.mark.parametrize("width", [0, 30, 76])
def test_what_chats_and_mail_do_to_a_line_is_undone(how: str, width: int) -> None:
    """Quotation marks, text around it, quoting, wrapping and invisible characters are undone."""
    line = LINE
    if how == "capital":
        line = line.removeprefix("l")
    if how == "dashes":
        line = line.replace("-", "–")
    text = MANGLED[how].replace("{}", line)
    if width:
        mark = "\n> " if how == "quoted" else "\n  "
        at = text.index(line[:9])
        pieces = [line[start : start + width] for start in range(0, len(line), width)]
        text = text[:at] + mark.join(pieces) + text[at + len(line) :]
    assert read(text) == read(LINE)


@given(st.data())
def test_letters_without_width_anywhere_do_no_harm(data: st.DataObject) -> None:
    """Zero-width spaces and soft hyphens, which pages put into long words, are ignored."""
    text = LINE
    for _ in range(data.draw(st.integers(1, 5))):
        at = data.draw(st.integers(0, len(text)))
        text = text[:at] + data.draw(st.sampled_from("\u200b\u00ad\u2060\ufeff\u200e")) + text[at:]
    assert read(text) == read(LINE)


@given(st.text(string.ascii_letters + "._ \n>*`", max_size=80), st.text("._", max_size=3))
def test_words_after_an_invite_are_told_from_it(after: str, closing: str) -> None:
    """Text after an invite has the same letters; the checksum shows where the invite ends."""
    assert read(f"{LINE}{closing}\n{after}") == read(LINE)


def test_addresses_that_no_socket_takes_are_refused() -> None:
    """Numbers out of range, and "any host" or "any port" for dialling, are refused."""
    for bad in ("/ip4/999.1.1.1/tcp/1", "/ip4/1.2.3/tcp/1", "/ip4/1.2.3.4/tcp/99999",
                "/ip6/::::/tcp/1", "/ip6/1.2.3.4/tcp/1", "/ip4/::1/tcp/1"):  # fmt: skip
        for check in (check_addresses, check_listen):
            with pytest.raises(InviteError, match="is not an address"):
                check([bad])
    for any_of in ("/ip4/0.0.0.0/tcp/7400", "/ip6/::/tcp/7400", "/ip4/10.0.0.1/tcp/0"):
        assert check_listen([any_of]) == (any_of,)
        with pytest.raises(InviteError, match="can be dialled"):
            check_addresses([any_of])
        # An invite of an earlier version may hold one.
        assert read(encode(made(addresses=(any_of,)))).addresses == (any_of,)
    with pytest.raises(InviteError, match="listen on"):
        check_listen(["/dns4/localhost/tcp/7400"])
    assert check_addresses(["/dns4/localhost/tcp/7400", "/ip6/2001:db8::7/tcp/1"])
