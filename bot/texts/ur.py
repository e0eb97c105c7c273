"""The bot's texts in Urdu. Discord has no Urdu locale: it is spoken where a goal is in Urdu."""

# ruff: noqa: E501  # one text on one line is what a translator can compare

from __future__ import annotations

from bot.texts.catalogue import Text

TEXTS = {
    Text.SECONDS: "{seconds} سیکنڈ",
    Text.MINUTES: "{minutes} منٹ",
    Text.HOURS: "{hours} گھنٹے",
    Text.OPEN: "⏳ انتظار میں",
    Text.PROPOSALS: "💭 تجاویز کا انتظار",
    Text.FREE: "⏳ کام کرنے والے (executor) کا انتظار",
    Text.VOTING: "🗳️ ووٹنگ جاری ہے",
    Text.EXECUTING: "🔨 کام جاری ہے",
    Text.ASSEMBLING: "🧩 جوڑا جا رہا ہے",
    Text.DONE: "✅ مکمل",
    Text.PARTIAL: "🟡 جزوی طور پر مکمل",
    Text.FAILED: "❌ ناکام",
    Text.CANCELLED: "🚫 منسوخ",
    Text.WAITS_PROPOSALS: "تجاویز کا انتظار ہے",
    Text.WAITS_QUORUM: "کسی ایک تقسیم کے لیے {quorum} منظوریوں کا انتظار ہے",
    Text.WAITS_PARTS: "ان حصوں کا انتظار ہے جن کے بعد یہ آتا ہے",
    Text.WAITS_EXECUTOR: "کام کرنے والے (executor) کا انتظار ہے",
    Text.ENDED_DEADLINE: "مقررہ وقت گزر گیا",
    Text.ENDED_ALL_FAILED: "اس کے سب حصے ناکام رہے",
    Text.ENDED_WITHOUT: "{parts} میں جو رہ گیا اس کے بغیر",
    Text.ENDED_SILENT: "جو اس پر کام کر رہا تھا وہ خاموش ہو گیا",
    Text.START: "🗺️ **{goal}**\nنیچے کے تھریڈ میں اسے دیکھیں، ووٹ دیں اور منصوبہ پڑھیں۔",
    Text.START_ENDED: "🗺️ **{goal}**\n{state} · منصوبہ نیچے کے تھریڈ میں ہے۔",
    Text.START_ENDED_EMPTY: "🗺️ **{goal}**\n{state}: {reason}۔",
    Text.THREAD_NAME: "🗺️ {goal}",
    Text.LIVE_TITLE: "### 🗺️ {goal}",
    Text.LIVE_BAR: "{bar} {total} میں سے {done} حصے مکمل",
    Text.LIVE_STATE: "**{state}**: {reason}",
    Text.LIVE_WORK: "**{state}**",
    Text.LIVE_ENDED: "**{state}**، {took} میں",
    Text.LIVE_ENDED_REASON: "**{state}**، {took} میں: {reason}",
    Text.LIVE_TIMES: "-# {asked} پوچھا گیا · زیادہ سے زیادہ {deadline} تک · {peers}",
    Text.LIVE_PEERS_ONE: "1 اور ساتھی یہاں ہے",
    Text.LIVE_PEERS: "{count} اور ساتھی یہاں ہیں",
    Text.LIVE_HIDDEN: "-# … اور {count} حصے، آخر میں plan.md دیکھیں",
    Text.LIVE_FOLDED: "(اندر {count} حصے)",
    Text.PART_BY: "{state}، از {who}",
    Text.PART_PERCENT: "{state}، {percent} %، از {who}",
    Text.PART_TRY: "کوشش {attempt}",
    Text.SPLIT_TITLE: "### 🗳️ تقسیم {lens}",
    Text.SPLIT_TITLE_OF: "### 🗳️ “{title}” کی تقسیم {lens}",
    Text.SPLIT_LENS: "({lens} کے لحاظ سے)",
    Text.SPLIT_TASK: "تقسیم کیے بغیر ایک ہی بار میں کریں",
    Text.SPLIT_WHO: "-# تجویز: {who}{rationale}",
    Text.SPLIT_REFINED: "-# پہلے کی ایک تقسیم کی بہتر شکل",
    Text.SPLIT_ROUND: "-# نئی ووٹنگ میں: دوسری تقسیم مانگی گئی",
    Text.SPLIT_MORE: "-# … اور {count} حصے",
    Text.SPLIT_RATED: "⭐ {score}، {scorers} سے · منظوریاں: {approvals}، درکار: {quorum}",
    Text.SPLIT_UNRATED: "⭐ ابھی پرکھا نہیں گیا · منظوریاں: {approvals}، درکار: {quorum}",
    Text.SPLIT_SCORERS_ONE: "1 پرکھنے والے",
    Text.SPLIT_SCORERS: "{count} پرکھنے والوں",
    Text.SPLIT_PEOPLE: "لوگ: 👍 {up} 👎 {down}",
    Text.SPLIT_VOTE: "-# 👍 یا 👎 سے ووٹ دیں، ردِعمل یا بٹن سے؛ دوبارہ وہی دبانے سے ووٹ واپس۔",
    Text.SPLIT_VOTE_ADVISORY: "-# 👍 یا 👎 سے ووٹ دیں: لوگوں کے ووٹ دکھائے جاتے ہیں، فیصلہ پرکھنے والے کرتے ہیں۔",
    Text.SPLIT_VOTE_OFF: "-# یہاں فیصلہ پرکھنے والے کرتے ہیں؛ لوگوں کے ووٹ بند ہیں۔",
    Text.SPLIT_VOTE_ROLES: "-# یہاں ووٹ کون دے سکتا ہے: {roles}۔",
    Text.SPLIT_WINDOW: "-# ووٹ کا وقت: فیصلہ {when} سے پہلے نہیں ہو گا۔",
    Text.SPLIT_WON: "✅ **منظور**: {reason}۔",
    Text.SPLIT_LOST: "▫️ **منتخب نہیں ہوئی**: {reason}۔",
    Text.SPLIT_SET_ASIDE: "🔁 **الگ رکھی گئی**: {reason}۔",
    Text.WON_QUORUM: "سب سے پہلے {quorum} منظوریاں ملیں ({votes})",
    Text.WON_WINDOW: "ووٹ کا وقت پورا ہونے پر سب سے زیادہ منظوریاں ({votes})",
    Text.WON_BEST: "وقت پر کسی کو {quorum} منظوریاں نہیں ملیں؛ اس کے نمبر سب سے اچھے ہیں ({score})",
    Text.WON_TASK: "وقت پر کسی کو {quorum} منظوریاں نہیں ملیں؛ اسے ایک ہی بار میں کیا جائے گا",
    Text.WON_FAILED: "وقت پر کسی کو {quorum} منظوریاں نہیں ملیں",
    Text.LOST_OTHER: "دوسری تقسیم منظور ہوئی (یہاں {votes})",
    Text.LOST_LOW: "نمبر {score}؛ کم از کم {least} درکار ہے",
    Text.VOTES: "پرکھنے والوں سے {scorers}، لوگوں سے {people}",
    Text.ASIDE: "پوچھنے والے کو دوسری تقسیم چاہیے",
    Text.ASIDE_REASON: "پوچھنے والے کو دوسری تقسیم چاہیے: {reason}",
    Text.RESULT: "### {sign} {number} {title}",
    Text.RESULT_MORE: "-# … مختصر؛ پورا متن منصوبے کے ساتھ آئے گا",
    Text.HELP_TITLE: "⚠️ **منصوبے کو مدد درکار ہے۔**",
    Text.HELP_ROLE: "- کام کے قابل کوئی **{role}** یہاں نہیں۔ ایک شروع کریں: `swarm peer {role}{swarm}`",
    Text.HELP_TROUBLE: "- {who} کام نہیں کر سکتا: {trouble}",
    Text.HELP_NOTICE: "- {who} کا کہنا ہے: {text}",
    Text.HELP_GOES_ON: "یہ بدلتے ہی منصوبہ خود بخود آگے بڑھے گا۔",
    Text.HELP_OVER: "✅ منصوبے کو جن کی ضرورت ہے وہ سب یہاں ہیں؛ کام آگے بڑھ رہا ہے۔",
    Text.HELP_NOTICES: "📣 **ساتھیوں کا کہنا**",
    Text.FALLEN: (
        "🧵 اس منصوبے کا تھریڈ مقفل یا حذف ہو گیا ہے، اس لیے میں یہاں صرف سب سے ضروری باتیں لکھوں گا۔ "
        "تھریڈ سنبھالنے والا اسے کھول سکتا ہے۔"
    ),
    Text.END_DONE: "✅ **منصوبہ تیار ہے۔**",
    Text.END_PARTIAL: "🟡 **منصوبہ جہاں تک ہو سکا تیار ہے**: {reason}۔",
    Text.END_FAILED: "❌ **کوئی منصوبہ نہیں بنا**: {reason}۔",
    Text.END_CANCELLED: "🚫 **منصوبہ منسوخ کیا گیا**: {reason}۔ جو ہو چکا وہ نیچے ہے۔",
    Text.END_CANCELLED_EMPTY: "🚫 **منصوبہ منسوخ کیا گیا**: {reason}۔",
    Text.END_DRAFT: "*یہ مسودہ ایک چھوٹے ماڈل نے لکھا ہے: بھروسا کرنے سے پہلے جانچ لیں۔*",
    Text.END_MORE: "-# باقی منسلک plan.md میں ہے۔",
    Text.LOST: "سوارم یہ منصوبہ بھول چکا ہے: اسے یاد رکھنے والا کوئی نہیں ملا۔",
    Text.NO_DMS: "براہِ کرم مجھ سے کسی سرور میں پوچھیں: اس بوٹ کے مالک نے براہِ راست پیغام نہیں کھولے۔",
    Text.ASK_IN_CHANNEL: "چینل میں پوچھیں: ہر منصوبے کا اپنا تھریڈ ہوتا ہے، اور تھریڈ میں تھریڈ نہیں بنتا۔",
    Text.SWARM_DOWN: (
        "سوارم سے بوٹ کا رابطہ ٹوٹا ہے: {reason}۔ وہ خود بخود پھر جڑے گا؛ ایک منٹ میں دوبارہ پوچھیں۔"
    ),
    Text.SWARM_STARTING: "بوٹ ابھی سوارم سے جڑ رہا ہے۔ چند سیکنڈ میں دوبارہ پوچھیں۔",
    Text.MISSING_PERMISSIONS: (
        "میں یہاں یہ نہیں کر سکتا۔ یہ اجازتیں نہیں ہیں: {permissions}۔ سرور کا منتظم انہیں چینل کی "
        "ترتیبات میں، Permissions کے تحت، دے سکتا ہے۔"
    ),
    Text.TOO_SOON: "⏱️ براہِ کرم ایک کے بعد ایک: آپ {when} پھر پوچھ سکتے ہیں۔",
    Text.TOO_MANY_YOURS: (
        "⏱️ آپ کے {count} منصوبے چل رہے ہیں، ایک شخص کے لیے اتنے ہی ہو سکتے ہیں۔ کسی ایک کے ختم ہونے پر، "
        "زیادہ سے زیادہ {when}، پھر پوچھیں۔"
    ),
    Text.TOO_MANY_HERE: (
        "⏱️ یہاں {count} منصوبے چل رہے ہیں، اس سرور کے لیے اتنے ہی ہو سکتے ہیں۔ کسی ایک کے ختم ہونے پر، "
        "زیادہ سے زیادہ {when}، پھر پوچھیں۔"
    ),
    Text.TOO_MANY_TODAY: "⏱️ آپ نے ایک دن میں {count} منصوبے مانگے ہیں۔ آپ {when} پھر پوچھ سکتے ہیں۔",
    Text.GOAL_EMPTY: "بتائیں کس کا منصوبہ بنانا ہے: ایک جملے کے ساتھ میرا ذکر کریں یا `/{plan}` لکھیں۔",
    Text.GOAL_REFUSED: "اس کا منصوبہ نہیں بن سکتا: {reason}",
    Text.MODAL_TITLE: "کس کا منصوبہ بنانا ہے؟",
    Text.MODAL_GOAL: "مقصد، جتنا لمبا چاہیں",
    Text.MODAL_HINT: "کس کے لیے، کب، کتنے بجٹ میں، سب سے ضروری کیا ہے …",
    Text.NO_PLAN_HERE: "یہاں کوئی منصوبہ نہیں۔ اسے منصوبے کے تھریڈ میں چلائیں، یا منصوبہ بتائیں۔",
    Text.UNKNOWN_PLAN: "میں یہاں “{plan}” نام کا منصوبہ نہیں جانتا۔ `/status` فہرست دیتا ہے۔",
    Text.STATUS_NONE: "یہاں ابھی کسی نے منصوبہ نہیں مانگا۔ `/plan` سے شروع کریں۔",
    Text.STATUS_TITLE: "**یہاں کے منصوبے، نئے پہلے**",
    Text.STATUS_LINE: "- {state} · {goal} · {where} · `{id}`",
    Text.STATUS_UNKNOWN: "❔ سوارم کو معلوم نہیں",
    Text.STATUS_NO_THREAD: "ابھی تھریڈ نہیں",
    Text.WRITER_TROUBLE: "⚠️ میں ابھی اس کے تھریڈ میں نہیں لکھ سکتا۔ {reason}",
    Text.CHAT_LACKS: "وہاں میرے پاس {permissions} کی اجازت نہیں: سرور کا منتظم دے سکتا ہے۔",
    Text.CANCELLED_NOW: "منصوبہ منسوخ ہو گیا۔ جو ہو چکا وہ اس کے تھریڈ میں رہے گا۔",
    Text.PLAN_OVER: "یہ منصوبہ ختم ہو چکا ہے: {state}۔",
    Text.NOT_YOURS: "یہ صرف منصوبہ مانگنے والا، یا یہاں پیغام سنبھالنے والا کر سکتا ہے۔",
    Text.CANCEL_SURE: "یہ منصوبہ روک دیں؟ جو ہو چکا وہ رہے گا۔",
    Text.CANCEL_REASON: "مانگنے والے نے منسوخ کیا",
    Text.CANCEL_REASON_MODERATOR: "ایک ناظم نے منسوخ کیا",
    Text.REPLANNED: "🔁 “{part}” کی دوسری تقسیم مانگی گئی؛ تھریڈ میں پھر ووٹنگ ہو گی۔",
    Text.REPLAN_UNDECIDED: "“{part}” کا فیصلہ ابھی نہیں ہوا: موجودہ تقسیموں پر ووٹ دیں۔",
    Text.REPLAN_SETTLED: "“{part}” مکمل ہو چکا ہے؛ جو مکمل ہوا وہ رہے گا۔",
    Text.REPLAN_NO_VOTE: "“{part}” ایک کام ہے جسے تقسیم نہیں کیا جاتا۔",
    Text.REPLAN_USED_UP: "“{part}” پر {count} بار پھر ووٹنگ ہو چکی ہے، اس سے زیادہ نہیں ہو سکتی۔",
    Text.REPLAN_TITLE: "دوسری تقسیم",
    Text.REPLAN_WISH: "کیا مختلف ہونا چاہیے؟ (خالی چھوڑ سکتے ہیں)",
    Text.VOTE_COUNTED: "آپ کا ووٹ شمار ہوا: {sign}۔ واپس لینے کے لیے پھر دبائیں۔",
    Text.VOTE_TAKEN_BACK: "آپ کا ووٹ واپس لے لیا گیا۔",
    Text.VOTE_BY_REACTION: "آپ کا ووٹ {sign} ردِعمل سے پہلے ہی شمار ہو چکا: واپس لینے کے لیے اسے ہٹائیں۔",
    Text.VOTE_OVER: "یہ ووٹنگ ختم ہو چکی ہے۔",
    Text.VOTE_ADVISORY: "یہ دکھایا جاتا ہے؛ فیصلہ پرکھنے والے کرتے ہیں۔",
    Text.VOTE_NOT_ALLOWED: "یہاں ووٹ دے سکتے ہیں: {roles}۔",
    Text.VOTE_LATER: "میں یہ پیغام ابھی نہیں پہچانتا۔ چند سیکنڈ میں پھر کوشش کریں۔",
    Text.OLD_BUTTON: "یہ بٹن میرے پرانے ورژن کا ہے۔ کمانڈ یہی کرتے ہیں: `/help`۔",
    Text.CRITIQUES: "**پرکھنے والوں کا کہنا**",
    Text.CRITIQUE: "- ⭐ {score} **{who}**{approves}: {critique}",
    Text.CRITIQUE_NONE: "کوئی تبصرہ نہیں",
    Text.CRITIQUE_APPROVES: " ✅",
    Text.CRITIQUES_NONE: "اس تقسیم کو ابھی کسی نے نہیں پرکھا۔",
    Text.PEERS_TITLE: "**سوارم “{swarm}” کے ساتھی**",
    Text.PEERS_NONE: "کوئی اور ساتھی نہیں ملا۔ شروع کریں: بوٹ کے پاس کی مشین پر `swarm up`۔",
    Text.PEERS_LINE: "- **{name}** · {role}{model}{load}{foreign}{trouble}",
    Text.PEERS_ME: "- **{name}** · یہ بوٹ",
    Text.PEERS_MODEL: " · {model}",
    Text.PEERS_LOAD: " · {load} کام جاری",
    Text.PEERS_TROUBLE: " · ⚠️ {trouble}",
    Text.PEERS_FOREIGN: " · 🚷 سوارم کے مالک نے اختیار نہیں دیا، شمار نہیں ہوتا",
    Text.PEERS_DOWN: "⚠️ سوارم سے بوٹ کا رابطہ ٹوٹا ہے: {reason}",
    Text.PEERS_RESTARTS: "-# سوارم سے رابطہ {count} بار پھر جوڑا گیا؛ پچھلی بار: {reason}",
    Text.WHY_NO_PART: "“{part}” نام کا حصہ نہیں۔ حصوں کے نمبر درخت جیسے ہیں، مثلاً 2 یا 2.1۔",
    Text.PICTURE: "🖼️ درخت، جیسا وہ ابھی ہے۔",
    Text.PICTURE_ALT: "منصوبے کا درخت: {total} میں سے {done} حصے مکمل۔",
    Text.PICTURE_FAILED: "تصویر نہیں بن سکی۔ `/export` میں درخت متن کی شکل میں ہے۔",
    Text.EXPORTED: "📦 منصوبہ Markdown، پروگراموں کے لیے JSON اور تصویر کی شکل میں۔",
    Text.FAULT: (
        "بوٹ میں کچھ خرابی ہوئی اور اس کے لاگ میں لکھی گئی۔ براہِ کرم پھر کوشش کریں؛ برقرار رہے تو بوٹ "
        "چلانے والے کو بتائیں۔"
    ),
    Text.HELP: (
        "**میں زبان کے ماڈلوں کے ایک جھنڈ کے ساتھ منصوبہ بناتا ہوں جس میں کوئی سربراہ نہیں۔**\n"
        "- `/plan` اور ایک مقصد، یا مقصد کے ساتھ میرا ذکر: میں تھریڈ کھولتا ہوں۔ کئی ماڈل مقصد کی تقسیم "
        "تجویز کرتے ہیں، دوسرے انہیں پرکھتے ہیں، اور **آپ 👍 اور 👎 سے ووٹ دیتے ہیں**۔ جو جیتے اس پر کام "
        "ہوتا ہے، اور منصوبہ پیغاموں، فائلوں اور تصویر کی شکل میں تھریڈ میں آتا ہے۔\n"
        "- مقصد کے بغیر `/plan` لمبے مقصد کے لیے فارم کھولتا ہے۔ اختیارات: کتنا گہرا، ووٹنگ کتنی محتاط، "
        "کب تک۔\n"
        "- `/status`: یہاں کے منصوبے، یا تھریڈ میں اس کی حالت۔\n"
        "- `/why`: کس نے تجویز دی، ووٹ دیا، کیا۔ `/picture`: درخت۔ `/export`: فائلیں۔\n"
        "- `/replan`: کسی حصے کی دوسری تقسیم، پھر ووٹنگ۔ `/cancel`: روکنا؛ جو ہوا وہ رہتا ہے۔\n"
        "- `/peers`: ابھی کون ہے۔ `/privacy`: آپ کا کیا رکھا جاتا ہے اور کیسے ہٹے۔\n"
        "-# ووٹ اس سرور سے صرف خفیہ ہیش بن کر نکلتے ہیں۔ ماڈل غلطی کرتے ہیں: ضروری بات جانچیں۔"
    ),
    Text.PRIVACY: (
        "**آپ کا کیا رکھا جاتا ہے**\n"
        "- *آپ کے مقصد کا متن* سوارم کے ہر ساتھی اور ان کے ماڈلوں تک جاتا ہے۔ اس میں راز نہ لکھیں۔ منصوبہ "
        "ختم ہونے کے تقریباً 7 دن بعد وہ بھلا دیا جاتا ہے۔\n"
        "- *آپ کون ہیں* یہ صرف خفیہ ہیش بن کر نکلتا ہے، ہر سرور میں الگ: ساتھی نہیں بتا سکتے کہ ووٹ یا "
        "مقصد کس کا ہے۔ آپ کا نام یا id کسی ریکارڈ میں نہیں۔\n"
        "- *بوٹ کے روزنامچے* میں رہتا ہے کہ کون سا پیغام کس منصوبے کا ہے، پوچھنے والے کا ہیش، اور بٹن سے "
        "دیے ووٹ، ہیش کی شکل میں۔ آپ کا کوئی پیغام نہ رکھا جاتا ہے نہ لاگ میں جاتا ہے۔\n"
        "- `/forget` چلتے منصوبوں میں آپ کے ووٹ واپس لیتا ہے اور روزنامچے سے آپ کے ہیش ہٹاتا ہے۔ جو پہلے "
        "دستخط ہو کر آگے گیا وہ واپس نہیں آ سکتا؛ وہ اپنے منصوبے کے ساتھ جاتا ہے۔"
    ),
    Text.FORGOTTEN: (
        "ہو گیا: {votes} ووٹ واپس، {goals} منصوبے اب آپ سے منسلک نہیں۔ چلتے منصوبے جاری ہیں؛ اب انہیں صرف "
        "پیغام سنبھالنے والے منسوخ کر سکتے ہیں۔"
    ),
    Text.BUTTON_FOR: "حق میں",
    Text.BUTTON_AGAINST: "خلاف",
    Text.BUTTON_WHY: "کیوں",
    Text.BUTTON_SAID: "پرکھنے والوں کا کہنا",
    Text.BUTTON_PICTURE: "تصویر",
    Text.BUTTON_EXPORT: "فائلیں",
    Text.BUTTON_REPLAN: "دوسری تقسیم",
    Text.BUTTON_CANCEL: "روکیں",
    Text.BUTTON_SURE: "ہاں، روک دیں",
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
    Text.CMD_PLAN: "سوارم سے منصوبہ مانگیں",
    Text.CMD_PLAN_GOAL: "کس کا منصوبہ بنانا ہے؟ بڑا فارم چاہیے تو خالی چھوڑیں",
    Text.CMD_PLAN_DEPTH: "حصے کتنی بار اور تقسیم ہو سکتے ہیں",
    Text.CMD_PLAN_CARE: "ووٹنگ کتنی محتاط ہو",
    Text.CMD_PLAN_DEADLINE: "زیادہ سے زیادہ کب ختم ہو، جتنا ہو سکا اس کے ساتھ",
    Text.CMD_PLAN_LANGUAGE: "جواب کی زبان؛ ورنہ مقصد کی زبان",
    Text.CMD_STATUS: "یہاں کے منصوبوں کی حالت",
    Text.CMD_CANCEL: "منصوبہ روکیں",
    Text.CMD_WHICH: "فہرست سے منصوبے کی id؛ اس کے تھریڈ میں ضروری نہیں",
    Text.CMD_PEERS: "ابھی سوارم میں کون کون ہے",
    Text.CMD_WHY: "کس نے تجویز دی، ووٹ دیا اور کیا",
    Text.CMD_PART: "درخت میں حصے کا نمبر، مثلاً 2 یا 2.1",
    Text.CMD_PICTURE: "منصوبے کے درخت کی تصویر",
    Text.CMD_PICTURE_DARK: "گہرے پردے کے لیے",
    Text.CMD_EXPORT: "منصوبہ Markdown، JSON اور تصویر کی شکل میں",
    Text.CMD_REPLAN: "کسی حصے کی دوسری تقسیم مانگیں، پھر ووٹنگ ہو گی",
    Text.CMD_REPLAN_REASON: "کیا مختلف ہونا چاہیے",
    Text.CMD_HELP: "یہ بوٹ کیا کرتا ہے",
    Text.CMD_PRIVACY: "آپ کا کیا، کہاں اور کب تک رکھا جاتا ہے",
    Text.CMD_FORGET: "اپنے ووٹ واپس لیں اور جو رکھا ہے اسے ہٹائیں",
    Text.CARE_QUICK: "تیز: پرکھنے والے فوراً فیصلہ کریں",
    Text.CARE_NORMAL: "عام: ووٹ دینے کا کچھ وقت",
    Text.CARE_CAREFUL: "محتاط: زیادہ وقت، زیادہ منظوریاں",
}
"""What each text is in Urdu."""
