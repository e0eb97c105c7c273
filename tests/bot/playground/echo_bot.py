"""A small real discord.py bot for the playground's tests, run in its own process.

It stands in for any bot: unpatched discord.py, pointed at the playground by the same environment
variables as the project's own bot.
"""

from __future__ import annotations

import asyncio
import io
import logging
import os
import sys
from typing import Any

import discord
import yarl
from discord import app_commands

THUMBS = "\N{THUMBS UP SIGN}"
TICKS = 6
TICK_SECONDS = float(os.environ.get("ECHO_TICK_SECONDS", "0.25"))

PLAN = """# A plan
## Day 1
**Arrive** and *rest*; see `notes`.
- bread
  - rye
- water
1. first
2. second
> a quote
```python
print("never <b>HTML</b>")
```
||a secret|| ~~struck~~ __under__ [a link](https://example.org/x) <t:1900000000:R>
<script>alert(1)</script> <img src=x onerror=alert(1)> @everyone
"""


def say(line: str) -> None:
    """Print a line for the parent process."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def failure(error: BaseException | None) -> str:
    """Return an error's name, with Discord's code if it has one."""
    return f"failed {type(error).__name__} {getattr(error, 'code', '')}".strip()


class EchoBot(discord.Client):
    """Answers `/plan`, `/status`, `/fail`, `/ask pick`, buttons, reactions and mentions."""

    def __init__(self) -> None:
        intents = discord.Intents.default()
        intents.message_content = True
        super().__init__(
            intents=intents,
            allowed_mentions=discord.AllowedMentions.none(),
            guild_ready_timeout=0,
        )
        self.tree = app_commands.CommandTree(self)
        self.commands()

    def commands(self) -> None:
        """Declare the commands."""

        @self.tree.error
        async def failed(
            interaction: discord.Interaction, error: app_commands.AppCommandError
        ) -> None:
            say(failure(getattr(error, "original", error)))

        @self.tree.command(description="Plan something, step by step")
        @app_commands.describe(goal="What to plan", days="How many days", quick="Do it quickly")
        async def plan(
            interaction: discord.Interaction,
            goal: app_commands.Range[str, 3, 200],
            days: app_commands.Range[int, 1, 30] = 3,
            quick: bool = False,
        ) -> None:
            await interaction.response.defer(thinking=True)
            await asyncio.sleep(TICK_SECONDS)
            message = await interaction.followup.send(f"Planning **{goal}**", wait=True)
            channel = interaction.channel
            assert isinstance(channel, discord.TextChannel)
            starter = channel.get_partial_message(message.id)
            thread = await starter.create_thread(name=goal[:100])
            embed = discord.Embed(title="Progress", description="0 %", color=0x2F9E6E)
            embed.add_field(name="Days", value=str(days), inline=True)
            embed.add_field(name="Quick", value=str(quick), inline=True)
            live = await thread.send("Working: 0", embed=embed)
            split = await thread.send("Split **A**: by place\n- Kyoto\n- Nara")
            await split.add_reaction(THUMBS)
            for tick in range(1, TICKS + 1):
                await asyncio.sleep(TICK_SECONDS)
                embed.description = f"{tick * 100 // TICKS} %"
                await live.edit(content=f"Working: {tick}", embed=embed)
            file = discord.File(io.BytesIO(PLAN.encode()), "plan.md", description="the plan")
            await thread.send(PLAN, file=file)

        @self.tree.command(description="Show the status, visible only to you")
        async def status(interaction: discord.Interaction) -> None:
            await interaction.response.send_message("All is well.", ephemeral=True)

        @self.tree.command(description="Never answer")
        async def fail(interaction: discord.Interaction) -> None:
            return

        @self.tree.command(description="Offer buttons")
        async def buttons(interaction: discord.Interaction) -> None:
            view = discord.ui.View(timeout=None)
            view.add_item(
                discord.ui.Button(
                    label="Approve", custom_id="approve", style=discord.ButtonStyle.success
                )
            )
            await interaction.response.send_message("Press one.", view=view)

        @self.tree.command(description="Offer menus")
        async def menus(interaction: discord.Interaction) -> None:
            view = discord.ui.View(timeout=None)
            days = [discord.SelectOption(label=f"Day {n}", value=str(n)) for n in range(1, 4)]
            days[0].description = "the first"
            view.add_item(
                discord.ui.Select(
                    custom_id="days", placeholder="Which days?", max_values=2, options=days
                )
            )
            view.add_item(discord.ui.UserSelect(custom_id="who", placeholder="Who?"))
            await interaction.response.send_message("Choose.", view=view)

        group = app_commands.Group(name="ask", description="Questions")

        @group.command(description="Pick one")
        @app_commands.choices(
            color=[
                app_commands.Choice(name="Red", value="red"),
                app_commands.Choice(name="Green", value="green"),
            ]
        )
        async def pick(
            interaction: discord.Interaction,
            color: app_commands.Choice[str],
            who: discord.Member | None = None,
        ) -> None:
            name = who.display_name if who is not None else "nobody"
            await interaction.response.send_message(f"{color.value} for {name}")

        self.tree.add_command(group)

    async def setup_hook(self) -> None:
        """Register the commands once."""
        await self.tree.sync()

    async def on_ready(self) -> None:
        """Report it to the parent process."""
        say("ready")

    async def on_resumed(self) -> None:
        """Report it to the parent process."""
        say("resumed")

    async def on_error(self, event_method: str, /, *_: Any, **__: Any) -> None:
        """Report the error to the parent process."""
        say(failure(sys.exc_info()[1]))

    async def on_interaction(self, interaction: discord.Interaction) -> None:
        """Answer a button or a menu."""
        data: dict[str, Any] = dict(interaction.data or {})
        chosen = data.get("values")
        if interaction.type is discord.InteractionType.component and chosen:
            await interaction.response.send_message(
                f"{interaction.user.display_name} chose {', '.join(chosen)}", ephemeral=True
            )
        elif interaction.type is discord.InteractionType.component:
            await interaction.response.edit_message(
                content=f"{interaction.user.display_name} approved.", view=None
            )

    async def on_message(self, message: discord.Message) -> None:
        """Echo mentions, replies and direct messages."""
        assert self.user is not None
        direct = message.guild is None
        if not message.author.bot and (direct or self.user in message.mentions):
            await message.reply(f"You said: {message.clean_content} @everyone")

    async def on_raw_reaction_add(self, payload: discord.RawReactionActionEvent) -> None:
        """Report people's reactions to the parent process."""
        assert self.user is not None
        if payload.user_id != self.user.id:
            say(f"reaction {payload.emoji} {payload.user_id}")


async def main() -> int:
    """Log in at the server that the environment names."""
    discord.http.Route.BASE = os.environ["LEADERLESS_DISCORD_API"]
    discord.gateway.DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(
        os.environ["LEADERLESS_DISCORD_GATEWAY"]
    )
    logging.basicConfig(level=logging.INFO, stream=sys.stderr)
    async with EchoBot() as bot:
        try:
            await bot.start(os.environ["LEADERLESS_DISCORD_TOKEN"])
        except discord.LoginFailure:
            say("login failed")
            return 3
        except discord.PrivilegedIntentsRequired:
            say("intents refused")
        except discord.ConnectionClosed as error:
            say(f"closed {error.code}")
        except Exception as error:
            # The tests check which error stopped the client.
            say(f"crashed {type(error).__name__}")
    return 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
