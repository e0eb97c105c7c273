"""Direct messages, when the owner opened them: ask, vote, read, all in one place."""

from __future__ import annotations

from typing import Any

import pytest

from tests.bot.conftest import Stage

pytestmark = pytest.mark.asyncio


class Direct:
    """A person's direct messages with the bot."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.user: Any = stage.env.create_user("dewi")

    @property
    def messages(self) -> list[Any]:
        """All of them, oldest first."""
        return list(self.user.dm_channel.history())

    def message(self, start: str) -> Any:
        """Return the one that starts so."""
        (found,) = [m for m in self.messages if m.content.startswith(start)]
        return found

    async def react(self, message: Any, emoji: str, *, added: bool = True) -> None:
        """Click a reaction, or click it away."""
        backend = self.stage.env.backend
        change = backend.add_reaction if added else backend.remove_reaction
        change(message.channel.id, message.id, emoji, self.user.id)
        await self.stage.look()


async def test_a_plan_in_direct_messages_from_asking_to_reading(direct_stage: Stage) -> None:
    """Everything is in the conversation: tree, splits with both ways to vote, and the plan."""
    stage, direct = direct_stage, Direct(direct_stage)
    await direct.user.send_dm("a week in Leh")
    await stage.look()
    (plan,) = stage.peer.store.plans()
    assert plan.root.title == "a week in Leh"
    assert direct.message("### 🗺️ a week in Leh")
    split = stage.peer.propose(plan.id, ["a", "b"])
    await stage.look()
    shown = direct.message("### 🗳️")
    assert [str(reaction.emoji) for reaction in shown.reactions] == ["👍", "👎"]
    said = await direct.user.click(shown, custom_id="leaderless:approve")
    assert "Your vote is counted: 👍" in said.response.content
    await direct.react(shown, "👎")
    assert stage.peer.votes == [(split, "approve"), (split, "reject")]
    await direct.react(shown, "👎", added=False)
    assert stage.peer.votes[-1] == (split, "approve")
    stage.peer.accept(split)
    stage.peer.finish_all(plan.id, "Go slowly.")
    await stage.look(10)
    last = direct.messages[-1]
    assert last.content == "Go slowly."
    assert [file.filename for file in last.attachments][:2] == ["plan.md", "plan.json"]
    assert stage.channel.threads == []


async def test_commands_work_in_direct_messages_too(direct_stage: Stage) -> None:
    """`/plan` asks, `/status` and `/cancel` mean the plan of the conversation."""
    stage, direct = direct_stage, Direct(direct_stage)
    await direct.user.slash("plan", goal="a day in Ubud")
    await stage.look()
    (plan,) = stage.peer.store.plans()
    status = await direct.user.slash("status")
    assert "a day in Ubud" in status.response.content
    settings = [name for name in direct.user.available_commands() if name == "settings"]
    assert settings == []
    await direct.user.slash("cancel")
    stage.peer.pass_time(1)
    assert stage.peer.plan(plan.id).state == "cancelled"


async def test_votes_in_direct_messages_survive_a_restart(direct_stage: Stage) -> None:
    """Cast and taken back while the bot was away: Discord's own state is counted again."""
    stage, direct = direct_stage, Direct(direct_stage)
    await direct.user.send_dm("a week in Leh")
    await stage.look()
    (plan,) = stage.peer.store.plans()
    split = stage.peer.propose(plan.id, ["a", "b"])
    await stage.look()
    await direct.react(direct.message("### 🗳️"), "👍")
    before = [message.id for message in direct.messages]
    await stage.restart()
    assert [message.id for message in direct.messages] == before
    assert stage.peer.votes == [(split, "approve")]
