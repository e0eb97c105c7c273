"""Places of goals in Hindi, Urdu and Bengali: the name comes first, its role behind it.

"लाहौर से कराची तक", "لاہور سے شروع", "ঢাকা থেকে কক্সবাজার", "সিলেটে শেষ". Without capitals a name is
the words before its postposition, back to the last word that cannot be a part of one.
"""

from __future__ import annotations

from swarm.brief.dates import MONTHS, WEEKDAYS
from swarm.brief.durations import stays
from swarm.brief.money import CURRENCIES
from swarm.brief.numbers import CARDINALS, TIMES
from swarm.brief.passage import Found, Passage
from swarm.brief.steps import UNIT_WORDS
from swarm.brief.words import STOPS, folded, is_locative

_FROM = folded("से سے থেকে")
_UNTIL = folded("तक تک পর্যন্ত")
_IN = folded("में میں")
_VIA = folded("होते होकर رास्ते रास्ते ہوتے راستے ہوکر হয়ে দিয়ে ঘুরে")
_OF = folded("की का के کی کا کے")
_TRIPS = folded(
    "घूमने گھومنے "
    "यात्रा सफर सैर भ्रमण ट्रिप टूर दौरा दौरे سفر سیر دورہ دورے ٹرپ ٹور سیاحت ভ্রমণ সফর ট্যুর ভ্রমণের "
    "ট্রিপ বেড়াতে বেড়ানোর ঘুরতে"
)
_START = folded("शुरू शुरुआत आरंभ प्रस्थान شروع آغاز روانگی শুরু যাত্রা")
_END = folded("समाप्त खत्म अंत समापन ختم اختتام শেষ")
_BACK = folded("वापस वापसी واپس واپسی ফিরে ফেরা")
_NEVER = (
    folded(
        "और या के की का को में से तक पर ने लिए लिये भी ही है हैं हो हूं एक यह वह हम मैं हमें मुझे मेरे हमारे अपने "
        "साथ बिना वाला वाले वाली शुरू समाप्त "
        "यात्रा योजना बनाएं बनाओ बनाइए करें करके होते हुए होकर रास्ते दिन दिनों बजट सफर कम ज्यादा अधिक कुल "
        "लोगों परिवार बच्चों फिर उसके बाद जगह शहर सबसे "
        "स्कूल घर मेले शादी खर्च कार ट्रेन बस हवाई सुबह शाम रोज महीने हफ्ते सप्ताह हिंदी अंग्रेजी कृपया आसपास "
        "बीच अंदर बाहर ऊपर नीचे बारे रूप ठहरना जाना "
        "और یا کے کی کا کو میں سے تک پر نے لیے لئے بھی ہی ہے ہیں ہو ایک یہ وہ ہم میں ہمیں مجھے "
        "میرے ہمارے اپنے ساتھ بغیر والا والے والی شروع ختم اور "
        "سفر منصوبہ بنائیں بناؤ کریں کرکے ہوتے ہوئے راستے دن دنوں بجٹ کم زیادہ کل لوگوں افراد "
        "خاندان بچوں پھر بعد جگہ شہر سب اردو انگریزی اسکول گھر شادی خرچ "
        "گاڑی ٹرین بس صبح شام روز مہینے ہفتے اندر باہر بارے طور کار "
        "ও এবং বা থেকে পর্যন্ত জন্য করে একটি একটা এই আমি আমরা আমাদের আমার সাথে সঙ্গে ছাড়া শুরু শেষ "
        "ভ্রমণ পরিকল্পনা করো করুন হবে হয়ে দিয়ে দিন দিনের বাজেট "
        "মধ্যে বেশি কম মোট মানুষের জনের পরিবার পরিবারের তারপর শহর বাংলায় বাংলা ইংরেজি স্কুল বাড়ি "
        "বিয়ে খরচ গাড়ি ট্রেন ট্রেনে বাসে বাস সকাল সন্ধ্যা বানাও "
        "তৈরি দিনে সপ্তাহে মাসে সময়ে যাত্রা চাই সপ্তাহের মাসের আগে পরে ঘুরে"
    )
    | frozenset(MONTHS)
    | frozenset(WEEKDAYS)
    | frozenset(CURRENCIES)
    | frozenset(TIMES)
    | STOPS
    | _START
    | _END
    | _BACK
    | _TRIPS
    | folded(
        "अपना अपनी अपने जाकर बसना बदल रहे रहा रही इनमें तालिका ज़रूर पति पत्नी "
        "اپنا اپنی اپنے منتقل بدل رہے رہا ان ضرور میاں بیوی ہونا جا کر "
        "আর বাসা বদল করছি চলে যেতে তালিকায় যেন থাকে অবশ্যই আমাদের পরিবারকে"
    )
)
_MOVES = folded("बदल बसना स्थानांतरण शिफ्ट منتقل بدل منتقلی বদল স্থানান্তর যেতে বাসা")
_VISITING = folded("घूमने घूमना گھومنے گھومنا")
_CERTAINLY = folded("जरूर ضرور অবশ্যই")
_OPENERS = folded("इनमें में میں তালিকায়")
_TOWN = folded("शहर नगर شہر শহর শহরে শহরের")
_SEE = folded("देखना देखने देखनी دیکھنا دیکھنے যেন দেখতেই দেখতে छूटने छूटे رہ")
_JOINS = folded("আর और व तथा اور و ও এবং ، , & फिर پھر তারপর")
_STAYING = folded("घूमना घूमने रुकना ठहरना گھومنا رکنا قیام")
_TRIGGERS = _SEE | _FROM | _VIA | _IN | _UNTIL | _TRIPS
_LONGEST = 3
"""Most words of a name."""

