"""A client of the playground for Python programs: act as a member and follow what happens.

It uses the same HTTP and WebSocket interface as the page (`control`) and needs only aiohttp.

```python
async with PlaygroundClient(url) as client:
    await client.wait_for_bot(command="plan", seconds=30)
    async with client.follow_command("Asha", "plan", {"goal": "a day in Kyoto"}) as steps:
        async for step in steps:
            ...
```

Errors: `PlaygroundError` if the playground refuses or cannot be reached, `TimeoutError` if
something awaited does not happen in time.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Literal, Self

import aiohttp

from bot.playground.views import (
    AttachmentView,
    ChannelView,
    Event,
    InteractionView,
    MessageView,
    Snapshot,
)

REQUEST_SECONDS = 15.0
"""How long a request to the playground may take; the playground is on this machine."""

OptionValue = str | bool | int | float


class PlaygroundError(Exception):
    """The playground refused or cannot be reached; the message is human-readable."""


@dataclass(frozen=True)
class Step:
    """One event that belongs to a command.

    Attributes:
        kind: `answer`: the bot's answer in the channel, new or changed. `thread`: the thread
            opened under it, new or changed. `message`: a message in that thread, new or changed.
            `deleted`: one of these messages was deleted. `failed`: the bot did not answer in time.
            `offline`: the bot disconnected. `online`: it came back.
        new: whether the message or thread appears for the first time.
        message: the message, for `answer`, `message` and `deleted` (its last known state).
        thread: the thread, for `thread`.
    """

    kind: Literal["answer", "thread", "message", "deleted", "failed", "offline", "online"]
    new: bool = False
    message: MessageView | None = None
    thread: ChannelView | None = None


class PlaygroundClient:
    """A program's access to the playground. An async context manager.

    Args:
        url: the playground's address, as `Playground.url`.
    """

    def __init__(self, url: str) -> None:
        self._base = url.rstrip("/")
        self._session: aiohttp.ClientSession | None = None

    async def __aenter__(self) -> Self:
        """Open the HTTP session; the first call contacts the playground."""
        timeout = aiohttp.ClientTimeout(total=REQUEST_SECONDS)
        self._session = aiohttp.ClientSession(timeout=timeout)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the HTTP session."""
        if self._session is not None:
            await self._session.close()

    # ------------------------------------------------------------------ queries

    async def state(self) -> Snapshot:
        """Return the current state of everything."""
        return Snapshot.model_validate(await self._call("GET", "/play/state"))

    async def messages(
        self, channel_id: str, *, before: str | None = None, limit: int = 100
    ) -> list[MessageView]:
        """Return a channel's newest messages (before one of them), oldest first."""
        query = f"?limit={limit}" + (f"&before={before}" if before is not None else "")
        found = await self._call("GET", f"/play/channels/{channel_id}/messages{query}")
        return [MessageView.model_validate(item) for item in found]

    async def interaction(self, interaction_id: str) -> InteractionView:
        """Return the state of an interaction."""
        return InteractionView.model_validate(
            await self._call("GET", f"/play/interactions/{interaction_id}")
        )

    async def download(self, attachment: AttachmentView) -> bytes:
        """Return the bytes of a file."""
        try:
            async with self._http.get(self._base + attachment.url) as response:
                if response.status != 200:
                    raise PlaygroundError(f"The file {attachment.filename} no longer exists.")
                return await response.read()
        except aiohttp.ClientError as error:
            raise self._unreachable(error) from error

    @asynccontextmanager
    async def events(self) -> AsyncIterator[tuple[Snapshot, AsyncIterator[Event]]]:
        """Yield the current state and an iterator over all later events.

        The iterator ends when the playground stops.
        """
        try:
            socket = await self._http.ws_connect(
                self._base + "/play/events", max_msg_size=0, heartbeat=REQUEST_SECONDS
            )
        except aiohttp.ClientError as error:
            raise self._unreachable(error) from error
        async with socket:
            snapshot = Snapshot.model_validate_json(await socket.receive_str())
            yield snapshot, self._read(socket)

    @staticmethod
    async def _read(socket: aiohttp.ClientWebSocketResponse) -> AsyncIterator[Event]:
        async for frame in socket:
            if frame.type is aiohttp.WSMsgType.TEXT:
                yield Event.model_validate_json(frame.data)

    async def wait_for(self, condition: Callable[[Snapshot], bool], *, seconds: float) -> Snapshot:
        """Wait until the state meets a condition, which is checked after every event.

        Raises:
            TimeoutError: the condition was not met in time.
        """
        async with asyncio.timeout(seconds), self.events() as (snapshot, events):
            if condition(snapshot):
                return snapshot
            async for _ in events:
                if condition(state := await self.state()):
                    return state
        raise PlaygroundError("The playground stopped while the program waited for it.")

    async def wait_for_bot(self, *, command: str | None = None, seconds: float) -> Snapshot:
        """Wait until the bot is connected and, if `command` is given, has registered it.

        Raises:
            TimeoutError: this did not happen in time.
        """

        def ready(state: Snapshot) -> bool:
            known = {view.name for view in state.commands}
            return state.bot_online and (command is None or command in known)

        return await self.wait_for(ready, seconds=seconds)

    # ------------------------------------------------------------------ actions

    async def send_message(
        self,
        member: str,
        content: str,
        *,
        channel_id: str | None = None,
        reply_to: str | None = None,
    ) -> MessageView:
        """Send a message as a member (a name or id), by default in the main channel."""
        body = await self._as(member, channel_id)
        body["content"] = content
        if reply_to is not None:
            body["reply_to"] = reply_to
        return MessageView.model_validate(await self._call("POST", "/play/messages", body))

    async def react(
        self, member: str, message: MessageView, emoji: str, *, reacted: bool | None = None
    ) -> MessageView:
        """Add or remove a reaction; if `reacted` is None, toggle it."""
        body = await self._at(member, message) | {"emoji": emoji}
        if reacted is not None:
            body["reacted"] = reacted
        return MessageView.model_validate(await self._call("POST", "/play/reactions", body))

    async def edit_message(self, member: str, message: MessageView, content: str) -> MessageView:
        """Edit one of the member's own messages."""
        body = await self._at(member, message) | {"content": content}
        return MessageView.model_validate(await self._call("POST", "/play/messages/edit", body))

    async def delete_message(self, member: str, message: MessageView) -> None:
        """Delete the member's own message or, with Manage Messages, any message."""
        await self._call("POST", "/play/messages/delete", await self._at(member, message))

    async def clear_reactions(self, member: str, message: MessageView) -> MessageView:
        """Remove everybody's reactions from a message; this needs Manage Messages."""
        body = await self._at(member, message)
        return MessageView.model_validate(await self._call("POST", "/play/reactions/clear", body))

    async def change_thread(
        self,
        member: str,
        thread_id: str,
        *,
        name: str | None = None,
        archived: bool | None = None,
        locked: bool | None = None,
    ) -> ChannelView:
        """Rename, archive, reopen, lock or unlock a thread; this needs Manage Threads."""
        body = await self._as(member, thread_id)
        changes = {"name": name, "archived": archived, "locked": locked}
        body |= {key: value for key, value in changes.items() if value is not None}
        return ChannelView.model_validate(await self._call("POST", "/play/threads", body))

    async def delete_thread(self, member: str, thread_id: str) -> None:
        """Delete a thread with all its messages; this needs Manage Threads."""
        await self._call("POST", "/play/threads/delete", await self._as(member, thread_id))

    async def open_direct(self, member: str) -> ChannelView:
        """Return a member's direct messages with the bot; send to them by the channel's id."""
        body = await self._as(member, None)
        del body["channel_id"]
        return ChannelView.model_validate(await self._call("POST", "/play/direct", body))

    async def choose(
        self, member: str, message: MessageView, custom_id: str, values: Sequence[str]
    ) -> InteractionView:
        """Choose values in a menu of a message: options, or ids of people or channels."""
        body = await self._at(member, message) | {"custom_id": custom_id, "values": list(values)}
        return InteractionView.model_validate(await self._call("POST", "/play/buttons", body))

    async def press(self, member: str, message: MessageView, custom_id: str) -> InteractionView:
        """Press a button of a message."""
        body = await self._at(member, message) | {"custom_id": custom_id}
        return InteractionView.model_validate(await self._call("POST", "/play/buttons", body))

    async def submit_modal(
        self, member: str, interaction: InteractionView, values: Mapping[str, str]
    ) -> InteractionView:
        """Submit the modal that an interaction opened; `values` maps field ids to text."""
        body = await self._as(member, None)
        del body["channel_id"]
        body |= {"interaction_id": interaction.id, "values": dict(values)}
        return InteractionView.model_validate(await self._call("POST", "/play/modals", body))

    async def inject_fault(self, fault: str) -> None:
        """Cause one of the faults in `faults.FAULTS`."""
        await self._call("POST", "/play/faults", {"fault": fault})

    async def run_command(
        self,
        member: str,
        command: str,
        options: Mapping[str, OptionValue] | None = None,
        *,
        channel_id: str | None = None,
    ) -> InteractionView:
        """Run a slash command as a member, by default in the main channel."""
        body = await self._as(member, channel_id)
        body |= {"command": command, "options": dict(options or {})}
        return InteractionView.model_validate(await self._call("POST", "/play/commands", body))

    @asynccontextmanager
    async def follow_command(
        self,
        member: str,
        command: str,
        options: Mapping[str, OptionValue] | None = None,
        *,
        channel_id: str | None = None,
    ) -> AsyncIterator[AsyncIterator[Step]]:
        """Run a slash command and yield an iterator over the steps that follow from it.

        The iterator ends by itself only if the bot fails to answer or the playground stops.
        """
        async with self.events() as (_, events):
            interaction = await self.run_command(member, command, options, channel_id=channel_id)
            yield _story(interaction, events)

    # ------------------------------------------------------------------ inside

    @property
    def _http(self) -> aiohttp.ClientSession:
        if self._session is None:
            raise RuntimeError("use PlaygroundClient in an async with block")
        return self._session

    async def _as(self, member: str, channel_id: str | None) -> dict[str, Any]:
        state = await self.state()
        found = [p for p in state.people if not p.bot and member in (p.name, p.id)]
        if not found:
            known = ", ".join(p.name for p in state.people if not p.bot)
            raise PlaygroundError(f"{member} is not in the playground. These people are: {known}.")
        return {"member_id": found[0].id, "channel_id": channel_id or state.channel_id}

    async def _at(self, member: str, message: MessageView) -> dict[str, Any]:
        return await self._as(member, message.channel_id) | {"message_id": message.id}

    async def _call(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        try:
            async with self._http.request(method, self._base + path, json=body) as response:
                answer = await response.json()
                if response.status != 200:
                    raise PlaygroundError(str(answer.get("error", response.reason)))
                return answer
        except (aiohttp.ClientError, ValueError) as error:
            raise self._unreachable(error) from error

    def _unreachable(self, error: Exception) -> PlaygroundError:
        return PlaygroundError(f"The playground at {self._base} is not responding: {error}")


async def _story(interaction: InteractionView, events: AsyncIterator[Event]) -> AsyncIterator[Step]:
    """Yield the steps of one command from the stream of all events."""
    seen: dict[str, MessageView] = {}
    threads: set[str] = set()
    async for event in events:
        if event.type == "bot":
            yield Step("online" if event.online else "offline")
        elif event.type == "interaction" and event.interaction is not None:
            if event.interaction.id == interaction.id and event.interaction.state == "failed":
                yield Step("failed")
                return
        elif event.type == "message_deleted" and event.message_id in seen:
            yield Step("deleted", message=seen[event.message_id])
        elif event.type == "channel" and event.channel is not None:
            thread = event.channel
            if thread.id in seen or thread.id in threads or _linked(thread.id, seen):
                new = thread.id not in threads
                threads.add(thread.id)
                yield Step("thread", new=new, thread=thread)
        elif event.type == "message" and event.message is not None:
            message = event.message
            cause = message.caused_by
            if message.channel_id in threads:
                kind: Literal["answer", "message"] = "message"
            elif cause is not None and cause.interaction_id == interaction.id:
                kind = "answer"
            else:
                continue
            new = message.id not in seen
            seen[message.id] = message
            yield Step(kind, new=new, message=message)


def _linked(channel_id: str, seen: Mapping[str, MessageView]) -> bool:
    """Return whether an answer mentions a channel, which links to a thread opened elsewhere."""
    return any(f"<#{channel_id}>" in message.content for message in seen.values())
