"""The words by which the checks read a plan, for each language: days, months, totals, negation.

A plan in another language than English may still use English words ("Day 1", "Total"), so every
lexicon is used together with the English one (`lexicons`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from benchmarks.quality.matching import normal


@dataclass(frozen=True, slots=True, kw_only=True)
class Lexicon:
    """Words of one language. Alternatives are separated by `|`.

    Attributes:
        code: ISO 639-1 code.
        name: English name of the language.
        script: Unicode's name of its letters, as `unicodedata.name` begins.
        common: Frequent words that tell the language from others in its script.
        day: A day, in all forms.
        week: A week, in all forms.
        before: What follows "3 weeks" when weeks are counted down.
        numbers: Cardinal words.
        ordinals: Ordinal words.
        to: What stands between the ends of a range.
        months: The twelve months, with alternatives.
        leg: How a journey is said; {a} and {b} are its ends.
        travel: Words of a journey, beginnings of words.
        total: Words for a total.
        grand: Words for the total of totals.
        budget: Words for a budget or limit.
        left: Words for what is left of it.
        cost: Words in the heading of a column or section of costs.
        thousand: Words for a thousand.
        hundred_thousand: Words for a lakh.
        no_before: Negations that stand before what they negate.
        no_after: Negations that stand after it.
        aside: Words in headings of sections beside the plan itself: costs, notes, packing.
        request: Words in headings of sections that only repeat the request.
        itself: How a plan speaks of itself, in remarks that plan nothing.
        open_ended: Words that cannot be the last word of a sentence.
    """

    code: str
    name: str
    script: str
    common: str
    day: str
    week: str
    before: str
    numbers: Mapping[str, int]
    ordinals: Mapping[str, int]
    to: str
    months: tuple[str, ...]
    leg: tuple[str, ...]
    travel: str
    total: str
    grand: str
    budget: str
    left: str
    cost: str
    thousand: str
    hundred_thousand: str
    no_before: str
    no_after: str
    aside: str
    request: str
    itself: str
    open_ended: str


def _count(words: str) -> dict[str, int]:
    """Return the numbers of words in order, from 1; alternatives of one number after a slash."""
    return {
        normal(word.replace("_", " ")): number
        for number, group in enumerate(words.split(), start=1)
        for word in group.split("/")
    }


def _with_classifiers(words: str) -> dict[str, int]:
    """Return Bengali numbers, also with the syllables that say what is counted."""
    numbers = _count(words)
    endings = ("", *map(normal, ("টি", "টা", "জন", "জনের", "খানা")))
    return {word + ending: value for word, value in numbers.items() for ending in endings}


ENGLISH = Lexicon(
    code="en",
    name="English",
    script="LATIN",
    common="the|and|of|to|in|for|with|a|is|on|at|from|your|by|or|an|that|this|be|it|we|you|all|are|as|"
    "not|each|one|two|into|up|out|if|who|what|when|then|have|has|after|before|our|their|its",
    day="day|days",
    week="week|weeks|wk",
    before="before|to go|prior|ahead|out",
    numbers=_count(
        "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
        "sixteen seventeen eighteen nineteen twenty"
    ),
    ordinals=_count(
        "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth "
        "thirteenth fourteenth"
    ),
    to="to|through|until|and",
    months=(
        "january|jan",
        "february|feb",
        "march|mar",
        "april|apr",
        "may",
        "june|jun",
        "july|jul",
        "august|aug",
        "september|sept|sep",
        "october|oct",
        "november|nov",
        "december|dec",
    ),
    leg=("from {a} to {b}", "{a} to {b}", "leave {a} for {b}", "depart {a} for {b}"),
    travel="train|=bus|coach|fly|flight|flies|drive|travel|ferry|transfer|depart|leave|arriv|journey|"
    "move on|head to|head for|return to|=taxi|boat",
    total="total|totals|sum|altogether|in all|overall cost",
    grand="grand total|overall total|total cost|total costs|overall",
    budget="budget|limit|maximum|cap",
    left="remaining|remainder|left|left over|leftover|under budget|saved|spare",
    cost="cost|costs|price|prices|amount|budget|expense|expenses|estimate",
    thousand="thousand",
    hundred_thousand="lakh|lac",
    no_before="no|not|never|without|avoid|avoids|avoiding|skip|instead of|exclude|excluding|"
    "excludes|free of|rather than|don't|do not|doesn't|nor|neither|ban|banned|leave out|none of",
    no_after="free|is not|are not|not allowed|isn't|aren't|avoided|excluded|forbidden|banned|"
    "prohibited|left out|not needed|not used|not included|not planned",
    aside="cost|costs|budget|expenses|money|notes|note|tips|packing|booking|bookings|safety|"
    "contacts|reminders|shopping|checklist|summary|overview|good to know|before you go|equipment",
    request="your requirements|key requirements|the requirements|your constraints|key constraints|"
    "the request|your request|what you asked for|the brief|meets your|meet your|meets the goal",
    itself="this plan|the plan|this itinerary|the itinerary|this schedule|the schedule|this trip|"
    "this menu|this meal plan",
    open_ended="and|or|the|a|an|of|to|with|for|in|at|from|by|but|as|your|their|its|on|is|are",
)

MALAY = Lexicon(
    code="ms",
    name="Malay",
    script="LATIN",
    common="dan|yang|untuk|dengan|di|ke|dari|pada|ini|itu|anda|akan|atau|dalam|adalah|setiap|"
    "supaya|sebelum|selepas|oleh|hari|minggu|apa|siapa|semua|satu|masih|belum|sudah|ada|kita|kami|"
    "tidak|mesti|boleh|juga|kepada|selama|hingga|lalu",
    day="hari",
    week="minggu",
    before="sebelum|lagi",
    numbers=_count(
        "satu/sebuah/seorang dua tiga empat lima enam tujuh lapan/delapan sembilan sepuluh sebelas "
        "dua_belas tiga_belas empat_belas lima_belas enam_belas tujuh_belas lapan_belas "
        "sembilan_belas dua_puluh"
    ),
    ordinals=_count(
        "pertama/kesatu kedua ketiga keempat kelima keenam ketujuh kelapan/kedelapan kesembilan "
        "kesepuluh kesebelas kedua_belas ketiga_belas keempat_belas"
    ),
    to="hingga|sampai|sehingga|dan",
    months=(
        "januari|jan",
        "februari|feb",
        "mac",
        "april|apr",
        "mei",
        "jun|juni",
        "julai|juli",
        "ogos|agustus",
        "september|sept|sep",
        "oktober|okt",
        "november|nov",
        "disember|dis|desember",
    ),
    leg=("dari {a} ke {b}", "{a} ke {b}", "dari {a} menuju ke {b}", "dari {a} menuju {b}"),
    travel="kereta api|tren|bas|penerbangan|terbang|pandu|memandu|bertolak|berangkat|tiba|"
    "perjalanan|feri|menuju|pulang|balik|naik",
    total="jumlah|jumlah keseluruhan|keseluruhan",
    grand="jumlah keseluruhan|jumlah besar|jumlah kos|keseluruhan",
    budget="bajet|belanjawan|anggaran|had|peruntukan",
    left="baki|lebihan",
    cost="kos|harga|amaun|bajet|belanja|perbelanjaan|jumlah|anggaran",
    thousand="ribu",
    hundred_thousand="ratus ribu",
    no_before="tanpa|tiada|tidak|bukan|elakkan|elak|mengelakkan|jangan|bebas|tak|kecuali|dilarang",
    no_after="tidak dibenarkan|dielakkan|dilarang|tidak digunakan|tidak termasuk|tidak dirancang",
    aside="kos|bajet|belanja|perbelanjaan|nota|tip|petua|tempahan|keselamatan|peralatan|ringkasan|"
    "senarai semak|senarai belian|peringatan|persediaan",
    request="keperluan anda|permintaan|syarat|kekangan|memenuhi",
    itself="rancangan ini|jadual ini|pelan ini|percutian ini|menu ini",
    open_ended="dan|atau|yang|untuk|dengan|di|ke|dari|pada|dalam|oleh|kepada|serta|tetapi",
)

HINDI = Lexicon(
    code="hi",
    name="Hindi",
    script="DEVANAGARI",
    common="है|के|की|का|में|से|और|को|पर|लिए|हैं|करें|ने|यह|एक|तक|साथ|या|भी|दिन|सप्ताह",
    day="दिन|दिनों|दिवस",
    week="सप्ताह|हफ्ता|हफ्ते|हफ़्ता|हफ़्ते|सप्ताहों|हफ्तों|हफ़्तों",
    before="पहले|पूर्व",
    numbers=_count(
        "एक दो तीन चार पांच/पाँच छह/छः/छ: सात आठ नौ दस ग्यारह बारह तेरह चौदह पंद्रह/पन्द्रह सोलह "
        "सत्रह अठारह उन्नीस बीस"
    ),
    ordinals=_count(
        "पहला/पहले/पहली/प्रथम दूसरा/दूसरे/दूसरी/द्वितीय तीसरा/तीसरे/तीसरी/तृतीय चौथा/चौथे/चौथी "
        "पांचवां/पांचवें/पांचवा/पांचवीं छठा/छठे/छठी/छठवां/छठवें सातवां/सातवें/सातवा/सातवीं "
        "आठवां/आठवें/आठवा/आठवीं नौवां/नौवें/नौवा/नवां/नवें दसवां/दसवें/दसवा/दसवीं "
        "ग्यारहवां/ग्यारहवें/ग्यारहवा बारहवां/बारहवें/बारहवा तेरहवां/तेरहवें/तेरहवा "
        "चौदहवां/चौदहवें/चौदहवा"
    ),
    to="से|तक|और|व",
    months=(
        "जनवरी",
        "फरवरी|फ़रवरी",
        "मार्च",
        "अप्रैल",
        "मई",
        "जून",
        "जुलाई",
        "अगस्त",
        "सितंबर|सितम्बर",
        "अक्टूबर|अक्तूबर",
        "नवंबर|नवम्बर",
        "दिसंबर|दिसम्बर",
    ),
    leg=("{a} से {b}", "{a} से ट्रेन से {b}", "{a} से बस से {b}", "{a} से रेल से {b}"),
    travel="ट्रेन|रेल|बस|उड़ान|विमान|यात्रा|रवाना|पहुंच|प्रस्थान|निकल|जाएं|जाना|लौट|वापस|सफ़र|सफर|टैक्सी",
    total="कुल|कुल मिलाकर|योग|जोड़|टोटल",
    grand="कुल योग|कुल खर्च|कुल लागत|कुल जोड़|महायोग",
    budget="बजट|सीमा|अधिकतम",
    left="शेष|बचत|बचे|बचा|बाकी|बाक़ी",
    cost="लागत|खर्च|ख़र्च|कीमत|क़ीमत|राशि|बजट|मूल्य|रकम",
    thousand="हजार|हज़ार",
    hundred_thousand="लाख",
    no_before="बिना|बगैर|न|ना|मत|गैर|नहीं|बचें|कोई",
    no_after="नहीं|न|ना|मत|बिना|बगैर|रहित|मुक्त|बचें|बचना|बचते|परहेज|परहेज़|छोड़कर|छोड़ें|वर्जित|"
    "मनाही|बजाय|जगह|अलावा|टालें",
    aside="लागत|खर्च|ख़र्च|बजट|नोट|टिप्पणी|सुझाव|बुकिंग|सुरक्षा|सामान|सारांश|तैयारी|जरूरी|ज़रूरी|सूची",
    request="आपकी आवश्यकताएं|अनुरोध|शर्तें|मांगें|आवश्यकताओं",
    itself="यह योजना|इस योजना|यह कार्यक्रम|इस कार्यक्रम|यह यात्रा|यह मेनू",
    open_ended="और|या|के|की|का|में|से|को|पर|ने|लिए|एवं|तथा|लेकिन|कि|जो",
)

URDU = Lexicon(
    code="ur",
    name="Urdu",
    script="ARABIC",
    common="ہے|کے|کی|کا|میں|سے|اور|کو|پر|لیے|ہیں|کریں|نے|یہ|ایک|تک|ساتھ|یا|بھی|دن|ہفتہ|کر",
    day="دن|دنوں|روز|یوم",
    week="ہفتہ|ہفتے|ہفتوں",
    before="پہلے|قبل",
    numbers=_count(
        "ایک دو تین چار پانچ چھ/چھے/چھہ سات آٹھ نو دس گیارہ بارہ تیرہ چودہ پندرہ سولہ سترہ اٹھارہ "
        "انیس بیس"
    ),
    ordinals=_count(
        "پہلا/پہلے/پہلی دوسرا/دوسرے/دوسری تیسرا/تیسرے/تیسری چوتھا/چوتھے/چوتھی "
        "پانچواں/پانچویں/پانچوے چھٹا/چھٹے/چھٹی ساتواں/ساتویں آٹھواں/آٹھویں نواں/نویں دسواں/دسویں "
        "گیارہواں/گیارہویں/گیارھواں/گیارھویں بارہواں/بارہویں/بارھواں/بارھویں "
        "تیرہواں/تیرہویں/تیرھواں/تیرھویں چودہواں/چودہویں/چودھواں/چودھویں"
    ),
    to="سے|تا|تک|اور",
    months=(
        "جنوری",
        "فروری",
        "مارچ",
        "اپریل",
        "مئی",
        "جون",
        "جولائی",
        "اگست",
        "ستمبر",
        "اکتوبر",
        "نومبر",
        "دسمبر",
    ),
    leg=("{a} سے {b}", "{a} سے ٹرین سے {b}", "{a} سے بس سے {b}", "{a} سے ریل سے {b}"),
    travel="ٹرین|ریل|بس|پرواز|جہاز|سفر|روانہ|روانگی|پہنچ|نکل|جائیں|جانا|واپس|ٹیکسی",
    total="کل|مجموعی|مجموعہ|ٹوٹل|میزان",
    grand="کل میزان|کل رقم|کل لاگت|کل خرچ|مجموعی لاگت|کل مجموعہ",
    budget="بجٹ|حد|زیادہ سے زیادہ",
    left="باقی|بچت|بقایا|بچے",
    cost="لاگت|خرچ|قیمت|رقم|بجٹ|اخراجات|خرچہ",
    thousand="ہزار",
    hundred_thousand="لاکھ",
    no_before="بغیر|بنا|نہ|مت|غیر|نہیں|کوئی",
    no_after="نہیں|نہ|مت|بغیر|بنا|سے پاک|پاک|گریز|پرہیز|بچیں|بجائے|چھوڑ کر|منع|ممنوع|علاوہ|جگہ",
    aside="لاگت|خرچ|اخراجات|بجٹ|نوٹ|مشورے|بکنگ|حفاظت|سامان|خلاصہ|تیاری|ضروری|فہرست",
    request="آپ کی ضروریات|درخواست|شرائط|تقاضے",
    itself="یہ منصوبہ|اس منصوبے|یہ پروگرام|یہ سفر|یہ مینو",
    open_ended="اور|یا|کے|کی|کا|میں|سے|کو|پر|نے|لیے|لیکن|کہ|جو",
)

BENGALI = Lexicon(
    code="bn",
    name="Bengali",
    script="BENGALI",
    common="এবং|ও|থেকে|জন্য|করে|করুন|একটি|এই|হবে|সাথে|সঙ্গে|দিন|সপ্তাহ|পর|না|যান|মধ্যে|করা|নিয়ে|বা",
    day="দিন|দিনে|দিনের",
    week="সপ্তাহ|সপ্তাহে|সপ্তাহের",
    before="আগে|পূর্বে|বাকি",
    numbers=_with_classifiers(
        "এক/একটি/একজন দুই/দু/দুটি/দুইটি/দুজন/দুইজন তিন/তিনটি/তিনজন/তিনটা চার/চারটি/চারজন/চারটা "
        "পাঁচ/পাঁচটি/পাঁচজন/পাঁচটা ছয়/ছয়টি/ছয়জন সাত/সাতটি/সাতজন আট/আটটি/আটজন নয়/নয়টি/নয়জন "
        "দশ/দশটি/দশজন এগারো বারো/বারোটি/বারোজন তেরো চৌদ্দ পনেরো ষোলো সতেরো আঠারো উনিশ "
        "বিশ/বিশটি/কুড়ি"
    ),
    ordinals=_count(
        "প্রথম/১ম দ্বিতীয়/২য় তৃতীয়/৩য় চতুর্থ/৪র্থ পঞ্চম/৫ম ষষ্ঠ/৬ষ্ঠ সপ্তম/৭ম অষ্টম/৮ম নবম/৯ম "
        "দশম/১০ম একাদশ/১১তম দ্বাদশ/১২তম ত্রয়োদশ/১৩তম চতুর্দশ/১৪তম"
    ),
    to="থেকে|হতে|ও|এবং",
    months=(
        "জানুয়ারি|জানুয়ারী",
        "ফেব্রুয়ারি|ফেব্রুয়ারী",
        "মার্চ",
        "এপ্রিল",
        "মে",
        "জুন",
        "জুলাই",
        "আগস্ট|আগষ্ট",
        "সেপ্টেম্বর",
        "অক্টোবর",
        "নভেম্বর",
        "ডিসেম্বর",
    ),
    leg=("{a} থেকে {b}", "{a} থেকে ট্রেনে {b}", "{a} থেকে বাসে {b}"),
    travel="ট্রেন|রেল|বাস|ফ্লাইট|বিমান|যাত্রা|রওনা|পৌঁছ|যান|যাব|যাওয়া|ফির|ফেরা|ভ্রমণ|ট্যাক্সি",
    total="মোট|সর্বমোট|সর্বমোটে|যোগফল",
    grand="সর্বমোট|মোট খরচ|মোট ব্যয়",
    budget="বাজেট|বাজেটের|সীমা|সর্বোচ্চ",
    left="বাকি|অবশিষ্ট|উদ্বৃত্ত|সাশ্রয়",
    cost="খরচ|ব্যয়|মূল্য|দাম|পরিমাণ|বাজেট|টাকা",
    thousand="হাজার",
    hundred_thousand="লাখ|লক্ষ",
    no_before="বিনা|কোনো|না",
    no_after="ছাড়া|ছাড়াই|না|নয়|নেই|বাদ|এড়িয়ে|এড়ান|মুক্ত|বিহীন|বর্জন|নিষেধ|বদলে|পরিবর্তে",
    aside="খরচ|ব্যয়|বাজেট|নোট|পরামর্শ|বুকিং|নিরাপত্তা|সরঞ্জাম|সারাংশ|প্রস্তুতি|জরুরি|তালিকা",
    request="আপনার চাহিদা|অনুরোধ|শর্ত|প্রয়োজনীয়তা",
    itself="এই পরিকল্পনা|এই সূচি|এই ভ্রমণ|এই তালিকা",
    open_ended="এবং|ও|বা|থেকে|জন্য|কিন্তু|যে|যা|আর|সঙ্গে|সাথে",
)

LEXICONS: dict[str, Lexicon] = {
    lexicon.code: lexicon for lexicon in (ENGLISH, MALAY, HINDI, URDU, BENGALI)
}
"""Every language of the benchmark, by its code."""


@cache
def lexicons(language: str) -> tuple[Lexicon, ...]:
    """Return the lexicons by which a plan in a language is read: its own, then English."""
    own = LEXICONS[language]
    return (own,) if own is ENGLISH else (own, ENGLISH)


@cache
def merged(language: str, field: str) -> tuple[str, ...]:
    """Return the alternatives of a field of all lexicons of a language."""
    return tuple(
        word for lexicon in lexicons(language) for word in getattr(lexicon, field).split("|")
    )
