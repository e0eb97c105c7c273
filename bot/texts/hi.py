"""The bot's texts in Hindi."""

# ruff: noqa: E501  # one text on one line is what a translator can compare

from __future__ import annotations

from bot.texts.catalogue import Text

TEXTS = {
    Text.SECONDS: "{seconds} से",
    Text.MINUTES: "{minutes} मि",
    Text.HOURS: "{hours} घं",
    Text.OPEN: "⏳ प्रतीक्षा में",
    Text.PROPOSALS: "💭 प्रस्तावों की प्रतीक्षा",
    Text.FREE: "⏳ करने वाले (executor) की प्रतीक्षा",
    Text.VOTING: "🗳️ मतदान खुला है",
    Text.EXECUTING: "🔨 काम जारी है",
    Text.ASSEMBLING: "🧩 जोड़ा जा रहा है",
    Text.DONE: "✅ पूरा हुआ",
    Text.PARTIAL: "🟡 आंशिक रूप से पूरा",
    Text.FAILED: "❌ असफल",
    Text.CANCELLED: "🚫 रद्द",
    Text.WAITS_PROPOSALS: "प्रस्तावों की प्रतीक्षा है",
    Text.WAITS_QUORUM: "किसी एक बँटवारे को {quorum} स्वीकृतियों की प्रतीक्षा है",
    Text.WAITS_PARTS: "उन हिस्सों की प्रतीक्षा है जिनके बाद यह आता है",
    Text.WAITS_EXECUTOR: "करने वाले (executor) की प्रतीक्षा है",
    Text.ENDED_DEADLINE: "समय-सीमा बीत गई",
    Text.ENDED_ALL_FAILED: "इसके सभी हिस्से असफल रहे",
    Text.ENDED_WITHOUT: "{parts} में जो छूट गया उसके बिना",
    Text.ENDED_SILENT: "जो इस पर काम कर रहा था वह चुप हो गया",
    Text.START: "🗺️ **{goal}**\nनीचे के थ्रेड में इसे देखिए, मत दीजिए और योजना पढ़िए।",
    Text.START_ENDED: "🗺️ **{goal}**\n{state} · योजना नीचे के थ्रेड में है।",
    Text.START_ENDED_EMPTY: "🗺️ **{goal}**\n{state}: {reason}।",
    Text.THREAD_NAME: "🗺️ {goal}",
    Text.LIVE_TITLE: "### 🗺️ {goal}",
    Text.LIVE_BAR: "{bar} {total} में से {done} हिस्से निपटे",
    Text.LIVE_STATE: "**{state}**: {reason}",
    Text.LIVE_WORK: "**{state}**",
    Text.LIVE_ENDED: "**{state}**, {took} में",
    Text.LIVE_ENDED_REASON: "**{state}**, {took} में: {reason}",
    Text.LIVE_TIMES: "-# {asked} पूछा गया · ज़्यादा से ज़्यादा {deadline} तक · {peers}",
    Text.LIVE_PEERS_ONE: "1 और साथी यहाँ है",
    Text.LIVE_PEERS: "{count} और साथी यहाँ हैं",
    Text.LIVE_HIDDEN: "-# … और {count} हिस्से, अंत में plan.md देखिए",
    Text.LIVE_FOLDED: "(भीतर {count} हिस्से)",
    Text.PART_BY: "{state}, {who} द्वारा",
    Text.PART_PERCENT: "{state}, {percent} %, {who} द्वारा",
    Text.PART_TRY: "प्रयास {attempt}",
    Text.SPLIT_TITLE: "### 🗳️ बँटवारा {lens}",
    Text.SPLIT_TITLE_OF: "### 🗳️ “{title}” का बँटवारा {lens}",
    Text.SPLIT_LENS: "({lens} के अनुसार)",
    Text.SPLIT_TASK: "बिना बाँटे एक ही बार में करें",
    Text.SPLIT_WHO: "-# प्रस्ताव: {who}{rationale}",
    Text.SPLIT_REFINED: "-# पहले के एक बँटवारे का सुधरा रूप",
    Text.SPLIT_ROUND: "-# नए मतदान में: दूसरा बँटवारा माँगा गया",
    Text.SPLIT_MORE: "-# … और {count} हिस्से",
    Text.SPLIT_RATED: "⭐ {score}, {scorers} से · स्वीकृतियाँ: {approvals}, चाहिए: {quorum}",
    Text.SPLIT_UNRATED: "⭐ अभी अंक नहीं मिले · स्वीकृतियाँ: {approvals}, चाहिए: {quorum}",
    Text.SPLIT_SCORERS_ONE: "1 परखने वाले",
    Text.SPLIT_SCORERS: "{count} परखने वालों",
    Text.SPLIT_PEOPLE: "लोग: 👍 {up} 👎 {down}",
    Text.SPLIT_VOTE: "-# 👍 या 👎 से मत दीजिए, प्रतिक्रिया या बटन से; दोबारा वही दबाने से मत वापस।",
    Text.SPLIT_VOTE_ADVISORY: "-# 👍 या 👎 से मत दीजिए: लोगों के मत दिखते हैं, निर्णय परखने वाले करते हैं।",
    Text.SPLIT_VOTE_OFF: "-# यहाँ निर्णय परखने वाले करते हैं; लोगों के मत बंद हैं।",
    Text.SPLIT_VOTE_ROLES: "-# यहाँ मत कौन दे सकता है: {roles}।",
    Text.SPLIT_WINDOW: "-# मतदान का समय: निर्णय {when} से पहले नहीं होगा।",
    Text.SPLIT_WON: "✅ **स्वीकृत**: {reason}।",
    Text.SPLIT_LOST: "▫️ **नहीं चुना गया**: {reason}।",
    Text.SPLIT_SET_ASIDE: "🔁 **अलग रखा गया**: {reason}।",
    Text.WON_QUORUM: "सबसे पहले {quorum} स्वीकृतियाँ मिलीं ({votes})",
    Text.WON_WINDOW: "मतदान का समय पूरा होने पर सबसे अधिक स्वीकृतियाँ ({votes})",
    Text.WON_BEST: "समय पर किसी को {quorum} स्वीकृतियाँ नहीं मिलीं; इसके अंक सबसे अच्छे हैं ({score})",
    Text.WON_TASK: "समय पर किसी को {quorum} स्वीकृतियाँ नहीं मिलीं; इसे एक ही बार में किया जाएगा",
    Text.WON_FAILED: "समय पर किसी को {quorum} स्वीकृतियाँ नहीं मिलीं",
    Text.LOST_OTHER: "दूसरा बँटवारा स्वीकृत हुआ (यहाँ {votes})",
    Text.LOST_LOW: "अंक {score}; कम से कम {least} चाहिए",
    Text.VOTES: "परखने वालों से {scorers}, लोगों से {people}",
    Text.ASIDE: "पूछने वाले को दूसरा बँटवारा चाहिए",
    Text.ASIDE_REASON: "पूछने वाले को दूसरा बँटवारा चाहिए: {reason}",
    Text.RESULT: "### {sign} {number} {title}",
    Text.RESULT_MORE: "-# … संक्षिप्त; पूरा पाठ योजना के साथ आएगा",
    Text.HELP_TITLE: "⚠️ **योजना को मदद चाहिए।**",
    Text.HELP_ROLE: "- काम करने योग्य कोई **{role}** यहाँ नहीं है। एक शुरू कीजिए: `swarm peer {role}{swarm}`",
    Text.HELP_TROUBLE: "- {who} काम नहीं कर सकता: {trouble}",
    Text.HELP_NOTICE: "- {who} का कहना है: {text}",
    Text.HELP_GOES_ON: "यह बदलते ही योजना अपने आप आगे बढ़ेगी।",
    Text.HELP_OVER: "✅ योजना को जिनकी ज़रूरत है वे सब यहाँ हैं; काम आगे बढ़ रहा है।",
    Text.HELP_NOTICES: "📣 **साथियों का कहना**",
    Text.FALLEN: (
        "🧵 इस योजना का थ्रेड बंद या हटा दिया गया है, इसलिए मैं यहाँ केवल सबसे ज़रूरी बातें लिखूँगा। "
        "जो थ्रेड सँभालता है वह उसे खोल सकता है।"
    ),
    Text.END_DONE: "✅ **योजना तैयार है।**",
    Text.END_PARTIAL: "🟡 **योजना जहाँ तक हो सकी तैयार है**: {reason}।",
    Text.END_FAILED: "❌ **कोई योजना नहीं बनी**: {reason}।",
    Text.END_CANCELLED: "🚫 **योजना रद्द की गई**: {reason}। जो हो चुका वह नीचे है।",
    Text.END_CANCELLED_EMPTY: "🚫 **योजना रद्द की गई**: {reason}।",
    Text.END_DRAFT: "*यह मसौदा एक छोटे मॉडल ने लिखा है: भरोसा करने से पहले जाँच लीजिए।*",
    Text.END_MORE: "-# बाक़ी संलग्न plan.md में है।",
    Text.LOST: "स्वार्म इस योजना को भूल चुका है: इसे याद रखने वाला कोई नहीं मिला।",
    Text.NO_DMS: "कृपया मुझसे किसी सर्वर में पूछिए: इस बॉट के मालिक ने सीधे संदेश नहीं खोले हैं।",
    Text.ASK_IN_CHANNEL: "चैनल में पूछिए: हर योजना का अपना थ्रेड होता है, और थ्रेड में थ्रेड नहीं बनता।",
    Text.SWARM_DOWN: (
        "स्वार्म से बॉट का संपर्क टूटा है: {reason}। वह अपने आप फिर जुड़ेगा; एक मिनट में दोबारा पूछिए।"
    ),
    Text.SWARM_STARTING: "बॉट अभी स्वार्म से जुड़ रहा है। कुछ सेकंड में दोबारा पूछिए।",
    Text.MISSING_PERMISSIONS: (
        "मैं यहाँ यह नहीं कर सकता। ये अनुमतियाँ नहीं हैं: {permissions}। सर्वर का प्रबंधक इन्हें चैनल की "
        "सेटिंग में, Permissions के नीचे, दे सकता है।"
    ),
    Text.TOO_SOON: "⏱️ कृपया एक के बाद एक: आप {when} फिर पूछ सकते हैं।",
    Text.TOO_MANY_YOURS: (
        "⏱️ आपकी {count} योजनाएँ चल रही हैं, एक व्यक्ति के लिए इतनी ही हो सकती हैं। किसी एक के समाप्त होने "
        "पर, देर से देर {when}, फिर पूछिए।"
    ),
    Text.TOO_MANY_HERE: (
        "⏱️ यहाँ {count} योजनाएँ चल रही हैं, इस सर्वर के लिए इतनी ही हो सकती हैं। किसी एक के समाप्त होने "
        "पर, देर से देर {when}, फिर पूछिए।"
    ),
    Text.TOO_MANY_TODAY: "⏱️ आपने एक दिन में {count} योजनाएँ माँगी हैं। आप {when} फिर पूछ सकते हैं।",
    Text.GOAL_EMPTY: "बताइए किसकी योजना बनानी है: एक वाक्य के साथ मेरा उल्लेख कीजिए या `/{plan}` लिखिए।",
    Text.GOAL_REFUSED: "इसकी योजना नहीं बन सकती: {reason}",
    Text.MODAL_TITLE: "किसकी योजना बनानी है?",
    Text.MODAL_GOAL: "लक्ष्य, जितना लंबा चाहें",
    Text.MODAL_HINT: "किसके लिए, कब, कितने बजट में, सबसे ज़रूरी क्या है …",
    Text.NO_PLAN_HERE: "यहाँ कोई योजना नहीं है। इसे योजना के थ्रेड में चलाइए, या योजना बताइए।",
    Text.UNKNOWN_PLAN: "मैं यहाँ “{plan}” नाम की योजना नहीं जानता। `/स्थिति` सूची देता है।",
    Text.STATUS_NONE: "यहाँ अभी किसी ने योजना नहीं माँगी। `/योजना` से शुरू कीजिए।",
    Text.STATUS_TITLE: "**यहाँ की योजनाएँ, नई पहले**",
    Text.STATUS_LINE: "- {state} · {goal} · {where} · `{id}`",
    Text.STATUS_UNKNOWN: "❔ स्वार्म को ज्ञात नहीं",
    Text.STATUS_NO_THREAD: "अभी थ्रेड नहीं",
    Text.WRITER_TROUBLE: "⚠️ मैं अभी इसके थ्रेड में नहीं लिख सकता। {reason}",
    Text.CHAT_LACKS: "वहाँ मेरे पास {permissions} की अनुमति नहीं है: सर्वर का प्रबंधक दे सकता है।",
    Text.CANCELLED_NOW: "योजना रद्द हो गई। जो हो चुका वह उसके थ्रेड में रहेगा।",
    Text.PLAN_OVER: "यह योजना समाप्त हो चुकी है: {state}।",
    Text.NOT_YOURS: "यह केवल योजना माँगने वाला, या यहाँ संदेश सँभालने वाला कर सकता है।",
    Text.CANCEL_SURE: "यह योजना रोक दें? जो हो चुका वह रहेगा।",
    Text.CANCEL_REASON: "माँगने वाले ने रद्द किया",
    Text.CANCEL_REASON_MODERATOR: "एक मॉडरेटर ने रद्द किया",
    Text.REPLANNED: "🔁 “{part}” का दूसरा बँटवारा माँगा गया; थ्रेड में फिर मतदान होगा।",
    Text.REPLAN_UNDECIDED: "“{part}” का निर्णय अभी नहीं हुआ: मौजूद बँटवारों पर मत दीजिए।",
    Text.REPLAN_SETTLED: "“{part}” पूरा हो चुका है; जो पूरा हुआ वह रहेगा।",
    Text.REPLAN_NO_VOTE: "“{part}” एक काम है जिसे बाँटा नहीं जाता।",
    Text.REPLAN_USED_UP: "“{part}” पर {count} बार फिर मतदान हो चुका है, इससे अधिक नहीं हो सकता।",
    Text.REPLAN_TITLE: "दूसरा बँटवारा",
    Text.REPLAN_WISH: "क्या अलग होना चाहिए? (ख़ाली छोड़ सकते हैं)",
    Text.VOTE_COUNTED: "आपका मत गिना गया: {sign}। वापस लेने के लिए फिर दबाइए।",
    Text.VOTE_TAKEN_BACK: "आपका मत वापस ले लिया गया।",
    Text.VOTE_BY_REACTION: "आपका मत {sign} प्रतिक्रिया से पहले ही गिना गया है: वापस लेने के लिए उसे हटाइए।",
    Text.VOTE_OVER: "यह मतदान समाप्त हो चुका है।",
    Text.VOTE_ADVISORY: "यह दिखाया जाता है; निर्णय परखने वाले करते हैं।",
    Text.VOTE_NOT_ALLOWED: "यहाँ मत दे सकते हैं: {roles}।",
    Text.VOTE_LATER: "मैं यह संदेश अभी नहीं पहचानता। कुछ सेकंड में फिर कोशिश कीजिए।",
    Text.OLD_BUTTON: "यह बटन मेरे पुराने संस्करण का है। कमांड यही करते हैं: `/मदद`।",
    Text.CRITIQUES: "**परखने वालों का कहना**",
    Text.CRITIQUE: "- ⭐ {score} **{who}**{approves}: {critique}",
    Text.CRITIQUE_NONE: "कोई टिप्पणी नहीं",
    Text.CRITIQUE_APPROVES: " ✅",
    Text.CRITIQUES_NONE: "इस बँटवारे को अभी किसी ने नहीं परखा।",
    Text.PEERS_TITLE: "**स्वार्म “{swarm}” के साथी**",
    Text.PEERS_NONE: "कोई और साथी नहीं मिला। शुरू कीजिए: बॉट के पास की मशीन पर `swarm up`।",
    Text.PEERS_LINE: "- **{name}** · {role}{model}{load}{foreign}{trouble}",
    Text.PEERS_ME: "- **{name}** · यह बॉट",
    Text.PEERS_MODEL: " · {model}",
    Text.PEERS_LOAD: " · {load} काम जारी",
    Text.PEERS_TROUBLE: " · ⚠️ {trouble}",
    Text.PEERS_FOREIGN: " · 🚷 स्वार्म के मालिक ने अधिकार नहीं दिया, गिना नहीं जाता",
    Text.PEERS_DOWN: "⚠️ स्वार्म से बॉट का संपर्क टूटा है: {reason}",
    Text.PEERS_RESTARTS: "-# स्वार्म से संपर्क {count} बार फिर जोड़ा गया; पिछली बार: {reason}",
    Text.WHY_NO_PART: "“{part}” नाम का हिस्सा नहीं है। हिस्सों की संख्या पेड़ जैसी है, जैसे 2 या 2.1।",
    Text.PICTURE: "🖼️ पेड़, जैसा वह अभी है।",
    Text.PICTURE_ALT: "योजना का पेड़: {total} में से {done} हिस्से निपटे।",
    Text.PICTURE_FAILED: "चित्र नहीं बन सका। `/निर्यात` में पेड़ पाठ के रूप में है।",
    Text.EXPORTED: "📦 योजना Markdown, प्रोग्रामों के लिए JSON और चित्र के रूप में।",
    Text.FAULT: (
        "बॉट में कुछ गड़बड़ हुई और उसके लॉग में लिखी गई। कृपया फिर कोशिश कीजिए; बनी रहे तो बॉट चलाने वाले "
        "को बताइए।"
    ),
    Text.HELP: (
        "**मैं भाषा-मॉडलों के एक झुंड के साथ योजना बनाता हूँ जिसमें कोई मुखिया नहीं।**\n"
        "- `/योजना` और एक लक्ष्य, या लक्ष्य के साथ मेरा उल्लेख: मैं एक थ्रेड खोलता हूँ। कई मॉडल लक्ष्य के "
        "बँटवारे सुझाते हैं, दूसरे उन्हें परखते हैं, और **आप 👍 और 👎 से मत देते हैं**। जो जीते उस पर काम होता "
        "है, और योजना संदेशों, फ़ाइलों और चित्र के रूप में थ्रेड में आती है।\n"
        "- बिना लक्ष्य के `/योजना` लंबे लक्ष्य के लिए फ़ॉर्म खोलता है। विकल्प: कितना गहरा, मतदान कितना "
        "सावधान, कब तक।\n"
        "- `/स्थिति`: यहाँ की योजनाएँ, या थ्रेड में उसकी स्थिति।\n"
        "- `/क्यों`: किसने सुझाया, मत दिया, किया। `/चित्र`: पेड़। `/निर्यात`: फ़ाइलें।\n"
        "- `/फिर-से`: किसी हिस्से का दूसरा बँटवारा, फिर मतदान। `/रद्द`: रोकना; जो हुआ वह रहता है।\n"
        "- `/साथी`: अभी कौन है। `/निजता`: आपका क्या रखा जाता है और कैसे हटे।\n"
        "-# मत इस सर्वर से केवल कुंजी-बद्ध हैश बनकर निकलते हैं। मॉडल ग़लती करते हैं: ज़रूरी बात जाँचिए।"
    ),
    Text.PRIVACY: (
        "**आपका क्या रखा जाता है**\n"
        "- *आपके लक्ष्य का पाठ* स्वार्म के हर साथी और उनके मॉडलों तक जाता है। उसमें राज़ न लिखें। योजना समाप्त "
        "होने के लगभग 7 दिन बाद वह भुला दिया जाता है।\n"
        "- *आप कौन हैं* यह केवल कुंजी-बद्ध हैश बनकर निकलता है, हर सर्वर में अलग: साथी नहीं बता सकते कि मत या "
        "लक्ष्य किसका है। आपका नाम या id किसी अभिलेख में नहीं।\n"
        "- *बॉट की पंजी* में रहता है कि कौन-सा संदेश किस योजना का है, पूछने वाले का हैश, और बटन से दिए मत, हैश "
        "के रूप में। आपका कोई संदेश न रखा जाता है न लॉग में जाता है।\n"
        "- `/भूलो` चल रही योजनाओं में आपके मत वापस लेता है और पंजी से आपके हैश हटाता है। जो पहले हस्ताक्षर "
        "होकर आगे गया वह वापस नहीं आ सकता; वह अपनी योजना के साथ जाता है।"
    ),
    Text.FORGOTTEN: (
        "हो गया: {votes} मत वापस, {goals} योजनाएँ अब आपसे जुड़ी नहीं। चल रही योजनाएँ जारी हैं; अब उन्हें केवल "
        "संदेश सँभालने वाले रद्द कर सकते हैं।"
    ),
    Text.BUTTON_FOR: "पक्ष",
    Text.BUTTON_AGAINST: "विपक्ष",
    Text.BUTTON_WHY: "क्यों",
    Text.BUTTON_SAID: "परखने वालों का कहना",
    Text.BUTTON_PICTURE: "चित्र",
    Text.BUTTON_EXPORT: "फ़ाइलें",
    Text.BUTTON_REPLAN: "दूसरा बँटवारा",
    Text.BUTTON_CANCEL: "रोकें",
    Text.BUTTON_SURE: "हाँ, रोक दें",
    Text.NAME_PLAN: "योजना",
    Text.NAME_STATUS: "स्थिति",
    Text.NAME_WHY: "क्यों",
    Text.NAME_PICTURE: "चित्र",
    Text.NAME_EXPORT: "निर्यात",
    Text.NAME_REPLAN: "फिर-से",
    Text.NAME_CANCEL: "रद्द",
    Text.NAME_PEERS: "साथी",
    Text.NAME_HELP: "मदद",
    Text.NAME_PRIVACY: "निजता",
    Text.NAME_FORGET: "भूलो",
    Text.CMD_PLAN: "स्वार्म से योजना माँगिए",
    Text.CMD_PLAN_GOAL: "किसकी योजना बनानी है? बड़ा फ़ॉर्म चाहिए तो ख़ाली छोड़िए",
    Text.CMD_PLAN_DEPTH: "हिस्से कितनी बार और बाँटे जा सकते हैं",
    Text.CMD_PLAN_CARE: "मतदान कितना सावधान हो",
    Text.CMD_PLAN_DEADLINE: "देर से देर कब समाप्त हो, जितना हो सका उसके साथ",
    Text.CMD_PLAN_LANGUAGE: "उत्तर की भाषा; नहीं तो लक्ष्य की भाषा",
    Text.CMD_STATUS: "यहाँ की योजनाओं की स्थिति",
    Text.CMD_CANCEL: "योजना रोकिए",
    Text.CMD_WHICH: "स्थिति-सूची से योजना की id; उसके थ्रेड में ज़रूरी नहीं",
    Text.CMD_PEERS: "अभी स्वार्म में कौन-कौन है",
    Text.CMD_WHY: "किसने सुझाया, मत दिया और किया",
    Text.CMD_PART: "पेड़ में हिस्से की संख्या, जैसे 2 या 2.1",
    Text.CMD_PICTURE: "योजना के पेड़ का चित्र",
    Text.CMD_PICTURE_DARK: "गहरे पर्दे के लिए",
    Text.CMD_EXPORT: "योजना Markdown, JSON और चित्र के रूप में",
    Text.CMD_REPLAN: "किसी हिस्से का दूसरा बँटवारा माँगिए, फिर मतदान होगा",
    Text.CMD_REPLAN_REASON: "क्या अलग होना चाहिए",
    Text.CMD_HELP: "यह बॉट क्या करता है",
    Text.CMD_PRIVACY: "आपका क्या, कहाँ और कब तक रखा जाता है",
    Text.CMD_FORGET: "अपने मत वापस लीजिए और जो रखा है उसे हटाइए",
    Text.CARE_QUICK: "तेज़: परखने वाले तुरंत निर्णय करें",
    Text.CARE_NORMAL: "सामान्य: मत देने का कुछ समय",
    Text.CARE_CAREFUL: "सावधान: अधिक समय, अधिक स्वीकृतियाँ",
}
"""What each text is in Hindi."""
