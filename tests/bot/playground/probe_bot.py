"""A real discord.py client that tries what bots do, step by step, and reports each result.

Each step prints `ok NAME` or `failed NAME: why`; the last line is `done`. The test reads them.
"""

from __future__ import annotations

import asyncio
import io
import os
import sys
import traceback
from collections.abc import Awaitable, Callable

import discord
import yarl
from discord import app_commands

THUMBS = "\N{THUMBS UP SIGN}"


def say(text: str) -> None:
    """Print one line at once."""
    sys.stdout.write(text.replace("\n", " | ") + "\n")
    sys.stdout.flush()


def refused(error: discord.HTTPException, code: int) -> None:
    """Check the code of one of Discord's errors."""
    assert error.code == code, f"code {error.code}, not {code}"


class Probe(discord.Client):
    """Runs the steps once it is ready, then closes."""

    def __init__(self) -> None:
        intents = discord.Intents.default()
        intents.message_content = True
        intents.members = True
        super().__init__(
            intents=intents,
            allowed_mentions=discord.AllowedMentions.none(),
            guild_ready_timeout=0.1,
        )
        self.tree = app_commands.CommandTree(self)
        self.seen: asyncio.Queue[str] = asyncio.Queue()

    @property
    def plans(self) -> discord.TextChannel:
        """The server's text channel."""
        channel = self.guilds[0].text_channels[0]
        assert channel.name == "plans"
        return channel

    async def on_ready(self) -> None:
        """Run every step, or the probe that the environment names."""
        if os.environ.get("PROBE") == "threads":
            await self.threads_without_end()
            return
        steps: list[Callable[[], Awaitable[None]]] = [
            self.identity,
            self.commands,
            self.messages,
            self.history,
            self.reactions,
            self.threads,
            self.archived_threads,
            self.files,
            self.embeds,
            self.members,
            self.pins,
            self.direct_messages,
            self.errors,
            self.nonce,
            self.pings_nobody,
        ]
        for step in steps:
            name = step.__name__
            try:
                async with asyncio.timeout(10):
                    await step()
            except Exception as error:
                say(f"failed {name}: {error!r} {traceback.format_exc(limit=-2)}")
            else:
                say(f"ok {name}")
        say("done")
        await self.close()

    async def on_message(self, message: discord.Message) -> None:
        """Note a new message."""
        self.seen.put_nowait(f"message {message.content}")

    async def on_raw_message_edit(self, payload: discord.RawMessageUpdateEvent) -> None:
        """Note an edit."""
        self.seen.put_nowait(f"edit {payload.data.get('content')}")

    async def on_raw_message_delete(self, payload: discord.RawMessageDeleteEvent) -> None:
        """Note a deletion."""
        self.seen.put_nowait(f"delete {payload.message_id}")

    async def on_raw_reaction_add(self, payload: discord.RawReactionActionEvent) -> None:
        """Note a reaction."""
        self.seen.put_nowait(f"reaction {payload.emoji}")

    async def on_thread_create(self, thread: discord.Thread) -> None:
        """Note a new thread."""
        self.seen.put_nowait(f"thread {thread.name}")

    async def heard(self, text: str) -> None:
        """Wait until this was noted."""
        while await self.seen.get() != text:
            pass

    async def threads_without_end(self) -> None:
        """Open threads until discord.py waits for Discord's rate limit."""
        try:
            for number in range(1000):
                async with asyncio.timeout(5):
                    await self.plans.create_thread(
                        name=f"thread {number}", type=discord.ChannelType.public_thread
                    )
        except TimeoutError:
            say("waits")

    # ------------------------------------------------------------------ the steps

    async def identity(self) -> None:
        """The bot knows itself, its application and its server."""
        assert self.user is not None
        info = await self.application_info()
        assert info.id == self.application_id
        guild = await self.fetch_guild(self.guilds[0].id)
        assert guild.name == self.guilds[0].name
        user = await self.fetch_user(self.user.id)
        assert user == self.user
        assert self.plans.permissions_for(self.guilds[0].me).create_public_threads

    async def commands(self) -> None:
        """Commands can be synced and keep their ids when synced again."""

        @self.tree.command(description="Try")
        async def probe(interaction: discord.Interaction, text: str) -> None:
            await interaction.response.send_message(text)

        first = await self.tree.sync()
        again = await self.tree.sync()
        assert [c.id for c in first] == [c.id for c in again]
        assert [c.name for c in await self.tree.fetch_commands()] == ["probe"]

    async def messages(self) -> None:
        """Messages can be sent, fetched, edited, replied to and deleted, each with its event."""
        sent = await self.plans.send("one")
        await self.heard("message one")
        assert (await self.plans.fetch_message(sent.id)).content == "one"
        assert (await sent.edit(content="two")).content == "two"
        await self.heard("edit two")
        reply = await sent.reply("three")
        assert reply.reference is not None
        assert reply.reference.message_id == sent.id
        await sent.delete()
        await self.heard(f"delete {sent.id}")
        async with self.plans.typing():
            pass

    async def history(self) -> None:
        """History comes newest first, in pages, before and after a message."""
        sent = [await self.plans.send(f"line {number}") for number in range(5)]
        newest = [m async for m in self.plans.history(limit=3)]
        assert [m.id for m in newest] == [m.id for m in reversed(sent[2:])]
        after = [m async for m in self.plans.history(after=sent[1], oldest_first=True)]
        assert [m.id for m in after] == [m.id for m in sent[2:]]
        before = [m async for m in self.plans.history(before=sent[2], limit=2)]
        assert [m.id for m in before] == [sent[1].id, sent[0].id]
        await self.plans.delete_messages(sent[:2])

    async def reactions(self) -> None:
        """Reactions can be added, listed, and removed one by one or all at once."""
        message = await self.plans.send("react")
        await message.add_reaction(THUMBS)
        await self.heard(f"reaction {THUMBS}")
        await message.add_reaction("❌")
        fetched = await self.plans.fetch_message(message.id)
        assert [(str(r.emoji), r.count, r.me) for r in fetched.reactions] == [
            (THUMBS, 1, True),
            ("❌", 1, True),
        ]
        users = [user async for user in fetched.reactions[0].users()]
        assert users == [self.user]
        assert self.user is not None
        await message.remove_reaction(THUMBS, self.user)
        await message.clear_reactions()
        assert not (await self.plans.fetch_message(message.id)).reactions

    async def threads(self) -> None:
        """A thread from a message has its id, holds messages, and can be found and renamed."""
        message = await self.plans.send("the start")
        thread = await message.create_thread(name="a thread")
        await self.heard("thread a thread")
        assert thread.id == message.id
        assert thread.parent == self.plans
        await thread.send("inside")
        await self.heard("message inside")
        assert [m.content async for m in thread.history()] == ["inside"]
        assert [m.content async for m in self.plans.history(limit=1)] == ["the start"]
        found = await self.fetch_channel(message.id)
        assert isinstance(found, discord.Thread)
        assert found.name == "a thread"
        assert (await self.plans.fetch_message(message.id)).flags.has_thread
        await thread.edit(name="renamed")
        await thread.join()
        assert len(await thread.fetch_members()) == 1
        try:
            await message.create_thread(name="again")
        except discord.HTTPException as error:
            refused(error, 160004)
        else:
            raise AssertionError("a second thread from one message")
        try:
            await (await self.plans.send("x")).create_thread(name="n" * 101)
        except discord.HTTPException as error:
            refused(error, 50035)
        else:
            raise AssertionError("a name of 101 characters")

    async def archived_threads(self) -> None:
        """An archived thread refuses edits, reopens on a message, and stays closed if locked."""
        thread = await (await self.plans.send("old")).create_thread(name="old")
        message = await thread.send("live")
        await thread.edit(archived=True)
        assert [t.id async for t in self.plans.archived_threads()] == [thread.id]
        try:
            await message.edit(content="late")
        except discord.HTTPException as error:
            refused(error, 50083)
        else:
            raise AssertionError("an edit in an archived thread")
        await thread.send("wake")
        reopened = await self.fetch_channel(thread.id)
        assert isinstance(reopened, discord.Thread)
        assert not reopened.archived
        await thread.edit(archived=True, locked=True)
        try:
            await thread.send("knock")
        except discord.HTTPException as error:
            refused(error, 50083)
        else:
            raise AssertionError("a message in a locked thread")

    async def files(self) -> None:
        """Files with descriptions can be uploaded with their names and downloaded unchanged."""
        one = discord.File(io.BytesIO(b"# hi"), "plan ünï.md", description="the plan")
        two = discord.File(io.BytesIO(bytes(range(256)) * 40), "data.bin")
        message = await self.plans.send("files", files=[one, two])
        assert [a.filename for a in message.attachments] == ["plan ünï.md", "data.bin"]
        assert message.attachments[0].description == "the plan"
        assert await message.attachments[0].read() == b"# hi"
        assert await message.attachments[1].read() == bytes(range(256)) * 40
        edited = await message.edit(attachments=[message.attachments[1]])
        assert [a.filename for a in edited.attachments] == ["data.bin"]
        more = discord.File(io.BytesIO(b"{}"), "more.json")
        edited = await edited.add_files(more)
        assert [a.filename for a in edited.attachments] == ["data.bin", "more.json"]

    async def embeds(self) -> None:
        """An embed is returned as it was sent, with a picture from the same message."""
        embed = discord.Embed(title="T", description="D", color=0x112233)
        embed.add_field(name="N", value="V").set_image(url="attachment://tree.png")
        picture = discord.File(io.BytesIO(b"\x89PNG"), "tree.png")
        message = await self.plans.send(embed=embed, file=picture)
        assert message.embeds[0].title == "T"
        assert message.embeds[0].fields[0].value == "V"

    async def members(self) -> None:
        """Members can be chunked, queried by name, and fetched."""
        guild = self.guilds[0]
        await guild.chunk()
        names = {member.name for member in guild.members}
        assert {"Asha", "Bilal", "Citra"} <= names
        asked = await guild.query_members("Bil")
        assert [member.name for member in asked] == ["Bilal"]
        fetched = await guild.fetch_member(asked[0].id)
        assert fetched.name == "Bilal"
        assert len([m async for m in guild.fetch_members()]) == guild.member_count

    async def pins(self) -> None:
        """A message can be pinned and found among the pins."""
        message = await self.plans.send("pin me")
        await message.pin()
        assert message.id in [m.id async for m in self.plans.pins()]
        await message.unpin()

    async def direct_messages(self) -> None:
        """A person can get direct messages."""
        (bilal,) = await self.guilds[0].query_members("Bilal")
        assert (await bilal.send("psst")).content == "psst"

    async def errors(self) -> None:
        """Refusals carry Discord's codes."""
        try:
            await self.plans.fetch_message(1)
        except discord.NotFound as error:
            refused(error, 10008)
        else:
            raise AssertionError("a message that is not there")
        try:
            await self.plans.send("x" * 2001)
        except discord.HTTPException as error:
            refused(error, 50035)
        else:
            raise AssertionError("a message of 2001 characters")
        try:
            await self.fetch_channel(1)
        except discord.NotFound as error:
            refused(error, 10003)
        else:
            raise AssertionError("a channel that is not there")

    async def nonce(self) -> None:
        """Two sends with the same enforced nonce make one message."""
        from discord.http import Route

        route = Route("POST", "/channels/{channel_id}/messages", channel_id=self.plans.id)
        body = {"content": "once", "nonce": "abc", "enforce_nonce": True}
        first = await self.http.request(route, json=body)
        second = await self.http.request(route, json=body)
        assert first["id"] == second["id"]
        assert first["nonce"] == "abc"

    async def pings_nobody(self) -> None:
        """With no allowed mentions, @everyone is only text."""
        message = await self.plans.send("@everyone hello")
        assert not message.mention_everyone


async def main() -> int:
    """Run the probe against the server that the environment names."""
    discord.http.Route.BASE = os.environ["LEADERLESS_DISCORD_API"]
    discord.gateway.DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(
        os.environ["LEADERLESS_DISCORD_GATEWAY"]
    )
    async with Probe() as probe:
        try:
            await probe.start(os.environ["LEADERLESS_DISCORD_TOKEN"])
        except discord.LoginFailure:
            say("login failed")
        except discord.PrivilegedIntentsRequired:
            say("intents refused")
    return 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
