"""The control interface: access, refusals and views."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import aiohttp
import pytest

from bot.playground.client import PlaygroundClient, PlaygroundError, Step
from bot.playground.feed import BACKLOG_EVENTS
from bot.playground.server import Playground
from bot.playground.views import MessageView
from tests.bot.playground.conftest import STARTUP_SECONDS, BotProcess

pytestmark = pytest.mark.asyncio


async def ask(
    playground: Playground,
    method: str,
    path: str,
    *,
    headers: dict[str, str] | None = None,
    body: bytes | None = None,
) -> tuple[int, str, dict[str, str]]:
    """Make one request and return its status, text and headers."""
    async with aiohttp.ClientSession() as http:
        url = playground.url.rstrip("/") + path
        async with http.request(method, url, headers=headers, data=body) as response:
            return response.status, await response.text(), dict(response.headers)


# -------------------------------------------------------------------- who may use it


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "evil.example"},
        {"Host": "evil.example:80"},
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:1"},
    ],
)
@pytest.mark.parametrize("path", ["/", "/play/state", "/play/events", "/api/v10/users/@me"])
async def test_other_sites_are_refused(
    playground: Playground, headers: dict[str, str], path: str
) -> None:
    """Requests by a rebound DNS name or from another site get 403 everywhere and no data."""
    status, text, _ = await ask(playground, "GET", path, headers=headers)
    assert status == 403
    assert playground.token not in text


async def test_cross_site_requests_without_origin_are_refused(playground: Playground) -> None:
    """A request marked only by `Sec-Fetch-Site: cross-site` is refused too."""
    headers = {"Sec-Fetch-Site": "cross-site", "Content-Type": "application/json"}
    status, _, _ = await ask(playground, "POST", "/play/messages", headers=headers, body=b"{}")
    assert status == 403


async def test_the_page_itself_is_welcome(playground: Playground) -> None:
    """The page's own origin is allowed, by any name of this machine."""
    port = playground.url.rstrip("/").rsplit(":", 1)[1]
    for name in (f"127.0.0.1:{port}", f"localhost:{port}"):
        headers = {"Host": name, "Origin": f"http://{name}"}
        status, _, _ = await ask(playground, "GET", "/play/state", headers=headers)
        assert status == 200


async def test_the_page_has_a_strict_policy(playground: Playground) -> None:
    """The page may run only its own scripts, and no other site may frame it."""
    status, text, headers = await ask(playground, "GET", "/")
    assert status == 200
    assert "<title>" in text
    policy = headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert headers["X-Frame-Options"] == "DENY"


@pytest.mark.parametrize(
    "path", ["/static/../server.py", "/static/%2e%2e/server.py", "/static/x.py", "/static/nope.js"]
)
async def test_only_the_pages_files_are_served(playground: Playground, path: str) -> None:
    """Nothing outside the page's folder can be read through it."""
    status, _, _ = await ask(playground, "GET", path)
    assert status == 404


async def test_the_token_is_never_shown(playground: Playground) -> None:
    """Neither the page nor its interface reveals the bot's token."""
    for path in ("/", "/play/state", "/static/app.js"):
        assert playground.token not in (await ask(playground, "GET", path))[1]


# -------------------------------------------------------------------- what it refuses


@pytest.mark.parametrize("path", ["messages", "reactions", "commands", "buttons"])
async def test_no_body_makes_a_server_error(playground: Playground, path: str) -> None:
    """Any invalid request gets a 4xx with a human-readable sentence, never a 500."""
    asha = str(playground.guild.people["Asha"])
    channel = str(playground.channel_id)
    base = {"member_id": asha, "channel_id": channel}
    bodies: list[bytes] = [
        b"",
        b"{",
        b"[]",
        b"null",
        b"\xff\xfe",
        b"[" * 50_000,
        json.dumps(base).encode(),
        json.dumps({**base, "member_id": 5}).encode(),
        json.dumps({**base, "member_id": "9" * 20, "content": "x"}).encode(),
        json.dumps({**base, "channel_id": "1", "content": "x"}).encode(),
        json.dumps({**base, "content": "x" * 2001}).encode(),
        json.dumps({**base, "content": " "}).encode(),
        json.dumps({**base, "content": "x", "reply_to": "1"}).encode(),
        json.dumps({**base, "message_id": "1", "emoji": "x", "custom_id": "x"}).encode(),
        json.dumps({**base, "message_id": "1", "emoji": "👍"}).encode(),
        json.dumps({**base, "message_id": "1", "custom_id": "x"}).encode(),
        json.dumps({**base, "command": ""}).encode(),
        json.dumps({**base, "command": "nope", "options": {"a": [1]}}).encode(),
        json.dumps({**base, "command": "nope", "options": {"a": 1}}).encode(),
    ]
    headers = {"Content-Type": "application/json"}
    for body in bodies:
        status, text, _ = await ask(playground, "POST", f"/play/{path}", headers=headers, body=body)
        assert 400 <= status < 500, (body[:80], text)
        assert json.loads(text)["error"]
    status, _, _ = await ask(playground, "POST", f"/play/{path}", body=b"a=b")
    assert status == 415


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "/channels/{c}/messages", b"{"),
        ("POST", "/channels/{c}/messages", b"[]"),
        ("POST", "/channels/{c}/messages", b'{"content": 5}'),
        ("POST", "/channels/x/messages", b'{"content": "x"}'),
        ("PUT", "/applications/1/commands", b'[{"nope": 1}]'),
        ("PUT", "/applications/1/commands", b"[1]"),
        ("POST", "/channels/{c}/messages/1/threads", b"5"),
        ("GET", "/channels/{c}/messages?limit=x", None),
        ("GET", "/no/such/route", None),
        ("POST", "/interactions/1/x/callback", b'{"type": 4}'),
    ],
)
async def test_malformed_api_requests_get_discords_errors(
    playground: Playground, method: str, path: str, body: bytes | None
) -> None:
    """A bot's malformed request gets a JSON error with a code, never a 500."""
    headers = {"Authorization": f"Bot {playground.token}", "Content-Type": "application/json"}
    path = "/api/v10" + path.replace("{c}", str(playground.channel_id))
    status, text, answer = await ask(playground, method, path, headers=headers, body=body)
    assert 400 <= status < 500 or status == 501
    assert answer["Content-Type"] == "application/json"
    assert "code" in json.loads(text)


