"""The bot's texts in Bengali. Discord has no Bengali locale: it is spoken where a goal is in it."""

# ruff: noqa: E501  # one text on one line is what a translator can compare

from __future__ import annotations

from bot.texts.catalogue import Text

TEXTS = {
    Text.SECONDS: "{seconds} সে",
    Text.MINUTES: "{minutes} মি",
    Text.HOURS: "{hours} ঘ",
    Text.OPEN: "⏳ অপেক্ষায়",
    Text.PROPOSALS: "💭 প্রস্তাবের অপেক্ষায়",
    Text.FREE: "⏳ কর্মীর (executor) অপেক্ষায়",
    Text.VOTING: "🗳️ ভোট চলছে",
    Text.EXECUTING: "🔨 কাজ চলছে",
    Text.ASSEMBLING: "🧩 জোড়া দেওয়া হচ্ছে",
    Text.DONE: "✅ সম্পন্ন",
    Text.PARTIAL: "🟡 আংশিক সম্পন্ন",
    Text.FAILED: "❌ ব্যর্থ",
    Text.CANCELLED: "🚫 বাতিল",
    Text.WAITS_PROPOSALS: "প্রস্তাবের অপেক্ষায়",
    Text.WAITS_QUORUM: "একটি ভাগের জন্য {quorum}টি সম্মতির অপেক্ষায়",
    Text.WAITS_PARTS: "যে অংশগুলোর পরে এটি আসে সেগুলোর অপেক্ষায়",
    Text.WAITS_EXECUTOR: "কর্মীর (executor) অপেক্ষায়",
    Text.ENDED_DEADLINE: "সময়সীমা পেরিয়ে গেছে",
    Text.ENDED_ALL_FAILED: "এর সব অংশ ব্যর্থ হয়েছে",
    Text.ENDED_WITHOUT: "{parts}-এ যা বাদ পড়েছে তা ছাড়া",
    Text.ENDED_SILENT: "যে এতে কাজ করছিল সে চুপ হয়ে গেছে",
    Text.START: "🗺️ **{goal}**\nনিচের থ্রেডে দেখুন, ভোট দিন আর পরিকল্পনা পড়ুন।",
    Text.START_ENDED: "🗺️ **{goal}**\n{state} · পরিকল্পনা নিচের থ্রেডে।",
    Text.START_ENDED_EMPTY: "🗺️ **{goal}**\n{state}: {reason}।",
    Text.THREAD_NAME: "🗺️ {goal}",
    Text.LIVE_TITLE: "### 🗺️ {goal}",
    Text.LIVE_BAR: "{bar} {total}টির মধ্যে {done}টি অংশ শেষ",
    Text.LIVE_STATE: "**{state}**: {reason}",
    Text.LIVE_WORK: "**{state}**",
    Text.LIVE_ENDED: "**{state}**, সময় লেগেছে {took}",
    Text.LIVE_ENDED_REASON: "**{state}**, সময় লেগেছে {took}: {reason}",
    Text.LIVE_TIMES: "-# চাওয়া হয়েছে {asked} · বড়জোর {deadline} পর্যন্ত · {peers}",
    Text.LIVE_PEERS_ONE: "আর 1 জন সঙ্গী এখানে",
    Text.LIVE_PEERS: "আর {count} জন সঙ্গী এখানে",
    Text.LIVE_HIDDEN: "-# … আরও {count}টি অংশ, শেষে plan.md দেখুন",
    Text.LIVE_FOLDED: "(ভেতরে {count}টি অংশ)",
    Text.PART_BY: "{state}, করছে {who}",
    Text.PART_PERCENT: "{state}, {percent} %, করছে {who}",
    Text.PART_TRY: "চেষ্টা {attempt}",
    Text.SPLIT_TITLE: "### 🗳️ ভাগ {lens}",
    Text.SPLIT_TITLE_OF: "### 🗳️ “{title}”-এর ভাগ {lens}",
    Text.SPLIT_LENS: "({lens} অনুযায়ী)",
    Text.SPLIT_TASK: "ভাগ না করে একবারেই করা",
    Text.SPLIT_WHO: "-# প্রস্তাব: {who}{rationale}",
    Text.SPLIT_REFINED: "-# আগের একটি ভাগের উন্নত রূপ",
    Text.SPLIT_ROUND: "-# নতুন ভোটে: অন্য ভাগ চাওয়া হয়েছে",
    Text.SPLIT_MORE: "-# … আরও {count}টি অংশ",
    Text.SPLIT_RATED: "⭐ {score}, দিয়েছে {scorers} · সম্মতি: {approvals}, দরকার: {quorum}",
    Text.SPLIT_UNRATED: "⭐ এখনও যাচাই হয়নি · সম্মতি: {approvals}, দরকার: {quorum}",
    Text.SPLIT_SCORERS_ONE: "1 জন যাচাইকারী",
    Text.SPLIT_SCORERS: "{count} জন যাচাইকারী",
    Text.SPLIT_PEOPLE: "মানুষ: 👍 {up} 👎 {down}",
    Text.SPLIT_VOTE: "-# 👍 বা 👎 দিয়ে ভোট দিন, প্রতিক্রিয়া বা বোতামে; আবার দিলে ভোট ফেরত।",
    Text.SPLIT_VOTE_ADVISORY: "-# 👍 বা 👎 দিয়ে ভোট দিন: মানুষের ভোট দেখানো হয়, সিদ্ধান্ত যাচাইকারীদের।",
    Text.SPLIT_VOTE_OFF: "-# এখানে সিদ্ধান্ত যাচাইকারীদের; মানুষের ভোট বন্ধ।",
    Text.SPLIT_VOTE_ROLES: "-# এখানে কে ভোট দিতে পারে: {roles}।",
    Text.SPLIT_WINDOW: "-# ভোটের সময়: {when}-এর আগে সিদ্ধান্ত হবে না।",
    Text.SPLIT_WON: "✅ **গৃহীত**: {reason}।",
    Text.SPLIT_LOST: "▫️ **বাছা হয়নি**: {reason}।",
    Text.SPLIT_SET_ASIDE: "🔁 **সরিয়ে রাখা**: {reason}।",
    Text.WON_QUORUM: "সবার আগে {quorum}টি সম্মতি পেয়েছে ({votes})",
    Text.WON_WINDOW: "ভোটের সময় শেষে সবচেয়ে বেশি সম্মতি ({votes})",
    Text.WON_BEST: "সময়মতো কেউ {quorum}টি সম্মতি পায়নি; এটির নম্বর সবচেয়ে ভালো ({score})",
    Text.WON_TASK: "সময়মতো কেউ {quorum}টি সম্মতি পায়নি; একবারেই করা হবে",
    Text.WON_FAILED: "সময়মতো কেউ {quorum}টি সম্মতি পায়নি",
    Text.LOST_OTHER: "অন্যটি গৃহীত হয়েছে (এখানে {votes})",
    Text.LOST_LOW: "নম্বর {score}; অন্তত {least} দরকার",
    Text.VOTES: "যাচাইকারীদের {scorers}, মানুষের {people}",
    Text.ASIDE: "যে চেয়েছে সে অন্য ভাগ চায়",
    Text.ASIDE_REASON: "যে চেয়েছে সে অন্য ভাগ চায়: {reason}",
    Text.RESULT: "### {sign} {number} {title}",
    Text.RESULT_MORE: "-# … সংক্ষিপ্ত; পুরোটা পরিকল্পনার সঙ্গে আসবে",
    Text.HELP_TITLE: "⚠️ **পরিকল্পনাটি সাহায্যের অপেক্ষায়।**",
    Text.HELP_ROLE: "- কাজ করতে পারে এমন কোনো **{role}** এখানে নেই। একটি চালু করুন: `swarm peer {role}{swarm}`",
    Text.HELP_TROUBLE: "- {who} কাজ করতে পারছে না: {trouble}",
    Text.HELP_NOTICE: "- {who} বলছে: {text}",
    Text.HELP_GOES_ON: "তা বদলালেই পরিকল্পনা নিজে থেকে এগোবে।",
    Text.HELP_OVER: "✅ যাদের দরকার সবাই এখানে; কাজ এগোচ্ছে।",
    Text.HELP_NOTICES: "📣 **সঙ্গীরা যা বলছে**",
    Text.FALLEN: (
        "🧵 এই পরিকল্পনার থ্রেড তালাবদ্ধ বা মোছা, তাই এখানে শুধু সবচেয়ে জরুরি কথাগুলো লিখছি। "
        "যিনি থ্রেড সামলান তিনি খুলতে পারেন।"
    ),
    Text.END_DONE: "✅ **পরিকল্পনা তৈরি।**",
    Text.END_PARTIAL: "🟡 **পরিকল্পনা যতদূর হয়েছে তৈরি**: {reason}।",
    Text.END_FAILED: "❌ **পরিকল্পনা হয়নি**: {reason}।",
    Text.END_CANCELLED: "🚫 **পরিকল্পনা বাতিল**: {reason}। যা হয়েছে তা নিচে।",
    Text.END_CANCELLED_EMPTY: "🚫 **পরিকল্পনা বাতিল**: {reason}।",
    Text.END_DRAFT: "*এই খসড়া একটি ছোট মডেলের লেখা: ভরসা করার আগে যাচাই করুন।*",
    Text.END_MORE: "-# বাকিটা সংযুক্ত plan.md-তে।",
    Text.LOST: "সোয়ার্ম এই পরিকল্পনা ভুলে গেছে: মনে রাখে এমন কাউকে পাওয়া যায়নি।",
    Text.NO_DMS: "দয়া করে কোনো সার্ভারে চান: এই বটের মালিক সরাসরি বার্তা খোলেননি।",
    Text.ASK_IN_CHANNEL: "চ্যানেলে চান: প্রতিটি পরিকল্পনার নিজের থ্রেড হয়, থ্রেডে থ্রেড হয় না।",
    Text.SWARM_DOWN: (
        "সোয়ার্মের সঙ্গে বটের সংযোগ ছিন্ন: {reason}। নিজে থেকেই আবার জুড়বে; এক মিনিট পরে আবার চান।"
    ),
    Text.SWARM_STARTING: "বট এখন সোয়ার্মে যোগ দিচ্ছে। কয়েক সেকেন্ড পরে আবার চান।",
    Text.MISSING_PERMISSIONS: (
        "এখানে আমি তা করতে পারি না। এই অনুমতিগুলো নেই: {permissions}। সার্ভারের পরিচালক চ্যানেলের "
        "সেটিংসে, Permissions-এর নিচে, দিতে পারেন।"
    ),
    Text.TOO_SOON: "⏱️ দয়া করে একটার পর একটা: আপনি {when} আবার চাইতে পারবেন।",
    Text.TOO_MANY_YOURS: (
        "⏱️ আপনার {count}টি পরিকল্পনা চলছে, একজনের জন্য এর বেশি নয়। একটি শেষ হলে, বড়জোর {when}, আবার "
        "চাইতে পারবেন।"
    ),
    Text.TOO_MANY_HERE: (
        "⏱️ এখানে {count}টি পরিকল্পনা চলছে, এই সার্ভারে এর বেশি নয়। একটি শেষ হলে, বড়জোর {when}, আবার চান।"
    ),
    Text.TOO_MANY_TODAY: "⏱️ আপনি এক দিনে {count}টি পরিকল্পনা চেয়েছেন। {when} আবার চাইতে পারবেন।",
    Text.GOAL_EMPTY: "কীসের পরিকল্পনা বলুন: একটি বাক্যসহ আমাকে উল্লেখ করুন, অথবা `/{plan}` লিখুন।",
    Text.GOAL_REFUSED: "এর পরিকল্পনা করা যায় না: {reason}",
    Text.MODAL_TITLE: "কীসের পরিকল্পনা?",
    Text.MODAL_GOAL: "লক্ষ্য, যত লম্বা চান",
    Text.MODAL_HINT: "কার জন্য, কবে, কত বাজেটে, কোনটা সবচেয়ে জরুরি …",
    Text.NO_PLAN_HERE: "এখানে কোনো পরিকল্পনা নেই। পরিকল্পনার থ্রেডে চালান, অথবা নাম বলুন।",
    Text.UNKNOWN_PLAN: "এখানে “{plan}” নামে কোনো পরিকল্পনা চিনি না। `/status` তালিকা দেয়।",
    Text.STATUS_NONE: "এখানে এখনও কেউ পরিকল্পনা চায়নি। `/plan` দিয়ে শুরু করুন।",
    Text.STATUS_TITLE: "**এখানকার পরিকল্পনা, নতুনটি আগে**",
    Text.STATUS_LINE: "- {state} · {goal} · {where} · `{id}`",
    Text.STATUS_UNKNOWN: "❔ সোয়ার্মের অজানা",
    Text.STATUS_NO_THREAD: "এখনও থ্রেড নেই",
    Text.WRITER_TROUBLE: "⚠️ এখন এর থ্রেডে লিখতে পারছি না। {reason}",
    Text.CHAT_LACKS: "সেখানে আমার {permissions} অনুমতি নেই: সার্ভারের পরিচালক দিতে পারেন।",
    Text.CANCELLED_NOW: "পরিকল্পনা বাতিল হলো। যা হয়েছে তা এর থ্রেডে থাকবে।",
    Text.PLAN_OVER: "এই পরিকল্পনা শেষ হয়ে গেছে: {state}।",
    Text.NOT_YOURS: "এটি শুধু যিনি চেয়েছেন, অথবা যিনি এখানে বার্তা সামলান, তিনিই পারেন।",
    Text.CANCEL_SURE: "এই পরিকল্পনা থামাবেন? যা হয়েছে তা থাকবে।",
    Text.CANCEL_REASON: "যিনি চেয়েছেন তিনি বাতিল করেছেন",
    Text.CANCEL_REASON_MODERATOR: "একজন মডারেটর বাতিল করেছেন",
    Text.REPLANNED: "🔁 “{part}”-এর অন্য ভাগ চাওয়া হয়েছে; থ্রেডে আবার ভোট হবে।",
    Text.REPLAN_UNDECIDED: "“{part}”-এর সিদ্ধান্ত এখনও হয়নি: এখনকার ভাগগুলোতে ভোট দিন।",
    Text.REPLAN_SETTLED: "“{part}” শেষ হয়ে গেছে; যা শেষ তা থাকে।",
    Text.REPLAN_NO_VOTE: "“{part}” একটি কাজ, যা ভাগ করা হয় না।",
    Text.REPLAN_USED_UP: "“{part}”-এ {count} বার আবার ভোট হয়েছে, এর বেশি নয়।",
    Text.REPLAN_TITLE: "অন্য ভাগ",
    Text.REPLAN_WISH: "কী আলাদা হবে? (খালি রাখা যায়)",
    Text.VOTE_COUNTED: "আপনার ভোট গোনা হলো: {sign}। ফেরত নিতে আবার চাপুন।",
    Text.VOTE_TAKEN_BACK: "আপনার ভোট ফেরত নেওয়া হলো।",
    Text.VOTE_BY_REACTION: "আপনার ভোট {sign} প্রতিক্রিয়ায় আগেই গোনা: ফেরত নিতে তা সরান।",
    Text.VOTE_OVER: "এই ভোট শেষ।",
    Text.VOTE_ADVISORY: "ভোট দেখানো হয়; সিদ্ধান্ত যাচাইকারীদের।",
    Text.VOTE_NOT_ALLOWED: "এখানে ভোট দিতে পারে: {roles}।",
    Text.VOTE_LATER: "এই বার্তা এখনও চিনি না। কয়েক সেকেন্ড পরে আবার চেষ্টা করুন।",
    Text.OLD_BUTTON: "এই বোতাম আমার পুরোনো সংস্করণের। কমান্ডেও একই কাজ হয়: `/help`।",
    Text.CRITIQUES: "**যাচাইকারীরা যা বলে**",
    Text.CRITIQUE: "- ⭐ {score} **{who}**{approves}: {critique}",
    Text.CRITIQUE_NONE: "মন্তব্য নেই",
    Text.CRITIQUE_APPROVES: " ✅",
    Text.CRITIQUES_NONE: "এই ভাগ এখনও কেউ যাচাই করেনি।",
    Text.PEERS_TITLE: "**সোয়ার্ম “{swarm}”-এর সঙ্গী**",
    Text.PEERS_NONE: "আর কোনো সঙ্গী নেই। চালু করুন: বটের কাছের মেশিনে `swarm up`।",
    Text.PEERS_LINE: "- **{name}** · {role}{model}{load}{foreign}{trouble}",
    Text.PEERS_ME: "- **{name}** · এই বট",
    Text.PEERS_MODEL: " · {model}",
    Text.PEERS_LOAD: " · {load}টি কাজ চলছে",
    Text.PEERS_TROUBLE: " · ⚠️ {trouble}",
    Text.PEERS_FOREIGN: " · 🚷 সোয়ার্মের মালিক অধিকার দেননি, গোনা হয় না",
    Text.PEERS_DOWN: "⚠️ সোয়ার্মের সঙ্গে বটের সংযোগ ছিন্ন: {reason}",
    Text.PEERS_RESTARTS: "-# সোয়ার্মের সংযোগ {count} বার আবার চালু হয়েছে; শেষবার: {reason}",
    Text.WHY_NO_PART: "“{part}” নামে কোনো অংশ নেই। নম্বর গাছের মতো, যেমন 2 বা 2.1।",
    Text.PICTURE: "🖼️ গাছটি এখন যেমন।",
    Text.PICTURE_ALT: "পরিকল্পনার গাছ: {total}টির মধ্যে {done}টি অংশ শেষ।",
    Text.PICTURE_FAILED: "ছবি আঁকা গেল না। `/export`-এ গাছটি লেখা আছে।",
    Text.EXPORTED: "📦 পরিকল্পনা Markdown, প্রোগ্রামের জন্য JSON আর ছবি হিসেবে।",
    Text.FAULT: (
        "বটে কিছু গোলমাল হয়েছে, তার লগে লেখা হয়েছে। আবার চেষ্টা করুন; থেকে গেলে যিনি বট চালান তাঁকে জানান।"
    ),
    Text.HELP: (
        "**আমি ভাষা-মডেলের এক ঝাঁকের সঙ্গে পরিকল্পনা করি, যার কোনো নেতা নেই।**\n"
        "- `/plan` আর একটি লক্ষ্য, অথবা লক্ষ্যসহ আমার উল্লেখ: আমি থ্রেড খুলি। কয়েকটি মডেল লক্ষ্য ভাগের "
        "প্রস্তাব দেয়, অন্যরা যাচাই করে, আর **আপনি 👍 ও 👎 দিয়ে ভোট দেন**। যেটি জেতে তাতে কাজ হয়, আর "
        "পরিকল্পনা বার্তা, ফাইল ও ছবি হয়ে থ্রেডে আসে।\n"
        "- লক্ষ্য ছাড়া `/plan` লম্বা লক্ষ্যের ফর্ম খোলে। বিকল্প: কত গভীর, ভোট কত সতর্ক, কবে পর্যন্ত।\n"
        "- `/status`: এখানকার পরিকল্পনা, অথবা থ্রেডে তার অবস্থা।\n"
        "- `/why`: কে প্রস্তাব দিল, ভোট দিল, করল। `/picture`: গাছ। `/export`: ফাইল।\n"
        "- `/replan`: কোনো অংশের অন্য ভাগ, আবার ভোট। `/cancel`: থামানো; যা হয়েছে থাকে।\n"
        "- `/peers`: এখন কে আছে। `/privacy`: আপনার কী রাখা হয়, কীভাবে সরাবেন।\n"
        "-# ভোট এই সার্ভার থেকে শুধু চাবিযুক্ত হ্যাশ হয়ে বেরোয়। মডেল ভুল করে: জরুরি কথা যাচাই করুন।"
    ),
    Text.PRIVACY: (
        "**আপনার কী রাখা হয়**\n"
        "- *আপনার লক্ষ্যের লেখা* সোয়ার্মের প্রতিটি সঙ্গী ও তাদের মডেলের কাছে যায়। গোপন কথা লিখবেন না। "
        "পরিকল্পনা শেষের প্রায় 7 দিন পরে তা ভুলে যাওয়া হয়।\n"
        "- *আপনি কে* তা শুধু চাবিযুক্ত হ্যাশ হয়ে বেরোয়, প্রতি সার্ভারে আলাদা: সঙ্গীরা বলতে পারে না ভোট বা "
        "লক্ষ্য কার। আপনার নাম বা id কোনো নথিতে নেই।\n"
        "- *বটের খাতা* রাখে কোন বার্তা কোন পরিকল্পনার, যিনি চেয়েছেন তাঁর হ্যাশ, আর বোতামে দেওয়া ভোট, হ্যাশ "
        "হিসেবে। আপনার কোনো বার্তা রাখা হয় না, লগেও যায় না।\n"
        "- `/forget` চলমান পরিকল্পনায় আপনার ভোট ফেরত নেয় ও খাতা থেকে আপনার হ্যাশ মোছে। যা আগে স্বাক্ষরিত "
        "হয়ে ছড়িয়েছে তা ফেরানো যায় না; তা পরিকল্পনার সঙ্গেই যায়।"
    ),
    Text.FORGOTTEN: (
        "হয়েছে: {votes}টি ভোট ফেরত, {goals}টি পরিকল্পনা আর আপনার সঙ্গে যুক্ত নয়। চলমানগুলো চলবে; এখন শুধু "
        "যিনি বার্তা সামলান তিনিই বাতিল করতে পারেন।"
    ),
    Text.BUTTON_FOR: "পক্ষে",
    Text.BUTTON_AGAINST: "বিপক্ষে",
    Text.BUTTON_WHY: "কেন",
    Text.BUTTON_SAID: "যাচাইকারীরা যা বলে",
    Text.BUTTON_PICTURE: "ছবি",
    Text.BUTTON_EXPORT: "ফাইল",
    Text.BUTTON_REPLAN: "অন্য ভাগ",
    Text.BUTTON_CANCEL: "থামান",
    Text.BUTTON_SURE: "হ্যাঁ, থামান",
    Text.NAME_PLAN: "plan",
    Text.NAME_STATUS: "status",
    Text.NAME_WHY: "why",
    Text.NAME_PICTURE: "picture",
    Text.NAME_EXPORT: "export",
    Text.NAME_REPLAN: "replan",
    Text.NAME_CANCEL: "cancel",
    Text.NAME_PEERS: "peers",
    Text.NAME_HELP: "help",
    Text.NAME_PRIVACY: "privacy",
    Text.NAME_FORGET: "forget",
    Text.CMD_PLAN: "সোয়ার্মের কাছে পরিকল্পনা চান",
    Text.CMD_PLAN_GOAL: "কীসের পরিকল্পনা? বড় ফর্ম চাইলে খালি রাখুন",
    Text.CMD_PLAN_DEPTH: "অংশ কতবার আরও ভাগ হতে পারে",
    Text.CMD_PLAN_CARE: "ভোট কত সতর্ক হবে",
    Text.CMD_PLAN_DEADLINE: "বড়জোর কবে শেষ হবে, যতটুকু হয়েছে তা নিয়ে",
    Text.CMD_PLAN_LANGUAGE: "উত্তরের ভাষা; না হলে লক্ষ্যের ভাষা",
    Text.CMD_STATUS: "এখানকার পরিকল্পনার অবস্থা",
    Text.CMD_CANCEL: "পরিকল্পনা থামান",
    Text.CMD_WHICH: "তালিকা থেকে পরিকল্পনার id; তার থ্রেডে লাগে না",
    Text.CMD_PEERS: "এখন সোয়ার্মে কারা আছে",
    Text.CMD_WHY: "কে প্রস্তাব দিল, ভোট দিল, কী করল",
    Text.CMD_PART: "গাছে অংশের নম্বর, যেমন 2 বা 2.1",
    Text.CMD_PICTURE: "পরিকল্পনার গাছের ছবি",
    Text.CMD_PICTURE_DARK: "গাঢ় পর্দার জন্য",
    Text.CMD_EXPORT: "পরিকল্পনা Markdown, JSON ও ছবি হিসেবে",
    Text.CMD_REPLAN: "কোনো অংশের অন্য ভাগ চান, আবার ভোট হবে",
    Text.CMD_REPLAN_REASON: "কী আলাদা হবে",
    Text.CMD_HELP: "এই বট কী করে",
    Text.CMD_PRIVACY: "আপনার কী, কোথায়, কতদিন রাখা হয়",
    Text.CMD_FORGET: "আপনার ভোট ফেরত নিন ও যা রাখা আছে মুছুন",
    Text.CARE_QUICK: "দ্রুত: যাচাইকারীরা সঙ্গে সঙ্গে ঠিক করে",
    Text.CARE_NORMAL: "সাধারণ: ভোটের কিছু সময়",
    Text.CARE_CAREFUL: "সতর্ক: বেশি সময়, বেশি সম্মতি",
}
"""What each text is in Bengali."""
