"""Every text the bot says, in one place, so that other languages can be added.

What is put into the placeholders comes from `bot.rendering` already: nothing here is escaped.
Texts are Discord's Markdown.
"""

from __future__ import annotations

from enum import Enum, unique
from typing import Literal


@unique
class Text(Enum):
    """The bot's texts in English; a translation is a mapping from these to others."""

    # States of a goal or of a part: always a sign and a word.
    OPEN = "⏳ waiting"
    PROPOSALS = "💭 waiting for proposals"
    FREE = "⏳ waiting for an executor"
    VOTING = "🗳️ vote open"
    EXECUTING = "🔨 in the works"
    ASSEMBLING = "🧩 being put together"
    DONE = "✅ done"
    PARTIAL = "🟡 partly done"
    FAILED = "❌ failed"
    CANCELLED = "🚫 cancelled"

    # The message in the channel, from which the thread hangs.
    START = "🗺️ **{goal}**\nFollow it, vote and read the plan in the thread below."
    START_ENDED = "🗺️ **{goal}**\n{state} · the plan is in the thread below."
    START_ENDED_EMPTY = "🗺️ **{goal}**\n{state}: {reason}."
    THREAD_NAME = "🗺️ {goal}"

    # The live message.
    LIVE_TITLE = "### 🗺️ {goal}"
    LIVE_BAR = "{bar} {done} of {total} parts settled"
    LIVE_STATE = "**{state}**: {reason}"
    LIVE_WORK = "**{state}**"
    LIVE_ENDED = "**{state}** after {took}"
    LIVE_ENDED_REASON = "**{state}** after {took}: {reason}"
    LIVE_TIMES = "-# asked {asked} · ends {deadline} at the latest · {peers}"
    LIVE_PEERS_ONE = "1 other peer here"
    LIVE_PEERS = "{count} other peers here"
    LIVE_HIDDEN = "-# … and {count} more parts, see plan.md at the end"
    PART_BY = "{state} by {who}"
    PART_PERCENT = "{state}, {percent} %, by {who}"
    PART_TRY = "try {attempt}"

    # A split and its vote.
    SPLIT_TITLE = "### 🗳️ Split {lens}"
    SPLIT_TITLE_OF = "### 🗳️ Split of “{title}” {lens}"
    SPLIT_LENS = "by {lens}"
    SPLIT_TASK = "Do it in one go, without splitting it"
    SPLIT_WHO = "-# proposed by {who}{rationale}"
    SPLIT_REFINED = "-# an improved version of an earlier split"
    SPLIT_MORE = "-# … and {count} more parts"
    SPLIT_RATED = "⭐ {score} from {scorers} · approvals: {approvals}, needed: {quorum}"
    SPLIT_UNRATED = "⭐ not rated yet · approvals: {approvals}, needed: {quorum}"
    SPLIT_SCORERS_ONE = "1 scorer"
    SPLIT_SCORERS = "{count} scorers"
    SPLIT_PEOPLE = "people: 👍 {up} 👎 {down}"
    SPLIT_VOTE = "-# Vote with 👍 or 👎; take the reaction back to withdraw."
    SPLIT_VOTE_ADVISORY = "-# Vote with 👍 or 👎: people's votes are shown, scorers decide."
    SPLIT_WINDOW = "-# Time to vote: it is decided {when} at the earliest."
    SPLIT_WON = "✅ **Accepted**: {reason}."
    SPLIT_LOST = "▫️ **Not chosen**: {reason}."

    # What is missing.
    HELP_TITLE = "⚠️ **The plan waits for help.**"
    HELP_ROLE = "- No **{role}** is here that can work. Start one: `swarm peer {role}{swarm}`"
    HELP_TROUBLE = "- {who} cannot work: {trouble}"
    HELP_NOTICE = "- {who} says: {text}"
    HELP_GOES_ON = "It goes on by itself as soon as that changes."
    HELP_OVER = "✅ Everyone the plan needs is here; it goes on."
    HELP_NOTICES = "📣 **What peers say**"

    # The end.
    END_DONE = "✅ **The plan is ready.**"
    END_PARTIAL = "🟡 **The plan is ready as far as it went**: {reason}."
    END_FAILED = "❌ **There is no plan**: {reason}."
    END_CANCELLED = "🚫 **The plan was cancelled**: {reason}. What was done is kept below."
    END_CANCELLED_EMPTY = "🚫 **The plan was cancelled**: {reason}."
    END_DRAFT = "*A small model wrote this draft: check it before you rely on it.*"
    END_MORE = "-# The rest is in the attached plan.md."
    LOST = "The swarm has forgotten this plan: nobody who remembers it could be found."

    # Answers to commands.
    NOT_HERE = "This works in a server's channels only."
    ASK_IN_CHANNEL = "Ask in a channel: a plan gets a thread of its own, and threads have none."
    SWARM_DOWN = (
        "The bot's link to the swarm is down: {reason}. It is started again by itself; "
        "please ask once more in a minute."
    )
    SWARM_STARTING = "The bot is still joining the swarm. Please ask again in a few seconds."
    MISSING_PERMISSIONS = (
        "I cannot do that here. I lack: {permissions}. Someone who manages this server can allow "
        "it in the channel's settings, under Permissions."
    )
    GOAL_REFUSED = "That cannot be planned: {reason}"
    NO_PLAN_HERE = "There is no plan here. Run this in a plan's thread, or name the plan."
    UNKNOWN_PLAN = "I know no plan “{plan}” here. `/status` lists them."
    STATUS_NONE = "Nobody asked for a plan here yet. Start with `/plan`."
    STATUS_TITLE = "**Plans here, the newest first**"
    STATUS_LINE = "- {state} · {goal} · {where} · `{id}`"
    STATUS_UNKNOWN = "❔ not known to the swarm"
    STATUS_NO_THREAD = "no thread yet"
    WRITER_TROUBLE = "⚠️ I cannot write in its thread at the moment. {reason}"
    CANCELLED_NOW = "The plan is cancelled. What was done so far is kept in its thread."
    CANCEL_OVER = "This plan has ended already: {state}."
    CANCEL_NOT_YOURS = (
        "Only who asked for the plan, or who may manage messages here, can cancel it."
    )
    CANCEL_REASON = "cancelled by whoever asked"
    CANCEL_REASON_MODERATOR = "cancelled by a moderator"
    PEERS_TITLE = "**Peers of the swarm “{swarm}”**"
    PEERS_NONE = "No other peer was heard. Start some: `swarm up` on a machine near the bot."
    PEERS_LINE = "- **{name}** · {role}{model}{load}{foreign}{trouble}"
    PEERS_ME = "- **{name}** · this bot"
    PEERS_MODEL = " · {model}"
    PEERS_LOAD = " · {load} at work"
    PEERS_TROUBLE = " · ⚠️ {trouble}"
    PEERS_FOREIGN = " · 🚷 not granted by the swarm's owner, counts for nothing"
    PEERS_DOWN = "⚠️ The bot's link to the swarm is down: {reason}"
    PEERS_RESTARTS = "-# The link to the swarm was restarted {count} times."
    WHY_NO_PART = "There is no part “{part}”. Parts are numbered as in the tree, such as 2 or 2.1."
    FAULT = (
        "Something went wrong in the bot, and it was written to its log. Please try again; "
        "if it stays, tell whoever runs the bot."
    )
    HELP = (
        "**I plan together with a swarm of language models in which nobody is in charge.**\n"
        "- `/plan` and a goal: I open a thread. Several models propose how to split the goal, "
        "others rate the proposals, and **you vote with 👍 and 👎**. The winner is worked on by "
        "whoever is free, and the plan ends up in the thread, as messages and as a file.\n"
        "- `/status`: the plans here, or in a thread how its plan stands.\n"
        "- `/why`: who proposed, voted and did what, for the whole plan or a part of it.\n"
        "- `/cancel`: stop a plan. What is done is kept.\n"
        "- `/peers`: who takes part right now.\n"
        "-# Votes leave this server only as keyed hashes. Models make mistakes: check what matters."
    )

    # Descriptions of commands and of their options.
    CMD_PLAN = "Ask the swarm for a plan"
    CMD_PLAN_GOAL = "What should be planned? A sentence is enough"
    CMD_STATUS = "How the plans here stand"
    CMD_CANCEL = "Stop a plan"
    CMD_WHICH = "The plan's id from /status; not needed in its thread"
    CMD_PEERS = "Who takes part in the swarm right now"
    CMD_WHY = "Who proposed, voted and did what"
    CMD_WHY_PART = "A part's number in the tree, such as 2 or 2.1"
    CMD_HELP = "What this bot does"


PERMISSIONS = {
    "view_channel": "View Channel",
    "send_messages": "Send Messages",
    "create_public_threads": "Create Public Threads",
    "send_messages_in_threads": "Send Messages in Threads",
    "add_reactions": "Add Reactions",
    "attach_files": "Attach Files",
    "read_message_history": "Read Message History",
}
"""The permissions the bot needs, as Discord's settings call them."""


def say(text: Text, /, **values: object) -> str:
    """Return a text with its placeholders filled.

    Raises:
        KeyError: a placeholder has no value.
    """
    return text.value.format(**values)


def moment(ms: int, style: Literal["R", "t", "f"] = "R") -> str:
    """Return a time that Discord shows in the reader's own zone; R counts down or up by itself."""
    return f"<t:{ms // 1000}:{style}>"


def duration(ms: int) -> str:
    """Return a length of time in words that are short."""
    seconds = max(0, round(ms / 1000))
    if seconds < 60:
        return f"{seconds} s"
    minutes, seconds = divmod(seconds, 60)
    if minutes < 60:
        return f"{minutes} min {seconds} s" if seconds else f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if minutes else f"{hours} h"
