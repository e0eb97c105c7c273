"""The bot's texts in English, which the translations map from. They use Discord's Markdown."""

from __future__ import annotations

from enum import Enum, unique


@unique
class Text(Enum):
    """The bot's texts in English; translations are mappings from these members."""

    SECONDS = "{seconds} s"
    MINUTES = "{minutes} min"
    HOURS = "{hours} h"

    # States of a goal or a part: always an emoji, a space and words.
    OPEN = "⏳ waiting"
    PROPOSALS = "💭 waiting for proposals"
    FREE = "⏳ waiting for an executor"
    VOTING = "🗳️ vote open"
    EXECUTING = "🔨 in progress"
    ASSEMBLING = "🧩 being assembled"
    DONE = "✅ done"
    PARTIAL = "🟡 partly done"
    FAILED = "❌ failed"
    CANCELLED = "🚫 cancelled"

    # Reasons for the state of a goal or a part.
    WAITS_PROPOSALS = "waiting for proposals"
    WAITS_QUORUM = "waiting for one split to get {quorum} approvals"
    WAITS_PARTS = "waiting for the parts it depends on"
    WAITS_EXECUTOR = "waiting for an executor"
    ENDED_DEADLINE = "the deadline passed"
    ENDED_ALL_FAILED = "all its parts failed"
    ENDED_WITHOUT = "{parts} could not be completed"
    ENDED_SILENT = "the executor working on it stopped responding"
    NO_REASON = "no reason given"
    BEING_DONE = "in progress"
    WAITS_REVIEW = "waiting for {quorum} reviews of its result that agree"
    WAITS_REVISION = "sent back by reviewers{said}; waiting for an executor"
    BEING_REVISED = "being revised{said}"
    BEST_VERSION = "best of {count} versions; reviewers rate it {score}"
    SENT_BACK = "sent back by its reviewers{said}"
    NOT_REVISED = "nobody revised it in time"
    BEING_ASSEMBLED = "its parts are being assembled"
    NOT_ASSEMBLED = "its parts could not be assembled: {reason}"
    PART_FAILED = "This part could not be done: {reason}"

    # The message in the channel that the thread is attached to.
    START = "🗺️ **{goal}**\nFollow along, vote and read the plan in the thread below."
    START_ENDED = "🗺️ **{goal}**\n{state} · the plan is in the thread below."
    START_ENDED_EMPTY = "🗺️ **{goal}**\n{state}: {reason}."
    THREAD_NAME = "🗺️ {goal}"

    # The live message.
    LIVE_TITLE = "### 🗺️ {goal}"
    LIVE_BAR = "{bar} {done} of {total} parts finished"
    LIVE_STATE = "**{state}**: {reason}"
    LIVE_WORK = "**{state}**"
    LIVE_ENDED = "**{state}** after {took}"
    LIVE_ENDED_REASON = "**{state}** after {took}: {reason}"
    LIVE_TIMES = "-# asked {asked} · ends {deadline} at the latest · {peers}"
    LIVE_TIMES_ENDED = "-# asked {asked} · ended {ended}"
    LIVE_PEERS_ONE = "1 other peer online"
    LIVE_PEERS = "{count} other peers online"
    LIVE_HIDDEN = "-# … and {count} more parts; plan.md lists them all at the end"
    LIVE_FOLDED = "({count} parts inside)"
    PART_BY = "{state} by {who}"
    PART_PERCENT = "{state}, {percent} %, by {who}"
    PART_TRY = "attempt {attempt}"

    # A split and its vote.
    SPLIT_TITLE = "### 🗳️ Split {lens}"
    SPLIT_TITLE_OF = "### 🗳️ Split of “{title}” {lens}"
    SPLIT_LENS = "by {lens}"
    SPLIT_TASK = "Do it in one go, without splitting it"
    SPLIT_WHO = "-# proposed by {who}{rationale}"
    SPLIT_DEMANDS = "-# what was asked for: {demands}"
    SPLIT_REFINED = "-# an improved version of an earlier split"
    SPLIT_ROUND = "-# new vote: another split was requested"
    SPLIT_MORE = "-# … and {count} more parts"
    SPLIT_RATED = "⭐ {score} from {scorers} · approvals: {approvals}, needed: {quorum}"
    SPLIT_UNRATED = "⭐ not rated yet · approvals: {approvals}, needed: {quorum}"
    SPLIT_SCORERS_ONE = "1 scorer"
    SPLIT_SCORERS = "{count} scorers"
    SPLIT_PEOPLE = "people: 👍 {up} 👎 {down}"
    SPLIT_VOTE = (
        "-# Vote with 👍 or 👎, by reaction or button. Vote the same again to take it back."
    )
    SPLIT_VOTE_ADVISORY = "-# Vote with 👍 or 👎: people's votes are shown, but the scorers decide."
    SPLIT_VOTE_OFF = "-# The scorers decide here; votes by people are switched off."
    SPLIT_VOTE_ROLES = "-# Only these roles can vote here: {roles}."
    SPLIT_WINDOW = "-# Voting is open: it closes {when} at the earliest."
    SPLIT_WON = "✅ **Accepted**: {reason}."
    SPLIT_LOST = "▫️ **Not chosen**: {reason}."
    SPLIT_SET_ASIDE = "🔁 **Set aside**: {reason}."
    WON_QUORUM = "first to get {quorum} approvals"
    WON_WINDOW = "most approvals when the vote closed"
    WON_BEST = "no split got {quorum} approvals in time; this one had the best rating ({score})"
    WON_TASK = "no split got {quorum} approvals in time, so this is done in one go"
    WON_FAILED = "no split got {quorum} approvals in time"
    LOST_OTHER = "another split was accepted (this one: {votes})"
    LOST_LOW = "rated {score}, below the required {least}"
    VOTES = "{scorers} from scorers, {people} from people"
    ASIDE = "another split was requested"
    ASIDE_REASON = "another split was requested: {reason}"

    # Results of parts.
    RESULT = "### {sign} {number} {title}"
    RESULT_MORE = "-# … shortened; the full text comes with the plan"

    # Problems and missing peers.
    HELP_TITLE = "⚠️ **The plan is waiting for help.**"
    HELP_ROLE = "- No working **{role}** is online. Start one: `swarm peer {role}{swarm}`"
    HELP_OFFER = (
        "- No **{role}** online offers **{what}**. Start one: `swarm peer {role}{flags}{swarm}`"
    )
    HELP_FEW = (
        "- Only {able} of the {quorum} **scorers** needed are online. "
        "Start another: `swarm peer scorer{swarm}`"
    )
    HELP_TROUBLE = "- {who} cannot work: {trouble}"
    HELP_NOTICE = "- {who} says: {text}"
    HELP_GOES_ON = "The plan continues by itself as soon as that changes."
    HELP_OVER = "✅ Every peer the plan needs is online. It continues."
    HELP_NOTICES = "📣 **Messages from peers**"
    LACK_NONE = "no {role} is online"
    LACK_UNABLE = "{who} cannot work: {trouble}"
    LACK_OFFER = "no executor online offers {what}"
    LACK_FEW = "only {able} of the {quorum} scorers needed are online"
    LACK_HOLDER = "its executor is not online; another one takes over when its lease ends"
    FALLEN = (
        "🧵 The thread of this plan is locked or deleted, so I will post only the most "
        "important updates here. Someone with Manage Threads can unlock it."
    )
    TROUBLE_HERE = (
        "⚠️ I cannot post in the thread of **{goal}**. {reason} I will continue there as soon "
        "as that is fixed."
    )
    TROUBLE_OVER = "✅ I can post in the thread of **{goal}** again and will continue there."
    TROUBLE_DIRECT = (
        "⚠️ I cannot post about your plan **{goal}** where you asked for it. {reason} I will "
        "continue there as soon as that is fixed."
    )
    WITHOUT_FILES = "⚠️ I could not attach the files. {reason} You can get them with `/export`."
    WITHOUT_REACTIONS = (
        "⚠️ I could not add 👍 and 👎 to the splits for you to click. {reason} The buttons work "
        "just as well."
    )

    # The final messages.
    END_DONE = "✅ **The plan is ready.**"
    END_PARTIAL = "🟡 **The plan is only partly ready**: {reason}."
    END_FAILED = "❌ **The plan failed**: {reason}."
    END_CANCELLED = "🚫 **The plan was cancelled**: {reason}. Finished work is kept below."
    END_CANCELLED_EMPTY = "🚫 **The plan was cancelled**: {reason}."
    END_DRAFT = "*A small model wrote this draft. Check it before you rely on it.*"
    END_MORE = "-# The rest is in the attached plan.md."
    DOCUMENT_HOW = "How this plan was made"
    LOST = "This plan is gone: no peer in the swarm remembers it."

    # Answers to commands.
    NO_DMS = (
        "Please ask me in a server: the person who runs this bot has not enabled direct messages."
    )
    ASK_IN_CHANNEL = (
        "Please ask in a channel: each plan gets its own thread, and Discord does not allow a "
        "thread inside a thread."
    )
    SWARM_DOWN = (
        "The bot has lost its connection to the swarm: {reason}. It is reconnecting; please "
        "ask again in a minute."
    )
    SWARM_STARTING = "The bot is still joining the swarm. Please ask again in a few seconds."
    MISSING_PERMISSIONS = (
        "I cannot do that here because I am missing these permissions: {permissions}. Someone "
        "who manages this server can allow them in the channel's settings, under Permissions."
    )
    TOO_SOON = "⏱️ Please wait a little between plans: you can ask again {when}."
    TOO_MANY_YOURS = (
        "⏱️ You have reached the limit of running plans per person ({count}). You can ask "
        "again when one of them ends, {when} at the latest."
    )
    TOO_MANY_HERE = (
        "⏱️ This server has reached its limit of running plans ({count}). You can ask again "
        "when one of them ends, {when} at the latest."
    )
    TOO_MANY_TODAY = (
        "⏱️ You have reached the limit of plans per person in a day ({count}). You can ask "
        "again {when}."
    )
    QUEUED = (
        "⏳ {why} Your plan is number {place} in the queue. It starts by itself in this "
        "channel, {when} at the latest. `/status` shows its place."
    )
    QUEUED_YOURS = "You have reached the limit of running plans per person ({count})."
    QUEUED_HERE = "This server has reached its limit of running plans ({count})."
    QUEUE_FULL_YOURS = (
        "⏱️ You have reached the limit of queued plans per person ({count}). You can ask again "
        "when one of them starts, {when} at the latest."
    )
    QUEUE_FULL_HERE = (
        "⏱️ The queue here is full ({count} waiting). You can ask again when one of these "
        "plans starts, {when} at the latest."
    )
    UNQUEUED = "Removed from the queue: “{goal}”."
    NOT_QUEUED = "This plan is no longer in the queue: it has started or was removed."
    QUEUE_STALE = (
        "⌛ A plan requested {when} could not start in time and was dropped: **{goal}**. Please "
        "ask again."
    )
    QUEUE_REFUSED = "⚠️ A plan from the queue could not start: **{goal}**. {reason}"
    GOAL_EMPTY = "Tell me what to plan: mention me with a sentence, or use `/{plan}`."
    GOAL_REFUSED = "I cannot plan that: {reason}"
    MODAL_TITLE = "What should be planned?"
    MODAL_GOAL = "Your goal, as long as you like"
    MODAL_HINT = "Who it is for, when, the budget, what matters most …"
    NO_PLAN_HERE = (
        "There is no plan here. Use this command in a plan's thread, or give the plan's id."
    )
    UNKNOWN_PLAN = "There is no plan “{plan}” here. `/status` lists the plans."
    STATUS_NONE = "Nobody has asked for a plan here yet. Start with `/plan`."
    STATUS_TITLE = "**Plans here, newest first**"
    STATUS_LINE = "- {state} · {goal} · {where} · `{id}`"
    STATUS_UNKNOWN = "❔ unknown to the swarm"
    STATUS_NO_THREAD = "no thread yet"
    STATUS_WAITING = "- ⏳ number {place} in the queue · {goal} · `{id}`"
    STATUS_WAITING_OTHERS = "-# Other people's plans in the queue: {count}."
    WRITER_TROUBLE = "⚠️ I cannot post in its thread right now. {reason}"
    CHAT_LACKS = (
        "I am missing these permissions there: {permissions}. Someone who manages the server "
        "can allow them in the channel's settings, under Permissions."
    )
    TOO_MANY_THREADS = "Discord allows no more new threads in this server for a few minutes."
    CANCELLED_NOW = "The plan is cancelled. Finished work is kept in its thread."
    PLAN_OVER = "This plan has already ended: {state}."
    NOT_YOURS = (
        "Only the person who asked for this plan, or someone with Manage Messages, can do that."
    )
    CANCEL_SURE = "Stop this plan? Finished work is kept."
    CANCEL_REASON = "cancelled by the person who asked"
    CANCEL_REASON_MODERATOR = "cancelled by a moderator"
    REPLANNED = (
        "🔁 You asked for another split of “{part}”. Vote on the new proposals in the thread."
    )
    REPLAN_UNDECIDED = "“{part}” has not been decided yet: vote on its current proposals."
    REPLAN_SETTLED = "“{part}” is already finished, and finished parts are kept."
    REPLAN_NO_VOTE = "“{part}” is a task, and tasks are not split."
    REPLAN_USED_UP = "“{part}” has reached the limit of repeated votes ({count})."
    REPLAN_TITLE = "Ask for another split"
    REPLAN_WISH = "What should be different? (optional)"
    VOTE_COUNTED = "Your vote is counted: {sign}. Press the button again to take it back."
    VOTE_TAKEN_BACK = "Your vote has been taken back."
    VOTE_BY_REACTION = (
        "Your {sign} reaction already counts as your vote. Remove it to take your vote back."
    )
    VOTE_OVER = "This vote is closed."
    VOTE_ADVISORY = "People's votes are shown here, but the scorers decide."
    VOTE_NOT_ALLOWED = "Only these roles can vote here: {roles}."
    VOTE_LATER = "I do not recognize this message yet. Please try again in a few seconds."
    OLD_BUTTON = (
        "This button is from an older version of me. The commands do the same: see `/help`."
    )
    CRITIQUES = "**What scorers say**"
    CRITIQUE = "- ⭐ {score} **{who}**{approves}: {critique}"
    CRITIQUE_NONE = "no comment"
    CRITIQUE_APPROVES = " ✅"
    CRITIQUES_NONE = "No scorer has rated this split yet."

    # The history of a part, line by line.
    WHY_ASKED = "Asked at {when} by {who}."
    WHY_PART = "Part {number} of “{parent}”, opened at {when}."
    WHY_PROPOSED = "Proposed at {when} by {who}: {what}."
    WHY_BEFORE = "Earlier vote: {proposed}"
    WHY_PARTS = "{count} parts{lens}"
    WHY_STANDS = "Status: {reason}."
    WHY_HAS = "{approvals} of {quorum} approvals"
    WHY_NO_SCORER = "{approvals} of {quorum} approvals, none from a scorer yet"
    WHY_WINDOW = "it has enough approvals, but the vote is still open"
    WHY_RATES = "{who} rates it {score} and does not approve{said}"
    WHY_APPROVES = "{who} rates it {score} and has approved it since {when}{said}"
    WHY_PEOPLE = "people: {up} for, {down} against"
    WHY_IGNORED = "not counted (from {who}): {reason}"
    WHY_DECIDED = "Decided at {when}: {reason}."
    WHY_ASIDE = "Set aside at {when}: {reason}."
    WHY_CLAIMED = "Attempt {number}: claimed by {who} at {when}."
    WHY_CLAIMED_LATE = "Attempt {number}: {who} claimed it at {when}, too late."
    WHY_ATTEMPT_ENDED = "Attempt {number} failed: {reason}."
    WHY_ATTEMPT = "Attempt {number}: {reason}."
    WHY_WRITTEN = "A version was written at {when} by {who}."
    WHY_FINE = "{who} finds it fine ({score}){said}"
    WHY_WRONG = "{who} finds it wrong ({score}){said}"
    WHY_SETTLED = "Finished at {when} by {who}."
    WHY_UNUSED = "A result by {who} at {when} was not used."
    WHY_FOREIGN = (
        "Not counted: a record ({kind}) at {when} by {who} (key {key}), which does not have "
        "that role in this swarm."
    )
    INVALID_EARLY = "it is dated before the part it is about existed"
    INVALID_PARTS = "{count} parts, but there is room for {most}"
    INVALID_USED_UP = "its author has already made {count} proposals, the most allowed"
    INVALID_REFINES = "the proposal it improves does not count"
    INVALID_REFINED = "it has already been improved {count} times, the most allowed"
    IGNORED_PROPOSAL = "its proposal does not count"
    IGNORED_ATTEST = "only the peer that published the goal may pass on people's votes"
    IGNORED_OFF = "people's votes are switched off here"
    IGNORED_ELECTORATE = "its author has no vote on this goal"
    IGNORED_OWN = "an agent cannot rate its own proposal"
    IGNORED_EARLY = "its author may not move its approval yet"
    PEERS_TITLE = "**Peers of the swarm “{swarm}”**"
    PEERS_NONE = "No other peers are online. Start some with `swarm up` on a machine near the bot."
    PEERS_LINE = "- **{name}** · {role}{model}{load}{foreign}{trouble}"
    PEERS_ME = "- **{name}** · this bot"
    PEERS_MODEL = " · {model}"
    PEERS_LOAD = " · tasks in progress: {load}"
    PEERS_TROUBLE = " · ⚠️ {trouble}"
    PEERS_FOREIGN = " · 🚷 not accepted by the swarm's owner, so not counted"
    PEERS_DOWN = "⚠️ The bot has lost its connection to the swarm: {reason}"
    PEERS_RESTARTS = (
        "-# Restarts of the connection to the swarm: {count}. The last reason: {reason}"
    )
    WHY_NO_PART = "There is no part “{part}”. Use a number from the tree, such as 2 or 2.1."
    PICTURE = "🖼️ The plan's tree right now."
    PICTURE_ALT = "The plan's tree: {done} of {total} parts finished."
    PICTURE_FAILED = "I could not draw the picture. `/export` has the tree as text."
    EXPORTED = "📦 The plan as Markdown, as JSON for programs, and as a picture."
    FAULT = (
        "Something went wrong in the bot; its log has the details. Please try again. If it "
        "keeps happening, tell the person who runs the bot."
    )
    HELP = (
        "**I make plans with a swarm of language models in which nobody is in charge.**\n"
        "- `/plan` with a goal, or mention me with one: I open a thread. Some models propose "
        "ways to split the goal into parts, others rate them, and **you vote with 👍 and 👎**, "
        "by reaction or button. Free models do the parts of the winning split, and the "
        "finished plan arrives in the thread as messages, files and a picture.\n"
        "- `/plan` without a goal opens a form for a longer one. The options set the depth, "
        "the number of parts, the care taken in votes, the effort and the deadline. When too "
        "many plans are running, yours waits in a queue.\n"
        "- `/status`: the plans here or, in a thread, how its plan is going.\n"
        "- `/why`: who proposed, voted and did what. `/picture`: the tree. `/export`: files.\n"
        "- `/replan`: vote again on how to split a part. `/cancel`: stop a plan; finished work "
        "is kept.\n"
        "- `/settings`: who can vote here (needs Manage Server).\n"
        "- `/peers`: who is online. `/privacy`: what is stored about you and how to remove it.\n"
        "-# Votes leave this server only as keyed hashes. Models make mistakes: check what "
        "matters."
    )
    PRIVACY = (
        "**What is stored about you**\n"
        "- *The text of your goal* goes to every peer in the swarm and to the models they run, "
        "so do not put secrets in it. Peers forget it about 7 days after the plan ends.\n"
        "- *Who you are* leaves this bot only as a keyed hash, a different one in each server. "
        "Peers cannot tell whose vote or goal it is. No record contains your name or id.\n"
        "- *This bot's journal* stores which messages belong to which plan, the hash of the "
        "person who asked, votes by button as hashes, and the text of a queued goal until it "
        "starts. No other message of yours is stored or logged.\n"
        "- `/forget` takes back your votes in running plans and removes your hashes from the "
        "journal. Records that were already signed and passed on cannot be recalled; peers "
        "forget them together with the plan."
    )
    FORGOTTEN = (
        "Done. Votes taken back: {votes}. Plans no longer linked to you: {goals}. Running "
        "plans continue, but only someone with Manage Messages can cancel them now."
    )

    # The server's settings.
    SETTINGS = (
        "**How votes work here**\n"
        "- Who can vote: {voters}\n"
        "- How people's votes count: {people}\n"
        "-# A change to who can vote takes effect at once. A change to how votes count applies "
        "to plans requested afterwards."
    )
    SETTINGS_EVERYONE = "everyone"
    NOT_MANAGER = "Only someone with Manage Server can change this."
    NO_SERVER = "There are no settings for direct messages."

    # Buttons.
    BUTTON_FOR = "For"
    BUTTON_AGAINST = "Against"
    BUTTON_WHY = "Why"
    BUTTON_SAID = "What scorers say"
    BUTTON_PICTURE = "Picture"
    BUTTON_EXPORT = "Files"
    BUTTON_REPLAN = "Another split"
    BUTTON_CANCEL = "Stop"
    BUTTON_SURE = "Yes, stop it"
    BUTTON_LEAVE = "Remove from the queue"

    # Names and descriptions of commands and of their options.
    NAME_PLAN = "plan"
    NAME_STATUS = "status"
    NAME_WHY = "why"
    NAME_PICTURE = "picture"
    NAME_EXPORT = "export"
    NAME_REPLAN = "replan"
    NAME_CANCEL = "cancel"
    NAME_PEERS = "peers"
    NAME_HELP = "help"
    NAME_PRIVACY = "privacy"
    NAME_FORGET = "forget"
    NAME_SETTINGS = "settings"
    CMD_PLAN = "Ask the swarm for a plan"
    CMD_PLAN_GOAL = "What should be planned? Leave this out to open a form with more room"
    CMD_PLAN_DEPTH = "How many levels deep parts may be split"
    CMD_PLAN_CARE = "How careful the vote is"
    CMD_PLAN_DEADLINE = "When the plan ends at the latest, finished or not"
    CMD_PLAN_PARTS = "The most parts it may have, on all levels together"
    CMD_PLAN_EFFORT = "How hard the models try"
    CMD_PLAN_REVIEWS = "How often reviewers may send a part back; for larger models"
    CMD_PLAN_CAPABILITY = "Only executors that offer this capability do the work"
    CMD_PLAN_LANGUAGE = "The language of the answer; by default, that of the goal"
    CMD_STATUS = "Show how the plans here are going"
    CMD_CANCEL = "Stop a plan"
    CMD_WHICH = "The plan's id from /status; not needed in its thread"
    CMD_PEERS = "Show who is in the swarm right now"
    CMD_WHY = "Show who proposed, voted and did what"
    CMD_PART = "A part's number in the tree, such as 2 or 2.1"
    CMD_PICTURE = "Show the plan's tree as a picture"
    CMD_PICTURE_DARK = "Draw it for a dark screen"
    CMD_EXPORT = "Get the plan as Markdown, JSON and a picture"
    CMD_REPLAN = "Ask for another split of a part, with a new vote"
    CMD_REPLAN_REASON = "What should be different"
    CMD_HELP = "Show what this bot can do"
    CMD_PRIVACY = "Show what is stored about you, where and for how long"
    CMD_FORGET = "Take back your votes and remove what is stored about you"
    CMD_SETTINGS = "Choose who can vote here and how people's votes count (needs Manage Server)"
    CMD_SETTINGS_PEOPLE = "How people's votes count in plans requested from now on"
    CMD_SETTINGS_ROLE = "A role whose members can vote; choose @everyone to let everyone vote"
    CMD_SETTINGS_ROLE2 = "Another role whose members can vote"
    CARE_QUICK = "quick: scorers decide as soon as they agree"
    CARE_NORMAL = "normal: some time to vote"
    CARE_CAREFUL = "careful: more time, more approvals"
    PEOPLE_COUNT = "count: they are added to the scorers' votes"
    PEOPLE_ADVISORY = "advisory: they are shown, but scorers decide"
    PEOPLE_OFF = "off: only scorers vote"
    EFFORT_LIGHT = "light: one proposal per model, one attempt"
    EFFORT_NORMAL = "normal"
    EFFORT_THOROUGH = "thorough: more proposals, refined twice, more attempts"


PERMISSIONS = {
    "view_channel": "View Channel",
    "send_messages": "Send Messages",
    "create_public_threads": "Create Public Threads",
    "send_messages_in_threads": "Send Messages in Threads",
    "add_reactions": "Add Reactions",
    "attach_files": "Attach Files",
    "read_message_history": "Read Message History",
}
"""The permissions that the bot needs, with their names in Discord's settings."""