async def test_the_api_needs_the_token(playground: Playground) -> None:
    """Without the bot's token the API answers 401."""
    path = f"/api/v10/channels/{playground.channel_id}/messages"
    for headers in ({}, {"Authorization": "Bot x"}, {"Authorization": playground.token}):
        status, _, _ = await ask(playground, "GET", path, headers=headers)
        assert status == 401


# -------------------------------------------------------------------- what it shows


async def story(
    client: PlaygroundClient, member: str, command: str, **options: str | int
) -> list[Step]:
    """Run a command and return its steps up to the answer that is not loading, or the failure."""
    steps = []
    async with (
        asyncio.timeout(STARTUP_SECONDS),
        client.follow_command(member, command, options) as follow,
    ):
        async for step in follow:
            steps.append(step)
            if step.kind == "failed" or (step.message is not None and not step.message.loading):
                break
    return steps


async def test_a_plan_can_be_followed_to_its_file(
    client: PlaygroundClient, echo: BotProcess
) -> None:
    """A program sees all steps of a command: thinking, answer, thread, edits, file."""
    kinds: list[str] = []
    last: MessageView | None = None
    async with (
        asyncio.timeout(STARTUP_SECONDS),
        client.follow_command("Asha", "plan", {"goal": "a day in Kyoto", "days": 2}) as steps,
    ):
        async for step in steps:
            kinds.append(step.kind)
            if step.kind == "answer" and step.new:
                assert step.message is not None
                assert step.message.loading
            if step.message is not None:
                last = step.message
                if last.attachments:
                    break
    assert kinds[0] == "answer"
    assert kinds.index("thread") < kinds.index("message")
    assert last is not None
    assert (await client.download(last.attachments[0])).startswith(b"# A plan")
    assert not last.pings.everyone
    thread = await client.messages(last.channel_id)
    assert thread[0].content == "Working: 6"
    assert thread[0].edited_timestamp is not None
    assert thread[0].embeds[0].fields[0].value == "2"


async def test_filling_a_deferred_answer_is_no_edit(
    client: PlaygroundClient, echo: BotProcess
) -> None:
    """The text that replaces "is thinking" carries no edited mark, as in Discord."""
    steps = await story(client, "Asha", "plan", goal="a day in Kyoto")
    answer = steps[-1].message
    assert answer is not None
    assert answer.content == "Planning **a day in Kyoto**"
    assert answer.edited_timestamp is None


async def test_ephemeral_answers_name_their_reader(
    client: PlaygroundClient, echo: BotProcess
) -> None:
    """An ephemeral answer is marked with the person who can see it."""
    steps = await story(client, "Bilal", "status")
    answer = steps[-1].message
    assert answer is not None
    bilal = next(p.id for p in (await client.state()).people if p.name == "Bilal")
    assert (answer.content, answer.only_for) == ("All is well.", bilal)