_NO_LOCATIVES = folded(
    "করে নিয়ে হয়ে দিয়ে মধ্যে ঘুরে সাথে সঙ্গে শেষে শুরুতে বাজেটে প্রথমে ট্রেনে বাসে হেঁটে গাড়িতে মাঝে "
    "পরে আগে সময় যায় হয় নয় ছয় বিষয়ে"
)


def places_before(passage: Passage, *, trip: bool) -> list[Found]:
    """Return the places of a goal whose language puts their role behind them."""
    bengali = passage.language == "bn"
    found: list[Found] = []
    for stay in stays(passage):
        first = _first(passage, stay.place + 1)
        if first is not None:
            name = (
                _bare(passage.raw(first, stay.place + 1))
                if bengali
                else passage.raw(first, stay.place + 1)
            )
            found.append(
                passage.found("place", first, stay.at + 2, value=stay.days, unit="day", name=name)
            )
    trip = trip or not _MOVES.isdisjoint(passage.where)
    where = passage.having(_TRIGGERS)
    if bengali:
        where = sorted({*where, *(at for at, t in enumerate(passage.words) if is_locative(t.raw))})
    started = False
    for at in where:
        word = passage.word(at)
        if word in _FROM:
            new = _from(passage, at, trip=trip)
            started = started or bool(new)
            found += new
        elif word in _VIA:
            found += _via(passage, at)
        elif word in _SEE and trip:
            found += _seen(passage, at)
        elif word in _IN and trip:
            found += _in(passage, at, at)
        elif word in _UNTIL and trip and not any(one.end == at + 1 for one in found):
            first = _first(passage, at)
            if first is not None and (started or passage.word(first - 1) in _FROM):
                found.append(passage.found("end_place", first, at + 1, name=passage.raw(first, at)))
        elif word in _TRIPS and trip:
            found += _trip_to(passage, at)
        elif trip and word not in _NO_LOCATIVES and is_locative(passage.words[at].raw):
            found += _in_bengali(passage, at)
    return sorted(found, key=lambda one: one.at)


def _first(passage: Passage, end: int) -> int | None:
    """Return where the name that ends before `end` begins; None if there is none."""
    at = end
    while at > 0 and end - at < _LONGEST and _may_name(passage, at - 1):
        at -= 1
    return at if at < end else None


def _may_name(passage: Passage, at: int) -> bool:
    word = passage.word(at)
    return (
        word[:1].isalpha()
        and word not in _NEVER
        and word not in UNIT_WORDS
        and word not in CARDINALS
        and at not in passage.numbers
    )


def _from(passage: Passage, at: int, *, trip: bool) -> list[Found]:
    """Return the start before "से", and the end if "तक", or a journey, follows."""
    first = _first(passage, at)
    if first is None:
        return []
    after = at + 1
    found: list[Found] = []
    starts = passage.word(after) in _START or passage.word(first - 1) in _START
    end = after
    while end - after < _LONGEST and _may_name(passage, end):
        end += 1
    moves = any(passage.word(index) in _MOVES for index in range(end, end + 5))
    goes = end > after and (
        moves
        or passage.word(end) in _UNTIL
        or (passage.word(end) in _OF and passage.word(end + 1) in _TRIPS)
        or (trip and passage.language == "bn" and end - after <= 2 and _bengali_goal(passage, end))
    )
    via = end > after and passage.word(end) in _VIA
    if starts or goes or (trip and (via or _from_is_place(passage, after))):
        found.append(passage.found("start_place", first, at + 1, name=passage.raw(first, at)))
    if goes and passage.word(end) not in _VIA:
        name = passage.raw(after, end)
        found.append(
            passage.found(
                "end_place", after, end + 1 if passage.word(end) in _UNTIL else end, name=name
            )
        )
    return found


def _bengali_goal(passage: Passage, end: int) -> bool:
    """Return whether "ঢাকা থেকে কক্সবাজার" ends the name of where a journey goes."""
    return passage.word(end) in _TRIPS or passage.word(end) in (",", "") or end in passage.numbers


