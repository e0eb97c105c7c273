"""The bot's texts in English: what a translation maps from. Discord's Markdown."""

from __future__ import annotations

from enum import Enum, unique


@unique
class Text(Enum):
    """The bot's texts; translations are mappings from these."""

    SECONDS = "{seconds} s"
    MINUTES = "{minutes} min"
    HOURS = "{hours} h"

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

    # Why a goal or part stands as it does.
    WAITS_PROPOSALS = "waits for proposals"
    WAITS_QUORUM = "waits for {quorum} approvals of one split"
    WAITS_PARTS = "waits for the parts it comes after"
    WAITS_EXECUTOR = "waits for an executor"
    ENDED_DEADLINE = "the deadline passed"
    ENDED_ALL_FAILED = "all its parts failed"
    ENDED_WITHOUT = "without what is missing from {parts}"
    ENDED_SILENT = "the executor working on it went silent"
    NO_REASON = "no reason given"
    BEING_DONE = "in the works"
    BEING_ASSEMBLED = "its parts are being put together"
    NOT_ASSEMBLED = "putting the parts together failed: {reason}"
    PART_FAILED = "This part could not be done: {reason}"

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
    LIVE_TIMES_ENDED = "-# asked {asked} · ended {ended}"
    LIVE_PEERS_ONE = "1 other peer here"
    LIVE_PEERS = "{count} other peers here"
    LIVE_HIDDEN = "-# … and {count} more parts, see plan.md at the end"
    LIVE_FOLDED = "({count} parts inside)"
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
    SPLIT_ROUND = "-# in a new vote: another split was asked for"
    SPLIT_MORE = "-# … and {count} more parts"
    SPLIT_RATED = "⭐ {score} from {scorers} · approvals: {approvals}, needed: {quorum}"
    SPLIT_UNRATED = "⭐ not rated yet · approvals: {approvals}, needed: {quorum}"
    SPLIT_SCORERS_ONE = "1 scorer"
    SPLIT_SCORERS = "{count} scorers"
    SPLIT_PEOPLE = "people: 👍 {up} 👎 {down}"
    SPLIT_VOTE = "-# Vote with 👍 or 👎, by reaction or button; the same again takes it back."
    SPLIT_VOTE_ADVISORY = "-# Vote with 👍 or 👎: people's votes are shown, scorers decide."
    SPLIT_VOTE_OFF = "-# Scorers decide here; people's votes are switched off."
    SPLIT_VOTE_ROLES = "-# Who may vote here: {roles}."
    SPLIT_WINDOW = "-# Time to vote: it is decided {when} at the earliest."
    SPLIT_WON = "✅ **Accepted**: {reason}."
    SPLIT_LOST = "▫️ **Not chosen**: {reason}."
    SPLIT_SET_ASIDE = "🔁 **Set aside**: {reason}."
    WON_QUORUM = "the first with {quorum} approvals"
    WON_WINDOW = "most approvals when the time to vote was over"
    WON_BEST = "none had {quorum} approvals in time; this one is rated best ({score})"
    WON_TASK = "none had {quorum} approvals in time; it is done as one task instead"
    WON_FAILED = "none had {quorum} approvals in time"
    LOST_OTHER = "another one was accepted ({votes} here)"
    LOST_LOW = "rated {score}; at least {least} is needed"
    VOTES = "{scorers} by scorers, {people} by people"
    ASIDE = "the person who asked wants another split"
    ASIDE_REASON = "the person who asked wants another split: {reason}"

    # Results as they land.
    RESULT = "### {sign} {number} {title}"
    RESULT_MORE = "-# … shortened; the whole of it comes with the plan"

    # What is missing.
    HELP_TITLE = "⚠️ **The plan waits for help.**"
    HELP_ROLE = "- No **{role}** is here that can work. Start one: `swarm peer {role}{swarm}`"
    HELP_OFFER = (
        "- No **{role}** here offers **{what}**. Start one: `swarm peer {role}{flags}{swarm}`"
    )
    HELP_TROUBLE = "- {who} cannot work: {trouble}"
    HELP_NOTICE = "- {who} says: {text}"
    HELP_GOES_ON = "It goes on by itself as soon as that changes."
    HELP_OVER = "✅ Everyone the plan needs is here; it goes on."
    HELP_NOTICES = "📣 **What peers say**"
    FALLEN = (
        "🧵 The thread of this plan is locked or gone, so I go on here, with the most important "
        "only. Whoever manages threads can unlock it."
    )
    TROUBLE_HERE = (
        "⚠️ I cannot write in the thread of **{goal}**. {reason} It goes on there by itself as "
        "soon as that is mended."
    )
    TROUBLE_OVER = "✅ I can write in the thread of **{goal}** again; it goes on there."
    TROUBLE_DIRECT = (
        "⚠️ I cannot write about your plan **{goal}** where you asked for it. {reason} It goes "
        "on there by itself as soon as that is mended."
    )
    WITHOUT_FILES = (
        "⚠️ The files could not be attached. {reason} Until then `/export` gives them to you."
    )
    WITHOUT_REACTIONS = (
        "⚠️ The 👍 and 👎 to click are missing under the splits. {reason} The buttons count just "
        "the same."
    )

    # The end.
    END_DONE = "✅ **The plan is ready.**"
    END_PARTIAL = "🟡 **The plan is ready as far as it went**: {reason}."
    END_FAILED = "❌ **There is no plan**: {reason}."
    END_CANCELLED = "🚫 **The plan was cancelled**: {reason}. What was done is kept below."
    END_CANCELLED_EMPTY = "🚫 **The plan was cancelled**: {reason}."
    END_DRAFT = "*A small model wrote this draft: check it before you rely on it.*"
    END_MORE = "-# The rest is in the attached plan.md."
    DOCUMENT_HOW = "How it came about"
    LOST = "The swarm has forgotten this plan: nobody who remembers it could be found."

    # Answers to commands.
    NO_DMS = "Ask me in a server, please: whoever runs this bot has not opened direct messages."
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
    TOO_SOON = "⏱️ One plan after the other, please: you can ask again {when}."
    TOO_MANY_YOURS = (
        "⏱️ You have {count} plans running, which is as many as one person may. You can ask again "
        "when one of them has ended, {when} at the latest."
    )
    TOO_MANY_HERE = (
        "⏱️ {count} plans are running here, which is as many as this server may. Ask again when "
        "one of them has ended, {when} at the latest."
    )
    TOO_MANY_TODAY = "⏱️ You have asked for {count} plans within a day. You can ask again {when}."
    QUEUED = (
        "⏳ {why} Yours waits in the queue, at place {place}. It starts by itself here in the "
        "channel, {when} at the latest; `/status` shows it."
    )
    QUEUED_YOURS = "As many of your plans run as one person may have ({count})."
    QUEUED_HERE = "As many plans run here as this server may have ({count})."
    QUEUE_FULL_YOURS = (
        "⏱️ {count} plans of yours wait already, and no more can. You can ask again when one of "
        "them has started, {when} at the latest."
    )
    QUEUE_FULL_HERE = (
        "⏱️ The queue here is full: {count} plans wait. Ask again when one of them has started, "
        "{when} at the latest."
    )
    UNQUEUED = "Taken out of the queue: “{goal}”."
    NOT_QUEUED = "This plan waits no longer: it has started, or was taken out of the queue."
    QUEUE_STALE = (
        "⌛ A plan that was asked for {when} could not start since, and is given up: **{goal}**. "
        "Please ask again."
    )
    QUEUE_REFUSED = "⚠️ A plan from the queue could not start: **{goal}**. {reason}"
    GOAL_EMPTY = "Say what should be planned: mention me with a sentence, or use `/{plan}`."
    GOAL_REFUSED = "That cannot be planned: {reason}"
    MODAL_TITLE = "What should be planned?"
    MODAL_GOAL = "The goal, as long as you like"
    MODAL_HINT = "For whom, when, with what budget, what matters most …"
    NO_PLAN_HERE = "There is no plan here. Run this in a plan's thread, or name the plan."
    UNKNOWN_PLAN = "I know no plan “{plan}” here. `/status` lists them."
    STATUS_NONE = "Nobody asked for a plan here yet. Start with `/plan`."
    STATUS_TITLE = "**Plans here, the newest first**"
    STATUS_LINE = "- {state} · {goal} · {where} · `{id}`"
    STATUS_UNKNOWN = "❔ not known to the swarm"
    STATUS_NO_THREAD = "no thread yet"
    STATUS_WAITING = "- ⏳ place {place} in the queue · {goal} · `{id}`"
    STATUS_WAITING_OTHERS = "-# Others' plans in the queue: {count}."
    WRITER_TROUBLE = "⚠️ I cannot write in its thread at the moment. {reason}"
    CHAT_LACKS = (
        "I lack {permissions} there: whoever manages the server can allow it in the channel's "
        "settings, under Permissions."
    )
    TOO_MANY_THREADS = "Discord opens no more threads in this server for some minutes."
    CANCELLED_NOW = "The plan is cancelled. What was done so far is kept in its thread."
    PLAN_OVER = "This plan has ended already: {state}."
    NOT_YOURS = "Only who asked for the plan, or who may manage messages here, can do that."
    CANCEL_SURE = "Stop this plan? What is done so far is kept."
    CANCEL_REASON = "cancelled by the person who asked"
    CANCEL_REASON_MODERATOR = "cancelled by a moderator"
    REPLANNED = "🔁 Another split of “{part}” is asked for; it is voted on anew in the thread."
    REPLAN_UNDECIDED = "“{part}” has not been decided yet: vote on the splits that compete now."
    REPLAN_SETTLED = "“{part}” is done already; what is done stays."
    REPLAN_NO_VOTE = "“{part}” is a task that is not split."
    REPLAN_USED_UP = "“{part}” was voted anew {count} times, which is as often as one may."
    REPLAN_TITLE = "Another split, please"
    REPLAN_WISH = "What should be different? (may stay empty)"
    VOTE_COUNTED = "Your vote counts: {sign}. Press it again to take it back."
    VOTE_TAKEN_BACK = "Your vote is taken back."
    VOTE_BY_REACTION = "Your vote {sign} counts already, by your reaction: remove that to withdraw."
    VOTE_OVER = "This vote is over."
    VOTE_ADVISORY = "It is shown; scorers decide."
    VOTE_NOT_ALLOWED = "Who may vote here: {roles}."
    VOTE_LATER = "I do not know this message yet. Please try again in a few seconds."
    OLD_BUTTON = "This button is from an older version of me. The commands do the same: `/help`."
    CRITIQUES = "**What scorers say**"
    CRITIQUE = "- ⭐ {score} **{who}**{approves}: {critique}"
    CRITIQUE_NONE = "no remark"
    CRITIQUE_APPROVES = " ✅"
    CRITIQUES_NONE = "No scorer has rated this split yet."

    # How a part came to be, line by line.
    WHY_ASKED = "Asked at {when} by {who}."
    WHY_PART = "Part {number} of “{parent}”, opened at {when}."
    WHY_PROPOSED = "Proposed at {when} by {who}: {what}."
    WHY_BEFORE = "Before: {proposed}"
    WHY_PARTS = "{count} parts{lens}"
    WHY_STANDS = "It stands so: {reason}."
    WHY_HAS = "{approvals} of {quorum} approvals"
    WHY_NO_SCORER = "{approvals} of {quorum} approvals, none by a scorer yet"
    WHY_WINDOW = "it has its approvals; the time to vote is not over"
    WHY_RATES = "{who} rates it {score} and does not approve{said}"
    WHY_APPROVES = "{who} rates it {score} and approves since {when}{said}"
    WHY_PEOPLE = "people: {up} for, {down} against"
    WHY_IGNORED = "not counted, from {who}: {reason}"
    WHY_DECIDED = "Decided at {when}: {reason}."
    WHY_ASIDE = "Set aside at {when}: {reason}."
    WHY_CLAIMED = "Attempt {number}: {who} took it at {when}."
    WHY_CLAIMED_LATE = "Attempt {number}: {who} came at {when}, after another."
    WHY_ATTEMPT_ENDED = "Attempt {number} failed: {reason}."
    WHY_SETTLED = "Finished at {when} by {who}."
    WHY_UNUSED = "A result by {who} at {when} was not used."
    WHY_FOREIGN = (
        "Foreign, counts for nothing: {kind} at {when} by {who} (key {key}), who was not granted "
        "that role."
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
    PEERS_NONE = "No other peer was heard. Start some: `swarm up` on a machine near the bot."
    PEERS_LINE = "- **{name}** · {role}{model}{load}{foreign}{trouble}"
    PEERS_ME = "- **{name}** · this bot"
    PEERS_MODEL = " · {model}"
    PEERS_LOAD = " · {load} at work"
    PEERS_TROUBLE = " · ⚠️ {trouble}"
    PEERS_FOREIGN = " · 🚷 not granted by the swarm's owner, counts for nothing"
    PEERS_DOWN = "⚠️ The bot's link to the swarm is down: {reason}"
    PEERS_RESTARTS = "-# The link to the swarm was restarted {count} times; the last time: {reason}"
    WHY_NO_PART = "There is no part “{part}”. Parts are numbered as in the tree, such as 2 or 2.1."
    PICTURE = "🖼️ The tree as it stands."
    PICTURE_ALT = "The plan's tree: {done} of {total} parts settled."
    PICTURE_FAILED = "The picture could not be drawn. `/export` has the tree as text."
    EXPORTED = "📦 The plan as Markdown, as JSON for programs, and as a picture."
    FAULT = (
        "Something went wrong in the bot, and it was written to its log. Please try again; "
        "if it stays, tell whoever runs the bot."
    )
    HELP = (
        "**I plan together with a swarm of language models in which nobody is in charge.**\n"
        "- `/plan` and a goal, or mention me with one: I open a thread. Several models propose "
        "how to split the goal, others rate the proposals, and **you vote with 👍 and 👎**, by "
        "reaction or button. The winner is worked on by whoever is free, and the plan ends up in "
        "the thread, as messages, files and a picture.\n"
        "- `/plan` without a goal opens a form for a long one. Options: how deep, how careful the "
        "vote is, how many parts and tries, until when. What is too much at a time waits.\n"
        "- `/status`: the plans here, or in a thread how its plan stands.\n"
        "- `/why`: who proposed, voted and did what. `/picture`: the tree. `/export`: files.\n"
        "- `/replan`: another split of a part, voted on anew. `/cancel`: stop; what is done is "
        "kept.\n"
        "- `/settings`: who may vote here, for who manages the server.\n"
        "- `/peers`: who takes part right now. `/privacy`: what is kept of you, and how to remove "
        "it.\n"
        "-# Votes leave this server only as keyed hashes. Models make mistakes: check what matters."
    )
    PRIVACY = (
        "**What is kept of you**\n"
        "- *Your goal's text* goes to every peer of the swarm and to the models they run. Do not "
        "put secrets into it. It is forgotten about 7 days after the plan has ended.\n"
        "- *Who you are* leaves this bot only as a keyed hash, another one in each server: peers "
        "cannot tell whose vote or goal it is. Your name and id are in no record.\n"
        "- *This bot's journal* keeps which messages belong to which plan, the hash of who asked, "
        "votes by button as hashes, and the text of a goal that waits in the queue, until it "
        "starts. No other message of yours is kept, and none is logged.\n"
        "- `/forget` takes your votes in plans that run back, and removes your hashes from the "
        "journal. What was signed and passed on before cannot be called back; it goes with its "
        "plan."
    )
    FORGOTTEN = (
        "Done: {votes} votes taken back, {goals} plans of yours no longer tied to you. Plans that "
        "run go on; only who may manage messages can cancel them now."
    )

    # The server's settings.
    SETTINGS = (
        "**How votes work here**\n- Who may vote: {voters}\n- What people's votes count: "
        "{people}\n-# Who may vote holds at once; what votes count is signed into each plan when "
        "it is asked for."
    )
    SETTINGS_EVERYONE = "everyone"
    NOT_MANAGER = "Only who may manage this server can change that."
    NO_SERVER = "Direct messages have no such settings."

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
    BUTTON_LEAVE = "Take it out of the queue"

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
    CMD_PLAN_GOAL = "What should be planned? Leave it out for a form with more room"
    CMD_PLAN_DEPTH = "How often parts may be split again"
    CMD_PLAN_CARE = "How careful the vote is"
    CMD_PLAN_DEADLINE = "When it ends at the latest, with what there is"
    CMD_PLAN_PARTS = "How many parts it may have, all levels together"
    CMD_PLAN_EFFORT = "How much the models may try"
    CMD_PLAN_CAPABILITY = "Only executors that offer this do the work"
    CMD_PLAN_LANGUAGE = "Language of the answer; else that of the goal"
    CMD_STATUS = "How the plans here stand"
    CMD_CANCEL = "Stop a plan"
    CMD_WHICH = "The plan's id from /status; not needed in its thread"
    CMD_PEERS = "Who takes part in the swarm right now"
    CMD_WHY = "Who proposed, voted and did what"
    CMD_PART = "A part's number in the tree, such as 2 or 2.1"
    CMD_PICTURE = "A picture of the plan's tree"
    CMD_PICTURE_DARK = "For a dark screen"
    CMD_EXPORT = "The plan as Markdown, JSON and a picture"
    CMD_REPLAN = "Ask for another split of a part, voted on anew"
    CMD_REPLAN_REASON = "What should be different"
    CMD_HELP = "What this bot does"
    CMD_PRIVACY = "What is kept of you, where and how long"
    CMD_FORGET = "Take your votes back and remove what is kept of you"
    CMD_SETTINGS = "Who may vote here, and what people's votes count: for who manages the server"
    CMD_SETTINGS_PEOPLE = "What people's votes count in plans asked from now on"
    CMD_SETTINGS_ROLE = "A role whose members may vote; choose everyone's role to let all vote"
    CMD_SETTINGS_ROLE2 = "One more such role"
    CARE_QUICK = "quick: scorers decide at once"
    CARE_NORMAL = "normal: some time to vote"
    CARE_CAREFUL = "careful: more time, more approvals"
    PEOPLE_COUNT = "count: they add to the scorers' votes"
    PEOPLE_ADVISORY = "advisory: they are shown, scorers decide"
    PEOPLE_OFF = "off: only scorers vote"
    EFFORT_LIGHT = "light: one proposal a model, one try"
    EFFORT_NORMAL = "normal"
    EFFORT_THOROUGH = "thorough: more proposals, polished twice, more tries"


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