async def test_a_command_without_answer_fails(
    client: PlaygroundClient, echo: BotProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If the bot does not answer in time, the interaction fails."""
    monkeypatch.setattr("bot.playground.interacting.ANSWER_SECONDS", 0.2)
    assert [step.kind for step in await story(client, "Asha", "fail")] == ["failed"]


async def test_subcommands_choices_and_members(client: PlaygroundClient, echo: BotProcess) -> None:
    """A subcommand takes a choice and a member, and refuses what is neither."""
    citra = next(p.id for p in (await client.state()).people if p.name == "Citra")
    answer = (await story(client, "Asha", "ask pick", color="green", who=citra))[-1].message
    assert answer is not None
    assert answer.content == "green for Citra"
    for options in ({"color": "blue"}, {"color": "red", "who": "77"}, {"who": citra}, {"x": "y"}):
        with pytest.raises(PlaygroundError):
            await client.run_command("Asha", "ask pick", options)


async def test_options_are_checked_as_discord_checks_them(
    client: PlaygroundClient, echo: BotProcess
) -> None:
    """Wrong lengths, ranges and types are refused with a sentence that names the option."""
    wrong: list[dict[str, Any]] = [
        {},
        {"goal": "ab"},
        {"goal": "x" * 201},
        {"goal": "fine", "days": 31},
        {"goal": "fine", "days": "soon"},
        {"goal": "fine", "days": 1.5},
        {"goal": "fine", "quick": "perhaps"},
        {"goal": 5},
    ]
    for options in wrong:
        with pytest.raises(PlaygroundError, match=r"goal|days|quick"):
            await client.run_command("Asha", "plan", options)


async def test_buttons_can_be_pressed(client: PlaygroundClient, echo: BotProcess) -> None:
    """Pressing a button reaches the bot, which changes the message; then the button is gone."""
    message = (await story(client, "Asha", "buttons"))[-1].message
    assert message is not None
    async with asyncio.timeout(STARTUP_SECONDS), client.events() as (_, events):
        await client.press("Bilal", message, "approve")
        async for event in events:
            if event.message is not None and event.message.content == "Bilal approved.":
                assert event.message.buttons == []
                break
    with pytest.raises(PlaygroundError, match="no longer has this button"):
        await client.press("Bilal", message, "approve")


async def test_reactions_toggle_and_reach_the_bot(
    client: PlaygroundClient, echo: BotProcess
) -> None:
    """Two people's reactions count; clicking again takes one back."""
    message = await client.send_message("Asha", "vote")
    await client.react("Asha", message, "👍")
    await client.react("Bilal", message, "👍")
    assert await echo.expect("reaction")
    after = await client.react("Asha", message, "👍")
    bilal = next(p.id for p in (await client.state()).people if p.name == "Bilal")
    assert [(r.emoji, r.user_ids) for r in after.reactions] == [("👍", [bilal])]
    same = await client.react("Bilal", message, "👍", reacted=True)
    assert same.reactions == after.reactions


async def test_unknown_people_and_commands_are_named(client: PlaygroundClient) -> None:
    """A program's mistakes get errors that list the valid choices."""
    with pytest.raises(PlaygroundError, match="Asha, Bilal, Citra"):
        await client.send_message("Nobody", "x")
    with pytest.raises(PlaygroundError, match="no command /plan"):
        await client.run_command("Asha", "plan", {})


async def test_a_missing_playground_is_said_so() -> None:
    """If nothing listens at the address, the client raises a human-readable error."""
    async with PlaygroundClient("http://127.0.0.1:9/") as client:
        with pytest.raises(PlaygroundError, match="is not responding"):
            await client.state()


async def test_slow_readers_start_again(playground: Playground) -> None:
    """A reader with too many queued events is cut off, and other readers are not."""
    _, slow = playground.feed.subscribe()
    _, quick = playground.feed.subscribe()
    for _ in range(BACKLOG_EVENTS + 10):
        playground.feed.commands_changed()
        quick.events.get_nowait()
    assert slow.cut_off
    assert slow.events.qsize() == BACKLOG_EVENTS + 1
    assert not quick.cut_off


async def test_older_messages_come_in_pages(
    playground: Playground, client: PlaygroundClient
) -> None:
    """A snapshot holds a channel's newest messages; older ones can be requested."""
    asha = playground.guild.people["Asha"]
    for number in range(130):
        playground.members.send(asha, playground.channel_id, f"{number}")
    state = await client.state()
    assert [m.content for m in state.messages] == [str(n) for n in range(30, 130)]
    older = await client.messages(state.channel_id, before=state.messages[0].id)
    assert [m.content for m in older] == [str(n) for n in range(30)]


async def test_attachments_cannot_run_as_pages(
    playground: Playground, client: PlaygroundClient, echo: BotProcess
) -> None:
    """A file is a sandboxed download, whatever its name says."""
    steps = await story(client, "Asha", "plan", goal="a file, please")
    assert steps
    state = await client.wait_for(
        lambda state: any(m.attachments for m in state.messages), seconds=STARTUP_SECONDS
    )
    url = next(m.attachments[0].url for m in state.messages if m.attachments)
    status, text, headers = await ask(playground, "GET", url)
    assert status == 200
    assert text.startswith("# A plan")
    assert headers["Content-Disposition"] == "attachment"
    assert "sandbox" in headers["Content-Security-Policy"]
    assert headers["X-Content-Type-Options"] == "nosniff"