def _from_is_place(passage: Passage, after: int) -> bool:
    """Return whether a comma or a journey's word follows: "दिल्ली से, ..."."""
    return passage.word(after) in _START or passage.word(after) in (",", "،")


def _via(passage: Passage, at: int) -> list[Found]:
    """Return the names of "ग्रेनाडा और सेविले होते हुए"."""
    end = at - 1 if passage.word(at - 1) in _OF else at
    found: list[Found] = []
    while len(found) < 8:
        first = _first(passage, end)
        if first is None:
            break
        found.insert(0, passage.found("place", first, end, name=passage.raw(first, end)))
        if passage.word(first - 1) not in _JOINS:
            break
        end = first - 1
        if passage.word(end - 1) in _JOINS:
            end -= 1
    return found


def _seen(passage: Passage, at: int) -> list[Found]:
    """Return the names of "नारा और ओसाका ज़रूर देखना है": a list before a verb of seeing."""
    end = at
    while end > 0 and passage.word(end - 1) in _CERTAINLY:
        end -= 1
    found: list[Found] = []
    first = _first(passage, end)
    while first is not None and first - 1 not in passage.number_ends and len(found) < 8:
        found.insert(0, passage.found("place", first, end, name=passage.raw(first, end)))
        end = first - 1
        if passage.word(end) not in _JOINS:
            break
        first = _first(passage, end)
    sentence = passage.sentence(at)
    # A list opens its sentence: otherwise the words before the verb are no names.
    opens = found and (found[0].at == sentence[0] or passage.word(found[0].at - 1) in _OPENERS)
    return found if opens else []


def _in(passage: Passage, at: int, end: int) -> list[Found]:
    """Return the place before "में": the end where "समाप्त" follows, else one on the way."""
    first = _first(passage, end)
    if first is None:
        return []
    near = [passage.word(index) for index in range(at + 1, min(at + 3, len(passage.words)))]
    name = passage.raw(first, end)
    if passage.word(first - 1) in _END:
        return [passage.found("end_place", first - 1, at + 1, name=name)]
    if near and (near[0] in _END or (len(near) > 1 and near[1] in _END and near[0] not in STOPS)):
        return [passage.found("end_place", first, at + 2, name=name)]
    if near and near[0] in _START:
        return [passage.found("start_place", first, at + 2, name=name)]
    number = at + 1 in passage.numbers
    if number or (near and (near[0] in _TRIPS or near[0] in _STAYING)):
        return [passage.found("place", first, at + 1, name=name)]
    return []


def _trip_to(passage: Passage, at: int) -> list[Found]:
    """Return the place of "जापान की यात्रा", "সিলেট ভ্রমণ"."""
    end = at
    if passage.word(end - 1) in _OF:
        end -= 1
    elif passage.language != "bn" and passage.word(at) not in _VISITING:
        return []
    # "जापान की दो हफ़्ते की यात्रा": the length may stand between.
    while end > 0 and (
        passage.word(end - 1) in UNIT_WORDS
        or passage.word(end - 1) in CARDINALS
        or passage.word(end - 1) in _OF
        or passage.word(end - 1)[:1].isdecimal()
    ):
        end -= 1
    first = _first(passage, end)
    if first is None or passage.word(first - 1) in _FROM:
        return []
    name = passage.raw(first, end)
    if passage.language == "bn":
        name = _bare(name)
    return [passage.found("place", first, at + 1, name=name)]


def _in_bengali(passage: Passage, at: int) -> list[Found]:
    """Return the place of a word with a locative ending: "সিলেটে শেষ", "ঢাকায় শুরু"."""
    after = passage.word(at + 1)
    if not _may_name(passage, at):
        return []
    kind = "end_place" if after in _END else "start_place" if after in _START else ""
    if not kind:
        if after not in _TRIPS and at + 1 not in passage.numbers:
            return []
        kind = "place"
    first = _first(passage, at + 1)
    if first is None:
        return []
    town = passage.word(at) in _TOWN and at > first
    name = passage.raw(first, at) if town else _bare(passage.raw(first, at + 1))
    if kind == "end_place":
        return [passage.found("end_place", first, at + 2, name=name)]
    if kind == "start_place":
        return [passage.found("start_place", first, at + 2, name=name)]
    return [passage.found("place", first, at + 1, name=name)]


def _bare(name: str) -> str:
    """Return a Bengali name without its locative or genitive ending: "ঢাকায়" is "ঢাকা"."""
    for ending in (
        "\u09df\u09c7",
        "\u09af\u09bc\u09c7",
        "\u09df",
        "\u09af\u09bc",
        "তে",
        "ে",
        "ের",
        "র",
    ):
        if name.endswith(ending) and len(name) > len(ending) + 1:
            return name[: -len(ending)]
    return name
